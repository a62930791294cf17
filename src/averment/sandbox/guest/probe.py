"""A rehearsal: can a child on this machine settle, put up its fences, and are they real?

Run in the same surroundings as the zygote, with the same orders. Prints one JSON object and ends.
"""

from __future__ import annotations

import errno
import json
import os
import socket
from collections.abc import Callable

from . import cell, landlock
from .zygote import Orders, become_zygote, make_place

PROBE_NAME = "0"


def main(text: str) -> None:
    """Settle and fence as a child would, then try what must fail."""
    orders = Orders.parse(text)
    answer: dict[str, object] = {"landlock": landlock.abi()}
    try:
        become_zygote(orders)
        cell.rehearse(make_place(orders, PROBE_NAME, min(os.sched_getaffinity(0))))
        answer["holds"] = _is_refused(lambda: socket.socket().close()) and _is_refused(lambda: os.kill(os.getppid(), 0))
    except (OSError, ValueError) as error:
        answer["failed"] = f"{type(error).__name__}: {error}"
    os.write(1, json.dumps(answer).encode())
    os._exit(0)


def _is_refused(attempt: Callable[[], None]) -> bool:
    try:
        attempt()
    except OSError as error:
        return error.errno == errno.EPERM
    return False
