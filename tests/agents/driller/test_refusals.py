"""What cannot be followed is refused with a code of its own, and what can is handled."""

from pathlib import Path
from typing import Any

import pytest
from made import BASELINE, COMPARISON, fewer_app_phones, orders, write_csv
from stage import Stage

from averment import Workbench
from averment.errors import InvalidRequest
from averment.runtime.outcome import Run
from averment.settings import Settings


@pytest.fixture(scope="module")
def items(tmp_path_factory: pytest.TempPathFactory) -> Path:
    rows = [{"order_id": row["order_id"], "qty": 1 + n} for row in orders(fewer_app_phones) for n in range(2)]
    return write_csv(tmp_path_factory.mktemp("items") / "items.csv", rows)


def code_of(run: Run) -> str:
    assert run.status == "failed"
    assert run.error is not None
    assert run.error["hint"]
    return str(run.error["code"])


@pytest.mark.parametrize(
    ("metric", "baseline", "code"),
    [
        ("SUM(amount) / SUM(CASE WHEN date < '2024-03-18' THEN 1 ELSE 0 END)", BASELINE, "METRIC_UNDEFINED"),
        ("SUM(amount)", ("2020-01-01", "2020-01-31"), "PERIOD_WITHOUT_DATA"),
        ("MAX(amount)", BASELINE, "METRIC_UNREADABLE"),
        ("SUM(amuont)", BASELINE, "MISSING_COLUMN"),
    ],
)
def test_a_metric_that_cannot_be_followed_has_its_code(
    stage: Stage, planted: list[Path], metric: str, baseline: tuple[str, str], code: str
) -> None:
    assert code_of(stage.play(planted, metric, baseline, COMPARISON)) == code


def test_a_file_without_dates_is_refused(stage: Stage, tmp_path: Path) -> None:
    rows = [{key: value for key, value in row.items() if key != "date"} for row in orders()]
    undated = write_csv(tmp_path / "undated.csv", rows)
    assert code_of(stage.play([undated], "SUM(amount)", BASELINE, COMPARISON)) == "NO_DATE_COLUMN"


def test_a_join_that_repeats_rows_is_refused(stage: Stage, planted: list[Path], items: Path) -> None:
    metric = "SELECT SUM(o.amount) FROM orders o JOIN items i ON o.order_id = i.order_id"
    assert code_of(stage.play([planted[0], items], metric, BASELINE, COMPARISON)) == "JOIN_FANS_OUT"


@pytest.mark.seed("B-037")
def test_a_file_without_dates_takes_them_from_the_file_it_refers_to(
    stage: Stage, planted: list[Path], items: Path
) -> None:
    run = stage.play([planted[0], items], "SUM(qty)", BASELINE, COMPARISON)
    assert run.status == "completed"
    assert stage.work(run).state.reading["investigation"]["day_table"] == "orders"
    assert any("channel = app, device = phone" in finding.text for finding in run.findings)


def test_two_files_of_a_ratio_are_summed_up_before_they_meet(stage: Stage, planted: list[Path], items: Path) -> None:
    run = stage.play([planted[0], items], "SUM(items.qty) / COUNT(orders.order_id)", BASELINE, COMPARISON)
    table = stage.work(run).table("attribution")
    assert table.column("before")[0].as_py() == 3.0


def test_words_that_are_not_clear_are_asked_back(stage: Stage, planted: list[Path]) -> None:
    run = stage.play(planted, "happiness index", BASELINE, COMPARISON)
    assert run.status == "clarification_needed"


def test_a_column_of_ten_thousand_values_is_cut_to_the_frequent_ones(stage: Stage, tmp_path: Path) -> None:
    rows = [{**row, "sku": f"s{n * 7919 % 10_000}"} for n, row in enumerate(orders(fewer_app_phones, a_day=500))]
    run = stage.play([write_csv(tmp_path / "orders.csv", rows)], "SUM(amount)", BASELINE, COMPARISON)
    assert run.status == "completed"
    reading = stage.work(run).state.reading["investigation"]
    sku = next(one for one in reading["dimensions"] if one["name"] == "sku")
    assert sku["kind"] == "top"
    assert sku["values"] <= 61
    assert any("channel = app, device = phone" in finding.text for finding in run.findings)


def test_another_encoding_and_a_decimal_comma_change_nothing(stage: Stage, tmp_path: Path) -> None:
    names = {"web": "Büro", "app": "Straße", "shop": "Köln"}
    rows = [
        {**row, "channel": names[row["channel"]], "amount": str(row["amount"]).replace(".", ",")}
        for row in orders(fewer_app_phones)
    ]
    path = write_csv(tmp_path / "bestellungen.csv", rows, delimiter=";", encoding="latin-1")
    run = stage.play([path], "SUM(amount)", BASELINE, COMPARISON)
    assert any("channel = Straße, device = phone" in finding.text for finding in run.findings)


def test_a_row_limit_that_would_cut_the_days_is_refused(stage: Stage, planted: list[Path]) -> None:
    run = stage.play(planted, "SUM(amount)", BASELINE, COMPARISON, row_limit=10)
    assert code_of(run) == "ROW_LIMIT_OUT_OF_RANGE"


def test_a_metric_of_a_forbidden_column_is_refused_and_others_are_cut_by_what_is_allowed(
    stage: Stage, planted: list[Path]
) -> None:
    allowed = {"allowed_columns": ["date", "channel", "device", "amount"]}
    run = stage.play(planted, "SUM(amount)", BASELINE, COMPARISON, policy=allowed)
    dimensions = stage.work(run).state.reading["investigation"]["dimensions"]
    assert {one["name"] for one in dimensions} == {"channel", "device"}
    refused = stage.play(planted, "AVG(converted)", BASELINE, COMPARISON, policy=allowed)
    assert code_of(refused) == "COLUMN_NOT_ALLOWED"


def test_a_policy_with_a_field_that_there_is_not_is_refused_by_its_name(planted: list[Path], tmp_path: Path) -> None:
    policy: Any = {"alowed_columns": ["amount"]}
    with Workbench(settings=Settings(home=tmp_path / "home")) as workbench:
        with pytest.raises(InvalidRequest, match=r"^policy\.alowed_columns: there is no such field\.$"):
            workbench.drill(planted, metric_sql="SUM(amount)", baseline=BASELINE, comparison=COMPARISON, policy=policy)
        assert workbench.runs.list() == []
