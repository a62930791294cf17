"""``df.transform``: a named operation on a kept table, computed by Polars inside the jail.

The operation is data, not code: the jail runs one fixed program of ours that reads the operation from a file.
"""

from __future__ import annotations

from importlib import resources
from typing import Literal

import orjson
from pydantic import Field, model_validator

from averment.errors import MissingColumn, ToolError
from averment.errors.extras import require
from averment.tools.jailed import run_jailed
from averment.tools.result_store import StoredTable
from averment.tools.tool import Args, Output, ToolContext, tool

Operation = Literal[
    "group", "sort", "head", "select", "distinct", "pivot", "share", "cumulative", "moving_average", "growth"
]
Aggregation = Literal["sum", "mean", "min", "max", "median", "count", "distinct", "std"]

NEEDS_VALUE = frozenset({"group", "pivot", "share", "cumulative", "moving_average", "growth"})


class TransformArgs(Args):
    """Which table, which operation, over which columns."""

    input: str = Field(min_length=1, description="The task whose table is transformed.")
    operation: Operation = Field(description="What is done.")
    columns: list[str] = Field(default_factory=list, max_length=50, description="Group, sort, pivot or select columns.")
    aggregation: Aggregation | None = Field(default=None, description="How values of a group become one.")
    value_column: str | None = Field(default=None, description="The column that is aggregated or followed.")
    n: int = Field(default=10, ge=1, le=200_000, description="Rows of head, or the window of moving_average.")
    descending: bool = Field(default=False, description="Sort from large to small.")

    @model_validator(mode="after")
    def _the_operation_has_what_it_needs(self) -> TransformArgs:
        counting = self.aggregation == "count"
        if self.operation in NEEDS_VALUE and self.value_column is None and not counting:
            raise ValueError(f"{self.operation} needs a value_column")
        if self.operation in {"group", "pivot"} and self.aggregation is None:
            raise ValueError(f"{self.operation} needs an aggregation")
        if self.operation == "pivot" and len(self.columns) != 2:
            raise ValueError("pivot needs two columns: rows and columns")
        if self.operation in {"group", "sort", "select", "distinct"} and not self.columns:
            raise ValueError(f"{self.operation} needs columns")
        return self


class TransformOutput(Output):
    """The transformed table and the jail that computed it."""

    jail: str
    operation: str
    table: StoredTable


def transform(args: TransformArgs, context: ToolContext) -> TransformOutput:
    """Check the columns, run the operation in the jail, keep the result."""
    require("programs", "polars")
    source = context.result_store.by_task(args.input)
    for name in [*args.columns, *([args.value_column] if args.value_column else [])]:
        if name not in source.column_names:
            raise MissingColumn(
                f"The table of {args.input} has no column {name}.",
                suggestion=f"Choose among: {', '.join(source.column_names)}.",
            )
    inputs = {
        "table.arrow": context.result_store.bytes_of(args.input),
        "operation.json": orjson.dumps(args.model_dump()),
    }
    outcome = run_jailed(_program(), inputs, context, timeout=context.seconds_left)
    table = outcome.table()
    if table is None:
        raise ToolError("The transformation produced no table.")
    return TransformOutput(jail=outcome.result.jail, operation=args.operation, table=context.keep(table))


def _program() -> str:
    return resources.files("averment.tools").joinpath("transform_program.py").read_text(encoding="utf-8")


DF_TRANSFORM = tool(
    "df.transform", transform, "Group, sort, pivot or otherwise reshape a kept table inside the jail.", cost_seconds=1.0
)
