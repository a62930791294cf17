from __future__ import annotations

import hashlib
import json
import uuid

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from averment.errors import InvalidRequest
from averment.ledger.draft import MAX_DEPTH, EntryDraft, prepare
from averment.ledger.entry import (
    ACTORS,
    EVENT_TYPES,
    GENESIS,
    MAX_LINE_BYTES,
    BadLine,
    build_entry,
    check_line,
    project_004,
    seal_of,
)

REQUEST = "6f1c1d1e-0000-4000-8000-000000000001"
ENTRY = "6f1c1d1e-0000-4000-8000-000000000002"
TIME = "2026-01-23T10:30:00.000000Z"

json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda children: st.lists(children, max_size=4) | st.dictionaries(st.text(), children, max_size=4),
    max_leaves=12,
)
payloads = st.dictionaries(st.text().filter(lambda key: key not in ("_seal", "rule")), json_values, max_size=5)


def make(data: dict[str, object], **changes: object):
    fields = {
        "entry_id": ENTRY,
        "request_id": REQUEST,
        "sequence_number": 1,
        "parent_hash": GENESIS,
        "timestamp": TIME,
        "event_type": "tool_called",
        "event_data": data,
        "actor": "actor",
        **changes,
    }
    return build_entry(**fields)


@settings(deadline=None)
@given(payloads, st.sampled_from(sorted(EVENT_TYPES)), st.sampled_from(sorted(ACTORS)), st.integers(1, 10**17))
def test_a_line_is_what_json_dumps_with_sorted_keys_writes(data, event_type, actor, number):
    entry, line = make(data, event_type=event_type, actor=actor, sequence_number=number)
    assert line.decode() == json.dumps(entry.as_dict(), sort_keys=True)
    assert line == entry.line()


@pytest.mark.seed("A-075")
@settings(deadline=None)
@given(payloads)
def test_a_made_line_has_the_nine_fields_and_is_read_back_as_the_same_entry(data):
    entry, line = make(data)
    assert check_line(line).entry() == entry
    fields = "actor entry_id event_data event_type hash parent_hash request_id sequence_number timestamp"
    assert sorted(json.loads(line)) == fields.split()


@pytest.mark.seed("A-082")
@settings(deadline=None)
@given(payloads)
def test_the_hash_is_the_one_of_seed_000(data):
    entry, _ = make(data)
    payload = f"{GENESIS}{TIME}tool_called{json.dumps(entry.event_data, sort_keys=True)}"
    assert entry.hash == hashlib.sha256(payload.encode()).hexdigest()


def test_the_seal_is_the_hash_of_the_json_list_of_six_fields():
    entry, _ = make({})
    listed = json.dumps([ENTRY, REQUEST, 1, "actor", TIME, "tool_called"])
    assert entry.event_data["_seal"] == hashlib.sha256(listed.encode()).hexdigest()
    assert entry.event_data["_seal"] == seal_of(
        entry_id=ENTRY,
        request_id=REQUEST,
        sequence_number=1,
        actor="actor",
        timestamp=TIME,
        event_type="tool_called",
    )


def test_seed_004_hash_covers_the_whole_entry_and_names_the_live_hash():
    entry, _ = make({"n": 1})
    text, digest = project_004(entry, "f" * 64)
    fields = json.loads(text)
    assert fields.pop("hash") == digest
    assert digest == hashlib.sha256(json.dumps(fields, sort_keys=True).encode()).hexdigest()
    assert fields["parent_hash"] == "f" * 64
    assert fields["chain_000_hash"] == entry.hash


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (lambda text: text.replace('"actor": "actor"', '"actor": "planner"'), "seal"),
        (lambda text: text.replace(ENTRY, ENTRY[:-1] + "9"), "seal"),
        (lambda text: text.replace(REQUEST, REQUEST[:-1] + "9"), "seal"),
        (lambda text: text.replace('"sequence_number": 1', '"sequence_number": 2'), "seal"),
        (lambda text: text.replace("10:30:00", "10:30:01"), "seal"),
        (lambda text: text.replace("tool_called", "plan_created"), "seal"),
        (lambda text: text.replace('"n": 1', '"n": 2'), "hash"),
        (lambda text: text.replace(GENESIS, "1" + GENESIS[1:]), "hash"),
        (lambda text: text.replace('"n": 1', '"n": 1.0'), "hash"),
        (lambda text: text.replace('"n": 1', '"n":1'), "not_canonical"),
        (lambda text: text.replace('"n": 1', '"n": 1e0'), "not_canonical"),
        (lambda text: " " + text, "not_canonical"),
        (lambda text: text + " ", "not_canonical"),
        (lambda text: text.replace('"n": 1', '"n": NaN'), "not_a_number"),
        (lambda text: text.replace('"n": 1', '"n": -Infinity'), "not_a_number"),
        (lambda text: text.replace('"n": 1', '"n": 1e999'), "not_a_number"),
        (lambda text: text.replace('"n": 1', '"n": 0, "n": 1'), "duplicate_key"),
        (lambda text: '{"actor": "safety", ' + text[1:], "duplicate_key"),
        (lambda text: text.replace('"hash"', '"approved_by": "x", "hash"'), "unknown_field"),
        (lambda text: text.replace(f', "timestamp": "{TIME}"', ""), "missing_field"),
        (lambda text: text.replace('"actor": "actor"', '"actor": "ceo"'), "bad_field"),
        (lambda text: text.replace("tool_called", "tool_dropped"), "bad_field"),
        (lambda text: text.replace('"sequence_number": 1', '"sequence_number": 0'), "bad_field"),
        (lambda text: text.replace('"sequence_number": 1', '"sequence_number": "1"'), "bad_field"),
        (lambda text: text.replace(TIME, "yesterday"), "bad_field"),
        (lambda text: text.replace(TIME, "\\ud800"), "bad_field"),
        (lambda text: text.replace('"n": 1', '"n": "é"'), "not_ascii"),
        (lambda text: text[:-1], "not_json"),
        (lambda _: "", "not_json"),
        (lambda _: "[1, 2]", "not_json"),
        (lambda _: "[" * 100_000, "not_json"),
        (lambda text: text.replace('"n": 1', '"n": ' + "[" * 100_000 + "]" * 100_000), "not_json"),
        (lambda text: text.replace('"n": 1', '"n": ' + "9" * 5000), "not_a_number"),
        (lambda text: text.replace('"n": 1', '"n": "' + "x" * MAX_LINE_BYTES + '"'), "line_too_long"),
    ],
)
def test_a_changed_line_is_refused_with_its_reason(change, reason):
    _, line = make({"n": 1})
    changed = change(line.decode())
    assert changed != line.decode()
    with pytest.raises(BadLine) as caught:
        check_line(changed.encode())
    assert caught.value.reason == reason


@settings(deadline=None)
@given(st.binary(max_size=200))
def test_arbitrary_bytes_are_refused_and_never_crash_the_reader(raw):
    with pytest.raises(BadLine):
        check_line(raw)


def test_a_shift_of_characters_between_timestamp_and_event_type_is_refused():
    _, line = make({"n": 1})
    with pytest.raises(BadLine):
        check_line(line.replace(f'{TIME}"'.encode(), f'{TIME}tool"'.encode()).replace(b'"tool_called"', b'"_called"'))


def test_a_line_of_the_greatest_length_is_read_and_one_byte_more_is_not():
    spare = MAX_LINE_BYTES - len(make({"n": ""})[1])
    assert check_line(make({"n": "x" * spare})[1]).sequence_number == 1
    with pytest.raises(BadLine) as caught:
        check_line(make({"n": "x" * (spare + 1)})[1])
    assert caught.value.reason == "line_too_long"


@pytest.mark.seed("A-076")
def test_an_event_outside_the_six_is_neither_written_nor_read():
    six = "request_submitted plan_created tool_called observation_recorded artifact_generated policy_decision".split()
    assert all(check_line(make({}, event_type=each)[1]).event_type == each for each in six)
    with pytest.raises(InvalidRequest):
        prepare(draft(event_type="coffee_made"))
    with pytest.raises(BadLine):
        check_line(make({}, event_type="coffee_made")[1])


@pytest.mark.seed("A-077")
def test_an_actor_outside_the_four_is_neither_written_nor_read():
    assert all(check_line(make({}, actor=each)[1]).actor == each for each in ("planner", "actor", "safety", "system"))
    with pytest.raises(InvalidRequest):
        prepare(draft(actor="nobody"))
    with pytest.raises(BadLine):
        check_line(make({}, actor="nobody")[1])


@pytest.mark.seed("A-009")
@pytest.mark.parametrize("text", ["2026-01-23T10:30:00", "2026-01-23T10:30:00+00:00", "soon", f"{TIME}Z"])
def test_a_line_whose_time_is_not_utc_with_z_is_refused(text: str):
    with pytest.raises(BadLine):
        check_line(make({}, timestamp=text)[1])


def draft(**changes: object) -> EntryDraft:
    fields = {"request_id": REQUEST, "event_type": "tool_called", "event_data": {"n": 1}, "actor": "actor", **changes}
    return EntryDraft(**fields)


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"event_type": "tool_dropped"}, "event_type"),
        ({"actor": "ceo"}, "actor"),
        ({"request_id": "not-a-uuid"}, "request_id"),
        ({"entry_id": "not-a-uuid"}, "entry_id"),
        ({"event_data": {"n": float("nan")}}, "event_data"),
        ({"event_data": {"n": object()}}, "event_data"),
        ({"event_data": {1: "a", "1": "b"}}, "event_data"),
        ({"event_data": {1: "a", "b": "b"}}, "event_data"),
        ({"event_data": {"_seal": "x"}}, "event_data"),
        ({"event_data": {"rule": "LEDGER-KEY-ROTATION"}}, "event_data"),
        ({"event_data": {"n": "x" * MAX_LINE_BYTES}}, "event_data"),
    ],
)
def test_a_draft_that_cannot_be_an_entry_is_refused_and_its_field_named(changes, field):
    with pytest.raises(InvalidRequest) as caught:
        prepare(draft(**changes))
    assert caught.value.code == "INVALID_REQUEST"
    assert caught.value.details["field"] == field


def nested(levels: int) -> object:
    value: object = 0
    for _ in range(levels):
        value = [value]
    return value


def test_data_nested_beyond_the_limit_is_refused_and_up_to_it_taken():
    assert prepare(draft(event_data={"deep": nested(MAX_DEPTH - 1)}))
    with pytest.raises(InvalidRequest):
        prepare(draft(event_data={"deep": nested(MAX_DEPTH)}))
    with pytest.raises(InvalidRequest):
        prepare(draft(event_data={"deep": nested(100_000)}))


def test_wide_data_with_many_brackets_is_taken():
    assert prepare(draft(event_data={"wide": [[] for _ in range(1000)]}))


def test_ids_are_kept_in_their_canonical_form():
    prepared = prepare(draft(request_id=REQUEST.upper(), entry_id=uuid.UUID(ENTRY).hex))
    assert (prepared.request_id, prepared.entry_id) == (REQUEST, ENTRY)


def test_the_data_is_a_copy_of_what_the_caller_gave():
    given_data = {"list": [1]}
    prepared = prepare(draft(event_data=given_data))
    given_data["list"].append(2)
    assert prepared.event_data == {"list": [1]}
