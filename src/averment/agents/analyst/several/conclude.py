"""Concluding from several sides: the value of each, or which of many is highest and lowest."""

from __future__ import annotations

from typing import TYPE_CHECKING

from averment.agents.analyst.parts.telling import Teller
from averment.agents.analyst.several.reading import SeveralReading
from averment.agents.analyst.skill import Told
from averment.evidence.bind import literal
from averment.records.run import Finding

if TYPE_CHECKING:
    from averment.spine.work import Work

_TOLD_SIDES = 6


def method_of(reading: SeveralReading) -> str:
    """The method in words, as the report names it."""
    how = f"{reading.measure.method or reading.measure.words} of each side by itself"
    match reading.kind:
        case "periods":
            return f"{how}, then each minus the one before; percent of that where it is above zero"
        case "groups":
            return f"{how}, then each minus the first; percent of the first where it is above zero"
        case "ranges":
            return f"{how}; a range holds its lower end and not its upper one, unless it is written without “under”"


def conclude(work: Work, reading: SeveralReading) -> Told:
    """One sentence over all sides where they are few, and the highest and the lowest."""
    teller = Teller(work, method_of(reading))
    findings = [*_each(teller, reading), *_ends(teller, reading)]
    empty = "None of the sides has a value, so they cannot be compared."
    return Told(findings=tuple(findings), answer=" ".join(each.text for each in findings[:2]) if findings else empty)


def _each(teller: Teller, reading: SeveralReading) -> list[Finding]:
    label = reading.measure.label
    rows = teller.known([label])
    if reading.split is not None or not 0 < len(rows) <= _TOLD_SIDES:
        return []
    cells: dict[str, tuple[int, str | tuple[str, int]]] = {}
    said: list[str] = []
    for place, row in enumerate(rows):
        cells |= {f"value{place}": (row, label), f"side{place}": (row, reading.axis)}
        said.append(f"{{value{place}}} for {{side{place}}}")
    listed = f"{', '.join(said[:-1])} and {said[-1]}" if len(said) > 1 else said[0]
    return [teller.say_rows("sides", f"The {literal(reading.measure.words)} is {listed}.", **cells)]


def _ends(teller: Teller, reading: SeveralReading) -> list[Finding]:
    label = reading.measure.label
    extremes = teller.extremes(label)
    if extremes is None:
        return []
    groups = [reading.axis] if reading.split is None else [reading.axis, reading.split.label]
    who = " and ".join(f"{literal(name)} {{g{place}}}" for place, name in enumerate(groups))
    slots: dict[str, str | tuple[str, int]] = {f"g{place}": name for place, name in enumerate(groups)}
    found = [
        teller.say(
            word, f"The {word} {literal(reading.measure.words)} is {{value}}, for {who}.", row, value=label, **slots
        )
        for word, row in zip(("highest", "lowest"), extremes, strict=True)
    ]
    return [*found, teller.count_rows("rows")]
