"""Cards: what a model is told of tables and columns, as far as privacy allows, in as few words as possible."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from averment.agents.analyst.profiling import columns_to_read, profile_table
from averment.errors import AvermentError, MissingTable
from averment.tables.guard.names import name_parts

if TYPE_CHECKING:
    from averment.reading.schema.schema_view import Schema
    from averment.runtime.models.privacy import Privacy
    from averment.runtime.run_context import RunContext
    from averment.tables.profile.profiler import ColumnProfile, TableProfile

UNITS = {
    "kg": "kilograms",
    "g": "grams",
    "km": "kilometres",
    "cm": "centimetres",
    "mm": "millimetres",
    "m": "metres",
    "mi": "miles",
    "lb": "pounds",
    "usd": "US dollars",
    "eur": "euros",
    "gbp": "pounds sterling",
    "pct": "percent",
    "percent": "percent",
    "percentage": "percent",
    "min": "minutes",
    "minutes": "minutes",
    "sec": "seconds",
    "seconds": "seconds",
    "ms": "milliseconds",
    "hours": "hours",
    "days": "days",
    "kwh": "kilowatt-hours",
    "celsius": "degrees Celsius",
    "fahrenheit": "degrees Fahrenheit",
}
"""Last words of column names that say in what a number is measured."""

_DIGIT = re.compile(r"\d")
_DATE_SHAPES = re.compile(r"[9/.:\-T Z]{4,25}|9{1,2}[ -][A-Za-z]{3,9}[ -,]{1,2}9{2,4}")


@dataclass
class ModelView:
    """All that a model could be shown of one run: its work, profiles, schema and level of privacy."""

    work: RunContext
    profiles: tuple[TableProfile, ...]
    schema: Schema
    privacy: Privacy
    names: set[str] = field(default_factory=set[str])

    def __post_init__(self) -> None:
        self.names |= {name for each in self.profiles for name in (each.table, *(c.name for c in each.columns))}
        self.names |= {name for view, columns in self.unread.items() for name in (view, *columns)}

    @property
    def unread(self) -> dict[str, list[str]]:
        """The columns of those tables that nobody has looked into yet: views that the question does not name."""
        read = {each.table for each in self.profiles}
        others = {one.name: columns_to_read(self.work, one) for one in self.work.catalog.tables if one.name not in read}
        return {name: columns for name, columns in others.items() if columns}

    def profile(self, table: str) -> TableProfile:
        """The profile of a table.

        Raises:
            MissingTable: there is none of that name.
        """
        for each in self.profiles:
            if each.table.casefold() == table.casefold():
                return each
        for name in self.unread:
            if name.casefold() == table.casefold():
                info = self.work.catalog.table(name)
                self.profiles = (*self.profiles, profile_table(self.work, info, self.unread[name]))
                return self.profiles[-1]
        raise MissingTable(
            f"There is no table {table}.", suggestion=f"Tables: {', '.join(each.table for each in self.profiles)}."
        )

    def reads(self, sql: str) -> dict[str, list[tuple[str, str]]]:
        """Which source columns each result column of a query is made of."""
        try:
            return {name: sorted(read) for name, read in self.work.queries.engine().check(sql).outputs}
        except AvermentError:
            return {}

    def may_see(self, table: str, column: str) -> bool:
        """Whether values of a column of texts may be shown when they are looked for."""
        found = self.profile(table).column(column)
        values = [str(value) for value, _ in (found.values or ())] if found is not None else []
        known = values or [str(value) for value in (found.sample_values if found is not None else ())]
        return self.privacy.permits("values", table, column) and not self.privacy.is_personal(table, column, known)


def table_card(view: ModelView, profile: TableProfile, columns: Sequence[str] | None = None) -> dict[str, Any]:
    """A table: its rows and its columns, or some of them."""
    shown = [column for column in profile.columns if columns is None or column.name in columns]
    card: dict[str, Any] = {
        "table": profile.table,
        "rows": profile.row_count,
        "columns": [column_card(view, profile, column) for column in shown],
    }
    hidden = len(profile.columns) - len(shown)
    return card | ({"further_columns": hidden} if hidden else {})


def column_card(view: ModelView, profile: TableProfile, column: ColumnProfile) -> dict[str, Any]:
    """A column: name and type; key, unit, format, range and values as far as they are known and may be shown."""
    card: dict[str, Any] = {"name": column.name, "type": column.type}
    known = view.schema.column(profile.table, column.name)
    if known is not None and known.is_unique and (known.has("key") or column.inferred_type == "id"):
        card["key"] = "unique"
    elif known is not None and known.has("key"):
        card["key"] = "reference"
    unit = unit_of(column.name)
    if unit is not None and column.data_type in {"integer", "float"}:
        card["unit"] = unit
    if not view.privacy.permits("profiles", profile.table, column.name):
        return card
    if column.nulls and profile.row_count:
        card["empty"] = f"{100 * column.nulls / profile.row_count:.3g} %"
    card["distinct"] = column.cardinality
    if column.data_type != "string" and column.minimum is not None and "key" not in card:
        card["range"] = [str(column.minimum), str(column.maximum)]
    shape = date_shape(column)
    if shape is not None:
        card["format"] = shape
        card["range"] = [str(column.minimum), str(column.maximum)]
    values = view.privacy.samples(profile.table, column)
    if values and "key" not in card:
        card["values" if len(values) == column.cardinality else "some_values"] = values
    return card


def unit_of(name: str) -> str | None:
    """In what a number is measured, where the column's name ends in it."""
    parts = [part.casefold() for part in name_parts(name)]
    return UNITS.get(parts[-1]) if len(parts) > 1 or (parts and len(parts[0]) > 2) else None


def date_shape(column: ColumnProfile) -> str | None:
    """How the dates of a text column are written, digits as 9; None where it holds none."""
    if column.data_type != "string" or not isinstance(column.minimum, str) or not isinstance(column.maximum, str):
        return None
    low, high = _DIGIT.sub("9", column.minimum), _DIGIT.sub("9", column.maximum)
    digits = sum(character == "9" for character in low)
    return low if low == high and digits >= 4 and _DATE_SHAPES.fullmatch(low) else None


def join_cards(view: ModelView, tables: set[str] | None = None) -> list[dict[str, Any]]:
    """How tables join: from the many to the one, with how much of it matches."""
    cards: list[dict[str, Any]] = []
    for one in view.schema.relations:
        if tables is not None and not {one.left, one.right} <= tables:
            continue
        left, right = view.schema.column(one.left, one.left_column), view.schema.column(one.right, one.right_column)
        single = left is not None and left.is_unique
        many = right is not None and not right.is_unique
        kind = "one to one" if single and not many else "many to many" if many and not single else "many to one"
        card: dict[str, Any] = {
            "from": f"{one.left}.{one.left_column}",
            "to": f"{one.right}.{one.right_column}",
            "kind": kind,
            "declared": one.declared,
        }
        if not one.declared:
            card["matched"] = f"{100 * one.included:.3g} %"
        cards.append(card)
    return cards
