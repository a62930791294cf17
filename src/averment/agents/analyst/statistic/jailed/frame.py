"""Columns as numbers, and values as a reader writes them."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

Frame = Any
"""A data frame of pandas, whose own types say less than its documentation."""

Column = Any
"""A column of one."""


def numbers(column: Any) -> npt.NDArray[np.float64]:
    """A column as floats: truth values as 0 and 1, times as nanoseconds, texts that are no number as missing."""
    series: Any = pd.Series(column)
    if pd.api.types.is_bool_dtype(series.dtype):
        return series.astype(float).to_numpy()
    if pd.api.types.is_datetime64_any_dtype(series.dtype):
        return series.astype("int64").astype(float).where(series.notna()).to_numpy()
    found: Any = pd.to_numeric(series, errors="coerce")
    return found.astype(float).to_numpy()


def label_text(value: Any, decimals: int | None = None) -> str:
    """A value as text: whole numbers without a point, days without a clock."""
    if isinstance(value, float | np.floating):
        if decimals is not None:
            return f"{float(value):.{decimals}f}"
        return str(int(value)) if float(value).is_integer() else repr(float(value))
    if isinstance(value, pd.Timestamp):
        return str(value.date()) if value == value.normalize() else str(value)
    return str(value)
