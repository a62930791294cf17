"""Where the files of these settings are: the home, another folder, or a store that hosts share."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

from averment.errors import InvalidSettings
from averment.settings import Settings
from averment.store.storage.base import Files
from averment.store.storage.local import FileStore


def open_files(settings: Settings) -> Files:
    """The files of these settings; a shared store is connected at its first use, once in a process.

    Raises:
        InvalidSettings: the URL or the options cannot be used.
    """
    url = settings.files_url or ""
    if not url:
        return FileStore(settings.home)
    if url.startswith("file:///"):
        return FileStore(Path(url.removeprefix("file://")))
    if "://" not in url or url.startswith("file:"):
        raise InvalidSettings(
            "The setting files_url is not a URL of a file store.",
            hint="Set AVERMENT_FILES_URL to file:///a/folder or s3://bucket/folder, or leave it empty for the home.",
        )
    return shared_files(url, settings)


def shared_files(url: str, settings: Settings) -> Files:
    """The files at an fsspec URL, with the options of these settings.

    Raises:
        InvalidSettings: the URL or the options cannot be used.
    """
    options = settings.files_options
    return _shared(url, None if options is None else options.get_secret_value(), settings.home.absolute())


@lru_cache(maxsize=64)
def _shared(url: str, options: str | None, home: Path) -> Files:
    from averment.store.storage.cache import FileCache, copies_in
    from averment.store.storage.remote import RemoteFiles
    from averment.store.storage.remote_system import RemoteSystem

    return RemoteFiles(RemoteSystem(url, options), FileCache(copies_in(home / "cache" / "tables")))
