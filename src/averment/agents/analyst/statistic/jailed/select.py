"""From Arrow to a frame, and rows by conditions."""

from __future__ import annotations

from typing import Any

import pandas as pd
import pyarrow as pa
import pyarrow.types as pat

from averment.agents.analyst.statistic.jailed.frame import Column, Frame, numbers


def from_arrow(table: pa.Table) -> Frame:
    """The table as a frame: decimals as floats, days as moments."""
    columns: dict[str, Any] = {}
    for name in table.column_names:
        column = table.column(name)
        if pat.is_decimal(column.type):
            column = column.cast(pa.float64())
        elif pat.is_date(column.type):
            column = column.cast(pa.timestamp("us"))
        columns[name] = column.to_pandas()
    return pd.DataFrame(columns)


def is_numeric(column: Column) -> bool:
    """Whether a column holds numbers or truth values."""
    return bool(pd.api.types.is_numeric_dtype(column.dtype) or pd.api.types.is_bool_dtype(column.dtype))


def equal(column: Column, value: Any) -> Column:
    """Where a column has a value; texts without regard to case and outer blanks."""
    if isinstance(value, bool):
        return column.astype("boolean").eq(value).fillna(False).astype(bool)
    if isinstance(value, str) and not is_numeric(column):
        return column.astype(str).str.strip().str.casefold().eq(value.strip().casefold()) & column.notna()
    if isinstance(value, str):
        return pd.Series(numbers(column) == float(value), index=column.index)
    if not is_numeric(column) and not pd.api.types.is_datetime64_any_dtype(column.dtype):
        return column.astype(str).str.strip().eq(str(value)) & column.notna()
    return column.eq(value).fillna(False).astype(bool)


def keep(frame: Frame, condition: dict[str, Any]) -> Frame:
    """The rows that meet a condition; a missing value meets none."""
    column, operator, value = frame[condition["column"]], condition["is"], condition.get("value")
    if operator == "=":
        return frame[equal(column, value)]
    if operator == "<>":
        return frame[~equal(column, value) & column.notna()]
    if operator == "nth_common":
        common = column.value_counts(sort=True)
        return frame[equal(column, common.index[int(value or 0)])]
    found, limit = (
        (column, pd.Timestamp(value)) if _is_time(column) else (pd.Series(numbers(column), frame.index), value)
    )
    compared = {"<": found < limit, "<=": found <= limit, ">": found > limit, ">=": found >= limit}[operator]
    return frame[compared]


def _is_time(column: Column) -> bool:
    return bool(pd.api.types.is_datetime64_any_dtype(column.dtype))
