"""What a question's words may stand for over some tables: names, values and how the tables hang together.

Built once for the tables as they are and kept while they stay the same, because indexing values reads the data.
"""

from __future__ import annotations

import hashlib
import re
from collections import OrderedDict
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

from averment.agents.analyst.query.phrases.names import NameIndex
from averment.errors import AvermentError
from averment.language.linking import Linker, Target, ValueIndex
from averment.language.tokens import split_identifier
from averment.reading.relations import hang_together
from averment.tables.select_spec import Term
from averment.tables.select_spec import column as column_term

if TYPE_CHECKING:
    from averment.agents.analyst.skill import Question
    from averment.tables.engine import Engine
    from averment.tables.profile import ColumnProfile, TableProfile
    from averment.tables.relate import Relation

MOST_VALUES = 20_000
_KEPT = 24
_PARTED = "\x1f"
_NAMES = ("name", "title")


@dataclass(frozen=True, slots=True)
class Place:
    """A column of a table."""

    table: str
    column: str


@dataclass(frozen=True)
class Vocabulary:
    """Names and values of some tables."""

    profiles: tuple[TableProfile, ...]
    linker: Linker
    values: ValueIndex
    relations: tuple[Relation, ...]
    texts: dict[tuple[str, str], tuple[str, ...]]
    written: frozenset[Place]
    _tables: dict[str, TableProfile] = field(default_factory=dict[str, "TableProfile"])

    def stamp(self, place: Place) -> Term:
        """A date column as a term, read from its text where it is written with strokes."""
        term = column_term(place.table, place.column)
        return Term(kind="date", arguments=(term,)) if place in self.written else term

    def table(self, name: str) -> TableProfile:
        """The profile of a table."""
        return self._tables[name]

    def column(self, place: Place) -> ColumnProfile:
        """The profile of a column."""
        found = self._tables[place.table].column(place.column)
        assert found is not None  # places are made from the profiles
        return found

    @cached_property
    def names(self) -> NameIndex:
        """The tables' names, ready to be compared with phrases."""
        return NameIndex(self)

    @cached_property
    def keys(self) -> dict[str, str]:
        """The column that tells a table's rows apart: one that others refer to, else a unique one."""
        found: dict[str, str] = {}
        for profile in self.profiles:
            unique = [
                column.name
                for column in profile.columns
                if profile.row_count and column.cardinality == profile.row_count and column.nulls == 0
            ]
            referred = [one.right_column for one in self.relations if one.right == profile.table]
            named = [column.name for column in profile.columns if column.inferred_type == "id"]
            choices = [name for name in referred if name in unique] or [n for n in named if n in unique] or unique
            if choices:
                found[profile.table] = choices[0]
        return found

    def label(self, table: str) -> tuple[str, ...]:
        """The columns by which people call a table's rows: its name, first and last name, or its key."""
        profile = self._tables[table]
        stem = split_identifier(table)
        best: tuple[int, str] | None = None
        for column in profile.columns:
            words = split_identifier(column.name)
            rank = _label_rank(words, stem)
            if rank and column.data_type == "string" and (best is None or rank > best[0]):
                best = (rank, column.name)
        if best is not None:
            return (best[1],)
        whole = [
            c.name for c in profile.columns if split_identifier(c.name)[-2:] in (["first", "name"], ["last", "name"])
        ]
        if len(whole) == 2:
            return tuple(whole)
        texts = [
            c.name
            for c in profile.columns
            if c.data_type == "string" and split_identifier(c.name)[-1:] in (["name"], ["title"])
        ]
        if not texts:
            # ``authorname``: the table's own name and "name" written as one word.
            own = {f"{''.join(stem).removesuffix('s')}{ending}" for ending in _NAMES}
            texts = [c.name for c in profile.columns if c.data_type == "string" and c.name.casefold() in own]
        key = self.keys.get(table)
        return (texts[0],) if texts else ((key,) if key else (profile.columns[0].name,))


def _label_rank(words: list[str], stem: list[str]) -> int:
    """How well a column's name says that it names the rows of a table."""
    if not words:
        return 0
    bare = [word.removesuffix("s") for word in stem]
    own = [word.removesuffix("s") for word in words]
    if own == bare:
        return 3
    if words in (["name"], ["title"]):
        return 5
    if words[-1] in _NAMES and (own[:-1] == bare or own[:-1] == bare[-1:]):
        return 4
    return 2 if words in (["full", "name"],) else 0


_kept: OrderedDict[str, Vocabulary] = OrderedDict()


def vocabulary(question: Question) -> Vocabulary:
    """The vocabulary of a question's tables."""
    marks = [source.content_sha256 or source.fingerprint for source in question.catalog.sources]
    names = [f"{p.table}:{p.row_count}:{','.join(c.name for c in p.columns)}" for p in question.profiles]
    key = hashlib.sha256("\n".join([*sorted(marks), *names]).encode()).hexdigest()
    if key in _kept:
        _kept.move_to_end(key)
        return _kept[key]
    made = _build(question.profiles, question.engine)
    _kept[key] = made
    while len(_kept) > _KEPT:
        _kept.popitem(last=False)
    return made


_STROKES = re.compile(r"(?:0?[1-9]|1[0-2])/(?:0?[1-9]|[12]\d|3[01])/(?:19|20)\d\d(?:\s.*)?")


def _is_written_date(column: ColumnProfile) -> bool:
    samples = [value for value in column.sample_values if value]
    return column.data_type == "string" and bool(samples) and all(_STROKES.fullmatch(value) for value in samples)


def _build(given: tuple[TableProfile, ...], engine: Engine) -> Vocabulary:
    written = frozenset(Place(p.table, c.name) for p in given for c in p.columns if _is_written_date(c))
    profiles = tuple(_dated(profile, written) for profile in given)
    targets = [Target(f"{profile.table}{_PARTED}", _table_names(profile.table)) for profile in profiles]
    for profile in profiles:
        targets += [Target(f"{profile.table}{_PARTED}{column.name}", (column.name,)) for column in profile.columns]
    listed = _values(profiles, engine)
    texts: dict[tuple[str, str], list[str]] = {}
    for where, value in listed:
        texts.setdefault(place_of(where), []).append(value)
    return Vocabulary(
        profiles=profiles,
        linker=Linker(targets),
        values=ValueIndex(listed),
        texts={place: tuple(values) for place, values in texts.items()},
        written=written,
        relations=hang_together(engine, profiles),
        _tables={profile.table: profile for profile in profiles},
    )


def _dated(profile: TableProfile, written: frozenset[Place]) -> TableProfile:
    """The profile with its written dates known as times."""
    if not any(place.table == profile.table for place in written):
        return profile
    columns = tuple(
        each.model_copy(update={"inferred_type": "timestamp"}) if Place(profile.table, each.name) in written else each
        for each in profile.columns
    )
    return profile.model_copy(update={"columns": columns})


def _table_names(name: str) -> tuple[str, ...]:
    """A table's name, and without the marks that say only that it is a table."""
    words = split_identifier(name)
    bare = [word for word in words if word not in {"ref", "tbl", "table", "dim", "fact", "data", "tb"}]
    return (name, " ".join(bare)) if bare and bare != words else (name,)


def place_of(target: str) -> tuple[str, str]:
    """The table and column a link's target names; the column is empty for a table."""
    table, _, column = target.partition(_PARTED)
    return table, column


def _values(profiles: tuple[TableProfile, ...], engine: Engine) -> list[tuple[str, str]]:
    from averment.tables.backend import quote

    found: list[tuple[str, str]] = []
    for profile in profiles:
        for column in profile.columns:
            if column.data_type != "string" or not profile.row_count:
                continue
            where = f"{profile.table}{_PARTED}{column.name}"
            if column.values is not None:
                found += [(where, str(value)) for value, _ in column.values if value is not None]
                continue
            name = quote(column.name)
            asked = (
                f"SELECT DISTINCT {name} AS v FROM {quote(profile.table)} WHERE {name} IS NOT NULL LIMIT {MOST_VALUES}"
            )
            try:
                listed = engine.run(asked, timeout=20.0, row_limit=MOST_VALUES).table.column(0).to_pylist()
            except AvermentError:
                # A column too large to list is still known by its name.
                continue
            found += [(where, str(value)) for value in sorted(map(str, listed)) if len(str(value)) <= 200]
    return found
