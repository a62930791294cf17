"""The warm interpreter of a jail: imports the analysis packages once, and says how its children are to live.

It never runs a line of a job's code.
"""

from __future__ import annotations

import contextlib
import importlib
import importlib.util
import json
import os
import socket
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn

from . import cell, folders, kernel

OWN_UID_BASE = 2_000_000_000

Serve = Callable[[int, int, Callable[[socket.socket, str], NoReturn]], None]
"""``process_pool.serving.serve``; the jail's own package cannot name it."""


def own_uid(name: str) -> int:
    """The user of the child with that (numeric) name, one that no account of the machine has."""
    return OWN_UID_BASE + int(name) % 100_000


@dataclass(frozen=True, kw_only=True)
class Orders:
    """How the caller wants the zygote to be; given as JSON on the command line."""

    control: int
    caller: int
    preload: tuple[str, ...]
    readable: tuple[str, ...]
    jobs: str
    fence_files: bool
    drop_to: int | None = None
    private: bool = False
    linked: bool = False
    own_uids: bool = False
    keep_reading: bool = False

    @classmethod
    def parse(cls, text: str) -> Orders:
        """The orders in the JSON text."""
        fields: dict[str, Any] = json.loads(text)
        fields.update(preload=tuple(fields["preload"]), readable=tuple(fields["readable"]))
        return cls(**fields)


def main(text: str, serve: Serve) -> None:
    """Serve until the caller goes away, by the process pool's loop, which whoever starts this hands over."""
    orders = Orders.parse(text)
    become_zygote(orders)
    _preload(orders.preload)
    sys.stdout.reconfigure(line_buffering=True)  # pyright: ignore[reportAttributeAccessIssue]  # typed as TextIO
    cpus = sorted(os.sched_getaffinity(0))

    def live(job: socket.socket, name: str) -> NoReturn:
        cell.live(job, make_place(orders, name, cpus[int(name) % len(cpus)]))

    serve(orders.control, orders.caller, live)
    # The caller cleans up after itself; if it was killed, this is what remains to do it.
    if not orders.private:
        with contextlib.suppress(OSError):
            folders.remove(Path(orders.jobs))
    os._exit(0)


def become_zygote(orders: Orders) -> None:
    """Give up what the zygote itself does not need."""
    if orders.drop_to is not None:
        os.setgroups([])
        os.setresgid(orders.drop_to, orders.drop_to, orders.drop_to)
        os.setresuid(orders.drop_to, orders.drop_to, orders.drop_to)
        kernel.set_capabilities()
    kernel.prctl(kernel.PR_SET_NO_NEW_PRIVS, 1)
    kernel.prctl(kernel.PR_SET_DUMPABLE, 0)


def make_place(orders: Orders, name: str, cpu: int) -> cell.ChildPlace:
    """Where the child with that (numeric) name is to live."""
    return cell.ChildPlace(
        private=orders.private,
        folder=f"{orders.jobs}/{name}",
        linked=orders.linked,
        uid=own_uid(name) if orders.own_uids else None,
        keep_reading=orders.keep_reading,
        readable=orders.readable,
        fence_files=orders.fence_files,
        cpu=cpu,
    )


def _preload(names: tuple[str, ...]) -> None:
    for name in names:
        if importlib.util.find_spec(name.partition(".")[0]) is not None:
            # What cannot be imported here, a job that needs it will fail to import too, and say so.
            with contextlib.suppress(Exception):
                importlib.import_module(name)
