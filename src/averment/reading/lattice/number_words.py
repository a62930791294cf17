"""Which words of a question may be a number: digits, small numbers in words, scales, units, places in a row."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from averment.language.numbers.number_words import ONES, ORDINAL_ONES, TIMES
from averment.reading.told_units import units_said
from averment.reading.words import FAMILY, kinship, singular, units

if TYPE_CHECKING:
    from averment.reading.lattice.spans import Lattice
    from averment.reading.schema.schema_column import Column

SMALL = {word: number for word, number in ONES.items() if number <= 12 and number != 1} | {
    "fifteen": 15,
    "twenty": 20,
    "thirty": 30,
    "fifty": 50,
    "hundred": 100,
}
_NUMBER = re.compile(r"[$€£]?(-?\d+(?:\.\d+)?)(st|nd|rd|th|%|k|m|b|s)?%?")
_SCALES = {"k": 1e3, "m": 1e6, "b": 1e9, "thousand": 1e3, "million": 1e6, "billion": 1e9}
_ROUND = ((["half", "a"], 0.5), (["quarter", "of", "a"], 0.25), (["quarter", "a"], 0.25), (["a"], 1.0), (["one"], 1.0))
"""What stands before thousand or million in round numbers: "half a million"."""
_FRACTIONS = {
    ("half",): 50.0,
    ("one", "half"): 50.0,
    ("a", "quarter"): 25.0,
    ("one", "quarter"): 25.0,
    ("three", "quarters"): 75.0,
}
_BARS = frozenset("than least most over under above below".split())
_WHOLES = frozenset("of the their its all are is were was".split())
_ORDINALS = {word: number for word, number in ORDINAL_ONES.items() if 1 <= number <= 10}


def number_spans(lattice: Lattice, place: int) -> None:
    """Hypotheses that a number begins at this word."""
    words = lattice.words
    word = words[place]
    before = words[place - 1] if place else ""
    if word in TIMES:
        lattice.add(place, place + 1, "NUMBER", 0.8, (float(TIMES[word]), "times"))
        return
    if (word == "one" or (word == "single" and before == "a")) and {before, *words[place - 2 : place]} & {
        *("than", "least", "most", "exactly", "only")
    }:
        lattice.add(place - (word == "single"), place + 1, "NUMBER", 0.9, (1.0, ""))
        return
    for said, part in _ROUND:
        scale = words[place + len(said) : place + len(said) + 1]
        if words[place : place + len(said)] == said and scale and _SCALES.get(scale[0], 1.0) > 1 and len(scale[0]) > 1:
            lattice.add(place, place + len(said) + 1, "NUMBER", 0.93, (part * _SCALES[scale[0]], ""))
            return
    if _fraction(lattice, place):
        return
    if word in SMALL:
        if words[place + 1 : place + 2] == ["times"]:
            lattice.add(place, place + 2, "NUMBER", 0.93, (float(SMALL[word]), "times"))
        lattice.add(place, place + 1, "NUMBER", 0.62, (float(SMALL[word]), ""))
        return
    found = _NUMBER.fullmatch(word)
    if found is None:
        return
    value, tail = float(found.group(1)), found.group(2) or ""
    after = words[place + 1] if place + 1 < len(words) else ""
    if tail in {"st", "nd", "rd", "th"}:
        lattice.add(place, place + 1, "NUMBER", 0.8, (value, "ordinal"))
        return
    if tail == "s":
        return
    end, scale = place + 1, _SCALES.get(tail, 1.0)
    if after in _SCALES and len(after) > 1:
        end, scale = end + 1, _SCALES[after]
    unit = ""
    following = words[end] if end < len(words) else ""
    if tail == "%" or word.endswith("%") or following in {"%", "percent"}:
        unit = "percent"
        end += following in {"%", "percent"}
        scale = 1.0
    elif word[0] in "$€£":
        unit = "dollar"
    elif following == "times":
        lattice.add(place, end + 1, "NUMBER", 0.93, (value * scale, "times"))
    elif singular(following) in units() or following in units() or (len(following) > 1 and units_said(following)):
        unit = following if following in units() and singular(following) not in units() else singular(following)
        lattice.add(place, end + 1, "NUMBER", 0.93, (value * scale, unit))
        unit = ""
    lattice.add(place, end, "NUMBER", 0.9, (value * scale, unit))


def scale_said(text: str) -> float:
    """By what a number is multiplied as it is written: 1000 in "42 thousand" and in "42k"."""
    found = _NUMBER.fullmatch(text)
    return _SCALES.get((found.group(2) or "") if found is not None else text.split()[-1], 1.0)


def _fraction(lattice: Lattice, place: int) -> bool:
    """A part of a whole in words, behind a comparison: "more than half of the flats", "under a quarter"."""
    words = lattice.words
    if not place or words[place - 1] not in _BARS:
        return False
    for said, part in _FRACTIONS.items():
        end = place + len(said)
        behind = words[end : end + 1]
        if tuple(words[place:end]) == said and (not behind or behind[0] in _WHOLES):
            lattice.add(place, end, "NUMBER", 0.93, (part, "percent"))
            return True
    return False


def ordinal_spans(lattice: Lattice, column: Column) -> None:
    """ "The third floor" where floors are numbered."""
    if column.kind != "number" or not column.whole or column.has("key"):
        return
    for place, word in enumerate(lattice.words[:-1]):
        number = _ORDINALS.get(word)
        if number is not None and kinship(lattice.words[place + 1], column.words[-1]) >= FAMILY:
            lattice.add(place, place + 1, "NUMBER", 0.93, (float(number), ""))
