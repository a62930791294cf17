from datetime import UTC, datetime, timedelta, timezone

import pytest
from pydantic import TypeAdapter, ValidationError

from averment.errors import IllegalTransition
from averment.records.base import RelativePath, Share, StateMachine, UtcDatetime, derived_id, is_blank, iso_z, new_id
from averment.records.run import ToolCall

LIGHT: StateMachine[str] = StateMachine("light", {"red": frozenset({"green"}), "green": frozenset()})


def test_a_step_of_the_table_is_taken():
    assert LIGHT.step("red", "green") == "green"
    assert LIGHT.states == {"red", "green"}


@pytest.mark.parametrize(("current", "following"), [("green", "red"), ("red", "red"), ("red", "blue"), ("blue", "red")])
def test_a_step_outside_the_table_is_refused(current: str, following: str):
    with pytest.raises(IllegalTransition) as refused:
        LIGHT.step(current, following)
    assert refused.value.code == "ILLEGAL_TRANSITION"


@pytest.mark.seed("A-009")
def test_a_time_is_kept_in_utc_and_written_with_z():
    moments = TypeAdapter(UtcDatetime)
    kept = moments.validate_python(datetime(2026, 1, 23, 12, 30, tzinfo=timezone(timedelta(hours=2))))
    assert (kept, kept.tzinfo) == (datetime(2026, 1, 23, 10, 30, tzinfo=UTC), UTC)
    assert moments.dump_json(kept) == b'"2026-01-23T10:30:00.000000Z"'
    assert iso_z(kept) == "2026-01-23T10:30:00.000000Z"
    assert moments.validate_json(moments.dump_json(kept)) == kept


@pytest.mark.seed("A-009")
def test_a_time_without_a_zone_is_refused():
    with pytest.raises(ValidationError):
        TypeAdapter(UtcDatetime).validate_python("2026-01-23T10:30:00")


@pytest.mark.parametrize("path", ["/etc/passwd", "../up", "files/../../up", "a\\b", "", "a\0b"])
def test_a_path_that_leaves_its_folder_is_refused(path: str):
    with pytest.raises(ValidationError):
        TypeAdapter(RelativePath).validate_python(path)


@pytest.mark.parametrize("path", ["files/a.csv", "a..b/c", "...", "x"])
def test_a_path_inside_its_folder_is_taken(path: str):
    assert TypeAdapter(RelativePath).validate_python(path) == path


@pytest.mark.parametrize("value", [-0.01, 1.01, float("nan"), float("inf")])
def test_a_share_outside_zero_to_one_is_refused(value: float):
    with pytest.raises(ValidationError):
        TypeAdapter(Share).validate_python(value)


@pytest.mark.parametrize(("text", "blank"), [("", True), (" \t\n", True), ("\u200b\u200b", True), (" a ", False)])
def test_a_text_that_shows_nothing_is_blank(text: str, blank: bool):
    assert is_blank(text) is blank


def test_a_derived_id_depends_on_its_parts_alone():
    parent = new_id()
    assert derived_id(parent, "step", 1) == derived_id(parent, "step", 1)
    assert derived_id(parent, "step", 1) != derived_id(parent, "step", 2)


def test_a_record_is_frozen_and_takes_no_unknown_field():
    call = ToolCall(task_id="load", tool_name="sql.run", arguments={})
    with pytest.raises(ValidationError):
        call.task_id = "other"  # pyright: ignore[reportAttributeAccessIssue] the point of the test
    with pytest.raises(ValidationError):
        ToolCall.model_validate({"task_id": "load", "tool_name": "sql.run", "arguments": {}, "more": 1})


def test_a_changed_record_is_new_and_checked():
    call = ToolCall(task_id="load", tool_name="sql.run", arguments={})
    assert call.changed(attempt_number=2).attempt_number == 2
    assert call.attempt_number == 1
    with pytest.raises(ValidationError):
        call.changed(attempt_number=4)
