"""One child, one job: make the view, wait for the job, put up the fences, run the code, end.

Nothing the code prints or does can speak for the child: how it ended is told by the kernel to the zygote, and by the
zygote to the caller, on descriptors this process does not have.
"""

from __future__ import annotations

import ast
import atexit
import contextlib
import json
import linecache
import os
import random
import signal
import socket
import sys
import threading
import traceback
import types
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn

from . import alias, kernel, landlock, limits, seccomp, view

CODE_NAME = "<cell>"
MEMORY_SIGNAL = signal.SIGUSR1
"""How a child that ran out of memory ends itself."""
MOST_INPUTS = 64
_PINNED: list[int] = []

MACHINE_FILES = ("/proc/cpuinfo", "/proc/meminfo", "/proc/stat", "/proc/sys/vm/overcommit_memory")
OWN_FILES = ("cgroup", "cmdline", "exe", "fd", "limits", "maps", "stat", "statm", "status")
"""What libraries ask about their own process; never its network, mounts, memory or environment."""
GROUP_FILES = ("memory.max", "memory.limit_in_bytes", "cpu.max", "cpu.cfs_quota_us", "cpu.cfs_period_us")
DEVICES = ("/dev/null", "/dev/zero", "/dev/random", "/dev/urandom")


@dataclass(frozen=True, kw_only=True)
class ChildPlace:
    """Where a child is to live; what the zygote knows before any job comes."""

    private: bool
    folder: str
    linked: bool
    uid: int | None
    keep_reading: bool
    readable: tuple[str, ...]
    fence_files: bool
    cpu: int


def live(job_socket: socket.socket, place: ChildPlace) -> NoReturn:
    """The whole life of a child; it never returns to the zygote's code."""
    try:
        seen, fences = _enter(place)
        descriptors = [os.open(seen.results, os.O_RDONLY | os.O_DIRECTORY)] if place.private else []
        socket.send_fds(job_socket, [b"ready"], descriptors)
        for descriptor in descriptors:
            os.close(descriptor)
        header, code = _receive(job_socket, seen.inputs)
        seen.close_inputs(int(header["file_bytes"]))
        _put_up(fences, place, header)
    except Exception as error:  # noqa: BLE001 - whatever went wrong, no code may run without its fences
        with contextlib.suppress(OSError):
            job_socket.send(f"failed: {type(error).__name__}: {error}"[:2000].encode())
        os._exit(70)
    job_socket.close()
    os._exit(run(code, seen))


def rehearse(place: ChildPlace) -> None:
    """Settle and put up every fence, for a process that will never run a job.

    Raises:
        OSError: a fence cannot be put up here.
    """
    seen, fences = _enter(place)
    header = {"seconds": 1, "memory": 1 << 26, "file_bytes": 1 << 20}
    seen.close_inputs(header["file_bytes"])
    _put_up(fences, place, header)


@dataclass(frozen=True, kw_only=True)
class _Fences:
    """Built while the child waits, so that putting them up takes no time."""

    rules: landlock.Ruleset | None
    calls: bytes


def _enter(place: ChildPlace) -> tuple[view.FolderView, _Fences]:
    if os.getsid(0) != os.getpid():
        os.setsid()
    os.sched_setaffinity(0, {place.cpu})
    if place.uid is not None:
        _become(place.uid, keep_reading=place.keep_reading)
    kernel.prctl(kernel.PR_SET_NO_NEW_PRIVS, 1)
    kernel.prctl(kernel.PR_SET_DUMPABLE, 0)
    seen = view.enter_private(place.readable) if place.private else view.enter_plain(place.folder, linked=place.linked)
    os.chdir(seen.scratch)
    os.environ.update(HOME=seen.scratch, TMPDIR=seen.scratch)
    # Last, because a change of user or namespace may clear it.
    kernel.prctl(kernel.PR_SET_PDEATHSIG, signal.SIGKILL)
    calls = seccomp.build(os.getpid(), metadata_is_real=seen.private)
    if not place.fence_files:
        return seen, _Fences(rules=None, calls=calls)
    rules = landlock.Ruleset()
    rules.allow_reading((*place.readable, *MACHINE_FILES, *_own_files(), *_group_files(), *DEVICES, seen.inputs))
    rules.allow_writing((seen.results, seen.scratch, "/dev/null"))
    return seen, _Fences(rules=rules, calls=calls)


def _own_files() -> list[str]:
    # The kernel may forget and remake what it shows under /proc, and with it the permission; an open descriptor on
    # each entry keeps it.
    found: list[str] = []
    for name in OWN_FILES:
        with contextlib.suppress(OSError):
            descriptor = os.open(f"/proc/self/{name}", os.O_PATH | os.O_NOFOLLOW)
            found.append(f"/proc/self/{name}")
            _PINNED.append(descriptor)
    return found


def _group_files() -> list[str]:
    # DuckDB asks its control group for its share and does not survive being refused.
    found: list[str] = []
    with contextlib.suppress(OSError):
        for line in Path("/proc/self/cgroup").read_text().splitlines():
            _, controllers, path = line.split(":", 2)
            for top in ("", *(f"/{name}" for name in controllers.split(",")), f"/{controllers}"):
                found += [f"/sys/fs/cgroup{top}{path.rstrip('/')}/{name}" for name in GROUP_FILES]
    return found


def _become(uid: int, *, keep_reading: bool) -> None:
    if keep_reading:
        kernel.prctl(kernel.PR_SET_KEEPCAPS, 1)
    os.setgroups([])
    os.setresgid(uid, uid, uid)
    os.setresuid(uid, uid, uid)
    kernel.set_capabilities((kernel.CAP_DAC_READ_SEARCH,) if keep_reading else ())


def _receive(job_socket: socket.socket, folder: str) -> tuple[dict[str, Any], str]:
    message, descriptors, _, _ = socket.recv_fds(job_socket, 1 << 16, MOST_INPUTS + 1)
    if not message:
        os._exit(0)  # the jail is closing
    header: dict[str, Any] = json.loads(message)
    with os.fdopen(descriptors[0], "rb") as file:
        code = file.read().decode()
    for name, descriptor in zip(header["inputs"], descriptors[1:], strict=True):
        _copy(descriptor, f"{folder}/{name}")
    return header, code


def _copy(source: int, path: str) -> None:
    with os.fdopen(source, "rb") as reader, Path(path).open("xb") as writer:
        offset = 0
        while sent := os.sendfile(writer.fileno(), reader.fileno(), offset, 1 << 24):
            offset += sent
        os.fchmod(writer.fileno(), 0o444)


def _put_up(fences: _Fences, place: ChildPlace, header: Mapping[str, Any]) -> None:
    # From here each step only takes away.
    kernel.set_capabilities((kernel.CAP_DAC_READ_SEARCH,) if place.keep_reading else ())
    limits.apply(
        limits.JobLimits(
            seconds=float(header["seconds"]),
            memory=int(header["memory"]),
            file_bytes=int(header["file_bytes"]),
            tasks_are_own=place.private or place.uid is not None,
        )
    )
    if fences.rules is not None:
        fences.rules.restrict()
    seccomp.install(fences.calls)


def run(code: str, seen: view.FolderView) -> int:
    """Run the code as the main module of this process; its exit status."""
    module = types.ModuleType("__main__")
    module.__dict__.update(IN=Path(seen.inputs), OUT=Path(seen.results), __file__=CODE_NAME)
    sys.modules["__main__"] = module
    sys.argv = [CODE_NAME]
    _seed()
    linecache.cache[CODE_NAME] = (len(code), None, code.splitlines(keepends=True), CODE_NAME)
    status = 0
    try:
        exec(_compile(code, seen), module.__dict__)
    except SystemExit as error:
        status = _exit_status(error)
    except MemoryError as error:
        _report(error)
        _flush()
        signal.signal(MEMORY_SIGNAL, signal.SIG_DFL)
        signal.raise_signal(MEMORY_SIGNAL)
        status = 1  # the code had blocked the signal
    except BaseException as error:  # noqa: BLE001 - this is where the code's own failures are told
        _report(error)
        status = 1
    _finish()
    _flush()
    return status


def _compile(code: str, seen: view.FolderView) -> types.CodeType:
    tree = ast.parse(code, CODE_NAME)
    if seen.inputs != "/in":
        tree = alias.rename_folders(tree, {"in": seen.inputs, "out": seen.results, "tmp": seen.scratch})
    return compile(tree, CODE_NAME, "exec", dont_inherit=True)


def _seed() -> None:
    # The same code draws the same numbers on every run.
    random.seed(0)
    numpy_random = sys.modules.get("numpy.random")
    if numpy_random is not None:
        numpy_random.seed(0)


def _finish() -> None:
    # What the interpreter does at its end: wait for threads, then run what was registered.
    for ending in (getattr(threading, "_shutdown", None), getattr(atexit, "_run_exitfuncs", None)):
        with contextlib.suppress(BaseException):
            if ending is not None:
                ending()


def _exit_status(error: SystemExit) -> int:
    if error.code is None:
        return 0
    if isinstance(error.code, int):
        return error.code & 0xFF
    with contextlib.suppress(Exception):
        sys.stderr.write(f"{error.code}\n")
    return 1


def _report(error: BaseException) -> None:
    try:
        trace = error.__traceback__
        while trace is not None and trace.tb_frame.f_code.co_filename != CODE_NAME:
            trace = trace.tb_next
        lines = traceback.format_exception(type(error), error, trace)
        sys.stderr.write("".join(lines))
    except BaseException:  # noqa: BLE001 - the code may have broken the very modules that report
        with contextlib.suppress(OSError):
            os.write(2, type(error).__name__.encode(errors="replace") + b"\n")


def _flush() -> None:
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(BaseException):  # closed or replaced by the code; there is no one left to tell
            stream.flush()
