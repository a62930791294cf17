"""The stories of a change as an attribution: what each contributes, and what nothing explains."""

from __future__ import annotations

from datetime import date
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from averment.stats.attribution.verdict import Attribution, SegmentExplanation, Verdict
    from averment.stats.moves.facts import Facts
    from averment.stats.moves.story import FaultName, Kind, Story
    from averment.stats.moves.tell import Moves

_FACTORS = {"volume": "volume", "rate": "value"}


def read_stories(facts: Facts, searched: Attribution) -> tuple[Attribution, Moves]:
    """The attribution with the stories of the facts in place of what the search alone would name."""
    from averment.stats.moves.tell import read_moves

    if facts.plain_rows:
        moves = read_moves(facts, suggested=_suggested(facts, searched))
    else:
        moves = read_moves(facts, lambda *_: _searched_stories(searched))
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


_SEARCHED_FAULTS: dict[str, FaultName] = {"duplicated_load": "duplicates", "null_surge": "nulls"}
"""Faults that only the days of all rows show, where the rows themselves are too many to be read."""


def _searched_stories(searched: Attribution) -> list[Story]:
    """What the search over all leaves of a large cube named, as far as its own figures bear it out."""
    from averment.stats.moves.story import Story

    found: list[Story] = []
    for one in searched.explanations:
        name = _SEARCHED_FAULTS.get(one.fault.kind) if one.fault else None
        if one.fault is not None and name is not None:
            days = sorted(date.fromisoformat(day).toordinal() for day in one.fault.days)
            found.append(
                Story(
                    kind="data_fault",
                    fault=name,
                    effect=one.contribution,
                    side=int(one.fault.period == "comparison"),
                    count=float(len(days)),
                    since=days[0] if days else None,
                    until=days[-1] if days else None,
                )
            )
        if one.verdict in ("data_fault", "calendar"):
            continue
        before, after = one.before, one.after
        told = one.state == "changed" and before is not None and after is not None
        if told and before and after is not None and (after - before) * one.effect < 0:
            continue  # it differs from the rest, but did not move that way itself
        kind = "new_or_gone" if one.state != "changed" else _kind_of(one)
        found.append(Story(kind=kind, segment=one.segment, effect=one.contribution, before=before, after=after, z=None))
    return found


def _suggested(facts: Facts, searched: Attribution) -> list[tuple[dict[str, str], str]]:
    """The segments that the search over all leaves named, with the figure it says moved."""
    figures = {"volume": "rows", "value": "each", "rate": "rate" if facts.how == "ratio" else "sum", "mix": "mix"}
    return [(one.segment, figures[one.verdict]) for one in searched.explanations if one.verdict in figures]


def _kind_of(one: SegmentExplanation) -> Kind:
    if one.verdict == "mix":
        return "mix"
    return "volume" if one.factor == "volume" else "rate"


def _explanation(facts: Facts, story: Story, change: float) -> SegmentExplanation:
    from averment.stats.attribution.verdict import SegmentExplanation

    effect = story.effect or 0.0
    moved = 0.0
    if story.before and story.after is not None:
        moved = story.after / story.before - 1.0
    state = "changed"
    if story.kind == "new_or_gone":
        state = "new" if _is_new(facts, story) else "vanished"
    return SegmentExplanation(
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


def _is_new(facts: Facts, story: Story) -> bool:
    if set(story.segment) <= set(facts.axes):
        inside = [float(facts.rows[i & facts.mask(story.segment)].sum()) for i in facts.inside]
        return inside[0] < inside[1]
    return (story.before or 0.0) < (story.after or 0.0)


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
