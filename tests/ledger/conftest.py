"""A small home for each test, and one signed log that tests take copies of."""

from __future__ import annotations

import shutil
import uuid
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from averment.ledger.draft import EntryDraft
from averment.ledger.entry import LedgerEntry
from averment.ledger.report import LedgerReport
from averment.ledger.verify import verify_file
from averment.ledger.writer import Ledger

ORIGIN = "averment.test/ledger"
LOG_NAME = "data_agent_runs.jsonl"


@dataclass(frozen=True)
class Home:
    """Where a test's ledger lives."""

    folder: Path

    @property
    def log(self) -> Path:
        return self.folder / "logs" / LOG_NAME

    @property
    def keys(self) -> Path:
        return self.folder / "keys"

    @property
    def key_file(self) -> Path:
        return self.keys / "ledger.key"

    @property
    def public(self) -> Path:
        return self.log.with_name(f"{LOG_NAME}.pub")

    @property
    def checkpoints(self) -> Path:
        return self.log.with_name(f"{LOG_NAME}.checkpoints")

    @property
    def torn(self) -> Path:
        return self.log.with_name(f"{LOG_NAME}.torn")

    @property
    def frontier(self) -> Path:
        return self.log.with_name(f"{LOG_NAME}.frontier")

    def open(self, *, seal_every_entries: int = 256, seal_after_seconds: float = 3600.0) -> Ledger:
        """The ledger; checkpoints come by count or on demand, never by the clock, unless a test says so."""
        return Ledger.open(
            self.log,
            keys_dir=self.keys,
            origin=ORIGIN,
            seal_every_entries=seal_every_entries,
            seal_after_seconds=seal_after_seconds,
        )

    def lines(self) -> list[bytes]:
        return self.log.read_bytes().splitlines(keepends=True)

    def write_lines(self, lines: list[bytes]) -> None:
        self.log.write_bytes(b"".join(lines))

    def record(self, ledger: Ledger, number: int, request_id: str | None = None) -> LedgerEntry:
        """One entry like those of a run."""
        return ledger.append(
            request_id=request_id or str(uuid.UUID(int=number // 5 + 1)),
            event_type="tool_called" if number % 2 else "observation_recorded",
            event_data={
                "call_id": str(number),
                "tool_name": "sql.run",
                "arguments": {"query": "SELECT 1", "n": number},
            },
            actor="actor" if number % 2 else "planner",
        )

    def verify(self, key: str | None = None) -> LedgerReport:
        return verify_file(self.log, key=key)


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return Home(tmp_path)


@pytest.fixture
def ledger(home: Home) -> Iterator[Ledger]:
    with home.open() as opened:
        yield opened


@pytest.fixture
def request_id() -> str:
    return str(uuid.uuid4())


@pytest.fixture
def draft(request_id: str) -> EntryDraft:
    return EntryDraft(request_id=request_id, event_type="tool_called", event_data={"n": 1}, actor="actor")


@pytest.fixture(scope="session")
def sealed_origin(tmp_path_factory: pytest.TempPathFactory) -> Home:
    """Twenty entries of four requests, signed after 5, 10, 15 and 20."""
    made = Home(tmp_path_factory.mktemp("sealed"))
    with made.open() as ledger:
        for number in range(20):
            made.record(ledger, number)
            if number % 5 == 4:
                ledger.checkpoint()
    return made


@pytest.fixture
def sealed(sealed_origin: Home, tmp_path: Path) -> Home:
    """A copy of the signed log that a test may spoil."""
    shutil.copytree(sealed_origin.folder, tmp_path / "sealed")
    return Home(tmp_path / "sealed")
