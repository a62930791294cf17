"""Uploads on their way from the home that received them into the files of all hosts."""

from __future__ import annotations

from pathlib import Path

import pytest

from averment.agents.assistant.sources import reference_to, uploads_only
from averment.errors import FileTooLarge, SourceNotFound
from averment.records.base import new_id
from averment.settings import Settings
from averment.store.storage.base import Files
from averment.store.storage.cache import FileCache
from averment.store.storage.local import FileStore
from averment.store.storage.remote import RemoteFiles
from averment.store.storage.remote_system import RemoteSystem
from averment.store.storage.uploads import moved_upload, published, upload_of


@pytest.fixture
def shared(tmp_path: Path) -> Files:
    return RemoteFiles(RemoteSystem(f"local://{tmp_path}/shared"), FileCache(tmp_path / "copies"))


def dropped(home: Path) -> Path:
    place = home / "uploads" / new_id() / "orders.csv"
    place.parent.mkdir(parents=True)
    place.write_bytes(b"a\n1\n")
    return place


def test_an_upload_is_published_for_all_hosts_and_leaves_the_home(shared: Files, tmp_path: Path) -> None:
    place = dropped(tmp_path / "first")
    with published(shared, tmp_path / "first", [str(place), "/data/own.csv", "postgresql://db/x"]) as sources:
        address, *rest = sources
    assert rest == ["/data/own.csv", "postgresql://db/x"]
    assert not place.parent.exists()
    assert upload_of(shared, tmp_path / "first", address) == place.parent.name
    assert upload_of(shared, tmp_path / "first", "/data/own.csv") is None
    # Another host knows it by the reference that was given for it, and by the path that an old run has of it.
    locate = uploads_only(tmp_path / "second", files=shared)
    assert locate([reference_to(place)]) == [address]
    assert moved_upload(shared, str(place)) == f"uploads/{place.parent.name}/orders.csv"
    with pytest.raises(SourceNotFound):
        locate([f"upload:{new_id()}/orders.csv"])


def test_an_upload_of_what_was_refused_is_taken_away_again_and_the_home_keeps_its_own(
    shared: Files, tmp_path: Path
) -> None:
    place = dropped(tmp_path / "first")
    with pytest.raises(FileTooLarge), published(shared, tmp_path / "first", [str(place)]):
        assert list(shared.walk("uploads"))
        raise FileTooLarge("The table is too large.")
    assert list(shared.walk("uploads")) == []
    assert place.exists()


def test_where_the_home_keeps_its_files_itself_nothing_moves(home: Settings, tmp_path: Path) -> None:
    place, files = dropped(home.home), FileStore(home.home)
    with published(files, home.home, [str(place)]) as sources:
        assert sources == [str(place)]
    assert place.exists()
    elsewhere = FileStore(tmp_path / "disk")
    with published(elsewhere, home.home, [str(place)]) as sources:
        assert sources == [str(tmp_path / "disk" / "uploads" / place.parent.name / "orders.csv")]
    assert upload_of(elsewhere, home.home, sources[0]) == place.parent.name
    assert Path(sources[0]).read_bytes() == b"a\n1\n"
