"""Understanding: a question becomes readings, each a query with its words and how sure it is.

What counts is how many of the question's words found a place, how surely they were linked, and whether the query runs
and returns what the question's form asks for. Rows of a single table in their order have a skill of their own.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from averment.agents.analyst.query.attempt import Attempt, attempt, attempt_phrases
from averment.agents.analyst.query.calibration import fitted, probability
from averment.agents.analyst.query.certainty import is_row_question, leaves_out, left_per, list_once, tables_of
from averment.agents.analyst.query.charts import ChartAsk, read_chart
from averment.agents.analyst.query.mentions import mark
from averment.agents.analyst.query.notes import read_notes
from averment.agents.analyst.query.reading import Picture, QueryReading
from averment.agents.analyst.query.signs import Seen, read_signs
from averment.agents.analyst.query.vocabulary import Vocabulary, vocabulary
from averment.agents.analyst.query.words import SUPERLATIVES
from averment.errors import AvermentError
from averment.tables.compose_select import compose_select

if TYPE_CHECKING:
    from averment.agents.analyst.skill import Question
    from averment.tables.select_spec import Select

SURE = 0.99
NEARLY = 0.98
UNREAD_SHARE, UNREAD_WORDS = 0.34, 2
"""How many words may stay without a place where several tables are joined: verbs that only say how they belong."""

_SECONDS = 10.0
_PROBED_ROWS = 1000


@dataclass(frozen=True)
class Understood:
    """One reading with its score: SURE or more when it may be acted on. ``signs`` are what it was judged by."""

    reading: QueryReading
    ask: ChartAsk
    score: float
    question_back: str | None = None
    probability: float = 0.0
    signs: dict[str, float] = field(default_factory=dict[str, float])


def understand(question: Question, *, chart: bool = False) -> list[Understood]:
    """The readings of a question, the best first; ``chart`` shapes them for a chart even when none is named."""
    if not question.profiles:
        return []
    known = vocabulary(question)
    noted = read_notes(question.text)
    # "IDs" would be split at its inner change of case.
    ask = read_chart(noted.text.replace("IDs", "ids"), chart=chart)
    if ask.kind is None and "trend" in noted.text.casefold():
        ask = replace(ask, kind="line")
    marked = mark(ask.text, known)
    tried = [attempt(marked, known, ask, question.anchor, chart=chart)]
    if len(known.profiles) > 1 and not chart and not ask.marked:
        second = attempt_phrases(noted, known, question.anchor)
        tried += [second] if second is not None else []
    if len(known.profiles) == 1 and not chart and not ask.marked:
        tried = [replace(one, select=one.select and list_once(one.select, known.profiles[0])) for one in tried]
    found = [(one, one.select, _run(question, one.select)) for one in tried if one.select is not None]
    if not found:
        return [_unclear(question, ask, tried[0].unread)] if tried[0].unread else []
    same = _agreement(found[0][2], found[1][2]) if len(found) == 2 else 0
    judged = [
        _judged(question, known, ask, one, select, result, chart=chart, readers=(len(found), same))
        for one, select, result in found
    ]
    judged.sort(key=lambda one: -one.score)
    return judged[:1] if same == 2 else judged


def _agreement(one: list[tuple[object, ...]] | None, two: list[tuple[object, ...]] | None) -> int:
    """Two when two results hold the same columns, one when the one's are among the other's, else zero."""
    if not one or not two or len(one) != len(two):
        return 0
    columns = [sorted(tuple(sorted(map(repr, column))) for column in zip(*rows, strict=True)) for rows in (one, two)]
    few, many = sorted(columns, key=len)
    return (2 if few == many else 1) if all(column in many for column in few) else 0


def _judged(
    question: Question,
    known: Vocabulary,
    ask: ChartAsk,
    found: Attempt,
    select: Select,
    result: list[tuple[object, ...]] | None,
    *,
    chart: bool,
    readers: tuple[int, int],
) -> Understood:
    """A reading with the probability that it is right."""
    relations = len(known.profiles) > 1
    lenient = tuple(word for word in found.unread if not (relations and _is_verb(word)))
    signs = read_signs(
        Seen(
            marked=found.marked,
            draft=found.draft,
            select=select,
            ask=ask,
            vocabulary=known,
            unread=found.unread,
            lenient=lenient,
            content=found.content,
            loose=len(found.loose),
            rows=None if result is None else len(result),
            result=tuple(result or ()),
            chart=chart,
            margins=found.margins,
            agrees=found.fit is None and _agrees(question, known, ask, select, result, chart=chart),
            fit=found.fit,
            readers=readers,
            home=found.home,
            only_mentions=_only_mentions(select),
        )
    )
    chance = probability(signs)
    certain = result is not None and chance >= fitted(chart=bool(signs.get("chart"))).threshold
    if relations and not chart and not ask.marked and left_per(select, found.marked):
        certain = False
    if not relations and not chart:
        certain = result is not None and _is_plain(question, known, ask, found, select, lenient)
    reading = QueryReading(select=select, picture=_picture(select, ask, chart=chart), unread=() if chart else lenient)
    score = SURE + 0.01 * chance if certain else min(chance, NEARLY)
    back = None if certain else _ask(question, lenient)
    return Understood(reading, ask, score, back, chance, signs)


def _is_plain(
    question: Question, known: Vocabulary, ask: ChartAsk, found: Attempt, select: Select, lenient: tuple[str, ...]
) -> bool:
    """Whether a question over one table was read in full; other skills answer what this one leaves open."""
    loose = [word for word in found.loose if not (ask.marked and word in SUPERLATIVES)]
    share = len(lenient) / max(1, found.content) / (2 if ask.marked else 1)
    few = ask.marked and share <= UNREAD_SHARE and len(lenient) <= UNREAD_WORDS
    if loose or (lenient and not few) or _only_mentions(select):
        return False
    if not ask.marked and leaves_out(select, known.profiles[0], found.marked):
        return False
    said = {token.normal for token in found.marked.tokens}
    return is_row_question(select, known.profiles[0], said)


def _agrees(
    question: Question,
    known: Vocabulary,
    ask: ChartAsk,
    select: Select,
    result: list[tuple[object, ...]] | None,
    *,
    chart: bool,
) -> bool:
    """Whether reading the question with less help from its tables gives the same rows."""
    other = attempt(mark(ask.text, known), known, ask, question.anchor, chart=chart, settled=False).select
    if other is None or result is None:
        return False
    if other == select:
        return True
    again = _run(question, other)
    return again is not None and sorted(map(repr, again)) == sorted(map(repr, result))


def _only_mentions(select: Select) -> bool:
    """Whether a table is joined that nothing is shown, tested or counted of: its part in the question was missed."""
    if not select.joins or select.conditions or select.groups or select.order or select.set_operation:
        return False
    return len(tables_of(select)) < 2


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
        "sent",
        "serve",
        "serves",
        "written",
        "taught",
        "paid",
        "sold",
        "bought",
        "flow",
        "vary",
        "occur",
        "make",
    }


def _run(question: Question, select: Select) -> list[tuple[object, ...]] | None:
    """The rows a query returns, up to some; None when it does not run, none when all it returns is nothing."""
    composed = compose_select(select, question.catalog.dialect)
    try:
        table = question.engine.run(composed.sql, composed.params, timeout=_SECONDS, row_limit=_PROBED_ROWS).table
    except AvermentError:
        return None
    rows = list(zip(*(column.to_pylist() for column in table.columns), strict=True))
    if len(rows) == 1 and all(value is None for value in rows[0]):
        return []
    return rows


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
