"""Files in a store that several hosts share, by any fsspec URL: S3 and what speaks like it, other clouds, SFTP, SMB.

What is to be written is first gathered and hashed on this machine, so that nothing is begun there until all of it is
here. Then it is published in one act: object stores take a whole object or none; elsewhere it goes under a temporary
name, is measured, and is renamed. A file that may not be replaced is put on the condition that nothing is there, where
the store knows that condition; elsewhere two writers at the same moment could both succeed, so each of them reads back
what is there in the end and only the one whose bytes stayed is told that they did.
"""

from __future__ import annotations

import hashlib
import re
import secrets
import threading
from collections.abc import Generator, Iterable, Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, BinaryIO

from averment.errors import SourceNotFound, StorageError
from averment.store.storage.addresses import StoredAddress
from averment.store.storage.atomic_write import write_all
from averment.store.storage.base import Files, StoredFile, StreamHash, check_same, is_name, parts_of
from averment.store.storage.cache import FileCache
from averment.store.storage.disk_errors import writing
from averment.store.storage.remote_errors import TAKEN, UNCONDITIONAL, codes_of, translated
from averment.store.storage.remote_system import RemoteSystem

OLD = timedelta(days=1)
_TEMPORARY = re.compile(r"\.averment-[0-9a-f]{16}\.tmp")


def temporary_name() -> str:
    """A new name for what is not published yet."""
    return f".averment-{secrets.token_hex(8)}.tmp"


def sweep_leftovers(system: RemoteSystem, under: str, *, deep: bool = True, older_than: timedelta = OLD) -> int:
    """Remove leftovers under a folder, or in it alone, that are older than that; how many there were."""
    before = datetime.now(UTC) - older_than
    if not system.is_object_store:
        return _sweep_files(system, under, before, deep=deep)
    return _sweep_parts(system, before) if hasattr(system.fs, "call_s3") else 0


def _sweep_files(system: RemoteSystem, under: str, before: datetime, *, deep: bool) -> int:
    removed = 0
    try:
        found = system.fs.find(under, maxdepth=None if deep else 1)
    except FileNotFoundError:
        return 0
    for path in map(str, found):
        if not _TEMPORARY.fullmatch(path.rpartition("/")[2]):
            continue
        with suppress(FileNotFoundError):  # Published or taken away meanwhile.
            if _utc(system.fs.modified(path)) < before:
                system.fs.rm(path)
                removed += 1
    return removed


def _sweep_parts(system: RemoteSystem, before: datetime) -> int:
    """Uploads in parts are no files and cost space all the same; S3 keeps them until somebody ends them."""
    bucket, _, prefix = system.root.partition("/")
    found: dict[str, Any] = system.fs.call_s3("list_multipart_uploads", Bucket=bucket, Prefix=f"{prefix}/".lstrip("/"))
    removed = 0
    for upload in found.get("Uploads") or ():
        if _utc(upload["Initiated"]) < before:
            known = {"Key": upload["Key"], "UploadId": upload["UploadId"]}
            system.fs.call_s3("abort_multipart_upload", Bucket=bucket, **known)
            removed += 1
    return removed


def _utc(moment: datetime) -> datetime:
    return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)


_REMEMBERED = 10_000


class RemoteFiles(Files):
    """All files under one URL; nothing is connected before the first use."""

    def __init__(self, system: RemoteSystem, copies: FileCache) -> None:
        self._system = system
        self._copies = copies
        self._hashes: dict[str, str] = {}
        self._swept: set[str] = set()
        self._lock = threading.Lock()

    def write_stream(
        self, relative: str, chunks: Iterable[bytes], *, replace: bool = True, max_bytes: int | None = None
    ) -> StoredFile:
        """Publish the joined chunks; as ``Files.write_stream``."""
        parts_of(relative)
        hashed = StreamHash(max_bytes)
        what = f"the file {relative}"
        with self._copies.draft(what) as draft:
            with writing(what):
                opened = draft.open("xb", buffering=0)
            with opened as file:
                for chunk in chunks:
                    hashed.add(chunk)
                    write_all(file.fileno(), chunk, what)
            stored = hashed.stored(relative)
            published = self._publish(draft, stored, replace=replace)
        self._sweep_once(relative.rpartition("/")[0])
        if not published or not (replace or self._system.is_conditional):
            check_same(self, stored)
        self._remember(relative, stored.sha256)
        return stored

    @contextmanager
    def open_file(self, relative: str) -> Generator[BinaryIO]:
        """A file open for reading, fetched whole first: a reader never meets a fault of the network half-way."""
        target = self._place(relative)
        with self._copies.draft(f"a copy of {relative}") as draft:
            with translated(f"the file {relative}", self._system.shown, relative):
                self._system.fs.get_file(target, str(draft))
            if not draft.is_file():
                raise SourceNotFound(f"There is no stored file {relative}.")
            with draft.open("rb") as file:
                yield file

    def exists(self, relative: str) -> bool:
        """Whether a regular file is there."""
        target = self._place(relative)
        try:
            with translated(f"the file {relative}", self._system.shown, relative):
                return self._system.fs.info(target)["type"] == "file"
        except SourceNotFound:
            return False

    def holds(self, relative: str, content: bytes) -> bool:
        """Whether a file is there with exactly this content; what this process wrote last is not asked for again."""
        digest = hashlib.sha256(content).hexdigest()
        if self._known(relative) == digest:
            return True
        held = super().holds(relative, content)
        if held:
            self._remember(relative, digest)
        return held

    def names(self, relative: str) -> list[str]:
        """The names in a folder, sorted; none when there is no such folder. Temporary files are not shown."""
        target = self._place(relative)
        try:
            with translated(f"the folder {relative}", self._system.shown, relative):
                found = self._system.fs.ls(target, detail=False)
        except SourceNotFound:
            return []
        inside = (str(one).rstrip("/").removeprefix(f"{target}/") for one in found)
        return sorted({name for name in inside if is_name(name)})

    def walk(self, relative: str) -> Iterator[str]:
        """The paths of all files under a folder, sorted."""
        target = self._place(relative)
        try:
            with translated(f"the folder {relative}", self._system.shown, relative):
                found = self._system.fs.find(target)
        except SourceNotFound:
            return
        inside = sorted(str(one).removeprefix(f"{target}/") for one in found if str(one) != target)
        yield from (f"{relative}/{path}" for path in inside if all(map(is_name, path.split("/"))))

    def delete(self, relative: str) -> bool:
        """Remove a file, or a folder with all it holds; whether there was one. Copies on this machine go too."""
        target = self._place(relative)
        fs = self._system.fs
        with translated(f"the file {relative}", self._system.shown):
            try:
                found = [str(one) for one in fs.find(target)]
            except (FileNotFoundError, NotADirectoryError):
                found = []
            if self._system.is_object_store:
                # Both may be there under one name, unlike in a tree of folders; a listing shows them apart.
                with suppress(FileNotFoundError):
                    found += [target] if target not in found and fs.info(target)["type"] == "file" else []
                if found:
                    fs.rm(found)
            else:
                with suppress(FileNotFoundError):
                    fs.rm(target, recursive=True)
        self._forget(relative)
        return bool(found)

    def sweep(self) -> int:
        """Remove what dead writers left more than a day ago: temporary files, and uploads in parts never ended."""
        with translated("the leftovers of dead writers", self._system.shown):
            return sweep_leftovers(self._system, self._system.root)

    def path(self, relative: str, sha256: str | None = None) -> Path:
        """A copy of the file on this machine, held against the hash if one is known."""
        parts = parts_of(relative)
        place = self._copies.get(self, relative, name=parts[-1], sha256=sha256)
        self._remember(relative, place.parent.name)
        return place

    def address(self, relative: str, name: str | None = None) -> str:
        """The file's address for every host, with the hash that its copies must have.

        The hash of a file with a second name is kept beside it in the store, so that it is computed once.
        """
        *_, last = parts_of(name or relative)
        sha256 = self._known(relative)
        if sha256 is None and name is not None:
            with suppress(SourceNotFound):
                sha256 = self.read(f"{name}.sha256").decode("ascii", "replace").strip()
        if sha256 is None:
            sha256 = self.hash(relative).sha256
        if name is not None and self._known(f"{name}.sha256") is None:
            self.write(f"{name}.sha256", f"{sha256}\n".encode())
        return str(StoredAddress(relative=relative, name=last, sha256=sha256))

    def shown(self, relative: str) -> str:
        """The URL of the file, without any credential."""
        parts_of(relative)
        return f"{self._system.shown}/{relative}"

    def bare(self, text: str) -> str:
        """The text without the store's URL."""
        return text.replace(f"{self._system.shown}/", "")

    def _place(self, relative: str) -> str:
        parts_of(relative)
        return f"{self._system.root}/{relative}"

    def _publish(self, draft: Path, stored: StoredFile, *, replace: bool) -> bool:
        """Give the gathered bytes their name in one act; False when the name is taken and may not be replaced."""
        target = self._place(stored.path)
        with translated(f"the file {stored.path}", self._system.shown):
            if not replace and self.exists(stored.path):
                # Also where the store knows the condition: some take it and do not heed it.
                return False
            if self._system.is_object_store:
                return self._put(draft, target, replace=replace)
            self._rename(draft, stored, target)
            return True

    def _put(self, draft: Path, target: str, *, replace: bool) -> bool:
        fs = self._system.fs
        if replace or not self._system.is_conditional:
            fs.put_file(str(draft), target)
            return True
        try:
            fs.put_file(str(draft), target, mode="create")
        except Exception as error:
            codes = frozenset(codes_of(error))
            if codes & UNCONDITIONAL:
                self._system.is_conditional = False
                fs.put_file(str(draft), target)
                return True
            if isinstance(error, FileExistsError) or codes & TAKEN:
                return False
            raise
        return True

    def _rename(self, draft: Path, stored: StoredFile, target: str) -> None:
        fs = self._system.fs
        folder, _, _ = target.rpartition("/")
        waiting = f"{folder}/{temporary_name()}"
        fs.makedirs(folder, exist_ok=True)
        try:
            fs.put_file(str(draft), waiting)
            if fs.info(waiting)["size"] != stored.size:
                raise StorageError(f"The file {stored.path} was not transferred completely, so it was not published.")
            fs.mv(waiting, target)
        except BaseException:
            with suppress(Exception):
                fs.rm(waiting)
            raise

    def _sweep_once(self, folder: str) -> None:
        """At a process's first write: leftovers in an object store anywhere, in a tree those of the folder alone."""
        key = "" if self._system.is_object_store else folder
        with self._lock:
            if key in self._swept:
                return
            self._swept.add(key)
        # Who may write may perhaps not list; and the next process tries again.
        with suppress(Exception):
            sweep_leftovers(self._system, f"{self._system.root}/{key}" if key else self._system.root, deep=False)

    def _remember(self, relative: str, sha256: str) -> None:
        with self._lock:
            self._hashes.pop(relative, None)
            self._hashes[relative] = sha256
            while len(self._hashes) > _REMEMBERED:
                self._hashes.pop(next(iter(self._hashes)))

    def _known(self, relative: str) -> str | None:
        with self._lock:
            return self._hashes.get(relative)

    def _forget(self, relative: str) -> None:
        with self._lock:
            gone = [path for path in self._hashes if path == relative or path.startswith(f"{relative}/")]
            digests = {self._hashes.pop(path) for path in gone}
        for digest in digests:
            self._copies.forget(digest)
