"""Files in an object store: what a network, a bucket, a right and a killed writer can do to them."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import traceback
from datetime import timedelta
from pathlib import Path

import pytest
from pydantic import SecretStr

from averment.errors import (
    InvalidRequest,
    InvalidSettings,
    MissingExtra,
    SourceChanged,
    StorageError,
    StoreConflict,
    StoreUnavailable,
    UnsupportedSource,
)
from averment.settings import Settings, load
from averment.store.storage.addresses import parse_address
from averment.store.storage.cache import FileCache
from averment.store.storage.configured import open_files
from averment.store.storage.local import FileStore
from averment.store.storage.remote import RemoteFiles, sweep_leftovers, temporary_name
from averment.store.storage.remote_errors import from_fault
from averment.store.storage.remote_system import RemoteSystem
from object_store import KEY, SECRET, ObjectStore

PUT = """
import sys
from averment.settings import load
from averment.store.storage.configured import open_files

open_files(load()).write("artifacts/a.bin", b"new" * 3_000_000)
"""


@pytest.fixture
def url(object_store: ObjectStore) -> str:
    return object_store.new_url()


@pytest.fixture
def files(object_store: ObjectStore, url: str, tmp_path: Path) -> RemoteFiles:
    return RemoteFiles(RemoteSystem(url, object_store.options), FileCache(tmp_path / "copies"))


def test_where_files_are_kept_follows_from_the_url(home: Settings, tmp_path: Path) -> None:
    def opened(url: str) -> object:
        return open_files(home.model_copy(update={"files_url": url}))

    first, second = open_files(home), opened(f"file://{tmp_path}/elsewhere")
    assert isinstance(first, FileStore)
    assert isinstance(second, FileStore)
    assert (first.root, second.root) == (home.home, tmp_path / "elsewhere")
    assert isinstance(opened("s3://bucket/folder"), RemoteFiles), "nothing is connected before it is used"
    for refused in ("nonsense", "file://host/x", "s3://", "s3:///", "s3://bucket/*", "s3://bucket/../x"):
        with pytest.raises(InvalidSettings):
            opened(refused)
    for unknown in ("nobody-knows://x/y", "http://host.example/x"):
        with pytest.raises(UnsupportedSource):
            RemoteSystem(unknown).fs  # noqa: B018  # Connecting is the act.


def test_an_absent_package_is_named_by_its_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    from fsspec.registry import _registry

    monkeypatch.setitem(sys.modules, "s3fs", None)
    monkeypatch.delitem(_registry, "s3", raising=False)  # An earlier test may have loaded it.
    with pytest.raises(MissingExtra) as refused:
        RemoteSystem("s3://bucket/folder").fs  # noqa: B018  # Connecting is the act.
    assert "averment[files]" in refused.value.hint


def test_options_are_a_secret_that_no_text_shows(tmp_path: Path) -> None:
    options = json.dumps({"key": KEY, "secret": SECRET})
    names = {"AVERMENT_FILES_URL": f"sftp://me:{SECRET}@host/x", "AVERMENT_FILES_OPTIONS": options}
    settings = load(environment={**names, "AVERMENT_HOME": str(tmp_path)}, config_file=None)
    assert settings.files_options == SecretStr(options)
    shown = [repr(settings), str(settings), settings.files_options.__repr__(), open_files(settings).shown("a.txt")]
    assert not [text for text in shown if SECRET in text]
    with pytest.raises(InvalidSettings) as refused:
        RemoteSystem("s3://b/x", f"{{{SECRET}")
    assert SECRET not in "".join(traceback.format_exception(refused.value))


def test_a_missing_bucket_and_missing_credentials_are_told_apart(
    object_store: ObjectStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    absent = RemoteFiles(RemoteSystem("s3://averment-none/x", object_store.options), FileCache(tmp_path))
    for act in (lambda: absent.write("a.txt", b"x"), lambda: absent.read("a.txt"), lambda: absent.names("a")):
        with pytest.raises(StorageError) as refused:
            act()
        assert not refused.value.retryable
        assert "AVERMENT_FILES_URL" in refused.value.hint
    for name in [name for name in os.environ if name.startswith("AWS_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", str(tmp_path / "none"))
    keyless = json.dumps({"endpoint_url": json.loads(object_store.options)["endpoint_url"]})
    with pytest.raises(StorageError) as refused:
        RemoteFiles(RemoteSystem(object_store.new_url(), keyless), FileCache(tmp_path)).read("a.txt")
    assert "AVERMENT_FILES_OPTIONS" in refused.value.hint


def test_a_fault_is_told_without_the_words_of_the_vendor() -> None:
    for fault, kind in (
        (PermissionError(f"AccessDenied for {KEY}:{SECRET}"), StorageError),
        (ConnectionRefusedError(f"http://{KEY}:{SECRET}@host"), StoreUnavailable),
        (TimeoutError(SECRET), StoreUnavailable),
        (OSError(28, SECRET), StorageError),
        (RuntimeError(SECRET), StorageError),
    ):
        told = from_fault(fault, "the file a.txt", "s3://bucket")
        assert isinstance(told, kind)
        assert SECRET not in f"{told.message} {told.hint} {told.details}"


def test_a_store_that_is_away_is_told_as_such_and_is_there_again_when_it_is_back(
    object_store: ObjectStore, files: RemoteFiles
) -> None:
    files.write("a.txt", b"old")
    object_store.stop()
    try:
        for act in (lambda: files.write("a.txt", b"new"), lambda: files.read("a.txt")):
            with pytest.raises(StoreUnavailable) as away:
                act()
            assert away.value.retryable
            assert SECRET not in "".join(traceback.format_exception(away.value))
    finally:
        object_store.start()
    assert files.read("a.txt") == b"old"
    files.write("a.txt", b"new")
    assert files.read("a.txt") == b"new"


def test_a_writer_killed_while_its_bytes_are_on_the_way_leaves_the_old_content(
    object_store: ObjectStore, url: str, files: RemoteFiles
) -> None:
    files.write("artifacts/a.bin", b"old")
    with socket.create_server(("127.0.0.1", 0)) as door:
        # A server that takes the request's head and a part of the body, and no more: the writer hangs in its put.
        options = {**json.loads(object_store.options), "endpoint_url": f"http://127.0.0.1:{door.getsockname()[1]}"}
        known = {"AVERMENT_FILES_URL": url, "AVERMENT_FILES_OPTIONS": json.dumps(options)}
        writer = subprocess.Popen([sys.executable, "-c", PUT], env={**os.environ, **known})
        with writer:
            taken, _ = door.accept()
            with taken, socket.create_connection(("127.0.0.1", object_store.port)) as behind:
                begun = taken.recv(65_536)
                if b"100-continue" in begun:
                    taken.sendall(b"HTTP/1.1 100 Continue\r\n\r\n")
                sent = begun.replace(b"Expect: 100-continue\r\n", b"") + taken.recv(1_000_000)
                assert b"PUT /" in sent
                behind.sendall(sent)
                writer.send_signal(signal.SIGKILL)
    assert object_store.keys(url) == ["house/files/artifacts/a.bin"]
    assert files.read("artifacts/a.bin") == b"old"


def test_an_upload_in_parts_that_nobody_ended_is_swept_when_it_is_old(
    object_store: ObjectStore, url: str, files: RemoteFiles
) -> None:
    bucket = url.removeprefix("s3://").partition("/")[0]
    for key in ("house/files/work/a.arrow", "house/filesystem/other.bin"):
        object_store.client.create_multipart_upload(Bucket=bucket, Key=key)
    # The server of the tests says of each that it was begun in 2010.
    system = RemoteSystem(url, object_store.options)
    assert sweep_leftovers(system, system.root, older_than=timedelta(days=365 * 50)) == 0, "its writer may live"
    assert files.sweep() == 1
    left = object_store.client.list_multipart_uploads(Bucket=bucket)["Uploads"]
    assert [one["Key"] for one in left] == ["house/filesystem/other.bin"]


def test_a_temporary_file_is_not_shown_and_swept_when_it_is_old(tmp_path: Path) -> None:
    system = RemoteSystem(f"local://{tmp_path}/root")
    files = RemoteFiles(system, FileCache(tmp_path / "copies"))
    files.write("reports/a.md", b"whole")
    leftover = tmp_path / "root" / "reports" / temporary_name()
    leftover.write_bytes(b"half")
    assert files.names("reports") == ["a.md"]
    assert list(files.walk("reports")) == ["reports/a.md"]
    assert files.sweep() == 0, "its writer may live"
    os.utime(leftover, (0, 0))
    assert files.sweep() == 1
    leftover.write_bytes(b"half")
    os.utime(leftover, (0, 0))
    RemoteFiles(system, FileCache(tmp_path / "copies")).write("reports/b.md", b"whole")
    assert not leftover.exists(), "the first write of a process sweeps where it writes"


def test_of_two_writers_that_may_not_replace_only_one_is_told_it_did(
    object_store: ObjectStore, url: str, files: RemoteFiles, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = RemoteFiles(RemoteSystem(url, object_store.options), FileCache(Path("unused")))
    monkeypatch.setattr(files, "exists", lambda _: other.write("a.txt", b"theirs") is None)
    with pytest.raises(StoreConflict):
        files.write("a.txt", b"mine", replace=False)
    assert files.read("a.txt") == b"theirs"


def test_a_copy_is_held_against_its_hash_and_fetched_again_where_it_differs(files: RemoteFiles) -> None:
    stored = files.write("uploads/x/data.csv", b"a\n1\n")
    place = files.path(stored.path, stored.sha256)
    place.write_bytes(b"a\n2\n")
    assert files.path(stored.path, stored.sha256).read_bytes() == b"a\n1\n"
    files.write("uploads/x/data.csv", b"a\n3\n")
    assert files.path(stored.path, stored.sha256).read_bytes() == b"a\n1\n", "those bytes are here"
    place.unlink()
    with pytest.raises(SourceChanged):
        files.path(stored.path, stored.sha256)
    assert files.delete("uploads/x")
    assert not [one for one in place.parents[1].rglob("*") if one.is_file()]


def test_copies_that_nobody_used_for_long_go_when_there_are_too_many(files: RemoteFiles, tmp_path: Path) -> None:
    stored = [files.write(f"uploads/x/{number}.csv", bytes([48 + number]) * 100) for number in range(4)]
    copies = FileCache(tmp_path / "few", most_bytes=250, kept_seconds=3600)
    places = [copies.get(files, one.path, name="data.csv", sha256=one.sha256) for one in stored[:3]]
    assert all(place.exists() for place in places), "what was handed out just now is never taken away"
    for place in places[:2]:
        os.utime(place, (1, 1))
    newest = copies.get(files, stored[3].path, name="data.csv", sha256=stored[3].sha256)
    assert [place.exists() for place in (*places, newest)] == [False, False, True, True]


def test_an_address_names_the_file_its_table_and_its_bytes_on_every_host(
    object_store: ObjectStore, url: str, files: RemoteFiles
) -> None:
    stored = files.write("sessions/s/files/f.csv", b"a\n1\n")
    given = files.address(stored.path, "uploads/s/f/orders.csv")
    elsewhere = RemoteFiles(RemoteSystem(url, object_store.options), FileCache(Path("unused")))
    assert elsewhere.address(stored.path, "uploads/s/f/orders.csv") == given
    found = parse_address(given)
    assert (found.relative, found.name, found.sha256) == (stored.path, "orders.csv", stored.sha256)
    assert str(found) == given
    for wrong in (
        "stored://artifacts/a.csv",
        "stored://uploads/../x.csv",
        "stored://uploads",
        "stored://uploads/a.csv?name=../x",
        "stored://uploads/a.csv?name=b.csv&sha256=12",
        "stored://uploads/a.csv?other=1",
        "stored:///etc/passwd",
        "/etc/passwd",
    ):
        with pytest.raises(InvalidRequest):
            parse_address(wrong)
