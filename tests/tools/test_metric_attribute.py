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
from averment.tools.metric_attribute import AttributeArgs, attribute_metric
from averment.tools.result_store import ResultStore
from averment.tools.tool import ToolContext

FIRST = date(2024, 3, 4)
SEGMENTS = [(channel, device) for channel in ("web", "app", "shop") for device in ("phone", "laptop")]


def context(folder: Path, after: dict[str, float], *, weight: float = 1.0, doubled: bool = False) -> ToolContext:
    """Cells by day and leaves of a table in which each row adds two; ``after`` are rows a period of some segments."""
    cells: list[dict[str, Any]] = []
    leaves: list[dict[str, Any]] = []
    days = [{"day": FIRST + timedelta(days=n), "row_count": 0.0, "distinct_rows": 0.0} for n in range(28)]
    for channel, device in SEGMENTS:
        own = {"channel": channel, "device": device}
        leaf: dict[str, Any] = dict(own)
        for side, rows, heavy in (
            ("before", 1_400.0, 1.0),
            ("after", after.get(f"{channel} {device}", 1_400.0), weight),
        ):
            leaf |= {f"rows_{side}": rows, f"hits_{side}": rows, f"weight_{side}": rows * heavy}
            leaf |= {f"total_{side}": rows * 2.0, f"squares_{side}": rows * 4.0}
            for n in range(14):
                count = rows / 14 * (2.0 if doubled and side == "after" and n == 3 else 1.0)
                day = days[n + 14 * (side == "after")]
                day["row_count"] += count
                day["distinct_rows"] += rows / 14
                cells.append({**own, "day": day["day"], "n": count, "v": count * 2.0, "vv": count * 4.0, "empty": 0.0})
                cells[-1] |= {"w": count * heavy, "vw": count * 2.0 * heavy, "ww": count * heavy**2}
        leaves.append(leaf)
    shelf = ResultStore(FileStore(folder), "work")
    for task, rows in (("cube", leaves), ("daily", days), ("facts", cells)):
        call = new_id()
        shelf.put(call, pa.Table.from_pylist(rows))
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


def arguments(**changes: Any) -> AttributeArgs:
    body: dict[str, Any] = {
        "facts": "facts",
        "cube": "cube",
        "daily": "daily",
        "dimensions": ["channel", "device"],
        "leaf_dimensions": ["channel", "device"],
        "metric": "sum",
        "baseline": ["2024-03-04", "2024-03-17"],
        "comparison": ["2024-03-18", "2024-03-31"],
    }
    return AttributeArgs.model_validate({**body, **changes})


def test_the_parts_sum_to_the_change(tmp_path: Path) -> None:
    made = context(tmp_path, {"app phone": 400.0})
    output = attribute_metric(arguments(), made)
    rows = made.result_store.by_call(made.call_id).to_pylist()
    assert rows[1]["segment"] == "channel = app, device = phone"
    assert rows[1]["kind"] == "volume"
    assert sum(row["contribution"] for row in rows[1:]) == pytest.approx(rows[0]["contribution"])
    assert output.table.row_count == len(rows)


def test_nothing_that_moved_has_no_cause(tmp_path: Path) -> None:
    assert attribute_metric(arguments(), context(tmp_path, {})).attribution["explanations"] == []


def test_a_day_that_was_loaded_twice_is_seen_by_its_distinct_rows(tmp_path: Path) -> None:
    [told] = attribute_metric(arguments(), context(tmp_path, {}, doubled=True)).attribution["explanations"]
    assert (told["kind"], told["details"]["fault"]) == ("data_fault", "duplicates")
    assert told["details"]["since"] == told["details"]["until"] == "2024-03-21"


def test_a_metric_per_day_is_divided_by_its_days(tmp_path: Path) -> None:
    made = context(tmp_path, {})
    attribute_metric(arguments(per_day=True), made)
    assert made.result_store.by_call(made.call_id).column("before")[0].as_py() == pytest.approx(16_800 / 14)


def test_division_by_zero_is_refused_by_name(tmp_path: Path) -> None:
    with pytest.raises(MetricUndefined):
        attribute_metric(arguments(metric="ratio"), context(tmp_path, {}, weight=0.0))


def test_a_negative_denominator_is_refused(tmp_path: Path) -> None:
    with pytest.raises(TypeMismatch):
        attribute_metric(arguments(metric="ratio"), context(tmp_path, {}, weight=-1.0))


def test_a_dimension_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(MissingColumn):
        attribute_metric(arguments(dimensions=["country"]), context(tmp_path, {}))
