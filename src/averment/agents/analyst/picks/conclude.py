"""Concluding from picked rows: the first of them, and how many groups have one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from averment.agents.analyst.parts.telling import Teller
from averment.agents.analyst.picks.reading import PicksReading
from averment.agents.analyst.skill import Told
from averment.evidence.bind import literal
from averment.records.run import Finding

if TYPE_CHECKING:
    from averment.spine.work import Work

SHOWN = 3


def method_of(reading: PicksReading) -> str:
    """The method in words, as the report names it."""
    groups = " and ".join(reading.keys)
    end = "greatest" if reading.descending else "least"
    what = f"the {reading.heading}" if reading.measure is None else f"the {reading.measure.words}"
    number = "the row" if reading.most == 1 else f"the {reading.most} rows"
    if reading.measure is not None:
        number = f"the {reading.entity}" if reading.most == 1 else f"the {reading.most} values of {reading.entity}"
    if reading.dated:
        return f"for each {groups} the {end} {reading.by} of its rows; rows without either are left out"
    if not groups:
        return f"{number} with the {end} {reading.by} of all that have one; those that share that place are all kept"
    return (
        f"for each {groups} {number} with the {end} {what.removeprefix('the ')}; those that share that place are all "
        f"kept, and rows without a {groups} or without it are left out"
    )


def conclude(work: Work, reading: PicksReading) -> Told:
    """The first few groups, and how many rows there are."""
    teller = Teller(work, method_of(reading))
    rows = teller.known([*reading.keys, reading.heading])
    if not rows:
        return Told(findings=(), answer="")
    findings: list[Finding] = []
    for place, row in enumerate(rows[:SHOWN]):
        findings.append(_row(teller, reading, place, row))
    if len(rows) > 1:
        findings.append(teller.count_rows("rows"))
    return Told(findings=tuple(findings), answer=" ".join(each.text for each in findings))


def _row(teller: Teller, reading: PicksReading, place: int, row: int) -> Finding:
    slots: dict[str, str | tuple[str, int]] = {f"g{i}": key for i, key in enumerate(reading.keys)}
    groups = " and ".join(f"{literal(key)} {{g{i}}}" for i, key in enumerate(reading.keys))
    groups = f"For {groups} the" if groups else "The"
    slots["by"] = reading.heading
    name = literal(reading.heading)
    rest = [each for each in reading.columns if each not in {*reading.keys, reading.heading}]
    rest = [each for each in rest if teller.column(each)[row] is not None][:1]
    word = literal(reading.word if place == 0 or reading.keys else "next")
    if reading.dated:
        return teller.say(f"group{place + 1}", f"{groups} {word} {name} is {{by}}.", row, **slots)
    if reading.most > 1 and reading.keys:
        groups, word = groups.removesuffix(" the"), f"one of the {reading.most} {word}"
    if rest:
        slots["what"] = rest[0]
        text = f"{groups} {word} is {literal(rest[0])} {{what}}, with a {name} of {{by}}."
    else:
        text = f"{groups} {word} has a {name} of {{by}}."
    return teller.say(f"group{place + 1}", text, row, **slots)
