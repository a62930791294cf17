"""Concluding from a distribution: where most values lie, or the quantiles asked for."""

from __future__ import annotations

from typing import TYPE_CHECKING

from averment.agents.analyst.distribution.reading import FROM, ROWS, TO, DistributionReading, quantile_name
from averment.agents.analyst.parts.telling import Teller
from averment.agents.analyst.skill import Told
from averment.evidence.bind import literal
from averment.records.run import Finding

if TYPE_CHECKING:
    from averment.spine.work import Work


def method_of(reading: DistributionReading) -> str:
    """The method in words, as the report names it."""
    if reading.at:
        return "quantiles of the known values, interpolated between neighbours (type 7)"
    return "bins of equal width from the least to the greatest known value, each with its lower end, the last with both"


def conclude(work: Work, reading: DistributionReading) -> Told:
    """Findings from the bins or the quantiles."""
    teller = Teller(work, method_of(reading))
    findings = _quantiles(teller, reading) if reading.at else _bins(teller, reading)
    return Told(findings=tuple(findings), answer=" ".join(each.text for each in findings[:3]))


def _bins(teller: Teller, reading: DistributionReading) -> list[Finding]:
    rows = teller.known([FROM, TO])
    extremes = teller.extremes(ROWS)
    if not rows or extremes is None:
        return []
    name = literal(reading.column)
    return [
        teller.say_rows(
            "range",
            f"The values of {name} go from {{low}} to {{high}}.",
            low=(rows[0], FROM),
            high=(rows[-1], TO),
        ),
        teller.say(
            "fullest",
            "The fullest bin, from {low} to {high}, holds {count} rows.",
            extremes[0],
            count=ROWS,
            low=FROM,
            high=TO,
        ),
        teller.count_rows("bins", "The histogram has {count} bins."),
    ]


def _quantiles(teller: Teller, reading: DistributionReading) -> list[Finding]:
    names = [quantile_name(each) for each in reading.at]
    if not teller.known(names):
        return []
    column = literal(reading.column)
    if reading.split is None:
        return [
            *(
                teller.say(f"q{place + 1}", f"The {literal(name)} of {column} is {{value}}.", 0, value=name)
                for place, name in enumerate(names)
            ),
            teller.say("rows", "The column has {count} known values.", 0, count=ROWS),
        ]
    middle = names[len(names) // 2]
    extremes = teller.extremes(middle)
    if extremes is None:
        return []
    split = reading.split.label
    return [
        *(
            teller.say(
                word,
                f"The {word} {literal(middle)} of {column} is {{value}}, for {literal(split)} {{group}}.",
                row,
                value=middle,
                group=split,
            )
            for word, row in (("highest", extremes[0]), ("lowest", extremes[1]))
        ),
        teller.count_rows("groups"),
    ]
