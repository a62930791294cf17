"""The sentences that tellings are made of: rows with their values, both ends of a result, how many groups there are."""

from __future__ import annotations

from collections.abc import Sequence

from averment.agents.analyst.telling.scene import SHORT, ResultScene
from averment.agents.analyst.telling.words import figure_words, grouped_words, statistic_words
from averment.charts.encode import calendar
from averment.claims.of_order import passed_over
from averment.claims.speech import IN_TIME, listed
from averment.plans.names import value_name, window_words
from averment.records.claim import Claim


def name_of(scene: ResultScene, column: str) -> str:
    """What a figure of the result is called in a sentence."""
    plan, figures = scene.plan, scene.compiled.figures
    if plan.statistic is not None:
        return statistic_words(plan, column)
    if plan.across is not None and plan.measures:
        return f"{figure_words(plan.measures[0])} for {value_name(plan.by[plan.across.at])} {column}"
    if plan.measures:
        first = figure_words(plan.measures[0])
        if plan.over_groups is not None:
            return grouped_words(plan, first)
        if plan.window is not None:
            return _window_words(plan.window.kind, plan.window.steps, first) if column == figures[-1] else first
        if column in figures:
            measure = plan.measures[min(figures.index(column), len(plan.measures) - 1)]
            return _in_order(figure_words(measure), scene.kinds.get(column, ""))
    if plan.rank is not None and plan.rank.by is not None:
        return value_name(plan.rank.by)
    return column


def _in_order(figure: str, kind: str) -> str:
    """Of dates the lowest is the earliest, and the highest the latest."""
    if kind not in IN_TIME or kind == "hour":
        return figure
    for word, said in (("lowest ", "earliest "), ("highest ", "latest ")):
        if figure.startswith(word):
            return said + figure.removeprefix(word)
    return figure


def _window_words(kind: str, steps: int, figure: str) -> str:
    over = f" over {steps} periods" if kind.startswith("moving") else ""
    return f"{window_words(kind)}{over} of the {figure}"


def counts_rows(scene: ResultScene, column: str) -> bool:
    """Whether a figure is a plain number of rows, of which one says "most" and not "highest"."""
    plan = scene.plan
    if not plan.measures or plan.window is not None or plan.over_groups is not None or plan.statistic is not None:
        return False
    if plan.across is not None:
        return False
    at = scene.compiled.figures.index(column) if column in scene.compiled.figures else -1
    measure = plan.measures[at] if 0 <= at < len(plan.measures) else None
    return measure is not None and measure.function == "rows" and not measure.where and measure.over is None


def rows_told(
    scene: ResultScene, column: str, claim_id: str, rows: Sequence[int], *, figure: str | None = None
) -> Claim | None:
    """Each of these rows with its whole key and its value."""
    known = [row for row in rows if scene.values(column)[row] is not None]
    named = set(scene.sealed.named)
    known.sort(key=lambda row: row not in named)
    if len(scene.sealed.keys) == 1 and not scene.plan.order and scene.plan.rank is None:
        names = [scene.values(scene.sealed.keys[0])[row] for row in known if row in named]
        if (ordered := calendar(names)) is not None:
            known.sort(key=lambda row: names_place(ordered, scene.values(scene.sealed.keys[0])[row]))
    if not known:
        return None
    kind = scene.kind(column, known)
    values = [scene.value(row, column, subject=place, kind=kind) for place, row in enumerate(known)]
    return scene.claim("is", claim_id, values, rows=known, figure=figure or name_of(scene, column))


def names_place(ordered: Sequence[object], name: object) -> int:
    """Where a name stands in an order; one that is not in it comes last."""
    return ordered.index(name) if name in ordered else len(ordered)


def superlative(scene: ResultScene, column: str, *, highest: bool, prefix: str = "", place: str = "") -> Claim | None:
    """The highest or the lowest of all, with whoever shares it."""
    best, keys = scene.sealed.best(column, highest=highest), set[object]()
    # Rows that are alike in every key are one subject.
    rows = tuple(row for row in best if not (scene.sealed.key(row) in keys or keys.add(scene.sealed.key(row))))
    known = [value for row, value in enumerate(scene.values(column)) if value is not None and row in scene.sealed.named]
    if scene.sealed.ranked is None and len(known) < 2:
        return None
    if not rows or len(rows) > SHORT or (len(rows) == scene.sealed.size > 1 and not scene.sealed.ranked):
        return None
    end = "highest" if highest else "lowest"
    aside = ""
    if not place and passed_over(scene.sealed, column, highest=highest):
        aside = f"rows with no value for {listed(list(scene.sealed.keys), last=' or ')}"
    words = {"aside": aside, "place": place, "many": "rows" if counts_rows(scene, column) else ""}
    value = scene.value(rows[0], column, subject=0)
    return scene.claim(end, f"{prefix}{end}", [value], rows=rows, figure=name_of(scene, column), words=words)


def shared(scene: ResultScene, column: str, end: str) -> Claim | None:
    """A place that too many share to name them."""
    noun = f"groups by {listed([value_name(each) for each in scene.plan.by])}" if scene.plan.by else "rows"
    values = [scene.value(0, column), scene.count()]
    return scene.claim(end, end, values, figure=name_of(scene, column), words={"noun": noun})


def group_count(scene: ResultScene, *, prefix: str = "") -> Claim | None:
    """How many groups a whole result has."""
    keys = listed([value_name(each) for each in scene.plan.by])
    words = {"one": f"group by {keys}", "many": f"groups by {keys}"}
    return scene.claim("count", f"{prefix}groups", [scene.count()], words=words) if scene.sealed.whole else None
