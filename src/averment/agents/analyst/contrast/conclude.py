"""Concluding from two sides: both values, how far they are apart, and for whom most."""

from __future__ import annotations

from typing import TYPE_CHECKING

from averment.agents.analyst.contrast.reading import ContrastReading
from averment.agents.analyst.parts.telling import Teller
from averment.agents.analyst.skill import Told
from averment.evidence.bind import literal
from averment.records.run import Finding

if TYPE_CHECKING:
    from averment.spine.work import Work

_TOLD_GROUPS = 2


def method_of(reading: ContrastReading) -> str:
    """The method in words, as the report names it."""
    how = "second minus first; percent of the first where that is above zero"
    return f"{reading.measure.words} of each side by itself, then {how}"


def conclude(work: Work, reading: ContrastReading) -> Told:
    """Both values and how far they are apart; for a split the groups that differ most."""
    teller = Teller(work, method_of(reading))
    findings = _both(teller, reading) if reading.split is None else _groups(teller, reading)
    empty = "One of the two sides has no value, so they cannot be compared."
    return Told(findings=tuple(findings), answer=" ".join(each.text for each in findings[:2]) if findings else empty)


def _both(teller: Teller, reading: ContrastReading) -> list[Finding]:
    first, second = reading.headings
    if not teller.known([first, second]):
        return []
    what = literal(reading.measure.words)
    columns: dict[str, str | tuple[str, int]] = {"one": first, "two": second, "apart": reading.change}
    percent = ""
    if teller.column(reading.percent)[0] is not None:
        percent, columns["percent"] = " ({percent} percent)", (reading.percent, 1)
    values = f"The {what} is {{one}} for {literal(first)} and {{two}} for {literal(second)}"
    apart = f"a {reading.change} of {{apart}}{percent}"
    return [teller.say("contrast", f"{values}: {apart}.", 0, **columns)]


def _groups(teller: Teller, reading: ContrastReading) -> list[Finding]:
    first, second = reading.headings
    split = reading.split.label if reading.split is not None else ""
    rows = teller.known([reading.change])
    if not rows:
        return []
    findings: list[Finding] = []
    for finding_id, row in (("highest", rows[0]), ("lowest", rows[-1]))[: len(rows)]:
        word = "most" if finding_id == "highest" else "least"
        template = (
            f"From {literal(first)} to {literal(second)} the {literal(reading.measure.words)} changed {word}, counted "
            f"upwards, for {literal(split)} {{group}}: from {{one}} to {{two}}, a {reading.change} of {{apart}}."
        )
        findings.append(teller.say(finding_id, template, row, group=split, one=first, two=second, apart=reading.change))
    return [*findings, teller.count_rows("groups")]
