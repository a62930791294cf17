"""What a zygote is told when it starts, and a rehearsal of it in the same surroundings."""

from __future__ import annotations

import contextlib
import dataclasses
import json
import os
import subprocess
import tempfile
from collections.abc import Generator, Sequence
from dataclasses import dataclass
from pathlib import Path

from averment.sandbox.guest.probe import PROBE_NAME
from averment.sandbox.guest.zygote import OWN_UID_BASE, Orders

NOBODY = 65_534
PROBE_SECONDS = 30.0


@dataclass(frozen=True, kw_only=True)
class Rehearsal:
    """What a rehearsal found: the Landlock version, and why the fences cannot be put up, if so."""

    landlock: int
    failure: str | None


def written(orders: Orders) -> str:
    """The orders as the zygote reads them."""
    return json.dumps(dataclasses.asdict(orders))


def rehearse(command: Sequence[str], environment: dict[str, str]) -> Rehearsal:
    """Start the rehearsal by its whole command and hear what it found."""
    try:
        done = subprocess.run(
            command,
            env=environment,
            cwd="/",
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=PROBE_SECONDS,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        return Rehearsal(landlock=0, failure=str(error))
    try:
        answer = json.loads(done.stdout)
    except ValueError:
        words = done.stderr.decode(errors="replace").strip().splitlines()
        return Rehearsal(landlock=0, failure=words[-1] if words else f"it ended with {done.returncode}")
    failure = answer.get("failed") or (None if answer.get("holds") else "the fences do not hold")
    return Rehearsal(landlock=int(answer["landlock"]), failure=failure)


@contextlib.contextmanager
def probe_folder() -> Generator[Path]:
    """A folder with the places of one child in it, removed afterwards."""
    with tempfile.TemporaryDirectory(prefix="averment-probe-") as name:
        folder = Path(name)
        folder.chmod(0o711)
        for part in ("in", "out", "tmp"):
            (folder / PROBE_NAME / part).mkdir(parents=True)
        yield folder


def is_mapped(uid: int) -> bool:
    """Whether this machine or container knows that user number at all."""
    try:
        table = Path("/proc/self/uid_map").read_text(encoding="ascii")
    except OSError:
        return False
    rows = ([int(word) for word in line.split()] for line in table.splitlines())
    return any(first <= uid < first + count for first, _, count in rows)


def can_change_user() -> bool:
    """Whether this process may become another, unprivileged user."""
    return os.geteuid() == 0 and is_mapped(NOBODY)


def has_own_uids() -> bool:
    """Whether every child can get a user number of its own."""
    return os.geteuid() == 0 and is_mapped(OWN_UID_BASE) and is_mapped(OWN_UID_BASE + 100_000)
