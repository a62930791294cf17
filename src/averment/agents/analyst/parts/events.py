"""What a row is about: the words that call it, and the date that says when it happened."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from averment.agents.analyst.parts.gather import is_one_row
from averment.agents.analyst.parts.times import OF_TIME, beginning, date_of, event_words
from averment.language.tokens import split_words

if TYPE_CHECKING:
    from averment.agents.analyst.parts.draft import Draft

_TRADE = frozenset("order sale purchase transaction invoice receipt deal".split())
"""Words for one and the same thing: who has sales has orders and purchases."""

_MEMBERS = frozenset(
    """
    user customer client member account visitor subscriber player patient student buyer guest household person people
    employee shopper tenant device donor
    """.split()
)
"""What those are called who come, stay and come back."""


def take_event_words(draft: Draft) -> set[str]:
    """Take the free words that call a row by its table, its key, its date or its trade; their stems."""
    known = _event_stems(draft)
    found: set[str] = set()
    for place, token in enumerate(draft.tokens):
        if place in draft.used:
            continue
        if token.stem in known or is_one_row(draft, place, plural=True):
            draft.used.add(place)
            found.add(token.stem)
    return found


def when_column(draft: Draft, said: set[str]) -> str | None:
    """The one date a question can mean: the only one, the one it names, or that of the rows' own event."""
    columns = [column.name for column in draft.timestamps]
    if len(columns) < 2:
        return columns[0] if columns else None
    named = [name for name in columns if re.search(rf"\b{re.escape(_plain(name))}\b", draft.folded)]
    if len(named) == 1:
        return named[0]
    own = {word.stem for word in split_words(draft.profile.table)}
    return date_of(draft, said or own) or beginning(draft.profile)


def which_date(draft: Draft) -> str:
    """What to ask where the date is not clear."""
    names = [column.name for column in draft.timestamps]
    if names:
        return f"By which date: {' or '.join(names)}?"
    return f"The table {draft.profile.table} has no date, so it is not known what came first or last."


def member_columns(draft: Draft) -> list[str]:
    """The columns that say who a row belongs to: those named like customers or users, each with several rows."""
    rows = draft.profile.row_count
    return [
        column.name
        for column in draft.profile.columns
        if column.inferred_type in {"id", "dimension"}
        and column.cardinality < rows
        and event_words(column.name) & _MEMBERS
    ]


def _event_stems(draft: Draft) -> set[str]:
    own = {word.stem for word in split_words(draft.profile.table)}
    known = set(own)
    for column in draft.timestamps:
        known |= event_words(column.name)
    keys = {
        word.stem
        for column in draft.profile.columns
        if column.inferred_type == "id" and column.cardinality == draft.profile.row_count
        for word in split_words(column.name)
    }
    if (own | keys) & _TRADE:
        # A column of such a name is another thing than the row.
        known |= _TRADE - {stem for column in draft.dimensions for stem in event_words(column.name)}
    return known - OF_TIME


def _plain(name: str) -> str:
    return name.replace("_", " ").casefold()
