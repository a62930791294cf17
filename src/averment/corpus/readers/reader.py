"""One way in for all readers: bytes and where they came from, to text, or an error that says why not."""

from __future__ import annotations

from averment.corpus.readers.kinds import kind_of
from averment.corpus.readers.limits import DocumentLimits
from averment.corpus.readers.own_kinds import OWN_KINDS, read_own, said_kinds
from averment.corpus.readers.process import ReadingProcess
from averment.corpus.readers.reading import Kind, Reading, Unreadable
from averment.errors import FileTooLarge, InvalidFileType, SourceEmpty, SourceError, SourceUnreadable, UnsupportedSource

_ERRORS: dict[str, type[SourceError]] = {
    "INVALID_FILE_TYPE": InvalidFileType,
    "FILE_TOO_LARGE": FileTooLarge,
    "UNSUPPORTED_SOURCE": UnsupportedSource,
    "SOURCE_UNREADABLE": SourceUnreadable,
}
_HINT = f"The corpus reads {said_kinds()}; see docs/guides/corpus.md for its limits."


class DocumentReader:
    """Reads documents of every kind; fragile formats are parsed in a limited process that is kept between them."""

    def __init__(self, limits: DocumentLimits | None = None) -> None:
        self.limits = limits or DocumentLimits()
        self._process = ReadingProcess(self.limits)

    def read(
        self, content: bytes, name: str, *, media_type: str | None = None, charset: str | None = None
    ) -> tuple[Kind, Reading]:
        """The kind and the text of a document; ``name`` is its path or address.

        Raises:
            SourceEmpty: there are no bytes, or nothing but white space.
            FileTooLarge: it goes over a limit.
            InvalidFileType: its bytes are not what its name says, or none that are read.
            UnsupportedSource: there is no reader for its kind.
            SourceUnreadable: it is broken, or takes too long to read.
        """
        if len(content) > self.limits.file_bytes:
            raise FileTooLarge(f"{name} has more than {self.limits.file_bytes:,} bytes.", hint=_HINT)
        if not content.strip(b" \t\r\n\0"):
            raise SourceEmpty(f"{name} is empty.")
        try:
            kind = kind_of(content, name, media_type)
            if kind in OWN_KINDS and OWN_KINDS[kind].here:
                return kind, read_own(OWN_KINDS[kind], content, self.limits, charset)
            return kind, self._process.read(kind, content, charset)
        except Unreadable as refusal:
            raise _ERRORS[refusal.code](f"{name} could not be read: {refusal.reason}.", hint=_HINT) from refusal

    def close(self) -> None:
        """End the reading process."""
        self._process.close()
