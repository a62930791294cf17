"""How fast one client may ask: so many requests in a stretch of time, and far fewer guesses at the token.

The two are counted apart, so that someone who guesses keeps nobody out who has the token, not even on one address.
"""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from collections.abc import Callable

from averment.errors import TooManyRequests

REMEMBERED = 4_096
"""Addresses that are counted; of more than these the one that was silent longest is forgotten."""


class AddressPace:
    """Counts what each address does in stretches of time."""

    def __init__(self, most: int, seconds: float, *, now: Callable[[], float] = time.monotonic) -> None:
        self._most, self._seconds, self._now = most, seconds, now
        self._counts: OrderedDict[str, tuple[float, int]] = OrderedDict()
        self._lock = threading.Lock()

    def count(self, client: str) -> None:
        """Count one more.

        Raises:
            TooManyRequests: that was one too many in this stretch.
        """
        now = self._now()
        with self._lock:
            began, number = self._counts.pop(client, (now, 0))
            if now - began >= self._seconds:
                began, number = now, 0
            self._counts[client] = (began, number + 1)
            while len(self._counts) > REMEMBERED:
                self._counts.popitem(last=False)
        if number >= self._most:
            wait = max(1, round(began + self._seconds - now))
            raise TooManyRequests(
                f"More than {self._most:,} requests came from one address in {self._seconds:.0f} seconds.",
                details={"retry_after_seconds": wait},
            )
