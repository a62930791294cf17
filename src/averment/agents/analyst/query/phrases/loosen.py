"""Loosening: where the notes ask for partial matches, a test of a text's whole becomes a test of what it holds."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from averment.language.stems import stem
from averment.language.tokens import split_words

if TYPE_CHECKING:
    from averment.agents.analyst.query.draft import Draft
    from averment.agents.analyst.query.vocabulary import Vocabulary
    from averment.tables.select_spec import Condition

_PARTIAL = re.compile(r"\bwildcards?\b|\bpartial\b|%\.\.\.%", re.IGNORECASE)
_WITHOUT = re.compile(r"\bwithout\b[^.]*\bwildcards?\b", re.IGNORECASE)


def loosen(draft: Draft, notes: str, known: Vocabulary) -> None:
    """Change the draft's tests of equality where a note names their column and asks for partial matches."""
    said: list[set[str]] = []
    for sentence in re.split(r"[\n;]|(?<=[a-z'`%)])\.\s", notes):
        if _PARTIAL.search(sentence) and not _WITHOUT.search(sentence):
            said.append({stem(token.normal) for token in split_words(sentence)})

    def changed(condition: Condition) -> Condition:
        if condition.any_of:
            return condition.model_copy(update={"any_of": tuple(map(changed, condition.any_of))})
        term = condition.term
        if condition.operator != "=" or term is None or term.kind != "column":
            return condition
        if not condition.values or not isinstance(condition.values[0], str) or term.table is None:
            return condition
        words = {stem(word) for word in known.names.column_words(term.table, term.column or "")}
        if not any(words <= each for each in said):
            return condition
        return condition.model_copy(update={"operator": "contains"})

    if said:
        draft.conditions = [changed(each) for each in draft.conditions]
