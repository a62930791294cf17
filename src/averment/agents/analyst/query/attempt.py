"""An attempt: one way through a question, from its marked words to a query, with all that was seen on the way."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from averment.agents.analyst.query.build import Builder, Unbuildable
from averment.agents.analyst.query.certainty import loose_operations
from averment.agents.analyst.query.charts import ChartAsk, shape, sorting_of
from averment.agents.analyst.query.ratios import find_ratio, read_ratio
from averment.agents.analyst.query.roles import RoleReader
from averment.agents.analyst.query.vocabulary import Place, Vocabulary
from averment.agents.analyst.query.words import NEUTRAL

if TYPE_CHECKING:
    from datetime import date

    from averment.agents.analyst.query.draft import Draft
    from averment.agents.analyst.query.mentions import Marked
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


def _unread(marked: Marked, draft: Draft) -> tuple[tuple[str, ...], int]:
    """The words that carry meaning and were not used."""
    inside = {place for mention in marked.mentions for place in mention.words if mention.kind in {"table", "column"}}
    content = [
        place
        for place, token in enumerate(marked.tokens)
        if token.normal not in NEUTRAL and token.stem not in NEUTRAL and not token.is_stop
    ]
    unread = [marked.tokens[p].text for p in content if p not in draft.used and p not in inside]
    return tuple(unread), len(content)
