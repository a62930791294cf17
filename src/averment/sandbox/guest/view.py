"""The files a child sees: its inputs at ``/in``, its results at ``/out``, its scratch at ``/tmp``.

A *private* view is a user and mount namespace of the child's own: three memory file systems that no other process sees,
sized by the kernel in bytes and in files, gone with the last descriptor on them. A *plain* view is a folder that the
caller made and will remove; it serves where namespaces are forbidden, and its size is watched from outside.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from . import kernel

INODES = 4_096
"""Files, folders and links a job may make in all."""
INPUT_BYTES = 1 << 30
"""Bytes all inputs of a job may have together."""
DISK_FACTOR = 4
"""All results and scratch files together may be this many times as big as one file."""

_SAFE = kernel.MS_NOSUID | kernel.MS_NODEV | kernel.MS_NOEXEC
_BOX = "/box"
FIRST_VIEW_FD = 200
"""Descriptors of the plain view's folders, to which ``/in`` and ``/out`` are links where the jail has its own root."""


@dataclass(frozen=True, kw_only=True)
class FolderView:
    """Where the child's folders are, as it names them itself."""

    inputs: str
    results: str
    scratch: str
    private: bool

    def close_inputs(self, file_bytes: int) -> None:
        """Make the inputs read-only and size the rest for the job; a plain view leaves that to Landlock."""
        if self.private:
            kernel.mount(None, self.inputs, None, kernel.MS_REMOUNT | kernel.MS_BIND | kernel.MS_RDONLY | _SAFE)
            size = f"size={file_bytes * DISK_FACTOR},nr_inodes={INODES}"
            kernel.mount("tmpfs", self.results, None, kernel.MS_REMOUNT | _SAFE, size)


def enter_private(keep: Sequence[str] = ()) -> FolderView:
    """Move this process into namespaces of its own, with fresh ``/in``, ``/out`` and ``/tmp``.

    What is in ``keep`` and lies under ``/tmp`` stays where it is: an interpreter may have been installed there.

    Raises:
        OSError: the kernel or its policy does not let this user.
    """
    user, group = os.getuid(), os.getgid()
    kernel.prctl(kernel.PR_SET_DUMPABLE, 1)  # the map files belong to root while a process is undumpable
    kernel.unshare(kernel.CLONE_NEWUSER | kernel.CLONE_NEWNS)
    for name, text in (("setgroups", "deny"), ("uid_map", f"{user} {user} 1"), ("gid_map", f"{group} {group} 1")):
        descriptor = os.open(f"/proc/self/{name}", os.O_WRONLY)
        try:
            os.write(descriptor, text.encode())
        finally:
            os.close(descriptor)
    kernel.prctl(kernel.PR_SET_DUMPABLE, 0)
    kernel.mount(None, "/", None, kernel.MS_REC | kernel.MS_PRIVATE)
    held = [(path, os.open(path, os.O_PATH)) for path in keep if path.startswith("/tmp/") and Path(path).exists()]
    kernel.mount("tmpfs", "/in", "tmpfs", _SAFE, f"size={INPUT_BYTES},nr_inodes={INODES},mode=0755")
    kernel.mount("tmpfs", _BOX, "tmpfs", _SAFE, f"size=1m,nr_inodes={INODES},mode=0755")
    for name in ("out", "tmp"):
        Path(_BOX, name).mkdir(0o755)
        kernel.mount(f"{_BOX}/{name}", f"/{name}", None, kernel.MS_BIND)
    kernel.unmount(_BOX)
    for path, descriptor in held:
        _put_back(path, descriptor)
    return FolderView(inputs="/in", results="/out", scratch="/tmp", private=True)


def _put_back(path: str, descriptor: int) -> None:
    place = Path(path)
    place.parent.mkdir(0o755, parents=True, exist_ok=True)
    if Path(f"/proc/self/fd/{descriptor}").is_dir():
        place.mkdir(0o755, exist_ok=True)
    else:
        place.touch(0o644)
    kernel.mount(f"/proc/self/fd/{descriptor}", path, None, kernel.MS_BIND | kernel.MS_REC)
    os.close(descriptor)


def enter_plain(folder: str, *, linked: bool) -> FolderView:
    """Take up a folder with ``in``, ``out`` and ``tmp`` in it.

    With ``linked`` the jail's root has ``/in`` and ``/out`` as links to this process's descriptors, so that every child
    sees its own folders there. Without, those names do not exist.
    """
    if not linked:
        return FolderView(inputs=f"{folder}/in", results=f"{folder}/out", scratch=f"{folder}/tmp", private=False)
    for offset, name in enumerate(("in", "out")):
        descriptor = os.open(f"{folder}/{name}", os.O_RDONLY | os.O_DIRECTORY)
        os.dup2(descriptor, FIRST_VIEW_FD + offset)
        os.close(descriptor)
    return FolderView(inputs="/in", results="/out", scratch=f"{folder}/tmp", private=False)
