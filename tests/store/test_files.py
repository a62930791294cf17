from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from averment.errors import (
    DiskFull,
    HomeNotWritable,
    InvalidRequest,
    SourceNotFound,
)
from averment.store.storage.local import FileStore, parts_of

HOSTILE = Path(__file__).parent.parent / "hostile" / "data" / "api_attacks" / "cases.jsonl"

WRITE_HALF_AND_WAIT = """
import sys
from pathlib import Path
from averment.store.storage.local import FileStore

def chunks():
    yield b"new" * 1000
    print("half", flush=True)
    sys.stdin.readline()

FileStore(Path(sys.argv[1])).write_stream("reports/a/summary.md", chunks())
"""


@pytest.fixture
def files(tmp_path: Path) -> FileStore:
    return FileStore(tmp_path / "root")


def everything(root: Path) -> list[str]:
    return sorted(str(path.relative_to(root)) for path in root.rglob("*") if not path.is_dir())


def hostile_names() -> list[str]:
    cases = [json.loads(line) for line in HOSTILE.read_text(encoding="utf-8").splitlines()]
    return [case["name"] for case in cases if case["kind"] == "path_names"]


def test_a_pipe_of_that_name_does_not_hold_the_reader(files: FileStore) -> None:
    files.root.mkdir()
    os.mkfifo(files.root / "pipe.txt")
    with pytest.raises(SourceNotFound):
        files.read("pipe.txt")


def test_a_writer_killed_half_way_leaves_the_old_content_and_its_rest_is_swept(files: FileStore) -> None:
    files.write("reports/a/summary.md", b"old")
    writer = subprocess.Popen(
        [sys.executable, "-c", WRITE_HALF_AND_WAIT, str(files.root)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    with writer:
        assert writer.stdout is not None
        assert writer.stdout.readline() == "half\n"
        assert len(everything(files.root)) == 2
        assert files.sweep() == 0, "a living writer's file was swept"
        assert len(everything(files.root)) == 2
        writer.send_signal(signal.SIGKILL)
    assert files.read("reports/a/summary.md") == b"old"
    assert files.names("reports/a") == ["summary.md"]
    assert files.sweep() == 1
    assert everything(files.root) == ["reports/a/summary.md"]


def test_the_first_write_into_a_folder_sweeps_what_dead_writers_left(files: FileStore) -> None:
    leftover = files.root / "reports" / f".averment-{'0' * 16}.tmp"
    leftover.parent.mkdir(parents=True)
    leftover.write_bytes(b"half")
    files.write("reports/a.md", b"whole")
    assert everything(files.root) == ["reports/a.md"]


def test_only_temporary_files_are_swept(files: FileStore) -> None:
    files.write("a.txt", b"x")
    (files.root / ".hidden").write_bytes(b"x")
    (files.root / "b.tmp").write_bytes(b"x")
    assert files.sweep() == 0
    assert everything(files.root) == [".hidden", "a.txt", "b.tmp"]


def test_a_full_disk_is_reported_and_leaves_no_temporary_file(small_disk: Path) -> None:
    files = FileStore(small_disk)
    files.write("a/kept.bin", b"old")
    with pytest.raises(DiskFull):
        files.write("a/kept.bin", b"x" * 5_000_000)
    assert files.read("a/kept.bin") == b"old"
    assert everything(small_disk) == ["a/kept.bin"]
    files.write("a/small.bin", b"there is space again")


def test_a_root_that_is_a_file_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "root").write_text("in the way")
    with pytest.raises(HomeNotWritable):
        FileStore(tmp_path / "root").write("a.txt", b"x")


@pytest.mark.parametrize("name", hostile_names())
def test_a_hostile_name_is_refused_or_stays_inside(tmp_path: Path, name: str) -> None:
    files = FileStore(tmp_path / "outer" / "root")
    try:
        stored = files.write(name, b"x")
    except InvalidRequest as error:
        assert str(error).isascii()
        assert "\n" not in str(error)
        assert not (tmp_path / "outer").exists()
    else:
        assert everything(tmp_path) == [f"outer/root/{stored.path}"]
        assert stored.path == name


@given(path=st.text(alphabet=st.sampled_from("a./\\\0~ -:%"), max_size=12))
def test_every_accepted_path_is_a_plain_relative_one(path: str) -> None:
    try:
        parts = parts_of(path)
    except InvalidRequest:
        return
    assert "/".join(parts) == path
    joined = Path("/root").joinpath(*parts)
    assert joined == Path(os.path.normpath(joined))
    assert joined.parts[:2] == ("/", "root")
    assert len(joined.parts) > 2


def test_a_planted_folder_link_is_not_followed(files: FileStore, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "secret.txt").write_text("secret")
    files.root.mkdir()
    (files.root / "link").symlink_to(outside)
    assert not files.exists("link/secret.txt")
    assert not files.delete("link/secret.txt")
    assert files.names("link") == []
    with pytest.raises(HomeNotWritable):
        files.write("link/new.txt", b"x")
    with pytest.raises(HomeNotWritable):
        files.write("link/deeper/new.txt", b"x")
    assert everything(outside) == ["secret.txt"]


def test_a_planted_file_link_is_not_read_and_is_replaced_by_a_write(files: FileStore, tmp_path: Path) -> None:
    secret = tmp_path / "secret.txt"
    secret.write_text("secret")
    files.root.mkdir()
    (files.root / "a.txt").symlink_to(secret)
    with pytest.raises(SourceNotFound):
        files.read("a.txt")
    files.write("a.txt", b"mine")
    assert (files.read("a.txt"), secret.read_text()) == (b"mine", "secret")


def test_deleting_a_link_leaves_what_it_points_to(files: FileStore, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "kept.txt").write_text("kept")
    files.write("folder/a.txt", b"x")
    (files.root / "folder" / "link").symlink_to(outside)
    assert files.delete("folder")
    assert (outside / "kept.txt").read_text() == "kept"
