"""One way in for all readers: bytes and where they came from, to text, or an error that says why not."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import threading
import time
import weakref
from contextlib import suppress
from dataclasses import asdict
from typing import Any

from averment.corpus.readers.kinds import kind_of
from averment.corpus.readers.limits import DocumentLimits
from averment.corpus.readers.own_kinds import OWN_KINDS, read_own, said_kinds
from averment.corpus.readers.reading import Kind, Reading, Unreadable
from averment.corpus.readers.worker import receive, send
from averment.errors import FileTooLarge, InvalidFileType, SourceEmpty, SourceError, SourceUnreadable, UnsupportedSource
from averment.process_pool.children import CHILD_ENVIRONMENT, INTERPRETER

_STARTING = 30.0


class ReadingProcess:
    """A child that turns bytes into text; safe to share between threads, one document at a time."""

    def __init__(self, limits: DocumentLimits) -> None:
        self._limits = limits
        self._lock = threading.Lock()
        self._child: tuple[subprocess.Popen[bytes], socket.socket] | None = None
        self._fresh = True
        self._clean_up: weakref.finalize[..., ReadingProcess] | None = None

    def read(self, kind: str, content: bytes, charset: str | None = None) -> Reading:
        """The reading of a document.

        Raises:
            Unreadable: it is broken, too large, or took too long.
        """
        with self._lock:
            _, channel = self._started()
            # A new child also loads its parsers; a document must not pay for that.
            channel.settimeout(self._limits.seconds + (_STARTING if self._fresh else 0.0))
            deadline = time.monotonic() + (channel.gettimeout() or 0.0)
            try:
                send(channel, {"kind": kind, "limits": asdict(self._limits), "charset": charset}, content)
                channel.settimeout(max(0.01, deadline - time.monotonic()))
                frame = receive(channel)
            except TimeoutError as error:
                self._end()
                raise Unreadable(
                    "SOURCE_UNREADABLE", f"it takes longer than {self._limits.seconds:g} s to read"
                ) from error
            except OSError as error:
                self._end()
                raise Unreadable("SOURCE_UNREADABLE", "its reader process was stopped") from error
            if frame is None:
                self._end()
                raise Unreadable("SOURCE_UNREADABLE", "its reader crashed")
            self._fresh = False
            return _reading(frame[0])

    def close(self) -> None:
        """End the child."""
        with self._lock:
            self._end()

    def _started(self) -> tuple[subprocess.Popen[bytes], socket.socket]:
        if self._child is not None and self._child[0].poll() is None:
            return self._child
        self._end()
        own, theirs = socket.socketpair()
        with theirs:
            process = subprocess.Popen(
                [
                    *INTERPRETER,
                    "-m",
                    "averment.corpus.readers.worker",
                    str(theirs.fileno()),
                    str(self._limits.memory_mb),
                ],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                env=CHILD_ENVIRONMENT,
                cwd="/",
                pass_fds=(theirs.fileno(),),
                start_new_session=True,
            )
        self._child, self._fresh = (process, own), True
        # Whoever forgets to close leaves no process behind.
        self._clean_up = weakref.finalize(self, _clean, process, own)
        return self._child

    def _end(self) -> None:
        if self._clean_up is not None:
            self._clean_up()
        self._child = self._clean_up = None


def _clean(process: subprocess.Popen[bytes], channel: socket.socket) -> None:
    if process.poll() is None:
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    channel.close()


def _reading(answer: dict[str, Any]) -> Reading:
    if "refused" in answer:
        raise Unreadable(answer["refused"], answer["reason"])
    return Reading(
        text=answer["text"], title=answer["title"], published_at=answer["published_at"], notes=tuple(answer["notes"])
    )


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
