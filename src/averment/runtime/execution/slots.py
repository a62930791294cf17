"""Slots: how many calls of a tool one process makes side by side."""

from __future__ import annotations

import threading
from collections.abc import Generator, Mapping
from contextlib import contextmanager

from averment.errors import QueryTimeout


class ToolSlots:
    """The slots of one process; a tool without a number has as many as it likes."""

    def __init__(self, limits: Mapping[str, int]) -> None:
        self._free = {name: threading.BoundedSemaphore(number) for name, number in limits.items()}

    @contextmanager
    def taken(self, tool_name: str, seconds: float) -> Generator[None]:
        """Hold a slot of a tool, waiting for it at most so many seconds.

        Raises:
            QueryTimeout: none came free.
        """
        slot = self._free.get(tool_name)
        if slot is None:
            yield
            return
        if not slot.acquire(timeout=seconds):
            raise QueryTimeout(
                f"No call of {tool_name} could start within {seconds:.0f} seconds: all its slots are busy."
            )
        try:
            yield
        finally:
            slot.release()
