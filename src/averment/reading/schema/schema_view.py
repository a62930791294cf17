"""What the tables hold, as a reader sees it: columns with kinds and roles, values, joins, what a row is called.

A role is a guess from a column's name, type and values that a person would make at first sight: a yes/no flag, a key, a
year, a month, a category, the label that names a row, a number one adds up. Guesses only steer reading; every figure of
an answer comes from a query.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

from averment.reading.schema.roles import find_roles, holds_numbers, is_clock, name_rows, name_seasons, says_name
from averment.reading.schema.schema_column import Column, Kind
from averment.reading.words import name_words, singular, word_list

if TYPE_CHECKING:
    from datetime import date

    from averment.plans.meaning import Meaning
    from averment.plans.plan import Value
    from averment.reading.schema.prepared import PreparationStep, WantedFigure
    from averment.tables.profile.profiler import ColumnProfile, TableProfile
    from averment.tables.profile.relationships import TableRelation


@dataclass(eq=False, slots=True)
class Table:
    """One table as a reader sees it; ``nouns`` are the words a row of it may be called by."""

    name: str
    rows: int
    columns: list[Column]
    nouns: tuple[str, ...]
    called: tuple[str, ...] = ()
    """What a row is called by the name of its own key: a check-in, where the first column is a checkin_id."""

    lent: list[Column] = field(default_factory=list[Column])
    """Names of the table that each row is one of: a body builder is one of the people, and called by their names."""

    @property
    def times(self) -> list[Column]:
        """Columns that say when, years first, then dates."""
        return [c for c in self.columns if c.has("year")] + [c for c in self.columns if c.kind == "date"]

    @property
    def labels(self) -> list[Column]:
        """The columns that name a row: its label, or first and last name, or the one category of a small table."""
        return self.lent or [c for c in self.columns if c.has("label")]

    @property
    def identity(self) -> list[Column]:
        """What tells one row from the others: its label, or its key with dates and short texts beside it."""
        if self.labels:
            return self.labels
        keys = [c for c in self.columns if c.has("key") and c.is_unique][:1]
        dates = [c for c in self.columns if c.kind == "date"][:1]
        texts = [c for c in self.columns if c.has("category") and c.kind == "text"][: 4 if not keys else 2]
        return [*keys, *dates, *texts]

    @property
    def measures(self) -> list[Column]:
        """The numbers of the table that are no keys, years or flags."""
        return [c for c in self.columns if c.has("measure")]

    def find(self, name: str) -> Column | None:
        """The column of that name."""
        return next((c for c in self.columns if c.name == name), None)


def computed(
    table: str,
    name: str,
    value: Value | None,
    of: Sequence[Column],
    *,
    rows: int,
    filled: int,
    additive: bool,
    words: Sequence[str],
) -> Column:
    """A number of a table that other columns give; ``words`` are what it may be called by."""
    return Column(
        table=table,
        name=name,
        kind="number",
        words=tuple(words),
        rows=rows,
        filled=filled,
        distinct=max(column.distinct for column in of),
        roles={"measure"},
        additive=additive,
        expression=value,
    )


class Schema:
    """All tables of a question, how they join, and the day that relative times count from."""

    def __init__(self, tables: Sequence[Table], relations: Sequence[TableRelation], anchor: date | None) -> None:
        self.tables = {table.name: table for table in tables}
        self.relations = tuple(relations)
        self.aside: tuple[TableRelation, ...] = ()
        """Other ways from one table to the same other one, which this view of the tables does not go."""
        self.anchor = anchor
        self.taught: tuple[Meaning, ...] = ()
        """Words that a person taught the meaning of, the longest first."""
        self.labels: tuple[Meaning, ...] = ()
        """Names that a person gave to columns, the longest first."""
        self.steps: tuple[PreparationStep, ...] = ()
        """What the question does to the rows before it asks."""
        self.wanted: tuple[WantedFigure, ...] = ()
        """What the question says its answer must tell."""
        for one in relations:  # what points at another table is no amount
            column = self.column(one.left, one.left_column)
            if column is None:
                continue
            if one.coded:
                continue  # A code is told as it is; the other table says what it stands for.
            named = self.column(one.right, one.right_column)
            if column.kind == "number" or (named is not None and not named.has("label")):
                column.roles -= {"measure", "category"}
                column.roles.add("key")

        self._lend_names()

    def _lend_names(self) -> None:
        """A table without names whose rows are each another table's row takes the names from there."""
        for table in self.tables.values():
            if any(c.has("label") and says_name(c) for c in table.columns):
                continue
            for one in self.relations:
                key = self.column(one.left, one.left_column)
                if one.left != table.name or key is None or not key.is_unique or one.right == one.left:
                    continue
                names = [c for c in self.tables[one.right].columns if c.has("label") and says_name(c)]
                if names:
                    table.lent = names
                    break

    @cached_property
    def columns(self) -> list[Column]:
        """Every column of every table."""
        return [column for table in self.tables.values() for column in table.columns]

    def columns_of(self, tables: Collection[str]) -> list[tuple[str, list[str]]]:
        """These tables with the names of the columns that their sources have."""
        return [
            (table.name, [c.name for c in table.columns if c.expression is None])
            for table in self.tables.values()
            if table.name in tables
        ]

    def column(self, table: str, name: str) -> Column | None:
        """The column of that table and name."""
        found = self.tables.get(table)
        return found.find(name) if found is not None else None

    @cached_property
    def routes(self) -> dict[str, dict[str, tuple[TableRelation, ...]]]:
        """From each table the tables that each of its rows points at, with the joins in order."""
        found: dict[str, dict[str, tuple[TableRelation, ...]]] = {}
        for root in self.tables:
            reached: dict[str, tuple[TableRelation, ...]] = {root: ()}
            queue = [root]
            while queue:
                here = queue.pop(0)
                for one in self.relations:
                    if one.left == here and one.right not in reached:
                        reached[one.right] = (*reached[here], one)
                        queue.append(one.right)
            found[root] = reached
        return found

    def root(self, needed: set[str]) -> str | None:
        """The table from which every needed one is reached row by row, the nearest; None where there is none."""
        best: tuple[tuple[bool, int, int], str] | None = None
        for root, reached in self.routes.items():
            if needed <= set(reached):
                key = (root not in needed, sum(len(reached[t]) for t in needed), self.tables[root].rows)
                if best is None or key < best[0]:
                    best = (key, root)
        return best[1] if best is not None else None

    def joins(self, root: str, needed: set[str]) -> Iterator[TableRelation]:
        """The joins that bring the needed tables to the root, each once and in order."""
        seen: set[str] = {root}
        for table in sorted(needed, key=lambda t: len(self.routes[root].get(t, ()))):
            for step in self.routes[root][table]:
                if step.right not in seen:
                    seen.add(step.right)
                    yield step

    @cached_property
    def fact(self) -> str:
        """The table that events are counted in: it points at others, has a time and amounts; else the largest."""

        def weight(table: Table) -> tuple[float, int]:
            points = len({one.right for one in self.relations if one.left == table.name})
            return (points + 1.5 * bool(table.times) + bool(table.measures), table.rows)

        return max(self.tables.values(), key=weight).name


def read_table(profile: TableProfile, more_values: dict[str, tuple[str, ...]]) -> Table:
    """A profiled table as a reader sees it; ``more_values`` are the values of columns too long for a profile."""
    columns = [_column(profile, column, more_values.get(column.name, ())) for column in profile.columns]
    nouns = tuple(
        singular(word)
        for word in name_words(profile.table)
        if word not in word_list("name_noise") and not word.isdigit()
    )
    name_seasons(columns)
    name_rows(columns, profile.row_count, nouns)
    return Table(name=profile.table, rows=profile.row_count, columns=columns, nouns=nouns, called=_called(columns))


def _called(columns: Sequence[Column]) -> tuple[str, ...]:
    """The noun in the name of the key that tells the rows apart."""
    first = columns[0] if columns else None
    if first is None or not first.has("key") or not first.is_unique:
        return ()
    said = [singular(word) for word in first.words if word not in word_list("keyish")]
    return tuple(said) if len(said) == 1 and len(said[0]) > 2 else ()


def _column(profile: TableProfile, column: ColumnProfile, more: tuple[str, ...]) -> Column:
    kinds: dict[str, Kind] = {"integer": "number", "float": "number", "date": "date", "datetime": "date"}
    kind = kinds.get(column.data_type, "text")
    if column.type.upper().startswith("BOOL"):
        kind = "bool"
    listed = tuple(value for value, _ in column.values or () if value is not None)
    made = Column(
        table=profile.table,
        name=column.name,
        kind=kind,
        words=name_words(column.name),
        rows=profile.row_count,
        filled=profile.row_count - column.nulls,
        distinct=column.cardinality,
        low=column.minimum,
        high=column.maximum,
        whole=column.data_type == "integer",
        values=listed or more,
    )
    if kind == "number" and not made.whole and listed:
        made.whole = all(float(value).is_integer() for value in listed)  # pyright: ignore[reportArgumentType]
    elif kind == "number" and not made.whole and made.words[-1:] in {("year",), ("yr",)}:
        # Years that were written as 1990.0, too many to be listed: no more of them than there are from first to last.
        ends = [float(end) for end in (made.low, made.high) if isinstance(end, int | float)]
        made.whole = len(ends) == 2 and all(e.is_integer() for e in ends) and made.distinct <= ends[1] - ends[0] + 1
    if column.data_type == "datetime":
        made.roles.add("stamp")
    if kind == "text" and holds_numbers(made):
        made.kind, made.numeric_text, made.values = "number", True, ()
    find_roles(made, leads=column is profile.columns[0])
    if kind == "text" and is_clock(made, column.type):
        made.roles.add("clock")
    return made
