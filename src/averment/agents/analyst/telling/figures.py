"""Telling figures: one, one for each group, the first few, as shares."""

from __future__ import annotations

from collections.abc import Iterator

from averment.agents.analyst.telling.blocks import (
    counts_rows,
    group_count,
    name_of,
    rows_told,
    shared,
    superlative,
)
from averment.agents.analyst.telling.changes import tell_between, tell_series, tell_window
from averment.agents.analyst.telling.members import tell_fewest
from averment.agents.analyst.telling.scene import ALSO, SHORT, ResultScene
from averment.agents.analyst.telling.words import rows_of
from averment.claims.of_order import place_word
from averment.claims.speech import IN_TIME
from averment.plans.names import value_name
from averment.records.claim import Claim


def tell_figures(scene: ResultScene) -> Iterator[Claim | None]:
    """Claims over a result of figures."""
    plan, figures = scene.plan, scene.compiled.figures
    window = plan.window
    if plan.across is not None:
        yield from _across(scene)
    elif window is not None and window.span is not None:
        yield from tell_between(scene)
    elif not scene.sealed.keys:
        yield from _single(scene)
    elif window is not None and window.kind == "share":
        yield from _shares(scene)
    elif plan.rank is not None and plan.rank.until is not None:
        yield from tell_fewest(scene)
    elif plan.rank is not None:
        yield from tell_ranked(scene, scene.sealed.ranked.by if scene.sealed.ranked else figures[0])
    elif window is not None:
        yield from tell_window(scene)
    elif (along := _time_key(scene)) is not None and scene.sealed.size > 1:
        yield from tell_series(scene, along)
    else:
        yield from _groups(scene)


def _across(scene: ResultScene) -> Iterator[Claim | None]:
    """A table of two directions: what is highest in each of its columns, row by row where they are few."""
    figures, size = scene.compiled.figures, scene.sealed.size
    for place, column in enumerate(figures[:SHORT]):
        if len(figures) * size <= SHORT:
            yield rows_told(scene, column, f"rows-{place + 1}", range(size))
        else:
            told = superlative(scene, column, highest=True)
            yield told.changed(claim_id=f"highest-{place + 1}") if told is not None else None


def _single(scene: ResultScene) -> Iterator[Claim | None]:
    plan = scene.plan
    for place, column in enumerate(scene.compiled.figures):
        claim_id = f"figure-{place + 1}"
        if scene.values(column)[0] is None:
            words = {"column": column, "table": plan.table}
            yield scene.claim("none", claim_id, [], figure=name_of(scene, column), words=words)
        elif counts_rows(scene, column):
            of = rows_of(plan, plan.measures[place])
            words = {"one": f"row in {of}", "many": f"rows in {of}"}
            yield scene.claim("count", claim_id, [scene.value(0, column, role="count")], words=words)
        elif (of := _different(scene, place)) is not None:
            words = {"one": f"value of {of}", "many": f"different values of {of}"}
            yield scene.claim("count", claim_id, [scene.value(0, column, role="count")], words=words)
        else:
            yield scene.claim("is", claim_id, [scene.value(0, column)], figure=name_of(scene, column))


def _different(scene: ResultScene, place: int) -> str | None:
    """What is counted, where a figure is a plain number of different values."""
    plan = scene.plan
    measure = plan.measures[place] if plan.over_groups is None and place < len(plan.measures) else None
    if measure is None or measure.function != "distinct" or measure.where or measure.over is not None:
        return None
    return value_name(measure.of) if measure.of is not None else None


def _groups(scene: ResultScene) -> Iterator[Claim | None]:
    """A short result row by row; of a long one both ends and how many there are."""
    figures = scene.compiled.figures
    if scene.sealed.size <= SHORT:
        for place, column in enumerate(figures):
            yield rows_told(scene, column, f"rows-{place + 1}", range(scene.sealed.size))
        if scene.sealed.size > 1:
            yield superlative(scene, figures[0], highest=True, prefix=ALSO)
            yield superlative(scene, figures[0], highest=False, prefix=ALSO)
        return
    yield superlative(scene, figures[0], highest=True)
    yield superlative(scene, figures[0], highest=False)
    yield group_count(scene)


def tell_ranked(scene: ResultScene, column: str) -> Iterator[Claim | None]:
    """The first, or the first few, with the number that decided."""
    cut, size = scene.sealed.ranked, scene.sealed.size
    if cut is None:
        return
    if column not in scene.compiled.figures:
        column = scene.compiled.figures[0] if scene.compiled.figures else column
    end = "highest" if cut.descending else "lowest"
    if cut.by == column and cut.limit == 1 and not cut.within:
        place = place_word(cut.skip) if cut.skip else ""
        if not scene.sealed.keys:
            figure = f"{place} {end} {name_of(scene, column)}".strip()
            yield scene.claim("is", end, [scene.value(0, column)], figure=figure)
        else:
            told = superlative(scene, column, highest=cut.descending, place=place)
            yield told if told is not None else shared(scene, column, end)
    elif cut.by == column and size <= SHORT * 2 and not cut.skip:
        rows = list(range(size))
        kind = scene.kind(column)
        values = [scene.value(row, column, subject=row, kind=kind) for row in rows]
        words = {"end": end, "within": "\n".join(cut.within)}
        yield scene.claim("rank", "rank", values, rows=rows, figure=name_of(scene, column), words=words)
    elif size <= SHORT:
        yield rows_told(scene, column, "rows-1", range(size))
    else:
        if cut.by == column and not cut.within and not cut.skip:
            yield superlative(scene, column, highest=cut.descending)
        yield group_count(scene) if scene.plan.by else None
    for place, other in enumerate(scene.compiled.figures):
        if other != column and size <= SHORT and scene.plan.measures:
            yield rows_told(scene, other, f"rows-{place + 1}", range(size))


def _shares(scene: ResultScene) -> Iterator[Claim | None]:
    value, share = scene.compiled.figures[0], scene.compiled.figures[-1]
    within = "\n".join(scene.compiled.keys[at] for at in scene.plan.window.within) if scene.plan.window else ""
    figure = name_of(scene, value)
    size = scene.sealed.size
    rows = [row for row in range(size) if scene.values(share)[row] is not None]
    if not rows:
        # Of a whole of nothing there are no parts; the figures themselves can be told.
        yield from _groups(scene)
        return
    short = size <= SHORT
    told = rows if short else rows[:1]
    values = [
        each
        for place, row in enumerate(told)
        for each in (
            scene.value(row, share, role="share", subject=place, kind=scene.kind(share, told)),
            scene.value(row, value, subject=place),
        )
    ]
    yield scene.claim("share", "share", values, rows=told, figure=figure, words={"within": within})
    if not short and scene.plan.rank is None and not within:
        yield superlative(scene, share, highest=True, prefix=ALSO)
        yield superlative(scene, share, highest=False, prefix=ALSO)
        yield group_count(scene)


def _time_key(scene: ResultScene) -> str | None:
    """The one key that is a time."""
    times = [name for name in scene.sealed.keys if scene.kinds[name] in IN_TIME and scene.kinds[name] != "hour"]
    return times[0] if len(times) == 1 else None
