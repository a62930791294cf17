"""From a cell to its rows: the right rows, their lines in the file, the figure recomputed, and who may look."""

from __future__ import annotations

import csv
from collections.abc import Callable
from pathlib import Path

import pytest

from averment import Workbench
from averment.errors import InvalidRequest, NotEnoughEvidence, RunNotFound, SourceChanged
from averment.workbench.for_user import UserBench
from passengers import write_passengers


@pytest.fixture
def table(tmp_path: Path) -> Path:
    return write_passengers(tmp_path)


def lines_of(path: Path) -> dict[int, tuple[int, dict[str, str]]]:
    """Each passenger with the line of the file that they begin on, found without any of our code."""
    found: dict[int, tuple[int, dict[str, str]]] = {}
    with path.open(newline="", encoding="utf-8") as file:
        reader = csv.DictReader(file)
        begin = 2
        for row in reader:
            found[int(row["passenger_id"])] = (begin, row)
            begin = reader.line_num + 1
    return found


def test_a_grouped_figure_leads_to_exactly_its_rows_with_their_lines(workbench: Workbench, table: Path) -> None:
    run = workbench.analyze("average fare by class", [table])
    assert run.table is not None
    for number, cells in enumerate(run.table.to_pylist(), start=1):
        behind = workbench.runs.rows_behind(run.id, number, size=500)
        wanted = {key: line for key, (line, row) in lines_of(table).items() if row["class"] == cells["class"]}
        assert {int(one.cells[0]): one.line for one in behind.rows} == wanted
        assert (behind.total, behind.same, behind.again) == (len(wanted), True, pytest.approx(behind.value))
        assert "recomputed from passengers.csv just now and is the same" in behind.told


Row = dict[str, str]


def same(*names: str) -> Callable[[Row, Row], bool]:
    return lambda row, cells: all(row[name] == cells[name] for name in names)


@pytest.mark.parametrize(
    ("question", "column", "keeps"),
    [
        ("survived rate by sex and class", None, same("sex", "class")),
        ("median age by port", None, lambda row, cells: same("port")(row, cells) and row["age"] != ""),
        (
            "how many passengers by sex where age is over 30",
            None,
            lambda row, cells: same("sex")(row, cells) and float(row["age"] or 0) > 30,
        ),
        ("which class has the highest average fare", "class", same("class")),
        ("median age", None, lambda row, cells: row["age"] != ""),
        ("correlation between age and fare", None, lambda row, cells: row["age"] != ""),
    ],
)
def test_filters_missing_values_keys_and_statistics_narrow_the_rows(
    workbench: Workbench, table: Path, question: str, column: str | None, keeps: Callable[[Row, Row], bool]
) -> None:
    run = workbench.analyze(question, [table])
    assert run.table is not None
    cells = {name: str(value) for name, value in run.table.to_pylist()[0].items()}
    behind = workbench.runs.rows_behind(run.id, 1, column, size=500)
    wanted = {key for key, (_, row) in lines_of(table).items() if keeps(row, cells)}
    assert {int(one.cells[0]) for one in behind.rows} == wanted
    assert behind.same is not False


def test_pages_are_the_same_every_time_and_hold_every_row_once(workbench: Workbench, table: Path) -> None:
    run = workbench.analyze("how many passengers by sex", [table])
    pages = [workbench.runs.rows_behind(run.id, 1, page=page, size=20) for page in (1, 2, 3, 4, 5)]
    places = [one.place for page in pages for one in page.rows]
    assert len(places) == len(set(places)) == pages[0].total == pages[0].value
    assert places == sorted(places)
    again = workbench.runs.rows_behind(run.id, 1, page=2, size=20)
    assert (again.rows, again.query_hash) == (pages[1].rows, pages[1].query_hash)


def test_rows_of_a_mended_file_have_no_invented_line(workbench: Workbench, tmp_path: Path) -> None:
    path = tmp_path / "torn.csv"
    path.write_text('name,kind,amount\nA,x,1\n"B,y,2\nC,x,3\nD,y,4\nname,kind,amount\nE,x,5\n' + "F,y,6\n" * 6)
    run = workbench.choose(workbench.analyze("total amount by kind", [path]), 1)  # The file holds two tables.
    assert run.table is not None
    lines = path.read_text().splitlines()
    for one in workbench.runs.rows_behind(run.id, 1, size=100).rows:
        assert one.line is None or str(one.cells[0]) in lines[one.line - 1]


def test_lines_of_json_are_found_as_well(workbench: Workbench, tmp_path: Path) -> None:
    path = tmp_path / "orders.jsonl"
    path.write_text('{"kind": "x", "amount": 1}\n\n{"kind": "y", "amount": 2}\n{"kind": "x", "amount": 3}\n')
    run = workbench.analyze("total amount by kind", [path])
    behind = workbench.runs.rows_behind(run.id, 1)
    assert [(one.place, one.line, one.cells) for one in behind.rows] == [(1, 1, ("x", 1)), (3, 4, ("x", 3))]


def test_a_changed_source_has_no_rows_behind_an_old_answer(workbench: Workbench, table: Path) -> None:
    run = workbench.analyze("average fare by class", [table])
    table.write_text(table.read_text().replace("First", "First ", 1))
    with pytest.raises(SourceChanged):
        workbench.runs.rows_behind(run.id)


def test_a_cell_that_is_not_there_is_refused(workbench: Workbench, table: Path) -> None:
    run = workbench.analyze("average fare by class", [table])
    for row, column in ((0, None), (4, None), (1, "fare of fares")):
        with pytest.raises(InvalidRequest):
            workbench.runs.rows_behind(run.id, row, column)
    asked = workbench.analyze("zork the frobnicated quux", [table])
    with pytest.raises(NotEnoughEvidence):
        workbench.runs.rows_behind(asked.id)


def test_what_the_policy_hides_is_hidden_in_the_rows(workbench: Workbench, table: Path) -> None:
    policy = {"allowed_columns": ["class", "fare"]}
    run = workbench.analyze("average fare by class", [table], policy=policy)
    behind = workbench.runs.rows_behind(run.id)
    assert behind.columns == ("class", "fare")
    assert set(behind.hidden) == {"passenger_id", "name", "sex", "age", "survived", "port"}


def test_the_rows_of_a_run_are_its_users_alone(workbench: Workbench, table: Path) -> None:
    anna, bob = (UserBench(workbench, workbench.home.users, name) for name in ("anna", "bob"))
    run = anna.analyze("average fare by class", [table])
    assert anna.runs.rows_behind(run.id).total
    with pytest.raises(RunNotFound):
        bob.runs.rows_behind(run.id)
