"""Concluding from derived columns: the value, or its extremes over groups."""

from __future__ import annotations

from typing import TYPE_CHECKING

from averment.agents.analyst.derived.reading import DerivedReading
from averment.agents.analyst.parts.telling import Teller
from averment.agents.analyst.skill import Told
from averment.evidence.bind import literal
from averment.records.run import Finding

if TYPE_CHECKING:
    from averment.spine.work import Work


def method_of(reading: DerivedReading) -> str:
    """The method in words, as the report names it."""
    match reading.kind:
        case "ratio":
            return f"total {reading.column} divided by total {reading.other}; nothing where that is zero"
        case "length":
            return "number of characters of each text; missing texts have no length"
        case "extract":
            return f"the {reading.piece} of each text found by the pattern {reading.pattern}; other texts have none"
        case "part":
            return f"rows put together by {reading.derived}, over all years"


def conclude(work: Work, reading: DerivedReading) -> Told:
    """One value as it is, several by their ends."""
    teller = Teller(work, method_of(reading))
    if reading.kind in {"extract", "part"}:
        findings = _ends(teller, reading.measure.label, reading.measure.words, [reading.derived, *_splits(reading)])
    elif reading.splits:
        name = reading.derived if reading.kind == "ratio" else f"average {reading.derived}"
        findings = _ends(teller, name, name, _splits(reading))
    elif reading.kind == "ratio":
        findings = _ratio(teller, reading)
    else:
        findings = _lengths(teller, reading)
    return Told(findings=tuple(findings), answer=" ".join(each.text for each in findings[:2]))


def _splits(reading: DerivedReading) -> list[str]:
    return [each.label for each in reading.splits]


def _ends(teller: Teller, name: str, words: str, groups: list[str]) -> list[Finding]:
    rows = teller.known([name, *groups])
    if not rows:
        return []
    values = teller.column(name)
    high = max(rows, key=lambda row: (values[row], -row))
    low = min(rows, key=lambda row: (values[row], row))
    who = " and ".join(f"{literal(group)} {{g{place}}}" for place, group in enumerate(groups))
    slots = {f"g{place}": group for place, group in enumerate(groups)}
    pairs = (("highest", high), ("lowest", low)) if len(rows) > 1 else (("highest", high),)
    found = [
        teller.say(word, f"The {word} {literal(words)} is {{value}}, for {who}.", row, value=name, **slots)
        for word, row in pairs
    ]
    return [*found, teller.count_rows("groups")]


def _ratio(teller: Teller, reading: DerivedReading) -> list[Finding]:
    one, two = reading.totals
    if not teller.known([one, two, reading.derived]):
        return []
    made = f"a {literal(one)} of {{one}} against a {literal(two)} of {{two}}"
    template = f"{literal(_capital(reading.derived))} is {{ratio}}: {made}."
    return [teller.say("ratio", template, 0, ratio=reading.derived, one=one, two=two)]


def _lengths(teller: Teller, reading: DerivedReading) -> list[Finding]:
    found: list[Finding] = []
    for word in ("average", "minimum", "maximum"):
        name = f"{word} {reading.derived}"
        if teller.known([name]):
            found.append(teller.say(word, f"The {literal(name)} is {{value}} characters.", 0, value=name))
    return found


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
