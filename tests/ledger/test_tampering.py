"""Acts of tampering with the log, one by one and at random: each is found, at its line, with its reason."""

from __future__ import annotations

import json
import random
import shutil
import uuid

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from averment.ledger.entry import GENESIS, build_entry, check_line
from averment.ledger.verify import verify_file


def rechain(lines: list[bytes], change=lambda place, fields: fields) -> list[bytes]:
    """The lines with a fresh, valid chain: what a forger does who knows the format but has no key."""
    made: list[bytes] = []
    parent = GENESIS
    for place, line in enumerate(lines):
        fields = check_line(line[:-1])._asdict()
        fields["event_data"].pop("_seal")
        fields.pop("hash")
        fields = change(place, {**fields, "sequence_number": place + 1, "parent_hash": parent})
        entry, raw = build_entry(**fields)
        made.append(raw + b"\n")
        parent = entry.hash
    return made


def edit(place: int, **changes: object):
    return lambda here, fields: {**fields, **changes} if here == place else fields


def fields_of(line: bytes, **changes: object) -> bytes:
    return json.dumps({**json.loads(line), **changes}, sort_keys=True).encode() + b"\n"


def one(lines: list[bytes], place: int, line: bytes) -> list[bytes]:
    assert line != lines[place]
    return [*lines[:place], line, *lines[place + 1 :]]


FLIP_VALUE = lambda lines: one(lines, 7, lines[7].replace(b"SELECT 1", b"SELECT 2"))  # noqa: E731
ACTS = {
    "a value in event_data": (FLIP_VALUE, 8, "hash"),
    "the actor": (lambda ls: one(ls, 7, fields_of(ls[7], actor="safety")), 8, "seal"),
    "the entry_id": (lambda ls: one(ls, 7, fields_of(ls[7], entry_id=str(uuid.UUID(int=9)))), 8, "seal"),
    "the request_id": (lambda ls: one(ls, 7, fields_of(ls[7], request_id=str(uuid.UUID(int=9)))), 8, "seal"),
    "the sequence_number": (lambda ls: one(ls, 7, fields_of(ls[7], sequence_number=9)), 8, "seal"),
    "the timestamp": (lambda ls: one(ls, 7, fields_of(ls[7], timestamp="2020-01-01T00:00:00.000000Z")), 8, "seal"),
    "the event_type": (lambda ls: one(ls, 7, fields_of(ls[7], event_type="policy_decision")), 8, "seal"),
    "the parent_hash": (lambda ls: one(ls, 7, fields_of(ls[7], parent_hash="1" * 64)), 8, "hash"),
    "the hash": (lambda ls: one(ls, 7, fields_of(ls[7], hash="1" * 64)), 8, "hash"),
    "an unknown field": (lambda ls: one(ls, 7, fields_of(ls[7], approved_by="ceo")), 8, "unknown_field"),
    "a field left out": (
        lambda ls: one(
            ls, 7, json.dumps({k: v for k, v in json.loads(ls[7]).items() if k != "actor"}).encode() + b"\n"
        ),
        8,
        "missing_field",
    ),
    "characters from timestamp to event_type": (
        lambda ls: one(ls, 7, ls[7].replace(b'Z"', b'Ztool"').replace(b'"tool_called"', b'"_called"')),
        8,
        "bad_field",
    ),
    "a line deleted": (lambda ls: ls[:7] + ls[8:], 8, "sequence"),
    "two lines swapped": (lambda ls: [*ls[:7], ls[8], ls[7], *ls[9:]], 8, "sequence"),
    "a line doubled": (lambda ls: [*ls[:8], ls[7], *ls[8:]], 9, "sequence"),
    "a blank line": (lambda ls: [*ls[:7], b"\n", *ls[7:]], 8, "not_json"),
    "a duplicate key": (lambda ls: one(ls, 7, b'{"actor": "planner", ' + ls[7][1:]), 8, "duplicate_key"),
    "other spacing": (
        lambda ls: one(ls, 7, json.dumps(json.loads(ls[7]), sort_keys=True, separators=(",", ":")).encode() + b"\n"),
        8,
        "not_canonical",
    ),
    "another order of keys": (
        lambda ls: one(ls, 7, json.dumps(dict(sorted(json.loads(ls[7]).items(), reverse=True))).encode() + b"\n"),
        8,
        "not_canonical",
    ),
    "an integer as a float": (lambda ls: one(ls, 7, ls[7].replace(b'"n": 7', b'"n": 7.0')), 8, "hash"),
    "a number that is none": (lambda ls: one(ls, 7, ls[7].replace(b'"n": 7', b'"n": NaN')), 8, "not_a_number"),
    "a carriage return": (lambda ls: one(ls, 7, ls[7][:-1] + b"\r\n"), 8, "not_canonical"),
    "a letter outside ASCII": (lambda ls: one(ls, 7, ls[7].replace(b"SELECT", "SÉLECT".encode())), 8, "not_ascii"),
    "the last line torn": (lambda ls: one(ls, 19, ls[19][:40]), 20, "torn"),
    "the last line feed gone": (lambda ls: one(ls, 19, ls[19][:-1]), 20, "torn"),
    "the last line deleted": (lambda ls: ls[:-1], 20, "truncated"),
    "the last five lines deleted": (lambda ls: ls[:-5], 16, "truncated"),
    "the whole log emptied": (lambda _: [], 1, "truncated"),
    "a value edited and the chain rebuilt": (
        lambda ls: rechain(ls, edit(7, event_data={"query": "DROP"})),
        10,
        "checkpoint_root",
    ),
    "a line dropped and the chain rebuilt": (lambda ls: rechain(ls[:7] + ls[8:]), 10, "checkpoint_root"),
    "a line forged in and the chain rebuilt": (lambda ls: rechain([*ls[:7], ls[7], *ls[7:]]), 10, "checkpoint_root"),
    "a time set back and the chain rebuilt": (
        lambda ls: rechain(ls, edit(7, timestamp="2020-01-01T00:00:00.000000Z")),
        8,
        "timestamp",
    ),
    "two lines swapped and the chain rebuilt": (
        lambda ls: rechain([*ls[:5], ls[6], ls[5], *ls[7:]], edit(6, timestamp="2999-01-01T00:00:00.000000Z")),
        None,
        None,
    ),
    "a line of garbage at the end": (lambda ls: [*ls, b"garbage\n"], 21, "not_json"),
    "zero bytes at the end": (lambda ls: [*ls, b"\x00" * 4096], 21, "torn"),
}


def test_a_line_that_holds_by_itself_but_names_another_parent_is_found(sealed):
    lines = sealed.lines()
    line = check_line(lines[7][:-1])
    data = {key: value for key, value in line.event_data.items() if key != "_seal"}
    _, forged = build_entry(
        entry_id=line.entry_id,
        request_id=line.request_id,
        sequence_number=8,
        parent_hash="1" * 64,
        timestamp=line.timestamp,
        event_type=line.event_type,
        event_data=data,
        actor=line.actor,
    )
    sealed.write_lines([*lines[:7], forged + b"\n", *lines[8:]])
    fault = sealed.verify().first_fault
    assert fault is not None
    assert (fault.line, fault.reason) == (8, "parent")


@pytest.mark.seed("A-087")
@pytest.mark.parametrize("act", ACTS)
def test_an_act_of_tampering_is_found_at_its_line(sealed, act):
    tamper, line, reason = ACTS[act]
    sealed.write_lines(tamper(sealed.lines()))
    report = sealed.verify()
    assert not report.ok
    assert report.first_fault is not None
    if line is not None:
        assert (report.first_fault.line, report.first_fault.reason) == (line, reason)
        assert report.verified_to >= line - 1


def test_every_single_byte_of_the_log_is_covered(sealed):
    # Every byte once, with a bit chosen by its place; the file is read back whole after each.
    content = sealed.log.read_bytes()[: len(b"".join(sealed.lines()[:3]))]
    sealed.checkpoints.unlink()
    line = 1
    for place, byte in enumerate(content):
        changed = bytearray(content)
        changed[place] = byte ^ (1 << place % 8)
        sealed.log.write_bytes(changed)
        fault = sealed.verify().first_fault
        assert fault is not None, place
        assert fault.line == line, place
        line += byte == ord("\n")


@settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_a_random_change_anywhere_is_found_at_its_line(sealed_origin, tmp_path, data):
    content = sealed_origin.log.read_bytes()
    place = data.draw(st.integers(0, len(content) - 1))
    byte = data.draw(st.integers(0, 255).filter(lambda value: value != content[place]))
    copy = tmp_path / "data_agent_runs.jsonl"
    copy.write_bytes(content[:place] + bytes([byte]) + content[place + 1 :])
    fault = verify_file(copy).first_fault
    assert fault is not None
    assert fault.line == content.count(b"\n", 0, place) + 1


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_random_bytes_put_in_or_taken_out_are_found(sealed_origin, tmp_path, data):
    content = sealed_origin.log.read_bytes()
    start = data.draw(st.integers(0, len(content)))
    end = data.draw(st.integers(start, min(len(content), start + 900)))
    inserted = data.draw(st.binary(max_size=40))
    changed = content[:start] + inserted + content[end:]
    if changed == content:
        return
    home = tmp_path / "logs"
    shutil.rmtree(home, ignore_errors=True)
    shutil.copytree(sealed_origin.log.parent, home)
    (home / "data_agent_runs.jsonl").write_bytes(changed)
    assert not verify_file(home / "data_agent_runs.jsonl").ok


def test_random_sequences_of_edits_are_always_found(sealed):
    chance = random.Random(7)
    lines = sealed.lines()
    for _ in range(60):
        changed = list(lines)
        for _ in range(chance.randint(1, 4)):
            first, second = chance.randrange(len(changed)), chance.randrange(len(changed))
            match chance.randrange(3):
                case 0:
                    changed[first], changed[second] = changed[second], changed[first]
                case 1:
                    del changed[first]
                case _:
                    changed.insert(first, changed[second])
        if changed == lines:
            continue
        sealed.write_lines(changed)
        assert not sealed.verify().ok
