"""Spark behind the query process: guarded text of our own dialect, put into Spark's, and only its result fetched.

The cluster does the scanning and the grouping; what travels is the answer, at most the rows that were asked for. A
cluster adds floating-point numbers in any order, so they are rounded to twelve digits: the same question then has the
same answer each time, and so the same hash.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from averment.tables.engines.backend import ArrowTable, BackendFailure, EngineSpec, FailureKind, unique_names
from averment.tables.engines.spark_sql import is_ordered, to_spark
from averment.tables.sources.spark_cluster import connect, frames, quoted

DIGITS = 12
_CODES: tuple[tuple[str, FailureKind], ...] = (
    ("UNRESOLVED_COLUMN", "missing_column"),
    ("TABLE_OR_VIEW_NOT_FOUND", "missing_table"),
    ("PARSE_SYNTAX_ERROR", "sql_syntax"),
    ("DATATYPE_MISMATCH", "type_mismatch"),
    ("CAST_INVALID_INPUT", "type_mismatch"),
    ("UNRESOLVED_ROUTINE", "sql_syntax"),
)


class SparkBackend:
    """One session on a cluster, which sees the catalog's tables as views."""

    def __init__(self, spec: EngineSpec) -> None:
        (source,) = spec.sources
        try:
            self._session = connect(source.path)
            found = frames(self._session, source.path)
            for table in source.tables:
                frame = found[table.origin]
                chosen = [frame[quoted(original)].alias(name) for name, original in table.columns]
                frame.select(*chosen).createOrReplaceTempView(table.name)
        except ImportError as error:
            raise BackendFailure("source", "Spark's client is not installed: pip install averment[spark]") from error
        except KeyError as error:
            raise BackendFailure("source", f"the cluster no longer has {error}") from error
        except Exception as error:
            # The client raises what the transport, the server or the JVM raised: one kind for all of them.
            raise BackendFailure("source", f"{type(error).__name__}: {error}") from error

    def run(self, sql: str, params: Sequence[object], row_limit: int, timeout: float) -> ArrowTable:
        """At most ``row_limit + 1`` rows; the cluster limits them, so no more than these travel."""
        text = to_spark(sql, params)
        try:
            answer: Any = self._session.sql(text)
            if not text.startswith("EXPLAIN"):
                if not is_ordered(sql):
                    # A cluster gives rows in any order; sorted, the same question gives the same rows each time.
                    answer = answer.orderBy(*[quoted(name) for name in answer.columns])
                answer = answer.limit(row_limit + 1)
            table: ArrowTable = answer.toArrow()
        except Exception as error:
            raise BackendFailure(_kind(str(error)), f"{type(error).__name__}: {error}") from error
        names = unique_names([str(name) for name in table.column_names])
        return pa.table([_normalized(table.column(place)) for place in range(table.num_columns)], names=names)

    def close(self) -> None:
        """Leave the cluster."""
        self._session.stop()


def _normalized(column: Any) -> Any:
    """A column as the other engines give it: whole texts, UTC without a zone, numbers with twelve digits."""
    kind = column.type
    if pa.types.is_floating(kind):
        numbers = column.combine_chunks().to_numpy(zero_copy_only=False).astype("float64")
        missing = np.asarray(column.combine_chunks().is_null())
        with np.errstate(divide="ignore", invalid="ignore"):
            places = DIGITS - 1 - np.floor(np.log10(np.abs(numbers)))
            scale = 10.0 ** np.where(np.isfinite(places), places, 0)
            rounded = np.where(np.isfinite(numbers), np.round(numbers * scale) / scale, numbers)
        return pa.array(rounded, pa.float64(), mask=missing)
    if pa.types.is_timestamp(kind):
        return column.cast(pa.timestamp("us", tz=kind.tz)).cast(pa.timestamp("us"))
    if pa.types.is_large_string(kind):
        return column.cast(pa.string())
    return column


def _kind(message: str) -> FailureKind:
    for code, kind in _CODES:
        if code in message:
            return kind
    return "failed"
