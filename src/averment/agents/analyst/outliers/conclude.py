"""Concluding from unusual rows: how many there are, between which bounds the others lie, and the farthest."""

from __future__ import annotations

from typing import TYPE_CHECKING

from averment.agents.analyst.outliers.reading import HIGH, LOW, VALUES, OutliersReading
from averment.agents.analyst.parts.telling import Teller
from averment.agents.analyst.skill import Told
from averment.evidence.bind import literal
from averment.records.run import Finding

if TYPE_CHECKING:
    from averment.spine.work import Work

WHOLE = 10
"""From this size on two decimals of a bound say enough."""

BOUNDS = "bounds"
"""The task whose table holds the bounds."""


def method_of(reading: OutliersReading) -> str:
    """The method in words, as the report names it."""
    where = f" of its {reading.split.label}" if reading.split is not None else ""
    if reading.method == "iqr":
        rule = (
            f"a value{where} is an outlier beyond {reading.reach:g} interquartile ranges (IQR) from the quartiles, "
            "which are interpolated between neighbours (type 7)"
        )
    else:
        rule = (
            f"a value{where} is an outlier where its z-score, the distance from the mean in standard deviations of the "
            f"population, is beyond {reading.reach:g}"
        )
    return f"{rule}; an outlier is unusual, not wrong"


def conclude(work: Work, reading: OutliersReading) -> Told:
    """How many rows lie beyond the bounds, and the farthest of them."""
    name = literal(reading.column)
    findings: list[Finding] = []
    teller = Teller(work, method_of(reading))
    found = teller.table.num_rows
    if BOUNDS in work.answered:
        bounds = Teller(work, method_of(reading), task=BOUNDS)
        known = bounds.known([LOW, HIGH])
        if not known:
            return Told(findings=(), answer="")
        if reading.split is None:
            text = f"Of {{values}} values of {name}, those below {{low}} or above {{high}} are outliers."
            places = 2 if abs(bounds.column(HIGH)[known[0]]) >= WHOLE else 4
            low, high = (LOW, places), (HIGH, places)
            findings.append(bounds.say("bounds", text, known[0], values=VALUES, low=low, high=high))
        else:
            text = f"Each of {{count}} groups of {literal(reading.split.label)} has bounds of its own."
            findings.append(bounds.count_rows("bounds", text))
    if not found:
        none = teller.count_rows("rows", f"{{count}} rows have an outlier in {name}.")
        return Told(findings=(none, *findings), answer=" ".join(each.text for each in (none, *findings)))
    kept = "are listed" if reading.limit is not None else "have an outlier"
    count = teller.count_rows("rows", f"{{count}} rows {kept}{'' if reading.limit is not None else f' in {name}'}.")
    farthest = _farthest(teller, reading)
    findings = [count, farthest, *findings]
    return Told(findings=tuple(findings), answer=" ".join(each.text for each in findings))


def _farthest(teller: Teller, reading: OutliersReading) -> Finding:
    name, slots = literal(reading.column), {"value": reading.column}
    text = f"The farthest is a {name} of {{value}}"
    who = next((each for each in reading.shown if each != reading.column), None)
    if who is not None and teller.column(who)[0] is not None:
        text, slots["who"] = f"{text}, for {literal(who)} {{who}}", who
    if reading.split is not None and reading.split.label != who and teller.column(reading.split.label)[0] is not None:
        text, slots["group"] = f"{text}, in {literal(reading.split.label)} {{group}}", reading.split.label
    return teller.say("farthest", f"{text}.", 0, **slots)
