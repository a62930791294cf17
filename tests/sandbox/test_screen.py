"""What a collected file may hold."""

from __future__ import annotations

import csv
import io
import zipfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from averment.sandbox.collect import FileRefused, screen


def passes(tmp_path: Path, name: str, content: bytes) -> bytes:
    path = tmp_path / name
    path.write_bytes(content)
    screen(path)
    return path.read_bytes()


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("chart.png", b"<html><script>alert(1)</script>"),
        ("chart.jpg", b"#!/bin/sh\n"),
        ("a.parquet", b"PK\x03\x04"),
        ("a.csv", b"PK\x03\x04\x00\x00"),
        ("a.txt", b"<html><body onload=alert(1)>"),
        ("a.json", b'{"a": "<script>alert(1)</script>"}'),
        ("a.md", b"[x](javascript:alert(1))"),
        ("a.csv", b"a\n< SCRIPT src=x>\n"),
        ("a.svg", b"<svg onload='alert(1)'></svg>"),
        ("a.svg", b"<svg><script>alert(1)</script></svg>"),
        ("a.svg", b"<svg><a href='http://127.0.0.1/'>x</a></svg>"),
        ("a.svg", b"<svg><image href='http://127.0.0.1/x.png'/></svg>"),
        ("a.svg", b"<!DOCTYPE svg [<!ENTITY x 'y'>]><svg>&x;</svg>"),
        ("a.svg", b"<svg><foreignObject><b>x</b></foreignObject></svg>"),
        ("a.html", b"<p>x</p>"),
        ("a.pkl", b"\x80\x04."),
        ("a.npy", b"\x93NUMPY"),
        ("a.zip", b"PK\x03\x04"),
        ("a.py", b"print(1)"),
        ("a.sh", b"echo"),
        ("a.pdf", b"%PDF-1.7"),
        ("a.xlsm", b"PK\x03\x04"),
        ("a.csv.gz", b"\x1f\x8b"),
        ("noextension", b"x"),
    ],
)
def test_what_can_act_or_is_not_what_it_says_is_refused(tmp_path: Path, name: str, content: bytes) -> None:
    with pytest.raises(FileRefused):
        passes(tmp_path, name, content)


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.csv", 'name,v\nMüller,-1.5\nx,+3\ny,-\nz,-inf\nw,-1 days\nv,-12%\n"a, b",-1e-5\n'.encode()),
        ("a.csv", b"t\n-1 days +23:00:00\n"),
        ("a.tsv", b"a\tb\n1\t-2\n"),
        ("a.txt", b"- one\n- two\n= three\n"),
        ("a.json", b'{"a": -1, "b": "=x"}'),
        ("a.png", b"\x89PNG\r\n\x1a\n...."),
        ("A.JPG", b"\xff\xd8\xff\xe0"),
        ("a.svg", b"<?xml version='1.0'?><svg><use href='#a'/><path d='M0'/></svg>"),
        ("a.parquet", b"PAR1...."),
    ],
)
def test_data_passes_unchanged(tmp_path: Path, name: str, content: bytes) -> None:
    assert passes(tmp_path, name, content) == content


@pytest.mark.parametrize(
    "cell", ["=1+1", "@SUM(1)", "+1+cmd|' /C calc'!A0", "-2+3", '"=HYPERLINK(""x"")"', "  =1", "-A1", "+A1"]
)
@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
def test_a_live_cell_is_made_harmless(tmp_path: Path, cell: str, delimiter: str) -> None:
    content = passes(tmp_path, "a.csv", f"a{delimiter}b\n1{delimiter}{cell}\n{cell}{delimiter}2\n".encode()).decode()
    rows = list(csv.reader(io.StringIO(content), delimiter=delimiter))
    assert rows[1][1].strip().startswith("'")
    assert rows[2][0].strip().startswith("'")
    assert rows[1][0] == "1" and rows[2][1] == "2"


@given(st.lists(st.floats(allow_nan=False, allow_infinity=False) | st.integers(), min_size=1))
def test_numbers_are_never_touched(tmp_path_factory: pytest.TempPathFactory, numbers: list[float]) -> None:
    content = "".join(f"x,{number},{number!r}\n" for number in numbers).encode()
    assert passes(tmp_path_factory.mktemp("n"), "a.csv", content) == content


@given(st.text(alphabet='=+-@\t\r\n,;"ab1 |', max_size=60))
def test_no_cell_begins_as_a_formula_afterwards(tmp_path_factory: pytest.TempPathFactory, text: str) -> None:
    content = passes(tmp_path_factory.mktemp("f"), "a.csv", text.encode()).decode()
    for line in content.replace("\r", "\n").split("\n"):
        for cell in line.split(","):
            assert cell.strip(' "\t')[:1] not in ("=", "@")


def _workbook(path: Path, **members: str) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as book:
        for name, content in {"[Content_Types].xml": "<Types/>", **members}.items():
            book.writestr(name, content)
    return path


def test_a_workbook_of_values_passes(tmp_path: Path) -> None:
    openpyxl = pytest.importorskip("openpyxl")
    book = openpyxl.Workbook()
    book.active.append(["a", 1, 2.5, "text"])
    book.save(tmp_path / "a.xlsx")
    assert screen(tmp_path / "a.xlsx") is None


def test_a_workbook_that_can_act_is_refused(tmp_path: Path) -> None:
    openpyxl = pytest.importorskip("openpyxl")
    book = openpyxl.Workbook()
    book.active.append(["=1+1"])
    book.save(tmp_path / "a.xlsx")
    books = [
        tmp_path / "a.xlsx",
        _workbook(tmp_path / "b.xlsx", **{"xl/vbaProject.bin": "x"}),
        _workbook(tmp_path / "c.xlsx", **{"xl/externalLinks/externalLink1.xml": "<x/>"}),
        _workbook(tmp_path / "d.xlsx", **{"x.rels": '<R TargetMode="External"/>'}),
        _workbook(tmp_path / "e.xlsx", **{"xl/x.exe": "x"}),
        _workbook(tmp_path / "f.xlsx", **{f"x{n}.xml": "\0" * (20 << 20) for n in range(14)}),
    ]
    for path in books:
        with pytest.raises(FileRefused):
            screen(path)
    (tmp_path / "g.xlsx").write_bytes(b"PK\x03\x04 broken")
    with pytest.raises(FileRefused):
        screen(tmp_path / "g.xlsx")
