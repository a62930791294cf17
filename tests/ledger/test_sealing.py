from __future__ import annotations

import json
import threading

import pytest

from averment.errors import InvalidRequest
from averment.ledger.checkpoint import split_notes
from averment.ledger.tree import leaf_hash, root_of, verify_consistency


def sizes(home) -> list[int]:
    notes, rest = split_notes(home.checkpoints.read_text() if home.checkpoints.exists() else "")
    assert rest == ""
    return [int(note.split("\n")[1]) for note in notes]


def test_a_checkpoint_states_the_root_over_the_lines(ledger, home):
    for number in range(7):
        home.record(ledger, number)
    made = ledger.checkpoint()
    assert made.size == 7
    assert made.root == root_of(leaf_hash(line[:-1]) for line in home.lines())
    assert made.signed_by(ledger.key)


def test_a_checkpoint_is_not_made_twice_for_the_same_entries(ledger, home):
    home.record(ledger, 0)
    assert ledger.checkpoint() == ledger.checkpoint()
    assert sizes(home) == [1]


def test_an_empty_log_can_be_signed(ledger, home):
    assert ledger.checkpoint().size == 0
    home.record(ledger, 0)
    ledger.checkpoint()
    assert sizes(home) == [0, 1]
    assert home.verify().sealed_to == 1


def test_entries_are_signed_when_enough_of_them_wait(home, draft):
    ledger = home.open(seal_every_entries=8)
    for _ in range(7):
        ledger.append_many([draft])
    assert sizes(home) == []
    ledger.append_many([draft])
    assert sizes(home) == [8]
    ledger.append_many([draft] * 20)
    assert sizes(home) == [8, 28]


def test_256_entries_are_signed_without_being_asked(ledger, home, draft):
    ledger.append_many([draft] * 255)
    assert sizes(home) == []
    ledger.append_many([draft])
    assert sizes(home) == [256]


def test_entries_are_signed_when_their_time_has_come(home):
    others = set(threading.enumerate())
    ledger = home.open(seal_after_seconds=0.01)
    home.record(ledger, 0)
    for thread in set(threading.enumerate()) - others:
        thread.join(timeout=30)
    assert sizes(home) == [1]


def test_closing_signs_what_is_left(home):
    with home.open() as ledger:
        home.record(ledger, 0)
    assert sizes(home) == [1]


def test_a_ledger_that_is_only_read_signs_nothing(sealed):
    before = sealed.checkpoints.read_bytes()
    with sealed.open() as ledger:
        assert len(list(ledger.entries())) == 20
    assert sealed.checkpoints.read_bytes() == before


@pytest.mark.parametrize(
    "spoil",
    [
        lambda frontier: frontier.unlink(),
        lambda frontier: frontier.write_text("not json"),
        lambda frontier: frontier.write_text("{}"),
        lambda frontier: frontier.write_text(json.dumps({**json.loads(frontier.read_text()), "offset": 17})),
        lambda frontier: frontier.write_text(json.dumps({**json.loads(frontier.read_text()), "offset": 10**9})),
        lambda frontier: frontier.write_text(json.dumps({"hashes": ["00" * 32], "offset": 0, "size": 1})),
        lambda frontier: frontier.write_text(
            json.dumps({**json.loads(frontier.read_text()), "hashes": ["00" * 32] * 2})
        ),
        lambda frontier: frontier.write_text(json.dumps({"hashes": ["00" * 32] * 2, "offset": 0, "size": 20})),
    ],
)
def test_a_lost_or_wrong_cache_of_the_tree_changes_no_root(sealed, spoil):
    spoil(sealed.frontier)
    with sealed.open() as ledger:
        sealed.record(ledger, 20)
        assert ledger.checkpoint().root == root_of(leaf_hash(line[:-1]) for line in sealed.lines())
    assert sealed.verify().sealed_to == 21


def test_every_entry_has_a_proof_that_holds_without_the_log(sealed):
    with sealed.open() as ledger:
        lines = [line[:-1] for line in sealed.lines()]
        for number in range(1, 21):
            proof = ledger.inclusion_proof(number)
            assert proof.holds(lines[number - 1], ledger.key)
            assert not proof.holds(lines[number % 20], ledger.key)
            assert json.dumps(proof.as_dict())


def test_an_entry_that_is_not_signed_yet_is_signed_for_its_proof(ledger, home):
    entry = home.record(ledger, 0)
    proof = ledger.inclusion_proof(1)
    assert proof.checkpoint.size == 1
    assert proof.holds(entry.line(), ledger.key)


@pytest.mark.parametrize("number", [0, -1, 21])
def test_an_entry_that_is_not_there_has_no_proof(sealed, number):
    with sealed.open() as ledger, pytest.raises(InvalidRequest):
        ledger.inclusion_proof(number)


def test_a_witness_can_follow_the_log_from_checkpoint_to_checkpoint(ledger, home):
    for number in range(6):
        home.record(ledger, number)
    old = ledger.checkpoint()
    for number in range(6, 19):
        home.record(ledger, number)
    new, proof = ledger.consistency_proof(old.size)
    assert (old.size, new.size) == (6, 19)
    assert verify_consistency(old.size, new.size, old.root, new.root, proof)
    with pytest.raises(InvalidRequest):
        ledger.consistency_proof(20)
