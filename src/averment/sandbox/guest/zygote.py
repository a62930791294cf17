"""The warm interpreter: imports the analysis packages once, then forks a child for every spare it is asked for.

It never runs a line of a job's code. It holds two descriptors of the caller (a control socket and a handle on the
caller's process) and ends when either says that the caller is gone.
"""

from __future__ import annotations

import contextlib
import gc
import importlib
import importlib.util
import json
import os
import select
import signal
import socket
import sys
import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from . import cell, folders, kernel

OWN_UID_BASE = 2_000_000_000


def own_uid(name: str) -> int:
    """The user of the child with that (numeric) name, one that no account of the machine has."""
    return OWN_UID_BASE + int(name) % 100_000


@dataclass(frozen=True, kw_only=True)
class Orders:
    """How the caller wants the zygote to be; given as JSON on the command line."""

    control: int
    caller: int
    preload: tuple[str, ...]
    drop_to: int | None
    private: bool
    linked: bool
    fence_files: bool
    own_uids: bool
    keep_reading: bool
    readable: tuple[str, ...]
    jobs: str

    @classmethod
    def parse(cls, text: str) -> Orders:
        """The orders in the JSON text."""
        fields: dict[str, Any] = json.loads(text)
        fields.update(preload=tuple(fields["preload"]), readable=tuple(fields["readable"]))
        return cls(**fields)


def main(text: str) -> None:
    """Serve until the caller goes away."""
    orders = Orders.parse(text)
    become_zygote(orders)
    _preload(orders.preload)
    sys.stdout.reconfigure(line_buffering=True)  # pyright: ignore[reportAttributeAccessIssue]  # typed as TextIO
    nursery = _Nursery(orders)
    with contextlib.suppress(ConnectionError):  # the caller is gone, with spares it never took
        nursery.serve()
    nursery.close()
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


def make_place(orders: Orders, name: str, cpu: int) -> cell.Place:
    """Where the child with that (numeric) name is to live."""
    return cell.Place(
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
    # A child that writes to a page copies it; moving what lives now out of the collector's reach keeps pages shared.
    gc.collect()
    gc.freeze()
    warnings.filterwarnings("ignore", message=".*multi-threaded.*fork.*", category=DeprecationWarning)


class _Nursery:
    def __init__(self, orders: Orders) -> None:
        self._orders = orders
        self._control = socket.socket(fileno=orders.control)
        self._children: dict[int, tuple[int, int]] = {}
        self._cpus = sorted(os.sched_getaffinity(0))
        self._born = 0

    def serve(self) -> None:
        poll = select.poll()
        poll.register(self._control, select.POLLIN)
        poll.register(self._orders.caller, select.POLLIN)
        own = os.pidfd_open(os.getpid())
        socket.send_fds(self._control, [b"ready"], [own])
        os.close(own)
        while True:
            for descriptor, _ in poll.poll():
                if descriptor in self._children:
                    poll.unregister(descriptor)
                    self._bury(descriptor)
                elif descriptor == self._orders.caller:
                    return
                else:
                    request = self._control.recv(256)
                    if not request:
                        return
                    poll.register(self._bear(request.decode()), select.POLLIN)

    def close(self) -> None:
        for handle, (pid, _) in self._children.items():
            signal.pidfd_send_signal(handle, signal.SIGKILL)
            os.waitpid(pid, 0)
        # The caller cleans up after itself; if it was killed, this is what remains to do it.
        if not self._orders.private:
            with contextlib.suppress(OSError):
                folders.remove(Path(self._orders.jobs))

    def _bear(self, name: str) -> int:
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        out_read, out_write = os.pipe()
        error_read, error_write = os.pipe()
        status_read, status_write = os.pipe()
        self._born += 1
        place = make_place(self._orders, name, self._cpus[self._born % len(self._cpus)])
        pid = os.fork()
        if pid == 0:
            try:
                _arrange_descriptors(theirs.fileno(), out_write, error_write)
                cell.live(socket.socket(fileno=3), place)
            finally:
                os._exit(71)  # a child never comes back into this loop
        handle = os.pidfd_open(pid)
        for descriptor in (out_write, error_write):
            os.close(descriptor)
        theirs.close()
        given = [ours.fileno(), out_read, error_read, status_read, handle]
        socket.send_fds(self._control, [name.encode()], given)
        for descriptor in given[1:4]:
            os.close(descriptor)
        ours.close()
        self._children[handle] = (pid, status_write)
        return handle

    def _bury(self, handle: int) -> None:
        pid, status_write = self._children.pop(handle)
        _, status = os.waitpid(pid, 0)
        with contextlib.suppress(BrokenPipeError):
            os.write(status_write, status.to_bytes(4, "little"))
        os.close(status_write)
        os.close(handle)


def _arrange_descriptors(job: int, out: int, error: int) -> None:
    # 0 nothing, 1 and 2 the job's own pipes, 3 its socket; every other descriptor of the zygote is closed.
    nothing = os.open("/dev/null", os.O_RDONLY)
    high = [os.dup(descriptor) for descriptor in (nothing, out, error, job)]
    while min(high) < 4:
        high = [os.dup(descriptor) for descriptor in high]
    for target, descriptor in enumerate(high):
        os.dup2(descriptor, target)
    os.closerange(4, os.sysconf("SC_OPEN_MAX"))
