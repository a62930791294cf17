"""Which columns of which tables belong together: declared foreign keys, and keys inferred by name and inclusion.

A column refers to a key when its name says so (the same name, or the other table's name before it) and nearly every
value it holds is a value of the key. Declared keys of SQLite and DuckDB files are read from the files themselves.
"""

from __future__ import annotations

import sqlite3
from collections import deque
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from averment.errors import AvermentError
from averment.tables.engines.backend import quote
from averment.tables.guard.names import name_parts

if TYPE_CHECKING:
    from averment.tables.catalog import Catalog, OpenedSource
    from averment.tables.engines.engine import Engine
    from averment.tables.profile.profiler import ColumnProfile, TableProfile

_KEY_WORDS = frozenset({"id", "code", "key", "number", "no", "num", "uuid", "guid", "symbol", "ticker", "abbr"})
_INCLUDED = 0.9
_INCLUSION_SECONDS = 60.0
_MOST_COMPARED = 5_000


@dataclass(frozen=True, slots=True)
class TableRelation:
    """``left_column`` of ``left`` holds values of ``right_column``, a key of ``right``."""

    left: str
    left_column: str
    right: str
    right_column: str
    declared: bool = False
    included: float = 1.0
    """The share of the left column's distinct values that the key holds."""
    coded: bool = False
    """Whether only the values say so: codes under a name of their own, such as where a flight starts."""
    as_text: bool = False
    """Whether the one side is read as text and the other as numbers, so that both are compared as they are written."""

    @property
    def confidence(self) -> float:
        """How sure the relation is: a declared key is certain, a name alone is half of it, inclusion the rest."""
        if self.declared:
            return 1.0
        same = self.left_column.casefold() == self.right_column.casefold()
        return round((0.6 if same else 0.45) + 0.39 * self.included, 4)


class ValueSets:
    """How many values of a column another one holds.

    The values of a table's columns are read at once, when they are first asked for; where a column has too many of
    them, or is of a kind whose text does not tell what is equal, the engine compares.
    """

    def __init__(self, engine: Engine, profiles: Sequence[TableProfile]) -> None:
        self._engine = engine
        self._profiles = {profile.table: profile for profile in profiles}
        self._sets: dict[str, dict[str, frozenset[str]]] = {}

    def included(self, one: TableRelation, *, least: float = 0.0, timeout: float = _INCLUSION_SECONDS) -> float | None:
        """The share of the distinct values of the left column that the key holds; None where it has no values.

        It is 0 where it must be below ``least``, and where the columns cannot be compared.
        """
        column = self._profiles[one.left].column(one.left_column)
        key = self._profiles[one.right].column(one.right_column)
        assert column is not None and key is not None  # both come from the profiles
        if not one.as_text and key.cardinality < least * column.cardinality:
            return 0.0
        alike = column.data_type == key.data_type and not one.as_text
        mine, theirs = (self._of(each.left, each.left_column) if alike else None for each in (one, _turned(one)))
        if mine is not None and theirs is not None:
            return len(mine & theirs) / len(mine) if mine else None
        asked = inclusion_sql(one.left, one.left_column, one.right, one.right_column, as_text=one.as_text)
        try:
            row = self._engine.run(asked, timeout=timeout).table.to_pylist()[0]
        except AvermentError:
            return 0.0
        distinct, found = int(row["n"] or 0), int(row["m"] or 0)
        return found / distinct if distinct else None

    def _of(self, table: str, column: str) -> frozenset[str] | None:
        if table not in self._sets:
            self._sets[table] = self._read(table)
        return self._sets[table].get(column)

    def _read(self, table: str) -> dict[str, frozenset[str]]:
        names = [
            column.name
            for column in self._profiles[table].columns
            if column.data_type in {"string", "integer"} and column.cardinality <= _MOST_COMPARED
        ]
        parts = [
            f"SELECT {number} AS c, CAST(v AS VARCHAR) AS v FROM (SELECT DISTINCT {quote(name)} AS v "
            f"FROM {quote(table)} WHERE {quote(name)} IS NOT NULL) AS t{number}"
            for number, name in enumerate(names)
        ]
        if not parts:
            return {}
        try:
            found = self._engine.run(" UNION ALL ".join(parts), timeout=_INCLUSION_SECONDS)
        except AvermentError:
            return {}
        if found.truncated:
            return {}
        sets: list[set[str]] = [set() for _ in names]
        for number, value in zip(*(found.table.column(name).to_pylist() for name in ("c", "v")), strict=True):
            sets[number].add(str(value))
        return {name: frozenset(values) for name, values in zip(names, sets, strict=True)}


def _turned(one: TableRelation) -> TableRelation:
    return TableRelation(one.right, one.right_column, one.left, one.left_column, one.declared, as_text=one.as_text)


def relate(
    engine: Engine,
    profiles: Sequence[TableProfile],
    *,
    least: float = _INCLUDED,
    mixed: bool = False,
    values: ValueSets | None = None,
) -> tuple[TableRelation, ...]:
    """The relations between the profiled tables: declared ones first, then inferred ones that the data bear out.

    ``least`` is the share of distinct values that must be values of the key; with ``mixed`` a column of texts may refer
    to numbers of the same name, as one does in which some keys are written in another form.
    """
    values = values or ValueSets(engine, profiles)
    known = {profile.table.casefold(): profile for profile in profiles}
    found: dict[tuple[str, str, str, str], TableRelation] = {}
    for one in _declared(engine.catalog):
        left, right = known.get(one.left.casefold()), known.get(one.right.casefold())
        if left is None or right is None:
            continue
        from_, to = left.column(one.left_column), right.column(one.right_column)
        if from_ is not None and to is not None:
            found[left.table, from_.name, right.table, to.name] = TableRelation(
                left.table, from_.name, right.table, to.name, declared=True
            )
    joined = {frozenset((one.left, one.right)) for one in found.values()}
    for guess in _guesses(profiles, mixed=mixed):
        if frozenset((guess.left, guess.right)) in joined:
            continue
        share = values.included(guess, least=least)
        included = 1.0 if share is None else share
        if included >= least:
            sure = replace(guess, included=included)
            found.setdefault((guess.left, guess.left_column, guess.right, guess.right_column), sure)
    return tuple(found.values())


def join_path(relations: Iterable[TableRelation], tables: Sequence[str]) -> list[TableRelation] | None:
    """The fewest relations that connect the tables, each turned so that its left side is already there.

    The first table is where the path begins; None when some table cannot be reached.
    """
    edges: dict[str, list[TableRelation]] = {}
    for one in relations:
        edges.setdefault(one.left, []).append(one)
        edges.setdefault(one.right, []).append(_turned(one))
    there = [tables[0]]
    path: list[TableRelation] = []
    for wanted in tables[1:]:
        if wanted in there:
            continue
        steps = _reach(edges, there, wanted)
        if steps is None:
            return None
        for step in steps:
            if step.right not in there:
                there.append(step.right)
                path.append(step)
    return path


def _reach(edges: dict[str, list[TableRelation]], there: Sequence[str], wanted: str) -> list[TableRelation] | None:
    queue: deque[tuple[str, list[TableRelation]]] = deque((table, []) for table in there)
    seen = set(there)
    while queue:
        table, steps = queue.popleft()
        if table == wanted:
            return steps
        for edge in edges.get(table, ()):
            if edge.right not in seen:
                seen.add(edge.right)
                queue.append((edge.right, [*steps, edge]))
    return None


def _declared(catalog: Catalog) -> list[TableRelation]:
    found: list[TableRelation] = []
    for source in catalog.sources:
        if source.attach == "sqlite":
            found += _sqlite_keys(source)
        elif source.attach == "duckdb":
            found += _duckdb_keys(source)
    return found


def _sqlite_keys(source: OpenedSource) -> list[TableRelation]:
    names = {table.origin[-1]: table.name for table in source.tables if table.origin}
    found: list[TableRelation] = []
    try:
        with sqlite3.connect(f"file:{source.attach_path}?mode=ro", uri=True) as connection:
            for origin, name in names.items():
                for row in connection.execute(f"PRAGMA foreign_key_list({quote(origin)})").fetchall():
                    target = next((n for o, n in names.items() if o.casefold() == str(row[2]).casefold()), None)
                    if target is not None and row[3]:
                        found.append(TableRelation(name, str(row[3]), target, str(row[4] or row[3]), declared=True))
    except sqlite3.Error:
        return []
    return found


def _duckdb_keys(source: OpenedSource) -> list[TableRelation]:
    import duckdb

    asked = (
        "SELECT table_name, constraint_column_names[1], referenced_table, referenced_column_names[1] "
        "FROM duckdb_constraints() WHERE constraint_type = 'FOREIGN KEY'"
    )
    names = {table.origin[-1]: table.name for table in source.tables if table.origin}
    try:
        with duckdb.connect(source.attach_path, read_only=True) as connection:
            rows = connection.execute(asked).fetchall()
    except duckdb.Error:
        return []
    return [
        TableRelation(names[str(left)], str(column), names[str(right)], str(key), declared=True)
        for left, column, right, key in rows
        if str(left) in names and str(right) in names
    ]


def across_kinds(relations: Iterable[TableRelation], profiles: Sequence[TableProfile]) -> list[TableRelation]:
    """The relations, those between texts and numbers marked as such."""
    kinds = {(one.table, column.name): _kind(column) for one in profiles for column in one.columns}
    return [
        replace(one, as_text=kinds.get((one.left, one.left_column)) != kinds.get((one.right, one.right_column)))
        for one in relations
    ]


def _guesses(profiles: Sequence[TableProfile], *, mixed: bool = False) -> list[TableRelation]:
    found: list[TableRelation] = []
    for right in profiles:
        for key in right.columns:
            if not _is_key(key, right):
                continue
            for left in profiles:
                if left is not right:
                    found += [
                        TableRelation(
                            left.table, column.name, right.table, key.name, as_text=_kind(column) != _kind(key)
                        )
                        for column in left.columns
                        if (_kind(column) == _kind(key) or (mixed and _is_written(column, key)))
                        and _refers(column.name, key.name, right.table)
                    ]
    # A table refers to another by one column; the surest name comes first.
    return sorted(found, key=lambda one: one.left_column.casefold() != one.right_column.casefold())


def _is_key(column: ColumnProfile, table: TableProfile) -> bool:
    unique = column.cardinality == table.row_count - column.nulls and column.nulls == 0 and table.row_count > 0
    words = name_parts(column.name)
    return unique and (column.inferred_type == "id" or column.data_type == "string" or bool(set(words) & _KEY_WORDS))


def _is_written(column: ColumnProfile, key: ColumnProfile) -> bool:
    """Whether a column of texts may hold a key's numbers, called as it is."""
    return column.name.casefold() == key.name.casefold() and {column.data_type, key.data_type} == {"string", "integer"}


def _kind(column: ColumnProfile) -> bool:
    return column.data_type in {"integer", "float"}


def _refers(column: str, key: str, right: str) -> bool:
    """Whether a column's name speaks of another table's key."""
    one, two = list(name_parts(column)), list(name_parts(key))
    if not one or not two:
        return False
    if one == two:
        return one not in (["id"], ["name"])
    table = [word.removesuffix("s") for word in name_parts(right)]
    bare = [word.removesuffix("s") for word in one]
    if set(two) & _KEY_WORDS and len(two) == 1 and one[-1] == two[0]:
        return bare[:-1][-len(table) :] == table or (len(bare) > 1 and bare[-2] == table[-1])
    if one[-1] in _KEY_WORDS and len(one) > 1 and one[-2:] == two[-2:] and len(two) > 1:
        return True
    # sbTxCustId and sbCustId, merchant_id and mid: the same letters but for a prefix.
    joined, other = "".join(one), "".join(two)
    return (len(other) >= 3 and joined.endswith(other)) or (
        one[-1] == "id"
        and len(one) > 1
        and other == f"{one[-2][0]}id"
        and right.casefold().startswith(one[-2][0])
        and bare[-2] in {right.casefold().removesuffix("s"), *table}
    )


def inclusion_sql(left: str, left_column: str, right: str, right_column: str, *, as_text: bool = False) -> str:
    """How many distinct values one column has (``n``), and how many of them are values of the other (``m``).

    Written as a join, since clusters take a query behind IN only where rows are filtered.
    """
    column, key = quote(left_column), quote(right_column)
    if as_text:
        column, key = f"CAST({column} AS VARCHAR)", f"CAST({key} AS VARCHAR)"
    return (
        f"SELECT count(*) AS n, count(k.v) AS m "
        f"FROM (SELECT DISTINCT {column} AS v FROM {quote(left)} WHERE {column} IS NOT NULL) AS d "
        f"LEFT JOIN (SELECT DISTINCT {key} AS v FROM {quote(right)}) AS k ON k.v = d.v"
    )
