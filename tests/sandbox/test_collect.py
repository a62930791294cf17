"""Picking up results: regular files only, bounded, nothing followed."""

from __future__ import annotations

import os
import socket
from pathlib import Path

import pytest

from averment.sandbox.collect import MAX_FILES, Collection, collect
from averment.sandbox.guest.folders import measure, remove


@pytest.fixture
def left(tmp_path: Path) -> Path:
    folder = tmp_path / "left"
    folder.mkdir()
    return folder


def take(left: Path, file_bytes: int = 1 << 20) -> Collection:
    descriptor = os.open(left, os.O_RDONLY | os.O_DIRECTORY)
    try:
        return collect(descriptor, left.parent / "taken", file_bytes=file_bytes)
    finally:
        os.close(descriptor)


def test_regular_files_come_back_with_their_content(left: Path) -> None:
    (left / "a.csv").write_text("x\n1\n")
    (left / "sub").mkdir()
    (left / "sub" / "b.json").write_text("[1]")
    found = take(left)
    assert {name: path.read_text() for name, path in found.files.items()} == {"a.csv": "x\n1\n", "sub/b.json": "[1]"}
    assert found.notes == ()
    assert all(path.stat().st_mode & 0o777 == 0o600 for path in found.files.values())


def test_links_pipes_and_sockets_are_refused(left: Path, tmp_path: Path) -> None:
    secret = tmp_path / "secret.csv"
    secret.write_text("CANARY")
    (left / "to_file.csv").symlink_to(secret)
    (left / "to_folder").symlink_to(tmp_path)
    (left / "nowhere.csv").symlink_to("nowhere")
    os.link(secret, left / "hard.csv")
    os.mkfifo(left / "pipe.csv")
    with socket.socket(socket.AF_UNIX) as bound:
        bound.bind(str(left / "socket.csv"))
        found = take(left)
    assert dict(found.files) == {}
    assert len(found.notes) == 6
    assert list((tmp_path / "taken").rglob("*")) == []


def test_a_linked_folder_above_is_not_followed(left: Path, tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / "a.csv").write_text("x")
    (left / "sub").symlink_to(tmp_path / "elsewhere", target_is_directory=True)
    assert dict(take(left).files) == {}


def test_big_many_and_deep_are_refused(left: Path) -> None:
    (left / "big.csv").write_bytes(b"x" * 2000)
    (left / "sparse.csv").touch()
    os.truncate(left / "sparse.csv", 1 << 40)
    deep = left / "1" / "2" / "3"
    deep.mkdir(parents=True)
    (deep / "a.csv").write_text("x")
    found = take(left, file_bytes=1000)
    assert dict(found.files) == {}
    assert len(found.notes) == 3


def test_the_sum_of_all_files_is_bounded(left: Path) -> None:
    for number in range(8):
        (left / f"{number}.txt").write_bytes(b"x" * 900)
    found = take(left, file_bytes=1000)
    assert sum(path.stat().st_size for path in found.files.values()) <= 4000


def test_the_number_of_files_and_notes_is_bounded(left: Path) -> None:
    for number in range(MAX_FILES + 50):
        (left / f"{number:04}.txt").write_text("x")
    found = take(left)
    assert len(found.files) == MAX_FILES
    assert len(found.notes) <= 21


@pytest.mark.parametrize(
    "name", ["..\\evil.csv", "a\nb.csv", "\x1b[31m.csv", ".hidden.csv", "-rf.csv", "\u202egpj.csv", "a" * 200 + ".csv"]
)
def test_an_odd_name_is_refused_and_told_safely(left: Path, name: str) -> None:
    (left / name).write_text("x")
    found = take(left)
    assert dict(found.files) == {}
    assert found.notes[0].isprintable() and found.notes[0].isascii()


def test_a_name_that_is_no_text_is_refused(left: Path) -> None:
    Path(os.fsdecode(bytes(left) + b"/\xff\xfe.csv")).write_text("x")
    assert dict(take(left).files) == {}


def test_a_file_already_there_is_not_overwritten(left: Path, tmp_path: Path) -> None:
    (tmp_path / "taken").mkdir()
    (tmp_path / "taken" / "a.csv").write_text("mine")
    (left / "a.csv").write_text("theirs")
    assert dict(take(left).files) == {}
    assert (tmp_path / "taken" / "a.csv").read_text() == "mine"


def _dig(top: Path, depth: int) -> None:
    descriptor = os.open(top, os.O_RDONLY)
    for _ in range(depth):
        os.mkdir("d", dir_fd=descriptor)
        inner = os.open("d", os.O_RDONLY, dir_fd=descriptor)
        os.close(descriptor)
        descriptor = inner
    os.close(descriptor)


def test_a_tree_deeper_than_any_path_is_noticed_and_removed(tmp_path: Path) -> None:
    top = tmp_path / "deep"
    top.mkdir()
    _dig(top, 3000)
    assert measure(top, stop_after=100)[1] == 101
    remove(top)
    assert not top.exists()


def test_removing_follows_nothing_and_opens_what_is_shut(tmp_path: Path) -> None:
    kept = tmp_path / "kept"
    kept.mkdir()
    (kept / "file").write_text("x")
    top = tmp_path / "top"
    (top / "shut" / "inner").mkdir(parents=True)
    (top / "shut" / "inner" / "file").write_text("x")
    (top / "link").symlink_to(kept)
    (top / "shut" / ".moved-1").symlink_to(kept)
    (top / ".moved-1").mkdir()
    (top / ".moved-1" / "x").write_text("x")
    (top / "shut" / "inner").chmod(0)
    (top / "shut").chmod(0)
    remove(top)
    assert not top.exists()
    assert (kept / "file").read_text() == "x"


def test_removing_what_is_not_there_is_no_fault(tmp_path: Path) -> None:
    remove(tmp_path / "nothing")
