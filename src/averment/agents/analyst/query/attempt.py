"""An attempt: one way through a question, from its marked words to a query, with all that was seen on the way."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from averment.agents.analyst.query.build import Builder, Unbuildable
from averment.agents.analyst.query.certainty import loose_operations
from averment.agents.analyst.query.charts import ChartAsk, shape, sorting_of
from averment.agents.analyst.query.mentions import mark
from averment.agents.analyst.query.phrases.defined import read_definitions
from averment.agents.analyst.query.phrases.loosen import loosen
from averment.agents.analyst.query.phrases.read import read_phrases
from averment.agents.analyst.query.ratios import find_ratio, read_ratio
from averment.agents.analyst.query.roles import RoleReader
from averment.agents.analyst.query.vocabulary import Place, Vocabulary
from averment.agents.analyst.query.words import NEUTRAL
from averment.language.stems import stem

if TYPE_CHECKING:
    from datetime import date

    from averment.agents.analyst.query.draft import Draft
    from averment.agents.analyst.query.mentions import Marked
    from averment.agents.analyst.query.notes import Noted
    from averment.tables.select_spec import Select


@dataclass(frozen=True)
class Attempt:
    """A question read to its end; ``select`` is None when no query could be made of it."""

    marked: Marked
    draft: Draft
    select: Select | None
    unread: tuple[str, ...]
    content: int
    loose: tuple[str, ...]
    margins: tuple[float, ...]
    home: bool
    fit: tuple[float, float, int] | None = None
    """For a reading by phrases how well they fitted, what the next best would cost, and how many joins they need."""


def attempt(
    marked: Marked, known: Vocabulary, ask: ChartAsk, anchor: date | None, *, chart: bool, settled: bool = True
) -> Attempt:
    """Read a marked question; without ``settled`` no table is preferred for holding everything that is named."""

    def reader(part: Marked) -> RoleReader:
        return RoleReader(part, known, anchor, settled=settled)

    asked = find_ratio(marked.text)
    ratio = None if asked is None else read_ratio(asked, known, reader)
    whole = reader(marked)
    if ratio is not None:
        # The sides were read for themselves: what they name is used.
        draft = ratio
        draft.used = set(range(len(marked.tokens)))
    else:
        draft = whole.read()
    unread, content = _unread(marked, draft)
    loose = tuple(loose_operations(marked, draft))
    if ask.marked or chart:
        draft = _plotted(draft, ask, known)
    try:
        select = Builder(draft, known, frozenset(token.normal for token in marked.tokens)).build()
    except Unbuildable:
        select = None
    return Attempt(marked, draft, select, unread, content, loose, tuple(whole.margins), whole.home is not None)


def attempt_phrases(noted: Noted, known: Vocabulary, anchor: date | None) -> Attempt | None:
    """Read a question by its phrases, its terms as the notes define them; None when it cannot be read so."""
    # "IDs" would be split at its inner change of case.
    marked = mark(noted.question.replace("IDs", "ids"), known)
    hints = frozenset(re.findall(r"(?i:truncate)\s+(\w+)\s+to\b", noted.notes))
    read = read_phrases(marked, known, anchor, read_definitions(noted.notes, noted.question, known), hints)
    if read is None:
        return None
    unread, content = _unread(marked, read.draft, held=False)
    asked = read.asked
    said = {stem(word) for item in (*asked.items, *asked.head, *asked.splits) for word in item.words}
    unread = tuple(word for word in unread if stem(word.casefold()) not in said)
    loose = tuple(loose_operations(marked, read.draft))
    loosen(read.draft, noted.notes, known)
    try:
        select = Builder(read.draft, known, frozenset(token.normal for token in marked.tokens)).build()
    except Unbuildable:
        return None
    settled = read.settled
    fit = (settled.score, settled.margin, settled.steps)
    return Attempt(marked, read.draft, select, unread, content, loose, (settled.margin,), home=False, fit=fit)


def _plotted(draft: Draft, ask: ChartAsk, known: Vocabulary) -> Draft:
    draft = shape(draft, ask, known)
    across = draft.splits[0] if draft.splits else None
    x = (
        Place(across.table, across.column)
        if across and across.column
        else (draft.outputs[0] if draft.outputs else None)
    )
    y = draft.measures[0] if draft.measures else (draft.outputs[1] if len(draft.outputs) > 1 else None)
    order = sorting_of(ask, x, y)
    if order is not None:
        draft.sorting = [order]
    return draft


def _unread(marked: Marked, draft: Draft, *, held: bool = True) -> tuple[tuple[str, ...], int]:
    """The words that carry meaning and were not used; with ``held`` a name that was recognised counts as used."""
    named = {place for mention in marked.mentions for place in mention.words if mention.kind in {"table", "column"}}
    inside = named if held else set[int]()
    content = [
        place
        for place, token in enumerate(marked.tokens)
        if token.normal not in NEUTRAL and token.stem not in NEUTRAL and not token.is_stop
    ]
    unread = [marked.tokens[p].text for p in content if p not in draft.used and p not in inside]
    return tuple(unread), len(content)
