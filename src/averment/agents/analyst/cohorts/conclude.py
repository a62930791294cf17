"""Concluding from cohorts: the first and the last, how many came back, and in which period most were there."""

from __future__ import annotations

from typing import TYPE_CHECKING

from averment.agents.analyst.cohorts.reading import ACTIVE, COHORT, RETENTION, SIZE, CohortsReading
from averment.agents.analyst.parts.telling import Teller
from averment.agents.analyst.skill import Told
from averment.evidence.bind import literal
from averment.records.run import Finding

if TYPE_CHECKING:
    from averment.spine.work import Work


def method_of(reading: CohortsReading) -> str:
    """The method in words, as the report names it."""
    among = " among the rows that meet the conditions" if reading.filters else ""
    begins = f"each {reading.member} begins in {reading.beginning}{among} and counts once a {reading.grain}"
    if reading.kind != "retention":
        return f"{begins}; in later {reading.grain}s with rows it is returning"
    return (
        f"{begins}; retention is the percent of a cohort's members that have rows so many {reading.grain}s later; a "
        f"member without any row is in no cohort, and a {reading.grain} not told had none of them or is yet to come"
    )


def conclude(work: Work, reading: CohortsReading) -> Told:
    """The strongest and the weakest, and how many there are."""
    teller = Teller(work, method_of(reading))
    findings = _retention(teller, reading) if reading.kind == "retention" else _members(teller, reading)
    return Told(findings=tuple(findings), answer=" ".join(each.text for each in findings[:3]))


def _retention(teller: Teller, reading: CohortsReading) -> list[Finding]:
    after, shares, sizes = (teller.column(name) for name in (reading.after, RETENTION, SIZE))
    if not after:
        return []
    biggest = max(range(len(sizes)), key=lambda row: (sizes[row], -row))
    findings = [
        teller.say(
            "biggest", "The largest cohort began {cohort} with {size} members.", biggest, cohort=COHORT, size=SIZE
        )
    ]
    # After how many periods the first comparison is made; each cohort is there in its own period.
    later = [row for row in range(len(after)) if after[row] == 1 and shares[row] is not None]
    if later:
        high = max(later, key=lambda row: (shares[row], -row))
        low = min(later, key=lambda row: (shares[row], row))
        for name, row in (("highest", high), ("lowest", low)):
            findings.append(
                teller.say(
                    name,
                    f"The {name} retention {{after}} {literal(reading.grain)} after is {{share}} percent, "
                    "{active} of {size} members of the cohort of {cohort}.",
                    row,
                    after=reading.after,
                    share=(RETENTION, 1),
                    active=ACTIVE,
                    size=SIZE,
                    cohort=COHORT,
                )
            )
    findings.append(teller.count_rows("rows"))
    return findings


def _members(teller: Teller, reading: CohortsReading) -> list[Finding]:
    extremes = teller.extremes(reading.kind)
    if extremes is None:
        return []
    findings = [
        teller.say(
            name,
            f"The {name} number of {reading.kind} {literal(reading.member)} is {{value}}, in the {reading.grain} "
            "from {period} on.",
            row,
            value=reading.kind,
            period=reading.label,
        )
        for name, row in zip(("highest", "lowest"), extremes, strict=True)
    ]
    return [*findings, teller.count_rows("rows", "The table has {count} periods.")]
