"""Sessions over a real home, whose investigation is a run played record by record as the runtime would keep it."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from averment.agents.driller.chat import QueryAnswer
from averment.agents.driller.sessions import Sessions
from averment.language.embeddings import Embedder, default_embedder
from averment.records.base import derived_id
from averment.records.drilldown.request import DrillRequest
from averment.runtime.events import EventStream, EventType, Listener
from averment.runtime.services import Services
from averment.settings import Settings
from averment.store.runs.run_rows import RunRow

START = datetime(2026, 3, 1, 9, 0, tzinfo=UTC)
ORDERS = (
    b"order_id,day,region,customer_id,amount\n"
    b"1,2024-01-02,north,10,100.5\n2,2024-01-09,south,11,80\n3,2024-02-03,north,10,40\n4,2024-02-11,south,11,82\n"
)
CUSTOMERS = b"customer_id,plan\n10,basic\n11,pro\n"
CONTEXT = {
    "metric_sql": "SUM(amount)",
    "baseline_period": {"start": "2024-01-01", "end": "2024-01-31"},
    "comparison_period": {"start": "2024-02-01", "end": "2024-02-29"},
    "business_context": "The north had a new competitor in February.",
}
REPORT = """# SUM(amount) fell from 180.5 to 122

The metric went from 180.5 in 2024-01-01 to 2024-01-31 down to 122 in 2024-02-01 to 2024-02-29.

## Data Model

orders joins customers by customer\\_id.

## Analysis Performed

Two hypotheses were tested in two iterations.

## Explanations

| region | before | after |
|---|---:|---:|
| north | 100.5 | 40 |
| south | 80 | 82 |

**1. Most Likely: the north region lost 60.5.** 3.5% of the change stays unexplained.

## Recommended Next Steps

- Ask the sales team of the north about February.

Generated for the period that ends on 2024-02-29.
"""


@dataclass
class Clock:
    """A clock that stands until it is moved."""

    now: datetime = START

    def __call__(self) -> datetime:
        return self.now

    def forward(self, **parts: float) -> None:
        self.now += timedelta(**parts)


@dataclass
class Script:
    """Plays a run of a request, one part after the other, into the run store."""

    services: Services
    requests: list[DrillRequest] = field(default_factory=list)
    listeners: dict[str, Listener] = field(default_factory=dict)
    cancelled: list[str] = field(default_factory=list)

    def begin(self, request: DrillRequest, listener: Listener) -> str:
        body = {"request": request.model_dump(mode="json")}
        run_id = request.request_id
        self.services.store.runs.create(
            RunRow(run_id=run_id, kind="drilldown", status="submitted", intent=request.intent, request=body)
        )
        self.requests.append(request)
        self.listeners[run_id] = listener
        self.tell("run_submitted")
        return run_id

    @property
    def request(self) -> DrillRequest:
        return self.requests[-1]

    def tell(self, kind: EventType, subject: str = "", **data: Any) -> None:
        run_id = self.request.request_id
        EventStream(self.services.store.runs, run_id, (self.listeners[run_id],)).tell(kind, subject, **data)

    def plan(self) -> None:
        reading = {
            "data_model": {
                "session_id": self.request.session_id,
                "tables": [
                    {"file_id": file.file_id, "name": file.name[:-4], "row_count": 4, "column_count": 5}
                    for file in self.request.files
                ],
                "relationships": [
                    {
                        "from_table": "orders",
                        "from_column": "customer_id",
                        "to_table": "customers",
                        "to_column": "customer_id",
                        "relationship_type": "foreign_key",
                        "confidence": 0.98,
                    }
                ],
                "recommended_dimensions": ["region", "plan"],
                "inferred_at": "2026-03-01T09:00:00Z",
            },
            "analysis_plan": {
                "session_id": self.request.session_id,
                "created_at": "2026-03-01T09:00:00Z",
                "steps": [
                    {
                        "step_number": 1,
                        "phase": "validation",
                        "description": "Compare both periods by region.",
                        "tables_involved": ["orders"],
                        "dimensions_to_check": ["region"],
                    }
                ],
            },
            "hypotheses": [self.hypothesis(1, "PENDING"), self.hypothesis(2, "PENDING")],
        }
        planned = {"outcome": "planned", "reading": reading, "plan": None, "message": "", "reasoner": "rules"}
        self.services.store.runs.set_status(self.request.request_id, "executing")
        self.services.store.runs.put(self.request.request_id, "planned", "planned", planned)
        self.tell("plan_made", reading={}, plan={"subtasks": []})

    def hypothesis(self, number: int, status: str) -> dict[str, Any]:
        titles = {1: "The north region lost orders", 2: "Loads are missing"}
        stories = {1: "A segment of the region lost amount.", 2: "Days without any row would lower the sum."}
        return {
            "hypothesis_id": f"hyp_{number:03d}",
            "session_id": self.request.session_id,
            "title": titles[number],
            "causal_story": stories[number],
            "dimensions": ["region"],
            "expected_pattern": "one segment falls",
            "priority": number,
            "status": status,
            "created_at": "2026-03-01T09:00:00Z",
        }

    def round(self, number: int, decision: str, status: str, summary: str, exit_reason: str | None = None) -> None:
        taken = {
            "iteration": {
                "iteration": number,
                "decision": decision,
                "code_executed": f"print({number})",
                "raw_output": f"{number}\n",
                "compressed_summary": summary,
                "hypothesis_status_changes": {f"hyp_{number:03d}": status},
                "timestamp": f"2026-03-01T09:0{number}:00Z",
            },
            "finding": {
                "finding_id": f"find_{number:03d}",
                "iteration": number,
                "summary": summary,
                "full_output_ref": f"analysis/full_outputs/output_{number:03d}.txt",
                "hypothesis_affected": f"hyp_{number:03d}",
                "created_at": f"2026-03-01T09:0{number}:00Z",
            },
            "hypotheses": [self.hypothesis(number, status)],
            "exit_reason": exit_reason,
        }
        self.services.store.runs.put(self.request.request_id, "taken", f"{number:03d}", taken)
        self.tell("round_taken", f"{number:03d}", number=number)

    def rounds(self) -> None:
        self.round(1, "ANALYZE", "CONFIRMED", "Region north fell from 100.5 to 40. South rose from 80 to 82.")
        self.round(2, "PIVOT", "RULED_OUT", "No day is missing in either period.", exit_reason="CONCLUDE")

    def finish(self, *, report: bool = True, status: str = "completed", found: bool = True) -> None:
        run_id = self.request.request_id
        if report:
            explanation = {
                "rank": 1,
                "title": "The north region lost 60.5",
                "likelihood": "Most Likely",
                "evidence": [
                    {
                        "kind": "cell",
                        "observation_id": derived_id(run_id, "o"),
                        "query_hash": "a" * 64,
                        "row": 0,
                        "column": "after",
                        "value": 40,
                    }
                ],
                "reasoning": "It alone explains 96.5% of the change.",
                "causal_story": "Orders in the north fell after a competitor came.",
                "source_hypotheses": ["hyp_001"],
            }
            put = self.services.store.artifacts.put
            put(run_id, "report", "report.md", REPORT.encode(), {}, START)
            put(run_id, "report", "explanations.json", json.dumps([explanation] if found else []).encode(), {}, START)
        self.services.store.runs.update(run_id, answer="The north region lost 60.5.")
        self.services.store.runs.set_status(run_id, status, at=START)  # pyright: ignore[reportArgumentType]
        self.tell("run_finished", status=status)

    def play(self, **ending: Any) -> None:
        self.plan()
        self.rounds()
        self.finish(**ending)


@dataclass
class Desk:
    """Sessions with everything a test moves by hand."""

    services: Services
    clock: Clock
    script: Script
    sessions: Sessions
    asked: list[tuple[str, tuple[str, ...]]]
    answers: dict[str, QueryAnswer]

    def with_files(self) -> str:
        session = self.sessions.create()
        self.sessions.add_file(session.session_id, [ORDERS], "orders.csv", description="One row an order.")
        self.sessions.add_file(session.session_id, [CUSTOMERS], "customers.csv")
        return session.session_id

    def completed(self, **ending: Any) -> str:
        session_id = self.with_files()
        self.sessions.start(session_id, CONTEXT)
        self.script.play(**ending)
        return session_id

    def tree(self, session_id: str) -> set[str]:
        root = self.services.settings.home / "sessions" / session_id
        return {str(path.relative_to(root)) for path in root.rglob("*") if path.is_file()}


@pytest.fixture
def desk(home: Settings, make_desk: Callable[[Settings], Desk]) -> Desk:
    """Sessions of an empty home."""
    return make_desk(home)


@pytest.fixture
def desk_on_each(settings: Settings, make_desk: Callable[[Settings], Desk]) -> Desk:
    """Sessions of an empty home, once on each kind of database."""
    return make_desk(settings)


@pytest.fixture(scope="session")
def embedder(tmp_path_factory: pytest.TempPathFactory) -> Embedder:
    """The standard embedder; its model is built once for all tests and not in each home."""
    return default_embedder(tmp_path_factory.mktemp("models"))


@pytest.fixture
def make_desk(embedder: Embedder) -> Iterator[Callable[[Settings], Desk]]:
    """Opens sessions of a home; all are closed after the test."""
    opened: list[Desk] = []

    def make(settings: Settings) -> Desk:
        opened.append(open_desk(settings, embedder))
        return opened[-1]

    yield make
    for desk in opened:
        desk.services.close()


@pytest.fixture(scope="module")
def talk(tmp_path_factory: pytest.TempPathFactory, embedder: Embedder) -> Iterator[tuple[Desk, str]]:
    """A completed session for all questions of a module, and its id."""
    desk = open_desk(Settings(home=tmp_path_factory.mktemp("talk") / "home"), embedder)
    yield desk, desk.completed()
    desk.services.close()


def open_desk(settings: Settings, embedder: Embedder) -> Desk:
    """Sessions of a home with a clock, a script and answers moved by hand."""
    services = Services(settings)
    services.texts._opened["embedder"] = embedder  # pyright: ignore[reportPrivateUsage]  # built once, see above
    clock, script = Clock(), Script(services)
    asked: list[tuple[str, tuple[str, ...]]] = []
    answers: dict[str, QueryAnswer] = {}

    def ask(question: str, sources: Sequence[str]) -> QueryAnswer:
        asked.append((question, tuple(sources)))
        return answers.get(question, QueryAnswer(answer=None, reason="no column fits."))

    sessions = Sessions(services, begin=script.begin, ask=ask, cancel=script.cancelled.append, clock=clock)
    return Desk(services, clock, script, sessions, asked, answers)
