"""Concluding from correlations: the strongest, the weakest, and how many there are."""

from __future__ import annotations

from typing import TYPE_CHECKING

from averment.agents.analyst.correlations.reading import FIRST, METHODS, ROWS, SECOND, VALUE, CorrelationsReading
from averment.agents.analyst.parts.telling import Teller
from averment.agents.analyst.skill import Told
from averment.records.run import Finding

if TYPE_CHECKING:
    from averment.spine.work import Work

SHOWN = 3


def method_of(reading: CorrelationsReading) -> str:
    """The method in words, as the report names it."""
    ranks = ", over ranks (equal values share the mean of theirs)" if reading.method == "spearman" else ""
    return (
        f"{METHODS[reading.method]}'s correlation coefficient of each pair{ranks}, over the rows with both values; "
        "it tells how far two columns go together, and not why, and with many pairs some go together by chance"
    )


def conclude(work: Work, reading: CorrelationsReading) -> Told:
    """The asked end first."""
    teller = Teller(work, method_of(reading))
    rows = teller.known([VALUE])
    if not rows:
        return Told(findings=(), answer="No pair of these columns has two different values in common rows.")
    findings: list[Finding] = []
    for place, row in enumerate(rows[:SHOWN]):
        start = f"The {reading.ends} correlation is that of" if place == 0 else "Next is that of"
        findings.append(
            teller.say(
                f"pair{place + 1}",
                f"{start} {{first}} and {{second}}: {{value}}, over {{rows}} rows.",
                row,
                first=FIRST,
                second=SECOND,
                value=(VALUE, 3),
                rows=ROWS,
            )
        )
    findings.append(teller.count_rows("pairs", "The table has {count} pairs."))
    return Told(findings=tuple(findings), answer=" ".join(each.text for each in findings[:SHOWN]))
