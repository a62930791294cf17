from datetime import UTC, datetime, timedelta
from typing import get_args

import pytest
from pydantic import ValidationError

from averment.errors import (
    IllegalTransition,
    InvestigationNotComplete,
    MaxFilesExceeded,
    NoFilesUploaded,
)
from averment.records.drilldown.session import ERROR_OF_CODE, SESSION_STATES, Session, SessionStatus

BORN = datetime(2026, 1, 1, tzinfo=UTC)


def session() -> Session:
    return Session.opened(timeout_hours=24, at=BORN)


def with_files(count: int) -> Session:
    made = session()
    for _ in range(count):
        made = made.with_file()
    return made


@pytest.mark.seed("B-001")
def test_a_session_has_its_fields_and_defaults():
    assert set(Session.model_fields) == {
        "session_id",
        "status",
        "created_at",
        "expires_at",
        "file_count",
        "report_ready",
    }
    made = session()
    assert (made.status, made.file_count, made.report_ready) == ("created", 0, False)
    assert Session.model_validate_json(made.model_dump_json()) == made
    with pytest.raises(ValidationError):
        made.changed(file_count=-1)


@pytest.mark.seed("B-002", "B-003")
def test_a_session_takes_the_seeds_steps_and_two_back_to_work():
    statuses = set(get_args(SessionStatus))
    allowed = {
        ("created", "has_files"),
        ("has_files", "running"),
        ("running", "completed"),
        ("running", "failed"),
        ("completed", "running"),
        ("failed", "has_files"),
        *((status, "expired") for status in statuses - {"expired"}),
    }
    assert SESSION_STATES.states == statuses
    for current in statuses:
        for following in statuses:
            made = session().changed(status=current)
            if (current, following) in allowed:
                assert made.moved(following).status == following
            else:
                with pytest.raises(IllegalTransition):
                    made.moved(following)


@pytest.mark.seed("B-004")
def test_a_session_expires_its_timeout_after_creation():
    made = session()
    assert made.expires_at - made.created_at == timedelta(hours=24)
    with pytest.raises(ValidationError):
        made.changed(expires_at=BORN)


@pytest.mark.seed("B-005")
def test_the_first_file_moves_the_session_and_the_next_ones_count():
    assert [(with_files(count).status, with_files(count).file_count) for count in (0, 1, 2)] == [
        ("created", 0),
        ("has_files", 1),
        ("has_files", 2),
    ]


@pytest.mark.seed("B-006")
def test_the_eleventh_file_is_refused():
    full = with_files(10)
    with pytest.raises(MaxFilesExceeded):
        full.with_file()
    with pytest.raises(ValidationError):
        full.changed(file_count=11)


def test_a_running_session_takes_no_file():
    with pytest.raises(IllegalTransition):
        with_files(1).started().with_file()


@pytest.mark.seed("B-029")
def test_an_investigation_without_files_is_refused():
    with pytest.raises(NoFilesUploaded):
        session().started()
    assert with_files(1).started().status == "running"
    with pytest.raises(IllegalTransition):
        with_files(1).started().started()


@pytest.mark.seed("B-007")
def test_completion_makes_the_report_ready_and_expiry_leaves_it_so():
    running = with_files(1).started()
    assert not running.moved("failed").report_ready
    assert running.moved("completed").report_ready
    assert running.moved("completed").moved("expired").report_ready


@pytest.mark.seed("B-008")
def test_a_session_is_expired_only_after_its_time():
    made = session()
    assert not made.is_expired(made.expires_at)
    assert made.is_expired(made.expires_at + timedelta(microseconds=1))


@pytest.mark.seed("B-076")
@pytest.mark.parametrize("status", sorted(set(get_args(SessionStatus)) - {"completed"}))
def test_a_question_before_completion_is_refused(status: str):
    with pytest.raises(InvestigationNotComplete):
        session().changed(status=status).check_answerable()
    session().changed(status="completed").check_answerable()


@pytest.mark.seed("B-088")
def test_each_of_the_eight_codes_has_its_error():
    assert set(ERROR_OF_CODE) == {
        "MAX_FILES_EXCEEDED",
        "FILE_TOO_LARGE",
        "INVALID_FILE_TYPE",
        "NO_HEADERS",
        "METRIC_SQL_REQUIRED",
        "NO_FILES_UPLOADED",
        "INVALID_DATE_RANGE",
        "INVESTIGATION_NOT_COMPLETE",
    }
    assert all(error.code == code for code, error in ERROR_OF_CODE.items())
