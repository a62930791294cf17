"""How fast one service is asked: no two requests nearer to each other than it likes, across all threads."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from averment.corpus.web.client import HttpResponse

AGAIN = frozenset({429, 502, 503, 504})
"""Answers after which the same question may be asked again."""
TRIES = 3
_FIRST_WAIT = 0.5


class ServicePace:
    """Turns at services, each with its own interval."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._next: dict[str, float] = {}

    def take_turn(self, service: str, interval: float, deadline: float) -> bool:
        """Wait for the next turn at a service; False where it would come after the deadline."""
        with self._lock:
            now = time.monotonic()
            turn = max(now, self._next.get(service, 0.0))
            if turn > deadline:
                return False
            self._next[service] = turn + interval
        time.sleep(max(0.0, turn - now))
        return True


def wait_after(headers: Mapping[str, str], tried: int) -> float:
    """How many seconds to wait before asking again: what the server says (Retry-After), else ever longer."""
    said = headers.get("retry-after", "").strip()
    if said.isdigit():
        return float(said)
    if said:
        try:
            moment = parsedate_to_datetime(said)
        except ValueError:
            return _FIRST_WAIT * 2**tried
        moment = moment if moment.tzinfo is not None else moment.replace(tzinfo=UTC)
        return max(0.0, (moment - datetime.now(UTC)).total_seconds())
    return _FIRST_WAIT * 2**tried


def patient(ask: Callable[[], HttpResponse], deadline: float) -> HttpResponse:
    """The answer to a question, asked again while the server is busy, when it wants, and as long as there is time."""
    answer = ask()
    for tried in range(TRIES - 1):
        seconds = wait_after(answer.headers, tried)
        if answer.status not in AGAIN or time.monotonic() + seconds >= deadline:
            break
        time.sleep(seconds)
        answer = ask()
    return answer


PACE = ServicePace()
"""The pace of this process."""
