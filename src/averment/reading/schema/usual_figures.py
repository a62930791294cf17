"""The figures of columns: what a number's usual figure is, a ratio's, a yes/no column's."""

from __future__ import annotations

from typing import TYPE_CHECKING

from averment.plans.plan import Measure, Test, Value
from averment.reading.words import singular, word_list

if TYPE_CHECKING:
    from averment.reading.schema.schema_column import Column
    from averment.reading.schema.schema_view import Table


def truth(column: Column, positive: bool) -> Test:
    """A yes/no column as a condition."""
    yes = column.true_value
    if positive:
        return Test(value=column.value, to=(yes,))
    if column.false_value is not None:
        return Test(value=column.value, to=(column.false_value,))
    return Test(value=column.value, operator="!=", to=(yes,))


def usual(column: Column) -> list[tuple[float, str]]:
    """The likely figures of a number nobody named one for, with their costs."""
    if column.figure is not None:
        return [(0.0, column.figure.function)]
    if ratio_of(column) is not None:
        return [(0.0, "ratio"), (0.3, "mean")]
    words = {singular(word) for word in column.words}
    if not column.additive:
        return [(0.0, "mean"), (0.5, "sum")]
    if "total" in words:
        return [(0.0, "sum"), (0.12, "mean")]
    if words & {singular(w) for w in word_list("event_amount")}:
        return [(0.0, "mean"), (0.06, "sum")]
    return [(0.0, "sum"), (0.3, "mean")]


def ratio_of(column: Column) -> tuple[Value, Value, bool] | None:
    """What a computed column divides by what, and whether in percent; None where it divides nothing."""
    value, percent = column.expression, False
    if value is not None and value.operation == "*" and value.operands[0].kind == "number":
        value, percent = value.operands[1], True
    if value is None or value.operation != "/" or value.operands[1].kind == "number":
        return None
    return value.operands[0], value.operands[1], percent


def number_measure(column: Column, function: str, at: float | None) -> Measure:
    """A figure of a number column; a yes/no column's mean is its rate."""
    if column.figure is not None:
        return column.figure
    if column.has("flag"):
        return Measure(function="rate", where=(truth(column, True),))
    ratio = ratio_of(column)
    if ratio is not None and function in {"ratio", "sum"}:
        # Ratios do not add up: of many rows it is the ratio of their totals.
        above, below, percent = ratio
        return Measure(function="sum", of=above, over=Measure(function="sum", of=below), percent=percent)
    if function == "ratio":  # of two numbers beside each other only the other is one
        function = usual(column)[0][1]
    if function == "quantile":
        return Measure(function="quantile", of=column.value, at=at if at is not None else 0.5)
    return Measure(function=function, of=column.value)  # pyright: ignore[reportArgumentType]


def label_values(table: Table) -> tuple[Value, ...]:
    """What names a row of a table."""
    return tuple(column.value for column in table.labels)
