"""Comparisons with amounts: "more than 5", "under $100", "between 10 and 20", "5 or more", ">= 3"."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Literal

from averment.language.numbers.quantities import Quantity, find_quantities
from averment.language.tokens import Span, fold
from averment.language.word_lists import any_of

ComparisonOp = Literal["eq", "ne", "lt", "le", "gt", "ge", "between", "outside"]


@dataclass(frozen=True, slots=True)
class NumberComparison:
    """An order relation with one amount, or two for a range whose ends both belong to it; an unnamed bound is None.

    ``low`` is set for gt, ge, eq, ne and ranges, ``high`` for lt, le, eq and ranges. ``quality`` is the adjective that
    was compared ("older", "cheaper"), which often tells the column; None for plain words. An ordinal's unit is "rank".
    """

    op: ComparisonOp
    low: Decimal | None
    high: Decimal | None
    unit: str | None
    text: str
    span: Span
    quality: str | None = None


_MORE = """
    more greater larger bigger higher longer older taller heavier faster farther further deeper later wider stronger
    better richer pricier costlier warmer hotter brighter
""".split()
_LESS = """
    less fewer smaller lower shorter younger cheaper lighter slower nearer closer shallower earlier narrower weaker
    worse poorer colder cooler
""".split()
_PLAIN = {"more", "greater", "less", "fewer", "larger", "bigger", "higher", "lower", "smaller"}
_MORE_W, _LESS_W = "|".join(_MORE), "|".join(_LESS)

# One phrase a line, a blank for any white space.
_BEFORE: dict[ComparisonOp, str] = {
    "ge": rf"""
        (?P<q>{_MORE_W}) (?:than )?or equal (?:to|than)
        equal to or (?:greater|more|higher|larger) than
        at (?:the )?(?:very )?least
        (?:no|not) (?:less|fewer|lower|smaller|younger|shorter|earlier) than
        (?:a )?min(?:imum)?(?: of| is)?
        not (?:below|under)
        starting (?:at|from)
    """,
    "le": rf"""
        (?P<q>{_LESS_W}) (?:than )?or equal (?:to|than)
        equal to or (?:less|fewer|lower|smaller) than
        at (?:the )?(?:very )?most
        (?:no|not) (?:more|greater|higher|larger|bigger|older|longer|later) than
        (?:a )?max(?:imum)?(?: of| is)?
        not (?:above|over|exceeding)
        (?:do|does|did) not exceed
        up to
        within
        capped at
    """,
    "ne": r"""
        not equal to
        other than
        different from
        (?:is|are|was|were) not(?: exactly)?
        anything but
    """,
    "gt": rf"""
        (?P<q>{_MORE_W}) (?:\w+ )?th[ae]n
        more(?: \w+){{1,3}} than
        over
        above
        exceed(?:s|ed|ing)?
        in excess of
        upwards? of
        beyond
        surpass(?:es|ed|ing)?
        greater
        north of
    """,
    "lt": rf"""
        (?P<q>{_LESS_W}) (?:\w+ )?th[ae]n
        (?:less|fewer)(?: \w+){{1,3}} than
        under
        below
        beneath
        south of
        short of
    """,
    "eq": r"""
        exactly
        precisely
        equal(?:s|ed|ling)?(?: to)?
        totall?(?:s|ing)
        amounts? to
    """,
}
_AFTER: dict[ComparisonOp, str] = {
    "ge": r"""
        (?:\w+ )?(?:or|and) (?:more|greater|above|over|higher|older|up|upwards?|larger|longer|better|later)\b
        \+(?!\s*[0-9])
        (?:\w+ )?(?:minimum|at least)(?=\s*(?:[.,;?!)]|$))
    """,
    "le": r"""
        (?:\w+ )?(?:or|and) (?:less|fewer|below|under|lower|younger|smaller|shorter|down|cheaper)\b
        (?:\w+ )?(?:maximum|at most)(?=\s*(?:[.,;?!)]|$))
    """,
}
_BETWEEN_WORDS = """
    (?:in )?between
    rang(?:es?|ing) (?:from|between)
    in the range(?: of| from| between)?
    from
    within
"""
_BE = r"(?:(?:is|are|was|were|be|being|been|has|have|had|of)\s+)?"
_TAIL = r"\s*(?:the\s+|a\s+|about\s+|only\s+|that\s+of\s+)?$"
_OPENERS: list[tuple[ComparisonOp, re.Pattern[str]]] = [
    (op, re.compile(rf"(?<!\w){_BE}{any_of(phrases)}{_TAIL}")) for op, phrases in _BEFORE.items()
]
_CLOSERS: list[tuple[ComparisonOp, re.Pattern[str]]] = [
    (op, re.compile(rf"\s*{any_of(phrases)}")) for op, phrases in _AFTER.items()
]
_BETWEEN = re.compile(rf"(?<!\w)(?P<not>not\s+)?{any_of(_BETWEEN_WORDS)}\s*(?:the\s+)?$")
_OUTSIDE = re.compile(r"(?<!\w)outside(?:\s+(?:of|the\s+range(?:\s+of)?))?\s+$")
_AND = re.compile(r"^\s*and\s*$")
_SYMBOLS: dict[str, ComparisonOp] = {
    "≥": "ge",
    ">=": "ge",
    "=>": "ge",
    "≤": "le",
    "<=": "le",
    "=<": "le",
    "!=": "ne",
    "<>": "ne",
    "≠": "ne",
    "==": "eq",
    "=": "eq",
    ">": "gt",
    "<": "lt",
}
_SYMBOL = re.compile(r"(?P<s>>=|=>|<=|=<|!=|<>|==|≥|≤|≠|=|>|<)\s*$")
_TO = re.compile(r"^\s*(?:to|through|up\s+to|until|-|\.\.+)\s*$")
_QUANTIFIED = frozenset({"cardinal", "percent", "currency", "duration", "measure", "times", "fraction", "ordinal"})


def find_comparisons(text: str, *, skip: Sequence[Span] = ()) -> list[NumberComparison]:
    """Every comparison with an amount, in order; amounts inside a span to skip (periods) are left alone."""
    folded = fold(text)
    amounts = [one for one in find_quantities(text, skip=skip) if one.kind in _QUANTIFIED]
    found: list[NumberComparison] = []
    place = 0
    while place < len(amounts):
        pair = _ranged(text, folded, amounts[place : place + 2])
        single = pair or _single(text, folded, amounts[place], found[-1].span[1] if found else 0)
        if single is not None:
            found.append(single)
        place += 2 if pair else 1
    return found


def _ranged(text: str, folded: str, amounts: list[Quantity]) -> NumberComparison | None:
    if len(amounts) < 2:
        return None
    one, two = amounts
    gap, before = folded[one.span[1] : two.span[0]], folded[: one.span[0]]
    opened = _BETWEEN.search(before)
    outside = _OUTSIDE.search(before)
    word = opened.group() if opened else ""
    takes_and = bool(outside) or "between" in word or word.startswith(("within", "in the range", "rang"))
    joined = bool(_TO.match(gap)) or (takes_and and bool(_AND.match(gap)))
    if not joined or (one.unit and two.unit and one.unit != two.unit):
        return None
    low = one.value
    if one.scale == 1 and two.scale != 1 and low < two.value / two.scale:
        low *= two.scale  # "between 10 and 20 million"
    low, high = sorted((low, two.value))
    negated = bool(outside) or bool(opened and opened["not"])
    start = outside.start() if outside else opened.start() if opened else one.span[0]
    span = (start, two.span[1])
    op: ComparisonOp = "outside" if negated else "between"
    return NumberComparison(op, low, high, one.unit or two.unit, text[span[0] : span[1]], span)


def _single(text: str, folded: str, amount: Quantity, floor: int) -> NumberComparison | None:
    start, end = amount.span
    for op, pattern in _CLOSERS:
        found = pattern.match(folded, end)
        if found:
            return _made(text, op, amount, (start, found.end()), None)
    symbol = _SYMBOL.search(folded, floor, start)
    if symbol:
        return _made(text, _SYMBOLS[symbol["s"]], amount, (symbol.start(), end), None)
    for op, pattern in _OPENERS:
        found = pattern.search(folded, max(floor, start - 60), start)
        if found:
            quality = found.groupdict().get("q")
            return _made(text, op, amount, (found.start(), end), quality if quality not in _PLAIN else None)
    return None


def _made(text: str, op: ComparisonOp, amount: Quantity, span: Span, quality: str | None) -> NumberComparison:
    value = amount.value
    unit = "rank" if amount.kind == "ordinal" else amount.unit
    low = value if op in ("gt", "ge", "eq", "ne") else None
    high = value if op in ("lt", "le", "eq") else None
    return NumberComparison(op, low, high, unit, text[span[0] : span[1]], span, quality)
