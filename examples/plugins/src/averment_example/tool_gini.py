"""A tool: how unequally a column of a kept table is spread, as its Gini coefficient."""

from __future__ import annotations

from fractions import Fraction

import pyarrow as pa
from pydantic import Field

from averment.errors import MissingColumn, TypeMismatch
from averment.tools.result_store import StoredTable
from averment.tools.tool import Args, Output, Tool, ToolContext


class GiniArgs(Args):
    """Which table, and which of its columns."""

    input: str = Field(min_length=1, description="The task whose table is looked at.")
    column: str = Field(min_length=1, description="The column whose values are spread.")


class GiniOutput(Output):
    """A table of one row: the coefficient, and over how many values."""

    table: StoredTable


def gini(values: list[Fraction]) -> Fraction:
    """0 where all have the same, towards 1 where one has everything; exact."""
    ordered, total = sorted(values), sum(values)
    if not ordered or ordered[0] < 0 or total <= 0:
        raise TypeMismatch("A Gini coefficient needs values that are not negative, and one above zero.")
    weighted = sum(place * value for place, value in enumerate(ordered, start=1))
    count = len(ordered)
    return (2 * weighted) / (count * total) - Fraction(count + 1, count)


def run(args: GiniArgs, context: ToolContext) -> GiniOutput:
    """Read the column, compute, keep the result."""
    table = context.result_store.by_task(args.input)
    if args.column not in table.column_names:
        raise MissingColumn(f"The table of {args.input} has no column {args.column}.")
    values = [Fraction(str(value)) for value in table.column(args.column).to_pylist() if value is not None]
    spread = round(float(gini(values)), 12)
    result = pa.table({"gini": pa.array([spread], pa.float64()), "count": pa.array([len(values)], pa.int64())})
    return GiniOutput(table=context.keep(result))


GINI: Tool[GiniArgs, GiniOutput] = Tool(
    name="example.gini",
    description="Compute the Gini coefficient of a column of an earlier result.",
    args=GiniArgs,
    output=GiniOutput,
    run=run,
)
