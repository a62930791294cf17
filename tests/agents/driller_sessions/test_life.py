"""A session from its first file to its report: states, files, refusals, and the tree that seed 001 draws."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

import pytest

from averment.errors import (
    AvermentError,
    FileTooLarge,
    IllegalTransition,
    InvalidDateRange,
    InvalidFileType,
    InvalidRequest,
    InvestigationNotComplete,
    MaxFilesExceeded,
    MetricSqlRequired,
    NoFilesUploaded,
    NoHeaders,
    NoRows,
    SessionNotFound,
    SourceNotFound,
)
from averment.records.drilldown.files import MAX_FILE_BYTES
from averment.records.drilldown.session import MAX_FILES, Session

CONTEXT = {
    "metric_sql": "SUM(amount)",
    "baseline_period": {"start": "2024-01-01", "end": "2024-01-31"},
    "comparison_period": {"start": "2024-02-01", "end": "2024-02-29"},
}
SMALL = b"day,amount\n2024-01-01,1\n2024-02-01,2\n"


@pytest.mark.seed("B-010")
def test_a_session_goes_from_created_to_completed_and_its_metadata_follows(desk_on_each: Any) -> None:
    seen: list[str] = []

    def note(session_id: str) -> None:
        body = json.loads((desk_on_each.services.settings.home / "sessions" / session_id / "metadata.json").read_text())
        session = desk_on_each.sessions.get(session_id)
        assert Session.model_validate(body) == session
        seen.append(session.status)

    session_id = desk_on_each.sessions.create().session_id
    note(session_id)
    desk_on_each.sessions.add_file(session_id, [SMALL], "sales.csv")
    note(session_id)
    desk_on_each.sessions.start(session_id, CONTEXT)
    note(session_id)
    desk_on_each.script.play()
    note(session_id)
    assert seen == ["created", "has_files", "running", "completed"]
    assert desk_on_each.sessions.get(session_id).report_ready


@pytest.mark.parametrize("status", ["failed", "cancelled"])
def test_a_run_that_ends_badly_leaves_a_failed_session(desk_on_each: Any, status: str) -> None:
    session_id = desk_on_each.completed(report=False, status=status)
    assert desk_on_each.sessions.get(session_id).status == "failed"
    with pytest.raises(InvestigationNotComplete):
        desk_on_each.sessions.report(session_id)


@pytest.mark.seed("B-020", "B-073")
def test_the_tree_is_the_one_the_seed_draws(desk: Any) -> None:
    session_id = desk.completed()
    desk.sessions.chat(session_id, "Why did it change?")
    files = [upload.file_id for upload in desk.sessions.files(session_id)]
    assert desk.tree(session_id) == {
        "metadata.json",
        "context.json",
        *(f"files/{file_id}.csv" for file_id in files),
        *(f"files/{file_id}_meta.json" for file_id in files),
        "analysis/schema.json",
        "analysis/plan.json",
        "analysis/hypotheses/hyp_001.json",
        "analysis/hypotheses/hyp_002.json",
        "analysis/findings_ledger.json",
        "analysis/iterations/iter_001.json",
        "analysis/iterations/iter_002.json",
        "analysis/full_outputs/output_001.txt",
        "analysis/full_outputs/output_002.txt",
        "results/explanations.json",
        "report.md",
        "chat/history.json",
    }


def test_the_tree_grows_round_by_round_and_writing_it_again_changes_nothing(desk_on_each: Any) -> None:
    session_id = desk_on_each.with_files()
    run_id = desk_on_each.sessions.start(session_id, CONTEXT)
    desk_on_each.script.plan()
    assert "analysis/schema.json" in desk_on_each.tree(session_id)
    assert not [name for name in desk_on_each.tree(session_id) if "iter_" in name]
    desk_on_each.script.rounds()
    assert [one.iteration for one in desk_on_each.sessions.iterations(session_id)] == [1, 2]
    assert [one.status for one in desk_on_each.sessions.hypotheses(session_id)] == ["CONFIRMED", "RULED_OUT"]
    assert desk_on_each.sessions.get(session_id).status == "running"
    desk_on_each.script.finish()
    root = desk_on_each.services.settings.home / "sessions" / session_id
    before = {path: (path.read_bytes(), path.stat().st_mtime_ns) for path in root.rglob("*") if path.is_file()}
    desk_on_each.sessions.mirror(run_id)
    assert before == {path: (path.read_bytes(), path.stat().st_mtime_ns) for path in before}


def test_a_run_that_nobody_listened_to_is_in_the_tree_at_the_next_look(desk_on_each: Any) -> None:
    session_id = desk_on_each.with_files()
    desk_on_each.sessions.start(session_id, CONTEXT)
    desk_on_each.script.listeners[desk_on_each.script.request.request_id] = lambda _: None
    desk_on_each.script.play()
    assert "report.md" not in desk_on_each.tree(session_id)
    assert desk_on_each.sessions.get(session_id).status == "completed"
    assert {"report.md", "analysis/findings_ledger.json"} <= desk_on_each.tree(session_id)


def test_a_run_whose_session_was_not_marked_before_a_crash_marks_it_itself(desk_on_each: Any) -> None:
    session_id = desk_on_each.with_files()
    begin = desk_on_each.script.begin

    def crash(request: Any, listener: Any) -> str:
        begin(request, listener)
        raise KeyboardInterrupt

    desk_on_each.sessions._begin = crash
    with pytest.raises(KeyboardInterrupt):
        desk_on_each.sessions.start(session_id, CONTEXT)
    assert desk_on_each.sessions.get(session_id).status == "has_files"
    desk_on_each.script.plan()
    assert desk_on_each.sessions.get(session_id).status == "running"


def test_the_request_names_the_files_as_their_user_did(desk: Any) -> None:
    session_id = desk.with_files()
    desk.sessions.start(session_id, CONTEXT)
    request = desk.script.request
    assert [file.name for file in request.files] == ["orders.csv", "customers.csv"]
    assert [file.description for file in request.files] == ["One row an order.", ""]
    assert [source.file_path.rpartition("/")[2] for source in request.data_sources] == ["orders.csv", "customers.csv"]
    assert [file.file_id for file in request.files] == [one.file_id for one in desk.sessions.files(session_id)]
    assert request.session_id == session_id


@pytest.mark.seed("B-025")
def test_an_upload_knows_its_columns_rows_and_size(desk: Any) -> None:
    session_id = desk.with_files()
    upload = desk.sessions.files(session_id)[0]
    assert upload.row_count == 4
    assert upload.size_bytes == (desk.services.settings.home / upload.path).stat().st_size
    roles = {column.name: column.inferred_type for column in upload.schema.columns}
    assert roles == {
        "order_id": "id",
        "day": "timestamp",
        "region": "dimension",
        "customer_id": "id",
        "amount": "measure",
    }
    region = upload.schema.columns[2]
    assert (region.cardinality, set(region.sample_values), region.nullable) == (2, {"north", "south"}, False)


def test_a_description_can_be_given_until_the_investigation_starts(desk: Any) -> None:
    session_id = desk.with_files()
    file_id = desk.sessions.files(session_id)[1].file_id
    desk.sessions.describe(session_id, file_id, "Who buys.")
    assert desk.sessions.files(session_id)[1].description == "Who buys."
    with pytest.raises(InvalidRequest):
        desk.sessions.describe(session_id, file_id, "x" * 2001)
    desk.sessions.start(session_id, CONTEXT)
    with pytest.raises(IllegalTransition):
        desk.sessions.describe(session_id, file_id, "Too late.")


def test_a_removed_file_is_gone_under_both_of_its_names(desk: Any) -> None:
    session_id = desk.with_files()
    orders, customers = desk.sessions.files(session_id)
    assert desk.sessions.remove_file(session_id, orders.file_id).file_count == 1
    assert desk.sessions.files(session_id) == (customers,)
    assert not list(desk.services.settings.home.rglob(f"*{orders.file_id}*"))
    with pytest.raises(SourceNotFound):
        desk.sessions.remove_file(session_id, orders.file_id)


REFUSED = {
    "a name that is no CSV": (InvalidFileType, "sales.xlsx", SMALL),
    "bytes that are no text": (InvalidFileType, "sales.csv", bytes(range(256)) * 8),
    "a first row of data": (NoHeaders, "sales.csv", b"2024-01-01,5\n2024-01-02,6\n"),
    "nothing at all": (NoHeaders, "sales.csv", b""),
    "a header alone": (NoRows, "sales.csv", b"day,amount\n"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_an_upload_is_refused_and_nothing_of_it_is_left_for(desk: Any, case: str) -> None:
    error, name, content = REFUSED[case]
    session_id = desk.sessions.create().session_id
    with pytest.raises(error):
        desk.sessions.add_file(session_id, [content], name)
    assert desk.tree(session_id) == {"metadata.json"}
    assert not list((desk.services.settings.home / "uploads").rglob("*.csv"))
    assert desk.sessions.get(session_id).status == "created"


def test_an_upload_over_the_limit_is_refused_while_it_streams(desk: Any) -> None:
    session_id = desk.sessions.create().session_id
    read: list[int] = []

    def endless() -> Iterator[bytes]:
        yield b"day,amount\n"
        while True:
            read.append(1)
            yield b"2024-01-01,1234567890\n" * 50_000

    with pytest.raises(FileTooLarge):
        desk.sessions.add_file(session_id, endless(), "large.csv")
    assert len(read) <= MAX_FILE_BYTES // 1_100_000 + 2
    assert desk.tree(session_id) == {"metadata.json"}


def test_the_eleventh_file_is_refused_before_it_is_read(desk: Any) -> None:
    session_id = desk.sessions.create().session_id
    for number in range(MAX_FILES):
        desk.sessions.add_file(session_id, [SMALL], f"part_{number}.csv")

    def untouched() -> Iterator[bytes]:
        raise AssertionError("read")
        yield b""

    with pytest.raises(MaxFilesExceeded):
        desk.sessions.add_file(session_id, untouched(), "one_more.csv")
    assert desk.sessions.get(session_id).file_count == MAX_FILES


BAD_CONTEXTS: dict[str, tuple[type[AvermentError], dict[str, Any]]] = {
    "no metric": (MetricSqlRequired, {"metric_sql": None}),
    "a blank metric": (MetricSqlRequired, {"metric_sql": "  "}),
    "a period that ends before it starts": (
        InvalidDateRange,
        {"baseline_period": {"start": "2024-02-01", "end": "2024-01-01"}},
    ),
    "a period that is none": (InvalidDateRange, {"comparison_period": "February"}),
    "a field that is too long": (InvalidRequest, {"investigation_prompt": "x" * 2001}),
}


@pytest.mark.parametrize("case", BAD_CONTEXTS)
def test_an_investigation_is_refused_for(desk: Any, case: str) -> None:
    error, change = BAD_CONTEXTS[case]
    session_id = desk.with_files()
    with pytest.raises(error):
        desk.sessions.start(session_id, {**CONTEXT, **change})
    assert desk.sessions.get(session_id).status == "has_files"
    assert "context.json" not in desk.tree(session_id)


def test_an_investigation_without_files_is_refused(desk: Any) -> None:
    session_id = desk.sessions.create().session_id
    with pytest.raises(NoFilesUploaded):
        desk.sessions.start(session_id, CONTEXT)
    upload = desk.sessions.add_file(session_id, [SMALL], "sales.csv")
    desk.sessions.remove_file(session_id, upload.file_id)
    with pytest.raises(NoFilesUploaded):
        desk.sessions.start(session_id, CONTEXT)


def test_a_session_has_one_investigation_at_a_time(desk: Any) -> None:
    session_id = desk.with_files()
    desk.sessions.start(session_id, CONTEXT)
    with pytest.raises(IllegalTransition):
        desk.sessions.start(session_id, CONTEXT)
    with pytest.raises(IllegalTransition):
        desk.sessions.add_file(session_id, [SMALL], "late.csv")
    assert len(desk.script.requests) == 1


def test_a_run_that_cannot_be_begun_leaves_the_session_as_it_was(desk: Any) -> None:
    session_id = desk.with_files()

    def refuse(request: Any, listener: Any) -> str:
        raise NoRows("nothing to do")

    begin, desk.sessions._begin = desk.sessions._begin, refuse
    with pytest.raises(NoRows):
        desk.sessions.start(session_id, CONTEXT)
    assert desk.sessions.get(session_id).status == "has_files"
    desk.sessions._begin = begin
    desk.sessions.start(session_id, CONTEXT)
    assert desk.sessions.get(session_id).status == "running"


def test_data_of_any_size_is_connected_in_place(desk: Any, tmp_path: Any) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    folder = tmp_path / "lake"
    folder.mkdir()
    pq.write_table(pa.table({"day": ["2024-01-01"], "amount": [1.0]}), folder / "part.parquet")
    session_id = desk.sessions.create().session_id
    assert desk.sessions.connect(session_id, str(folder)).status == "has_files"
    assert desk.sessions.sources(session_id) == (str(folder),)
    with pytest.raises(SourceNotFound):
        desk.sessions.connect(session_id, str(tmp_path / "nowhere.csv"))
    desk.sessions.start(session_id, CONTEXT)
    assert [source.place for source in desk.script.request.data_sources] == [str(folder)]
    assert not [name for name in desk.tree(session_id) if name.startswith("files/")]


def test_a_report_without_explanations_has_no_findings(desk: Any) -> None:
    session_id = desk.completed(found=False)
    report = desk.sessions.report(session_id)
    assert report.status == "no_findings"
    assert desk.sessions.explanations(session_id) == ()


@pytest.mark.seed("B-073")
def test_a_report_is_the_runs_own(desk: Any) -> None:
    session_id = desk.completed()
    report = desk.sessions.report(session_id)
    assert report.status == "completed"
    assert report.content.startswith("# SUM(amount) fell")
    assert [one.rank for one in desk.sessions.explanations(session_id)] == [1]


@pytest.mark.parametrize("session_id", ["5f0c7f6e-6a0e-4c55-9d9a-3b1f0e8a7c21", "nonsense", ""])
def test_an_unknown_session_is_not_found(desk: Any, session_id: str) -> None:
    with pytest.raises(SessionNotFound):
        desk.sessions.get(session_id)


def test_a_session_is_found_by_the_beginning_of_its_id(desk: Any) -> None:
    session = desk.sessions.create()
    assert desk.sessions.find(session.session_id[:8]) == session
    with pytest.raises(SessionNotFound):
        desk.sessions.find("zzzz")


def test_names_with_folders_and_control_characters_are_shown_safely(desk: Any) -> None:
    session_id = desk.sessions.create().session_id
    upload = desk.sessions.add_file(session_id, [SMALL], "../../etc/Ventes d'été\x1b[31m.csv")
    assert "/" not in upload.original_name and "\x1b" not in upload.original_name
    assert re.fullmatch(r"[A-Za-z0-9_-]+\.csv", desk.sessions.sources(session_id)[0].rpartition("/")[2])
