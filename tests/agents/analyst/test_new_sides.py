"""Formulas, several sides, ranges and sets as whole runs: table, chart, report with its method, and verified."""

from collections.abc import Callable
from pathlib import Path

import pytest

from averment import Run, Workbench
from averment.settings import Settings

Ask = Callable[[str], Run]
ORDERS = """order_id,order_date,region,product,customer,amount,cost
1,2023-01-05,West,Lamp,Ann,100.00,40.00
2,2023-02-05,East,Lamp,Ben,60.00,30.00
3,2023-04-07,West,Desk,Ann,300.00,200.00
4,2023-05-09,North,Desk,Cora,150.00,90.00
5,2023-08-11,East,Chair,Dora,80.00,20.00
6,2023-09-15,North,Lamp,Cora,40.00,10.00
"""


def rows(run: Run) -> list[dict[str, object]]:
    assert run.table is not None
    return [
        {name: float(value) if hasattr(value, "as_tuple") else value for name, value in row.items()}
        for row in run.table.to_pylist()
    ]


def kinds(run: Run) -> set[str]:
    return {artifact.artifact_type for artifact in run.artifacts}


def test_a_formula_by_group_is_told_with_its_method_and_drawn(ask: Ask) -> None:
    run = ask("profit = amount - cost by region")
    assert [list(row.values()) for row in rows(run)] == [["West", 160.0], ["East", 90.0], ["North", 90.0]]
    assert "total amount minus cost" in (run.report or "")
    assert "chart" in kinds(run)


def test_a_margin_is_a_ratio_of_totals(ask: Ask) -> None:
    run = ask("margin ((amount - cost) / amount) by product")
    found = {row["product"]: list(row.values())[-1] for row in rows(run)}
    assert found == {"Chair": pytest.approx(0.75), "Desk": pytest.approx(160 / 450), "Lamp": pytest.approx(0.6)}
    assert "divided by total amount" in (run.read_back or "")


def test_three_periods_stand_beside_each_other(ask: Ask) -> None:
    run = ask("compare amount in Q1, Q2 and Q3 2023")
    assert [list(row.values()) for row in rows(run)] == [[160.0, 450.0, 120.0]]
    assert next(iter(rows(run)[0])) == "total amount 2023-01-01 to 2023-03-31"


def test_three_groups_are_each_set_against_the_first(ask: Ask) -> None:
    run = ask("total amount of West vs East vs North by product")
    assert {row["region"] for row in rows(run)} <= {"West", "East", "North"}
    assert len({row["product"] for row in rows(run)}) > 1


def test_ranges_are_called_by_their_lower_ends(ask: Ask) -> None:
    run = ask("number of orders by amount range of 100")
    assert [list(row.values()) for row in rows(run)] == [[0, 3], [100, 2], [300, 1]]


def test_a_set_is_counted_and_named(ask: Ask) -> None:
    run = ask("customers who bought both Lamp and Desk")
    assert rows(run) == [{"customer": "Ann"}, {"customer": "Cora"}]
    assert "Ann" in (run.answer or "")
    assert "Cora" in (run.answer or "")
    assert "Ben" in str(rows(ask("customers who never bought Desk")))


def test_an_empty_set_is_said_to_be_empty(tmp_path: Path) -> None:
    path = tmp_path / "orders.csv"
    path.write_text(ORDERS)
    with Workbench(settings=Settings(home=tmp_path / "home")) as workbench:
        run = workbench.analyze("customers who bought both Chair and Desk", [path])
        if run.status == "clarification_needed":
            run = workbench.choose(run, 1)
        assert (run.answer or "").startswith(("No", "None"))
        assert workbench.verify(run.id).ok
