"""A word that names a column means its numbers: rare marks count as missing, are told, and no rows are counted."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from averment import Workbench
from averment.errors import InvalidRequest
from averment.settings import Settings

DATED = [
    ("2024-01-05", "North", "$120.50"),
    ("2024-01-17", "South", "n/a"),
    ("2024-02-03", "North", "$95.00"),
    ("2024-02-20", "South", "$210.25"),
    ("2024-03-09", "North", "TBD"),
    ("2024-04-11", "South", "$130.00"),
    ("2024-05-02", "North", "$92.00"),
    ("2024-06-15", "South", "$87.00"),
]


@pytest.fixture
def workbench(home: Settings) -> Iterator[Workbench]:
    with Workbench(settings=home) as opened:
        yield opened


def revenue(folder: Path, mark: str, name: str = "revenue.csv") -> Path:
    path = folder / name
    rows = [f"{day},{store},{amount.replace('TBD', mark)}" for day, store, amount in DATED]
    path.write_text("\n".join(["date,store,revenue", *rows, ""]), encoding="utf-8")
    return path


def column(workbench: Workbench, path: Path, name: str) -> str:
    kept = workbench.datasets.add([path])
    [table] = workbench.datasets.look.tables(kept)
    return next(each.profile.data_type for each in table.columns if each.profile.name == name)


def test_a_rare_mark_among_amounts_is_missing_and_the_answer_says_so(workbench: Workbench, tmp_path: Path) -> None:
    run = workbench.analyze("total revenue by store", revenue(tmp_path, "TBD"))
    assert run.status == "completed"
    assert "427.25" in (run.answer or "") and "307.50" in (run.answer or "")
    assert "1 of 8 values of revenue, “TBD”" in (run.answer or "")
    assert workbench.verify(run.id).ok


def test_an_answer_that_does_not_use_the_column_says_nothing_of_its_marks(workbench: Workbench, tmp_path: Path) -> None:
    run = workbench.analyze("number of rows by store", revenue(tmp_path, "TBD"))
    assert "TBD" not in (run.answer or "")


def test_a_german_file_is_summed_past_its_own_mark(workbench: Workbench, tmp_path: Path) -> None:
    path = tmp_path / "umsatz.csv"
    amounts = ["1.120,50", "k.A.", "995,00", "2.210,25", "1.310,00"]
    rows = [f"{day}.03.2024;Nord;{amount}" for day, amount in enumerate(amounts, start=14)]
    path.write_text("\n".join(["Datum;Filiale;Umsatz (€)", *rows, ""]), encoding="utf-8")
    run = workbench.analyze("total Umsatz by Filiale", path)
    assert "5,635.75" in (run.answer or "") and "k.A." in (run.answer or "")


def test_a_rare_mark_among_dates_is_missing(workbench: Workbench, tmp_path: Path) -> None:
    path = tmp_path / "jobs.csv"
    days = ["2024-01-05", "2024-02-05", "TBD", "2024-03-09", "2024-04-01"]
    path.write_text("\n".join(["job,due", *(f"j{n},{day}" for n, day in enumerate(days)), ""]), encoding="utf-8")
    assert column(workbench, path, "due") == "date"


@pytest.mark.parametrize("question", ["total revenue by store", "revenue per month"])
@pytest.mark.parametrize("name", ["revenue.csv", "stores.csv"])
def test_a_column_that_stays_text_is_asked_about_with_the_reason(
    workbench: Workbench, tmp_path: Path, name: str, question: str
) -> None:
    run = workbench.analyze(question, revenue(tmp_path, "see the note", name))
    assert run.status == "clarification_needed"
    assert "`revenue` is text" in (run.answer or "") and "“see the note”" in (run.answer or "")


@pytest.mark.parametrize("name", ["campaigns.csv", "spend.csv"])
def test_amounts_in_several_currencies_are_never_replaced_by_another_figure(
    workbench: Workbench, tmp_path: Path, name: str
) -> None:
    path = tmp_path / name
    path.write_text(
        "campaign,spend,clicks\nSpring,$1200.50,300\nSummer,€800.00,210\nAutumn,$950.00,260\nWinter,£400.00,150\n",
        encoding="utf-8",
    )
    run = workbench.analyze("total spend", path)
    assert run.status == "clarification_needed"
    assert "`spend` is text" in (run.answer or "") and "currencies" in (run.answer or "")


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("house", ["12", "12a", "14", "15", "16", "17"]),
        ("size", ["38", "S", "M", "L", "XL", "40"]),
        ("floor", ["1", "G", "2", "3", "4", "5"]),
        ("version", ["1.2.3", "1.2.4", "2.0.0", "2.0.1", "2.1.0", "3.0.0"]),
        ("seats", ["10", "unlimited", "20", "30", "40", "50"]),
        ("fee", ["10", "none", "20", "30", "40", "50"]),
        ("zip", ["10115", "n.v.", "20095", "30159", "40210", "50667"]),
        ("check", ["1", "X", "2", "3", "4", "5"]),
        ("unit", ["A12", "B13", "C14", "D15", "E16", "F17"]),
    ],
)
def test_codes_and_words_that_mean_something_stay_text(
    workbench: Workbench, tmp_path: Path, name: str, values: list[str]
) -> None:
    path = tmp_path / "things.csv"
    path.write_text("\n".join([f"row,{name}", *(f"r{n},{v}" for n, v in enumerate(values)), ""]), encoding="utf-8")
    assert column(workbench, path, name) == "string"


def test_the_role_measure_makes_numbers_of_a_text_column_and_tells_what_it_lost(
    workbench: Workbench, tmp_path: Path
) -> None:
    kept = workbench.datasets.add([revenue(tmp_path, "see the note")], name="sales")
    workbench.datasets.describe_column(kept.name, "revenue", role="measure")
    run = workbench.analyze("total revenue by store", "dataset:sales")
    assert "427.25" in (run.answer or "") and "“see the note”" in (run.answer or "")
    assert workbench.verify(run.id).ok


def test_the_role_measure_is_refused_where_no_value_is_a_number(workbench: Workbench, tmp_path: Path) -> None:
    kept = workbench.datasets.add([revenue(tmp_path, "TBD")], name="sales")
    with pytest.raises(InvalidRequest) as refused:
        workbench.datasets.describe_column(kept.name, "store", role="measure")
    assert refused.value.code == "INVALID_REQUEST"
    assert workbench.datasets.get("sales").columns == {}
