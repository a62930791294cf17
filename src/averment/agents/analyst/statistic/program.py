"""The program that answers a statistical specification inside the jail: read the table, prepare it, compute, write.

It is data-driven: the specification is JSON, never code. Outside the jail only tests call it.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa

from averment.agents.analyst.statistic.jailed import prepare, select
from averment.agents.analyst.statistic.jailed.frame import Column, Frame, label_text, numbers
from averment.agents.analyst.statistic.jailed.models import fit_and_measure
from averment.stats.correlation import correlate
from averment.stats.hypotheses import check_independence, compare_groups
from averment.stats.normality import check_normality
from averment.stats.outliers import Rule, outlying
from averment.stats.summary import summarise

Value = float | int | str | None
Frames = list[Frame]


def answer(table: pa.Table, spec: dict[str, Any]) -> pa.Table:
    """One row a value asked for: its name, its number or its text, and over how many rows it was computed."""
    frames = prepare.frames(select.from_arrow(table), spec["steps"])
    names: list[str] = []
    found: list[float | None] = []
    texts: list[str | None] = []
    rows: list[int] = []
    for value in spec["values"]:
        got = evaluate(frames, value)
        names.append(value["name"])
        known = isinstance(got, float | int) and not np.isnan(got)
        found.append(float(got) if known else None)  # pyright: ignore[reportArgumentType] - a number, just checked
        texts.append(got if isinstance(got, str) else None)
        rows.append(len(frames[value.get("after", -1)]))
    return pa.table(
        {
            "name": pa.array(names, pa.string()),
            "value": pa.array(found, pa.float64()),
            "text": pa.array(texts, pa.string()),
            "rows": pa.array(rows, pa.int64()),
        }
    )


def evaluate(frames: Frames, value: dict[str, Any]) -> Value:
    """One value of the specification over the frame as it was after the step it names."""
    frame = frames[value.get("after", -1)]
    whole = frame
    for condition in value.get("where", []):
        frame = select.keep(frame, condition)
    return KINDS[value["kind"]](frames, frame, {**value, "whole": whole})


def _summary(_: Frames, frame: Frame, value: dict[str, Any]) -> Value:
    column, statistic = value["column"], value["statistic"]
    if statistic in {"count", "distinct", "mode", "min", "max"} and not select.is_numeric(frame[column]):
        there = frame[column].dropna()
        if statistic == "count":
            return int(there.size)
        if statistic == "distinct":
            return int(there.nunique())
        if there.empty:
            return None
        return label_text(there.mode().iloc[0] if statistic == "mode" else getattr(there, statistic)())
    return summarise(numbers(frame[column]), statistic, quantile=value.get("quantile"))


def _rows(_: Frames, frame: Frame, value: dict[str, Any]) -> Value:
    if value.get("of"):
        of = len(value["whole"])
        return len(frame) / of * value.get("scale", 1) if of else None
    return len(frame)


def _correlation(_: Frames, frame: Frame, value: dict[str, Any]) -> Value:
    found = correlate(numbers(frame[value["x"]]), numbers(frame[value["y"]]), value["method"])
    return found.p if value["part"] == "p" else found.r


def _normality(_: Frames, frame: Frame, value: dict[str, Any]) -> Value:
    statistic, p = check_normality(numbers(frame[value["column"]]), value["test"])
    return p if value["part"] == "p" else statistic


def rule_of(given: dict[str, Any]) -> Rule:
    """The outlier rule a specification describes."""
    return Rule(
        method=given["method"],
        threshold=given["threshold"],
        ddof=given.get("ddof", 0),
        above_only=given.get("above_only", False),
    )


def _outliers(_: Frames, frame: Frame, value: dict[str, Any]) -> Value:
    column = numbers(frame[value["column"]])
    apart = outlying(column, rule_of(value["rule"]))
    match value["part"]:
        case "count":
            return int(apart.sum())
        case "share":
            return float(apart.mean()) * value.get("scale", 1)
        case "values":
            return ", ".join(label_text(each, value.get("decimals")) for each in sorted(column[apart]))
        case "labels":
            return ", ".join(dict.fromkeys(label_text(each) for each in frame.loc[apart, value["label"]]))
        case _:
            return summarise(column[apart], value["part"])


def _missing(_: Frames, frame: Frame, value: dict[str, Any]) -> Value:
    columns = value.get("columns") or list(frame.columns)
    part = value["part"]
    counts = {column: int(frame[column].isna().sum()) for column in columns}
    if part == "count":
        return sum(counts.values())
    if part == "share":
        cells = len(frame) * len(columns)
        return sum(counts.values()) / cells * value.get("scale", 1) if cells else None
    if part == "most":
        return max(counts, key=lambda column: counts[column])
    if part == "columns":
        if value.get("text_only"):
            counts = {column: n for column, n in counts.items() if not select.is_numeric(frame[column])}
        return ", ".join(sorted(column for column, count in counts.items() if count))
    if part == "columns_count":
        return sum(1 for count in counts.values() if count)
    if part == "rows":
        return int(frame[columns].isna().any(axis=1).sum())
    return str(counts)


def _duplicates(frames: Frames, frame: Frame, value: dict[str, Any]) -> Value:
    return int(frames[0].duplicated(subset=value.get("columns")).sum())


def _test(_: Frames, frame: Frame, value: dict[str, Any]) -> Value:
    statistic, p, freedom = float("nan"), float("nan"), 0
    if value["test"] == "chi2":
        counts = pd.crosstab(frame[value["x"]], frame[value["y"]])
        statistic, p, freedom = check_independence(counts.to_numpy())
    elif value.get("columns"):
        statistic, p = compare_groups([numbers(frame[column]) for column in value["columns"]], value["test"])
    else:
        groups = value.get("groups") or sorted(frame[value["by"]].dropna().unique().tolist(), key=str)
        samples = [numbers(frame.loc[select.equal(frame[value["by"]], group), value["column"]]) for group in groups]
        statistic, p = compare_groups(samples, value["test"])
    return {"p": p, "statistic": statistic, "freedom": float(freedom)}[value["part"]]


def _model(_: Frames, frame: Frame, value: dict[str, Any]) -> Value:
    return fit_and_measure(frame, value["model"], value["part"])


def _grouped(frame: Frame, value: dict[str, Any]) -> Column:
    """The statistic of each group, groups in their own order; groups too small are left out."""
    found: dict[Any, float] = {}
    for key, part in frame.groupby(value["by"], sort=True, dropna=True):
        if len(part) >= value.get("at_least", 0):
            if value.get("column") is None:
                found[key] = len(part)
            else:
                found[key] = summarise(numbers(part[value["column"]]), value["statistic"])
    return pd.Series(found, dtype=float)


def _extreme(_: Frames, frame: Frame, value: dict[str, Any]) -> Value:
    if value.get("statistic") is None:
        ordered = numbers(frame[value["column"]])
        if ordered.size == 0 or np.isnan(ordered).all():
            return None
        place = int(np.nanargmax(ordered) if value["how"] == "max" else np.nanargmin(ordered))
        shown = frame[value["show"]].iloc[place]
        return float(shown) if select.is_numeric(frame[value["show"]]) else label_text(shown)
    found = _grouped(frame, value).dropna()
    if found.empty:
        return None
    best = found.max() if value["how"] == "max" else found.min()
    if value["show"] == "value":
        return float(best)
    tied = found.index[found == best]
    if len(tied) > 1:
        sizes = frame[value["by"]].value_counts()
        tied = sorted(tied, key=lambda key: -int(sizes[key]))
    return label_text(tied[0])


def _extreme_column(_: Frames, frame: Frame, value: dict[str, Any]) -> Value:
    if len(frame) != 1:
        return None
    row = {column: float(numbers(frame[column])[0]) for column in value["columns"]}
    there = {column: number for column, number in row.items() if not np.isnan(number)}
    best = max(there.values()) if value["how"] == "max" else min(there.values())
    return ", ".join(column for column, number in there.items() if number == best)


def _strongest(_: Frames, frame: Frame, value: dict[str, Any]) -> Value:
    """The column most correlated with another, by sign or by size, or its coefficient."""
    target = numbers(frame[value["x"]])
    found = {column: correlate(numbers(frame[column]), target, value["method"]).r for column in value["columns"]}
    known = {column: r for column, r in found.items() if not np.isnan(r)}
    if not known:
        return None
    by = {"absolute": abs, "positive": float, "negative": lambda r: -r}[value["how"]]
    best = max(known, key=lambda column: by(known[column]))
    return best if value["part"] == "column" else known[best]


def _group_table(_: Frames, frame: Frame, value: dict[str, Any]) -> Value:
    places, prefix = value.get("decimals"), value.get("prefix", "")
    shown: dict[str, float | int] = {}
    for key, number in _grouped(frame, value).items():
        rounded = number if places is None else round(float(number), places)
        name = f"{prefix}{label_text(key)}"
        shown[name] = int(number) if value.get("column") is None or value["statistic"] == "count" else rounded
    return str(shown)


def _first(_: Frames, frame: Frame, value: dict[str, Any]) -> Value:
    if frame.empty:
        return None
    got = frame[value["column"]].iloc[0 if value.get("end") != "last" else -1]
    return float(got) if select.is_numeric(frame[value["column"]]) else label_text(got)


def _change_at_extreme(_: Frames, frame: Frame, value: dict[str, Any]) -> Value:
    """Percent change of a column against the row before, in the row where another column is highest or lowest."""
    ordered = numbers(frame[value["column"]])
    place = int(np.nanargmax(ordered) if value["how"] == "max" else np.nanargmin(ordered))
    if place == 0:
        return None
    followed = numbers(frame[value["followed"]])
    return float((followed[place] / followed[place - 1] - 1) * 100)


def _verdict(frames: Frames, _: Frame, value: dict[str, Any]) -> Value:
    facts: dict[str, float] = {}
    for name, fact in value["facts"].items():
        got = evaluate(frames, fact)
        facts[name] = float(got) if isinstance(got, float | int) else float("nan")
    for rule in value["rules"]:
        if all(_holds(facts, condition) for condition in rule["when"]):
            return str(rule["say"])
    return value.get("otherwise")


def _holds(facts: dict[str, float], condition: dict[str, Any]) -> bool:
    got = facts[condition["fact"]]
    got = abs(got) if condition.get("absolute") else got
    limit = condition["value"]
    return bool(
        {"<": got < limit, "<=": got <= limit, ">": got > limit, ">=": got >= limit, "=": got == limit}[condition["is"]]
    )


KINDS: dict[str, Callable[[Frames, Frame, dict[str, Any]], Value]] = {
    "summary": _summary,
    "rows": _rows,
    "correlation": _correlation,
    "normality": _normality,
    "outliers": _outliers,
    "missing": _missing,
    "duplicates": _duplicates,
    "test": _test,
    "model": _model,
    "extreme": _extreme,
    "strongest": _strongest,
    "extreme_column": _extreme_column,
    "group_table": _group_table,
    "first": _first,
    "change_at_extreme": _change_at_extreme,
    "verdict": _verdict,
}


def main(text: str) -> None:
    """Read the table of the task ``data``, answer the specification, leave the result."""
    given, taken = Path(globals()["IN"]), Path(globals()["OUT"])
    with pa.ipc.open_file(pa.BufferReader((given / "data.arrow").read_bytes())) as reader:
        table = reader.read_all()
    result = answer(table, json.loads(text))
    with pa.OSFile(str(taken / "result.arrow"), "wb") as sink, pa.ipc.new_file(sink, result.schema) as writer:
        writer.write_table(result)
