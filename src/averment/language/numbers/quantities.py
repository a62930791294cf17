"""Every amount a text names: its exact value, its unit and where it stands.

Digits that belong to an identifier (``x2``, ``COVID-19``, ``gdp_1982``) are no amounts. Values are ``Decimal`` and
exact; a share such as "a third" is the nearest value of 28 digits. What is a date to the reader is still digits here:
give the spans of the periods found as ``skip``.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Literal

from averment.language.numbers.number_words import GROUPS, TIMES, read_cardinal, read_fraction, read_ordinal
from averment.language.numbers.units import CURRENCY_SIGNS, SCALE_SIGNS, SCALE_WORDS, SCALES, UNITS
from averment.language.tokens import Span, fold

QuantityKind = Literal["cardinal", "ordinal", "percent", "currency", "duration", "measure", "fraction", "times"]


@dataclass(frozen=True, slots=True)
class Quantity:
    """An amount: ``value`` with its ``scale`` multiplied in, ``unit`` by its one name or None."""

    value: Decimal
    unit: str | None
    kind: QuantityKind
    text: str
    span: Span
    scale: Decimal = Decimal(1)

    @property
    def share(self) -> Decimal:
        """The value as a plain factor: 45 % is 0.45, everything else itself."""
        return self.value.scaleb(-2) if self.unit == "percent" else self.value


_SIGNS = "|".join(re.escape(sign) for sign in sorted(CURRENCY_SIGNS, key=len, reverse=True))
_CODES = r"usd|eur|gbp|jpy|inr|cny|chf|cad|aud"
_DIGITS = (
    r"[0-9]{1,3}(?:,[0-9]{2,3})*,[0-9]{3}(?:\.[0-9]+)?|[0-9]{1,3}(?:\.[0-9]{3})+,[0-9]{1,2}(?![0-9])|"
    r"[0-9]{1,3}(?:\.[0-9]{3}){2,}(?![0-9.])|[0-9]+(?:\.[0-9]+)?(?:e[+-]?[0-9]{1,3})?|\.[0-9]+"
)
_NUMBER = re.compile(
    r"(?<!\w)(?<!\w')(?<![0-9]\.)(?<![a-z0-9]-)(?:(?P<minus>-|minus\s+|negative\s+)(?=[0-9.$€£]))?"
    rf"(?:(?P<sign>{_SIGNS})|(?P<code>{_CODES})\s)?\s?(?P<minus2>-(?=[0-9]))?"
    rf"(?P<digits>{_DIGITS})(?:(?P<ordinal>st|nd|rd|th)\b)?"
)
_AFTER_DASH = re.compile(rf"(?<=[0-9km%]-)(?P<sign>{_SIGNS})?(?P<digits>{_DIGITS})(?:(?P<ordinal>st|nd|rd|th)\b)?")
_SCALE_SIGN = "|".join(sorted(SCALE_SIGNS, key=len, reverse=True))
_UNIT_NAME = "|".join(re.escape(name) for name in sorted(UNITS, key=len, reverse=True) if name != "%")
_SCALE = re.compile(rf"\s?(?P<s>{_SCALE_SIGN})(?![\w])|[\s-]+(?P<w>{'|'.join(sorted(SCALE_WORDS))})\b")
_UNIT = re.compile(rf"(?P<percent>\s?%)|[\s-]*(?P<u>{_UNIT_NAME})(?![\w])")
_AND_A_HALF = re.compile(r"\s+and\s+(?:a|one)[\s-]half\b")
_WORD = re.compile(r"[a-z]+")
_VULGAR = {"½": (1, 2), "¼": (1, 4), "¾": (3, 4), "⅓": (1, 3), "⅔": (2, 3), "⅛": (1, 8)}


def find_quantities(text: str, *, skip: Sequence[Span] = ()) -> list[Quantity]:
    """Every amount in a text in order, none overlapping another or a span to skip."""
    folded = fold(text)
    found = [*_in_digits(text, folded), *_in_words(text, folded), *_vulgar(text)]
    kept: list[Quantity] = []
    for one in sorted(found, key=lambda one: (one.span[0], -one.span[1])):
        start, end = one.span
        if kept and start < kept[-1].span[1]:
            continue
        if any(start < stop and begin < end for begin, stop in skip):
            continue
        kept.append(one)
    return kept


def parse_number(text: str) -> Decimal | None:
    """The value of a text that is one amount and nothing else ("1,234.5", "$3 million", "45%"); None otherwise."""
    trimmed = text.strip()
    found = find_quantities(trimmed)
    return found[0].value if len(found) == 1 and found[0].span == (0, len(trimmed)) else None


def _in_digits(text: str, folded: str) -> Iterable[Quantity]:
    for pattern in (_NUMBER, _AFTER_DASH):
        for found in pattern.finditer(folded):
            one = _from_digits(text, folded, found)
            if one is not None:
                yield one


def _from_digits(text: str, folded: str, found: re.Match[str]) -> Quantity | None:
    start, end = found.span()
    while text[start].isspace():
        start += 1
    value = _value(found["digits"])
    groups = found.groupdict()
    if groups.get("minus") or groups.get("minus2"):
        value = -value
    if found["ordinal"]:
        return Quantity(value, None, "ordinal", text[start:end], (start, end))
    sign = groups.get("sign") or groups.get("code")
    return _finished(text, folded, (start, end), value, CURRENCY_SIGNS.get(sign or "", (sign or "").upper() or None))


def _finished(text: str, folded: str, span: Span, value: Decimal, currency: str | None) -> Quantity | None:
    """The amount with the scale and unit that follow it; None when a letter glued to it makes it part of a name."""
    start, end = span
    scale = Decimal(1)
    half = _AND_A_HALF.match(folded, end)
    if half:
        value, end = value + Decimal("0.5"), half.end()
    found = _SCALE.match(folded, end)
    # A letter is a scale only when glued to its digits or after a currency sign: "5 m" is a length.
    if found and (found["w"] or currency or not folded[end].isspace()):
        scale = SCALES[found["s"] or found["w"]]
        end = found.end()
    unit = _UNIT.match(folded, end)
    kind: QuantityKind = "currency" if currency else "cardinal"
    name = currency
    if unit and not currency:
        kind, name = ("percent", "percent") if unit["percent"] else UNITS[unit["u"]]
        if name == "x":
            kind, name = "times", None
        end = unit.end()
    elif unit and unit["u"] and UNITS[unit["u"]][0] == "currency":
        end = unit.end()
    if re.match(r"\w|\.[0-9]", folded[end : end + 2]):
        return None
    return Quantity(value * scale, name, kind, text[start:end], (start, end), scale)


def _value(digits: str) -> Decimal:
    if re.fullmatch(r"[0-9]{1,3}(?:\.[0-9]{3})+,[0-9]{1,2}|[0-9]{1,3}(?:\.[0-9]{3}){2,}", digits):
        return Decimal(digits.replace(".", "").replace(",", "."))
    return Decimal(digits.replace(",", ""))


def _in_words(text: str, folded: str) -> Iterable[Quantity]:
    words = [found for found in _WORD.finditer(folded) if _stands_alone(folded, found.span())]
    place = 0
    while place < len(words):
        ahead = [word.group() for word in _run(folded, words[place : place + 14])]
        one, taken = _from_words(text, folded, words[place : place + 14], ahead)
        if one is not None:
            yield one
        place += max(taken, 1)


def _from_words(text: str, folded: str, finds: list[re.Match[str]], ahead: list[str]) -> tuple[Quantity | None, int]:
    if ahead[:2] in (["half", "a"], ["half", "an"]) and ahead[2:3] and (ahead[2] in SCALE_WORDS or ahead[2] == "dozen"):
        span = (finds[0].start(), finds[2].end())
        return _finished(text, folded, span, SCALES.get(ahead[2], Decimal(12)) / 2, None), 3
    fraction = read_fraction(ahead)
    if fraction:
        value, taken = fraction
        span = (finds[0].start(), finds[taken - 1].end())
        return Quantity(
            Decimal(value.numerator) / value.denominator, None, "fraction", text[span[0] : span[1]], span
        ), taken
    ordinal = read_ordinal(ahead)
    if ordinal:
        span = (finds[0].start(), finds[ordinal[1] - 1].end())
        return Quantity(Decimal(ordinal[0]), None, "ordinal", text[span[0] : span[1]], span), ordinal[1]
    if ahead[0] in TIMES:
        return Quantity(Decimal(TIMES[ahead[0]]), None, "times", text[slice(*finds[0].span())], finds[0].span()), 1
    cardinal = read_cardinal(ahead)
    if cardinal is None and ahead[0] in GROUPS and ahead[0] in {"dozen", "dozens"}:
        cardinal = Decimal(12), 1
    if cardinal is None:
        return None, 1
    value, taken = cardinal
    if ahead[taken : taken + 3] == ["and", "a", "half"]:
        return _finished(text, folded, (finds[0].start(), finds[taken - 1].end()), value, None), taken + 3
    if taken == 1 and ahead[0] == "one" and _is_pronoun(ahead):
        return None, 1
    return _finished(text, folded, (finds[0].start(), finds[taken - 1].end()), value, None), taken


def _is_pronoun(ahead: list[str]) -> bool:
    """ "which one", "one of the": no amount; "one order" is."""
    return ahead[1:2] == [] or ahead[1] in {
        "of",
        "is",
        "was",
        "has",
        "had",
        "that",
        "with",
        "who",
        "which",
        "the",
        "can",
        "and",
        "or",
    }


def _run(folded: str, words: list[re.Match[str]]) -> list[re.Match[str]]:
    """The words up to the first gap that is more than a blank or hyphen."""
    run = words[:1]
    for word in words[1:]:
        if folded[run[-1].end() : word.start()].strip(" -"):
            break
        run.append(word)
    return run


def _stands_alone(folded: str, span: Span) -> bool:
    before, after = folded[span[0] - 1 : span[0]], folded[span[1] : span[1] + 1]
    return not (before and (before.isalnum() or before in "_'")) and not (after and (after.isalnum() or after == "_"))


def _vulgar(text: str) -> Iterable[Quantity]:
    for place, char in enumerate(text):
        if char in _VULGAR and not text[place - 1 : place].isdigit():
            top, bottom = _VULGAR[char]
            yield Quantity(Decimal(top) / bottom, None, "fraction", char, (place, place + 1))
