"""Two numbers of one row that belong together: a high and a low, a reading at the start and one at the end.

Two columns are such a pair where they are called alike but for the words that tell them apart (the lexicon's
``difference``). What lies between them is a number that nobody stored. Where it is what a meter ran, it is a column of
the table; where it is a range or a change, only a question's own words make it one.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from averment.plans.plan import Value
from averment.reading.schema.schema_view import computed
from averment.reading.words import lexicon, singular, word_list

if TYPE_CHECKING:
    from averment.reading.schema.schema_column import Column
    from averment.reading.schema.schema_view import Table


_DEGREES = frozenset({"c", "f", "celsius", "fahrenheit", "degc", "degf"})


@dataclass(frozen=True, slots=True)
class Pair:
    """Two numbers of a row, the one that is subtracted first; ``shared`` is what both are called."""

    kind: dict[str, Any]
    table: Table
    first: Column
    last: Column
    shared: frozenset[str]

    @property
    def called(self) -> frozenset[str]:
        """What the two may be called by together: what both names say, or what their unit is of."""
        heat = {"temperature"} if _DEGREES & {*self.first.words} & {*self.last.words} else set[str]()
        return self.shared | heat

    def column(self, *, less: bool = False) -> Column:
        """What lies between the two: the last less the first, or for what fell the other way round."""
        return difference(*((self.last, self.first) if less else (self.first, self.last)), self.table)

    def words(self, key: str) -> frozenset[str]:
        """What the lexicon says of such a pair."""
        return frozenset(self.kind.get(key, "").split())


def difference(first: Column, last: Column, table: Table, *, additive: bool = False, words: str = "") -> Column:
    """The last number of a row less the first, as a column."""
    value = Value(kind="arithmetic", operation="-", operands=(last.value, first.value))
    filled = min(first.filled, last.filled)
    name = f"{last.name} minus {first.name}"
    return computed(
        table.name,
        name,
        value,
        (first, last),
        rows=table.rows,
        filled=filled,
        additive=additive,
        words=tuple(words.split()),
    )


def pairs(table: Table) -> list[Pair]:
    """The pairs of a table, each once."""
    able = [c for c in table.measures if c.expression is None and c.words]
    found: list[Pair] = []
    for kind in lexicon("words")["difference"]:
        firsts = [(c, rest) for c in able if (rest := _rest(c, kind["from"])) is not None]
        lasts = [(c, rest) for c in able if (rest := _rest(c, kind["to"])) is not None]
        for first, rest in firsts:
            found += [Pair(kind, table, first, last, rest) for last, also in lasts if also == rest and first != last]
    return found


def add_metered(table: Table) -> None:
    """What ran between two readings of a meter, as a column by what it is called, unless the table stores one."""
    for pair in pairs(table):
        for entry in lexicon("words")["metered"]:
            called = entry["called"].split()
            shared = {*pair.first.words} & {*pair.last.words}
            if not set(entry["names"].split()) & {*shared, *(singular(word) for word in shared)}:
                continue
            stored = any(set(called) & set(column.words) - pair.shared for column in table.measures)
            if not stored and _grows(pair):
                words = " ".join(called)
                table.columns.append(difference(pair.first, pair.last, table, additive=True, words=words))
                return


def metered(table: Table) -> list[tuple[Column, dict[str, Any]]]:
    """The columns of a table that say what ran between two readings, with what the lexicon says of them."""
    entries = {entry["called"]: entry for entry in lexicon("words")["metered"]}
    made = [c for c in table.columns if c.expression is not None and c.expression.operation == "-"]
    return [(c, entries[said]) for c in made if (said := " ".join(c.words)) in entries]


def _grows(pair: Pair) -> bool:
    """Whether the second reading lies above the first at both ends of the data."""
    ends = (pair.first.low, pair.last.low, pair.first.high, pair.last.high)
    if not all(isinstance(each, int | float) for each in ends):
        return False
    return ends[0] <= ends[1] and ends[2] <= ends[3]


def _rest(column: Column, names: str) -> frozenset[str] | None:
    """What a column's name says beside one of these words; None where it has none of them."""
    own = next((name for name in names.split() if name in column.words), None)
    dull = word_list("unit_words") - {"in", "to"}
    return frozenset(word for word in column.words if word != own and word not in dull) if own is not None else None
