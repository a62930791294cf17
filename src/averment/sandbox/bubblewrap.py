"""The default jail: bubblewrap around a warm zygote, and around every child its own namespaces, Landlock and seccomp.

bubblewrap gives the zygote a root of its own with the interpreter and system libraries, read-only, and no network, no
other process, no device but the harmless ones. Started by root it keeps the capabilities to change its user, no others,
and the zygote gives those up before it imports anything.
"""

from __future__ import annotations

import functools
import shutil
from pathlib import Path, PurePosixPath

from averment.sandbox import orders, runtime
from averment.sandbox.guest import landlock
from averment.sandbox.guest.view import FIRST_VIEW_FD
from averment.sandbox.guest.zygote import Orders
from averment.sandbox.warm import WarmJail

_PACKAGES = "/opt/averment"
_JOBS = "/jobs"


def find_program() -> str | None:
    """The bubblewrap program, if it is installed."""
    return shutil.which("bwrap", path="/usr/local/bin:/usr/bin:/bin") or shutil.which("bwrap")


def arguments(program: str, seen: runtime.Runtime, *, as_root: bool, jobs: Path | None) -> list[str]:
    """Everything before the command: namespaces, mounts and, for root, the capabilities left.

    With a ``jobs`` folder the children share the root's mounts: ``/in`` and ``/out`` are links into each child's own
    descriptors. Without, they are folders on which each child mounts its own.
    """
    built = [program, "--unshare-pid", "--unshare-net", "--unshare-ipc", "--unshare-uts", "--unshare-cgroup-try"]
    # As the first process of its namespace the zygote takes every other one with it when it ends.
    built += ["--as-pid-1", "--new-session", "--hostname", "jail"]
    built += ["--cap-drop", "ALL"]
    if as_root:
        built += ["--cap-add", "CAP_SETUID", "--cap-add", "CAP_SETGID"]
    else:
        built += ["--unshare-user"]
    # Before the binds, since the interpreter itself may lie under /tmp.
    built += ["--perms", "1777", "--tmpfs", "/tmp"]
    made: set[str] = {"/tmp"}
    for path in seen.files:
        built += _parents(str(path), made)
        built += ["--ro-bind", str(path), str(path)]
    for package in (runtime.GUEST, runtime.PROCESS_POOL):
        place = f"{_PACKAGES}/{package.name}"
        built += [*_parents(place, made), "--ro-bind", str(package), place]
    for path, target in seen.links:
        built += [*_parents(path, made), "--symlink", target, path]
    built += [
        "--proc",
        "/proc",
        "--dev",
        "/dev",
        "--perms",
        "0755",
        "--dir",
        "/box",
    ]
    if jobs is None:
        built += [word for name in ("/in", "/out") for word in ("--perms", "0755", "--dir", name)]
    else:
        built += ["--bind", str(jobs), _JOBS]
        for offset, name in enumerate(("/in", "/out")):
            built += ["--symlink", f"/proc/self/fd/{FIRST_VIEW_FD + offset}", name]
    return [*built, "--remount-ro", "/", "--chdir", "/", "--"]


def _parents(path: str, made: set[str]) -> list[str]:
    # bubblewrap makes missing parents with mode 0700, which the unprivileged zygote could not pass.
    built: list[str] = []
    for parent in reversed(PurePosixPath(path).parents):
        if str(parent) != "/" and str(parent) not in made:
            made.add(str(parent))
            built += ["--perms", "0755", "--dir", str(parent)]
    return built


def _orders(seen: runtime.Runtime, *, private: bool, control: int, caller: int) -> Orders:
    return Orders(
        control=control,
        caller=caller,
        preload=runtime.PRELOAD,
        drop_to=orders.NOBODY if orders.can_change_user() else None,
        private=private,
        linked=not private,
        fence_files=landlock.abi() >= 1,
        readable=tuple(str(path) for path in seen.files),
        jobs=_JOBS,
    )


class BubblewrapJail(WarmJail):
    """The default jail; see the module."""

    def __init__(self, *, program: str, private: bool, spares: int) -> None:
        self._program = program
        self._seen = runtime.current()
        super().__init__(
            name="bubblewrap",
            spares=spares,
            private=private,
            owner=(lambda _: orders.NOBODY) if orders.can_change_user() else None,
        )

    def launch(self, control: int, caller: int) -> tuple[list[str], dict[str, str]]:
        """The command and environment that start the zygote with those two descriptors."""
        told = orders.written(_orders(self._seen, private=self.private, control=control, caller=caller))
        shared = None if self.private else self.jobs
        fence = arguments(self._program, self._seen, as_root=orders.can_change_user(), jobs=shared)
        command = runtime.command(self._seen.start, _PACKAGES, "zygote", told, process_pool=_PACKAGES)
        return [*fence, *command], runtime.ENVIRONMENT


@functools.lru_cache(maxsize=8)
def rehearse(program: str, *, private: bool) -> orders.Rehearsal:
    """Whether the jail works here, with children in namespaces of their own or without."""
    seen = runtime.current()
    told = orders.written(_orders(seen, private=private, control=-1, caller=-1))
    with orders.probe_folder() as folder:
        fence = arguments(program, seen, as_root=orders.can_change_user(), jobs=None if private else folder)
        command = [*fence, *runtime.command(seen.start, _PACKAGES, "probe", told)]
        return orders.rehearse(command, runtime.ENVIRONMENT)
