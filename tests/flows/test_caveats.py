"""A report says what its reader must know: rows that were cut, cells without a value, tables of few rows."""

from pathlib import Path

import pytest

from averment import Workbench


def test_gaps_few_rows_and_a_cut_result_are_said(workbench: Workbench, tmp_path: Path) -> None:
    path = tmp_path / "sales.csv"
    path.write_text("region,amount\nWest,1.5\nEast,\nNorth,2.5\nSouth,4.0\n")
    run = workbench.analyze("total amount by region", [path], row_limit=2)
    assert run.report is not None
    caveats = run.report.partition("## Caveats")[2].partition("\n## ")[0]
    assert "no value in amount" in caveats
    assert "few rows" in caveats
    assert "cut at the row limit of 2 rows" in caveats
    assert workbench.verify(run.id).ok


def test_a_report_without_anything_to_warn_of_has_no_caveats(workbench: Workbench, tmp_path: Path) -> None:
    path = tmp_path / "sales.csv"
    path.write_text("region,amount\n" + "".join(f"R{index % 4},{index}.5\n" for index in range(60)))
    run = workbench.analyze("total amount by region", [path])
    assert run.report is not None
    assert "## Caveats" not in run.report


def test_a_profile_kept_for_the_same_bytes_is_used_again_and_another_file_has_its_own(
    workbench: Workbench, sales: Path
) -> None:
    workbench.analyze("total amount by region", [sales])
    kept = list((workbench.settings.home / "cache" / "profiles").iterdir())
    assert len(kept) == 1
    workbench.analyze("total amount by product", [sales])
    assert list((workbench.settings.home / "cache" / "profiles").iterdir()) == kept
    sales.write_text(sales.read_text() + "2024-04-01,South,Lamp,2.00\n")
    run = workbench.analyze("total amount for South", [sales])
    assert run.status == "completed"
    assert len(list((workbench.settings.home / "cache" / "profiles").iterdir())) == 2


def test_a_profile_that_was_damaged_is_made_anew(workbench: Workbench, sales: Path) -> None:
    first = workbench.analyze("total amount by region", [sales])
    (kept,) = (workbench.settings.home / "cache" / "profiles").iterdir()
    kept.write_text("{")
    again = workbench.analyze("total amount by region", [sales])
    assert again.report == first.report
    assert kept.read_text().startswith('{"')


@pytest.mark.parametrize(
    ("rows", "question", "answer"),
    [
        ("id,v\na,2\nb,3\nTotal,5\n", "sum of v", "The total v is 5 "),
        ("id,v\na,2\nb,3\nTotal,5\n", "which id has the highest v", "b has the highest v, 3"),
        (
            "region,part,sales\nN,1,10\nS,1,30\nN,2,4\nS,2,6\nAll,1,40\nAll,2,10\n",
            "total sales",
            "The total sales is 50 ",
        ),
        ("city,people\nOslo,700\nBergen,290\nGrand Total,990\n", "total people", "The total people is 990 "),
    ],
)
def test_a_row_that_adds_up_the_others_is_left_out_first_and_the_reader_is_told(
    workbench: Workbench, tmp_path: Path, rows: str, question: str, answer: str
) -> None:
    path = tmp_path / "table.csv"
    path.write_text(rows)
    run = workbench.analyze(question, [path])
    if run.offers:
        run = workbench.choose(run, 1)
    assert (run.answer or "").startswith(answer)
    assert "has rows that add up the others" in str(run.report)
    assert workbench.verify(run.id).ok


def test_a_row_that_is_only_called_total_stays(workbench: Workbench, tmp_path: Path) -> None:
    path = tmp_path / "films.csv"
    path.write_text("film,seats\nAlien,120\nAll about Eve,90\nTotal,40\nTotal Recall,80\n")
    run = workbench.analyze("total seats", [path])
    assert (run.answer or "").startswith("The total seats is 330")
