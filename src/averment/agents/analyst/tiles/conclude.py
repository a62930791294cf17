"""Concluding from groups of equal size: where the lowest ends and the highest begins, and what they hold."""

from __future__ import annotations

from typing import TYPE_CHECKING

from averment.agents.analyst.parts.telling import Teller
from averment.agents.analyst.skill import Told
from averment.agents.analyst.tiles.reading import FROM, SHARE, TO, TilesReading
from averment.evidence.bind import literal
from averment.records.run import Finding

if TYPE_CHECKING:
    from averment.spine.work import Work


def method_of(reading: TilesReading) -> str:
    """The method in words, as the report names it."""
    whose = f"{reading.of.words} of each {reading.entity}" if reading.of is not None else f"{reading.column}"
    return (
        f"cut at the quantiles of {whose}, interpolated between neighbours (type 7); equal values stay in one group, "
        "so that groups may differ in size"
    )


def conclude(work: Work, reading: TilesReading) -> Told:
    """The lowest and the highest group."""
    teller = Teller(work, method_of(reading))
    rows = teller.known([FROM, TO])
    if not rows:
        return Told(findings=(), answer="")
    ends = (("lowest", rows[0]), ("highest", rows[-1])) if len(rows) > 1 else (("only", rows[0]),)
    findings = [_group(teller, reading, name, row) for name, row in ends]
    findings.append(teller.count_rows("groups", "There are {count} groups."))
    return Told(findings=tuple(findings), answer=" ".join(each.text for each in findings))


def _group(teller: Teller, reading: TilesReading, name: str, row: int) -> Finding:
    slots: dict[str, str | tuple[str, int]] = {"low": FROM, "high": TO, "count": reading.counted}
    what = literal(reading.what)
    counted = "rows" if reading.entity is None else f"values of {literal(reading.entity)}"
    text = f"The {name} group, with a {what} from {{low}} to {{high}}, has {{count}} {counted}"
    if SHARE in reading.added and teller.column(SHARE)[row] is not None:
        slots["share"] = (SHARE, 1)
        text += " and {share} percent of the total"
    elif reading.added and teller.column(reading.added[0])[row] is not None:
        slots["value"] = reading.added[0]
        text += f"; their {literal(reading.added[0])} is {{value}}"
    return teller.say(name, f"{text}.", row, **slots)
