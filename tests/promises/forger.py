"""The hands of someone who may write to a home, and who knows the formats of its files as SECURITY.md tells them.

Nothing of the program is used: a line of the ledger, a checkpoint and a key are made here from hashes and signatures
alone, so that these tests also hold the bytes that earlier versions wrote and others read.
"""

from __future__ import annotations

import base64
import hashlib
import json
import re
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat, load_pem_private_key

from averment import AvermentError, Workbench
from golden import Ended, GoldenHome

NAME = "averment.local/ledger"
Entries = list[dict[str, Any]]


class Key:
    """A signing key, the home's own or another."""

    def __init__(self, private: Ed25519PrivateKey | None = None) -> None:
        self._private = private or Ed25519PrivateKey.generate()
        self._public = b"\x01" + self._private.public_key().public_bytes(Encoding.Raw, PublicFormat.Raw)
        self._id = hashlib.sha256(NAME.encode() + b"\n" + self._public).digest()[:4]

    @property
    def text(self) -> str:
        """The public half as it lies beside the ledger."""
        return f"{NAME}+{self._id.hex()}+{base64.b64encode(self._public).decode()}"

    def checkpoint(self, size: int, root: bytes) -> str:
        """A signed statement that the first lines have this root."""
        body = f"{NAME}\n{size}\n{base64.b64encode(root).decode()}\n"
        signature = base64.b64encode(self._id + self._private.sign(body.encode())).decode()
        return f"{body}\n— {NAME} {signature}\n"


def sealed_line(entry: dict[str, Any]) -> tuple[str, bytes]:
    """An entry's hash and its line, with the seal that belongs to its fields."""
    fields = [entry[name] for name in ("entry_id", "request_id", "sequence_number", "actor", "timestamp", "event_type")]
    data = {key: value for key, value in entry["event_data"].items() if key != "_seal"}
    data["_seal"] = hashlib.sha256(json.dumps(fields).encode()).hexdigest()
    text = json.dumps(data, sort_keys=True)
    digest = hashlib.sha256(
        f"{entry['parent_hash']}{entry['timestamp']}{entry['event_type']}{text}".encode()
    ).hexdigest()
    return digest, json.dumps({**entry, "event_data": data, "hash": digest}, sort_keys=True).encode()


def root_of(lines: list[bytes]) -> bytes:
    """The root of the Merkle tree of RFC 6962 over lines."""
    if len(lines) == 1:
        return hashlib.sha256(b"\x00" + lines[0]).digest()
    half = 1 << ((len(lines) - 1).bit_length() - 1)
    return hashlib.sha256(b"\x01" + root_of(lines[:half]) + root_of(lines[half:])).digest()


class Forger:
    """A copy of the golden home that is forged again and again; every file is put back after each act."""

    def __init__(self, copy: GoldenHome) -> None:
        self.copy = copy
        self.home, self.runs, self.session = copy.home, copy.runs, copy.golden.session
        self.log = self.home / "logs" / "data_agent_runs.jsonl"
        self.orders = copy.own_orders()
        # Whoever uses a home has seen its ledger's key before somebody forges it.
        assert self.verify("analysis") == set()
        self.kept = {path: path.read_bytes() for path in self._files()}

    def _files(self) -> list[Path]:
        everything = [self.orders, *self.home.rglob("*")]
        return [
            path for path in everything if path.is_file() and "cache" not in path.relative_to(self.home.parent).parts
        ]

    def put_back(self) -> None:
        """Make every file what it was."""
        for path in list(self.home.rglob("*")):
            if path in self.kept and path.is_dir():
                path.rmdir()
            elif path.is_symlink():
                path.unlink()
        for path in {*self._files()} - self.kept.keys():
            path.unlink()
        for path, content in self.kept.items():
            if not path.is_file() or path.read_bytes() != content:
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(content)

    # What is seen -----------------------------------------------------------------------------------------------------

    def verify(self, run: str, *, keys: tuple[str, ...] = (), **settings: Any) -> set[str]:
        """What does not hold of a run, by name; none where everything holds. A row nobody wrote is refused by code."""
        with self.copy.open(**settings) as workbench:
            try:
                verdict = workbench.verify(self.runs[run], keys=keys, sources=[self.orders])
            except AvermentError as refused:
                assert (refused.code, refused.exit_code) == ("VERIFICATION_FAILED", 5), refused
                return {refused.code}
        assert all(check.detail for check in verdict.faults)
        return {check.subject for check in verdict.faults}

    def verify_at_the_command_line(self, run: str) -> tuple[int, set[str]]:
        """The exit code of ``averment verify RUN`` and what it names."""
        ended = self.copy.cli("verify", self.runs[run], "--source", self.orders, "--json")
        if "error" in ended.document:
            return ended.code, {ended.document["error"]["code"]}
        return ended.code, {check["subject"] for check in ended.document["checks"] if not check["ok"]}

    def verify_ledger(self, *more: object) -> tuple[int, str | None]:
        """The exit code of the verifier that needs the ledger's files alone, and the first thing it names."""
        ended: Ended = self.copy.cli("verify", "--ledger", self.log, *more, "--json")
        document = ended.document
        if "error" in document:
            return ended.code, document["error"]["code"]
        return ended.code, (document["first_fault"] or {}).get("reason")

    def shown(self) -> Workbench:
        """The home as a workbench; who opens it closes it."""
        return self.copy.open()

    # What is done -----------------------------------------------------------------------------------------------------

    def change(self, run: str, statement: str, *values: object) -> None:
        """Run an UPDATE or DELETE on the home's database; ``:run`` is the run."""
        with closing(sqlite3.connect(self.home / "db" / "averment.db")) as connection, connection:
            connection.execute("PRAGMA foreign_keys = OFF")
            names = {"run": self.runs[run], **{f"v{place}": value for place, value in enumerate(values)}}
            assert connection.execute(statement, names).rowcount, statement

    def replace_in_database(self, old: str, new: str) -> int:
        """Put a text in the place of another in every cell of every table; how many rows were changed."""
        changed = 0
        with closing(sqlite3.connect(self.home / "db" / "averment.db")) as connection, connection:
            tables = [name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
            for table in tables:
                for _, name, kind, *_ in list(connection.execute(f"PRAGMA table_info('{table}')")):
                    if re.search("TEXT|CHAR|JSON", kind, re.IGNORECASE):
                        place = f'"{name}"'
                        changed += connection.execute(
                            f'UPDATE "{table}" SET {place} = replace({place}, ?, ?) WHERE instr({place}, ?)',
                            (old, new, old),
                        ).rowcount
        return changed

    def file(self, run: str, pattern: str) -> Path:
        """A file that a run left."""
        return sorted(path for path in self.home.rglob(pattern) if self.runs[run] in str(path))[0]

    def beside(self, suffix: str) -> Path:
        """A file beside the ledger."""
        return self.log.with_name(f"{self.log.name}.{suffix}")

    def entries(self) -> Entries:
        return [json.loads(line) for line in self.log.read_text().splitlines()]

    @property
    def key(self) -> Key:
        """The home's own signing key, stolen."""
        loaded = load_pem_private_key((self.home / "keys" / "ledger.key").read_bytes(), password=None)
        assert isinstance(loaded, Ed25519PrivateKey)
        return Key(loaded)

    def rewrite(self, edit: Callable[[Entries], Entries], *, key: Key | None = None) -> None:
        """Change entries and chain the ledger anew; with a key it is signed anew too, without one it is not signed."""
        parent, lines = "0" * 64, list[bytes]()
        for number, entry in enumerate(edit(self.entries()), start=1):
            parent, line = sealed_line({**entry, "sequence_number": number, "parent_hash": parent})
            lines.append(line)
        self.log.write_bytes(b"".join(line + b"\n" for line in lines))
        for suffix in ("checkpoints", "frontier"):
            self.beside(suffix).unlink(missing_ok=True)
        if key is None:
            self.beside("pub").unlink()
            return
        note = key.checkpoint(len(lines), root_of(lines))
        self.beside("checkpoints").write_text(f"{note}\n")
        self.beside("pub").write_text(f"{key.text}\n")
        for run in self.runs:
            self.change(run, "UPDATE runs SET sealed = json_set(sealed, '$.checkpoint', :v0) WHERE run_id = :run", note)


def flip(path: Path) -> None:
    """Change one bit in the middle of a file."""
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(bytes(content))


def shifted(entries: Entries) -> Entries:
    """The first entry says something else."""
    entries[0]["event_data"]["version"] = "9.9.9"
    return entries


def forged_answer(home: Forger, key: Key | None) -> None:
    """The answer is another one, in the store and in a ledger that is chained, and perhaps signed, anew."""
    told = "All regions are up strongly."
    digest = hashlib.sha256(json.dumps(told).encode()).hexdigest()
    home.change("analysis", "UPDATE runs SET answer = :v0 WHERE run_id = :run", json.dumps(told))
    conclusion = "UPDATE run_records SET body = json_set(body, '$.answer', :v0) WHERE run_id = :run"
    home.change("analysis", f"{conclusion} AND kind = 'conclusion'", told)

    def edit(entries: Entries) -> Entries:
        for entry in entries:
            if entry["request_id"] == home.runs["analysis"] and "answer_sha256" in entry["event_data"]:
                entry["event_data"]["answer_sha256"] = digest
                entry["event_data"].pop("conclusion_sha256")
        return entries

    home.rewrite(edit, key=key)


def forged_claim(home: Forger, run: str, key: Key | None) -> None:
    """A claim says something else, in the store and in a ledger that is chained and signed anew."""
    change = "UPDATE run_records SET body = json_set(body, '$.claims[0].text', 'Up.') WHERE run_id = :run"
    home.change(run, f"{change} AND kind = 'conclusion'")

    def edit(entries: Entries) -> Entries:
        for entry in entries:
            if entry["request_id"] == home.runs[run]:
                entry["event_data"].pop("conclusion_sha256", None)
        return entries

    home.rewrite(edit, key=key)
