"""An upload read for the first time: whether it is a CSV file with a header, how many rows it has, and its columns."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, BinaryIO

from averment.errors import InvalidFileType, NoHeaders, SourceEmpty
from averment.records.base import new_id
from averment.records.drilldown.files import MAX_FILE_BYTES, Column, FileSchema, UploadedFile
from averment.reports.markdown import plain
from averment.store.runs.session_tree import ROOT, SessionTree, upload_path

if TYPE_CHECKING:
    from datetime import datetime

    from averment.settings import Settings

CHUNK_BYTES = 1 << 20
PROFILE_SECONDS = 120.0


def take_upload(
    tree: SessionTree,
    settings: Settings,
    *,
    session_id: str,
    stream: BinaryIO | Iterable[bytes],
    name: str,
    description: str,
    at: datetime,
) -> UploadedFile:
    """Keep a CSV file as it comes, and read it; nothing of it is left when it is refused.

    Raises:
        InvalidFileType: its name does not end in .csv, or its bytes are no text.
        FileTooLarge: it is over 50 MB; reading stops there.
        NoHeaders: it has no header row, or nothing at all.
        SourceError: it cannot be read for another reason.
        StorageError: it cannot be kept.
    """
    shown = original_name(name)
    file_id = new_id()
    try:
        stored = tree.write_upload(session_id, file_id, _chunks(stream), max_bytes=MAX_FILE_BYTES)
        place = tree.view(session_id, file_id, shown)
        schema, rows = read_schema(place, settings, shown)
        return UploadedFile(
            file_id=file_id,
            session_id=session_id,
            original_name=shown,
            description=description,
            path=f"{ROOT}/{session_id}/{upload_path(file_id)}",
            row_count=rows,
            size_bytes=stored.size,
            schema=schema,
            uploaded_at=at,
        )
    except BaseException:
        tree.delete_upload(session_id, file_id)
        raise


def original_name(given: str) -> str:
    """The file's own name without any folder, safe to show.

    Raises:
        InvalidFileType: it does not end in .csv.
    """
    name = plain(given.replace("\\", "/").rpartition("/")[2].strip())
    if not name.lower().endswith(".csv"):
        raise InvalidFileType("An uploaded file is not a CSV file.", hint="Upload a file whose name ends in .csv.")
    return name if len(name) <= 255 else name[:251] + name[-4:]


def read_schema(place: str, settings: Settings, name: str) -> tuple[FileSchema, int]:
    """The columns of a CSV file of that name with their roles, and how many rows it has.

    Raises:
        NoHeaders: it has no header row.
        SourceError: it cannot be read.
    """
    from averment.tables.engines.engine import Engine
    from averment.tables.profile.profiler import profile
    from averment.tables.sources.opening import open_sources

    try:
        catalog = open_sources([place], settings=settings, cache_dir=settings.home / "cache" / "tables")
    except SourceEmpty as error:
        raise NoHeaders(f"{name} is empty: it has no header row.") from error
    with Engine(catalog, settings) as engine:
        found = profile(engine, catalog.tables[0].name, timeout=PROFILE_SECONDS)
    columns = tuple(
        Column(
            name=column.name,
            inferred_type=column.inferred_type,
            data_type=column.data_type,
            cardinality=max(column.cardinality, 1),
            sample_values=tuple(plain(value)[:200] for value in column.sample_values[:5]),
            nullable=column.nullable,
        )
        for column in found.columns
    )
    return FileSchema(columns=columns), found.row_count


def _chunks(stream: BinaryIO | Iterable[bytes]) -> Iterator[bytes]:
    read = getattr(stream, "read", None)
    if read is None:
        yield from stream
        return
    while chunk := read(CHUNK_BYTES):
        yield chunk
