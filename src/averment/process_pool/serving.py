"""The inside of a warm interpreter: it forks a child for every spare it is asked for, and never does their work.

It holds two descriptors of the caller (a control socket and a handle on the caller's process) and ends, with every
child, when either says that the caller is gone. This module uses the standard library only, since jails see it too.
"""

from __future__ import annotations

import contextlib
import gc
import os
import select
import signal
import socket
import time
import warnings
from collections.abc import Callable
from typing import NoReturn

Live = Callable[[socket.socket, str], NoReturn]
"""The whole life of a child, from the socket that its job comes through and its (numeric) name."""


def serve(control: int, caller: int, live: Live, grace: float = 0.0) -> None:
    """Bear children until the caller goes away, then end them.

    Descriptors 0 to 2 of a child are nothing and its two output pipes; of all others it has its socket alone. After the
    caller's end the children have ``grace`` seconds to leave by themselves.
    """
    # A child that writes to a page copies it; moving what lives now out of the collector's reach keeps pages shared.
    gc.collect()
    gc.freeze()
    warnings.filterwarnings("ignore", message=".*multi-threaded.*fork.*", category=DeprecationWarning)
    nest = _Nest(control, caller, live)
    with contextlib.suppress(ConnectionError):  # the caller is gone, with spares it never took
        nest.serve()
    nest.close(grace)


class _Nest:
    def __init__(self, control: int, caller: int, live: Live) -> None:
        self._control = socket.socket(fileno=control)
        self._caller = caller
        self._live = live
        self._children: dict[int, tuple[int, int]] = {}

    def serve(self) -> None:
        poll = select.poll()
        poll.register(self._control, select.POLLIN)
        poll.register(self._caller, select.POLLIN)
        own = os.pidfd_open(os.getpid())
        socket.send_fds(self._control, [b"ready"], [own])
        os.close(own)
        while True:
            for descriptor, _ in poll.poll():
                if descriptor in self._children:
                    poll.unregister(descriptor)
                    self._bury(descriptor)
                elif descriptor == self._caller:
                    return
                else:
                    request = self._control.recv(256)
                    if not request:
                        return
                    poll.register(self._bear(request.decode()), select.POLLIN)

    def close(self, grace: float) -> None:
        self._control.close()
        deadline = time.monotonic() + grace
        for handle, (pid, _) in self._children.items():
            poll = select.poll()
            poll.register(handle, select.POLLIN)
            if not poll.poll(max(0.0, deadline - time.monotonic()) * 1000):
                signal.pidfd_send_signal(handle, signal.SIGKILL)
            os.waitpid(pid, 0)

    def _bear(self, name: str) -> int:
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        out_read, out_write = os.pipe()
        error_read, error_write = os.pipe()
        status_read, status_write = os.pipe()
        pid = os.fork()
        if pid == 0:
            try:
                _arrange_descriptors(theirs.fileno(), out_write, error_write)
                self._live(socket.socket(fileno=3), name)
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
