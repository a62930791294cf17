"""A finished analysis' result as a table that can be asked: which row is lowest, what one row says, which is more.

Every value comes from a cell of the kept table and is bound to it, so that an answer says where it stands. What names
anything that the table does not hold is not answered here.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from averment.agents.assistant.row_words import Wanted, wanted_of
from averment.evidence.bind import bind, cell, literal, slot
from averment.evidence.values import as_decimal, scalar
from averment.language.periods import find_periods
from averment.language.tokens import content_words, split_words
from averment.records.base import derived_id

if TYPE_CHECKING:
    import pyarrow as pa

    from averment.records.run import Finding, Observation

MOST_ROWS = 20_000
MOST_TOLD = 5
_NAMESPACE = "0b8ed0c4-3a53-4d0c-8f57-0f6f3a2f7e61"
_TIMES = re.compile(r"\b(?:year|month|quarter|week|day|hour|date|weekday|id|code|number of week)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class ResultTable:
    """One kept table of a run: its content, and what its cells are cited by."""

    table: pa.Table
    task_id: str
    observation_id: str
    query_hash: str
    whole: bool

    @classmethod
    def of(cls, table: pa.Table, task_id: str, observation: Observation) -> ResultTable:
        """The table that a call gave, with what was noted of it."""
        noted = observation.data if isinstance(observation.data, dict) else {}
        return cls(
            table=table,
            task_id=task_id,
            observation_id=observation.observation_id,
            query_hash=str(noted.get("query_hash") or ""),
            whole=not noted.get("truncated", False),
        )


@dataclass(frozen=True, slots=True)
class TableAnswer:
    """Sentences about rows, and the cells they are bound to."""

    words: str
    references: tuple[str, ...]


def told_by(question: str, kept: ResultTable) -> TableAnswer | None:
    """What the table's rows say to a question, or None where they do not hold all that it names."""
    parts = _parts(kept.table)
    if parts is None or not kept.whole or not 1 < kept.table.num_rows <= MOST_ROWS:
        return None
    labels, measures = parts
    rows = [{name: scalar(value) for name, value in row.items()} for row in kept.table.to_pylist()]
    wanted = wanted_of(question)
    named = _named_rows(question, labels, kept.table, rows)
    left = _unexplained(question, labels, measures, named.words, wanted)
    measure = _measure(question, measures)
    if left or measure is None:
        return None
    if wanted.end is not None:
        return _ranked(kept, rows, named, labels, measure, wanted)
    if not named.rows or not named.labels or len(named.rows) > MOST_TOLD:
        return None
    if wanted.compares and len(named.rows) == 2:
        return _compared(kept, rows, named.rows, labels, measure, wanted)
    return _told(kept, measure, [_sentence(kept, "", row, labels, measure, question) for row in named.rows])


@dataclass(frozen=True, slots=True)
class _Named:
    """The rows a question names by their labels, in the order it names them, and the words that do."""

    rows: tuple[int, ...]
    labels: tuple[str, ...]
    words: frozenset[str]


def _parts(table: pa.Table) -> tuple[list[str], list[str]] | None:
    """The columns that name rows, and those that measure them; None where there are not both."""
    import pyarrow as pa

    numeric = [
        field.name
        for field in table.schema
        if pa.types.is_integer(field.type) or pa.types.is_floating(field.type) or pa.types.is_decimal(field.type)
    ]
    others = [name for name in table.column_names if name not in numeric]
    times = [name for name in numeric if _TIMES.search(name)] if len(numeric) > 1 else []
    labels, measures = [*others, *times], [name for name in numeric if name not in times]
    return (labels, measures) if labels and measures else None


def _named_rows(question: str, labels: Sequence[str], table: pa.Table, rows: list[dict[str, Any]]) -> _Named:
    said = [word.normal for word in split_words(question)]
    found: list[tuple[int, int, str, frozenset[str]]] = []
    for name in labels:
        for at, row in enumerate(rows):
            words = [word.normal for word in split_words(str(row[name]))] if isinstance(row[name], str) else []
            place = _place(words, said)
            if place is not None:
                found.append((place, at, name, frozenset(words)))
        found += [(0, at, name, words) for at, words in _in_period(question, name, table)]
    # A longer name holds a shorter one: "New York City" is not "New York".
    kept = [one for one in found if not any(one[3] < other[3] for other in found)]
    columns = {name for _, _, name, _ in kept}
    by_row: dict[int, set[str]] = {}
    for _, at, name, _ in kept:
        by_row.setdefault(at, set()).add(name)
    order = {at: place for place, at, _, _ in sorted(kept, reverse=True)}
    meant = sorted((at for at, names in by_row.items() if names == columns), key=lambda at: (order[at], at))
    return _Named(tuple(meant), tuple(sorted(columns)), frozenset[str]().union(*(words for *_, words in kept)))


def _place(words: Sequence[str], said: Sequence[str]) -> int | None:
    """Where a name's words stand in the question, one after the other."""
    if not words or (len(words) == 1 and len(words[0]) < 2):
        return None
    size = len(words)
    return next((at for at in range(len(said) - size + 1) if list(said[at : at + size]) == list(words)), None)


def _in_period(question: str, name: str, table: pa.Table) -> list[tuple[int, frozenset[str]]]:
    """The rows whose day lies in the period a question names."""
    days = [_day(value) for value in table.column(name).to_pylist()]
    known = [day for day in days if day is not None]
    if not known:
        return []
    found: list[tuple[int, frozenset[str]]] = []
    for match in find_periods(question, anchor=max(known)):
        first, last = match.start, match.end
        if first is None or last is None:
            continue
        words = frozenset(word.normal for word in split_words(match.text))
        found += [(at, words) for at, day in enumerate(days) if day is not None and first <= day <= last]
    return found


def _day(value: object) -> date | None:
    if isinstance(value, datetime):
        return value.date()
    return value if isinstance(value, date) else None


def _unexplained(
    question: str, labels: Sequence[str], measures: Sequence[str], named: frozenset[str], wanted: Wanted
) -> set[str]:
    """The words of a question that name something which is neither in the table nor a way of asking."""
    known = {word.stem for name in (*labels, *measures) for word in split_words(name)}
    words = {word for word in content_words(question) if word.normal not in named}
    return {word.normal for word in words if word.stem not in known and word.normal not in wanted.words}


def _measure(question: str, measures: Sequence[str]) -> str | None:
    """The measure that is asked for: the only one, or the one that is named; None where a name is only half there."""
    said = {word.stem for word in content_words(question)}
    stems = {name: {word.stem for word in content_words(name)} for name in measures}
    whole = [name for name in measures if stems[name] and stems[name] <= said]
    if len(whole) == 1:
        return whole[0]
    # "the lowest amount" after an average amount may mean another number: it is asked anew.
    touched = [name for name in measures if stems[name] & said]
    return measures[0] if len(measures) == 1 and not touched and not whole else None


def _ranked(
    kept: ResultTable,
    rows: list[dict[str, Any]],
    named: _Named,
    labels: Sequence[str],
    measure: str,
    wanted: Wanted,
) -> TableAnswer | None:
    among = named.rows if named.labels else range(len(rows))
    numbers = [(number, at) for at in among if (number := as_decimal(rows[at][measure])) is not None]
    if len(numbers) < 2 or (named.labels and len(labels) == 1):
        return None
    sign = -1 if wanted.end == "highest" else 1
    ordered = sorted(numbers, key=lambda one: (sign * one[0], one[1]))
    if wanted.place > len(ordered):
        return None
    values = list(dict.fromkeys(number for number, _ in ordered))
    if wanted.nth:
        chosen = _at(ordered, ordered[wanted.place - 1][0])
    elif wanted.place == 1:
        chosen = _at(ordered, values[0])
    else:
        chosen = ordered[: wanted.place]
    if len(chosen) > max(MOST_TOLD, wanted.place):
        return None
    head = f"the {wanted.words_said} " if wanted.nth or wanted.place == 1 else ""
    return _told(kept, measure, [_sentence(kept, head, at, labels, measure, wanted.said) for _, at in chosen])


def _at(ordered: Sequence[tuple[Decimal, int]], value: Decimal) -> list[tuple[Decimal, int]]:
    return [(number, at) for number, at in ordered if number == value]


def _compared(
    kept: ResultTable,
    rows: list[dict[str, Any]],
    two: Sequence[int],
    labels: Sequence[str],
    measure: str,
    wanted: Wanted,
) -> TableAnswer | None:
    first, second = (as_decimal(rows[at][measure]) for at in two)
    if first is None or second is None:
        return None
    told = _told(kept, measure, [_sentence(kept, "", at, labels, measure, wanted.said) for at in two])
    if wanted.more is None:
        return told
    if wanted.asks_which:
        return told
    holds = first > second if wanted.more else first < second
    return TableAnswer(f"{'Yes' if holds else 'No'}. {told.words}", told.references)


def _sentence(
    kept: ResultTable, head: str, row: int, labels: Sequence[str], measure: str, question: str
) -> tuple[Finding, int]:
    """One row as a sentence bound to its cells."""
    slots = {"value": _slot(kept, row, measure)}
    slots |= {f"label{at}": _slot(kept, row, name) for at, name in enumerate(labels)}
    named = " and ".join(f"{literal(name)} {{label{at}}}" for at, name in enumerate(labels))
    begins = f"{head}{literal(measure)} is {{value}}, for {named}."
    template = f"The {begins.removeprefix('the ')}"
    own = " ".join([question, measure, *labels])
    found = bind(
        finding_id=derived_id(_NAMESPACE, kept.observation_id, str(row), measure, head),
        template=template,
        slots=slots,
        method=f"read from {kept.task_id}",
        own_words=own,
    )
    return found, row


def _slot(kept: ResultTable, row: int, column: str) -> Any:
    return slot(cell(kept.table, row, column, observation_id=kept.observation_id, query_hash=kept.query_hash))


def _told(kept: ResultTable, measure: str, sentences: Sequence[tuple[Finding, int]]) -> TableAnswer:
    places = tuple(
        f"{kept.task_id}, row {row}, {measure}, query SHA-256 {kept.query_hash[:12]}" for _, row in sentences
    )
    return TableAnswer("\n".join(finding.text for finding, _ in sentences), tuple(dict.fromkeys(places)))
