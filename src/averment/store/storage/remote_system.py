"""A file system by its fsspec URL, connected at its first use; which vendor's it is, nobody else asks.

Only what can publish a file whole is taken: an object store, or a file system with a rename of its own.
"""

from __future__ import annotations

import inspect
import json
import threading
from typing import Any

from averment.errors import InvalidSettings, MissingExtra, UnsupportedSource
from averment.store.storage.remote_errors import translated

OBJECT_STORES = frozenset({"s3", "s3a", "gs", "gcs", "az", "abfs", "abfss", "oss", "oci", "cos", "memory"})
"""Where a put is seen whole or not at all."""
S3 = frozenset({"s3", "s3a"})
CONNECT_SECONDS, READ_SECONDS = 5, 60
_PATTERN = frozenset("*?[]{}\\")


class RemoteSystem:
    """One fsspec file system and the path of our root in it."""

    def __init__(self, url: str, options: str | None = None) -> None:
        """Check the URL and the options; nothing is connected yet.

        Raises:
            InvalidSettings: one of them cannot be used.
        """
        self.scheme, separator, rest = url.partition("://")
        # What stands before an @ may be a credential, and is never shown.
        place = rest.rpartition("@")[2].partition("?")[0].rstrip("/")
        if not separator or not place.strip("/") or _PATTERN & set(place) or ".." in place.split("/"):
            raise InvalidSettings(
                "The setting files_url does not name a file store.", hint="Write it as s3://bucket/folder."
            )
        self.shown = f"{self.scheme}://{place}"
        self.is_object_store = self.scheme in OBJECT_STORES
        self.is_conditional = False
        self._url = url
        self._options = _read_options(options)
        self._fs: Any = None
        self._root = ""
        self._lock = threading.Lock()

    @property
    def fs(self) -> Any:
        """The file system, connected now if it was not.

        Raises:
            MissingExtra: the package for such URLs is not installed.
            UnsupportedSource: no package knows such URLs, or files cannot be published whole there.
        """
        with self._lock:
            if self._fs is None:
                self._fs, self._root = self._connect()
            return self._fs

    @property
    def root(self) -> str:
        """The path of our root in the file system."""
        _ = self.fs
        return self._root

    def _connect(self) -> tuple[Any, str]:
        try:
            from fsspec.core import url_to_fs
            from fsspec.spec import AbstractFileSystem
        except ImportError as error:
            raise _missing(self.scheme) from error
        with translated("the files", self.shown):
            fs, root = _open(url_to_fs, self._url, {**self._defaults(), **self._options}, self.scheme)
        if not self.is_object_store and type(fs).mv is AbstractFileSystem.mv:
            raise UnsupportedSource(
                f"Files cannot be stored at a {self.scheme} URL: it cannot publish a file atomically.",
                hint="Use an object store such as s3://, a file system that supports renaming, or file:///a/folder.",
            )
        self.is_conditional = self.is_object_store and "mode" in inspect.signature(_put_of(fs)).parameters
        return fs, str(root).rstrip("/")

    def _defaults(self) -> dict[str, Any]:
        """One instance a place and no cached listings: other hosts write there too."""
        common: dict[str, Any] = {"skip_instance_cache": True}
        if self.is_object_store:
            common["use_listings_cache"] = False
        if self.scheme not in S3:
            return common
        # The library tries again by itself; a second layer of it below would hold a caller for half a minute.
        retries = {"max_attempts": 1}
        config = {"connect_timeout": CONNECT_SECONDS, "read_timeout": READ_SECONDS, "retries": retries}
        return {**common, "config_kwargs": config}


def _open(url_to_fs: Any, url: str, options: dict[str, Any], scheme: str) -> tuple[Any, str]:
    try:
        return url_to_fs(url, **options)
    except ImportError as error:
        raise _missing(scheme) from error
    except (ValueError, TypeError):
        # Also what the vendor's file system says to a wrong option; its words may hold the option's value.
        raise UnsupportedSource(
            f"Files cannot be stored at that {scheme} URL with these options.",
            hint="Set AVERMENT_FILES_URL to a URL such as s3://bucket/folder, and check AVERMENT_FILES_OPTIONS.",
        ) from None


def _put_of(fs: Any) -> Any:
    """The method whose signature says what a put knows; behind the wrapper of those that work asynchronously."""
    return getattr(fs, "_put_file", None) or fs.put_file


def _missing(scheme: str) -> MissingExtra:
    return MissingExtra(
        f"Files at a {scheme} URL need a package that is not installed.",
        hint="For s3, run pip install 'averment[files]'; for other schemes, install the package that fsspec names.",
    )


def _read_options(text: str | None) -> dict[str, Any]:
    try:
        options: Any = json.loads(text) if text else {}
    except ValueError:
        options = None
    if not isinstance(options, dict):
        # The text itself is a secret and is not shown.
        raise InvalidSettings(
            "The setting files_options is not a JSON object.",
            hint='Write it as {"endpoint_url": "https://…", "key": "…", "secret": "…"}.',
        ) from None
    return {str(name): value for name, value in options.items()}
