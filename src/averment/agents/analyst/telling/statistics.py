"""Telling statistics: correlations, tests of a difference, distributions, outliers and straight trends."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from decimal import Decimal
from typing import Any

from averment.agents.analyst.telling.blocks import rows_told
from averment.agents.analyst.telling.members import tell_equal_groups, tell_members, tell_retention
from averment.agents.analyst.telling.overview import tell_overview
from averment.agents.analyst.telling.rows import tell_none
from averment.agents.analyst.telling.scene import ALSO, SHORT, ResultScene
from averment.claims.of_statistics import LEVEL, strength_words
from averment.claims.relation import told
from averment.claims.sealed import orderly
from averment.claims.speech import listed
from averment.errors import UnboundNumber
from averment.evidence.derive import derived
from averment.evidence.values import as_decimal
from averment.plans import statistics as kinds
from averment.plans.names import value_name
from averment.plans.operations import AddedStatistic, added_operation
from averment.plans.plan import Statistic
from averment.records.claim import Claim
from averment.records.run import CellEvidence


def tell_statistic(scene: ResultScene) -> Iterator[Claim | None]:
    """Claims over a statistic's result: the figures by their names, unless it is told in a way of its own."""
    statistic = scene.plan.statistic
    assert statistic is not None  # only plans with a statistic come here
    if scene.sealed.size == 0:
        yield from _nothing(scene, statistic) if isinstance(statistic, kinds.Outliers) else tell_none(scene)
    elif isinstance(statistic, AddedStatistic):
        yield from added_operation(statistic.kind).tell(scene)
    else:
        teller = next((TELLERS[kind] for kind in type(statistic).__mro__ if kind in TELLERS), _programmed)
        yield from teller(scene, statistic)


def _nothing(scene: ResultScene, statistic: kinds.Outliers) -> Iterator[Claim | None]:
    words = {"table": scene.plan.table, "many": f"outliers of {value_name(statistic.of[0])}"}
    yield scene.claim("none", "none", [], words=words)


def _correlations(scene: ResultScene, statistic: kinds.Correlation) -> Iterator[Claim | None]:
    method = statistic.method or "pearson"
    for row in range(min(scene.sealed.size, SHORT)):
        r = as_decimal(scene.values("correlation")[row])
        if r is None:
            if scene.sealed.size == 1:
                words = {"column": "correlation", "table": scene.plan.table}
                yield scene.claim("none", "none", [], figure="correlation", words=words)
            continue
        values = [
            scene.value(row, "correlation", role="r", subject=0),
            scene.value(row, "rows", role="rows", subject=0),
        ]
        if method != "kendall":
            with suppress(UnboundNumber):
                cells = [scene.sealed.cell(row, name) for name in ("correlation", "rows")]
                values.append(told("p", derived("correlation_p", *cells), "p"))
        words = {"word": strength_words(r), "method": method if method != "pearson" else ""}
        prefix = "" if row == 0 else ALSO
        yield scene.claim("correlates", f"{prefix}correlation-{row + 1}", values, rows=[row], words=words)


def _difference(scene: ResultScene, statistic: kinds.DifferenceTest) -> Iterator[Claim | None]:
    count, mean, deviation = scene.compiled.figures
    of = value_name(statistic.of[0])
    rows = list(range(scene.sealed.size))
    cells: list[CellEvidence] = [scene.sealed.cell(row, name) for row in rows for name in (count, mean, deviation)]
    test = statistic.method or "welch"
    try:
        found, p = derived(f"{test}_statistic", *cells), derived(f"{test}_p", *cells)
    except UnboundNumber:
        yield rows_told(scene, mean, "rows-1", rows[:SHORT], figure=f"average {of}")
        return
    number = as_decimal(p.value)
    if number is None or len(rows) > SHORT:
        return
    kind = scene.kind(mean)
    values = [
        *(scene.value(row, mean, role="mean", subject=row, kind=kind) for row in rows),
        told("statistic", found, "number"),
        told("p", p, "p"),
    ]
    words = {
        "verdict": "chance" if number >= LEVEL else "more",
        "count": count,
        "mean": mean,
        "deviation": deviation,
        "test": test if test != "welch" else "",
    }
    named = "Welch's test" if test == "welch" else "analysis of variance"
    yield scene.claim("differs", "difference", values, rows=rows, figure=of, words=words, method=named)


def _independence(scene: ResultScene, _statistic: kinds.Independence) -> Iterator[Claim | None]:
    """Whether two categories have to do with each other, by the counts of all their pairs."""
    first, second = scene.sealed.keys
    figures = scene.compiled.figures
    cells = [scene.sealed.cell(row, name) for row in range(scene.sealed.size) for name in figures]
    counted = [scene.sealed.cell(row, figures[0]) for row in range(scene.sealed.size)]
    try:
        statistic, p = derived("independence_statistic", *cells), derived("independence_p", *cells)
    except UnboundNumber:
        yield rows_told(scene, figures[0], "rows-1", range(min(SHORT, scene.sealed.size)), figure="number of rows")
        return
    number = as_decimal(p.value)
    words = {
        "verdict": "chance" if number is None or number >= LEVEL else "more",
        "first": first,
        "second": second,
        "rows": figures[0],
        "first share": figures[1],
        "second share": figures[2],
    }
    values = [
        told("statistic", statistic, "number"),
        told("p", p, "p"),
        told("total", derived("total", *counted), "count"),
    ]
    yield scene.claim("independent", "independence", values, words=words, method="Pearson's chi-square test")


def _distribution(scene: ResultScene, statistic: kinds.Distribution) -> Iterator[Claim | None]:
    of = value_name(statistic.of[0])
    low, high = scene.sealed.keys
    rows = [row for row in range(scene.sealed.size) if scene.values(low)[row] is not None]
    if not rows:
        return
    lows = sorted(rows, key=lambda row: float(as_decimal(scene.values(low)[row]) or 0))
    highs = sorted(rows, key=lambda row: float(as_decimal(scene.values(high)[row]) or 0))
    total = derived("total", *(scene.sealed.cell(row, "rows") for row in range(scene.sealed.size)))
    ends = [
        scene.value(lows[0], low, role="low", kind="number"),
        scene.value(highs[-1], high, role="high", kind="number"),
    ]
    yield scene.claim("spans", "range", [*ends, told("total", total, "count")], figure=of)
    best = scene.sealed.best("rows", highest=True)
    if best and len(best) < scene.sealed.size:
        scene.kinds.update({low: "number", high: "number"})
        yield scene.claim("fullest", "fullest", [scene.value(best[0], "rows", subject=0)], rows=best, figure=of)


def _outliers(scene: ResultScene, statistic: kinds.Outliers) -> Iterator[Claim | None]:
    column, low, high = scene.compiled.figures
    of = value_name(statistic.of[0])
    if statistic.within:
        within = listed([value_name(each) for each in statistic.within])
        words = {"one": f"outlier of {of} within its {within}", "many": f"outliers of {of} within their {within}"}
        yield scene.claim("count", "outliers", [scene.count()], words=words)
        if scene.sealed.size <= SHORT:
            yield rows_told(scene, column, f"{ALSO}rows-1", range(scene.sealed.size), figure=of)
        return
    numbers = [
        (number, row) for row, value in enumerate(scene.values(column)) if isinstance(number := orderly(value), Decimal)
    ]
    if not numbers:
        return
    values = [
        scene.count(),
        scene.value(0, low, role="low"),
        scene.value(0, high, role="high"),
        scene.value(min(numbers)[1], column, role="least"),
        scene.value(max(numbers)[1], column, role="most"),
    ]
    yield scene.claim("outliers", "outliers", values, figure=of, words={"column": column})


def _duplicates(scene: ResultScene, statistic: kinds.Duplicates) -> Iterator[Claim | None]:
    """How many rows are there once more."""
    of = statistic.of
    what = f"in {value_name(of[0])}" if len(of) == 1 else "in every column" if len(of) > 3 else "in these columns"
    words = {
        "one": f"row that repeats an earlier one {what}",
        "many": f"rows that repeat an earlier one {what}",
    }
    yield scene.claim("count", "repeated", [scene.value(0, "repeated", role="count", kind="count")], words=words)


def _programmed(scene: ResultScene, statistic: Statistic) -> Iterator[Claim | None]:
    """Every figure of a model by its name."""
    names = [str(value) for value in scene.values("figure")]
    told = [row for row, value in enumerate(scene.values("value")) if value is not None]
    first = [row for row in told if not names[row].startswith("p-value")][: SHORT + 1]
    figure = f"figure of the {statistic.say(scene.plan)}"
    yield rows_told(scene, "value", "figures", first, figure=figure)
    others = [row for row in told if row not in first]
    for place, row in enumerate(others[:SHORT]):
        value = scene.value(row, "value", subject=0, kind="p")
        yield scene.claim("is", f"{ALSO}p-{place + 1}", [value], rows=[row], figure="figure of the model")


def _verdict(scene: ResultScene, relation: str, claim_id: str, method: str, **words: str) -> Claim | None:
    """What a test's p-value says, where it has one."""
    names = scene.values("figure")
    if "p-value" not in names:
        return None
    at, p = names.index("statistic"), names.index("p-value")
    number = as_decimal(scene.values("value")[p])
    told = {**words, "verdict": "chance" if number is None or number >= LEVEL else "more"}
    assert scene.plan.statistic is not None  # only a test comes here
    values = [scene.value(at, "value", role="statistic"), scene.value(p, "value", role="p", kind="p")]
    return scene.claim(
        relation, claim_id, values, figure=value_name(scene.plan.statistic.of[0]), words=told, method=method
    )


def _normality(scene: ResultScene, statistic: kinds.Normality) -> Iterator[Claim | None]:
    """Whether values can come from a normal distribution, by the test's p-value."""
    yield _verdict(scene, "normal", "normality", "test of normality")
    yield _others(scene, "shape", f"shape of {value_name(statistic.of[0])}")


def _tested(scene: ResultScene, statistic: kinds.SampleTest) -> Iterator[Claim | None]:
    """Whether groups differ by a test of samples, and the median of each."""
    method, groups = f"{statistic.test} test", value_name(statistic.by)
    yield _verdict(scene, "tested", statistic.kind, method, test=statistic.test, groups=groups)
    yield _others(scene, "medians", f"value of {value_name(statistic.of[0])}")


def _others(scene: ResultScene, claim_id: str, figure: str) -> Claim | None:
    """The figures that a test leaves beside its statistic, p-value and number of rows."""
    rows = [n for n, name in enumerate(scene.values("figure")) if name not in {"statistic", "p-value", "rows"}]
    return rows_told(scene, "value", f"{ALSO}{claim_id}", rows[:SHORT], figure=figure) if rows else None


def _trend(scene: ResultScene, statistic: kinds.Trend) -> Iterator[Claim | None]:
    points, slope, fit = scene.compiled.figures
    number = as_decimal(scene.values(slope)[0])
    if number is None:
        yield scene.claim(
            "none", "none", [], figure="straight trend", words={"column": slope, "table": scene.plan.table}
        )
        return
    word = "rises" if number > 0 else "falls" if number < 0 else "is level"
    values = [
        scene.value(0, points, role="points"),
        scene.value(0, slope, role="slope", kind="abs number" if number else "number"),
        scene.value(0, fit, role="fit", kind="fraction"),
    ]
    names = [value_name(each) for each in statistic.of]
    yield scene.claim("trend", "trend", values, figure=names[0], words={"word": word, "along": names[1]})


TELLERS: dict[type, Callable[[ResultScene, Any], Iterator[Claim | None]]] = {
    kinds.Correlation: _correlations,
    kinds.DifferenceTest: _difference,
    kinds.Distribution: _distribution,
    kinds.Duplicates: _duplicates,
    kinds.EqualGroups: tell_equal_groups,
    kinds.Independence: _independence,
    kinds.Members: tell_members,
    kinds.Normality: _normality,
    kinds.Outliers: _outliers,
    kinds.Retention: tell_retention,
    kinds.SampleTest: _tested,
    kinds.TableOverview: tell_overview,
    kinds.Trend: _trend,
}
"""The statistics that are told in a way of their own."""
