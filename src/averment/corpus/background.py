"""Vectors computed beside everything else: a batch at a time, kept as soon as it is done, gone on with after a stop.

What is missing is read from the database each time, so a killed process loses one batch at most and any process may go
on; two that work at once do some batches twice and keep each vector once.
"""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING

from averment.corpus.condense import VERSION, condensed
from averment.store.corpus.passage_vectors import CorpusVectors

if TYPE_CHECKING:
    from averment.language.embeddings.protocol import Embedder

BATCH = 256
"""Missing ones are looked up once a batch, so that a large batch looks them up less often; a stop loses one."""
_GIVES_WAY = 10


def kept_under(embedder: Embedder) -> str:
    """The name that the vectors of passages are kept under: the embedder, and how passages are shortened for it."""
    return f"{embedder.name}-{VERSION}"


class VectorWork:
    """The computing of missing vectors, here or on a thread of its own."""

    def __init__(self, vectors: CorpusVectors, embedder: Embedder, after: Callable[[], int] | None = None) -> None:
        """``after`` makes kept vectors ready for searching, a batch at each call, and says how many it found to do."""
        self._vectors = vectors
        self._after = after
        self._embedder = embedder
        self._stop = threading.Event()
        self._wake = threading.Event()
        self._idle = threading.Event()
        self._idle.set()
        self._thread: threading.Thread | None = None
        self.failure: Exception | None = None

    def step(self) -> int:
        """Compute and keep one batch; how many passages it had."""
        batch = self._vectors.missing(BATCH)
        if batch:
            rows = self._embedder.embed([condensed(title, text) for _, title, text in batch])
            kept = [
                (passage_id, row.astype("<f4").tobytes()) for (passage_id, _, _), row in zip(batch, rows, strict=True)
            ]
            self._vectors.put(kept)
        return len(batch)

    def finish(self) -> int:
        """Compute everything that is missing; how many passages that were."""
        done = 0
        while (count := self.step()) and not self._stop.is_set():
            done += count
        while self._after is not None and self._after() and not self._stop.is_set():
            pass
        return done + count

    def start(self) -> None:
        """Compute in the background from now on, until ``close``; called again it looks for new passages."""
        self._idle.clear()
        self._wake.set()
        if self._thread is None or not self._thread.is_alive():
            self._thread = threading.Thread(target=self._run, name="averment-corpus-vectors", daemon=True)
            self._thread.start()

    def wait(self, timeout: float | None = None) -> bool:
        """Wait until nothing is missing or the background work failed; whether that came in time."""
        return self._idle.wait(timeout)

    def close(self) -> None:
        """Stop after the batch that is under way."""
        self._stop.set()
        self._wake.set()
        if self._thread is not None:
            self._thread.join()

    def _run(self) -> None:
        _give_way()
        try:
            while not self._stop.is_set():
                self._wake.clear()
                while not self._stop.is_set() and (self.step() or (self._after is not None and self._after())):
                    pass
                if not self._stop.is_set() and not self._wake.is_set():
                    self._idle.set()
                    self._wake.wait()
        except Exception as error:  # noqa: BLE001  # the end of a thread: search goes on with full text, and says why
            self.failure = error
        finally:
            self._idle.set()


def _give_way() -> None:
    """Let whoever adds or searches go first: on Linux a thread has a priority of its own."""
    if sys.platform == "linux":
        with suppress(OSError):
            os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), _GIVES_WAY)
