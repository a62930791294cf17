from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from averment.errors import HomeNotWritable, InvalidFileType, SourceEmpty
from averment.faces.http.uploads import UploadFolder, safe_name
from averment.tables.sources.source_kinds import UPLOADED


@pytest.mark.parametrize(
    ("given_name", "kept"),
    [
        ("sales.csv", "sales.csv"),
        ("Umsätze 2024.CSV", "Umsatze_2024.csv"),
        ("sales.2024.q1.parquet", "sales_2024_q1.parquet"),
        ("../../etc/passwd.csv", "passwd.csv"),
        ("C:\\data\\sales.xlsx", "sales.xlsx"),
        ("-rf.csv", "rf.csv"),
        (".csv", "data.csv"),
        ("продажи.jsonl", "data.jsonl"),
        ("x.php.csv", "x_php.csv"),
        ("a\r\nSet-Cookie: b.json", "a_Set-Cookie_b.json"),
    ],
)
def test_a_safe_name_keeps_what_can_be_read(given_name: str, kept: str) -> None:
    assert safe_name(given_name) == kept


def test_names_that_differ_only_in_case_are_told_apart() -> None:
    assert safe_name("Sales.csv", ["sales.csv", "SALES_2.csv"]) == "Sales_3.csv"


@given(st.text(max_size=300), st.sampled_from(UPLOADED))
def test_whatever_the_name_only_plain_characters_reach_the_disk(stem: str, extension: str) -> None:
    name = safe_name(stem + extension)
    assert re.fullmatch(r"[A-Za-z0-9_][A-Za-z0-9_-]*\.[a-z]+", name)
    assert len(name) <= 70
    assert Path(name).name == name


@pytest.mark.parametrize("name", ["", "csv", "x", "x.", "x.csv.", "x.exe", "x.csv.exe", "x.csv/", "x.duckdb", "x.html"])
def test_an_ending_that_is_not_read_is_refused(name: str) -> None:
    with pytest.raises(InvalidFileType):
        safe_name(name)


def test_a_folder_holds_its_files_in_order_and_goes_away_whole(tmp_path: Path) -> None:
    folder = UploadFolder(tmp_path)
    first, second = folder.claim("a.csv"), folder.claim("a.csv")
    folder.append([(first, b"x"), (second, b""), (first, b"y")])
    assert [path.read_bytes() for path in folder.files] == [b"xy", b""]
    assert {path.parent.parent for path in folder.files} == {tmp_path / "uploads"}
    folder.discard()
    assert list((tmp_path / "uploads").iterdir()) == []


def test_two_requests_never_share_a_folder(tmp_path: Path) -> None:
    assert UploadFolder(tmp_path).claim("a.csv") != UploadFolder(tmp_path).claim("a.csv")


def test_a_home_that_is_a_file_is_said_to_be_unwritable(tmp_path: Path) -> None:
    (tmp_path / "home").write_text("not a folder")
    folder = UploadFolder(tmp_path / "home")
    with pytest.raises(HomeNotWritable):
        folder.append([(folder.claim("a.csv"), b"x")])


def test_an_error_does_not_tell_where_uploads_are(tmp_path: Path) -> None:
    folder = UploadFolder(tmp_path)
    place = folder.claim("a.csv")
    error = folder.hide(
        SourceEmpty(f"{place} is empty.", hint=f"Look at {place}.", details={"path": str(place), "n": 1})
    )
    assert str(tmp_path) not in str(error.as_dict())
    assert error.details == {"path": "a.csv", "n": 1}
