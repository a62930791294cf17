"""Telling figures: one, one for each group, the first few, along time, as shares and as changes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from averment.agents.analyst.telling.scene import ALSO, SHORT, Scene
from averment.agents.analyst.telling.words import figure_words, grouped_words, rows_of
from averment.claims.of_order import passed_over, place_word
from averment.claims.sealed import orderly
from averment.claims.speech import IN_TIME, listed
from averment.plans.names import value_name
from averment.records.claim import Claim

SERIES = 6
"""So many series in time are each told from their beginning to their end."""


def tell_figures(scene: Scene) -> Iterator[Claim | None]:
    """Claims over a result of figures."""
    plan, figures = scene.plan, scene.compiled.figures
    window = plan.window
    if window is not None and window.span is not None:
        yield from _between(scene)
    elif not scene.sealed.keys:
        yield from _single(scene)
    elif window is not None and window.kind == "share":
        yield from _shares(scene)
    elif plan.rank is not None:
        yield from tell_ranked(scene, scene.sealed.ranked.by if scene.sealed.ranked else figures[0])
    elif window is not None:
        yield from _windowed(scene)
    elif (along := _time_key(scene)) is not None and scene.sealed.size > 1:
        yield from _series(scene, along)
    else:
        yield from _groups(scene)


def name_of(scene: Scene, column: str) -> str:
    """What a figure of the result is called in a sentence."""
    plan, figures = scene.plan, scene.compiled.figures
    if plan.measures:
        first = figure_words(plan.measures[0])
        if plan.over_groups is not None:
            return grouped_words(plan, first)
        if plan.window is not None:
            return _window_words(plan.window.kind, plan.window.steps, first) if column == figures[-1] else first
        if column in figures:
            return figure_words(plan.measures[min(figures.index(column), len(plan.measures) - 1)])
    if plan.rank is not None and plan.rank.by is not None:
        return value_name(plan.rank.by)
    return column


def _window_words(kind: str, steps: int, figure: str) -> str:
    match kind:
        case "growth":
            return f"growth of the {figure}"
        case "change":
            return f"change of the {figure}"
        case "running":
            return f"running total of the {figure}"
        case "moving":
            return f"moving average over {steps} periods of the {figure}"
        case _:
            return f"{kind} of the {figure}"


def counts_rows(scene: Scene, column: str) -> bool:
    """Whether a figure is a plain number of rows, of which one says "most" and not "highest"."""
    plan = scene.plan
    if not plan.measures or plan.window is not None or plan.over_groups is not None:
        return False
    at = scene.compiled.figures.index(column) if column in scene.compiled.figures else -1
    measure = plan.measures[at] if 0 <= at < len(plan.measures) else None
    return measure is not None and measure.function == "rows" and not measure.where and measure.over is None


def _single(scene: Scene) -> Iterator[Claim | None]:
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
        else:
            yield scene.claim("is", claim_id, [scene.value(0, column)], figure=name_of(scene, column))


def _groups(scene: Scene) -> Iterator[Claim | None]:
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
    yield _group_count(scene)


def rows_told(scene: Scene, column: str, claim_id: str, rows: Sequence[int]) -> Claim | None:
    """Each of these rows with its whole key and its value."""
    known = [row for row in rows if scene.values(column)[row] is not None]
    named = set(scene.sealed.named)
    known.sort(key=lambda row: row not in named)
    if not known:
        return None
    kind = scene.kind(column, known)
    values = [scene.value(row, column, subject=place, kind=kind) for place, row in enumerate(known)]
    return scene.claim("is", claim_id, values, rows=known, figure=name_of(scene, column))


def superlative(scene: Scene, column: str, *, highest: bool, prefix: str = "", place: str = "") -> Claim | None:
    """The highest or the lowest of all, with whoever shares it."""
    rows = scene.sealed.best(column, highest=highest)
    if not rows or len(rows) > SHORT or (len(rows) == scene.sealed.size > 1 and not scene.sealed.ranked):
        return None
    end = "highest" if highest else "lowest"
    aside = ""
    if not place and passed_over(scene.sealed, column, highest=highest):
        aside = f"rows with no value for {listed(list(scene.sealed.keys), last=' or ')}"
    words = {"aside": aside, "place": place, "many": "rows" if counts_rows(scene, column) else ""}
    value = scene.value(rows[0], column, subject=0)
    return scene.claim(end, f"{prefix}{end}", [value], rows=rows, figure=name_of(scene, column), words=words)


def _group_count(scene: Scene) -> Claim | None:
    keys = listed([value_name(each) for each in scene.plan.by])
    words = {"one": f"group by {keys}", "many": f"groups by {keys}"}
    return scene.claim("count", "groups", [scene.count()], words=words) if scene.sealed.whole else None


def tell_ranked(scene: Scene, column: str) -> Iterator[Claim | None]:
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
            yield superlative(scene, column, highest=cut.descending, place=place)
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
        yield _group_count(scene) if scene.plan.by else None
    for place, other in enumerate(scene.compiled.figures):
        if other != column and size <= SHORT and scene.plan.measures:
            yield rows_told(scene, other, f"rows-{place + 1}", range(size))


def _shares(scene: Scene) -> Iterator[Claim | None]:
    value, share = scene.compiled.figures[0], scene.compiled.figures[-1]
    within = "\n".join(scene.compiled.keys[at] for at in scene.plan.window.within) if scene.plan.window else ""
    figure = name_of(scene, value)
    size = scene.sealed.size
    rows = [row for row in range(size) if scene.values(share)[row] is not None]
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
        yield _group_count(scene)


def _windowed(scene: Scene) -> Iterator[Claim | None]:
    """What was computed along time: every period of a short result, else both ends of it."""
    column = scene.compiled.figures[-1]
    if scene.sealed.size <= SHORT:
        yield rows_told(scene, column, "rows-1", range(scene.sealed.size))
        yield superlative(scene, column, highest=True, prefix=ALSO)
        return
    yield superlative(scene, column, highest=True)
    yield superlative(scene, column, highest=False)
    yield _group_count(scene)


def _time_key(scene: Scene) -> str | None:
    """The one key that is a time."""
    times = [name for name in scene.sealed.keys if scene.kinds[name] in IN_TIME and scene.kinds[name] != "hour"]
    return times[0] if len(times) == 1 else None


def _series(scene: Scene, along: str) -> Iterator[Claim | None]:
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
        prefix = ALSO if set(scene.sealed.best(column, highest=highest)) <= told else ""
        yield superlative(scene, column, highest=highest, prefix=prefix)
    if scene.sealed.size <= SHORT:
        for place, each in enumerate(scene.compiled.figures):
            prefix = ALSO if place == 0 else ""
            yield rows_told(scene, each, f"{prefix}rows-{place + 1}", range(scene.sealed.size))
    else:
        yield _group_count(scene)


def _moved(scene: Scene, column: str, along: str, rows: Sequence[int], claim_id: str) -> Claim | None:
    ends = _ends(scene, along, rows)
    if not ends:
        return None
    first, last = ends
    return moved(scene, (first, column), (last, column), claim_id, rows=(first, last), words={"along": along})


def _ends(scene: Scene, along: str, rows: Sequence[int]) -> tuple[int, ...]:
    """The rows of the first and of the last period; nothing where the periods have no order."""
    times = [orderly(scene.values(along)[row]) for row in rows]
    if len(rows) < 2 or any(time is None for time in times) or len({type(time) for time in times}) > 1:
        return ()
    ordered = sorted(zip(times, rows, strict=True))  # pyright: ignore
    return ordered[0][1], ordered[-1][1]


def moved(
    scene: Scene,
    first: tuple[int, str],
    last: tuple[int, str],
    claim_id: str,
    *,
    rows: Sequence[int],
    words: dict[str, str],
    change: str | None = None,
) -> Claim | None:
    """The claim that a figure rose, fell or stayed from one cell to another."""
    from averment.claims.relation import told
    from averment.evidence.derive import derived

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
        if change is not None and scene.values(change)[first[0]] is not None:
            ends.append(scene.value(first[0], change, role="change", kind=f"abs {scene.kinds[change]}"))
        elif before != 0 and kind != "year" and scene.kinds[first[1]] != "percentage":
            evidence = derived("percent_change", ends[0].evidence, ends[1].evidence)  # pyright: ignore
            ends.append(told("change", evidence, "abs percentage"))
    column = first[1]
    figure = name_of(scene, column) if not scene.plan.window else figure_words(scene.plan.measures[0])
    return scene.claim(relation, claim_id, ends, rows=rows, figure=figure, words=words)


def _common_kind(scene: Scene, first: tuple[int, str], last: tuple[int, str]) -> str:
    from averment.claims.kinds import apart

    return apart([scene.values(column)[row] for row, column in (first, last)], scene.kinds[first[1]])


def _between(scene: Scene) -> Iterator[Claim | None]:
    """A figure in two periods, and how it changed from the first to the second, for each group or over all."""
    window, figures = scene.plan.window, scene.compiled.figures
    if window is None or window.span is None or len(figures) < 3:
        return
    from averment.plans.readback import say_scalar

    first, last, change = figures
    words = {"from": say_scalar(window.span[0]), "to": say_scalar(window.span[1])}
    size = scene.sealed.size
    for row in range(min(size, SHORT)):
        rows = (row,) if scene.sealed.keys else ()
        yield moved(scene, (row, first), (row, last), f"change-{row + 1}", rows=rows, words=words, change=change)
    if size > 1 and scene.plan.rank is None:
        yield superlative(scene, change, highest=True, prefix="" if size > SHORT else ALSO)
        yield superlative(scene, change, highest=False, prefix="" if size > SHORT else ALSO)
    if size > SHORT:
        yield _group_count(scene)
