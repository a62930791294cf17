"""Picking up what a job left in its results folder: regular files of known kinds, bounded, and screened.

The job is dead when this runs. Nothing is followed, opened by name twice, unpacked or unpickled: each file is opened
once without following links, checked through its descriptor, copied up to the bound, and screened as a copy.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from averment.sandbox.names import is_plain_name
from averment.sandbox.screen import FileRefused, screen

MAX_FILES = 100
MAX_ENTRIES = 5_000
MAX_DEPTH = 3
MAX_NOTES = 20
TOTAL_FACTOR = 4
_CHUNK = 1 << 20


@dataclass(frozen=True, kw_only=True)
class Collection:
    """The files taken, by their path below the folder, and notes on what was refused or changed."""

    files: Mapping[str, Path] = field(default_factory=dict[str, Path])
    notes: tuple[str, ...] = ()


def collect(folder: int, target: Path, *, file_bytes: int) -> Collection:
    """Copy the results below an open folder into ``target``, which is made if need be."""
    target.mkdir(parents=True, exist_ok=True)
    collector = _Collector(target, file_bytes)
    collector.take_folder(folder, ())
    return Collection(files=collector.files, notes=collector.all_notes())


class _Collector:
    def __init__(self, target: Path, file_bytes: int) -> None:
        self._target = target
        self._file_bytes = file_bytes
        self._room = file_bytes * TOTAL_FACTOR
        self._entries = 0
        self._notes: list[str] = []
        self._unsaid = 0
        self.files: dict[str, Path] = {}

    def all_notes(self) -> tuple[str, ...]:
        more = (f"{self._unsaid} more refused",) if self._unsaid else ()
        return (*self._notes, *more)

    def take_folder(self, folder: int, above: tuple[str, ...]) -> None:
        with os.scandir(folder) as entries:
            names: list[str] = []
            for entry in entries:
                self._entries += 1
                if self._entries > MAX_ENTRIES:
                    self._note("the rest", "too many entries")
                    break
                names.append(entry.name)
        for name in sorted(names):
            self._take(folder, above, name)

    def _take(self, folder: int, above: tuple[str, ...], name: str) -> None:
        shown = "/".join((*above, name))
        try:
            self._take_checked(folder, above, name, shown)
        except FileRefused as refusal:
            self._note(shown, str(refusal))
        except OSError as error:
            self._note(shown, f"cannot be read ({error.strerror})")

    def _take_checked(self, folder: int, above: tuple[str, ...], name: str, shown: str) -> None:
        if not is_plain_name(name):
            raise FileRefused("odd name")
        kind = os.lstat(name, dir_fd=folder).st_mode
        if stat.S_ISDIR(kind):
            if len(above) + 1 >= MAX_DEPTH:
                raise FileRefused("too deep")
            descriptor = os.open(name, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW, dir_fd=folder)
            try:
                self.take_folder(descriptor, (*above, name))
            finally:
                os.close(descriptor)
            return
        if not stat.S_ISREG(kind):
            raise FileRefused("a link" if stat.S_ISLNK(kind) else "no regular file")
        if len(self.files) >= MAX_FILES:
            raise FileRefused("too many files")
        self._take_file(folder, above, name, shown)

    def _take_file(self, folder: int, above: tuple[str, ...], name: str, shown: str) -> None:
        descriptor = os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY, dir_fd=folder)
        with os.fdopen(descriptor, "rb", buffering=0) as source:
            status = os.fstat(descriptor)
            if not stat.S_ISREG(status.st_mode):
                raise FileRefused("no regular file")
            if status.st_nlink != 1:
                raise FileRefused("a link")
            if status.st_size > min(self._file_bytes, self._room):
                raise FileRefused("too big")
            copy = self._target.joinpath(*above, name)
            copy.parent.mkdir(parents=True, exist_ok=True)
            target = self._create(copy)
            try:
                size = self._copy(source.fileno(), target, status.st_size)
                if change := screen(copy):
                    self._note(shown, change)
            except BaseException:
                copy.unlink(missing_ok=True)
                raise
        self._room -= size
        self.files[shown] = copy

    def _create(self, copy: Path) -> int:
        try:
            return os.open(copy, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600)
        except FileExistsError:
            raise FileRefused("a file of that name is already in the folder") from None

    def _copy(self, source: int, target: int, size: int) -> int:
        copied = 0
        with os.fdopen(target, "wb") as file:
            while copied < size and (chunk := os.read(source, min(_CHUNK, size - copied))):
                file.write(chunk)
                copied += len(chunk)
        return copied

    def _note(self, what: str, why: str) -> None:
        if len(self._notes) >= MAX_NOTES:
            self._unsaid += 1
        else:
            self._notes.append(f"{what[:80]!a}: {why}")
