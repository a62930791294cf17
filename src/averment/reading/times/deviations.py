"""What a row was meant to be and what it came to: overspent, over budget, late, on time.

Two columns of one table are such a pair where their names say so (the lexicon's ``deviation``): a due date and the day
of return, a budget and what was spent. What people say of the two is a condition on each row, or the difference itself.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from averment.plans.meaning import Meaning
from averment.plans.plan import Test, Value
from averment.reading.schema.schema_view import computed
from averment.reading.times.durations import SECONDS, between
from averment.reading.words import lexicon, singular, tokens

if TYPE_CHECKING:
    from collections.abc import Iterator

    from averment.plans.plan import Operator
    from averment.reading.lattice.spans import Lattice
    from averment.reading.schema.schema_column import Column
    from averment.reading.schema.schema_view import Schema, Table

_OPERATORS: dict[str, Operator] = {"more": ">", "less": "<", "held": "<="}
_DATED = frozenset({"date", "on", "at", "time", "day"})
_AMOUNTS = frozenset({"delay"})
_BY_HOW_MUCH = frozenset("most least much total average mean highest largest biggest top sum median".split())


def deviation_spans(lattice: Lattice, schema: Schema) -> None:
    """Hypotheses that some words say that a row is not as it was meant to be."""
    much = bool(_BY_HOW_MUCH & set(lattice.words))
    for pair in lexicon("words")["deviation"]:
        for table in schema.tables.values():
            for meant, came in _pairs(table, pair):
                for said, operator in _OPERATORS.items():
                    for phrase in pair[said]:
                        # Money is over by so much, unless "held"; a day is late, unless the days are asked for.
                        amount = much and said != "held" and came.kind == "number"
                        _said(lattice, phrase, operator, (meant, came), table, amount=amount)
                        if pair["kind"] == "date":
                            for verb in (
                                name for name in pair["came"].split() if name.endswith("ed") or name == "paid"
                            ):
                                _said(lattice, f"{verb} {phrase}", operator, (meant, came), table, amount=False)


def _pairs(table: Table, pair: dict[str, Any]) -> Iterator[tuple[Column, Column]]:
    """The two columns, where a table has one that was meant; of those that came, the likest."""
    able = [c for c in table.columns if c.kind == pair["kind"] and c.expression is None and not c.has("key", "flag")]
    meant = [c for c in able if set(c.words) & set(pair["meant"].split())]
    came = [c for name in pair["came"].split() for c in able if c not in meant and name in c.words]
    if len(meant) != 1:
        return
    came = [c for c in came if c.has("stamp") == meant[0].has("stamp")]
    if came:
        # What shares a word with what was meant is of the same thing: a scheduled and an actual departure.
        yield meant[0], max(came, key=lambda c: len(set(c.words) & set(meant[0].words) - _DATED))


def _said(
    lattice: Lattice, phrase: str, operator: Operator, of: tuple[Column, Column], table: Table, *, amount: bool
) -> None:
    wanted = [word for word, _, _ in tokens(phrase)]
    meant, came = of
    for start in range(len(lattice.words) - len(wanted) + 1):
        end = start + len(wanted)
        if lattice.words[start:end] != wanted:
            continue
        days = _days_before(lattice.words, start) if came.kind == "date" else start
        if came.kind == "date" and _is_measured(lattice.words, start):
            # "More than 15 minutes late": by how much, as a number to compare.
            lattice.add(start, end, "COLUMN", 1.02, _difference(phrase, operator, meant, came, table))
            continue
        if amount or days < start or phrase in _AMOUNTS:
            lattice.add(days, end, "COLUMN", 1.0, _difference(phrase, operator, meant, came, table))
        else:
            test = Test(value=came.value, operator=operator, other=meant.value)
            lattice.add(start, end, "TEST", 0.98, Meaning(word=phrase, kind="condition", where=(test,)))


def _is_measured(words: list[str], start: int) -> bool:
    """Whether a length of time with its number stands right before: 15 minutes late, an hour early."""
    before = words[max(0, start - 2) : start]
    return len(before) == 2 and singular(before[1]) in SECONDS and before[0] != "many"


def _days_before(words: list[str], start: int) -> int:
    """Where "how many days late" begins; ``start`` where no days are asked for."""
    if words[max(0, start - 1) : start] == ["how"]:
        return start - 1
    if words[max(0, start - 1) : start] not in (["day"], ["days"]):
        return start
    return start - 3 if words[max(0, start - 3) : start - 1] == ["how", "many"] else start - 1


def _difference(phrase: str, operator: Operator, meant: Column, came: Column, table: Table) -> Column:
    """By how much: what came above what was meant, or the other way round for what fell short of it."""
    first, last = (meant, came) if (operator == ">") == (came.kind == "date") else (came, meant)
    if came.kind == "date":
        return between(table, f"time from {first.name} to {last.name}", first, last)
    value = Value(kind="arithmetic", operation="-", operands=(first.value, last.value))
    filled = min(meant.filled, came.filled)
    words = phrase.split()
    return computed(
        table.name, phrase, value, (meant, came), rows=table.rows, filled=filled, additive=came.additive, words=words
    )
