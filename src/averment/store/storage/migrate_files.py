"""Carrying a home's files over to where several hosts reach them, and comparing both sides hash by hash.

The home keeps its own; a file that is there already with the same bytes is left as it is, so that an interrupted
carrying can be begun again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from averment.errors import StoreConflict
from averment.store.storage.base import CHUNK_BYTES, SHARED_FOLDERS, Files

Progress = Callable[[str, int], None]


def migrate_files(source: Files, target: Files, *, on_folder: Progress | None = None) -> dict[str, int]:
    """Copy the files of every shared folder and read each of them back; how many each folder has.

    Raises:
        StoreConflict: the target holds another file of that name, or did not keep what it was given.
        StorageError: a file cannot be read or kept; what came over before it stays.
    """
    counts: dict[str, int] = {}
    for folder in SHARED_FOLDERS:
        counts[folder] = 0
        for relative in source.walk(folder):
            given = target.write_stream(relative, chunks_of(source, relative), replace=False)
            if target.hash(relative) != given:
                raise StoreConflict(f"The file {relative} was not copied completely.")
            counts[folder] += 1
        if on_folder is not None:
            on_folder(folder, counts[folder])
    return counts


def chunks_of(files: Files, relative: str) -> Iterator[bytes]:
    """The bytes of a stored file piece by piece; it is opened when the first one is asked for.

    Raises:
        SourceNotFound: there is no such file.
    """
    with files.open_file(relative) as file:
        while chunk := file.read(CHUNK_BYTES):
            yield chunk
