"""A pivot lays one column's values side by side."""

from collections.abc import Callable

from averment import Run

Ask = Callable[[str], Run]


def test_months_go_down_and_regions_across(ask_shop: Ask) -> None:
    run = ask_shop("amount by region and month as a pivot")
    assert run.table is not None
    assert run.table.column_names == ["month of order_date", "East", "West"]
    assert run.table.num_rows == 24
    assert run.tasks is not None
    assert run.tasks["subtasks"][-1]["arguments"]["type"] == "heatmap"


def test_one_column_is_no_pivot(ask_shop: Ask) -> None:
    assert ask_shop("pivot amount by region").status == "clarification_needed"
