"""What the tables hold, as a reader sees it: columns with kinds and roles, values, joins, what a row is called.

A role is a guess from a column's name, type and values that a person would make at first sight: a yes/no flag, a key, a
year, a month, a category, the label that names a row, a number one adds up. Guesses only steer reading; every figure of
an answer comes from a query.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

from averment.reading.total_rows import is_called_total, is_total
from averment.reading.words import DAYS, MONTHS, name_words, singular, word_list

if TYPE_CHECKING:
    from datetime import date

    from averment.plans.plan import Value
    from averment.tables.profile import ColumnProfile, TableProfile
    from averment.tables.relate import Relation

Kind = Literal["number", "text", "date", "bool"]
Role = Literal["flag", "key", "date", "year", "month", "weekday", "month_day", "measure", "category", "label", "stamp"]

_YES = ({"yes", "no"}, {"y", "n"}, {"true", "false"}, {"t", "f"}, {"1", "0"}, {"1.0", "0.0"})
_TRUE = frozenset({"yes", "y", "true", "t", "1", "1.0"})
_GENERATED = frozenset({"unnamed", "index", "column", "field"})


@dataclass(eq=False, slots=True)
class Column:
    """One column as a reader sees it."""

    table: str
    name: str
    kind: Kind
    words: tuple[str, ...]
    rows: int
    filled: int
    distinct: int
    low: Any = None
    high: Any = None
    whole: bool = False
    values: tuple[Any, ...] = ()
    roles: set[Role] = field(default_factory=set[Role])
    true_value: Any = None
    false_value: Any = None
    totals: tuple[str, ...] = ()
    additive: bool = False
    numeric_text: bool = False
    expression: Value | None = None

    @property
    def value(self) -> Value:
        """The column as a plan names it; a formula for one that is computed of others."""
        from averment.plans.plan import Value

        if self.expression is not None:
            return self.expression
        return Value(kind="as_number" if self.numeric_text else "column", table=self.table, column=self.name)

    @property
    def is_unique(self) -> bool:
        """Whether no two rows share a value."""
        return self.filled > 0 and self.distinct == self.filled == self.rows

    def has(self, *roles: Role) -> bool:
        """Whether the column plays one of these roles."""
        return not self.roles.isdisjoint(roles)

    def __repr__(self) -> str:
        return f"{self.table}.{self.name}"


@dataclass(eq=False, slots=True)
class Table:
    """One table as a reader sees it; ``nouns`` are the words a row of it may be called by."""

    name: str
    rows: int
    columns: list[Column]
    nouns: tuple[str, ...]

    @property
    def times(self) -> list[Column]:
        """Columns that say when, years first, then dates."""
        return [c for c in self.columns if c.has("year")] + [c for c in self.columns if c.kind == "date"]

    @property
    def labels(self) -> list[Column]:
        """The columns that name a row: its label, or first and last name, or the one category of a small table."""
        named = [c for c in self.columns if c.has("label")]
        if named:
            return named
        return []

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


class Schema:
    """All tables of a question, how they join, and the day that relative times count from."""

    def __init__(self, tables: Sequence[Table], relations: Sequence[Relation], anchor: date | None) -> None:
        self.tables = {table.name: table for table in tables}
        self.relations = tuple(relations)
        self.anchor = anchor
        for one in relations:  # what points at another table is no amount
            column = self.column(one.left, one.left_column)
            if column is None:
                continue
            named = self.column(one.right, one.right_column)
            if column.kind == "number" or (named is not None and not named.has("label")):
                column.roles -= {"measure", "category"}
                column.roles.add("key")

    @cached_property
    def columns(self) -> list[Column]:
        """Every column of every table."""
        return [column for table in self.tables.values() for column in table.columns]

    def column(self, table: str, name: str) -> Column | None:
        """The column of that table and name."""
        found = self.tables.get(table)
        return found.find(name) if found is not None else None

    @cached_property
    def routes(self) -> dict[str, dict[str, tuple[Relation, ...]]]:
        """From each table the tables that each of its rows points at, with the joins in order."""
        found: dict[str, dict[str, tuple[Relation, ...]]] = {}
        for root in self.tables:
            reached: dict[str, tuple[Relation, ...]] = {root: ()}
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

    def joins(self, root: str, needed: set[str]) -> Iterator[Relation]:
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
    _name_rows(columns, profile.row_count)
    nouns = tuple(
        singular(word)
        for word in name_words(profile.table)
        if word not in word_list("name_noise") and not word.isdigit()
    )
    return Table(name=profile.table, rows=profile.row_count, columns=columns, nouns=nouns)


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
    if column.data_type == "datetime":
        made.roles.add("stamp")
    if kind == "text" and _holds_numbers(made):
        made.kind, made.numeric_text, made.values = "number", True, ()
    _roles(made)
    return made


def _holds_numbers(col: Column) -> bool:
    """Whether a text column holds numbers but for a few words such as "Unknown"."""
    shown = [str(value).strip() for value in col.values]
    numbers = [value for value in shown if re.fullmatch(r"-?\d+(\.\d+)?", value)]
    whole = len(numbers) == len(shown) and len(numbers) >= 3
    if not whole and (len(numbers) < 8 or len(numbers) < 0.9 * len(shown)):
        return False
    col.whole = all(value.lstrip("-").isdigit() for value in numbers)
    col.low, col.high = min(map(float, numbers)), max(map(float, numbers))
    return not any(len(value) > 1 and value[0] == "0" and value.isdigit() for value in numbers)


def _roles(col: Column) -> None:
    """What the column is for, from its name, kind and values."""
    last = col.words[-1] if col.words else ""
    shown = {str(value).strip().lower() for value in col.values[:60]}
    few = len(shown) == 2 and col.distinct == 2
    if col.kind == "bool" or (few and any(shown <= pair for pair in _YES) and col.kind in {"text", "number"}):
        col.roles.add("flag")
        _truth(col)
    if _is_key(col, last):
        col.roles.add("key")
    if col.kind == "date":
        col.roles.add("date")
    if col.kind == "number" and col.whole and _is_year(col, last):
        col.roles.add("year")
    months = {name[:n] for name in MONTHS for n in (3, 4, 9)}
    days = {name[:n] for name in DAYS for n in (3, 4, 5, 9)}
    if "month" in col.words or last in {"mon", "mo"}:
        numbered = col.kind == "number" and _within(col, 1, 12) and col.whole
        if numbered or (shown and shown <= months):
            col.roles.add("month")
    elif shown and col.kind == "text" and len(shown) >= 3 and shown <= months:
        col.roles.add("month")
    if (shown and col.kind == "text" and len(shown) >= 2 and shown <= days) or (
        col.kind == "number"
        and _within(col, 0, 7)
        and ({"day", "week"} <= set(col.words) or last in {"weekday", "dow"})
    ):
        col.roles.add("weekday")
    if (
        col.kind == "number"
        and col.whole
        and _within(col, 1, 31)
        and {"day", "date"} & set(col.words)
        and col.high == 31
    ):
        col.roles.add("month_day")
    if col.kind == "number" and not col.has("key", "year", "month", "weekday", "month_day", "flag"):
        col.roles.add("measure")
        col.additive = _is_additive(col)
    if col.kind == "text" and not col.has("flag", "key") and col.distinct < max(30, 0.5 * col.filled):
        col.roles.add("category")
    if col.kind == "number" and col.has("measure") and col.whole and 0 < col.distinct <= 12 and col.rows >= 40:
        col.roles.add("category")
    if col.kind == "text" and not col.has("flag"):
        # Among names a total is called so and no more: "All about Eve" is a film.
        wanted = is_total if col.has("category") else is_called_total
        col.totals = tuple(str(v) for v in col.values if wanted(str(v)))[:2]


def _truth(col: Column) -> None:
    if col.kind == "bool":
        col.true_value, col.false_value = True, False
        return
    for value in col.values:
        if str(value).strip().lower() in _TRUE:
            col.true_value = value
        else:
            col.false_value = value
    if col.true_value is None:
        col.true_value = 1 if col.kind == "number" else "yes"


def _within(col: Column, low: float, high: float) -> bool:
    return isinstance(col.low, int | float) and isinstance(col.high, int | float) and low <= col.low <= col.high <= high


def _is_key(col: Column, last: str) -> bool:
    if col.kind not in {"number", "text"} or not col.words:
        return False
    keyish = word_list("keyish")
    if (
        last in keyish
        or col.words[:1] in {("fk",), ("pk",)}
        or (last.isdigit() and len(col.words) > 1 and col.words[-2] in {"id"})
    ):
        return True
    if _GENERATED & set(col.words[:1]) and col.is_unique and col.kind == "number":
        return True
    if last in {"number", "no", "num", "nr"} and col.is_unique and col.rows > 5:
        return True
    # A compound such as "customerid", but no word that only happens to end so.
    return (
        len(col.words) == 1
        and len(last) > 4
        and last.endswith("id")
        and col.whole
        and last not in {"paid", "covid", "rapid", "valid"}
    )


def _is_year(col: Column, last: str) -> bool:
    if not isinstance(col.low, int | float) or not isinstance(col.high, int | float):
        return False
    says = last in {"year", "yr", "years", "yrs"} or bool({"year", "yr"} & set(col.words))
    if says and not {"since", "experience", "age", "per", "old"} & set(col.words):
        return _within(col, 1000, 2200) or (_within(col, 0, 99) and col.distinct < 60 and "model" in col.words)
    return False


def _is_additive(col: Column) -> bool:
    """Whether one adds the numbers up: said by their name, or else no by a rate's, a level's or a size's name."""
    words = {singular(word) for word in col.words} | set(col.words)
    if words & {"per", "avg", "average", "mean", "median", "rate", "ratio", "pct", "percent", "percentage", "share"}:
        return False
    if words & {singular(w) for w in word_list("additive")}:
        return True
    if words & word_list("not_additive"):
        return False
    return bool(col.whole)


def _name_rows(columns: list[Column], rows: int) -> None:
    """Find the column that names a row: a text without repeats, best one that says so."""

    def plain(col: Column) -> bool:
        first = str(col.values[0]) if col.values else ""
        dull = {
            "address",
            "description",
            "notes",
            "note",
            "comment",
            "comments",
            "url",
            "link",
            "text",
            "summary",
            "email",
        }
        return not dull & set(col.words) and "://" not in first and "@" not in first and len(first) <= 80

    def says(col: Column) -> bool:
        return bool({"name", "title"} & set(col.words)) or any(w.endswith("name") for w in col.words)

    first_last = [c for c in columns if c.kind == "text" and _is_part_of_name(c)]
    if len(first_last) == 2:
        for col in first_last:
            col.roles.add("label")
        return
    texts = [c for c in columns if c.kind == "text" and not c.has("key", "flag") and c.filled and plain(c)]
    unique = [c for c in texts if c.distinct >= 0.95 * c.filled and c.filled >= 0.4 * rows]
    named = [c for c in texts if says(c) and c.distinct >= 0.5 * max(1, c.filled)]
    ranked = sorted(unique, key=lambda c: (not says(c), columns.index(c))) or named
    for col in ranked[:1]:
        col.roles.add("label")


def _is_part_of_name(col: Column) -> bool:
    joined = "".join(col.words)
    return joined in {"firstname", "lastname", "fname", "lname", "forename", "surname", "givenname", "familyname"}
