"""The reading process seen from outside: started when first needed, asked, and killed when it does not answer in time.

One process reads many documents, since loading the parsers takes longer than a document does. One that was killed or
crashed is replaced at the next document.
"""

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

from averment.corpus.readers.limits import DocumentLimits
from averment.corpus.readers.reading import Reading, Unreadable
from averment.corpus.readers.worker import receive, send
from averment.process_pool.environment import CHILD_ENVIRONMENT, INTERPRETER

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
