"""The time of one run: how much the request allows, and how much of it is left."""

from __future__ import annotations

import time
from collections.abc import Generator
from contextlib import contextmanager

from averment.errors import QueryTimeout

_TELLING = 0.1


class RunClock:
    """Counts down the seconds that a request allows."""

    def __init__(self, seconds: int, *, opening: float = 0.0) -> None:
        """``opening`` is what it took to open the sources: who asked has waited for that already."""
        self._seconds = seconds
        self._deadline = time.monotonic() + seconds - opening
        self._spent: dict[str, float] = {"opening the sources": opening} if opening else {}

    @property
    def seconds_left(self) -> float:
        """What is left of the time the request allows.

        Raises:
            QueryTimeout: nothing is.
        """
        left = self._deadline - time.monotonic()
        if left <= 0:
            told = f": {self.account}" if self.account else ""
            raise QueryTimeout(
                f"The run was stopped after {self._seconds} seconds{told}.", details={"spent": self.spent}
            )
        return left

    @property
    def spent(self) -> dict[str, float]:
        """The seconds that went to what was measured, where they were many enough to tell."""
        return {name: round(seconds, 1) for name, seconds in self._spent.items() if seconds >= _TELLING}

    @property
    def account(self) -> str:
        """The same in words; empty where nothing took long."""
        return ", ".join(f"{seconds} s went to {name}" for name, seconds in self.spent.items())

    @contextmanager
    def spent_on(self, name: str) -> Generator[None]:
        """Count the time of the block under a name, for the message that tells where the time went."""
        began = time.monotonic()
        try:
            yield
        finally:
            self._spent[name] = self._spent.get(name, 0.0) + time.monotonic() - began

    @property
    def has_time(self) -> bool:
        """Whether anything is left of the time the request allows."""
        return time.monotonic() < self._deadline

    @contextmanager
    def stopped(self) -> Generator[None]:
        """While a model thinks the run's own time stands still; the model has a time of its own."""
        began = time.monotonic()
        try:
            yield
        finally:
            self._deadline += time.monotonic() - began
