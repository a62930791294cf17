"""A home with one run of each agent, and the hands of someone who may write to it."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

from averment import Workbench
from averment.ledger.checkpoint import sign_checkpoint
from averment.ledger.entry import build_entry
from averment.ledger.keys import SigningKey
from averment.ledger.tree import leaf_hash, root_of
from averment.runtime.verification.verdict import Verification
from averment.settings import Settings

ORDERS = "order_date,region,product,amount\n" + "".join(
    f"2024-0{1 + day // 28}-{1 + day % 28:02d},{region},{product},{(7 + day % 5) * factor}.25\n"
    for day in range(56)
    for region, factor in (("West", 1 if day >= 28 else 4), ("East", 3))
    for product in ("Lamp", "Desk")
)
TEXT = "# Lamps\n\nThe lamp factory in Linz was founded in 1921. It employs 240 people.\n"


class Home:
    """One home whose files are put back after each act."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.home = folder / "home"
        self.log = self.home / "logs" / "data_agent_runs.jsonl"
        self.runs: dict[str, str] = {}
        self.session = ""
        self.kept: dict[Path, bytes] = {}

    def settings(self, **more: Any) -> Settings:
        return Settings(home=self.home, model_provider="none", **more)

    def build(self) -> None:
        """Ask one question of each agent, and remember every file."""
        source = self.folder / "orders.csv"
        source.write_text(ORDERS)
        (self.folder / "lamps.md").write_text(TEXT)
        with Workbench(settings=self.settings()) as workbench:
            self.runs["analysis"] = workbench.analyze("total amount by region", [source]).id
            sessions = workbench.sessions
            self.session = sessions.create().session_id
            with source.open("rb") as stream:
                sessions.add_file(self.session, stream, "orders.csv")
            drill = sessions.start(
                self.session,
                {
                    "metric_sql": "SUM(amount)",
                    "baseline_period": {"start": "2024-01-01", "end": "2024-01-28"},
                    "comparison_period": {"start": "2024-02-01", "end": "2024-02-28"},
                },
            )
            workbench.runs.wait(drill)
            sessions.mirror(drill)
            self.runs["drilldown"] = drill
            self.runs["research"] = workbench.research(
                "When was the lamp factory in Linz founded?", corpus=[self.folder / "lamps.md"]
            ).id
            workbench.chat("show me the total amount by region", files=[source])
            others = [run.id for run in workbench.runs.list() if run.id not in self.runs.values()]
            if others:
                self.runs["assistant"] = others[0]
        self.remember()

    def remember(self) -> None:
        """Take the home as it is for what it must be put back to."""
        skipped = {"cache"}
        self.kept = {
            path: path.read_bytes()
            for path in self.folder.rglob("*")
            if path.is_file() and not skipped & set(path.relative_to(self.folder).parts)
        }

    def put_back(self) -> None:
        """Make every file what it was."""
        for path in list(self.folder.rglob("*")):
            if path in self.kept and path.is_dir():
                path.rmdir()
            elif path.is_symlink() or (
                path.is_file() and path not in self.kept and "cache" not in path.relative_to(self.folder).parts
            ):
                path.unlink()
        for path, content in self.kept.items():
            if not path.is_file() or path.read_bytes() != content:
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(content)

    def verify(self, agent: str, **settings: Any) -> Verification:
        with Workbench(settings=self.settings(**settings)) as workbench:
            return workbench.verify(self.runs[agent])

    def change(self, agent: str, statement: str, *values: object) -> None:
        """Run an UPDATE or DELETE on the home's database; ``:run`` is the agent's run."""
        with closing(sqlite3.connect(self.home / "db" / "averment.db")) as connection, connection:
            connection.execute("PRAGMA foreign_keys = OFF")
            names = {"run": self.runs[agent], **{f"v{place}": value for place, value in enumerate(values)}}
            assert connection.execute(statement, names).rowcount, statement

    def file(self, agent: str, pattern: str) -> Path:
        return sorted(path for path in self.home.rglob(pattern) if self.runs[agent] in str(path))[0]

    def lines(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self.log.read_text().splitlines()]

    def rewrite(
        self, edit: Callable[[list[dict[str, Any]]], list[dict[str, Any]]], *, key: SigningKey | None = None
    ) -> None:
        """Change entries and chain the ledger anew; with a key it is signed anew too, without one it is not signed."""
        parent, raw = "0" * 64, []
        for number, entry in enumerate(edit(self.lines()), start=1):
            data = {name: value for name, value in entry["event_data"].items() if name != "_seal"}
            made, line = build_entry(
                entry_id=entry["entry_id"],
                request_id=entry["request_id"],
                sequence_number=number,
                parent_hash=parent,
                timestamp=entry["timestamp"],
                event_type=entry["event_type"],
                event_data=data,
                actor=entry["actor"],
            )
            parent, raw = made.hash, [*raw, line]
        self.log.write_bytes(b"".join(line + b"\n" for line in raw))
        for suffix in ("checkpoints", "frontier"):
            self.beside(suffix).unlink(missing_ok=True)
        if key is None:
            self.beside("pub").unlink()
            return
        note = sign_checkpoint(key, len(raw), root_of([leaf_hash(line) for line in raw]))
        self.beside("checkpoints").write_text(f"{note.note_text}\n")
        self.beside("pub").write_text(f"{key.verifier.text}\n")
        for agent in self.runs:
            self.change(
                agent,
                "UPDATE runs SET sealed = json_set(sealed, '$.checkpoint', :v0) WHERE run_id = :run",
                note.note_text,
            )

    def beside(self, suffix: str) -> Path:
        return self.log.with_name(f"{self.log.name}.{suffix}")

    @property
    def key(self) -> SigningKey:
        return SigningKey.load(self.home / "keys" / "ledger.key", "averment.local/ledger")
