"""From a run's open sources to a schema: profiles, the values of longer text columns, relations, proven total rows.

What was gathered is kept beside the profiles for the same bytes, so that a second question costs next to nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import date
from typing import TYPE_CHECKING, Any

from averment.errors import AvermentError
from averment.plans.plan import Value
from averment.reading.schema.differences import add_metered
from averment.reading.schema.schema_column import Column
from averment.reading.schema.schema_view import Schema, Table, computed, read_table
from averment.reading.times.durations import add_durations
from averment.reading.words import FAMILY, formulas, kinship, lexicon, singular
from averment.tables.engines.backend import quote

if TYPE_CHECKING:
    from averment.tables.profile.profiler import TableProfile
    from averment.tables.profile.relationships import TableRelation

MOST_VALUES = 5_000
"""Columns with more different texts than this are searched by their names only."""

TOTAL_SHARE = 0.6
"""A row called total is one if its figure is at least this part of all the others together."""

FEWEST_PAIRS = 8
"""From so many rows on it is no accident that one moment never comes before another."""

Ask = Callable[[str, Sequence[Any]], list[dict[str, Any]]]
"""Runs one query and gives its rows."""


def gather(profiles: Sequence[TableProfile], relations: Sequence[TableRelation], ask: Ask) -> Schema:
    """The schema of profiled tables; ``ask`` looks up what profiles leave out."""
    tables = [read_table(profile, texts_of(profile, ask)) for profile in profiles]
    for table in tables:
        _prove_totals(table, ask)
        _add_formulas(table)
        add_metered(table)
        add_durations(table, lambda first, last, table=table: _in_order(table, first, last, ask))
    schema = Schema(tables, relations, _anchor(tables))
    _add_joined_formulas(schema)
    return schema


def texts_of(profile: TableProfile, ask: Ask) -> dict[str, tuple[str, ...]]:
    """All texts of columns that have more than a profile lists, the most frequent first."""
    found: dict[str, tuple[str, ...]] = {}
    for column in profile.columns:
        if column.data_type != "string" or column.values is not None or column.cardinality > MOST_VALUES:
            continue
        name = quote(column.name)
        sql = (
            f"SELECT {name} AS v, count(*) AS n FROM {quote(profile.table)} WHERE {name} IS NOT NULL "
            f"GROUP BY {name} ORDER BY n DESC, v"
        )
        try:
            found[column.name] = tuple(str(row["v"]) for row in ask(sql, ()))
        except AvermentError:
            continue
    return found


def _prove_totals(table: Table, ask: Ask) -> None:
    """Keep a value called total only where the figures bear it out: they are the others' sum, or most of it.

    Figures that nobody would add up must give the sum exactly.
    """
    measures = [c for c in table.columns if c.has("measure")]
    sums = [*(c for c in measures if c.additive), *(c for c in measures if not c.additive)][:3]
    for column in table.columns:
        if not column.totals:
            continue
        proven: list[str] = []
        for value in column.totals:
            parts = ", ".join(
                f"sum(CASE WHEN {quote(column.name)} = ? THEN {quote(m.name)} END) AS own{n}, "
                f"sum(CASE WHEN {quote(column.name)} <> ? THEN {quote(m.name)} END) AS rest{n}"
                for n, m in enumerate(sums)
            )
            if not sums:
                break
            try:
                row = ask(f"SELECT {parts} FROM {quote(table.name)}", [value, value] * len(sums))[0]
            except AvermentError:
                continue
            pairs = [(float(row[f"own{n}"] or 0), float(row[f"rest{n}"] or 0)) for n in range(len(sums))]
            if any(_sums_up(own, rest, m.additive) for (own, rest), m in zip(pairs, sums, strict=True)):
                proven.append(value)
        column.totals = tuple(proven)


_AMOUNTS = frozenset("amount total subtotal".split())


def _sums_up(own: float, rest: float, additive: bool) -> bool:
    if additive and own > 0 and rest > 0 and own >= TOTAL_SHARE * rest:
        return True
    return rest != 0 and abs(own - rest) <= 1e-9 * abs(rest)


def _in_order(table: Table, first: Column, last: Column, ask: Ask) -> bool:
    """Whether of two moments the second never comes first, in rows enough to say so."""
    one, two = quote(first.name), quote(last.name)
    sql = (
        f"SELECT count(*) AS n, sum(CASE WHEN {two} < {one} THEN 1 ELSE 0 END) AS back, "
        f"sum(CASE WHEN {two} > {one} THEN 1 ELSE 0 END) AS later "
        f"FROM {quote(table.name)} WHERE {one} IS NOT NULL AND {two} IS NOT NULL"
    )
    try:
        row = ask(sql, ())[0]
    except (AvermentError, IndexError):
        return False
    return int(row["n"] or 0) >= FEWEST_PAIRS and not row["back"] and bool(row["later"])


def _add_formulas(table: Table) -> None:
    """Columns that nobody stored but two others give, where the table has no such column itself."""
    for name, (left, sign, right) in formulas().items():
        if any(kinship(name, word) >= FAMILY for column in table.measures for word in column.words):
            continue
        first, second = _first(table, left), _first(table, right)
        if first is None or second is None or first is second:
            continue
        table.columns.append(_of_many(table, name, _computed(table, name, sign, first, second)))


def _of_many(table: Table, name: str, made: Column) -> Column:
    """What is earned on one piece, times the pieces that were sold, where the table says how many."""
    prices, _, quantities = formulas()["revenue"]
    priced = made.expression is not None and made.expression.operands[0].column
    pieces = _first(table, quantities)
    price = _first(table, prices)
    if name != "profit" or pieces is None or price is None or priced != price.name:
        return made
    return _computed(table, name, "*", made, pieces)


def _add_joined_formulas(schema: Schema) -> None:
    """Formulas whose one number stands in the table a row points at: a quantity here, its price there."""
    for one in schema.relations:
        here, there = schema.tables[one.left], schema.tables[one.right]
        for name, (left, sign, right) in formulas().items():
            if any(name in c.words for c in (*here.measures, *there.measures)):
                continue
            if sign == "-":
                _add_joined_difference(here, there, name)
                continue
            first, second = _first(there, left), _first(here, right)
            if first is None or second is None or _first(here, left) is not None:
                continue
            if any(_AMOUNTS & set(column.words) and column.additive for column in here.measures):
                continue  # What was paid is stored, discounts and all.
            here.columns.append(_computed(here, name, sign, first, second))


def _add_joined_difference(here: Table, there: Table, name: str) -> None:
    """What a row earns where the table that it points at says what it costs: a price here, its cost there."""
    left, sign, right = formulas()[name]
    first, second = _first(here, left), _first(there, right)
    if first is not None and second is not None and _first(here, right) is None:
        here.columns.append(_of_many(here, name, _computed(here, name, sign, first, second)))


def _computed(table: Table, name: str, sign: Any, first: Column, second: Column) -> Column:
    """A number of a table that two columns give, called by the formula's name."""
    value = Value(kind="arithmetic", operation=sign, operands=(first.value, second.value))
    of = (first, second)
    filled = min(column.filled for column in of if column.table == table.name)
    made = computed(table.name, name, value, of, rows=table.rows, filled=filled, additive=True, words=(name,))
    deductions = set(lexicon("words")["aside"]["before"].split())
    made.before = next((c for c in table.measures if c not in of and deductions & set(c.words)), None)
    return made


def _first(table: Table, names: Sequence[str]) -> Column | None:
    for name in names:
        parts = name.split("_")
        for column in table.measures:
            if column.expression is None and set(parts) <= {singular(w) for w in column.words} | set(column.words):
                return column
    return None


def _anchor(tables: Sequence[Table]) -> date | None:
    """The latest day of the data: what "last month" counts from."""
    latest: date | None = None
    for table in tables:
        for column in table.columns:
            if column.kind == "date" and isinstance(column.high, str):
                try:
                    day = date.fromisoformat(column.high[:10])
                except ValueError:
                    continue
                latest = day if latest is None or day > latest else latest
    return latest
