"""How a schema changed since something was learned over it: columns added, gone, renamed, of another type.

What was learned is carried over only where the change leaves no doubt, and what was done is always said.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, TypeAlias

from pydantic import Field

from averment.records.base import Record, texts_in
from averment.tables.guard.names import nearest_name

if TYPE_CHECKING:
    from averment.tables.catalog import Catalog

SchemaColumns: TypeAlias = tuple[tuple[str, str, str], ...]
"""Table, column and type of every column of a schema, in their order."""

NEAR = 0.5
"""Of all columns, before and now together, at least this share must be the same for two schemas to be kin."""

_FAMILIES = (
    ("number", re.compile(r"INT|DEC|NUMERIC|DOUBLE|REAL|FLOAT", re.IGNORECASE)),
    ("time", re.compile(r"DATE|TIME", re.IGNORECASE)),
    ("text", re.compile(r"CHAR|TEXT|STRING|UUID|ENUM", re.IGNORECASE)),
)


def columns_of(catalog: Catalog) -> SchemaColumns:
    """The columns of a catalog as they are kept beside what was learned."""
    return tuple((table.name, column.name, column.type) for table in catalog.tables for column in table.columns)


def family(type_name: str) -> str:
    """What kind of values a type holds: numbers, times, texts, or something else."""
    return next((name for name, pattern in _FAMILIES if pattern.search(type_name)), type_name.upper())


class Drift(Record):
    """The change from one schema to another of its kind."""

    tables: dict[str, str]
    added: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    renamed: dict[str, str] = Field(default_factory=dict)
    retyped: dict[str, tuple[str, str]] = Field(default_factory=dict)

    def in_words(self) -> str:
        """What changed, for the reading; nothing when only a table has another name."""
        parts = [f"{old} is now {new}" for old, new in self.renamed.items()]
        parts += [f"{name} is {now}, was {before}" for name, (before, now) in self.retyped.items()]
        parts += [f"{', '.join(self.added)} added"] if self.added else []
        parts += [f"{', '.join(self.removed)} gone"] if self.removed else []
        return ", ".join(parts)

    def column(self, name: str) -> str | None:
        """What a column is called now, or None when it is gone or holds another kind of values."""
        if name in self.removed or self.turned(name):
            return None
        return self.renamed.get(name, name)

    def turned(self, name: str) -> bool:
        """Whether a column holds values of another kind than before."""
        before, now = self.retyped.get(name, ("", ""))
        return family(before) != family(now)

    def rebind(self, value: Any) -> Any:
        """What was learned, with the names of today wherever it speaks of a table or column that has another one."""
        names = {**{old: new for old, new in self.tables.items() if old != new}, **self.renamed}
        return _renamed(value, names) if names else value


def compare(before: SchemaColumns, now: SchemaColumns) -> Drift | None:
    """How the schema changed; None when the two are not of one kind."""
    tables = _pair_tables(before, now)
    if not tables:
        return None
    shared = added = removed = 0
    drift = Drift(tables=tables)
    for old, new in tables.items():
        left = {column: kind for table, column, kind in before if table == old}
        right = {column: kind for table, column, kind in now if table == new}
        gone = [column for column in left if column not in right]
        fresh = [column for column in right if column not in left]
        renamed = _renames(left, right, gone, fresh)
        shared += len(left) - len(gone) + len(renamed)
        added += len(fresh) - len(renamed)
        removed += len(gone) - len(renamed)
        drift = Drift(
            tables=tables,
            added=(*drift.added, *(name for name in fresh if name not in renamed.values())),
            removed=(*drift.removed, *(name for name in gone if name not in renamed)),
            renamed={**drift.renamed, **renamed},
            retyped={
                **drift.retyped,
                **{name: (left[name], right[name]) for name in left if name in right and left[name] != right[name]},
            },
        )
    lost = sum(1 for table, _, _ in before if table not in tables)
    return drift if shared and shared / (shared + added + removed + lost) >= NEAR else None


def _pair_tables(before: SchemaColumns, now: SchemaColumns) -> dict[str, str]:
    """Each table with the one of today that shares most of its columns; its own name first among equals."""
    left = {table: {column for t, column, _ in before if t == table} for table, _, _ in before}
    right = {table: {column for t, column, _ in now if t == table} for table, _, _ in now}
    found: dict[str, str] = {}
    for old, columns in left.items():
        free = [new for new in right if new not in found.values()]
        best = max(free, key=lambda new: (len(columns & right[new]), new == old), default=None)
        if best is not None and columns & right[best]:
            found[old] = best
    return found


def _renames(left: dict[str, str], right: dict[str, str], gone: list[str], fresh: list[str]) -> dict[str, str]:
    """Columns that only changed their name: alike in name and kind, or the only one of its kind in its old place."""
    found: dict[str, str] = {}
    for old in gone:
        kin = [new for new in fresh if new not in found.values() and family(right[new]) == family(left[old])]
        near = nearest_name(old, kin)
        if near is None and len(gone) == len(fresh) == 1 and kin:
            in_place = list(left).index(old) == list(right).index(kin[0])
            near = kin[0] if in_place and left[old] == right[kin[0]] else None
        if near is not None:
            found[old] = near
    return found


def named_in(value: Any, names: Iterable[str]) -> list[str]:
    """Which of these names a reading speaks of."""
    texts = list(texts_in(value))
    return [name for name in names if any(_word(name).search(text) for text in texts)]


def _word(name: str) -> re.Pattern[str]:
    return re.compile(rf"(?<!\w){re.escape(name)}(?!\w)")


def _renamed(value: Any, names: dict[str, str]) -> Any:
    if isinstance(value, str):
        pattern = re.compile("|".join(_word(name).pattern for name in sorted(names, key=len, reverse=True)))
        return pattern.sub(lambda match: names[match.group()], value)
    if isinstance(value, dict):
        return {key: _renamed(each, names) for key, each in value.items()}
    if isinstance(value, list):
        return [_renamed(each, names) for each in value]
    return value
