"""Understanding: a question becomes readings, each a query with its words and how sure it is.

Two readers look at a question: one for queries over tables that hang together, one for rows of a single table in their
order. What counts is how many of the question's words found a place, how surely they were linked, and whether the
query runs and returns what the question's form asks for.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from averment.agents.analyst.query.build import Builder, Unbuildable
from averment.agents.analyst.query.certainty import is_row_question, loose_operations, tables_of
from averment.agents.analyst.query.charts import ChartAsk, read_chart, shape, sorting_of
from averment.agents.analyst.query.facts import Facts
from averment.agents.analyst.query.mentions import Marked, mark
from averment.agents.analyst.query.reading import Picture, PictureType, QueryReading
from averment.agents.analyst.query.roles import RoleReader
from averment.agents.analyst.query.rows import RowReader
from averment.agents.analyst.query.vocabulary import Place, Vocabulary, vocabulary
from averment.agents.analyst.query.words import NEUTRAL, SPLITS, SUPERLATIVES
from averment.errors import AvermentError
from averment.tables.compose_select import compose_select

if TYPE_CHECKING:
    from averment.agents.analyst.query.draft import Draft
    from averment.agents.analyst.skill import Question
    from averment.tables.select_spec import Select

SURE = 0.99
NEARLY = 0.98
UNREAD_SHARE, UNREAD_WORDS = 0.34, 2
"""How many words may stay without a place where several tables are joined: verbs that only say how they belong."""

_DRAWN: dict[str, PictureType] = {"bar": "bar", "pie": "pie", "line": "line", "scatter": "scatter"}
_SECONDS = 10.0
_PROBED_ROWS = 1000


@dataclass(frozen=True)
class Understood:
    """One reading with its score: SURE or more when it may be acted on."""

    reading: QueryReading
    ask: ChartAsk
    score: float
    question_back: str | None = None


def understand(question: Question, *, chart: bool = False) -> list[Understood]:
    """The readings of a question, the best first; ``chart`` shapes them for a chart even when none is named."""
    if not question.profiles:
        return []
    known = vocabulary(question)
    # "IDs" would be split at its inner change of case.
    ask = read_chart(question.text.replace("IDs", "ids"))
    if ask.kind is None and "trend" in question.text.casefold():
        ask = replace(ask, kind="line")
    marked = mark(ask.text, known)
    found = _queries(question, known, ask, marked, chart=chart)
    if len(known.profiles) == 1 and not ask.marked and not chart:
        rows = _rows(
            question, known, ask, marked, has_query=not _asks(marked) and any(one.score >= SURE for one in found)
        )
        if rows and rows[0].score >= SURE and _asks(marked):
            # Who asks about rows of one table means rows: the other reader speaks only where this one is silent.
            found = [replace(one, score=min(one.score, NEARLY)) for one in found]
        found = [*rows, *found]
    return sorted(found, key=lambda one: -one.score)


def _asks(marked: Marked) -> bool:
    """Whether a question word opens the question or its last part, as it does when rows are looked up."""
    words = [token.normal for token in marked.tokens]
    return bool({"which", "what", "who", "where", "when", "how", "whose"} & set(words))


def _queries(question: Question, known: Vocabulary, ask: ChartAsk, marked: Marked, *, chart: bool) -> list[Understood]:
    draft = RoleReader(marked, known, question.anchor).read()
    said = frozenset(token.normal for token in marked.tokens)
    unread, content = _unread(marked, draft)
    loose = loose_operations(marked, draft)
    if ask.marked or chart:
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
    try:
        select = Builder(draft, known, said).build()
    except Unbuildable:
        return [_unclear(question, ask, unread)] if unread else []
    relations = len(known.profiles) > 1
    lenient = [word for word in unread if not (relations and _is_verb(word))]
    share = len(lenient) / max(1, content)
    score = 1.0 - share
    if chart or ask.marked:
        # What a chart plots is plain; the words around it are many.
        loose = [word for word in loose if word not in SUPERLATIVES]
        relations = True
        share = share / 2
    if chart:
        lenient, loose = [], []
    certain = not loose and (not lenient or (relations and share <= UNREAD_SHARE and len(lenient) <= UNREAD_WORDS))
    if _only_mentions(select) and not chart:
        certain = False
    if not chart and len(known.profiles) == 1 and not is_row_question(select, known.profiles[0], set(said)):
        certain = False
    rows = _runs(question, select)
    if rows is None:
        score, certain = min(score, 0.5), False
    score = SURE + 0.01 * score if certain else min(score, NEARLY)
    if not rows and relations:
        score = min(score, NEARLY)
    reading = QueryReading(select=select, picture=_picture(select, ask, chart=chart), unread=tuple(lenient))
    back = None if score >= SURE else _ask(question, tuple(lenient))
    return [Understood(reading, ask, score, back)]


def _rows(question: Question, known: Vocabulary, ask: ChartAsk, marked: Marked, *, has_query: bool) -> list[Understood]:
    said = {token.normal for token in marked.tokens}
    if said & SPLITS or ("by" in said and "how" not in said):
        return []
    reader = RowReader(Facts(marked, known, known.profiles[0]))
    found: list[Understood] = []
    for one in reader.read():
        rows = _runs(question, one.select)
        if not rows:
            continue
        unread, content = reader.unread(one)
        score = one.sure * (1.0 - 0.6 * len(unread) / max(1, content))
        sure = score >= ROW_SURE and not has_query and is_row_question(one.select, known.profiles[0], said)
        reading = QueryReading(select=one.select, unread=tuple(unread))
        back = None if sure else _ask(question, tuple(unread))
        found.append(Understood(reading, ask, SURE + 0.01 * score if sure else NEARLY * score, back))
        break
    return found


ROW_SURE = 0.6
"""Row readings below this are asked back."""


def _only_mentions(select: Select) -> bool:
    """Whether a table is joined that nothing is shown, tested or counted of: its part in the question was missed."""
    if not select.joins or select.conditions or select.groups or select.order or select.set_operation:
        return False
    return len(tables_of(select)) < 2


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


def _is_verb(word: str) -> bool:
    """Whether a word between two tables may say only how they hang together: "owners who own dogs"."""
    return word.endswith(("ed", "ing")) or word in {
        "own",
        "owns",
        "went",
        "gone",
        "teach",
        "teaches",
        "live",
        "lives",
        "take",
        "takes",
        "work",
        "works",
        "offer",
        "offers",
        "held",
        "done",
        "made",
        "given",
        "taken",
        "come",
        "through",
    }


def _runs(question: Question, select: Select) -> int | None:
    """How many rows a query returns, up to some; None when it does not run."""
    composed = compose_select(select, question.catalog.dialect)
    try:
        answer = question.engine.run(composed.sql, composed.params, timeout=_SECONDS, row_limit=_PROBED_ROWS)
    except AvermentError:
        return None
    table = answer.table
    if table.num_rows == 1 and all(table.column(name)[0].as_py() is None for name in table.column_names):
        return 0
    return table.num_rows


def _picture(select: Select, ask: ChartAsk, *, chart: bool) -> Picture | None:
    outputs = select.outputs
    if len(outputs) < 2 or (not select.groups and not ask.marked and not chart):
        return None
    labels = [o.alias for o in outputs if o.term in select.groups]
    values = [o.alias for o in outputs if o.term not in select.groups]
    if not select.groups:
        labels, values = [outputs[0].alias], [outputs[1].alias]
    if not labels or not values:
        return None
    timed = [o.alias for o in outputs if o.term.kind == "part" and o.term.part not in {"month_name", "weekday_name"}]
    x = timed[0] if timed else labels[0]
    series = next((label for label in labels if label != x), None)
    kind = {"bar": "bar", "pie": "pie", "line": "line", "scatter": "scatter"}.get(
        ask.kind or "", "line" if timed else "bar"
    )
    return Picture(type=kind, x=x, y=values[0], series=series)  # pyright: ignore[reportArgumentType]  # the table holds chart types


def _unclear(question: Question, ask: ChartAsk, unread: tuple[str, ...]) -> Understood:
    from averment.tables.select_spec import ROWS, Output, Select

    table = question.profiles[0].table
    empty = QueryReading(select=Select(table=table, outputs=(Output(term=ROWS, alias="count"),)), unread=unread)
    return Understood(empty, ask, 0.0, _ask(question, unread))


def _ask(question: Question, unread: tuple[str, ...]) -> str:
    names = ", ".join(column.name for profile in question.profiles for column in profile.columns)
    words = ", ".join(f"“{word}”" for word in unread) or "that"
    return f"I do not know what {words} means here. Please say it with these columns: {names}."
