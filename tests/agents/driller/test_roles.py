"""What the user says a column is holds: in the search, in what is told, and when everything is computed again."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from made import BASELINE, COMPARISON
from stage import Stage

from averment import Workbench
from averment.agents.driller.data_model import read_investigation
from averment.agents.driller.reading import InvestigationSetup
from averment.agents.driller.roles import resolve_roles
from averment.errors import AvermentError, InvalidRequest, MissingColumn
from averment.records.drilldown.request import DrillRequest
from averment.settings import Settings
from averment.tables.engines.engine import Engine
from averment.tables.sources.opening import open_sources

COLUMNS = {"orders": ["order_id", "Region"], "customers": ["region", "plan"]}


def read(stage: Stage, files: list[Path], metric: str = "SUM(amount)", **roles: str) -> InvestigationSetup:
    """How an investigation with these roles is read; a table and its column are written with two lines between."""
    places = [str(file) for file in files]
    request = DrillRequest.checked(
        data_sources=places,
        metric_sql=metric,
        baseline_period=BASELINE,
        comparison_period=COMPARISON,
        column_roles={name.replace("__", "."): role for name, role in roles.items()},
    )
    catalog = open_sources(places, settings=stage.settings, cache_dir=stage.services.store.cache_dir / "tables")
    with Engine(catalog, stage.settings) as engine:
        return read_investigation(engine, request, permits=lambda table, column: True)


def reasons(reading: InvestigationSetup) -> Mapping[str, str]:
    return {one.name: one.reason for one in reading.left_out}


def test_an_ignored_column_is_never_a_dimension_and_the_report_can_say_why(stage: Stage, planted: list[Path]) -> None:
    assert {"channel", "plan"} <= set(read(stage, planted).names)
    reading = read(stage, planted, channel="ignore", customers__plan="ignore")
    assert not {"channel", "plan"} & set(reading.names)
    assert {"orders.channel", "customers.plan"} <= set(reasons(reading))


def test_an_ignored_key_still_joins_its_tables(stage: Stage, planted: list[Path]) -> None:
    reading = read(stage, planted, orders__customer_id="ignore")
    assert "plan" in reading.names
    assert [relation.used for relation in reading.relations] == [True]


@pytest.mark.parametrize("column", ["orders.customer_id", "converted", "order_id"])
def test_a_forced_dimension_is_searched_even_if_it_was_not_read_as_one(
    stage: Stage, planted: list[Path], column: str
) -> None:
    name, metric = column.rsplit(".", 1)[-1], "SUM(CASE WHEN converted = 1 THEN amount ELSE 0 END)"
    plain = read(stage, planted, metric if name != "converted" else "SUM(amount)")
    forced = read(
        stage, planted, metric if name != "converted" else "SUM(amount)", **{column.replace(".", "__"): "dimension"}
    )
    assert {one.column for one in forced.dimensions} >= {name}
    if name != "converted":
        assert name not in {one.column for one in plain.dimensions}


def test_a_measure_that_was_read_as_a_segment_is_no_segment_any_more(stage: Stage, planted: list[Path]) -> None:
    assert "converted" in read(stage, planted).names
    assert "converted" not in read(stage, planted, converted="measure").names


def test_the_day_is_the_column_that_was_called_the_time(stage: Stage, planted: list[Path], tmp_path: Path) -> None:
    lines = planted[0].read_text().splitlines()
    place = lines[0].split(",").index("date")
    paid = [lines[0] + ",paid_date", *(f"{line},{line.split(',')[place]}" for line in lines[1:])]
    file = tmp_path / "orders.csv"
    file.write_text("\n".join(paid) + "\n")
    assert read(stage, [file]).day_column == "date"
    assert read(stage, [file], paid_date="time").day_column == "paid_date"
    assert read(stage, [file], date="ignore").day_column == "paid_date"


@pytest.mark.parametrize(
    ("column", "role", "code"),
    [
        ("colour", "ignore", "MISSING_COLUMN"),
        ("channel", "measure", "TYPE_MISMATCH"),
        ("amount", "timestamp", "TYPE_MISMATCH"),
        ("channel", "colour", "INVALID_REQUEST"),
        ("customer_id", "ignore", "INVALID_REQUEST"),
        ("date", "ignore", "NO_DATE_COLUMN"),
    ],
)
def test_a_role_that_cannot_be_is_refused_with_a_code_and_a_hint(
    stage: Stage, planted: list[Path], column: str, role: str, code: str
) -> None:
    with pytest.raises(AvermentError) as refused:
        read(stage, planted, **{column: role})
    assert (refused.value.code, bool(refused.value.hint)) == (code, True)


def test_names_are_settled_by_table_and_by_letter_case() -> None:
    assert resolve_roles({"Region": "ignore"}, COLUMNS) == {("orders", "Region"): "ignore"}
    assert resolve_roles({"customers.REGION": "id"}, COLUMNS) == {("customers", "region"): "id"}
    with pytest.raises(InvalidRequest):
        resolve_roles({"REGION": "ignore"}, COLUMNS)
    with pytest.raises(InvalidRequest):
        resolve_roles({"plan": "ignore", "customers.plan": "id"}, COLUMNS)
    with pytest.raises(MissingColumn):
        resolve_roles({"orders.plan": "ignore"}, COLUMNS)


def test_a_drill_with_roles_is_verified_with_the_same_roles(planted: list[Path], tmp_path: Path) -> None:
    given: dict[str, Any] = {"metric_sql": "SUM(amount)", "baseline": BASELINE, "comparison": COMPARISON}
    with Workbench(settings=Settings(home=tmp_path / "home")) as workbench:
        run = workbench.drill(planted, **given, column_roles={"channel": "ignore", "order_id": "id"})
        assert run.status == "completed"
        assert not any("channel" in finding.text for finding in run.findings)
        assert workbench.runs.row(run.id).request["request"]["column_roles"] == {"channel": "ignore", "order_id": "id"}
        verdict = workbench.verify(run.id)
        assert (verdict.ok, verdict.faults) == (True, ())
        with pytest.raises(MissingColumn):
            workbench.drill(planted, **given, column_roles={"chanel": "ignore"})
        assert len(workbench.runs.list()) == 1
