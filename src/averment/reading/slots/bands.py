"""Bands that a request makes of a number: "children (0-12), teenagers (13-19) and adults (20 and over)".

A figure "for each group" is then one figure for each band, over the rows whose number lies in it.
"""

from __future__ import annotations

import copy
import re
from typing import TYPE_CHECKING

from averment.plans.plan import Test
from averment.reading.schema.prepared import PreparationStep
from averment.reading.words import name_words, singular, tokens

if TYPE_CHECKING:
    from averment.plans.plan import Value
    from averment.reading.schema.schema_column import Column
    from averment.reading.schema.schema_view import Schema

_NUMBER = r"(-?\d+(?:\.\d+)?)"
_BAND = re.compile(r"[\"'“‘]?\b[A-Za-z][\w/-]*(?:\s+[A-Za-z][\w/-]*)?[\"'”’]?\s*\(\s*(?P<range>[^()]{1,40}?)\s*\)")
_UNITS = re.compile(
    r"\b(?:years?|yrs?|old|of\s+age|inclusive|both|included|dollars?|points?|units?|aged?)\b|[$€£]", re.IGNORECASE
)
_FROM_TO = re.compile(rf"(?:between\s+|from\s+)?{_NUMBER}\s*(?:-|–|to|and|through)\s*{_NUMBER}", re.IGNORECASE)
_OPEN: tuple[tuple[re.Pattern[str], str], ...] = tuple(
    (re.compile(pattern, re.IGNORECASE), operator)
    for pattern, operator in (
        (rf"{_NUMBER}\s*(?:\+|(?:and|or)\s+(?:above|over|more|older|higher|up|greater))", ">="),
        (rf"(?:at\s+least|>=|≥|from)\s*{_NUMBER}", ">="),
        (rf"(?:over|above|more\s+than|greater\s+than|older\s+than|>)\s*{_NUMBER}", ">"),
        (rf"{_NUMBER}\s*(?:and|or)\s+(?:below|under|less|younger|lower|fewer)", "<="),
        (rf"(?:at\s+most|up\s+to|<=|≤)\s*{_NUMBER}", "<="),
        (rf"(?:under|below|less\s+than|younger\s+than|<)\s*{_NUMBER}", "<"),
    )
)
_EACH = re.compile(
    r"\b(?:for|of|in|by|within|per|across)\s+(?:each|every)\s+(?:of\s+(?:these|the|those)\s+)?(?:[\w-]+\s+){0,2}?"
    r"(?:groups?|categor(?:y|ies)|bands?|brackets?|bins?|segments?|levels?|ranges?)\b"
    r"(?:\s+(?:in|of)\s+the\s+(?:[\"'“]\w+[\"'”]\s+)?(?:column|data\s?set|data))?",
    re.IGNORECASE,
)
_THEN = re.compile(r"^(?:then|next|after\s+that|finally|afterwards)\s*,?\s*", re.IGNORECASE)


def without_bands(question: str, schema: Schema) -> tuple[str, Schema]:
    """The question without the sentence that makes bands, and the tables with the bands to be taken.

    The text stays whole where a band cannot be read, where it is open whose bands they are, or where nothing is asked
    of each of them.
    """
    sentences = re.split(r"(?<=[.!?;])\s+", question.strip())
    made = next((s for s in sentences if len(_BAND.findall(s)) > 1), None)
    rest = " ".join(sentence for sentence in sentences if sentence is not made)
    if made is None or not _EACH.search(rest):
        return question, schema
    column = _cut(made, schema)
    tests = [_test(match.group("range"), column) for match in _BAND.finditer(made)] if column is not None else []
    kept = [test for test in tests if test is not None]
    if len(kept) < 2 or len(kept) != len(tests):
        return question, schema
    changed = copy.copy(schema)
    changed.steps = (*schema.steps, PreparationStep("bands", bands=tuple(kept)))
    return _THEN.sub("", re.sub(r"\s+", " ", _EACH.sub("", rest)).strip()), changed


def _cut(sentence: str, schema: Schema) -> Value | None:
    """The one number that a sentence outside of its bands names."""
    said = {singular(word) for word, _, _ in tokens(_BAND.sub(" ", sentence))}
    able: list[Column] = [
        column
        for column in schema.columns
        if column.kind == "number" and not column.has("key") and {*map(singular, name_words(column.name))} <= said
    ]
    return able[0].value if len(able) == 1 else None


def _test(said: str, value: Value | None) -> Test | None:
    """The rows of one band."""
    named = "|".join(map(re.escape, name_words(value.column or ""))) if value is not None else ""
    plain = re.sub(rf"\b(?:{named})\b", " ", _UNITS.sub(" ", said), flags=re.IGNORECASE) if named else said
    plain = re.sub(r"\s+", " ", plain).strip(" ,;:")
    both = _FROM_TO.fullmatch(plain)
    if both is not None:
        low, high = (_number(each) for each in both.groups())
        return Test(value=value, operator="between", to=(low, high)) if low <= high else None
    for pattern, operator in _OPEN:
        match = pattern.fullmatch(plain)
        if match is not None:
            return Test(value=value, operator=operator, to=(_number(match.group(1)),))  # pyright: ignore[reportArgumentType]
    return None


def _number(text: str) -> int | float:
    number = float(text)
    return int(number) if number.is_integer() else number
