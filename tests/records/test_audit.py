import hashlib
import json
from typing import Any, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from averment.records.audit import GENESIS_HASH, AuditTrace, EventActor, EventType, entry_hash
from averment.records.base import new_id

WHEN = "2026-01-23T10:30:00Z"


def entry(**values: Any) -> AuditTrace:
    given_values: dict[str, Any] = {
        "entry_id": new_id(),
        "request_id": new_id(),
        "sequence_number": 1,
        "parent_hash": GENESIS_HASH,
        "timestamp": WHEN,
        "event_type": "plan_created",
        "event_data": {"plan_id": "p"},
        "actor": "planner",
        **values,
    }
    if "hash" not in given_values:
        given_values["hash"] = entry_hash(
            given_values["parent_hash"],
            given_values["timestamp"],
            given_values["event_type"],
            given_values["event_data"],
        )
    return AuditTrace.model_validate(given_values)


@pytest.mark.seed("A-075")
def test_an_entry_has_its_fields_and_reads_back_unchanged():
    assert set(AuditTrace.model_fields) == {
        "entry_id",
        "request_id",
        "sequence_number",
        "parent_hash",
        "timestamp",
        "event_type",
        "event_data",
        "actor",
        "hash",
    }
    made = entry()
    assert AuditTrace.model_validate_json(made.model_dump_json()) == made
    assert made.timestamp == WHEN


@pytest.mark.seed("A-009")
@pytest.mark.parametrize(
    "text", ["2026-01-23T10:30:00", "2026-01-23T10:30:00+00:00", "soon", "2026-01-23T10:30:00+02:00Z"]
)
def test_an_entry_whose_time_is_not_utc_with_z_is_refused(text: str):
    with pytest.raises(ValidationError):
        entry(timestamp=text)


@pytest.mark.seed("A-076")
def test_an_event_outside_the_six_is_refused():
    assert set(get_args(EventType)) == {
        "request_submitted",
        "plan_created",
        "tool_called",
        "observation_recorded",
        "artifact_generated",
        "policy_decision",
    }
    with pytest.raises(ValidationError):
        entry(event_type="coffee_made")


@pytest.mark.seed("A-077")
def test_an_unknown_actor_is_refused():
    assert set(get_args(EventActor)) == {"planner", "actor", "safety", "system"}
    with pytest.raises(ValidationError):
        entry(actor="nobody")


@pytest.mark.seed("A-078")
@pytest.mark.parametrize("missing", ["call_id", "tool_name", "arguments"])
def test_a_tool_call_entry_without_its_payload_is_refused(missing: str):
    payload = {"call_id": "c", "tool_name": "sql.run", "arguments": {}}
    assert entry(event_type="tool_called", event_data=payload).event_data == payload
    with pytest.raises(ValidationError):
        entry(event_type="tool_called", event_data={key: payload[key] for key in payload if key != missing})


@pytest.mark.seed("A-079")
@pytest.mark.parametrize("missing", ["decision", "rule", "reason"])
def test_a_policy_entry_without_its_payload_is_refused(missing: str):
    payload = {"decision": "refused", "rule": "blocked_patterns", "reason": "email"}
    assert entry(event_type="policy_decision", event_data=payload).event_data == payload
    with pytest.raises(ValidationError):
        entry(event_type="policy_decision", event_data={key: payload[key] for key in payload if key != missing})


@pytest.mark.seed("A-080", "A-081")
def test_an_entry_follows_only_the_one_right_before_it():
    first = entry()
    second = entry(sequence_number=2, parent_hash=first.hash)
    assert first.follows(None)
    assert second.follows(first)
    assert not second.follows(None)
    assert not first.follows(second)
    assert not entry(sequence_number=3, parent_hash=first.hash).follows(first)
    assert not entry(sequence_number=2, parent_hash="ab" * 32).follows(first)


@pytest.mark.seed("A-080", "A-081")
@pytest.mark.parametrize("values", [{"sequence_number": 2}, {"parent_hash": "ab" * 32}, {"sequence_number": 0}])
def test_the_zeros_are_the_first_entrys_parent_alone(values: dict[str, Any]):
    with pytest.raises(ValidationError):
        entry(**values)


@pytest.mark.seed("A-082")
def test_a_hash_of_other_content_is_refused():
    with pytest.raises(ValidationError):
        entry(hash="ab" * 32)


@pytest.mark.seed("A-082")
@given(st.dictionaries(st.text(), st.none() | st.booleans() | st.integers() | st.text() | st.lists(st.text())))
def test_the_hash_is_what_the_seeds_verifier_computes(event_data: dict[str, Any]):
    made = entry(event_data=event_data)
    on_disk = json.loads(json.dumps(made.model_dump(mode="json"), sort_keys=True))
    payload = (
        on_disk["parent_hash"]
        + on_disk["timestamp"]
        + on_disk["event_type"]
        + json.dumps(on_disk["event_data"], sort_keys=True)
    )
    assert hashlib.sha256(payload.encode()).hexdigest() == on_disk["hash"]


def test_a_payload_that_is_no_json_has_no_hash():
    with pytest.raises(ValueError):
        entry_hash(GENESIS_HASH, WHEN, "plan_created", {"cost": float("nan")})
