"""Concluding from an overview: only what a test finds strong is told, the strongest kind first."""

from __future__ import annotations

from typing import TYPE_CHECKING

from averment.agents.analyst.overview.reading import OverviewReading
from averment.agents.analyst.parts.telling import Teller
from averment.agents.analyst.share.reading import SHARE
from averment.agents.analyst.skill import Told
from averment.evidence.bind import literal
from averment.records.run import Finding

if TYPE_CHECKING:
    from averment.spine.work import Work

DUPLICATES, TREND = "duplicates", "trend"
STRONG_FIT, LEAST_POINTS = 0.5, 6
"""A trend is told where a straight line explains this share of the variation, over this many periods."""

RELATED, LEAST_ROWS = 0.25, 30
"""Two numbers are called related from this R squared on (a correlation of one half), over this many rows."""

CONCENTRATED, TIMES_EQUAL = 40.0, 2.0
"""A group is told where it has this share in percent, or this many times what equal groups would have."""

FEW, MANY = 0.001, 0.1
"""Outliers are told where their share of the values lies between these; more of them is a skewed column."""

SUMMARY_METHOD = "one query over all rows, one row for each column"
TREND_METHOD = "straight line by least squares through the values of each period"
SHARE_METHOD = "total of each group in percent of all groups together"
OUTLIER_METHOD = "Tukey's fences: beyond 1.5 interquartile ranges from the quartiles"
RELATION_METHOD = "straight line by least squares over all rows where both are known; a relation is no cause"
DUPLICATE_METHOD = "rows that repeat an earlier one in every column"


def conclude(work: Work, reading: OverviewReading) -> Told:
    """The facts that are strong enough, and the size of the table."""
    notable: list[Finding] = []
    if reading.kind == "notable":
        notable += _trend(work, reading)
        for place, name in enumerate(reading.dimensions, start=1):
            notable += _concentration(work, reading, name, f"share_{place}")
        for place, pair in enumerate(reading.pairs, start=1):
            notable += _relation(work, pair, f"relation_{place}")
        for place, name in enumerate(reading.numbers, start=1):
            notable += _outliers(work, name, f"outliers_{place}")
    summary = Teller(work, SUMMARY_METHOD)
    notable += [*_missing(summary), *_constant(summary), *_duplicates(work)]
    size = [
        summary.say("rows", "The table has {rows} rows.", 0, rows="rows"),
        summary.count_rows("columns", "It has {count} columns."),
    ]
    if reading.kind == "profile":
        findings = [*size, *notable]
        return Told(findings=tuple(findings), answer=" ".join(each.text for each in findings[:4]))
    findings = [*notable, *size]
    said = " ".join(each.text for each in notable[:4])
    nothing = "None of the tests found anything strong."
    return Told(findings=tuple(findings), answer=said or f"{nothing} {size[0].text}")


def _trend(work: Work, reading: OverviewReading) -> list[Finding]:
    if TREND not in work.answered or reading.time is None:
        return []
    teller = Teller(work, TREND_METHOD, task=TREND)
    if not teller.known(["slope", "r_squared"]):
        return []
    slope, fit, points = (teller.column(name)[0] for name in ("slope", "r_squared", "points"))
    if fit < STRONG_FIT or points < LEAST_POINTS or slope == 0:
        return []
    template = (
        f"The {literal(reading.measure.words)} {'rises' if slope > 0 else 'falls'} by {{slope}} a {reading.time.grain} "
        "along a straight line, which explains {fit} of the variation (R squared) over {points} periods."
    )
    return [teller.say(TREND, template, 0, slope="slope", fit=("r_squared", 2), points="points")]


def _concentration(work: Work, reading: OverviewReading, name: str, task: str) -> list[Finding]:
    if task not in work.answered:
        return []
    teller = Teller(work, SHARE_METHOD, task=task)
    rows = teller.known([name, SHARE])
    if len(rows) < 2:
        return []
    top = teller.column(SHARE)[rows[0]]
    if top < CONCENTRATED and top < TIMES_EQUAL * 100 / teller.table.num_rows:
        return []
    template = f"{literal(name)} {{group}} has {{share}} percent of the {literal(reading.measure.words)}."
    return [teller.say(task, template, rows[0], group=name, share=(SHARE, 1))]


def _relation(work: Work, pair: tuple[str, str], task: str) -> list[Finding]:
    if task not in work.answered:
        return []
    teller = Teller(work, RELATION_METHOD, task=task)
    if not teller.known(["slope", "r_squared"]):
        return []
    slope, fit, points = (teller.column(name)[0] for name in ("slope", "r_squared", "points"))
    if fit < RELATED or points < LEAST_ROWS:
        return []
    way = "rises" if slope > 0 else "falls"
    one, two = map(literal, pair)
    template = (
        f"{two} {way} with {one}: a straight line explains {{fit}} of its variation (R squared, {{points}} rows)."
    )
    return [teller.say(task, template, 0, fit=("r_squared", 2), points="points")]


def _outliers(work: Work, name: str, task: str) -> list[Finding]:
    if task not in work.answered:
        return []
    teller = Teller(work, OUTLIER_METHOD, task=task)
    if not teller.known(["outside", "values", "low", "high"]):
        return []
    outside, values = int(teller.column("outside")[0]), int(teller.column("values")[0])
    if not values or not FEW <= outside / values <= MANY:
        return []
    template = f"{{outside}} of {{values}} values of {literal(name)} are outliers, below {{low}} or above {{high}}."
    return [teller.say(task, template, 0, outside="outside", values="values", low="low", high="high")]


def _missing(summary: Teller) -> list[Finding]:
    rows = [row for row, count in enumerate(summary.column("missing")) if count]
    rows.sort(key=lambda row: (-summary.column("missing")[row], row))
    return [
        summary.say(
            f"missing_{row + 1}",
            "{column} is missing in {missing} of {rows} rows.",
            row,
            column="column",
            missing="missing",
            rows="rows",
        )
        for row in rows[:3]
    ]


def _constant(summary: Teller) -> list[Finding]:
    same = [
        row for row, count in enumerate(summary.column("different")) if count == 1 and summary.column("rows")[row] > 1
    ]
    return [
        summary.say(
            f"constant_{row + 1}", "{column} has only one value: {value}.", row, column="column", value="minimum"
        )
        for row in same[:2]
    ]


def _duplicates(work: Work) -> list[Finding]:
    if DUPLICATES not in work.answered:
        return []
    teller = Teller(work, DUPLICATE_METHOD, task=DUPLICATES)
    if not teller.column("duplicates")[0]:
        return []
    return [teller.say("duplicates", "{count} rows repeat an earlier row.", 0, count="duplicates")]
