"""The system-call filter: an allow-list compiled to BPF, with arguments checked where a call can do good and harm.

No socket, no process, no program, no namespace, no tracing, no signal to anyone else. Threads, pipes and a stream
``socketpair`` (which asyncio needs) remain.
"""

from __future__ import annotations

import ctypes
import errno
import struct

from .kernel import machine, syscall
from .syscalls import Calls

_LOAD, _EQUAL, _ABOVE_OR_EQUAL, _ANY_BIT, _AND, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x54, 0x06
_ALLOW, _KILL, _ERRNO = 0x7FFF_0000, 0x8000_0000, 0x0005_0000
_NUMBER, _ARCHITECTURE, _ARGUMENTS = 0, 4, 16
_X32_BIT = 0x4000_0000

_CLONE_THREAD = 0x0001_0000
_CLONE_NAMESPACES = 0x7E02_0080

_IOCTLS = (0x5401, 0x5413, 0x541B, 0x5421, 0x5450, 0x5451)
"""TCGETS, TIOCGWINSZ, FIONREAD, FIONBIO, FIONCLEX, FIOCLEX: asking, and flags of one's own descriptors."""
_FCNTLS = (0, 1, 2, 3, 4, 5, 6, 7, 36, 37, 38, 1030, 1032)
"""Duplicate, flags, record locks, pipe size; never F_SETOWN, by which the kernel would signal another process."""
_PRCTLS = (15, 16, 0x5356_4D41)
"""Names of threads and of memory areas."""
_AF_UNIX, _SOCK_STREAM, _SOCK_TYPE = 1, 1, 0xF


def _op(code: int, operand: int, then: int = 0, otherwise: int = 0) -> bytes:
    return struct.pack("HBBI", code, then, otherwise, operand)


def _answer(number: int) -> bytes:
    return _op(_RETURN, _ERRNO | number)


def _load_argument(index: int, *, high: bool = False) -> bytes:
    return _op(_LOAD, _ARGUMENTS + 8 * index + (4 if high else 0))


def _allow_if_one_of(index: int, values: tuple[int, ...]) -> list[bytes]:
    body = [_load_argument(index)]
    for value in values:
        body += [_op(_EQUAL, value, 0, 1), _op(_RETURN, _ALLOW)]
    return [*body, _answer(errno.EPERM)]


def _checks(pid: int) -> dict[str, list[bytes]]:
    refuse = _answer(errno.EPERM)
    allow = _op(_RETURN, _ALLOW)
    return {
        "clone": [
            _load_argument(0),
            _op(_ANY_BIT, _CLONE_NAMESPACES, 0, 1),
            refuse,
            _op(_ANY_BIT, _CLONE_THREAD, 0, 1),
            allow,
            refuse,
        ],
        "kill": _allow_if_one_of(0, (pid,)),
        "tgkill": _allow_if_one_of(0, (pid,)),
        "prlimit64": _allow_if_one_of(0, (0, pid)),
        "ioctl": _allow_if_one_of(1, _IOCTLS),
        "fcntl": _allow_if_one_of(1, _FCNTLS),
        "prctl": _allow_if_one_of(0, _PRCTLS),
        "socketpair": [
            _load_argument(0),
            _op(_EQUAL, _AF_UNIX, 1, 0),
            refuse,
            _load_argument(1),
            _op(_AND, _SOCK_TYPE),
            _op(_EQUAL, _SOCK_STREAM, 0, 1),
            allow,
            refuse,
        ],
        # An address would let a datagram leave the pair it belongs to.
        "sendto": [
            _load_argument(4),
            _op(_EQUAL, 0, 1, 0),
            refuse,
            _load_argument(4, high=True),
            _op(_EQUAL, 0, 0, 1),
            allow,
            refuse,
        ],
    }


def _block(number: int, body: list[bytes]) -> list[bytes]:
    return [_op(_EQUAL, number, 0, len(body)), *body]


def build(pid: int, *, metadata_is_real: bool, calls: Calls | None = None) -> bytes:
    """The filter for the process with that id, as BPF instructions.

    ``metadata_is_real`` lets modes and times of files be changed; without it such calls succeed and do nothing.
    """
    calls = calls or Calls(machine())
    program = [_op(_LOAD, _ARCHITECTURE), _op(_EQUAL, calls.audit_arch, 1, 0), _op(_RETURN, _KILL), _op(_LOAD, _NUMBER)]
    if calls.has_x32:
        program += [_op(_ABOVE_OR_EQUAL, _X32_BIT, 0, 1), _op(_RETURN, _KILL)]
    for number in calls.free.values():
        program += _block(number, [_op(_RETURN, _ALLOW)])
    for name, body in _checks(pid).items():
        program += _block(calls.checked[name], body)
    for number in calls.metadata.values():
        program += _block(number, [_op(_RETURN, _ALLOW) if metadata_is_real else _answer(0)])
    for number in calls.attributes.values():
        program += _block(number, [_answer(errno.ENOTSUP)])
    for number in calls.absent.values():
        program += _block(number, [_answer(errno.ENOSYS)])
    return b"".join([*program, _answer(errno.EPERM)])


def install(program: bytes) -> None:
    """Put the filter on this thread for good; ``no_new_privs`` must be set and no other thread may run.

    Raises:
        OSError: the kernel has no seccomp filters.
    """
    buffer = ctypes.create_string_buffer(program, len(program))
    header = struct.pack("HxxxxxxQ", len(program) // 8, ctypes.addressof(buffer))
    syscall(Calls(machine()).seccomp, 1, 0, header)
