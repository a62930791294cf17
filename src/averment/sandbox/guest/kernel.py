"""The few kernel calls Python has no name for, by ctypes, on x86_64 and aarch64."""

from __future__ import annotations

import ctypes
import os
import platform
import struct
from typing import Literal

Machine = Literal["x86_64", "aarch64"]

PR_SET_PDEATHSIG = 1
PR_SET_DUMPABLE = 4
PR_SET_KEEPCAPS = 8
PR_SET_NO_NEW_PRIVS = 38

CLONE_NEWNS = 0x0002_0000
CLONE_NEWUSER = 0x1000_0000

MS_RDONLY, MS_NOSUID, MS_NODEV, MS_NOEXEC, MS_REMOUNT, MS_BIND = 1, 2, 4, 8, 32, 4096
MS_REC, MS_PRIVATE = 16_384, 1 << 18
MNT_DETACH = 2

CAP_DAC_READ_SEARCH = 2

_libc = ctypes.CDLL(None, use_errno=True)


class UnsupportedMachine(OSError):
    """The processor has no syscall table here, so no filter can be built for it."""


def machine() -> Machine:
    """The processor this process runs on.

    Raises:
        UnsupportedMachine: it is neither x86_64 nor aarch64, or Python is a 32-bit build.
    """
    name = platform.machine()
    if struct.calcsize("P") != 8:
        raise UnsupportedMachine(f"a 32-bit Python on {name} cannot be fenced")
    if name == "x86_64":
        return "x86_64"
    if name in ("aarch64", "arm64"):
        return "aarch64"
    raise UnsupportedMachine(f"no syscall table for {name}")


def _checked(result: int, what: str) -> int:
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{what}: {os.strerror(number)}")
    return result


def syscall(number: int, *arguments: int | bytes | None) -> int:
    """One raw system call; integers are passed as 64-bit words and bytes as pointers.

    Raises:
        OSError: the kernel said no.
    """
    words = [ctypes.c_long(a) if isinstance(a, int) else a for a in arguments]
    return _checked(int(_libc.syscall(ctypes.c_long(number), *words)), f"syscall {number}")


def prctl(option: int, value: int) -> None:
    """Set one attribute of this process.

    Raises:
        OSError: the kernel said no.
    """
    zero = ctypes.c_ulong(0)
    _checked(int(_libc.prctl(option, ctypes.c_ulong(value), zero, zero, zero)), f"prctl {option}")


def unshare(flags: int) -> None:
    """Leave the given namespaces for fresh ones.

    Raises:
        OSError: the kernel does not let this process.
    """
    _checked(int(_libc.unshare(ctypes.c_int(flags))), "unshare")


def mount(source: str | None, target: str, kind: str | None, flags: int, options: str | None = None) -> None:
    """Mount, bind or remount.

    Raises:
        OSError: the kernel said no.
    """
    source_, kind_, options_ = (None if text is None else text.encode() for text in (source, kind, options))
    result = _libc.mount(source_, target.encode(), kind_, ctypes.c_ulong(flags), options_)
    _checked(int(result), f"mount {target}")


def unmount(target: str) -> None:
    """Take a mount out of sight at once; open descriptors on it keep working.

    Raises:
        OSError: the kernel said no.
    """
    _checked(int(_libc.umount2(target.encode(), MNT_DETACH)), f"umount {target}")


def set_capabilities(kept: tuple[int, ...] = ()) -> None:
    """Keep the given capabilities (all below 32) in effect and give up every other one, inheritable ones too.

    Raises:
        OSError: a capability to keep is not held.
    """
    low = sum(1 << capability for capability in kept)
    number = {"x86_64": 126, "aarch64": 91}[machine()]
    header = struct.pack("Ii", 0x2008_0522, 0)
    syscall(number, header, struct.pack("IIIIII", low, low, 0, 0, 0, 0))
