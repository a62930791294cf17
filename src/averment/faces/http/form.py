"""Reading a multipart form as it arrives: texts into memory, files straight to their folder, each within its limit.

FastAPI's own form parsing takes a whole file, of any size, before a route sees it; here a file is refused the moment
it is over its limit, and no more than about a megabyte is ever held.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from python_multipart import MultipartParser
from python_multipart.exceptions import FormParserError
from python_multipart.multipart import parse_options_header
from starlette.concurrency import run_in_threadpool

from averment.errors import FileTooLarge, InvalidRequest, MalformedRequest, MaxFilesExceeded
from averment.faces.http.limits import Limits
from averment.faces.http.uploads import UploadFolder, shown_name

if TYPE_CHECKING:
    from python_multipart.multipart import MultipartCallbacks

FILES = "files"
WRITE_BYTES = 1_000_000
_MULTIPART = b"multipart/form-data"


def multipart(properties: dict[str, Any], *, files: str = "application/octet-stream", **more: Any) -> dict[str, Any]:
    """The schema of a form; it is read as it arrives and not by FastAPI, so that it must be written down."""
    schema = {"type": "object", "additionalProperties": False, "properties": properties, **more}
    encoding = {"files": {"contentType": files}}
    return {"required": True, "content": {"multipart/form-data": {"schema": schema, "encoding": encoding}}}


@dataclass(frozen=True)
class UploadedForm:
    """What a form said: its texts by field name, and where its files are."""

    texts: dict[str, list[str]]
    files: tuple[Path, ...]


async def read_form(
    content_type: str, chunks: AsyncIterator[bytes], uploads: UploadFolder, limits: Limits
) -> UploadedForm:
    """The form, with its files in the upload folder.

    Raises:
        MalformedRequest: the body is not a multipart form, or it breaks off.
        InvalidRequest: a field is too long, is not text, or is not a file although it should be.
        MaxFilesExceeded, FileTooLarge, InvalidFileType: a file is one too many, too large, or of a kind not read.
        StorageError: a file cannot be kept.
    """
    reader = _FormReader(uploads, limits)
    try:
        parser = MultipartParser(_boundary(content_type), reader.callbacks())
        async for chunk in chunks:
            parser.write(chunk)
            if reader.waiting >= WRITE_BYTES:
                await run_in_threadpool(uploads.append, reader.take())
        parser.finalize()
    except FormParserError as error:
        raise MalformedRequest("The body is not a multipart form.") from error
    if not reader.ended:
        raise MalformedRequest("The body ends before its last boundary.")
    pieces = reader.take()
    if pieces:
        await run_in_threadpool(uploads.append, pieces)
    return UploadedForm(texts=reader.texts, files=uploads.files)


def _boundary(content_type: str) -> bytes:
    kind, options = parse_options_header(content_type)
    boundary = options.get(b"boundary", b"")
    if kind != _MULTIPART or not boundary:
        raise MalformedRequest("The body must be multipart/form-data with a boundary.")
    return boundary


class _FormReader:
    """What the parser tells, one call after another, and what is to be written because of it."""

    def __init__(self, uploads: UploadFolder, limits: Limits) -> None:
        self.texts: dict[str, list[str]] = {}
        self.ended = False
        self.waiting = 0
        self._uploads = uploads
        self._limits = limits
        self._pieces: list[tuple[Path, bytes]] = []
        self._headers: dict[bytes, bytes] = {}
        self._header = (b"", b"")
        self._name = ""
        self._text = bytearray()
        self._file: Path | None = None
        self._file_name = ""
        self._size = 0
        self._fields = 0

    def callbacks(self) -> MultipartCallbacks:
        """What the parser calls."""
        return {
            "on_part_begin": self._begin,
            "on_header_field": self._header_name,
            "on_header_value": self._header_value,
            "on_header_end": self._header_end,
            "on_headers_finished": self._open,
            "on_part_data": self._data,
            "on_part_end": self._close,
            "on_end": self._end,
        }

    def take(self) -> list[tuple[Path, bytes]]:
        """What is to be written now."""
        pieces, self._pieces, self.waiting = self._pieces, [], 0
        return pieces

    def _begin(self) -> None:
        self._headers, self._header = {}, (b"", b"")
        self._name, self._text, self._file, self._size = "", bytearray(), None, 0

    def _header_name(self, data: bytes, start: int, end: int) -> None:
        self._header = (self._header[0] + data[start:end], self._header[1])

    def _header_value(self, data: bytes, start: int, end: int) -> None:
        self._header = (self._header[0], self._header[1] + data[start:end])

    def _header_end(self) -> None:
        self._headers[self._header[0].lower()] = self._header[1]
        self._header = (b"", b"")

    def _open(self) -> None:
        disposition, options = parse_options_header(self._headers.get(b"content-disposition"))
        kind = self._headers.get(b"content-type", b"").strip().lower()
        if disposition != b"form-data" or b"name" not in options or kind.startswith(b"multipart/"):
            raise MalformedRequest("A part of the form has no name, or contains another form.")
        self._name = options[b"name"].decode("utf-8", "replace")
        if b"filename" not in options:
            self._fields += 1
            if self._name == FILES:
                raise InvalidRequest(f"The field {FILES} takes files with their names, not paths or URLs.")
            if self._fields > self._limits.max_fields:
                raise InvalidRequest(f"A form may have at most {self._limits.max_fields} fields.")
            return
        if self._name != FILES:
            raise InvalidRequest(f"Files must be uploaded in the field {FILES}.")
        if len(self._uploads.files) >= self._limits.max_files:
            raise MaxFilesExceeded(f"A request may contain at most {self._limits.max_files} files.")
        given = options[b"filename"].decode("utf-8", "replace")
        self._file_name = shown_name(given)
        self._file = self._uploads.claim(given)
        self._pieces.append((self._file, b""))  # An empty file is a file as well.

    def _data(self, data: bytes, start: int, end: int) -> None:
        self._size += end - start
        if self._file is None:
            if self._size > self._limits.max_field_bytes:
                raise InvalidRequest(f"A field may have at most {self._limits.max_field_bytes:,} bytes.")
            self._text += data[start:end]
            return
        if self._size > self._limits.max_file_bytes:
            raise FileTooLarge(f"{self._file_name} is over {self._limits.max_file_bytes:,} bytes.")
        self._pieces.append((self._file, data[start:end]))
        self.waiting += end - start

    def _close(self) -> None:
        if self._file is not None:
            return
        try:
            text = self._text.decode()
        except UnicodeDecodeError as error:
            raise InvalidRequest("A field is not UTF-8 text.") from error
        self.texts.setdefault(self._name, []).append(text)

    def _end(self) -> None:
        self.ended = True
