"""Numbers spelled out: "twenty-one", "two hundred and five thousand", "a dozen", "third", "half", "twice"."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction

from averment.language.numbers.units import SCALES

_SMALL = """
    zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen
    seventeen eighteen nineteen
""".split()
ONES = {word: number for number, word in enumerate(_SMALL)}
TENS = {
    word: 10 * number for number, word in enumerate("twenty thirty forty fifty sixty seventy eighty ninety".split(), 2)
}
GROUPS = {"dozen": 12, "dozens": 12, "score": 20, "couple": 2, "pair": 2}
TIMES = {"once": 1, "twice": 2, "thrice": 3}

_ORDINAL_ONES = """
    zeroth first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth
    fifteenth sixteenth seventeenth eighteenth nineteenth
""".split()
ORDINAL_ONES = {word: number for number, word in enumerate(_ORDINAL_ONES)}
ORDINAL_TENS = {word[:-1] + "ieth": number for word, number in TENS.items()}
ORDINAL_SCALES = {"hundredth": 100, "thousandth": 1000, "millionth": 1_000_000}

_PARTS = {"half": 2, "third": 3, "fourth": 4, "quarter": 4, "fifth": 5, "sixth": 6, "eighth": 8, "tenth": 10}
PARTS = _PARTS | {name + "s": part for name, part in _PARTS.items() if name != "half"} | {"halves": 2}

Words = list[str]


def read_cardinal(words: Words) -> tuple[Decimal, int] | None:
    """The value of the longest spelled-out number at the start of some words, and how many words it takes."""
    if words[:1] in (["a"], ["an"]) and words[1:2]:
        if words[1] in GROUPS and words[1] != "score":
            return Decimal(GROUPS[words[1]]), 3 if words[2:3] == ["of"] and words[1] in {"couple", "pair"} else 2
        if words[1] in {"hundred", "thousand", "million", "billion", "trillion"}:
            return read_cardinal(["one", *words[1:]])
        return None
    return _read_scaled(words)


def _read_scaled(words: Words) -> tuple[Decimal, int] | None:
    total, group, used, smallest = Decimal(0), Decimal(0), 0, Decimal(10) ** 30
    place, seen = 0, False
    while place < len(words):
        word = words[place]
        if word == "and" and seen and words[place + 1 : place + 2] and _continues(words[place - 1], words[place + 1]):
            place += 1
            continue
        step = _small(words, place)
        if step is not None and not (seen and used == place and not _opens(words[place - 1])):
            value, taken = step
            group += value
            place += taken
            used, seen = place, True
        elif seen and word == "hundred" and 0 < group < 100:
            group *= 100
            place += 1
            used = place
        elif seen and word in {"dozen", "score"} and group:
            group *= GROUPS[word]
            place += 1
            used = place
        elif (
            seen
            and word in SCALES
            and len(word) > 3
            and word.rstrip("s") != "hundred"
            and group
            and SCALES[word] < smallest
        ):
            smallest = SCALES[word]
            total += group * smallest
            group = Decimal(0)
            place += 1
            used = place
        else:
            break
    return (total + group, used) if seen else None


def _small(words: Words, place: int) -> tuple[Decimal, int] | None:
    word = words[place]
    if word in TENS:
        after = words[place + 1] if place + 1 < len(words) else ""
        if after in ONES and 0 < ONES[after] < 10:
            return Decimal(TENS[word] + ONES[after]), 2
        return Decimal(TENS[word]), 1
    return (Decimal(ONES[word]), 1) if word in ONES else None


def _opens(word: str) -> bool:
    """Whether a number may go on after this word: after a scale, never after a small number."""
    return word in SCALES or word == "and"


def _continues(before: str, after: str) -> bool:
    return before in SCALES and (after in ONES or after in TENS)


def read_ordinal(words: Words) -> tuple[int, int] | None:
    """The value of a spelled-out ordinal at the start of some words, and how many words it takes."""
    first = words[0]
    if first in ORDINAL_ONES:
        return ORDINAL_ONES[first], 1
    if first in ORDINAL_TENS:
        return ORDINAL_TENS[first], 1
    if first in TENS and words[1:2] and words[1] in ORDINAL_ONES and 0 < ORDINAL_ONES[words[1]] < 10:
        return TENS[first] + ORDINAL_ONES[words[1]], 2
    if first in ORDINAL_SCALES:
        return ORDINAL_SCALES[first], 1
    return None


def read_fraction(words: Words) -> tuple[Fraction, int] | None:
    """The value of a spelled-out share ("half", "two thirds", "a fifth of", "three quarters of") and its words."""
    first, after = words[0], words[1:2]
    if first == "half":
        return Fraction(1, 2), 2 if after == ["of"] else 1
    if first in {"a", "an", "one"} and after and after[0] in PARTS and not after[0].endswith("s"):
        # "a third party" and "one quarter" name no share; "a third of" does.
        if words[2:3] == ["of"]:
            return Fraction(1, PARTS[after[0]]), 3
        return (Fraction(1, 2), 2) if after == ["half"] else None
    if first in ONES and 1 < ONES[first] < 10 and after and after[0] in PARTS and after[0].endswith("s"):
        if after[0] == "quarters" and words[2:3] != ["of"]:
            return None
        return Fraction(ONES[first], PARTS[after[0]]), 2
    return None
