"""Conditions that are no comparisons: whether a cell is given at all, and what stands in a text."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from averment.agents.analyst.parts.nouns import Filter, Operator
from averment.language.tokens import quoted_spans

if TYPE_CHECKING:
    from averment.agents.analyst.parts.draft import Draft
    from averment.language.linking import Link
    from averment.tables.profile import ColumnProfile

_MISSING = r"(?:missing|null|empty|blank|unknown|not (?:given|known|set|available|recorded|filled(?: in)?))"
_GIVEN = r"(?:(?:not|non)[- ](?:missing|null|empty|blank)|given|known|present|recorded)"
_IS = r"\s+(?:values?\s+)?(?:is|are|was|were)\s+"
_LACKING = re.compile(
    r"(?:\b(?:with|where|have|has|having|had|lack|lacks|lacking|contain|contains)\s+(?:an?\s+|the\s+)?"
    r"(?P<how>no|missing|null|empty|blank|unknown)|\b(?:is|are|was|were)\s+(?P<lacks>missing|lacking)|"
    r"\b(?P<without>without|lacking))\s+(?:an?\s+|any\s+|the\s+|their\s+)?$"
)
_PRECISELY = frozenset({"missing", "null", "empty", "blank", "unknown"})
_TEXTS: tuple[tuple[Operator, str], ...] = (
    (
        "contains",
        r"(?:that\s+|which\s+|whose\s+name\s+)?(?:contain(?:s|ing)?|includ(?:es?|ing)|with\s+the\s+word|having)",
    ),
    ("starts", r"(?:that\s+|which\s+|whose\s+names?\s+)?(?:start(?:s|ing)?|begin(?:s|ning)?)\s+with"),
    ("ends", r"(?:that\s+|which\s+|whose\s+names?\s+)?end(?:s|ing)?\s+(?:with|in)"),
)
_LITERAL = re.compile(
    r"\s+(?:the\s+(?:letters?|words?|text)\s+)?(?:[\"'“‘](?P<quoted>[^\"'”’]+)[\"'”’]|(?P<bare>[\w@.-]+))"
)


def read_presence(draft: Draft) -> list[Filter]:
    """Conditions on cells that are missing or given, and on what texts hold; their words count as understood."""
    links = draft.links()
    draft.doubts.clear()
    found = [each for link in links if draft.free(link.words) if (each := _given(draft, link)) is not None]
    for link in links:
        if draft.free(link.words) and draft.column(link.target).data_type == "string":
            test = _text(draft, link)
            if test is not None:
                found.append(test)
    return found


def _given(draft: Draft, link: Link) -> Filter | None:
    column = draft.column(link.target)
    after = re.compile(_IS + rf"(?:(?P<given>{_GIVEN})|(?P<missing>{_MISSING}))\b").match(draft.folded, link.span[1])
    if after is not None:
        draft.used.update(draft.places((link.span[0], after.end())))
        operator: Operator = "not null" if after["given"] else "null"
        return Filter(column=column.name, operator=operator, words=draft.text[link.span[0] : after.end()])
    before = _LACKING.search(draft.folded[: link.span[0]])
    if before is None:
        return None
    draft.used.update(draft.places((before.start(), link.span[1])))
    words = draft.text[before.start() : link.span[1]]
    if before["lacks"] or before["how"] in _PRECISELY or column.data_type == "string":
        return Filter(column=column.name, operator="null", words=words)
    return _none_of(draft, column, words)


def _none_of(draft: Draft, column: ColumnProfile, words: str) -> Filter:
    """ "No discount" is a discount that is missing or one of zero; where both occur that is a doubt."""
    zero = _may_be_zero(column)
    if column.nulls and zero:
        draft.doubts.append(f"Does “{words}” mean that {column.name} is missing, or that it is 0?")
    if zero and not column.nulls:
        return Filter(column=column.name, operator="=", value=0, words=words)
    return Filter(column=column.name, operator="null", words=words)


def _may_be_zero(column: ColumnProfile) -> bool:
    if column.values is not None:
        return any(isinstance(value, int | float) and value == 0 for value, _ in column.values)
    low, high = column.minimum, column.maximum
    return isinstance(low, int | float) and isinstance(high, int | float) and low <= 0 <= high


def _text(draft: Draft, link: Link) -> Filter | None:
    column = draft.column(link.target)
    quotes = quoted_spans(draft.text)
    for operator, words in _TEXTS:
        verb = re.compile(rf"\s+{words}\b").match(draft.folded, link.span[1])
        literal = None if verb is None else _LITERAL.match(draft.text, verb.end())
        if verb is None or literal is None:
            continue
        bare = literal["bare"]
        value = literal["quoted"] or bare or ""
        if bare and any(bare.casefold() == other.name.casefold() for other in draft.profile.columns) and not quotes:
            return None  # "products containing quantity" is something else
        draft.used.update(draft.places((link.span[0], literal.end())))
        said = draft.text[link.span[0] : literal.end()]
        return Filter(column=column.name, operator=operator, value=value, words=said)
    return None
