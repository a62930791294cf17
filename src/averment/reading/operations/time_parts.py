"""The part of an operation's slots that speaks of time: keys of steps, the grain and the span of the data."""

from __future__ import annotations

from datetime import date
from functools import cached_property
from typing import TYPE_CHECKING

from averment.reading.times.time_conditions import time_columns, time_key

if TYPE_CHECKING:
    from averment.plans.plan import Value
    from averment.reading.schema.schema_column import Column
    from averment.reading.slots.state import State


class TimeParts:
    """The slots of one state as far as they say when."""

    def __init__(self, state: State) -> None:
        self.state = state
        self.home = state.home.name
        self.table = state.home

    def column_of(self, value: Value) -> Column | None:
        """The column behind a value."""
        return self.state.schema.column(value.table or "", value.column or "")

    def is_time(self, value: Value) -> bool:
        """Whether a value says when."""
        if value.kind == "part":
            return True
        column = self.column_of(value)
        return column is not None and column.has("date", "year", "month", "quarter", "weekday", "month_day")

    def time_key(self, part: str) -> Value | None:
        """The home table's key for a step of time, or that of a table it points at."""
        named = next((v for v in (*self.state.groups, *self.state.targets) if self.is_time(v)), None)
        if named is not None and self.state.span is None:
            return named
        key = time_key(self.table, part)
        if key is not None:
            return key
        for name in self.state.schema.routes.get(self.home, {}):
            key = time_key(self.state.schema.tables[name], part)
            if key is not None:
                return key
        return None

    def key_of(self, part: str) -> Value | None:
        """The home table's own key for a step of time, whatever else was named."""
        return time_key(self.table, part)

    @cached_property
    def grain(self) -> str:
        """The step that suits the length of the data: years where there are several, else months or days."""
        columns = time_columns(self.table)
        return _step(columns[0], 1200) if columns else "year"

    @cached_property
    def fine_grain(self) -> str:
        """The step of what adds up along time, which says little in a handful of years."""
        dates = [column for column in time_columns(self.table) if column.kind == "date"]
        return _step(dates[0], 3650) if dates else self.grain

    @cached_property
    def whole_span(self) -> tuple[int, int] | None:
        """The first and the last year of the data."""
        columns = time_columns(self.table)
        if not columns:
            return None
        column = next((c for c in columns if c.has("year")), columns[0])
        try:
            low, high = int(str(column.low)[:4]), int(str(column.high)[:4])
        except ValueError:
            return None
        return (low, high) if low < high else None


def _step(column: Column, most: int) -> str:
    """Years if there are more than so many days, else months or days."""
    low, high = str(column.low)[:10], str(column.high)[:10]
    try:
        days = (date.fromisoformat(high) - date.fromisoformat(low)).days if column.kind == "date" else most + 1
    except ValueError:
        return "year"
    return "year" if days > most else "month" if days > 62 else "day"
