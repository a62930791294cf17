"""Postgres behind the query process: a read-only session with a time limit, asked through a server-side cursor.

A read-only transaction alone is no boundary, so the session also gives its rights up where it can: a superuser, or a
role that may read everything, goes on as ``pg_read_all_data``. What remains is what the role itself may do.
"""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from typing import Any

import psycopg
import pyarrow as pa
from psycopg import errors as pg_errors
from psycopg.types.string import TextLoader

from averment.tables.engines.backend import ArrowTable, BackendFailure, EngineSpec, FailureKind, unique_names

_BATCH_ROWS = 8_192
_START_SECONDS = 10
_SESSION = {
    "default_transaction_read_only": "on",
    "standard_conforming_strings": "on",
    "client_connection_check_interval": "1000",
    "lock_timeout": "5000",
    "timezone": "UTC",
    "datestyle": "ISO",
    "intervalstyle": "postgres",
    "extra_float_digits": "1",
    "max_parallel_workers_per_gather": "0",
    "jit": "off",
    "row_security": "on",
}
# Kinds that Arrow has no like of are read as the text the server writes.
_AS_TEXT = (
    "json jsonb uuid interval inet cidr macaddr xml money bit varbit tsvector tsquery point box circle line lseg path "
    "polygon int4range int8range numrange daterange tsrange tstzrange timetz name"
).split()
_EXACT_DIGITS, _LONG_FRACTION = 38, 10
_TYPES: dict[str, pa.DataType] = {
    "bool": pa.bool_(),
    "int2": pa.int64(),
    "int4": pa.int64(),
    "int8": pa.int64(),
    "oid": pa.int64(),
    "float4": pa.float64(),
    "float8": pa.float64(),
    "date": pa.date32(),
    "time": pa.time64("us"),
    "timestamp": pa.timestamp("us"),
    "timestamptz": pa.timestamp("us", tz="UTC"),
    "bytea": pa.binary(),
}


class PostgresBackend:
    """One read-only session on a Postgres server."""

    def __init__(self, spec: EngineSpec) -> None:
        (source,) = spec.sources
        schemas = sorted({table.origin[-2] for table in source.tables if len(table.origin) > 1})
        settings = {**_SESSION, "search_path": ", ".join(f'"{name}"' for name in schemas) or "public"}
        if spec.threads > 1:
            settings["max_parallel_workers_per_gather"] = str(spec.threads)
        try:
            self._connection = psycopg.connect(
                source.path, connect_timeout=_START_SECONDS, application_name="averment", autocommit=True
            )
            for name, value in settings.items():
                self._connection.execute("SELECT set_config(%s, %s, false)", (name, value))
            self._drop_rights()
        except psycopg.Error as error:
            raise BackendFailure("source", str(error)) from error
        for name in _AS_TEXT:
            if self._connection.adapters.types.get(name) is not None:
                self._connection.adapters.register_loader(name, TextLoader)

    def run(self, sql: str, params: Sequence[object], row_limit: int, timeout: float) -> ArrowTable:
        """At most ``row_limit + 1`` rows, fetched in batches from a cursor that stays on the server."""
        try:
            self._connection.execute(
                "SELECT set_config('statement_timeout', %s, false)", (str(max(1, round(timeout * 1000))),)
            )
            with self._connection.transaction(), self._cursor(sql) as cursor:
                cursor.execute(sql.encode("utf-8"), list(params) or None)
                rows: list[tuple[Any, ...]] = []
                while len(rows) <= row_limit:
                    batch = cursor.fetchmany(min(_BATCH_ROWS, row_limit + 1 - len(rows)))
                    if not batch:
                        break
                    rows += batch
                described = list(cursor.description or ())
        except psycopg.Error as error:
            raise BackendFailure(_failure_kind(error), _message(error)) from error
        except MemoryError as error:
            raise BackendFailure("memory", "the result does not fit into memory") from error
        columns: list[Any] = list(zip(*rows, strict=True)) if rows else [() for _ in described]
        arrays = [self._column(values, column) for values, column in zip(columns, described, strict=True)]
        return pa.table(arrays, names=unique_names([column.name for column in described]))

    def close(self) -> None:
        """End the session."""
        self._connection.close()

    def _cursor(self, sql: str) -> Any:
        # The server declares cursors for queries only; EXPLAIN answers at once and is short.
        if sql.startswith("EXPLAIN "):
            return psycopg.RawCursor(self._connection)
        return psycopg.RawServerCursor(self._connection, "averment")

    def _drop_rights(self) -> None:
        row = self._connection.execute(
            "SELECT current_setting('is_superuser') = 'on', pg_has_role(current_user, 'pg_read_all_data', 'MEMBER')"
        ).fetchone()
        if row is not None and (row[0] or row[1]):
            self._connection.execute("SET ROLE pg_read_all_data")

    def _column(self, values: Sequence[Any], column: psycopg.Column) -> Any:
        kind = self._connection.adapters.types.get(column.type_code)
        name = kind.name if kind is not None else ""
        if name == "numeric":
            return _numbers(values, column)
        if name in _TYPES and column.type_code == (kind.oid if kind else 0):
            return pa.array(values, _TYPES[name])
        try:
            return pa.array(values)
        except (pa.ArrowInvalid, pa.ArrowTypeError, pa.ArrowNotImplementedError):
            return pa.array([None if value is None else str(value) for value in values], pa.string())


def _numbers(values: Sequence[Decimal | None], column: psycopg.Column) -> Any:
    """A numeric column: exact where the server or the values say how many digits, else floats.

    A sum of ``numeric(10,2)`` has no declared digits, but its values still carry two decimals and are kept so. Long
    fractions, as a mean has them, become floats.
    """
    special = any(value is not None and not value.is_finite() for value in values)
    if not special and column.precision is not None and column.precision <= _EXACT_DIGITS:
        return pa.array(values, pa.decimal128(column.precision, column.scale or 0))
    present = [value for value in values if value is not None]
    scale = max((-int(value.as_tuple().exponent) for value in present), default=0) if not special else _LONG_FRACTION
    if not special and scale <= 0 and all(abs(value) < 2**63 for value in present):
        return pa.array([None if value is None else int(value) for value in values], pa.int64())
    if 0 < scale < _LONG_FRACTION and all(abs(value) < 10 ** (_EXACT_DIGITS - scale) for value in present):
        return pa.array(values, pa.decimal128(_EXACT_DIGITS, scale))
    return pa.array([None if value is None else float(value) for value in values], pa.float64())


def _message(error: psycopg.Error) -> str:
    return error.diag.message_primary or str(error)


def _failure_kind(error: psycopg.Error) -> FailureKind:
    match error:
        case pg_errors.QueryCanceled():
            return "timeout"
        case pg_errors.UndefinedColumn() | pg_errors.AmbiguousColumn():
            return "missing_column"
        case pg_errors.UndefinedTable():
            return "missing_table"
        case pg_errors.OutOfMemory() | pg_errors.ProgramLimitExceeded() | pg_errors.DiskFull():
            return "memory"
        case pg_errors.InsufficientPrivilege() | pg_errors.ReadOnlySqlTransaction():
            return "refused"
        case pg_errors.DatatypeMismatch() | pg_errors.UndefinedFunction() | pg_errors.CannotCoerce():
            return "type_mismatch"
        case pg_errors.IndeterminateDatatype() | pg_errors.WrongObjectType() | psycopg.DataError():
            return "type_mismatch"
        case pg_errors.SyntaxError() | pg_errors.GroupingError() | psycopg.ProgrammingError():
            return "sql_syntax"
        case psycopg.OperationalError():
            return "source"
        case _:
            return "failed"
