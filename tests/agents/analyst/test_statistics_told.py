"""Statistics as whole runs: what is told, what is drawn, and that all of it verifies."""

from collections.abc import Callable
from pathlib import Path

import pytest

from averment import Run, Workbench
from averment.settings import Settings

Ask = Callable[[str], Run]


def drawn(run: Run) -> list[str]:
    return [each["arguments"]["type"] for each in (run.tasks or {})["subtasks"] if each["tool_name"] == "plot.render"]


def test_a_histogram_counts_every_row_once_and_is_drawn_as_it_was_counted(ask_shop: Ask) -> None:
    run = ask_shop("histogram of amount with 6 bins")
    assert run.table is not None
    assert run.table.num_rows == 6
    assert sum(run.table.to_pydict()["rows"]) == 48
    assert drawn(run) == ["histogram"]


def test_quartiles_stand_side_by_side(ask_shop: Ask) -> None:
    run = ask_shop("quartiles of amount")
    assert run.table is not None
    assert run.table.column_names == [f"percentile {at} of amount" for at in (25, 50, 75)]
    assert len(run.claims) == 3


def test_months_go_down_and_regions_across(ask_shop: Ask) -> None:
    run = ask_shop("amount by region and month as a pivot")
    assert run.table is not None
    assert run.table.column_names == ["month of order_date", "East", "West"]
    assert run.table.num_rows == 24
    assert drawn(run) == ["heatmap"]


@pytest.mark.parametrize(
    "question",
    ["pivot amount by region", "histogram of amount with 500 bins", "histogram of amount and quantity"],
)
def test_what_cannot_be_laid_out_is_asked_back(ask_shop: Ask, question: str) -> None:
    assert ask_shop(question).status == "clarification_needed"


def test_a_profile_tells_rows_columns_and_what_is_missing(ask_shop: Ask) -> None:
    run = ask_shop("profile this")
    assert run.table is not None
    assert run.table.to_pydict()["column"] == [
        "order_id", "order_date", "region", "product", "quantity", "amount", "note"
    ]  # fmt: skip
    answer = run.answer or ""
    assert "There are 48 rows" in answer
    assert "There are 7 columns" in answer
    assert "missing values" in answer


def test_a_course_a_great_part_and_repeated_rows_stand_out(tmp_path: Path) -> None:
    rows = [
        f"2023-{n % 12 + 1:02d}-03,{['A', 'A', 'A', 'B', 'C'][n % 5]},{100 + 20 * (n % 12) + n / 100:.2f}"
        for n in range(60)
    ]
    path = tmp_path / "t.csv"
    path.write_text("\n".join(["day,part,amount", *rows, rows[0]]) + "\n")
    with Workbench(settings=Settings(home=tmp_path / "home")) as workbench:
        run = workbench.analyze("what stands out?", [path])
        assert workbench.verify(run.id).ok
    relations = {claim.relation for claim in run.claims}
    assert {"rose", "share"} <= relations
    assert "There is 1 row that repeats an earlier one" in (run.answer or "")


TOLD = {
    "predict amount from quantity": "R squared",
    "is amount normally distributed?": "normally distributed (statistic =",
    "kendall tau between amount and quantity": "Kendall's tau =",
    "is region independent of product?": "chi-square =",
    "test whether amount differs significantly between East and West": "Welch's t =",
    "correlation between amount and quantity": "(p ",
    "split amount into 4 equal-sized groups": "The number of rows is 12",
    "average length of product": "The average length of product is",
}


@pytest.mark.parametrize("question", TOLD)
def test_a_statistic_is_told_with_its_figures(ask_shop: Ask, question: str) -> None:
    run = ask_shop(question)
    assert TOLD[question] in (run.answer or ""), run.answer


@pytest.mark.parametrize(
    ("kind", "said"), [("mann_whitney", "Mann–Whitney U ="), ("kruskal_wallis", "Kruskal–Wallis H =")]
)
def test_a_test_of_samples_is_run_from_a_plan_told_by_its_p_value_and_verified(
    tmp_path: Path, kind: str, said: str
) -> None:
    path = tmp_path / "tips.csv"
    path.write_text("\n".join(["sex,tip", *(f"{'FM'[n % 2]},{n % 7 + 3 * (n % 2)}.5" for n in range(40))]) + "\n")
    with Workbench(settings=Settings(home=tmp_path / "home")) as workbench:
        run = workbench.run_plan(f"from tips statistic {kind} of tip between sex", [path])
        assert workbench.verify(run.id).ok
    assert [claim.relation for claim in run.claims] == ["tested", "is"]
    assert said in (run.answer or "") and "by more than chance explains" in (run.answer or "")
