"""What of the data a model may see: names, profiles, values, or rows; by setting, table and column.

``names``: tables, columns, types, keys and joins, and how many rows there are. ``profiles``: also how many values,
how many are missing, the range of numbers and dates. ``values``: also the values of columns with few of them, and
numbers and dates of results. ``rows``: whole rows of results. Personal patterns never leave, nor do columns whose name
says that they hold people, below ``rows``.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal

from averment.errors import AvermentError, PatternBlocked
from averment.runtime.model_loop.tool_loop import refusal_of

if TYPE_CHECKING:
    import pyarrow as pa

    from averment.runtime.run_context import RunContext
    from averment.tables.profile.profiler import ColumnProfile

Level = Literal["names", "profiles", "values", "rows"]
ORDER: tuple[Level, ...] = ("names", "profiles", "values", "rows")

PERSONAL = ("email", "phone", "ssn", "credit_card", "iban", "ip_address")
"""Values of these kinds never leave this machine, whatever the level and the policy say."""

PEOPLE = frozenset(
    """
    person people customer client patient employee student teacher author member user passenger driver player guest
    owner contact firstname lastname surname fullname username nickname physician doctor nurse instructor
    """.split()
)
"""Words of column or table names that say: a name in here is a person's."""

MASKED = "…"
MOST_CELLS = 400

_QUOTED = re.compile(r"'[^']*'|\"[^\"]*\"|`[^`]*`|“[^”]*”")


class Privacy:
    """What a model may see of one run's data."""

    def __init__(self, work: RunContext, level: Level, exceptions: Mapping[str, Level] | None = None) -> None:
        self._work = work
        self._level: Level = level
        self._exceptions: dict[str, Level] = {name.casefold(): value for name, value in (exceptions or {}).items()}
        self._personal: dict[tuple[str, str], bool] = {}
        self.shown: set[str] = set()
        """Values that were shown already, and may be shown again in results."""

    @property
    def level(self) -> Level:
        """The level where nothing else is said of a table or column."""
        return self._level

    @property
    def shows_all(self) -> bool:
        """Whether whole rows may be seen, and nothing is set apart."""
        return self._level == "rows" and not self._exceptions

    def of(self, table: str, column: str = "") -> Level:
        """The level of a table or column: its own, its table's, or the run's."""
        for name in (f"{table}.{column}", table):
            if name.casefold() in self._exceptions:
                return self._exceptions[name.casefold()]
        return self._level

    def permits(self, wanted: Level, table: str = "", column: str = "") -> bool:
        """Whether so much may be shown."""
        return ORDER.index(self.of(table, column)) >= ORDER.index(wanted)

    def samples(self, table: str, column: ColumnProfile, most: int = 8) -> list[str]:
        """Values of a column that may be shown: a few categories of a dimension, nothing that looks personal."""
        if not self.permits("values", table, column.name) or column.inferred_type != "dimension" or not column.values:
            return []
        values = [str(value) for value, _ in column.values]
        if self.is_personal(table, column.name, values):
            return []
        shown = values[:most]
        self.shown.update(shown)
        return shown

    def is_personal(self, table: str, column: str, values: Sequence[str]) -> bool:
        """Whether a column holds people's names or what can be traced to a person, by its name or its values."""
        key = (table, column)
        if key not in self._personal:
            self._personal[key] = self._looks_personal(table, column, values)
        return self._personal[key]

    def _looks_personal(self, table: str, column: str, values: Sequence[str]) -> bool:
        import pyarrow as pa

        from averment.tables.profile.blocked_patterns import match_names, match_values

        shown = pa.table({column: [str(value) for value in values]})
        if list(match_names(PERSONAL, [column])) or list(match_values(PERSONAL, shown)):
            return True
        try:
            self._work.gate.check_values(shown)
        except PatternBlocked:
            return True
        return names_people(table, column)

    def refusal(self, error: AvermentError, names: set[str]) -> dict[str, Any]:
        """An error as a model may see it: without what its message quotes from the data, below the level of values."""
        seen = refusal_of(error)
        if not self.permits("values"):
            return {**seen, "message": without_values(error.message, names)}
        trace = error.details.get("stderr")
        return {**seen, "traceback": trace[-600:]} if isinstance(trace, str) else seen

    def cells(self, table: pa.Table, reads: Mapping[str, Sequence[tuple[str, str]]], most: int) -> list[list[Any]]:
        """The first rows of a result as a model may see them; a text that may not be shown is masked."""
        from averment.reading.schema.result_values import plain_rows

        if not self.permits("values"):
            return []
        rows = plain_rows(table.slice(0, min(most, max(1, MOST_CELLS // max(1, table.num_columns)))))
        return [
            [self._cell(value, reads.get(name, ())) for name, value in zip(table.column_names, row, strict=True)]
            for row in rows
        ]

    def _cell(self, value: Any, reads: Sequence[tuple[str, str]]) -> Any:
        if any(not self.permits("values", table, column) for table, column in reads):
            return MASKED
        if not isinstance(value, str):
            return value
        if self._is_traceable(value):
            return MASKED
        if value in self.shown or _is_date(value):
            return value
        whole = self._level == "rows" and all(self.permits("rows", table, column) for table, column in reads)
        return value if whole else MASKED

    def _is_traceable(self, text: str) -> bool:
        import pyarrow as pa

        from averment.tables.profile.blocked_patterns import match_values

        return bool(list(match_values(PERSONAL, pa.table({"value": [text]}))))


def without_values(message: str, names: set[str]) -> str:
    """An error message without what it quotes from the data; names of tables and columns may stay."""
    return _QUOTED.sub(lambda quoted: quoted.group() if quoted.group()[1:-1] in names else "…", message)


def names_people(table: str, column: str) -> bool:
    """Whether a column's name says that people's names stand in it."""
    from averment.tables.guard.names import name_parts

    parts = [part.casefold().rstrip("s") for part in name_parts(column)]
    joined = "".join(parts)
    if joined in PEOPLE or (parts and parts[-1] in PEOPLE):
        return True
    named = bool({"name", "first", "last", "full"} & set(parts)) and "name" in joined
    return named and bool(PEOPLE & {*parts, *(part.casefold().rstrip("s") for part in name_parts(table))})


def _is_date(text: str) -> bool:
    return len(text) >= 4 and text[:4].isdigit() and all(c.isdigit() or c in "-:T Q.Z+" for c in text)
