"""Concluding from a series: where it stands, where it moved most, and along which line."""

from __future__ import annotations

from typing import TYPE_CHECKING

from averment.agents.analyst.parts.telling import Teller
from averment.agents.analyst.series.reading import CHANGE, FILLED, PERCENT, SeriesReading
from averment.agents.analyst.skill import Told
from averment.evidence.bind import literal
from averment.records.run import Finding

if TYPE_CHECKING:
    from averment.spine.work import Work

LINE = "line"
"""The task that fits a straight line."""

COUNTS = "counts"
"""The task that counts what was filled."""


def method_of(reading: SeriesReading) -> str:
    """The method in words, as the report names it."""
    grain = reading.grain
    gaps = "days without rows are passed over" if grain == "day" else f"a {grain} without rows has no value"
    match reading.operation:
        case "growth":
            return f"each {grain} minus the {grain} before; percent of the one before where that is above zero; {gaps}"
        case "year_over_year":
            return f"each {grain} minus the same {grain} a year before; percent of that where it is above zero"
        case "moving_average":
            return f"mean of the values by {grain} in a window that ends with it, from the first full window on; {gaps}"
        case "moving_sum":
            return f"sum of the values by {grain} in a window that ends with it, from the first full window on; {gaps}"
        case "running_total":
            return f"sum of the values by {grain} from the first one on"
        case "log_return":
            return f"natural logarithm of each value divided by the one before, where both are above zero; {gaps}"
        case "trend":
            return f"values by {grain}; straight line by least squares through all of them"
        case "filled":
            return "each missing value takes the last known one before it in the order of the date"


def conclude(work: Work, reading: SeriesReading) -> Told:
    """Findings from the tables the tasks left."""
    teller = Teller(work, method_of(reading))
    match reading.operation:
        case "growth" | "year_over_year":
            findings = _changes(teller, reading)
        case "filled":
            findings = _filled(work, reading) if teller.known([FILLED]) else []
        case "trend":
            findings = [*_line(work, reading), *_ends(teller, reading, reading.result)]
        case _:
            findings = _ends(teller, reading, reading.result)
    nothing = "" if findings or not teller.table.num_rows else _nothing(reading)
    return Told(findings=tuple(findings), answer=" ".join(each.text for each in findings[:2]) or nothing)


def _nothing(reading: SeriesReading) -> str:
    return f"The series is too short for it: no {reading.grain} has what it would be compared with."


def _when(reading: SeriesReading) -> str:
    return "on {when}" if reading.grain == "day" else f"in the {reading.grain} from {{when}}"


def _group(reading: SeriesReading) -> tuple[str, dict[str, str]]:
    if reading.split is None:
        return "", {}
    return f" for {literal(reading.split.label)} {{group}}", {"group": reading.split.label}


def _changes(teller: Teller, reading: SeriesReading) -> list[Finding]:
    label, time = reading.measure.label, reading.time.label
    rows = teller.known([CHANGE])
    if not rows:
        return []
    whom, group = _group(reading)
    what = literal(reading.measure.words)
    findings: list[Finding] = []
    if reading.split is None:
        columns: dict[str, str | tuple[str, int]] = {
            "when": time,
            "value": label,
            "before": reading.earlier,
            "change": CHANGE,
        }
        percent = ""
        if teller.column(PERCENT)[rows[-1]] is not None:
            percent, columns["percent"] = " ({percent} percent)", (PERCENT, 1)
        values = (
            f"{_when(reading).capitalize()} the {what} was {{value}}, against {{before}} {literal(reading.earlier)}"
        )
        template = f"{values}: a change of {{change}}{percent}."
        findings.append(teller.say("latest", template, rows[-1], **columns))
    for finding_id, word, place in (("highest", "greatest rise", 0), ("lowest", "greatest fall", 1)):
        extremes = teller.extremes(PERCENT)
        if extremes is None or len(rows) < 2:
            continue
        row = extremes[place]
        size = teller.column(PERCENT)[row]
        if (place == 0 and size <= 0) or (place == 1 and size >= 0):
            continue
        template = f"The {word} of {what} was {{percent}} percent ({{change}}), {_when(reading)}{whom}."
        findings.append(teller.say(finding_id, template, row, percent=(PERCENT, 1), change=CHANGE, when=time, **group))
    return findings


def _ends(teller: Teller, reading: SeriesReading, name: str) -> list[Finding]:
    """The last value of the series, its highest and its lowest."""
    rows, time = teller.known([name]), reading.time.label
    if not rows:
        return []
    whom, group = _group(reading)
    what = literal(name if name != "log return" else f"log return of {reading.measure.words}")
    if reading.operation.startswith("moving"):
        what = f"{what} of {literal(reading.measure.words)}"
    findings: list[Finding] = []
    if reading.split is None:
        template = f"The last {what}, {_when(reading)}, is {{value}}."
        findings.append(teller.say("latest", template, rows[-1], when=time, value=name))
    extremes = teller.extremes(name)
    if extremes is not None and len(rows) > 1 and reading.operation != "running_total":
        for word, row in (("highest", extremes[0]), ("lowest", extremes[1])):
            template = f"The {word} {what} is {{value}}, {_when(reading)}{whom}."
            findings.append(teller.say(word, template, row, value=name, when=time, **group))
    if reading.split is not None:
        findings.append(teller.count_rows("rows"))
    return findings


def _line(work: Work, reading: SeriesReading) -> list[Finding]:
    if LINE not in work.answered:
        return []
    teller = Teller(work, method_of(reading), task=LINE)
    if not teller.known(["slope", "r_squared"]):
        return []
    slope = teller.column("slope")[0]
    way = "rises" if slope > 0 else "falls" if slope < 0 else "stays level"
    template = (
        f"Along a straight line the {literal(reading.measure.words)} {way}, by {{slope}} a {reading.grain}; the line "
        "explains {fit} of the variation (R squared) of {points} points."
    )
    return [teller.say("trend", template, 0, slope="slope", fit=("r_squared", 3), points="points")]


def _filled(work: Work, reading: SeriesReading) -> list[Finding]:
    teller = Teller(work, method_of(reading), task=COUNTS)
    name = literal(reading.measure.column or "")
    template = f"Of {{rows}} rows {{known}} have a value of {name}; filled forward, {{filled}} have one."
    return [teller.say("filled", template, 0, rows="rows", known="known", filled=FILLED)]
