"""How an answer is coming along: whoever asks may watch a model think and write, while the answer is streamed.

What is told is how much has come, never a word of it: the words are checked as a whole or not at all.
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Literal

TELL_EVERY = 1.0
"""Seconds between two notes on one answer at least."""


@dataclass(frozen=True, kw_only=True)
class AnswerProgress:
    """How far an answer has come: whether the model thinks or writes, and how many characters there are of it."""

    state: Literal["thinking", "writing"]
    characters: int
    seconds: float


Watcher = Callable[[AnswerProgress], None]
_WATCHER: ContextVar[Watcher | None] = ContextVar("averment_model_watcher", default=None)


@contextmanager
def watching(watcher: Watcher) -> Generator[None]:
    """Whatever is asked of a model inside is told to the watcher as it comes."""
    token = _WATCHER.set(watcher)
    try:
        yield
    finally:
        _WATCHER.reset(token)


def watcher_now() -> Watcher | None:
    """Who watches, if anybody does."""
    return _WATCHER.get()
