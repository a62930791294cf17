from __future__ import annotations

import shutil
import uuid

import pytest

from averment.errors import LedgerError
from averment.ledger.checkpoint import sign_checkpoint, split_notes
from averment.ledger.entry import GENESIS, build_entry
from averment.ledger.keychain import ROTATION_RULE, SYSTEM_REQUEST_ID
from averment.ledger.keys import SigningKey
from averment.ledger.tree import leaf_hash, root_of


def test_a_new_key_is_trusted_by_whoever_trusts_the_old_one_and_the_other_way_round(sealed):
    old = sealed.public.read_text().strip()
    with sealed.open() as ledger:
        new = ledger.rotate_key("yearly").text
        sealed.record(ledger, 21)
    assert new != old
    assert sealed.public.read_text().strip() == new
    for key in (None, old, new):
        report = sealed.verify(key=key)
        assert report.ok, report.first_fault
        assert report.sealed_to == 22


def test_a_change_of_keys_is_an_entry_that_names_both(sealed):
    old = sealed.public.read_text().strip()
    with sealed.open() as ledger:
        new = ledger.rotate_key("yearly").text
        entry = next(ledger.entries(from_sequence=21))
    assert entry.event_type == "policy_decision"
    assert entry.event_data["rule"] == "LEDGER-KEY-ROTATION"
    assert (entry.event_data["old_key"], entry.event_data["new_key"]) == (old, new)
    assert entry.event_data["reason"] == "yearly"


def test_several_changes_form_one_line_of_keys(sealed):
    keys = [sealed.public.read_text().strip()]
    with sealed.open() as ledger:
        for number in range(3):
            keys.append(ledger.rotate_key("again").text)
            sealed.record(ledger, number)
    assert len(set(keys)) == 4
    assert all(sealed.verify(key=key).sealed_to == 26 for key in keys)


def test_another_open_ledger_takes_up_the_new_key(sealed):
    with sealed.open() as one, sealed.open() as two:
        sealed.record(two, 20)
        new = one.rotate_key("yearly")
        sealed.record(two, 21)
        assert two.checkpoint().signed_by(new)
    assert sealed.verify().ok


def test_the_old_key_signs_nothing_after_its_time(sealed):
    old = SigningKey.load(sealed.key_file, "averment.test/ledger")
    with sealed.open() as ledger:
        ledger.rotate_key("stolen")
        sealed.record(ledger, 21)
    root = root_of(leaf_hash(line[:-1]) for line in sealed.lines())
    notes = split_notes(sealed.checkpoints.read_text())[0]
    forged = sign_checkpoint(old, 22, root).note_text
    sealed.checkpoints.write_text("".join(f"{note}\n" for note in [*notes[:-1], forged]))
    fault = sealed.verify().first_fault
    assert fault is not None
    assert (fault.line, fault.reason) == (22, "checkpoint_key")


def test_a_new_key_that_the_old_one_did_not_sign_is_not_trusted(sealed):
    old = sealed.public.read_text().strip()
    with sealed.open() as ledger:
        ledger.rotate_key("yearly")
        sealed.record(ledger, 21)
    notes = split_notes(sealed.checkpoints.read_text())[0]
    # The note of 21 entries by the old key is what puts the new one in force.
    sealed.checkpoints.write_text("".join(f"{note}\n" for place, note in enumerate(notes) if place != 4))
    for key in (old, None):
        fault = sealed.verify(key=key).first_fault
        assert fault is not None
        assert fault.reason in ("checkpoint_key", "key_mismatch")


def test_a_stranger_cannot_claim_to_come_before_the_trusted_key(sealed, home):
    """A forger writes a log whose own key hands over to the trusted one, which never signed it."""
    trusted = sealed.public.read_text().strip()
    forger = SigningKey.generate("averment.test/ledger")
    _, line = build_entry(
        entry_id=str(uuid.uuid4()),
        request_id=SYSTEM_REQUEST_ID,
        sequence_number=1,
        parent_hash=GENESIS,
        timestamp="2026-01-01T00:00:00.000000Z",
        event_type="policy_decision",
        event_data={"rule": ROTATION_RULE, "old_key": forger.verifier.text, "new_key": trusted},
        actor="system",
    )
    home.log.parent.mkdir()
    home.log.write_bytes(line + b"\n")
    home.checkpoints.write_text(f"{sign_checkpoint(forger, 1, leaf_hash(line)).note_text}\n")
    home.public.write_text(f"{trusted}\n")
    report = home.verify(key=trusted)
    assert report.first_fault is not None
    assert (report.first_fault.line, report.first_fault.reason) == (1, "unsigned")
    assert report.sealed_to == 0


@pytest.mark.parametrize("finished", range(5))
def test_a_change_that_died_halfway_is_carried_to_its_end(sealed, tmp_path, finished):
    """The state after each step of the change is put together from the states before and after it."""
    before = type(sealed)(tmp_path / "before")
    shutil.copytree(sealed.folder, before.folder)
    with sealed.open() as ledger:
        new = ledger.rotate_key("yearly")
    notes = [f"{note}\n" for note in split_notes(sealed.checkpoints.read_text())[0]]
    shutil.copy(sealed.key_file, before.keys / "ledger.key.next")
    if finished >= 1:
        shutil.copy(sealed.log, before.log)
    if finished >= 2:
        before.checkpoints.write_text("".join(notes[:5]))
    if finished >= 3:
        before.checkpoints.write_text("".join(notes[:6]))
    if finished >= 4:
        shutil.copy(sealed.public, before.public)
    with before.open() as ledger:
        before.record(ledger, 21)
        assert (ledger.key == new) == (finished >= 1)
    assert not (before.keys / "ledger.key.next").exists()
    report = before.verify()
    assert report.ok, report.first_fault
    assert report.sealed_to == (22 if finished >= 1 else 21)


def test_a_next_key_that_others_may_read_is_refused(sealed):
    (sealed.keys / "ledger.key.next").write_text("x")
    (sealed.keys / "ledger.key.next").chmod(0o644)
    with sealed.open() as ledger, pytest.raises(LedgerError):
        sealed.record(ledger, 20)
