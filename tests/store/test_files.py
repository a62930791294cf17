from __future__ import annotations

import hashlib
import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from averment.errors import (
    DiskFull,
    FileTooLarge,
    HomeNotWritable,
    InvalidRequest,
    SourceNotFound,
    StoreConflict,
    UnsupportedSource,
)
from averment.settings import Settings
from averment.store.files import FileStore, parts_of

HOSTILE = Path(__file__).parent.parent / "hostile" / "data" / "api_attacks" / "cases.jsonl"

WRITE_HALF_AND_WAIT = """
import sys
from pathlib import Path
from averment.store.files import FileStore

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


def test_a_written_file_reads_back_with_its_hash_and_size(files: FileStore) -> None:
    stored = files.write("artifacts/tables/a/result.csv", b"a,b\n1,2\n")
    assert (stored.path, stored.size) == ("artifacts/tables/a/result.csv", 8)
    assert stored.sha256 == hashlib.sha256(b"a,b\n1,2\n").hexdigest()
    assert files.read(stored.path) == b"a,b\n1,2\n"
    assert files.hash(stored.path) == stored
    assert files.exists(stored.path)
    assert everything(files.root) == [stored.path]


def test_a_second_write_replaces_the_first(files: FileStore) -> None:
    files.write("a.txt", b"long old content")
    files.write("a.txt", b"new")
    assert files.read("a.txt") == b"new"


def test_a_file_that_may_not_be_replaced_stays_and_equal_bytes_are_welcome(files: FileStore) -> None:
    first = files.write("a.txt", b"one", replace=False)
    assert files.write("a.txt", b"one", replace=False) == first
    with pytest.raises(StoreConflict):
        files.write("a.txt", b"two", replace=False)
    assert files.read("a.txt") == b"one"
    assert everything(files.root) == ["a.txt"]


def test_a_missing_file_is_not_found(files: FileStore) -> None:
    assert not files.exists("none.txt")
    assert not files.delete("none.txt")
    assert not files.delete("no/folder/none.txt")
    assert files.names("no/folder") == []
    for act in (files.read, files.hash):
        with pytest.raises(SourceNotFound):
            act("none.txt")


def test_a_folder_is_no_file(files: FileStore) -> None:
    files.write("folder/a.txt", b"x")
    assert not files.exists("folder")
    with pytest.raises(SourceNotFound):
        files.read("folder")


def test_a_pipe_of_that_name_does_not_hold_the_reader(files: FileStore) -> None:
    files.root.mkdir()
    os.mkfifo(files.root / "pipe.txt")
    with pytest.raises(SourceNotFound):
        files.read("pipe.txt")


def test_a_file_and_a_folder_can_be_deleted(files: FileStore) -> None:
    files.write("sessions/a/files/one.csv", b"1")
    files.write("sessions/a/files/two.csv", b"2")
    files.write("sessions/b/files/one.csv", b"3")
    assert files.names("sessions/a/files") == ["one.csv", "two.csv"]
    assert files.delete("sessions/a/files/one.csv")
    assert files.delete("sessions/a")
    assert everything(files.root) == ["sessions/b/files/one.csv"]
    files.write("sessions/a/files/one.csv", b"again")
    assert files.read("sessions/a/files/one.csv") == b"again"


def test_a_stream_over_its_limit_is_refused_and_leaves_nothing(files: FileStore) -> None:
    assert files.write_stream("fits.csv", iter([b"12345", b"67890"]), max_bytes=10).size == 10
    with pytest.raises(FileTooLarge):
        files.write_stream("large.csv", iter([b"12345", b"678901"]), max_bytes=10)
    assert everything(files.root) == ["fits.csv"]


def test_a_stream_that_breaks_off_leaves_the_old_content_and_raises_its_own_error(files: FileStore) -> None:
    def broken() -> Iterator[bytes]:
        yield b"half"
        raise ConnectionResetError("the sender is gone")

    files.write("a.txt", b"old")
    with pytest.raises(ConnectionResetError):
        files.write_stream("a.txt", broken())
    assert files.read("a.txt") == b"old"
    assert everything(files.root) == ["a.txt"]


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


def test_sweeping_where_nothing_is_kept_yet_finds_nothing(files: FileStore) -> None:
    assert files.sweep() == 0


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


@pytest.mark.parametrize(
    "path", ["", "/", "/etc/passwd", "..", "../x", "a/../../x", "a//b", "a/", "./a", "a/.", "a\0b", "a\\b", "~", ".env"]
)
def test_a_path_that_could_leave_the_root_is_refused_by_every_verb(files: FileStore, path: str) -> None:
    for act in (files.read, files.hash, files.exists, files.delete, files.names, lambda name: files.write(name, b"x")):
        with pytest.raises(InvalidRequest):
            act(path)
    assert not files.root.exists()


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


def test_files_are_kept_in_the_home_or_in_a_local_folder_by_url(home: Settings, tmp_path: Path) -> None:
    assert FileStore.open(home).root == home.home
    url = f"file://{tmp_path}/elsewhere"
    assert FileStore.open(home.model_copy(update={"files_url": url})).root == tmp_path / "elsewhere"


@pytest.mark.parametrize("url", ["s3://bucket/prefix", "file://host/x", "memory://", "nonsense"])
def test_a_place_that_is_not_a_local_folder_is_refused(home: Settings, url: str) -> None:
    with pytest.raises(UnsupportedSource):
        FileStore.open(home.model_copy(update={"files_url": url}))
