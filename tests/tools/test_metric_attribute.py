"""The search as a tool: a table whose parts sum to the change, or a refusal."""

from datetime import date, timedelta
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from averment.errors import MetricUndefined, MissingColumn, TypeMismatch
from averment.records.base import new_id
from averment.settings import Settings
from averment.store.storage.local import FileStore
from averment.tools.metric_attribute import AttributeArgs, attribute_metric, spans_of
from averment.tools.result_store import ResultStore
from averment.tools.tool import ToolContext

FIRST = date(2024, 3, 4)


def context(folder: Path, leaves: pa.Table, days: pa.Table) -> ToolContext:
    shelf = ResultStore(FileStore(folder), "work")
    for task, table in (("cube", leaves), ("daily", days)):
        call = new_id()
        shelf.put(call, table)
        shelf.answer(task, call)

    def missing() -> Any:
        raise AssertionError("the search needs neither engine nor jail")

    return ToolContext(
        call_id=new_id(),
        settings=Settings(home=folder),
        engine=missing,
        jail=missing,
        result_store=shelf,
        seconds_left=60.0,
        row_limit=1_000,
    )


def leaves(after: dict[str, float], **columns: float) -> pa.Table:
    rows: list[dict[str, Any]] = []
    for channel in ("web", "app", "shop"):
        for device in ("phone", "laptop"):
            name = f"{channel} {device}"
            row: dict[str, Any] = {"channel": channel, "device": device}
            for side, count in (("before", 1_000.0), ("after", after.get(name, 1_000.0))):
                row |= {f"rows_{side}": count, f"total_{side}": count * 2.0, f"squares_{side}": count * 4.0}
                row |= {f"hits_{side}": count, f"weight_{side}": count}
            rows.append({**row, **columns})
    return pa.Table.from_pylist(rows)


def daily(before: float = 6_000.0, after: float = 6_000.0) -> pa.Table:
    return pa.table(
        {
            "day": [FIRST + timedelta(days=n) for n in range(28)],
            "row_count": [before / 14] * 14 + [after / 14] * 14,
            "total": [before / 7] * 14 + [after / 7] * 14,
            "nulls": [0] * 28,
        }
    )


def arguments(**changes: Any) -> AttributeArgs:
    body: dict[str, Any] = {
        "cube": "cube",
        "daily": "daily",
        "dimensions": ["channel", "device"],
        "metric": "sum",
        "baseline": ["2024-03-04", "2024-03-17"],
        "comparison": ["2024-03-18", "2024-03-31"],
    }
    return AttributeArgs.model_validate({**body, **changes})


def test_the_parts_sum_to_the_change(tmp_path: Path) -> None:
    made = context(tmp_path, leaves({"app phone": 400.0}), daily(after=5_400.0))
    output = attribute_metric(arguments(), made)
    rows = made.result_store.by_call(made.call_id).to_pylist()
    assert rows[1]["segment"] == "channel = app, device = phone"
    assert rows[1]["verdict"] == "volume"
    assert sum(row["contribution"] for row in rows[1:]) == pytest.approx(rows[0]["contribution"])
    assert output.table.row_count == len(rows)


def test_nothing_that_moved_has_no_cause(tmp_path: Path) -> None:
    output = attribute_metric(arguments(), context(tmp_path, leaves({}), daily()))
    assert output.verdict == "no_finding"


def test_a_metric_per_day_is_divided_by_its_days(tmp_path: Path) -> None:
    made = context(tmp_path, leaves({}), daily())
    attribute_metric(arguments(per_day=True), made)
    assert made.result_store.by_call(made.call_id).column("before")[0].as_py() == pytest.approx(12_000 / 14)


def test_division_by_zero_is_refused_by_name(tmp_path: Path) -> None:
    with pytest.raises(MetricUndefined):
        attribute_metric(arguments(metric="ratio"), context(tmp_path, leaves({}, weight_after=0.0), daily()))


def test_a_negative_denominator_is_refused(tmp_path: Path) -> None:
    with pytest.raises(TypeMismatch):
        attribute_metric(arguments(metric="ratio"), context(tmp_path, leaves({}, weight_after=-1.0), daily()))


def test_a_dimension_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(MissingColumn):
        attribute_metric(arguments(dimensions=["country"]), context(tmp_path, leaves({}), daily()))


def test_neighbouring_days_are_told_as_a_span() -> None:
    days = ["2024-02-28", "2024-03-01", "2024-02-29", "2024-03-04", "2024-03-06", "2024-03-07"]
    assert spans_of(days) == "2024-02-28 to 2024-03-01, 2024-03-04, 2024-03-06, 2024-03-07"
