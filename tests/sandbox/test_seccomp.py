"""The filter's decisions on both processors, by running its BPF program in a few lines of Python."""

from __future__ import annotations

import errno
import struct

import pytest

from averment.sandbox.guest import seccomp
from averment.sandbox.guest.kernel import Machine
from averment.sandbox.guest.syscalls import Calls

ALLOW, KILL, ERRNO = 0x7FFF_0000, 0x8000_0000, 0x0005_0000
PID = 4711
EPERM = ERRNO | errno.EPERM
MACHINES: tuple[Machine, ...] = ("x86_64", "aarch64")
NEVER = {
    "x86_64": {
        "socket": 41,
        "connect": 42,
        "execve": 59,
        "fork": 57,
        "vfork": 58,
        "ptrace": 101,
        "mount": 165,
        "unshare": 272,
        "bpf": 321,
    },
    "aarch64": {
        "socket": 198,
        "connect": 203,
        "execve": 221,
        "ptrace": 117,
        "mount": 40,
        "unshare": 97,
        "bpf": 280,
        "setns": 268,
    },
}


def decide(calls: Calls, number: int, *arguments: int, arch: int | None = None, real: bool = True) -> int:
    data = struct.pack("iIQ", number, arch or calls.audit_arch, 0)
    data += struct.pack("6Q", *(list(arguments) + [0] * 6)[:6])
    program = seccomp.build(PID, metadata_is_real=real, calls=calls)
    steps = [struct.unpack_from("HBBI", program, at) for at in range(0, len(program), 8)]
    at, value = 0, 0
    while True:
        code, then, otherwise, operand = steps[at]
        at += 1
        if code == 0x20:
            value = struct.unpack_from("I", data, operand)[0]
        elif code == 0x54:
            value &= operand
        elif code == 0x06:
            return operand
        else:
            passed = {0x15: value == operand, 0x35: value >= operand, 0x45: bool(value & operand)}[code]
            at += then if passed else otherwise


@pytest.fixture(params=MACHINES)
def calls(request: pytest.FixtureRequest) -> Calls:
    return Calls(request.param)


@pytest.mark.parametrize("machine", MACHINES)
def test_calls_that_reach_outside_are_refused(machine: Machine) -> None:
    assert {name: decide(Calls(machine), number) for name, number in NEVER[machine].items()} == dict.fromkeys(
        NEVER[machine], EPERM
    )


def test_every_number_without_an_entry_is_refused(calls: Calls) -> None:
    tables = (calls.free, calls.checked, calls.metadata, calls.attributes, calls.absent)
    known = {number for table in tables for number in table.values()}
    assert all(decide(calls, number) == EPERM for number in range(600) if number not in known)


def test_no_number_stands_in_two_tables(calls: Calls) -> None:
    tables = (calls.free, calls.checked, calls.metadata, calls.attributes, calls.absent)
    numbers = [number for table in tables for number in table.values()]
    assert len(numbers) == len(set(numbers))


def test_reading_and_threads_are_allowed(calls: Calls) -> None:
    assert decide(calls, calls.free["read"]) == ALLOW
    assert decide(calls, calls.checked["clone"], 0x003D_0F00) == ALLOW


@pytest.mark.parametrize("flags", [0x11, 0x4111, 0x1001_0000, 0x0001_0000 | 0x4000_0000, 0x0003_0000])
def test_a_new_process_or_namespace_is_refused(calls: Calls, flags: int) -> None:
    assert decide(calls, calls.checked["clone"], flags) == EPERM


def test_signals_and_limits_reach_only_the_process_itself(calls: Calls) -> None:
    for name in ("kill", "tgkill", "prlimit64"):
        assert decide(calls, calls.checked[name], PID) == ALLOW
        assert decide(calls, calls.checked[name], 1) == EPERM
        assert decide(calls, calls.checked[name], 0xFFFF_FFFF) == EPERM
    assert decide(calls, calls.checked["kill"], 0) == EPERM


def test_only_a_stream_pair_without_addresses_is_allowed(calls: Calls) -> None:
    pair, send = calls.checked["socketpair"], calls.checked["sendto"]
    assert decide(calls, pair, 1, 1 | 0x80000) == ALLOW
    assert decide(calls, pair, 1, 2) == EPERM
    assert decide(calls, pair, 16, 1) == EPERM
    assert decide(calls, send, 5, 0, 0, 0, 0) == ALLOW
    assert decide(calls, send, 5, 0, 0, 0, 0x7FFF_0000_1000) == EPERM
    assert decide(calls, send, 5, 0, 0, 0, 0x1_0000_0000) == EPERM


@pytest.mark.parametrize(("name", "allowed", "refused"), [("ioctl", 0x5401, 0x5412), ("fcntl", 3, 8), ("prctl", 15, 4)])
def test_commands_are_allowed_one_by_one(calls: Calls, name: str, allowed: int, refused: int) -> None:
    position = 0 if name == "prctl" else 1
    assert decide(calls, calls.checked[name], *[0] * position, allowed) == ALLOW
    assert decide(calls, calls.checked[name], *[0] * position, refused) == EPERM


def test_modes_of_files_are_left_alone_where_the_host_would_see_them(calls: Calls) -> None:
    assert decide(calls, calls.metadata["fchmod"], real=True) == ALLOW
    assert decide(calls, calls.metadata["fchmod"], real=False) == ERRNO


def test_another_processor_mode_ends_the_process(calls: Calls) -> None:
    assert decide(calls, calls.free["read"], arch=0x4000_0003) == KILL


def test_the_x32_calls_end_the_process() -> None:
    calls = Calls("x86_64")
    assert decide(calls, calls.free["read"] | 0x4000_0000) == KILL
