"""Snapshots and catalogs: read once, the same for the same bytes, whole or not there at all."""

from __future__ import annotations

import hashlib
import json
import threading
from pathlib import Path

import duckdb
import pytest

from averment.errors import InvalidArguments, InvalidFileType, MissingTable, NoSources, SourceNotFound, SourceUnreadable
from averment.settings import Settings
from averment.tables.catalog import Catalog
from averment.tables.processes import children
from averment.tables.sources import snapshot
from averment.tables.sources.fingerprint import fingerprint_columns
from averment.tables.sources.opening import open_sources
from averment.tables.sources.options import ReadOptions

TEXT = "id,name\n1,Ann\n2,Bob\n"


def _open(folder, *paths, **options):
    return open_sources(
        [str(path) for path in paths],
        settings=Settings(home=folder),
        cache_dir=folder / "cache",
        options=ReadOptions(**options),
    )


def _write(path, text=TEXT):
    path.write_text(text, encoding="utf-8")
    return path


def test_the_same_bytes_are_read_once_whatever_their_name(tmp_path, monkeypatch):
    first = _open(tmp_path, _write(tmp_path / "a.csv"))
    monkeypatch.setattr(snapshot, "run_job", None)
    second = _open(tmp_path, _write(tmp_path / "b.csv"))
    assert first.sources[0].attach_path == second.sources[0].attach_path
    assert [table.name for table in (*first.tables, *second.tables)] == ["a", "b"]


def test_other_choices_make_another_snapshot(tmp_path):
    path = _write(tmp_path / "a.csv")
    typed, text = _open(tmp_path, path), _open(tmp_path, path, types="text")
    assert typed.sources[0].attach_path != text.sources[0].attach_path
    assert typed.fingerprint != text.fingerprint


def test_two_builds_of_the_same_bytes_hold_the_same_rows_in_the_same_order(tmp_path):
    path = _write(tmp_path / "a.csv", "id,v\n" + "".join(f"{number},{number * 7 % 1000}\n" for number in range(20_000)))
    found = []
    for place in ("one", "two"):
        attached = _open(tmp_path / place, path).sources[0].attach_path
        with duckdb.connect(attached, read_only=True) as connection:
            found.append(connection.execute("SELECT * FROM data").fetchall())
    assert found[0] == found[1]
    assert [row[0] for row in found[0]] == list(range(20_000))


def test_builders_at_the_same_time_do_not_disturb_each_other(tmp_path):
    path = _write(tmp_path / "a.csv")
    found: list[Catalog] = []
    threads = [threading.Thread(target=lambda: found.append(_open(tmp_path, path))) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 4
    assert len({catalog.to_json() for catalog in found}) == 1
    assert sorted(item.suffix for item in (tmp_path / "cache").iterdir()) == [".duckdb", ".json"]


def test_a_snapshot_that_is_open_is_never_replaced(tmp_path):
    path = _write(tmp_path / "a.csv")
    first = Path(_open(tmp_path, path).sources[0].attach_path)
    before = first.stat()
    next((tmp_path / "cache").glob("*.json")).unlink()
    again = Path(_open(tmp_path, path).sources[0].attach_path)
    assert (first.stat().st_ino, first.stat().st_mtime_ns) == (before.st_ino, before.st_mtime_ns)
    assert again.exists()


def _forge(path: Path) -> None:
    with duckdb.connect(str(path)) as connection:
        connection.execute("UPDATE data SET v = 999999")


@pytest.mark.parametrize("also_the_story", [False, True])
def test_a_forged_snapshot_misleads_no_later_run(tmp_path, also_the_story):
    path = _write(tmp_path / "a.csv", "id,v\n1,2\n2,3\n")
    first = Path(_open(tmp_path, path).sources[0].attach_path)
    _forge(first)
    if also_the_story:
        story = next((tmp_path / "cache").glob("*.json"))
        told = json.loads(story.read_text())
        told["sha256"] = hashlib.sha256(first.read_bytes()).hexdigest()
        story.write_text(json.dumps(told))
    with duckdb.connect(_open(tmp_path, path).sources[0].attach_path, read_only=True) as connection:
        assert connection.execute("SELECT sum(v) FROM data").fetchall() == [(5,)]


def test_a_forged_description_of_a_snapshot_misleads_no_later_run(tmp_path):
    path = _write(tmp_path / "a.csv", "id,v\n1,2\n2,3\n")
    before = _open(tmp_path, path).to_json()
    story = next((tmp_path / "cache").glob("*.json"))
    told = json.loads(story.read_text())
    told["outcome"]["notes"] = [{"kind": "made_up", "message": "made up", "table": None, "column": None}]
    story.write_text(json.dumps(told))
    assert "made up" not in _open(tmp_path, path).to_json()
    assert before


def test_a_refused_file_leaves_nothing_behind(tmp_path):
    with pytest.raises(InvalidFileType):
        _open(tmp_path, _write(tmp_path / "a.csv", "\x00\x01\x02" * 100))
    assert not list((tmp_path / "cache").iterdir())


def test_a_process_that_dies_is_a_refusal(tmp_path, monkeypatch):
    children._process_pool.close()  # so that another must be started, and cannot
    monkeypatch.setattr(children, "INTERPRETER", ("/bin/false",))
    with pytest.raises(SourceUnreadable):
        _open(tmp_path, _write(tmp_path / "a.csv"))


def test_a_process_that_takes_too_long_is_ended(tmp_path, monkeypatch):
    monkeypatch.setattr(snapshot, "MIN_SECONDS", 0.01)
    monkeypatch.setattr(snapshot, "SECONDS_A_MEGABYTE", 0)
    with pytest.raises(SourceUnreadable):
        _open(tmp_path, _write(tmp_path / "a.csv"))


def test_table_names_are_safe_and_unique(tmp_path):
    (tmp_path / "x").mkdir()
    paths = [
        _write(tmp_path / "2024 Sales!.csv"),
        _write(tmp_path / "x" / "2024 sales.csv"),
        _write(tmp_path / "Ümsätze.csv"),
    ]
    assert list(_open(tmp_path, *paths).schema()) == ["t_2024_sales", "t_2024_sales_2", "umsatze"]


def test_a_catalog_survives_being_written_down(tmp_path):
    catalog = _open(tmp_path, _write(tmp_path / "a.csv", "id,x,x\n1,NA,3\n2,4\n"))
    assert catalog.notes
    assert Catalog.from_json(catalog.to_json()) == catalog


@pytest.mark.parametrize("text", ["", "{}", "[]", '{"version": 99, "sources": [], "dialect": "duckdb"}'])
def test_a_broken_catalog_is_refused(text):
    with pytest.raises(InvalidArguments):
        Catalog.from_json(text)


def test_tables_are_found_by_name_and_only_those(tmp_path):
    catalog = _open(tmp_path, _write(tmp_path / "a.csv"))
    assert catalog.table("A").column("NAME") is not None
    assert catalog.source_of("a").label == "a.csv"
    with pytest.raises(MissingTable):
        catalog.table("b")


@pytest.mark.seed("A-064")
def test_a_fingerprint_follows_columns_and_types_and_nothing_else(tmp_path):
    one = _open(tmp_path, _write(tmp_path / "a.csv"))
    other = _open(tmp_path, _write(tmp_path / "z.csv", "name,id\nZoe,9\nYan,8\n"))
    third = _open(tmp_path, _write(tmp_path / "y.csv", "name,id\nZoe,9.5\nYan,8.5\n"))
    assert one.fingerprint == other.fingerprint == fingerprint_columns([("name", "VARCHAR"), ("id", "BIGINT")])
    assert third.fingerprint != one.fingerprint
    assert len(one.fingerprint) == 64


def test_a_missing_file_and_no_file_are_told_apart(tmp_path):
    with pytest.raises(SourceNotFound):
        _open(tmp_path, tmp_path / "nowhere.csv")
    with pytest.raises(NoSources):
        _open(tmp_path)


@pytest.mark.parametrize("name", ["x" * 300 + ".csv", "a\x00b.csv"])
def test_an_impossible_path_is_a_refusal_and_no_crash(tmp_path, name):
    with pytest.raises((SourceNotFound, SourceUnreadable)):
        _open(tmp_path, f"{tmp_path}/{name}")
