"""Ordinary questions over an ordinary table: read right, or asked back."""

from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from averment import Workbench


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("which region has the highest average amount", {"region": ["North"], "average amount": [8.0]}),
        ("which region has the lowest total amount in 2024", {"region": ["North"], "total amount": [Decimal("8.00")]}),
        (
            "top 2 products by total amount",
            {"product": ["Lamp", "Desk"], "total amount": [Decimal("24.65"), Decimal("7.25")]},
        ),
        ("number of distinct products", {"number of different product": [3]}),
        ("maximum amount", {"highest amount": [Decimal("10.50")]}),
    ],
)
def test_an_ordinary_question_is_answered_right(
    workbench: Workbench, sales: Path, question: str, expected: dict[str, list[Any]]
) -> None:
    run = workbench.analyze(question, [sales])
    assert run.status == "completed"
    assert run.table is not None
    table = run.table.to_pydict()
    # A ranking may name its row beside the figure that was asked for.
    assert {name: table.get(name) for name in expected} == expected
    assert workbench.verify(run.id).ok


@pytest.mark.parametrize("question", ["correlation between amount and quantity", "standard deviation of amount"])
def test_a_statistic_is_computed_in_the_jail_and_verified(workbench: Workbench, tmp_path: Path, question: str) -> None:
    path = tmp_path / "t.csv"
    path.write_text("amount,quantity\n" + "".join(f"{n}.5,{(n * 7) % 5}\n" for n in range(1, 40)))
    run = workbench.analyze(question, [path])
    assert run.status == "completed"
    assert run.findings
    assert workbench.verify(run.id).ok


def test_the_seeds_example_becomes_a_monthly_trend(workbench: Workbench, tmp_path: Path) -> None:
    path = tmp_path / "sales.csv"
    rows = [f"2021-{1 + n % 6:02d}-{1 + n % 27:02d},{['Arizona', 'Texas'][n % 2]},{n}.25" for n in range(60)]
    path.write_text("date,state,amount\n" + "\n".join(rows) + "\n")
    run = workbench.analyze("Analyze Q1 2021 Arizona sales; trends + charts", [path])
    assert run.status == "completed"
    assert run.table is not None
    assert run.table.column_names == ["month of date", "total amount"]
    assert {artifact.artifact_type for artifact in run.artifacts} == {"table", "chart", "report", "summary"}
    again = workbench.analyze("Analyze Q2 2021 Texas sales; trends + charts", [path])
    assert again.status == "completed"
    assert again.table is not None
    assert again.table.column_names == run.table.column_names
    assert again.table.to_pydict() != run.table.to_pydict()
    assert workbench.verify(again.id).ok


@pytest.mark.parametrize("question", ["which region is the best", "which product sold the most"])
def test_a_doubtful_question_over_many_records_is_asked_back(workbench: Workbench, question: str) -> None:
    run = workbench.analyze(question, [Path(__file__).parents[2] / "examples" / "sales.csv"])
    assert run.status == "clarification_needed"
    assert run.answer
    assert run.findings == ()
