"""The program that ``df.transform`` runs inside the jail: reads IN, applies one operation with Polars, writes OUT.

It is never imported by Averment; the jail executes its text.
"""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl

AGGREGATES: dict[str, Callable[[Any], pl.Expr]] = {
    "sum": lambda column: pl.col(column).sum(),
    "mean": lambda column: pl.col(column).mean(),
    "min": lambda column: pl.col(column).min(),
    "max": lambda column: pl.col(column).max(),
    "median": lambda column: pl.col(column).median(),
    "count": lambda column: pl.len() if column is None else pl.col(column).count(),
    "distinct": lambda column: pl.col(column).n_unique(),
    "std": lambda column: pl.col(column).std(),
}


def aggregate(frame: pl.DataFrame, keys: list[str], how: str, value: str | None) -> pl.DataFrame:
    """One row a group, groups in the order of their keys."""
    name = "count" if value is None else f"{how}_{value}"
    return frame.group_by(keys, maintain_order=True).agg(AGGREGATES[how](value).alias(name)).sort(keys)


def apply(frame: pl.DataFrame, job: dict[str, Any]) -> pl.DataFrame:
    """The frame after the one operation the job names."""
    operation, columns, value = job["operation"], job["columns"], job["value_column"]
    if operation == "group":
        return aggregate(frame, columns, job["aggregation"], value)
    if operation == "sort":
        return frame.sort(columns, descending=job["descending"], nulls_last=True, maintain_order=True)
    if operation == "head":
        return frame.head(job["n"])
    if operation == "select":
        return frame.select(columns)
    if operation == "distinct":
        return frame.select(columns).unique(maintain_order=True)
    if operation == "pivot":
        rows, across = columns
        long = aggregate(frame, [rows, across], job["aggregation"], value)
        return long.pivot(on=across, index=rows, values=long.columns[-1], sort_columns=True).sort(rows)
    if operation == "share":
        return frame.with_columns(
            (pl.col(value).cast(pl.Float64) / pl.col(value).cast(pl.Float64).sum()).alias(f"share_{value}")
        )
    ordered = frame.sort(columns, maintain_order=True) if columns else frame
    if operation == "cumulative":
        return ordered.with_columns(pl.col(value).cum_sum().alias(f"cumulative_{value}"))
    if operation == "moving_average":
        mean = pl.col(value).cast(pl.Float64).rolling_mean(window_size=job["n"])
        return ordered.with_columns(mean.alias(f"moving_average_{value}"))
    previous = pl.col(value).cast(pl.Float64).shift(1)
    return ordered.with_columns(((pl.col(value).cast(pl.Float64) - previous) / previous).alias(f"growth_{value}"))


def main() -> None:
    """Read, apply, write."""
    given, taken = Path(globals()["IN"]), Path(globals()["OUT"])  # Set by the jail, which may have no root of its own.
    job = json.loads((given / "operation.json").read_bytes())
    frame = pl.read_ipc(given / "table.arrow")
    result = apply(frame, job)
    result.write_ipc(taken / "result.arrow", compression="uncompressed", compat_level=pl.CompatLevel.oldest())


if __name__ == "__main__":
    main()
