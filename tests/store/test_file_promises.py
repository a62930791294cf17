"""What every place for files promises: a folder of this machine, an object store, and a file system that renames."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from averment.errors import FileTooLarge, InvalidRequest, SourceNotFound, StoreConflict
from averment.store.storage.base import Files
from averment.store.storage.cache import FileCache
from averment.store.storage.local import FileStore
from averment.store.storage.remote import RemoteFiles
from averment.store.storage.remote_system import RemoteSystem
from object_store import ObjectStore

Look = Callable[[], list[str]]


@pytest.fixture(params=["folder", "objects", "renaming"])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> tuple[Files, Look]:
    """Files, and a look at everything that lies there, behind their back."""
    root = tmp_path / "root"

    def on_disk() -> list[str]:
        return sorted(str(path.relative_to(root)) for path in root.rglob("*") if not path.is_dir())

    if request.param == "folder":
        return FileStore(root), on_disk
    copies = FileCache(tmp_path / "copies")
    if request.param == "renaming":
        return RemoteFiles(RemoteSystem(f"local://{root}"), copies), on_disk
    server: ObjectStore = request.getfixturevalue("object_store")
    url = server.new_url()

    def in_bucket() -> list[str]:
        return [key.removeprefix("house/files/") for key in server.keys(url)]

    return RemoteFiles(RemoteSystem(url, server.options), copies), in_bucket


@pytest.fixture
def files(place: tuple[Files, Look]) -> Files:
    return place[0]


@pytest.fixture
def everything(place: tuple[Files, Look]) -> Look:
    return place[1]


def test_a_written_file_reads_back_with_its_hash_and_size(files: Files, everything: Look) -> None:
    stored = files.write("artifacts/tables/a/result.csv", b"a,b\n1,2\n")
    assert (stored.path, stored.size) == ("artifacts/tables/a/result.csv", 8)
    assert stored.sha256 == hashlib.sha256(b"a,b\n1,2\n").hexdigest()
    assert files.read(stored.path) == b"a,b\n1,2\n"
    assert files.hash(stored.path) == stored
    assert files.exists(stored.path)
    assert everything() == [stored.path]


def test_a_second_write_replaces_the_first(files: Files) -> None:
    files.write("a.txt", b"long old content")
    files.write("a.txt", b"new")
    assert files.read("a.txt") == b"new"


def test_a_file_that_may_not_be_replaced_stays_and_equal_bytes_are_welcome(
    files: Files, everything: Callable[[], list[str]]
) -> None:
    first = files.write("a.txt", b"one", replace=False)
    assert files.write("a.txt", b"one", replace=False) == first
    with pytest.raises(StoreConflict):
        files.write("a.txt", b"two", replace=False)
    assert files.read("a.txt") == b"one"
    assert everything() == ["a.txt"]


def test_a_missing_file_is_not_found(files: Files) -> None:
    assert not files.exists("none.txt")
    assert not files.delete("none.txt")
    assert not files.delete("no/folder/none.txt")
    assert files.names("no/folder") == []
    for act in (files.read, files.hash):
        with pytest.raises(SourceNotFound):
            act("none.txt")


def test_a_folder_is_no_file(files: Files) -> None:
    files.write("folder/a.txt", b"x")
    assert not files.exists("folder")
    with pytest.raises(SourceNotFound):
        files.read("folder")


def test_a_file_and_a_folder_can_be_deleted(files: Files, everything: Look) -> None:
    files.write("sessions/a/files/one.csv", b"1")
    files.write("sessions/a/files/two.csv", b"2")
    files.write("sessions/b/files/one.csv", b"3")
    assert files.names("sessions/a/files") == ["one.csv", "two.csv"]
    assert files.delete("sessions/a/files/one.csv")
    assert files.delete("sessions/a")
    assert everything() == ["sessions/b/files/one.csv"]
    files.write("sessions/a/files/one.csv", b"again")
    assert files.read("sessions/a/files/one.csv") == b"again"


def test_a_stream_over_its_limit_is_refused_and_leaves_nothing(
    files: Files, everything: Callable[[], list[str]]
) -> None:
    assert files.write_stream("fits.csv", iter([b"12345", b"67890"]), max_bytes=10).size == 10
    with pytest.raises(FileTooLarge):
        files.write_stream("large.csv", iter([b"12345", b"678901"]), max_bytes=10)
    assert everything() == ["fits.csv"]


def test_a_stream_that_breaks_off_leaves_the_old_content_and_raises_its_own_error(
    files: Files, everything: Callable[[], list[str]]
) -> None:
    def broken() -> Iterator[bytes]:
        yield b"half"
        raise ConnectionResetError("the sender is gone")

    files.write("a.txt", b"old")
    with pytest.raises(ConnectionResetError):
        files.write_stream("a.txt", broken())
    assert files.read("a.txt") == b"old"
    assert everything() == ["a.txt"]


def test_sweeping_where_nothing_is_kept_yet_finds_nothing(files: Files) -> None:
    assert files.sweep() == 0


def test_a_path_that_could_leave_the_root_is_refused_by_every_verb(files: Files, everything: Look) -> None:
    climbing = [
        "",
        "/",
        "/etc/passwd",
        "..",
        "../x",
        "a/../../x",
        "a//b",
        "a/",
        "./a",
        "a/.",
        "a\0b",
        "a\\b",
        "~",
        ".env",
    ]
    hostile = [*climbing, "*", "a?", "[a-z]", "%2e%2e/x", "a b", "a:b", "ä", "s3:", "a@b", "a/{b,c}", "x" * 201]
    acts = [files.read, files.hash, files.exists, files.delete, files.names, files.path, files.address, files.shown]
    for path in hostile:
        for act in (*acts, lambda name: list(files.walk(name)), lambda name: files.write(name, b"x")):
            with pytest.raises(InvalidRequest):
                act(path)
    assert everything() == []


def test_all_files_under_a_folder_are_found_and_nothing_beside_it(files: Files) -> None:
    for path in ("work/b/two.arrow", "work/a/one.arrow", "workshop/x.txt", "work.txt"):
        files.write(path, path.encode())
    assert list(files.walk("work")) == ["work/a/one.arrow", "work/b/two.arrow"]
    assert list(files.walk("none")) == []
    assert files.names("work") == ["a", "b"]
    assert files.names("work/a/one.arrow") == []
    assert files.delete("work")
    assert files.read("workshop/x.txt") + files.read("work.txt") == b"workshop/x.txtwork.txt"


def test_a_reader_is_given_a_path_with_the_bytes_that_were_recorded(files: Files) -> None:
    stored = files.write("artifacts/reports/a/report.md", b"# A report")
    place = files.path(stored.path, stored.sha256)
    assert (place.name, place.read_bytes()) == ("report.md", b"# A report")
