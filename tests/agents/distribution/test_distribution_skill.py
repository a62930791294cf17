"""A distribution is drawn as the bins that were counted, and quantiles are named."""

import json
from collections.abc import Callable

import pytest

from averment import Run

Ask = Callable[[str], Run]


def test_a_histogram_counts_every_row_once(ask_shop: Ask) -> None:
    run = ask_shop("histogram of amount with 6 bins")
    assert run.table is not None
    assert run.table.num_rows == 6
    assert sum(run.table.to_pydict()["rows"]) == 48
    assert run.plan is not None
    chart = next(task for task in run.plan["subtasks"] if task["task_id"] == "chart")
    assert chart["arguments"]["type"] == "histogram"
    assert "bins of equal width" in json.dumps(run.plan)


def test_quartiles_are_interpolated(ask_shop: Ask) -> None:
    run = ask_shop("quartiles of amount")
    assert run.table is not None
    assert run.table.column_names == ["first quartile", "median", "third quartile", "rows"]
    assert run.findings[0].method.endswith("(type 7)")


@pytest.mark.parametrize("question", ["histogram of amount with 500 bins", "histogram of amount and quantity"])
def test_a_histogram_that_cannot_be_drawn_is_asked_back(ask_shop: Ask, question: str) -> None:
    assert ask_shop(question).status == "clarification_needed"
