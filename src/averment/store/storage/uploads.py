"""Uploads on their way into the files of all hosts.

A form's files are gathered under ``uploads/`` of the home that received them. Where the files of the home are kept
elsewhere, they are published there under the same names before anything refers to them.
"""

from __future__ import annotations

import re
from collections.abc import Generator, Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from averment.store.storage.addresses import is_stored, parse_address
from averment.store.storage.base import CHUNK_BYTES, Files
from averment.store.storage.disk_errors import reading
from averment.store.storage.local import FileStore

UPLOADS = "uploads"
_UPLOADED = re.compile(r"/.*/(uploads/(?:[0-9a-f-]{36}/){1,2}[A-Za-z0-9_-]{1,80}\.[a-z]{1,10})")


@contextmanager
def published(files: Files, home: Path, sources: Iterable[str]) -> Generator[list[str]]:
    """The sources as any host can open them; uploads of this home are published first, the rest is left as it is.

    When the block fails, what was published for it is taken away again; else the home's own copies go.

    Raises:
        StorageError: an upload cannot be published; none is.
    """
    own = home.resolve() / UPLOADS
    places: dict[str, Path] = {}
    if not (isinstance(files, FileStore) and files.root.resolve() == home.resolve()):
        places = {one: Path(one) for one in sources if own in Path(one).parents and Path(one).is_file()}
    shared: dict[str, str] = {}
    try:
        for one, place in places.items():
            relative = f"{UPLOADS}/{place.relative_to(own)}"
            shared[one] = relative
            files.write_stream(relative, _chunks(place))
        yield [files.address(shared[one]) if one in shared else one for one in sources]
    except BaseException:
        for relative in shared.values():
            with suppress(Exception):  # What went wrong first is what is told.
                files.delete(relative)
        raise
    for place in places.values():
        with suppress(OSError):
            place.unlink()
            place.parent.rmdir()


def upload_of(files: Files, home: Path, source: str) -> str | None:
    """The name of the upload that a source belongs to; None where it is no upload of these files or this home."""
    if is_stored(source):
        relative = parse_address(source).relative
        folder, _, rest = relative.partition("/")
        return rest.partition("/")[0] if folder == UPLOADS else None
    roots = [home] if not isinstance(files, FileStore) else [home, files.root]
    for root in roots:
        own = root.resolve() / UPLOADS
        if own in Path(source).parents:
            return Path(source).relative_to(own).parts[0]
    return None


def moved_upload(files: Files, place: str) -> str | None:
    """Where in these files an upload is that was kept under that path of some home before they were carried over.

    None where the path is not one of an upload, or the files have no such upload.
    """
    found = _UPLOADED.fullmatch(place)
    if found is None or isinstance(files, FileStore) or not files.exists(found.group(1)):
        return None
    return found.group(1)


def _chunks(place: Path) -> Iterator[bytes]:
    with reading(place.name), place.open("rb") as file:
        while chunk := file.read(CHUNK_BYTES):
            yield chunk
