"""Profiles of the tables a question is about, made once for the same bytes, and with less memory where that is short.

A profile helps to read a question and is no evidence: every number of an answer comes from a recorded call. So a kept
one may be used again as long as the bytes, the columns and the program are the same.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import secrets
from collections.abc import Collection, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from averment.errors import MemoryExceeded
from averment.language.tokens import split_identifier
from averment.reading.words import singular
from averment.tables.engines.backend import quote

if TYPE_CHECKING:
    from averment.runtime.run_context import RunContext
    from averment.tables.catalog import TableInfo
    from averment.tables.profile.profiler import ColumnProfile, TableProfile
    from averment.tables.profile.relationships import TableRelation

PROFILES = "p1"
"""Changed whenever profiles come out otherwise, so that old ones are not taken for new ones."""

SAMPLED_ROWS = 1_000
SHOWN_SAMPLES = 5


def needed_tables(work: RunContext, known: str, taught: Collection[str] = ()) -> list[TableInfo]:
    """The tables, and of the views those that are spoken of: by the question, by ``known``, by ``taught`` words.

    A view shows the rows of tables once more: it is looked at when the question says its name, or the name of a column
    that no table has.
    """
    tables = [table for table in work.catalog.tables if table.view_sql is None]
    if not tables:
        return list(work.catalog.tables)
    stored = {column.name.casefold() for table in tables for column in table.columns}
    named = [_words(table.name) for table in tables]
    said = _words(work.request.intent)

    def is_said(view: TableInfo) -> bool:
        own = [_words(column.name) for column in view.columns if column.name.casefold() not in stored]
        spoken = any(
            words and words <= said for words in (_words(view.name), *(one for one in own if one not in named))
        )
        return spoken or view.name in known or view.name in taught

    return [table for table in work.catalog.tables if table.view_sql is None or is_said(table)]


def _words(name: str) -> set[str]:
    return {singular(word) for word in split_identifier(name)}


def columns_to_read(work: RunContext, table: TableInfo) -> list[str]:
    """The columns of a table that the run's policy permits."""
    return [column.name for column in table.columns if work.gate.permits(table.name, column.name)]


def profile_table(work: RunContext, table: TableInfo, columns: list[str]) -> TableProfile:
    """The profile of these columns of a table, from the cache where it was made before."""
    from averment.tables.profile.profiler import TableProfile

    kept = _place(work, table, columns)
    if kept is not None:
        with contextlib.suppress(OSError, ValueError):
            return TableProfile.model_validate_json(kept.read_text(encoding="utf-8"))
    found = _profile(work, table, columns)
    if kept is not None:
        _keep(kept, found)
    return found


def relations_between(work: RunContext, profiles: Sequence[TableProfile]) -> tuple[TableRelation, ...]:
    """How the profiled tables hang together, from the cache where it was found out before."""
    from averment.reading.schema.implied_joins import hang_together
    from averment.tables.profile.relationships import TableRelation

    keys = [_key(work, work.catalog.table(one.table), [column.name for column in one.columns]) for one in profiles]
    kept = _file(work, "relations", keys) if None not in keys and work.clock.has_time else None
    if kept is not None:
        with contextlib.suppress(OSError, ValueError, TypeError):
            return tuple(TableRelation(**one) for one in json.loads(kept.read_text(encoding="utf-8")))
    found = hang_together(work.queries.engine(), profiles)
    if kept is not None and work.clock.has_time:  # What is left out for want of time is not known to be wrong.
        _write(kept, json.dumps([asdict(one) for one in found]))
    return found


def _place(work: RunContext, table: TableInfo, columns: list[str]) -> Path | None:
    """Where the profile is kept; nowhere for a live database, whose rows may change at any time."""
    key = _key(work, table, columns)
    return None if key is None else _file(work, "profiles", key)


def _file(work: RunContext, kind: str, key: object) -> Path:
    name = hashlib.sha256(json.dumps(key).encode("utf-8", "surrogatepass")).hexdigest()
    return work.services.store.cache_dir / kind / f"{name}.json"


def _key(work: RunContext, table: TableInfo, columns: list[str]) -> list[object] | None:
    """What a profile depends on; None where the rows are not those of known bytes."""
    source = work.catalog.source_of(table.name)
    if source.content_sha256 is None:
        return None
    described = [[column.name, column.type] for column in table.columns if column.name in columns]
    # A snapshot's file name says how the file was read.
    reading = Path(source.attach_path).name if source.attach == "snapshot" else source.format
    return [PROFILES, source.content_sha256, reading, work.catalog.dialect, table.name, list(table.origin), described]


def _keep(place: Path, found: TableProfile) -> None:
    """Keep a profile if it reads back the same; a cache that cannot be written is no reason to fail."""
    text = found.model_dump_json()
    with contextlib.suppress(OSError, ValueError):
        if type(found).model_validate_json(text) != found:
            return
    _write(place, text)


def _write(place: Path, text: str) -> None:
    with contextlib.suppress(OSError, ValueError):
        place.parent.mkdir(parents=True, exist_ok=True)
        draft = place.with_name(f".{secrets.token_hex(8)}")
        draft.write_text(text, encoding="utf-8")
        draft.replace(place)


def _profile(work: RunContext, table: TableInfo, columns: list[str]) -> TableProfile:
    from averment.tables.profile.profiler import profile

    engine = work.queries.engine()
    try:
        return profile(engine, table.name, columns=columns, timeout=work.clock.seconds_left)
    except MemoryExceeded:
        parts: list[ColumnProfile] = []
        rows = 0
        for name in columns:
            try:
                one = profile(engine, table.name, columns=[name], timeout=work.clock.seconds_left)
                rows, parts = one.row_count, [*parts, *one.columns]
            except MemoryExceeded:
                rows, light = _light(work, table, name)
                parts.append(light)
        from averment.tables.profile.profiler import TableProfile

        return TableProfile(table=table.name, row_count=rows, columns=tuple(parts))


def _light(work: RunContext, table: TableInfo, name: str) -> tuple[int, ColumnProfile]:
    """A column's profile without what takes memory: its values are counted roughly, and only its ends are known."""
    from averment.tables.profile.profiler import ColumnProfile, data_type_of, infer_role

    column = next(each for each in table.columns if each.name == name)
    quoted, place = quote(name), quote(table.name)
    engine = work.queries.engine()
    distinct = f"approx_count_distinct({quoted})" if work.catalog.dialect == "duckdb" else f"count({quoted})"
    asked = f"SELECT count(*) AS r, count({quoted}) AS n, {distinct} AS d, min({quoted}) AS l, max({quoted}) AS h"
    row: dict[str, Any] = engine.run(f"{asked} FROM {place}", timeout=work.clock.seconds_left).table.to_pylist()[0]
    some = engine.run(f"SELECT {quoted} AS v FROM {place} LIMIT {SAMPLED_ROWS}", timeout=work.clock.seconds_left).table
    samples = sorted({str(value) for value in some.column("v").to_pylist() if value is not None})[:SHOWN_SAMPLES]
    data_type = data_type_of(column.type)
    numeric = isinstance(row["l"], int | float) and not isinstance(row["l"], bool)
    low, high = (row["l"], row["h"]) if numeric else (str(row["l"]), str(row["h"]))
    role = infer_role(
        name,
        data_type,
        engine_type=column.type,
        rows=row["r"],
        present=row["n"],
        cardinality=min(row["d"], row["n"]),
        minimum=low,
        maximum=high,
    )
    return row["r"], ColumnProfile(
        name=name,
        type=column.type,
        inferred_type=role,
        data_type=data_type,
        cardinality=min(row["d"], row["n"]),
        nulls=row["r"] - row["n"],
        nullable=row["n"] < row["r"],
        sample_values=tuple(samples),
        minimum=low,
        maximum=high,
        mean=None,
        quantiles=None,
        values=None,
    )
