"""One question of one CSV, from request to proof."""

import json
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from averment import Workbench
from averment.errors import (
    ColumnNotAllowed,
    IntentEmpty,
    IntentTooLong,
    InvalidFileType,
    NoRows,
    NoSources,
    PatternBlocked,
    PlanTooCostly,
    RowLimitOutOfRange,
    SourceEmpty,
    SourceNotFound,
    SourceVanished,
    TimeoutOutOfRange,
    UnknownDeliverable,
)
from averment.runtime.events import Event
from averment.runtime.run_json import KeptReading
from averment.settings import Settings

QUESTION = "total amount by region in 2024"


@pytest.mark.seed("A-095")
@pytest.mark.seed("A-103")
def test_a_question_becomes_a_table_a_chart_and_a_proven_report(workbench_on_each: Workbench, sales: Path) -> None:
    events: list[Event] = []
    run = workbench_on_each.analyze(QUESTION, [sales], on_event=events.append)
    assert run.status == "completed"
    assert run.table is not None
    assert run.table.to_pydict() == {
        "region": ["West", "East", "North"],
        "total amount": [Decimal("13.60"), Decimal("8.40"), Decimal("8.00")],
    }
    names = {Path(artifact.content_ref).name for artifact in run.artifacts}
    assert names == {"result.csv", "chart.png", "chart.vl.json", "report.md", "report_chart.png", "summary.txt"}
    assert run.answer is not None
    assert all(figure in run.answer for figure in ("13.60", "8.40"))
    assert run.report is not None
    assert f"Certainty: {run.marks.interpretation.certainty}." in run.report
    assert workbench_on_each.verify(run.id).ok
    kinds = [event.type for event in events]
    assert kinds[0] == "run_submitted"
    assert kinds[-2:] == ["run_sealed", "run_finished"]
    assert [event.seq for event in events] == list(range(1, len(events) + 1))
    assert workbench_on_each.runs.events(run.id) == events


@pytest.mark.seed("A-071", "A-072", "A-073", "A-074", "A-084")
def test_files_lie_where_the_seeds_draw_them_with_their_metadata(workbench: Workbench, sales: Path) -> None:
    run = workbench.analyze(QUESTION, [sales])
    home = workbench.settings.home
    metadata = {Path(a.content_ref).name: (a.content_ref, a.metadata) for a in run.artifacts}
    assert metadata["result.csv"] == (
        f"artifacts/tables/{run.id}/result.csv",
        {"row_count": 3, "column_names": ["region", "total amount"]},
    )
    assert metadata["chart.png"] == (
        f"artifacts/charts/{run.id}/chart.png",
        {"chart_type": "bar", "x_label": "region", "y_label": "total amount"},
    )
    place, about = metadata["report.md"]
    assert place == f"artifacts/reports/{run.id}/report.md"
    assert about["format"] == "markdown"
    assert about["section_count"] == (home / place).read_text().count("\n## ")
    assert (home / "logs" / "data_agent_runs.jsonl").is_file()


def test_every_number_of_the_findings_is_a_cell(workbench: Workbench, sales: Path) -> None:
    run = workbench.analyze(QUESTION, [sales])
    kinds = {slot.evidence.kind for finding in run.findings for slot in finding.slots.values()}
    assert kinds
    assert kinds <= {"cell", "result", "derived"}
    said = {slot.text for finding in run.findings for slot in finding.slots.values()}
    assert {"13.60", "8.40"} <= said


def test_the_same_question_gives_the_same_bytes(workbench: Workbench, sales: Path, tmp_path: Path) -> None:
    first = workbench.analyze(QUESTION, [sales])
    second = workbench.analyze(QUESTION, [sales])
    assert first.differences(second) == ()
    kept = {Path(a.content_ref).name: workbench.show(first.id).path_of(a).read_bytes() for a in first.artifacts}
    workbench.close()
    with Workbench(settings=Settings(home=tmp_path / "other")) as elsewhere:
        third = elsewhere.analyze(QUESTION, [sales])
        assert {Path(a.content_ref).name: third.path_of(a).read_bytes() for a in third.artifacts} == kept


def test_a_replay_gives_the_same_bytes_without_the_reasoner(workbench_on_each: Workbench, sales: Path) -> None:
    run = workbench_on_each.analyze(QUESTION, [sales])
    again, different = workbench_on_each.runs.replay(run.id)
    assert different == ()
    assert again.id != run.id
    assert workbench_on_each.verify(again.id).ok


@pytest.mark.parametrize(
    ("question", "columns"),
    [
        ("average amount", ["average amount"]),
        ("how many rows per product", ["product", "rows"]),
        ("total amount by month", ["month of order_date", "total amount"]),
        ("total amount for West by product", ["product", "total amount"]),
        ("median amount by region since February 2024", ["region", "median amount"]),
    ],
)
def test_other_simple_questions_are_read(workbench: Workbench, sales: Path, question: str, columns: list[str]) -> None:
    run = workbench.analyze(question, [sales])
    assert run.status == "completed"
    assert run.table is not None
    assert run.table.column_names == columns


def test_a_word_that_finds_no_place_is_asked_back(workbench: Workbench, sales: Path) -> None:
    run = workbench.analyze("total amount by galaxy in 2024", [sales])
    assert run.status == "clarification_needed"
    assert run.answer is not None
    assert "galaxy" in run.answer
    assert run.artifacts == ()
    assert workbench.verify(run.id).ok


def test_a_period_without_rows_is_said_to_be_empty(workbench: Workbench, sales: Path) -> None:
    run = workbench.analyze("total amount by region in 1999", [sales])
    if run.status == "clarification_needed":
        run = workbench.choose(run, 1)
    assert run.status == "completed"
    assert [claim.relation for claim in run.claims] == ["none"]
    assert workbench.verify(run.id).ok


def test_only_what_was_asked_for_is_delivered(workbench: Workbench, sales: Path) -> None:
    run = workbench.analyze(QUESTION, [sales], deliverables=["tables"])
    assert {artifact.artifact_type for artifact in run.artifacts} == {"table"}


@pytest.mark.seed("A-016")
def test_a_column_outside_the_allow_list_is_not_read(workbench: Workbench, sales: Path) -> None:
    run = workbench.analyze(QUESTION, [sales], policy={"allowed_columns": ["region", "amount", "order_date"]})
    assert run.status == "completed"
    refused = workbench.analyze(QUESTION, [sales], policy={"allowed_columns": ["amount", "order_date"]})
    assert refused.status == "clarification_needed"


@pytest.mark.seed("A-017")
def test_a_blocked_value_never_leaves(workbench: Workbench, tmp_path: Path) -> None:
    path = tmp_path / "people.csv"
    path.write_text("contact,amount\nann@example.com,1\nbob@example.com,2\nann@example.com,3\n")
    with pytest.raises((PatternBlocked, ColumnNotAllowed)) as caught:
        workbench.analyze("total amount by contact", [path], policy={"blocked_patterns": ["email"]})
    run = workbench.show(str(caught.value.details["run_id"]))
    assert run.status == "failed"
    home = workbench.settings.home
    assert not any(b"ann@example.com" in p.read_bytes() for p in (home / "work").rglob("*") if p.is_file())


BAD_REQUESTS = [
    ({"intent": ""}, IntentEmpty),
    ({"intent": "x" * 2001}, IntentTooLong),
    ({"row_limit": 0}, RowLimitOutOfRange),
    ({"row_limit": 200_001}, RowLimitOutOfRange),
    ({"timeout_seconds": 0}, TimeoutOutOfRange),
    ({"timeout_seconds": 181}, TimeoutOutOfRange),
    ({"deliverables": ["songs"]}, UnknownDeliverable),
    ({"sources": []}, NoSources),
    ({"sources": ["nowhere.csv"]}, SourceNotFound),
]


@pytest.mark.parametrize(("change", "error"), BAD_REQUESTS)
def test_a_bad_request_is_refused_by_its_own_code_and_leaves_nothing(
    workbench: Workbench, sales: Path, change: dict[str, object], error: type[Exception]
) -> None:
    request = {"intent": QUESTION, "sources": [sales], **change}
    with pytest.raises(error):
        workbench.analyze(**request)  # type: ignore[arg-type]
    assert workbench.runs.list() == []
    assert not (workbench.settings.home / "artifacts").exists()


@pytest.mark.parametrize(
    ("content", "error"),
    [
        (b"", SourceEmpty),
        (b"\n\n  \n", SourceEmpty),
        (b"a,b\n", NoRows),
        (b"\x7fELF\x02\x01\x01\x00" + bytes(200), InvalidFileType),
    ],
)
def test_a_bad_file_is_refused_by_its_own_code_and_leaves_nothing(
    workbench: Workbench, tmp_path: Path, content: bytes, error: type[Exception]
) -> None:
    path = tmp_path / "bad.csv"
    path.write_bytes(content)
    with pytest.raises(error):
        workbench.analyze(QUESTION, [path])
    assert workbench.runs.list() == []


def test_a_source_that_is_deleted_in_mid_run_ends_it_by_its_own_code(workbench: Workbench, sales: Path) -> None:
    def delete(event: Event) -> None:
        if event.type == "plan_made":
            sales.unlink()

    with pytest.raises(SourceVanished):
        workbench.analyze(QUESTION, [sales], on_event=delete)
    run = workbench.runs.list()[0]
    assert run.status == "failed"
    assert run.artifacts == ()


def test_a_failed_run_goes_on_once_its_source_is_back(workbench_on_each: Workbench, sales: Path) -> None:
    content = sales.read_bytes()

    def delete(event: Event) -> None:
        if event.type == "plan_made":
            sales.unlink()

    with pytest.raises(SourceVanished):
        workbench_on_each.analyze(QUESTION, [sales], on_event=delete)
    sales.write_bytes(content)
    run = workbench_on_each.runs.resume(workbench_on_each.runs.list()[0].id)
    assert run.status == "completed"
    assert workbench_on_each.verify(run.id).ok


@pytest.mark.seed("A-026")
def test_a_plan_that_cannot_fit_its_time_is_refused(workbench: Workbench, tmp_path: Path) -> None:
    from averment.agents.analyst import tasks

    path = tmp_path / "t.csv"
    path.write_text("region,amount\nWest,1\nEast,2\n")
    before = tasks.ROWS_PER_SECOND
    tasks.ROWS_PER_SECOND = 1  # type: ignore[misc]
    try:
        with pytest.raises(PlanTooCostly):
            workbench.analyze("total amount by region", [path], timeout_seconds=2)
    finally:
        tasks.ROWS_PER_SECOND = before  # type: ignore[misc]


def test_a_run_can_be_cancelled(workbench_on_each: Workbench, sales: Path) -> None:
    from averment.errors import RunCancelled

    def stop(event: Event) -> None:
        if event.type == "call_started":
            workbench_on_each.runs.cancel(event.run_id)

    with pytest.raises(RunCancelled):
        workbench_on_each.analyze(QUESTION, [sales], on_event=stop)
    run = workbench_on_each.runs.list()[0]
    assert run.status == "cancelled"
    resumed = workbench_on_each.runs.resume(run.id)
    assert resumed.status == "completed"


def test_a_stop_while_the_question_is_read_is_not_taken_for_a_reading_that_failed(
    workbench: Workbench, sales: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from averment.errors import RunCancelled
    from averment.records.base import new_id
    from averment.tables.engines.engine import Engine

    run_id, asked = new_id(), 0
    run_query = Engine.run

    def stop_first(engine: Engine, *arguments: Any, **options: Any) -> Any:
        nonlocal asked
        asked += 1
        workbench.runs.cancel(run_id)
        return run_query(engine, *arguments, **options)

    monkeypatch.setattr(Engine, "run", stop_first)
    with pytest.raises(RunCancelled):
        workbench.analyze(QUESTION, [sales], run_id=run_id)
    assert workbench.show(run_id).status == "cancelled"
    assert asked == 1


def test_an_export_carries_the_report_the_picture_and_the_proof(
    workbench: Workbench, sales: Path, tmp_path: Path
) -> None:
    run = workbench.analyze(QUESTION, [sales])
    html = workbench.runs.export(run.id, "html", tmp_path / "r.html").read_text()
    assert run.id in html
    assert "data:image/png;base64," in html
    assert "13.60" in html
    markdown = workbench.runs.export(run.id, "md", tmp_path / "r.md").read_text()
    assert run.report is not None
    assert markdown.startswith(run.report)
    assert str(run.proof().run_root) in markdown


def test_a_run_is_one_json_document(workbench: Workbench, sales: Path) -> None:
    body = json.loads(json.dumps(workbench.analyze(QUESTION, [sales]).as_dict()))
    assert {"id", "status", "answer", "reading", "findings", "artifacts", "report", "plan", "proof"} <= set(body)
    assert set(body["reading"]) <= KeptReading.__annotations__.keys()


def test_a_notebook_with_its_running_loop_can_ask(workbench: Workbench, sales: Path) -> None:
    import asyncio

    async def cell() -> str:
        run = workbench.analyze(QUESTION, [sales])
        assert workbench.verify(run.id).ok
        return run.status

    assert asyncio.run(cell()) == "completed"


@pytest.mark.parametrize("question", ["how much was paid in cash?", "how much have we raised", "how much did we earn"])
def test_how_much_is_never_answered_by_how_often_or_when(workbench: Workbench, tmp_path: Path, question: str) -> None:
    path = tmp_path / "receipts.csv"
    rows = ["1,2024-01-03,Cash,10.5", "2,2024-01-04,card,30.0", "3,2024-01-05,cash,5.0", "4,2024-01-06,card,20.0"]
    path.write_text("\n".join(["receipt,paid_on,method,amount", *rows]))
    run = workbench.analyze(question, [path])
    assert run.status == "clarification_needed" or "total amount" in (run.read_back or "")
