"""The stories of a change as an attribution: what each contributes, and what nothing explains."""

from __future__ import annotations

from datetime import date
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from averment.stats.attribution import Attribution, Explanation
    from averment.stats.attribution.verdict import Verdict
    from averment.stats.moves import Facts, Moves, Story

_FACTORS = {"volume": "volume", "rate": "value"}


def read_stories(facts: Facts, searched: Attribution) -> tuple[Attribution, Moves]:
    """The attribution with the stories of the facts in place of what the search alone would name."""
    from averment.stats.moves import read_moves

    moves = read_moves(facts)
    before, after = facts.value(0), facts.value(1)
    change = after - before
    explanations = tuple(_explanation(facts, story, change) for story in moves.stories)
    found = searched.changed(
        baseline=before,
        comparison=after,
        change=change,
        verdict=explanations[0].verdict if explanations else "no_finding",
        explanations=explanations,
        unexplained=change - sum(e.contribution for e in explanations),
        faults=(),
    )
    return found, moves


def _explanation(facts: Facts, story: Story, change: float) -> Explanation:
    from averment.stats.attribution import Explanation

    effect = story.effect or 0.0
    moved = 0.0
    if story.before and story.after is not None:
        moved = story.after / story.before - 1.0
    state = "changed"
    if story.kind == "new_or_gone":
        inside = [float(facts.rows[i & facts.mask(story.segment)].sum()) for i in facts.inside]
        state = "new" if inside[0] < inside[1] else "vanished"
    return Explanation(
        segment=story.segment,
        verdict=_verdict(facts, story),
        factor=_FACTORS.get(story.kind),  # pyright: ignore[reportArgumentType] - a name of a factor, or none
        effect=moved,
        state=state,
        contribution=effect,
        share_of_change=effect / change if change and story.effect is not None else None,
        significance=0.0,
        before=story.before,
        after=story.after,
        kind=story.kind,
        details={
            "fault": story.fault,
            "side": "comparison" if story.side else "baseline",
            "count": story.count,
            "other_count": story.other_count,
            "multiple": story.factor,
            "since": _day(story.since),
            "until": _day(story.until),
            "old": story.old,
            "new": story.note or None,
            "column": story.column,
            "table": story.table,
            "low": story.low,
            "high": story.high,
            "sized": None if story.effect is None else 1.0,
        },
    )


def _verdict(facts: Facts, story: Story) -> Verdict:
    match story.kind:
        case "noise":
            return "rest"
        case "new_or_gone":
            return "volume"
        case "rate":
            return "global_shock" if not story.segment else ("rate" if facts.how == "ratio" else "value")
        case "volume" | "segment":
            return "global_shock" if not story.segment else story.kind
        case _:
            return story.kind


def _day(ordinal: int | None) -> str | None:
    return None if ordinal is None else date.fromordinal(ordinal).isoformat()
