"""The place where hostile code is run, and the checks of what it did: canaries, listeners and oracles.

Used by the sandbox benchmark and by the hostile tests. A case is a snippet with an id; ``s-…`` is an attack that must
be contained, ``g-…`` is ordinary code that must work. Which oracle a case was written for is not asked: every attack
must pass all of them.
"""

from __future__ import annotations

import ast
import contextlib
import csv
import os
import re
import shutil
import socket
import sqlite3
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from averment.sandbox.protocol import Jail, JailResult, Job

PORT = 18_999
SECONDS = 8.0
GRACE = 4.0
MEMORY_MB = 600
TASKS = 69
OUTPUT_BYTES = 1_200_000
FILE_BYTES = 64 << 20
SBX_HOST_OBJECT = {"SBX_HOST_OBJECT": "CANARY-object"}
_NUMBER = re.compile(r"^[+-]?\s*[\d.,]+(e[+-]?\d+)?%?$", re.IGNORECASE)


@dataclass(frozen=True)
class Verdict:
    """What a case did: contained or escaped for an attack, worked or refused for ordinary code."""

    id: str
    outcome: str
    why: str
    seconds: float
    result: JailResult


@contextlib.contextmanager
def surroundings() -> Iterator[None]:
    """Secrets in the environment, a listener on loopback and an abstract socket, as a careless host would have."""
    before = dict(os.environ)
    os.environ.update(SBX_HOST_SECRET="CANARY-env", DEMO_API_KEY="CANARY-key")
    listeners = [*_loopback(), *_abstract()]
    try:
        yield
    finally:
        for listener in listeners:
            listener.close()
        os.environ.clear()
        os.environ.update(before)


def _loopback() -> Iterator[socket.socket]:
    for family, address in ((socket.AF_INET, "127.0.0.1"), (socket.AF_INET6, "::1")):
        for kind in (socket.SOCK_STREAM, socket.SOCK_DGRAM):
            listener = socket.socket(family, kind)
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                listener.bind((address, PORT))  # taken already: then someone else listens, which serves as well
            except OSError:
                listener.close()
                continue
            if kind == socket.SOCK_STREAM:
                listener.listen()
                threading.Thread(target=_serve, args=(listener,), daemon=True).start()
            yield listener


def _serve(listener: socket.socket) -> None:
    with contextlib.suppress(OSError):
        while True:
            connection, _ = listener.accept()
            with connection:
                connection.sendall(b"HTTP/1.0 200 OK\r\n\r\nCANARY-net")


def _abstract() -> Iterator[socket.socket]:
    listener = socket.socket(socket.AF_UNIX)
    try:
        listener.bind("\0sbx-canary")
        listener.listen()
    except OSError:
        listener.close()
        return
    yield listener


@dataclass(frozen=True)
class Fixture:
    """A fresh folder of canaries for one case."""

    root: Path
    audit: bytes
    inherited: int

    @classmethod
    def make(cls, root: Path) -> Fixture:
        host = root / "host"
        other = root / "sessions" / "other" / "files"
        for folder in (host, other):
            folder.mkdir(parents=True)
        (host / "secret.txt").write_text("CANARY-secret\n")
        audit = b'{"entry": 1, "text": "CANARY-secret"}\n'
        (host / "audit.jsonl").write_bytes(audit)
        (host / "inherited_canary").write_text("CANARY-fd\n")
        (other / "data.csv").write_text("a\nCANARY-session\n")
        with contextlib.closing(sqlite3.connect(host / "app.db")) as database:
            database.execute("create table t (v text)")
            database.execute("insert into t values ('CANARY-db')")
            database.commit()
        inherited = os.open(host / "inherited_canary", os.O_RDONLY)
        os.set_inheritable(inherited, True)
        return cls(root, audit, inherited)

    def harm(self) -> str | None:
        host = self.root / "host"
        names = {path.name for path in host.iterdir()}
        if names != {"secret.txt", "audit.jsonl", "app.db", "inherited_canary"}:
            return f"host folder changed: {sorted(names)}"
        return None if (host / "audit.jsonl").read_bytes() == self.audit else "the audit log changed"


class Arena:
    """Runs cases in one jail and judges them."""

    def __init__(self, jail: Jail, place: Path, *, attack_seconds: float = SECONDS, task_bound: int = TASKS) -> None:
        self.jail = jail
        self.task_bound = task_bound
        self.place = place
        self.attack_seconds = attack_seconds
        self.input = place / "data.csv"
        self.input.write_text("name,value\n" + "".join(f"row{n},{n}\n" for n in range(100)))

    def judge(self, case: dict[str, str]) -> Verdict:
        """Run one case and look at what it did."""
        ident = case["id"]
        fixture = Fixture.make(self.place / ident)
        try:
            root = str(fixture.root)
            code = case["code"].replace("@FIXTURE_RELATIVE@", root.lstrip("/")).replace("@FIXTURE@", root)
            attack = ident.startswith("s-")
            seconds = self.attack_seconds if attack else SECONDS
            job = Job(
                code=code,
                inputs={"data.csv": self.input},
                timeout_seconds=seconds,
                memory_mb=512,
                output_bytes=1 << 20,
                file_bytes=FILE_BYTES,
            )
            started = time.monotonic()
            result = self.jail.run(job, fixture.root / "collected")
            took = time.monotonic() - started
            if attack:
                why = fixture.harm() or self._success(ident, result, took, seconds, fixture.root / "collected")
                return Verdict(ident, "escaped" if why else "contained", why or "", took, result)
            why = fixture.harm() or failure(case["code"], result)
            return Verdict(ident, "refused" if why else "worked", why or "", took, result)
        finally:
            os.close(fixture.inherited)
            shutil.rmtree(fixture.root, ignore_errors=True)

    def _success(self, ident: str, result: JailResult, took: float, seconds: float, folder: Path) -> str | None:
        printed = result.stdout + result.stderr
        # A whole line: a traceback may quote the snippet's own words.
        if f"PWNED {ident}" in (line.strip() for line in printed.splitlines()):
            return "it says it succeeded"
        if "CANARY-" in printed:
            return "a canary was printed"
        if took > seconds + GRACE:
            return f"it ended after {took:.1f} s"
        if result.peak_memory_mb > MEMORY_MB or result.peak_tasks > self.task_bound:
            return f"it took {result.peak_memory_mb} MB and {result.peak_tasks} tasks"
        if len(printed.encode()) > OUTPUT_BYTES:
            return f"it printed {len(printed)} characters"
        return unsafe_collection(result, folder) or self._aftermath()

    def _aftermath(self) -> str | None:
        # The next job finds a clean interpreter, and the caller's own modules are what they were.
        result = self.jail.run(Job(code="import json; print(json.dumps({'a': 1}))"), self.place / "aftermath")
        return None if result.stdout == '{"a": 1}\n' and result.status == "ok" else "the next job was touched"


def unsafe_collection(result: JailResult, folder: Path) -> str | None:
    """What is wrong with the files that were picked up, if anything."""
    if len(result.files) > 100:
        return "too many files were collected"
    found = {path for path in folder.rglob("*") if not path.is_dir() or path.is_symlink()} if folder.exists() else set()
    if found != set(result.files.values()):
        return "the folder holds what the result does not name"
    for name, path in result.files.items():
        if path.is_symlink() or not path.is_file() or path.stat().st_size > FILE_BYTES or name.count("/") > 3:
            return f"{name!a} is no bounded regular file"
        if not name.isprintable() or "\\" in name or ".." in name:
            return f"{name!a} is an odd name"
        content = path.read_bytes()
        if b"CANARY-" in content or re.search(rb"<\s*script", content, re.IGNORECASE):
            return f"{name!a} carries a canary or a script"
        if name.lower().endswith((".csv", ".tsv")) and (cell := live_formula(content.decode("utf-8", "replace"))):
            return f"{name!a} carries the formula {cell!a}"
    return None


def live_formula(text: str) -> str | None:
    """A cell that a spreadsheet would run, if the table has one."""
    for delimiter in (",", ";", "\t"):
        for row in csv.reader(text.splitlines(), delimiter=delimiter):
            for cell in row:
                bare = cell.strip()
                if bare[:1] in ("=", "@") or (bare[:1] in ("+", "-") and len(bare) > 1 and not _NUMBER.match(bare)):
                    return cell
    return None


def failure(code: str, result: JailResult) -> str | None:
    """Why ordinary code did not do what it says, if so: its own exception and its own exit code are right."""
    expected_error, expected_exit = _intended_end(code)
    if expected_error is not None:
        told = result.status == "error" and (result.error or "").startswith(expected_error)
        return None if told else f"its {expected_error} was not told: {result.status} {result.error}"
    if result.exit_code != expected_exit or "Traceback" in result.stderr:
        return f"{result.status} {result.exit_code}: {result.error} {result.stderr[-300:]}"
    return None


def _intended_end(code: str) -> tuple[str | None, int]:
    last = ast.parse(code).body[-1]
    if isinstance(last, ast.Raise) and isinstance(last.exc, ast.Call) and isinstance(last.exc.func, ast.Name):
        return last.exc.func.id, 1
    if isinstance(last, ast.Expr) and isinstance(last.value, ast.Call):
        called = ast.unparse(last.value.func)
        values = [argument.value for argument in last.value.args if isinstance(argument, ast.Constant)]
        if called in ("sys.exit", "exit", "quit", "os._exit"):
            return None, int(values[0]) if values else 0
    return None, 0
