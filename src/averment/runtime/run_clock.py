"""The time of one run: how much the request allows, and how much of it is left."""

from __future__ import annotations

import time
from collections.abc import Generator
from contextlib import contextmanager

from averment.errors import QueryTimeout


class RunClock:
    """Counts down the seconds that a request allows."""

    def __init__(self, seconds: int) -> None:
        self._seconds = seconds
        self._deadline = time.monotonic() + seconds

    @property
    def seconds_left(self) -> float:
        """What is left of the time the request allows.

        Raises:
            QueryTimeout: nothing is.
        """
        left = self._deadline - time.monotonic()
        if left <= 0:
            raise QueryTimeout(f"The run was stopped after {self._seconds} seconds.")
        return left

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
