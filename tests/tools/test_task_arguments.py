"""What a task's tools take is held to the calendar before anything is done."""

from __future__ import annotations

import pytest
from pydantic import ValidationError

from averment.tools.task_tools import AddTask, UpdateTask


@pytest.mark.parametrize("due", ["2026-11-31", "2026-02-29", "0000-01-01", "4978-11-31T03:32"])
def test_a_day_that_no_month_has_is_refused_where_a_task_is_added_or_changed(due: str) -> None:
    with pytest.raises(ValidationError, match="out of range"):
        AddTask(title="water the plants", due=due)
    with pytest.raises(ValidationError, match="out of range"):
        UpdateTask(task_id=1, due=due)


def test_a_leap_day_is_taken() -> None:
    assert AddTask(title="water the plants", due="2028-02-29T09:00").due == "2028-02-29T09:00"
