"""Several numbers of a row as one: wins and draws combined, the sum of home and away goals, all four marks added up.

Together they are a column that is computed, so that whatever can be asked of a number can be asked of their sum.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from averment.plans.names import value_name
from averment.plans.plan import Value
from averment.reading.lattice.column_series import column_series
from averment.reading.lattice.number_words import SMALL
from averment.reading.schema.schema_view import computed
from averment.reading.slots.formulas import FIRM, drop_parts, gap, is_number
from averment.reading.words import DERIVED, kinship, lexicon, word_list

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from averment.reading.lattice.spans import Lattice, Span
    from averment.reading.schema.schema_column import Column
    from averment.reading.schema.schema_view import Schema, Table

_SURE = 1.03
_MOST, _LONGEST = 6, 3
"""How many numbers are added up at most, and how many words name one of them."""

_ALIKE = 2.0
"""How many times higher the highest of numbers may reach that are measured alike."""

_FILLER = frozenset("the both all of his her their its our these those".split())


def sum_spans(lattice: Lattice, schema: Schema) -> None:
    """Hypotheses that words mean the sum of several numbers of a row, or their average."""
    for table in schema.tables.values():
        for start, end, columns in [*_lists(lattice, table), *_series(lattice, table)]:
            if all(column.filled == column.rows for column in columns):
                _framed(lattice, start, end, columns)


def _framed(lattice: Lattice, start: int, end: int, columns: Sequence[Column]) -> None:
    """The sum, where words before the numbers or behind them ask for one."""
    words, said = lattice.words, lexicon("words")["summed"]
    first = start
    while first and words[first - 1] in _FILLER - {"of"}:
        first -= 1
    opening = _ending(words[:first], said["before"])
    last = end + (words[end : end + 1] != [] and words[end] in word_list("score_noun"))
    closing = _beginning(words[last:], said["behind"])
    if opening or closing:
        # "The total of clicks and impressions" may be two totals; what is called or measured alike is added up.
        sure = closing or words[first - opening] == "combined" or _shared(columns) or _are_of_one_size(columns)
        if opening and sure:
            drop_parts(lattice, start, end)
        until = (last if closing else end) + closing
        lattice.add(first - opening, until, "COLUMN", _SURE if sure else FIRM, _sum(columns), guessed=not sure)
    elif averaged := _ending(words[:first], said["averaged"]):
        lattice.add(first - averaged, last, "COLUMN", _SURE, _sum(columns, mean=True))


def _ending(words: Sequence[str], phrases: Sequence[str]) -> int:
    """How many words the longest of some phrases has that the words end with."""
    return max((len(p.split()) for p in phrases if list(words[-len(p.split()) :]) == p.split()), default=0)


def _beginning(words: Sequence[str], phrases: Sequence[str]) -> int:
    return max((len(p.split()) for p in phrases if list(words[: len(p.split())]) == p.split()), default=0)


def _lists(lattice: Lattice, table: Table) -> Iterator[tuple[int, int, list[Column]]]:
    """Numbers of a table that are named one behind the other: "maths, english and science", "home and away goals"."""
    named = [s for s in lattice.spans if is_number(s) and s.data.table == table.name and s.data.expression is None]
    for last in [s for s in named if s.strength >= FIRM]:
        start, columns = last.start, [last.data]
        while (before := _item(lattice, table, named, start, last.data)) is not None and len(columns) < _MOST:
            if before[1] in columns:
                break
            start, columns = before[0], [before[1], *columns]
        if len(columns) > 1:
            yield start, last.end, columns


def _item(lattice: Lattice, table: Table, named: list[Span], start: int, last: Column) -> tuple[int, Column] | None:
    """Where the item of a list before a place begins, and the number that it names."""
    words, end = lattice.words, start
    while end and words[end - 1] == "the":
        end -= 1
    listed = end > 0 and "," in gap(lattice, end)
    if end and words[end - 1] in {"and", "&"}:
        end, listed = end - 1, True
    for size in range(_LONGEST, 0, -1) if listed else ():
        at = end - size
        if at < 0 or any("," in gap(lattice, n) for n in range(at + 1, end)):
            continue
        alike = _like(words[at:end], last, table)
        whole = [s for s in named if (s.start, s.end) == (at, end) and s.strength >= FIRM]
        if alike is not None:
            return at, alike
        if whole:
            return at, max(whole, key=lambda s: s.strength).data
    return None


def _like(words: Sequence[str], last: Column, table: Table) -> Column | None:
    """The number that is called as the last one is but for one word: home, where the last are away goals."""
    if len(words) != 1:
        return None
    able = [
        column
        for column in table.measures
        if column.expression is None and len(column.words) == len(last.words) > 1
        for own in set(column.words) - set(last.words)
        if len(set(last.words) - set(column.words)) == 1 and kinship(words[0], own) >= DERIVED
    ]
    return able[0] if len(able) == 1 else None


def _shared(columns: Sequence[Column]) -> tuple[str, ...]:
    """What numbers are all called: goals, of home goals and away goals."""
    return tuple(word for word in columns[0].words if all(word in column.words for column in columns))


def _are_of_one_size(columns: Sequence[Column]) -> bool:
    """Whether numbers reach about as high, as marks of one exam do."""
    highs = [float(column.high) for column in columns if isinstance(column.high, int | float)]
    return len(highs) == len(columns) and 0 < max(highs) <= _ALIKE * min(highs)


def _series(lattice: Lattice, table: Table) -> Iterator[tuple[int, int, list[Column]]]:
    """Numbers that go by one noun: "the three tests" where they are numbered, "all four marks" where there are four."""
    words = lattice.words
    plain = [column for column in table.measures if column.expression is None]
    for place, word in enumerate(words):
        number = words[place - 1] if place else ""
        many = int(number) if number.isdigit() else SMALL.get(number)
        start = place - (many is not None)
        for noun, members in column_series(table).items():
            if kinship(word, noun) >= DERIVED and many in {None, len(members)}:
                yield start, place + 1, members
        if word in word_list("score_noun") and many == len(plain) and 1 < len(plain) <= _MOST:
            yield start, place + 1, plain


def _sum(columns: Sequence[Column], *, mean: bool = False) -> Column:
    value = columns[0].value
    for column in columns[1:]:
        value = Value(kind="arithmetic", operation="+", operands=(value, column.value))
    if mean:
        many = Value(kind="number", number=float(len(columns)))
        value = Value(kind="arithmetic", operation="/", operands=(value, many))
    first = columns[0]
    return computed(
        first.table,
        value_name(value),
        value,
        columns,
        rows=first.rows,
        filled=first.filled,
        additive=not mean and all(column.additive for column in columns),
        words=_shared(columns),
    )
