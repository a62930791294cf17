"""The records of seed 001, the driller: their fields and limits as one table, and what a table cannot hold."""

from __future__ import annotations

import subprocess
import sys
from datetime import UTC, date, datetime, timedelta
from typing import Any, get_args

import pytest
from table import HASH, Limit, Shape, Steps, among, between, length, limit, rows, shape, share

from averment import errors
from averment.records.base import new_id
from averment.records.drilldown import api, files, investigation, loop, results, session
from averment.records.drilldown.request import DrillRequest

ID, NOW = new_id(), datetime(2026, 1, 23, 10, 30, tzinfo=UTC)
JANUARY, FEBRUARY = {"start": "2024-01-01", "end": "2024-01-31"}, {"start": "2024-02-01", "end": "2024-02-29"}
INPUTS: dict[str, Any] = {"metric_sql": "SUM(amount)", "baseline_period": JANUARY, "comparison_period": FEBRUARY}
ASKED = "business_context investigation_prompt groups metric_name metric_unit"
COLUMN = {"name": "region", "inferred_type": "dimension", "data_type": "string", "cardinality": 1, "nullable": False}
CELL = {"kind": "cell", "observation_id": ID, "query_hash": HASH, "row": 0, "column": "change", "value": -12.5}
PARTS = ("# Revenue: down 12 %", "## Data Model", "## Analysis Performed", "## Explanations",
         "## Recommended Next Steps", "_Generated 2026-01-23T10:30:00Z_")  # fmt: skip
REPORT = "\n\ntext\n\n".join(PARTS)
NO_PERIOD = ("February", None, {**FEBRUARY, "zone": "UTC"}, {"start": "2024-02-01"},
             {"start": "2024-01-31", "end": "2024-01-01"}, {"start": "2024-02-30", "end": "2024-03-01"})  # fmt: skip


def context(values: dict[str, Any]) -> Any:
    return investigation.InvestigationContext.checked(values)


def steps(*numbers: int) -> list[dict[str, Any]]:
    step = {"phase": "exploration", "description": "look", "tables_involved": ["a"], "dimensions_to_check": ["b"]}
    return [{"step_number": number, **step} for number in numbers]


# fmt: off
TABLE: list[Shape | Limit | Steps] = [
    shape("B-001", session.Session, {"status": "created", "created_at": NOW, "expires_at": NOW + timedelta(hours=1)},
          "session_id file_count report_ready", file_count=0, report_ready=False),
    limit("B-001 B-006", session.Session, "file_count", [0, 10], [-1, 11]),
    limit("B-004", session.Session, "expires_at", [NOW + timedelta(microseconds=1)], [NOW]),
    Steps("B-002 B-003", session.SESSION_STATES, session.SessionStatus, "created>has_files has_files>running "
          "running>completed running>failed completed>running failed>has_files created>expired has_files>expired "
          "running>expired completed>expired failed>expired"),
    shape("B-011 B-019", files.UploadedFile, {
        "session_id": ID, "original_name": "a.csv", "description": "what users did", "path": "files/x.csv",
        "row_count": 10, "size_bytes": 1000}, "file_id schema uploaded_at", schema=None),
    limit("B-012", files.UploadedFile, "original_name", ["x" * 251 + ".csv"], ["x" * 252 + ".csv"]),
    length("B-012", files.UploadedFile, "description", 0, 2000),
    limit("B-013", files.UploadedFile, "path", ["files/y.csv"], ["/etc/passwd", "../other/files/x.csv", ""]),
    limit("B-014", files.UploadedFile, "row_count", [1], [0]),
    limit("B-015", files.UploadedFile, "size_bytes", [0, 52_428_800], [52_428_801], "FILE_TOO_LARGE"),
    limit("B-016", files.UploadedFile, "original_name", ["A.CSV"], ["activity.xlsx", "csv"], "INVALID_FILE_TYPE"),
    limit("B-017", files.UploadedFile, "schema", [], [{"columns": []}], "NO_HEADERS"),
    shape("B-022", files.FileSchema, {"columns": [COLUMN]}),
    shape("B-022", files.Column, COLUMN, "sample_values", sample_values=()),
    among("B-023", files.Column, "inferred_type", "dimension measure id timestamp"),
    among("B-023", files.Column, "data_type", "string integer float date datetime"),
    limit("B-023", files.Column, "", [], [{"inferred_type": "metric"}, {"data_type": "decimal"},
                                          {"data_type": "boolean"}]),
    limit("B-024", files.Column, "cardinality", [1], [0]),
    limit("B-024", files.Column, "sample_values", [list("abcde")], [list("abcdef")]),
    shape("B-026", investigation.InvestigationContext, {"session_id": ID, **INPUTS}, f"submitted_at {ASKED}", context,
          business_context=None, investigation_prompt=None, groups=None, metric_name=None, metric_unit=None),
    length("B-027", investigation.InvestigationContext, "business_context", 0, 5000),
    limit("B-027", investigation.InvestigationContext, "metric_sql", ["x" * 2000], ["x" * 2001]),
    length("B-027", investigation.InvestigationContext, "investigation_prompt", 0, 2000),
    limit("B-028", investigation.InvestigationContext, "metric_sql", ["n"], ["", " \n", None], "METRIC_SQL_REQUIRED"),
    limit("B-031", investigation.InvestigationContext, "comparison_period", [], NO_PERIOD, "INVALID_DATE_RANGE"),
    limit("B-031", investigation.InvestigationContext, "baseline_period", [], NO_PERIOD, "INVALID_DATE_RANGE"),
    limit("B-032", investigation.InvestigationContext, "comparison_period",
          [FEBRUARY, JANUARY, {"start": "2023-12-01", "end": "2024-01-15"}]),
    shape("B-034", investigation.DataModel, {"session_id": ID, "tables": [], "recommended_dimensions": ["region"]},
          "relationships inferred_at", relationships=()),
    shape("B-035", investigation.TableInfo, {"file_id": ID, "name": "orders", "row_count": 0, "column_count": 0}),
    limit("B-035", investigation.TableInfo, "row_count", [], [-1]),
    limit("B-035", investigation.TableInfo, "column_count", [], [-1]),
    shape("B-036", investigation.Relationship, {
        "from_table": "orders", "from_column": "customer_id", "to_table": "customers", "to_column": "id",
        "relationship_type": "foreign_key", "confidence": 0.98}),
    among("B-036", investigation.Relationship, "relationship_type", "foreign_key similar_values"),
    share("B-036", investigation.Relationship, "confidence"),
    shape("B-039", investigation.AnalysisPlan, {"session_id": ID, "steps": steps(1)}, "created_at"),
    limit("B-039", investigation.AnalysisPlan, "steps", [steps(1, 2, 3)], [steps(3, 2, 1), steps(1, 1)]),
    shape("B-040", investigation.PlanStep, steps(1)[0]),
    among("B-040", investigation.PlanStep, "phase", "exploration hypothesis_generation validation"),
    limit("B-040", investigation.PlanStep, "step_number", [1], [0]),
    shape("B-042", loop.Hypothesis, {
        "hypothesis_id": "hyp_001", "session_id": ID, "title": "Fewer orders", "causal_story": "A warehouse closed.",
        "dimensions": ["region"], "expected_pattern": "one region falls", "priority": 1, "status": "PENDING"},
        "created_at"),
    limit("B-042", loop.Hypothesis, "hypothesis_id", ["hyp_1000"],
          ["1", "hyp_1", "hyp_001/../x", "HYP_001", "hyp_001\n"]),
    length("B-043", loop.Hypothesis, "title", 0, 100),
    length("B-043", loop.Hypothesis, "causal_story", 0, 500),
    between("B-044", loop.Hypothesis, "priority", 1, 10),
    among("B-045", loop.Hypothesis, "status", "PENDING INVESTIGATING CONFIRMED RULED_OUT"),
    Steps("B-045", loop.HYPOTHESIS_STATES, loop.HypothesisStatus, "PENDING>INVESTIGATING INVESTIGATING>CONFIRMED "
          "INVESTIGATING>RULED_OUT INVESTIGATING>PENDING"),
    shape("B-047", loop.Finding, {"finding_id": "find_001", "iteration": 1, "summary": "The north fell.",
                                  "full_output_ref": "analysis/full_outputs/output_001.txt"},
          "hypothesis_affected created_at", hypothesis_affected=None),
    limit("B-047", loop.Finding, "finding_id", [], ["find_1", "1"]),
    limit("B-047", loop.Finding, "full_output_ref", [], ["/etc/passwd", "../x", ""]),
    between("B-048", loop.Finding, "iteration", 1, 15),
    length("B-049", loop.Finding, "summary", 0, 500),
    shape("B-051", loop.IterationLog, {"iteration": 1, "decision": "ANALYZE", "code_executed": "scan(region)",
                                       "raw_output": "…", "compressed_summary": "…"},
          "hypothesis_status_changes timestamp", hypothesis_status_changes=None),
    limit("B-051", loop.IterationLog, "hypothesis_status_changes", [{"hyp_001": "CONFIRMED"}], [{"hyp_001": "MAYBE"}]),
    between("B-048", loop.IterationLog, "iteration", 1, 15),
    among("B-052", loop.IterationLog, "decision", "ANALYZE DRILL_DOWN PIVOT CONCLUDE"),
    shape("B-056", loop.FindingsLedger, {"session_id": ID, "findings": [], "total_iterations": 1,
          "hypothesis_outcomes": {"hyp_001": "CONFIRMED"}, "exit_reason": "CONCLUDE"}, "created_at"),
    between("B-056", loop.FindingsLedger, "total_iterations", 0, 15),
    among("B-057", loop.FindingsLedger, "exit_reason", "CONCLUDE MAX_ITERATIONS STALL_DETECTED"),
    shape("B-060", results.MemoryDocument, {"session_id": ID, "content": "memory", "embedding": [0.5]},
          "document_id created_at"),
    limit("B-060", results.MemoryDocument, "embedding", [[0.5] * many for many in (1, 384, 1536)],
          [[], [float("nan")], [float("inf")]]),
    shape("B-065", results.Explanation, {
        "rank": 1, "title": "The north fell", "likelihood": "Most Likely", "evidence": [CELL],
        "reasoning": "It carries most of it.", "causal_story": "A warehouse closed.", "source_hypotheses": ["hyp_001"]},
        "kind fault segment effect share"),
    length("B-066", results.Explanation, "title", 0, 100),
    length("B-066", results.Explanation, "reasoning", 0, 1000),
    length("B-066", results.Explanation, "causal_story", 0, 500),
    limit("B-067", results.Explanation, "", [{"rank": 2, "likelihood": "Likely"}],
          [{"likelihood": "Likely"}, {"rank": 3, "likelihood": "Possible"}, {"rank": 6, "likelihood": "Possible"},
           {"rank": 0}]),
    shape("B-070", results.Report, {"session_id": ID, "content": REPORT, "status": "completed"}, "generated_at"),
    among("B-070", results.Report, "status", "completed no_findings"),
    limit("B-071", results.Report, "content", [REPORT], [REPORT.replace(part, "") for part in PARTS]),
    shape("B-074", results.ChatMessage, {"session_id": ID, "role": "user", "content": "why?"},
          "message_id timestamp artifacts_referenced", artifacts_referenced=()),
    among("B-075", results.ChatMessage, "role", "user assistant"),
    length("B-075", results.ChatMessage, "content", 0, 5000),
    shape("B-079", api.SessionCreate, {}),
    shape("B-080", api.SessionResponse, {"session_id": ID, "status": "created", "created_at": NOW, "expires_at": NOW},
          "file_count report_ready", file_count=0, report_ready=False),
    among("B-080", api.SessionResponse, "status", "created has_files running completed failed expired"),
    shape("B-081", api.FileUploadResponse, {"file_id": ID, "original_name": "a.csv", "row_count": 1, "size_bytes": 1}),
    limit("B-081", api.FileUploadResponse, "file_id", [], ["x"]),
    shape("B-082", api.FileMetadataUpdate, {"description": "x"}),
    length("B-082", api.FileMetadataUpdate, "description", 0, 2000),
    shape("B-083", api.InvestigationRequest, INPUTS, ASKED),
    length("B-083", api.InvestigationRequest, "business_context", 0, 5000),
    limit("B-083", api.InvestigationRequest, "metric_sql", ["x" * 2000], ["x" * 2001]),
    length("B-083", api.InvestigationRequest, "investigation_prompt", 0, 2000),
    shape("B-084", api.InvestigationResponse, {"status": "running", "message": "x"}),
    among("B-084", api.InvestigationResponse, "status", "running completed failed"),
    shape("B-085", api.ReportResponse, {"content": "#", "generated_at": NOW, "status": "completed"}),
    among("B-085", api.ReportResponse, "status", "completed no_findings"),
    shape("B-086", api.ChatRequest, {"message": "x"}),
    length("B-086", api.ChatRequest, "message", 0, 5000),
    shape("B-087", api.ChatResponse, {"response": "because"}, "artifacts_referenced", artifacts_referenced=()),
]
# fmt: on


@rows(TABLE)
def test_a_record_takes_what_the_seed_gives_it_and_refuses_the_rest(row: Any) -> None:
    row.check()


def opened(count: int = 0) -> session.Session:
    made = session.Session.opened(timeout_hours=24, at=NOW)
    for _ in range(count):
        made = made.with_file()
    return made


@pytest.mark.seed("B-004", "B-005", "B-006", "B-007", "B-008", "B-029")
def test_a_session_lives_from_its_first_file_to_its_report() -> None:
    assert opened().expires_at - NOW == timedelta(hours=24)
    assert not opened().is_expired(opened().expires_at)
    assert opened().is_expired(opened().expires_at + timedelta(microseconds=1))
    assert [(opened(count).status, opened(count).file_count) for count in (0, 1, 2)] == [
        ("created", 0), ("has_files", 1), ("has_files", 2)
    ]  # fmt: skip
    running = opened(1).started()
    assert running.status == "running"
    for refused, error in (
        (opened(10).with_file, errors.MaxFilesExceeded),
        (running.with_file, errors.IllegalTransition),
        (opened().started, errors.NoFilesUploaded),
        (running.started, errors.IllegalTransition),
        (lambda: opened().moved("running"), errors.IllegalTransition),
    ):
        with pytest.raises(error):
            refused()
    assert not running.moved("failed").report_ready
    assert running.moved("completed").moved("expired").report_ready
    assert not running.moved("completed").started().report_ready


@pytest.mark.seed("B-076")
@pytest.mark.parametrize("status", sorted(set(get_args(session.SessionStatus)) - {"completed"}))
def test_a_question_before_completion_is_refused(status: str) -> None:
    with pytest.raises(errors.InvestigationNotComplete):
        opened().changed(status=status).check_answerable()
    opened().changed(status="completed").check_answerable()


@pytest.mark.seed("B-088")
def test_each_of_the_eight_codes_has_its_error() -> None:
    assert set(session.ERROR_OF_CODE) == {
        "MAX_FILES_EXCEEDED", "FILE_TOO_LARGE", "INVALID_FILE_TYPE", "NO_HEADERS", "METRIC_SQL_REQUIRED",
        "NO_FILES_UPLOADED", "INVALID_DATE_RANGE", "INVESTIGATION_NOT_COMPLETE",
    }  # fmt: skip
    assert all(error.code == code for code, error in session.ERROR_OF_CODE.items())


@pytest.mark.seed("B-045")
def test_a_hypothesis_moves_by_its_table() -> None:
    shaped = next(row for row in TABLE if isinstance(row, Shape) and row.kind is loop.Hypothesis)
    pending = loop.Hypothesis.model_validate(shaped.needed)
    assert pending.moved("INVESTIGATING").status == "INVESTIGATING"
    with pytest.raises(errors.IllegalTransition):
        pending.moved("CONFIRMED")


@pytest.mark.seed("B-015", "B-016", "B-017")
def test_a_file_that_may_not_be_uploaded_is_refused_before_it_is_kept() -> None:
    good: dict[str, Any] = {"original_name": "A.CSV", "size_bytes": 52_428_800, "has_header": True}
    files.check_upload(**good)
    wrongs: tuple[tuple[str, Any, type[errors.AvermentError]], ...] = (
        ("size_bytes", 52_428_801, errors.FileTooLarge),
        ("original_name", "a.csv.exe", errors.InvalidFileType),
        ("has_header", False, errors.NoHeaders),
    )
    for name, value, error in wrongs:
        wrong: dict[str, Any] = {**good, name: value}
        with pytest.raises(error):
            files.check_upload(**wrong)


def test_the_seeds_field_name_schema_gives_no_warning() -> None:
    command = [sys.executable, "-W", "error", "-c", "import averment.records.drilldown.files"]
    assert subprocess.run(command, capture_output=True, check=False).returncode == 0


@pytest.mark.seed("B-030", "B-031")
def test_both_ends_of_a_period_belong_to_it_and_both_periods_are_needed() -> None:
    assert investigation.DateRange(start=date(2024, 2, 1), end=date(2024, 2, 29)).days == 29
    assert investigation.DateRange(start=date(2024, 2, 1), end=date(2024, 2, 1)).days == 1
    for missing, error in (
        ("baseline_period", errors.InvalidDateRange),
        ("comparison_period", errors.InvalidDateRange),
        ("metric_sql", errors.MetricSqlRequired),
    ):
        with pytest.raises(error):
            context({"session_id": ID, **{name: INPUTS[name] for name in INPUTS if name != missing}})


@pytest.mark.seed("B-067", "B-071")
def test_a_rank_tells_the_likelihood_and_a_missing_part_is_named() -> None:
    likely = ["Most Likely", "Likely", "Likely", "Possible", "Possible", "Less Likely", "Less Likely"]
    assert [results.likelihood_of(rank) for rank in range(1, 8)] == likely
    with pytest.raises(ValueError):
        results.likelihood_of(0)
    names = ("Header", *results.REPORT_HEADINGS, "Footer")
    assert [results.missing_sections(REPORT.replace(part, "")) for part in PARTS] == [(name,) for name in names]


GIVEN: dict[str, Any] = {"data_sources": ["orders.csv"], **INPUTS, "baseline_period": ("2024-01-01", "2024-01-31")}


def test_a_request_says_its_question_and_takes_three_minutes() -> None:
    request = DrillRequest.checked(**GIVEN)
    long: dict[str, Any] = {**GIVEN, "metric_sql": f"SUM({'x' * 1_990})"}
    assert "SUM(amount)" in request.intent and "2024-02-29" in request.intent
    assert request.constraints.timeout_seconds == 180
    assert DrillRequest.checked(**GIVEN, timeout_seconds=20).constraints.timeout_seconds == 20
    assert request.context.session_id == request.session_id == request.request_id
    assert DrillRequest.model_validate(request.model_dump(mode="json")) == request
    assert len(DrillRequest.checked(**long).intent) <= 2_000


@pytest.mark.parametrize(
    ("change", "code"),
    [
        ({"data_sources": []}, "NO_FILES_UPLOADED"),
        ({"data_sources": ["f.csv"] * 11}, "MAX_FILES_EXCEEDED"),
        ({"metric_sql": "  "}, "METRIC_SQL_REQUIRED"),
        ({"metric_sql": None}, "METRIC_SQL_REQUIRED"),
        ({"baseline_period": ("2024-02-01", "2024-01-01")}, "INVALID_DATE_RANGE"),
        ({"comparison_period": None}, "INVALID_DATE_RANGE"),
        ({"comparison_period": "some week"}, "INVALID_DATE_RANGE"),
        ({"timeout_seconds": 181}, "TIMEOUT_OUT_OF_RANGE"),
        ({"business_context": "x" * 5_001}, "INVALID_REQUEST"),
    ],
)
def test_what_is_wrong_has_its_own_error(change: dict[str, Any], code: str) -> None:
    with pytest.raises(errors.AvermentError) as refused:
        DrillRequest.checked(**{**GIVEN, **change})
    assert refused.value.code == code
