"""A row that adds up the others is asked about before it is counted, and an investigation leaves it out and says so."""

from datetime import date, timedelta
from pathlib import Path

import pytest

from averment import Workbench

SHOPS = """shop,item,takings,pieces
Mill Lane,tea,100,3
Mill Lane,cake,150,4
Quay,tea,80,2
Quay,cake,120,5
Grand Total,tea,180,5
Grand Total,cake,270,9
"""
SPANS = {"baseline": ("2024-01-01", "2024-01-28"), "comparison": ("2024-01-29", "2024-02-25")}


@pytest.fixture
def shops(tmp_path: Path) -> Path:
    path = tmp_path / "book.csv"
    path.write_text(SHOPS)
    return path


@pytest.mark.parametrize(
    ("question", "without", "counted"),
    [
        ("total takings", 450, 900),
        ("sum of pieces for tea", 5, 10),
        ("what is the average of takings?", 112.5, 150),
        ("how many rows are there", 4, 6),
        ("maximum takings", 150, 270),
    ],
)
def test_a_total_row_that_would_be_in_a_figure_is_asked_about(
    workbench: Workbench, shops: Path, question: str, without: float, counted: float
) -> None:
    run = workbench.analyze(question, [shops])
    assert run.status == "clarification_needed"
    assert "shop has rows that add up the others (Grand Total). Do they count?" in run.answer
    assert [next(iter(offer.table.to_pylist()[0].values())) for offer in run.offers if offer.table is not None] == [
        without,
        counted,
    ]
    assert workbench.verify(run.id).ok


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("total takings without the totals", "450"),
        ("sum of takings excluding the grand total row", "450"),
        ("total takings including the total row", "900"),
        ("takings by shop", "250 for Mill Lane"),
        ("which shop has the most takings", "Mill Lane"),
        ("how many shops are there", "2"),
        ("total takings of Quay", "200"),
    ],
)
def test_nothing_is_asked_where_the_question_settles_it_or_the_row_is_in_no_figure(
    workbench: Workbench, shops: Path, question: str, said: str
) -> None:
    run = workbench.analyze(question, [shops])
    assert run.status == "completed", run.answer
    assert said in run.answer


def test_what_was_chosen_about_total_rows_holds_for_the_next_question_over_that_table(
    workbench: Workbench, shops: Path
) -> None:
    asked = workbench.analyze("total takings", [shops])
    assert "450" in workbench.choose(asked, 1).answer
    assert "14" in workbench.analyze("total pieces", [shops]).answer
    workbench.choose(asked, 2)
    later = workbench.analyze("average pieces", [shops])
    assert "4.67" in later.answer
    assert "(Grand Total); they are counted too, as was chosen." in str(later.report)
    assert workbench.verify(later.id).ok


def _daily(path: Path, *, part: float) -> Path:
    """Eight weeks of sales, with a row a day and channel that adds the regions up, or a part of that."""
    lines = ["day,region,channel,amount"]
    for offset in range(56):
        for channel in ("app", "web"):
            amounts = {"North": 90 + offset % 7 * 4, "South": 60 + offset % 5 * 9, "West": 50 + offset % 3 * 11}
            amounts["West"] //= 2 if offset >= 28 else 1
            day = date(2024, 1, 1) + timedelta(days=offset)
            lines += [f"{day},{region},{channel},{amount}" for region, amount in amounts.items()]
            lines.append(f"{day},Total,{channel},{int(part * sum(amounts.values()))}")
    path.write_text("\n".join(lines) + "\n")
    return path


def test_an_investigation_leaves_rows_out_that_add_up_the_others_and_says_so(
    workbench: Workbench, tmp_path: Path
) -> None:
    with_total = _daily(tmp_path / "summed.csv", part=1)
    lines = [line for line in with_total.read_text().splitlines() if ",Total," not in line]
    without = tmp_path / "without.csv"
    without.write_text("\n".join(lines) + "\n")
    run, plain = (workbench.drill([path], metric_sql="SUM(amount)", **SPANS) for path in (with_total, without))
    assert run.answer == plain.answer
    assert run.report is not None
    assert "Rows whose region is Total add up the other rows of summed and are left out." in str(run.report)
    assert workbench.verify(run.id).ok


def test_an_investigation_asks_about_rows_called_a_total_whose_figures_are_not_the_sum(
    workbench: Workbench, tmp_path: Path
) -> None:
    path = _daily(tmp_path / "nearly.csv", part=0.8)
    run = workbench.drill([path], metric_sql="SUM(amount)", **SPANS)
    assert run.status == "clarification_needed"
    assert "FILTER (WHERE region <> 'Total') leaves them out" in run.answer
    for condition in ("region <> 'Total'", "region IS NOT NULL"):
        again = workbench.drill([path], metric_sql=f"SUM(amount) FILTER (WHERE {condition})", **SPANS)
        assert again.status == "completed"
        assert "add up the other rows" not in str(again.report)


def test_a_level_that_is_averaged_over_its_dates_is_not_called_a_sum(workbench: Workbench, tmp_path: Path) -> None:
    lines = ["day,account,balance"]
    for offset in range(56):
        for number, account in enumerate(("current", "savings")):
            balance = 1000 * (number + 1) + offset - (400 if offset >= 28 else 0)
            lines.append(f"{date(2024, 1, 1) + timedelta(days=offset)},{account},{balance}")
    path = tmp_path / "balances.csv"
    path.write_text("\n".join(lines) + "\n")
    run = workbench.drill([path], metric_sql="SUM(balance)", **SPANS)
    assert run.answer.startswith("Total balance, averaged over its dates, fell from 3,027 to ")
