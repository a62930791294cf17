"""One whole investigation as a client runs it over HTTP: files in, events, a report with proof, questions, the end."""

from __future__ import annotations

import json
import random
import re
import socket
import sqlite3
import threading
from collections.abc import Iterator
from contextlib import closing
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import httpx2
import pytest

from averment.records.base import utc_now
from averment.records.drilldown.files import UploadedFile
from averment.records.drilldown.investigation import AnalysisPlan, DataModel, InvestigationContext
from averment.records.drilldown.loop import FindingsLedger, Hypothesis, IterationLog
from averment.records.drilldown.results import ChatMessage, Explanation, missing_sections
from averment.records.drilldown.session import Session
from averment.settings import Settings
from averment.workbench import Workbench
from lazily import lazily

uvicorn = lazily("uvicorn")
http_app = lazily("averment.faces.http.app")

pytestmark = [pytest.mark.slow]

TOKEN = "the-token-of-the-flow"
CONTEXT = {
    "metric_sql": "SUM(amount)",
    "baseline_period": {"start": "2024-01-01", "end": "2024-01-28"},
    "comparison_period": {"start": "2024-01-29", "end": "2024-02-25"},
    "business_context": "The app had a new checkout at the end of January.",
    "investigation_prompt": "Look at the app.",
}
DESCRIPTIONS = {
    "orders.csv": "One row an order.",
    "customers.csv": "Who buys, and where they live.",
    "stores.csv": "Where orders are taken.",
}
TREE = {
    "metadata.json": Session,
    "context.json": InvestigationContext,
    "files/UUID.csv": None,
    "files/UUID_meta.json": UploadedFile,
    "analysis/schema.json": DataModel,
    "analysis/plan.json": AnalysisPlan,
    "analysis/hypotheses/hyp_NNN.json": Hypothesis,
    "analysis/findings_ledger.json": FindingsLedger,
    "analysis/iterations/iter_NNN.json": IterationLog,
    "analysis/full_outputs/output_NNN.txt": None,
    "results/explanations.json": Explanation,
    "results/breakdown.json": None,
    "report.md": None,
    "chat/history.json": ChatMessage,
}
BEYOND = {"groups", "metric_name", "metric_unit"}
"""Fields beyond the seed's, which are written only where they were given."""
UUID = r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}"


def tables() -> dict[str, bytes]:
    """Three related tables in which the orders of one country by one channel lose three fifths of their amount."""
    chance = random.Random(11)
    customers = [(number, chance.choice(["DE", "FR", "ES"])) for number in range(120)]
    stores = [(1, "web"), (2, "app"), (3, "shop")]
    orders: list[tuple[Any, ...]] = []
    for day in (date(2024, 1, 1) + timedelta(days=number) for number in range(56)):
        for _ in range(90):
            customer, country = chance.choice(customers)
            store, channel = chance.choice(stores)
            amount = chance.gauss(50, 5)
            if day >= date(2024, 1, 29) and channel == "app" and country == "DE":
                amount *= 0.4
            orders.append((len(orders) + 1, day, customer, store, round(amount, 2)))
    return {
        "orders.csv": written("order_id,day,customer_id,store_id,amount", orders),
        "customers.csv": written("customer_id,country", customers),
        "stores.csv": written("store_id,channel", stores),
    }


def written(header: str, rows: list[Any]) -> bytes:
    return "\n".join([header, *(",".join(map(str, row)) for row in rows)]).encode() + b"\n"


@pytest.fixture(scope="module")
def workbench(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workbench]:
    with Workbench(settings=Settings(home=tmp_path_factory.mktemp("drill") / "home")) as opened:
        yield opened


@pytest.fixture(scope="module")
def client(workbench: Workbench) -> Iterator[httpx2.Client]:
    listener = socket.create_server(("127.0.0.1", 0))
    config = uvicorn.Config(http_app.create_app(workbench, token=TOKEN), http="h11", ws="none", log_level="critical")
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]}, daemon=True)
    thread.start()
    url = f"http://127.0.0.1:{listener.getsockname()[1]}"
    with httpx2.Client(base_url=url, headers={"Authorization": f"Bearer {TOKEN}"}, timeout=120) as opened:
        yield opened
    server.should_exit = True
    thread.join()


@pytest.fixture(scope="module")
def told(client: httpx2.Client) -> dict[str, Any]:
    """The investigation, run once for the module: the session's id and the events in their order."""
    session_id = client.post("/v1/sessions").json()["session_id"]
    place = f"/v1/sessions/{session_id}"
    for name, content in tables().items():
        upload = client.post(f"{place}/files", files=[("files", (name, content))])
        assert upload.status_code == 201, upload.text
        described = client.patch(upload.headers["location"], json={"description": DESCRIPTIONS[name]})
        assert described.status_code == 200
    assert client.get(place).json()["status"] == "has_files"
    begun = client.post(f"{place}/investigate", json=CONTEXT)
    assert begun.status_code == 202, begun.text
    assert begun.json()["status"] in {"running", "completed"}
    run_id = re.search(r"/v1/runs/([0-9a-f-]+)", begun.headers["link"]).group(1)  # pyright: ignore[reportOptionalMemberAccess]
    events: list[str] = []
    with client.stream("GET", f"{place}/events") as stream:
        assert stream.headers["content-type"].startswith("text/event-stream")
        events = [line.removeprefix("event: ") for line in stream.iter_lines() if line.startswith("event: ")]
    return {"session_id": session_id, "place": place, "run_id": run_id, "events": events}


def test_the_events_tell_it_from_the_plan_to_the_seal(told: dict[str, Any]) -> None:
    events = told["events"]
    assert events[0] == "run_submitted"
    assert events[-2:] == ["run_sealed", "run_finished"]
    assert events.index("plan_made") < events.index("round_begun") < events.index("round_taken")


@pytest.mark.seed("B-007", "B-084")
def test_the_session_is_completed_as_soon_as_the_events_end(client: httpx2.Client, told: dict[str, Any]) -> None:
    session = client.get(told["place"]).json()
    assert (session["status"], session["report_ready"], session["file_count"]) == ("completed", True, 3)
    standing = client.get(f"{told['place']}/investigation").json()
    assert set(standing) >= {"status", "message"}
    assert standing["status"] == "completed"
    assert standing["message"]


@pytest.mark.seed("B-071", "B-085")
def test_the_report_has_its_six_sections_and_the_planted_cause(client: httpx2.Client, told: dict[str, Any]) -> None:
    report = client.get(f"{told['place']}/report").json()
    assert set(report) == {"content", "generated_at", "status"}
    assert report["status"] == "completed"
    assert missing_sections(report["content"]) == ()
    explanations = client.get(f"{told['place']}/explanations").json()["explanations"]
    assert explanations[0]["likelihood"] == "Most Likely"
    assert {"DE", "app"} <= set(re.findall(r"\w+", explanations[0]["title"]))
    assert explanations[0]["evidence"]


def test_every_iteration_is_there_in_full(client: httpx2.Client, told: dict[str, Any]) -> None:
    found = client.get(f"{told['place']}/iterations").json()
    assert [one["iteration"] for one in found["iterations"]] == list(range(1, len(found["iterations"]) + 1))
    assert len(found["iterations"]) == told["events"].count("round_taken") <= 15
    assert found["iterations"][-1]["decision"] == "CONCLUDE"
    assert all(one["code_executed"] and one["raw_output"] for one in found["iterations"])
    assert "CONFIRMED" in {one["status"] for one in found["hypotheses"]}


def test_every_number_passes_verification(client: httpx2.Client, told: dict[str, Any]) -> None:
    verdict = client.post(f"/v1/runs/{told['run_id']}/verify").json()
    assert verdict["ok"], [check for check in verdict["checks"] if not check["ok"]]


@pytest.mark.seed("B-060", "B-062", "B-087")
def test_three_questions_are_answered_from_records_or_by_a_new_query(
    client: httpx2.Client, told: dict[str, Any], workbench: Workbench
) -> None:
    def ask(question: str) -> dict[str, Any]:
        response = client.post(f"{told['place']}/chat", json={"message": question})
        assert response.status_code == 200, response.text
        return response.json()

    why = ask("Why did the amount fall?")
    assert "DE" in why["response"]
    assert "results/explanations.json" in why["artifacts_referenced"]
    ruled_out = ask("Which hypotheses were ruled out?")
    assert "ruled out" in ruled_out["response"]
    assert all(name.startswith("analysis/") for name in ruled_out["artifacts_referenced"])
    average = ask("What is the average amount by country?")
    assert re.search(r"\d", average["response"])
    assert any(name.startswith("artifacts/tables/") for name in average["artifacts_referenced"])
    home = workbench.settings.home
    assert all((home / name).is_file() for name in average["artifacts_referenced"])
    unknown = ask("Who is the chief executive of the competitor?")
    assert not re.search(r"\d", unknown["response"])
    assert unknown["artifacts_referenced"] == []
    messages = client.get(f"{told['place']}/chat").json()["messages"]
    assert [one["role"] for one in messages] == ["user", "assistant"] * 4
    with closing(sqlite3.connect(home / "db" / "averment.db")) as opened:
        query = "SELECT document_id, content, length(embedding), created_at FROM memory_documents WHERE session_id = ?"
        (memory,) = opened.execute(query, (told["session_id"],)).fetchall()
    assert all(memory)


@pytest.mark.seed("B-021", "B-033", "B-038", "B-041", "B-046", "B-054", "B-059", "B-069", "B-078")
@pytest.mark.seed(
    "B-010",
    "B-020",
    "B-073",
    "B-077",
    "B-001",
    "B-011",
    "B-022",
    "B-023",
    "B-024",
    "B-026",
    "B-034",
    "B-035",
    "B-039",
    "B-040",
    "B-042",
)
@pytest.mark.seed("B-043", "B-044", "B-047", "B-048", "B-049", "B-051", "B-052", "B-056", "B-057", "B-065", "B-066")
@pytest.mark.seed("B-067", "B-068", "B-074", "B-075")
def test_the_storage_tree_is_the_seeds_and_every_file_is_its_record(
    client: httpx2.Client, told: dict[str, Any], workbench: Workbench
) -> None:
    client.post(f"{told['place']}/chat", json={"message": "What was ruled out?"}).raise_for_status()
    root = workbench.settings.home / "sessions" / told["session_id"]
    found = [path for path in root.rglob("*") if path.is_file()]
    shapes = {path: re.sub(r"_\d{3}\.", "_NNN.", re.sub(UUID, "UUID", str(path.relative_to(root)))) for path in found}
    assert set(shapes.values()) == set(TREE)
    for path, shape in shapes.items():
        record = TREE[shape]
        if record is not None:
            body = json.loads(path.read_text(encoding="utf-8"))
            for one in body if isinstance(body, list) else [body]:
                record.model_validate(one)
                assert set(record.model_fields) - BEYOND <= set(one), shape
            if record is Explanation:
                assert [one["rank"] for one in body] == list(range(1, len(body) + 1))


@pytest.mark.seed("B-055")
def test_the_raw_output_of_an_iteration_is_what_its_finding_points_to(
    told: dict[str, Any], workbench: Workbench
) -> None:
    root = workbench.settings.home / "sessions" / told["session_id"]
    ledger = FindingsLedger.model_validate_json((root / "analysis" / "findings_ledger.json").read_text())
    assert ledger.exit_reason == "CONCLUDE"
    for finding in ledger.findings:
        log = json.loads((root / "analysis" / "iterations" / f"iter_{finding.iteration:03d}.json").read_text())
        assert (root / finding.full_output_ref).read_text() == log["raw_output"]


def test_a_start_and_a_file_are_refused_while_an_investigation_runs(
    client: httpx2.Client, told: dict[str, Any]
) -> None:
    again = client.post(f"{told['place']}/investigate", json=CONTEXT)
    assert (again.status_code, again.json()["status"]) == (202, "running")  # A further one, of the same files.
    twice = client.post(f"{told['place']}/investigate", json=CONTEXT)
    assert (twice.status_code, twice.json()["error"]["code"]) == (409, "ILLEGAL_TRANSITION")
    late = client.post(f"{told['place']}/files", files=[("files", ("late.csv", b"a,b\n1,2\n"))])
    assert (late.status_code, late.json()["error"]["code"]) == (409, "ILLEGAL_TRANSITION")


@pytest.mark.seed("B-009", "B-064")
def test_the_session_expires_and_nothing_of_it_is_left(
    client: httpx2.Client, told: dict[str, Any], workbench: Workbench
) -> None:
    workbench.sessions.clock = lambda: utc_now() + timedelta(hours=25)
    gone = client.get(f"{told['place']}/report")
    assert (gone.status_code, gone.json()["error"]["code"]) == (410, "SESSION_EXPIRED")
    assert client.get(told["place"]).json()["status"] == "expired"
    home = workbench.settings.home

    def left() -> list[Path]:
        return [path for path in home.rglob("*") if told["session_id"] in str(path) or told["run_id"] in str(path)]

    # A run that is still closing is deleted by the next sweep.
    for _ in range(200):
        if not left():
            break
        threading.Event().wait(0.05)
        workbench.sessions.sweep()
    assert left() == []
    assert client.get(f"/v1/runs/{told['run_id']}").status_code == 404
    assert workbench.ledger.verify_file(workbench.settings.ledger_path).ok
