"""A folder of CSV files, or a pattern, is the tables in it."""

from __future__ import annotations

from pathlib import Path

import pytest

from averment import Workbench
from averment.errors import UnsupportedSource
from averment.settings import Settings
from averment.workbench.given import MOST_FILES, places_of

LOANS = "loan_id,member_id,days\n1,1,3\n2,1,5\n3,2,9\n"
MEMBERS = "member_id,name,town\n1,Ada,Oslo\n2,Ben,Moss\n"


@pytest.fixture
def library(tmp_path: Path) -> Path:
    folder = tmp_path / "library"
    folder.mkdir()
    (folder / "loans.csv").write_text(LOANS, encoding="utf-8")
    (folder / "members.csv").write_text(MEMBERS, encoding="utf-8")
    (folder / "read me.txt").write_text("About these tables.\n", encoding="utf-8")
    return folder


@pytest.mark.parametrize("given", ["", "*.csv"])
def test_the_tables_of_a_folder_are_asked_together(library: Path, tmp_path: Path, given: str) -> None:
    with Workbench(home=tmp_path / "home") as workbench:
        run = workbench.analyze("total days by town", [str(library / given) if given else library])
        assert run.status == "completed", run.answer
        assert run.table is not None
        assert sorted(map(tuple, (row.values() for row in run.table.to_pylist()))) == [("Moss", 9), ("Oslo", 8)]
        assert workbench.verify(run.id).ok


def test_a_folder_of_parquet_files_stays_one_table(tmp_path: Path) -> None:
    folder = tmp_path / "parts"
    folder.mkdir()
    (folder / "one.parquet").write_bytes(b"PAR1")
    (folder / "beside.csv").write_text("a\n1\n", encoding="utf-8")
    assert places_of([folder], tmp_path) == [str(folder)]


def test_a_pattern_that_nothing_meets_is_left_to_be_refused(tmp_path: Path) -> None:
    assert places_of([str(tmp_path / "*.csv")], tmp_path) == [str(tmp_path / "*.csv")]


def test_too_many_files_are_refused(tmp_path: Path) -> None:
    folder = tmp_path / "many"
    folder.mkdir()
    for number in range(MOST_FILES + 1):
        (folder / f"{number}.csv").write_text("a\n1\n", encoding="utf-8")
    with pytest.raises(UnsupportedSource):
        places_of(folder, tmp_path)


def test_a_data_set_of_the_settings_may_be_a_folder(library: Path, tmp_path: Path) -> None:
    settings = Settings(home=tmp_path / "home", datasets={"library": str(library)})
    with Workbench(settings=settings) as workbench:
        (kept,) = workbench.datasets.list()
        assert [Path(place).name for place in kept.places] == ["loans.csv", "members.csv"]
