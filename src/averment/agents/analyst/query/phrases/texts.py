"""Texts: tests of how a column's text begins, ends or what it holds, as questions say them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from averment.agents.analyst.query.vocabulary import Place, Vocabulary
from averment.language.tokens import STOP_WORDS
from averment.tables.select_spec import Condition, Operator, column

if TYPE_CHECKING:
    from collections.abc import Sequence

    from averment.agents.analyst.query.mentions import Marked

_TEST = re.compile(
    r"\b(?P<way>start(?:s|ing)?|begin(?:s|ning)?|end(?:s|ing)?|contain(?:s|ing)?|includ(?:es|ing))\s+(?:with\s+)?(?:in\s+)?"
    r"(?:the\s+)?(?:letters?\s+|words?\s+|string\s+|substring\s+|phrase\s+|prefix\s+|suffix\s+)?"
    r"(?:(?P<mark>['\"‘’“”])(?P<quoted>[^'\"‘’“”]+)['\"‘’“”]|(?P<bare>[A-Z]\b))"
)
_CLAUSE = re.compile(r"\b(?:whose|with|where|who|that|and|or|in|of|have|has|having)\b|,", re.IGNORECASE)
_REACH = 45
_BARE = frozenset("name names title titles".split())


@dataclass(frozen=True)
class TextTest:
    """One test with the stretch of text that says it."""

    condition: Condition
    span: tuple[int, int]


def read_texts(marked: Marked, known: Vocabulary, core: Sequence[str]) -> list[TextTest]:
    """The tests of text, those parted by "or" as one choice."""
    found: list[TextTest] = []
    last: Place | None = None
    for match in _TEST.finditer(marked.text):
        where = _column(marked, known, core, match.start())
        place = where[0] if where is not None else last
        if place is None:
            continue
        begin = where[1] if where is not None else match.start()
        last = place
        way: Operator = (
            "starts" if match["way"][0] in "sb" else "ends" if match["way"].startswith("end") else "contains"
        )
        test = Condition(
            term=column(place.table, place.column), operator=way, values=((match["quoted"] or match["bare"]).strip(),)
        )
        if found:
            between = marked.text[found[-1].span[1] : match.start()].casefold()
            if re.match(r"\s*,?\s*or\b", between):
                before = found.pop()
                either = (*(before.condition.any_of or (before.condition,)), test)
                found.append(TextTest(Condition(any_of=either), (before.span[0], match.end())))
                continue
        found.append(TextTest(test, (begin, match.end())))
    return found


def _column(marked: Marked, known: Vocabulary, core: Sequence[str], at: int) -> tuple[Place, int] | None:
    """The column named right before a place, and where its name begins."""
    before = marked.text[max(0, at - _REACH) : at]
    cuts = [cut.end() for cut in _CLAUSE.finditer(before)]
    # The name stands after the last little word that opens a clause, with none of its own between.
    for cut in reversed(cuts or [0]):
        first = max(0, at - _REACH) + cut
        words = [
            t.normal for t in marked.tokens if first <= t.start < at and t.normal not in STOP_WORDS and t.kind == "word"
        ]
        if not words:
            continue
        texts = [
            one
            for one in known.names.rank(words[-3:])
            if one.column is not None and known.column(Place(one.table, one.column)).data_type == "string"
        ]
        if words[-1:] and all(word in _BARE for word in words):
            owners = [m for m in marked.mentions if m.kind == "table" and marked.tokens[m.last].end <= first]
            if owners:
                table = owners[-1].choices[0].table
                label = known.label(table)[0]
                return Place(table, label), first
        if not texts:
            return None
        best = max(texts, key=lambda one: one.score + (0.3 if one.table in core else 0))
        return Place(best.table, best.column or ""), first
    return None
