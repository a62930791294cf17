"""Waiting for a descriptor, whatever its number."""

from __future__ import annotations

import select


def is_readable(descriptor: int, seconds: float) -> bool:
    """Whether there is something to read, or an end to see, within the time."""
    poll = select.poll()
    poll.register(descriptor, select.POLLIN)
    return bool(poll.poll(seconds * 1000))
