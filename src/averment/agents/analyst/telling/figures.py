"""Telling figures: one, one for each group, the first few, as shares."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from decimal import Decimal

from averment.agents.analyst.telling.blocks import counts_rows, group_count, name_of, rows_told, shared, superlative
from averment.agents.analyst.telling.members import tell_fewest
from averment.agents.analyst.telling.scene import ALSO, SHORT, ResultScene
from averment.agents.analyst.telling.words import figure_words, rows_of
from averment.claims.kinds import apart
from averment.claims.of_order import place_word
from averment.claims.relation import told
from averment.claims.sealed import orderly
from averment.claims.speech import IN_TIME
from averment.evidence.derive import derived
from averment.evidence.formats import write
from averment.plans.columns import part_kind
from averment.plans.names import sets_apart, value_name
from averment.records.claim import Claim

SERIES = 6
"""So many series in time are each told from their beginning to their end."""


def tell_window(scene: ResultScene) -> Iterator[Claim | None]:
    """What was computed along time: every period of a short result, else both ends of it."""
    column = scene.compiled.figures[-1]
    partial = _partly(scene)
    whole = [row for row in range(scene.sealed.size) if row not in partial]
    extremes = [high for high in (True, False) if not partial & set(scene.sealed.best(column, highest=high))]
    if scene.sealed.size <= SHORT:
        yield rows_told(scene, column, "rows-1", whole)
        yield superlative(scene, column, highest=True, prefix=ALSO) if True in extremes else None
        return
    for high in extremes:
        yield superlative(scene, column, highest=high)
    yield group_count(scene)


def _partly(scene: ResultScene) -> set[int]:
    """The rows of periods that are not whole, and of those that are compared with one."""
    window = scene.plan.window
    if not scene.cut_short or window is None:
        return set()
    keys = scene.compiled.keys
    along = keys[window.along] if window.along is not None else keys[0]
    cut = {row for row in range(scene.sealed.size) if str(scene.values(along)[row]) in scene.cut_short}
    series: dict[tuple[object, ...], list[int]] = {}
    for row in range(scene.sealed.size):
        series.setdefault(tuple(value for name, value in scene.sealed.key(row) if name != along), []).append(row)
    after: set[int] = set()
    for rows in series.values():
        ordered = sorted(rows, key=lambda row: str(scene.values(along)[row]))
        after |= {later for earlier, later in zip(ordered, ordered[window.steps :], strict=False) if earlier in cut}
    return cut | after


def tell_series(scene: ResultScene, along: str) -> Iterator[Claim | None]:
    """A series from its first period to its last, with its peak; several series each by itself."""
    column = scene.compiled.figures[0]
    series: dict[tuple[object, ...], list[int]] = {}
    for row in range(scene.sealed.size):
        if scene.values(along)[row] is not None and scene.values(column)[row] is not None:
            key = tuple(value for name, value in scene.sealed.key(row) if name != along)
            series.setdefault(key, []).append(row)
    if len(series) <= SERIES:
        for place, rows in enumerate(series.values()):
            yield _moved(scene, column, along, rows, f"series-{place + 1}")
    told = (
        {row for rows in series.values() for row in _ends(scene, along, rows)} if len(series) <= SERIES else set[int]()
    )
    for highest in (True, False):
        # An end of the series is told already; only a peak or a low between them is news.
        best = scene.sealed.best(column, highest=highest)
        if not highest and any(str(scene.values(along)[row]) in scene.cut_short for row in best):
            continue  # What is the least of a few days says nothing of the whole period.
        prefix = ALSO if set(best) <= told else ""
        yield superlative(scene, column, highest=highest, prefix=prefix)
    if scene.sealed.size <= SHORT:
        for place, each in enumerate(scene.compiled.figures):
            yield rows_told(scene, each, f"rows-{place + 1}", range(scene.sealed.size))
    else:
        yield group_count(scene, prefix=ALSO)


def _moved(scene: ResultScene, column: str, along: str, rows: Sequence[int], claim_id: str) -> Claim | None:
    ends = _ends(scene, along, rows)
    if not ends:
        return None
    first, last = ends
    words = {"along": along, "without": "\n".join(sorted(scene.cut_short))}
    return moved(scene, (first, column), (last, column), claim_id, rows=(first, last), words=words)


def _ends(scene: ResultScene, along: str, rows: Sequence[int]) -> tuple[int, ...]:
    """The rows of the first and of the last whole period; nothing where the periods have no order."""
    rows = [row for row in rows if str(scene.values(along)[row]) not in scene.cut_short]
    times = [orderly(scene.values(along)[row]) for row in rows]
    if len(rows) < 2 or any(time is None for time in times) or len({type(time) for time in times}) > 1:
        return ()
    ordered = sorted(zip(times, rows, strict=True))  # pyright: ignore
    return ordered[0][1], ordered[-1][1]


def moved(
    scene: ResultScene,
    first: tuple[int, str],
    last: tuple[int, str],
    claim_id: str,
    *,
    rows: Sequence[int],
    words: dict[str, str],
    change: str | None = None,
) -> Claim | None:
    """The claim that a figure rose, fell or stayed from one cell to another."""
    before, after = (orderly(scene.values(column)[row]) for row, column in (first, last))
    if before is None or after is None or isinstance(before, str) or isinstance(after, str):
        return None
    relation = "unchanged" if before == after else "rose" if after > before else "fell"
    kind = _common_kind(scene, first, last)
    ends = [
        scene.value(*first, role="from", subject=0 if rows else None, kind=kind),
        scene.value(*last, role="to", subject=len(rows) - 1 if rows else None, kind=kind),
    ]
    if relation != "unchanged":
        if change is not None and (scene.values(change)[first[0]] is None or _useless(scene, change, before)):
            change = None
        if change is not None:
            ends.append(scene.value(first[0], change, role="change", kind=f"abs {scene.kinds[change]}"))
        elif (
            before > 0
            and after >= 0
            and scene.plan.window is None
            and kind != "year"
            and scene.kinds[first[1]] != "percentage"
        ):
            evidence = derived("percent_change", ends[0].evidence, ends[1].evidence)  # pyright: ignore
            ends.append(told("change", evidence, "abs percentage"))
    column = first[1]
    figure = name_of(scene, column) if not scene.plan.window else figure_words(scene.plan.measures[0])
    return scene.claim(relation, claim_id, ends, rows=rows, figure=figure, words=words)


def _useless(scene: ResultScene, change: str, before: Decimal) -> bool:
    """A growth from below zero says nothing a reader could use."""
    return before < 0 and scene.kinds[change] == "percentage"


def _common_kind(scene: ResultScene, first: tuple[int, str], last: tuple[int, str]) -> str:
    return apart([scene.values(column)[row] for row, column in (first, last)], scene.kinds[first[1]])


def tell_between(scene: ResultScene) -> Iterator[Claim | None]:
    """A figure in two periods, and how it changed from the first to the second, for each group or over all."""
    window, figures = scene.plan.window, scene.compiled.figures
    if window is None or window.span is None or len(figures) < 3:
        return
    first, last, change = figures
    if sets_apart(scene.plan):
        yield from _set_apart(scene, first, last)
        return
    kind = part_kind(scene.plan.by[window.along or 0])
    words = {"from": write(window.span[0], kind), "to": write(window.span[1], kind)}
    size = scene.sealed.size
    if size == 1 and scene.values(change)[0] is None and None in (scene.values(first)[0], scene.values(last)[0]):
        gone = first if scene.values(first)[0] is None else last
        period = words["from"] if gone == first else words["to"]
        figure = f"{figure_words(scene.plan.measures[0])} in {period}"
        yield scene.claim("none", "none", [], figure=figure, words={"column": gone, "table": scene.plan.table})
        return
    changes = [
        moved(
            scene,
            (row, first),
            (row, last),
            f"change-{row + 1}",
            rows=(row,) if scene.sealed.keys else (),
            words=words,
            change=change,
        )
        for row in range(min(size, SHORT))
    ]
    yield from changes
    if not any(changes) and size <= SHORT:
        for column, period in ((first, words["from"]), (last, words["to"])):
            figure = f"{figure_words(scene.plan.measures[0])} in {period}"
            yield rows_told(scene, column, f"rows-{period}", range(size), figure=figure)
    if size > 1 and scene.plan.rank is None:
        yield superlative(scene, change, highest=True, prefix="" if size > SHORT else ALSO)
        yield superlative(scene, change, highest=False, prefix="" if size > SHORT else ALSO)
    if size > SHORT:
        yield group_count(scene)


def _set_apart(scene: ResultScene, second: str, first: str) -> Iterator[Claim | None]:
    """How far one side lies above or below the other, for each group or over all."""
    window = scene.plan.window
    assert window is not None and window.span is not None  # only differences come here
    figure = figure_words(scene.plan.measures[0])
    two, one = (f"{figure} for {write(each, 'label')}" for each in window.span)
    for row in range(min(scene.sealed.size, SHORT)):
        cells = [scene.values(column)[row] for column in (first, second)]
        orders = [orderly(value) for value in cells]
        if not all(isinstance(order, Decimal) for order in orders):
            continue
        kind = apart(cells, scene.kinds[first])
        values = [
            scene.value(row, column, role=role, subject=0 if scene.sealed.keys else None, kind=kind)
            for column, role in ((first, "first"), (second, "second"))
        ]
        rows = (row,) if scene.sealed.keys else ()
        named = {"one": one, "two": two}
        if orders[0] == orders[1]:
            yield scene.claim("same_as", f"same-{row + 1}", values, rows=rows, figure=figure, words=named)
            continue
        by = derived("difference", *(each.evidence for each in values))  # pyright: ignore
        word = "higher" if orders[0] > orders[1] else "lower"  # pyright: ignore
        size = [*values, told("derived", by, f"abs {scene.kinds[first]}")]
        yield scene.claim(
            "difference", f"difference-{row + 1}", size, rows=rows, figure=figure, words={**named, "word": word}
        )


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
