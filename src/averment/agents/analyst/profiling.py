"""Profiles of the tables a question is about, made once for the same bytes, and with less memory where that is short.

A profile helps to read a question and is no evidence: every number of an answer comes from a recorded call. So a kept
one may be used again as long as the bytes, the columns and the program are the same.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import secrets
from pathlib import Path
from typing import TYPE_CHECKING, Any

from averment.errors import MemoryExceeded
from averment.tables.engines.backend import quote

if TYPE_CHECKING:
    from averment.runtime.run_context import RunContext
    from averment.tables.catalog import TableInfo
    from averment.tables.profile.profiler import ColumnProfile, TableProfile

PROFILES = "p1"
"""Changed whenever profiles come out otherwise, so that old ones are not taken for new ones."""

SAMPLED_ROWS = 1_000
SHOWN_SAMPLES = 5


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


def _place(work: RunContext, table: TableInfo, columns: list[str]) -> Path | None:
    """Where the profile is kept; nowhere for a live database, whose rows may change at any time."""
    source = work.catalog.source_of(table.name)
    if source.content_sha256 is None:
        return None
    described = [[column.name, column.type] for column in table.columns if column.name in columns]
    # A snapshot's file name says how the file was read.
    reading = Path(source.attach_path).name if source.attach == "snapshot" else source.format
    key = [PROFILES, source.content_sha256, reading, work.catalog.dialect, table.name, list(table.origin), described]
    name = hashlib.sha256(json.dumps(key).encode("utf-8", "surrogatepass")).hexdigest()
    return work.services.store.cache_dir / "profiles" / f"{name}.json"


def _keep(place: Path, found: TableProfile) -> None:
    """Keep a profile if it reads back the same; a cache that cannot be written is no reason to fail."""
    text = found.model_dump_json()
    with contextlib.suppress(OSError, ValueError):
        if type(found).model_validate_json(text) != found:
            return
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
    from averment.tables.profile.profile_sql import data_type_of
    from averment.tables.profile.profiler import ColumnProfile, infer_role

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
