"""Preparing a frame step by step; the frame after each step is kept, so that values before and after can be asked."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pandas as pd

from averment.agents.analyst.statistic.jailed import select
from averment.agents.analyst.statistic.jailed.frame import Column, Frame, numbers
from averment.stats.outliers import Rule, outlying
from averment.stats.summary import mode, present


def frames(start: Frame, steps: list[dict[str, Any]]) -> list[Frame]:
    """The frame as it came, and as it was after each step."""
    found = [start]
    for step in steps:
        found.append(apply(found[-1], step))
    return found


def apply(frame: Frame, step: dict[str, Any]) -> Frame:
    """The frame after one step."""
    columns: list[str] = step.get("columns") or list(frame.columns)
    match step["do"]:
        case "deduplicate":
            return frame.drop_duplicates(subset=step.get("columns"))
        case "drop_missing":
            return frame.dropna(subset=columns)
        case "filter":
            return select.keep(frame, step)
        case "fill":
            return frame.assign(**{column: _filled(frame[column], step) for column in columns})
        case "outliers":
            return _without_outliers(frame, step)
        case _:
            return frame.assign(**{step["name"]: derive(frame, step)})


def _filled(column: Column, step: dict[str, Any]) -> Any:
    how = step["how"]
    if how == "mode":
        return column.fillna(column.mode().iloc[0]) if column.notna().any() else column
    if how == "value":
        return column.fillna(step["value"])
    if not select.is_numeric(column):
        return column
    there = present(numbers(column))
    if there.size == 0:
        return column
    middle = {"mean": np.mean, "median": np.median}[how](there)
    return pd.Series(numbers(column), column.index).fillna(float(middle))


def _without_outliers(frame: Frame, step: dict[str, Any]) -> Frame:
    rule = Rule(**step["rule"])
    column = numbers(frame[step["column"]])
    apart = outlying(column, rule)
    if step["how"] == "remove":
        return frame[~apart]
    there = present(column)
    stand_in = {"mean": np.mean, "median": np.median, "mode": mode}[step["how"]](there)
    return frame.assign(**{step["column"]: np.where(apart, float(stand_in), column)})


def derive(frame: Frame, step: dict[str, Any]) -> Any:
    """A new column from others."""
    columns: list[str] = step["columns"]
    first = frame[columns[0]]
    given = [numbers(frame[column]) for column in columns]
    nudge = float(step.get("nudge", 0.0))
    with np.errstate(divide="ignore", invalid="ignore"):
        match step["how"]:
            case "sum":
                return np.sum(given, axis=0) + float(step.get("plus", 0.0))
            case "mean":
                return pd.DataFrame(given).T.mean(axis=1).to_numpy()
            case "product":
                return np.prod(given, axis=0) * float(step.get("times", 1.0))
            case "difference":
                return given[0] - given[1]
            case "ratio":
                return given[0] / (given[1] + nudge) * float(step.get("times", 1.0))
            case "log":
                logs = {10: np.log10, 2: np.log2}.get(step.get("base", 0), np.log)
                return logs(given[0] + nudge)
            case "sqrt":
                return np.sqrt(given[0])
            case "minmax":
                low, high = np.nanmin(given[0]), np.nanmax(given[0])
                return (given[0] - low) / (high - low)
            case "zscore":
                there = present(given[0])
                return (given[0] - there.mean()) / float(np.std(there, ddof=step.get("ddof", 0)))
            case "length":
                return (
                    first.fillna("")
                    .astype(str)
                    .map(lambda text: len(re.sub(r"\s", "", text) if step.get("solid") else text))
                )
            case "words":
                return first.fillna("").astype(str).str.split().map(len)
            case "codes":
                return _coded(first, step)
            case "bins":
                return _binned(given[0], step["bins"], step.get("quantiles", False))
            case "change":
                return pd.Series(given[0]).pct_change(fill_method=None).to_numpy() * float(step.get("times", 1.0))
            case part:
                return date_part(first, part)


def _coded(column: Column, step: dict[str, Any]) -> Any:
    if "mapping" in step:
        lowered = {str(key).casefold(): number for key, number in step["mapping"].items()}
        return column.map(lambda value: lowered.get(str(value).casefold(), np.nan)).astype(float)
    if pd.api.types.is_bool_dtype(column.dtype):
        return column.astype(float)
    codes = pd.Categorical(column).codes.astype(float)
    return np.where(codes < 0, np.nan, codes)


def _binned(given: Any, bins: list[dict[str, Any]], quantiles: bool) -> Any:
    there = present(given)

    def edge(at: float) -> float:
        return float(np.quantile(there, at)) if quantiles else at

    found = np.full(given.shape, None, dtype=object)
    for one in bins:
        inside = ~np.isnan(given)
        if one.get("low") is not None:
            low = edge(one["low"])
            inside &= given >= low if one.get("low_in", True) else given > low
        if one.get("high") is not None:
            high = edge(one["high"])
            inside &= given <= high if one.get("high_in", False) else given < high
        found[inside & (found == None)] = one["label"]  # noqa: E711
    return found


def moments(column: Column) -> Column:
    """A column as moments: texts parsed, whole numbers as seconds since 1970 when they are that large."""
    if pd.api.types.is_datetime64_any_dtype(column.dtype):
        return column
    if select.is_numeric(column):
        largest = float(np.nanmax(numbers(column)))
        if largest > 1e8:
            return pd.to_datetime(numbers(column), unit="ms" if largest > 1e11 else "s").to_series(index=column.index)
        return pd.to_datetime(column.astype("Int64").astype(str), format="%Y", errors="coerce")
    return pd.to_datetime(column.astype(str), errors="coerce", format="mixed")


def date_part(column: Column, part: str) -> Any:
    """Year, quarter, month, week, day, weekday, hour, minute or date of a column of moments."""
    found = moments(column).dt
    if part == "weekday_name":
        return found.day_name()
    if part == "weekday":
        return found.dayofweek
    if part == "week":
        return found.isocalendar().week.astype(float)
    return getattr(found, part)
