"""What a verification says about checkpoints, keys and files that are not what they should be."""

from __future__ import annotations

import fcntl
import shutil
import uuid

import pytest

from averment.errors import InvalidRequest, LedgerUnavailable
from averment.ledger.checkpoint import sign_checkpoint, split_notes
from averment.ledger.entry import build_entry, check_line
from averment.ledger.keys import SigningKey, VerifierKey, load_or_create
from averment.ledger.tree import leaf_hash, root_of
from averment.ledger.verify import verify_file


def test_a_sound_log_holds_and_the_report_says_how_far(sealed):
    report = sealed.verify()
    assert report.ok
    assert (report.verified_to, report.sealed_to, report.unsealed_tail, report.checkpoints) == (20, 20, 0, 4)
    assert report.root == root_of(leaf_hash(line[:-1]) for line in sealed.lines()).hex()
    assert report.key == VerifierKey.parse(sealed.public.read_text().strip()).label
    assert report.key_source == "beside the file"
    assert report.as_dict()["first_fault"] is None


def test_entries_after_the_newest_checkpoint_are_counted_and_no_fault(sealed):
    ledger = sealed.open()
    for number in (20, 21, 22):
        sealed.record(ledger, number)
    report = sealed.verify()
    assert report.ok
    assert (report.verified_to, report.sealed_to, report.unsealed_tail) == (23, 20, 3)


def test_a_deleted_end_names_the_missing_lines(sealed):
    sealed.write_lines(sealed.lines()[:-5])
    fault = sealed.verify().first_fault
    assert fault is not None
    assert fault.reason == "truncated"
    assert "16 to 20" in fault.detail


def test_a_forged_entry_behind_the_newest_checkpoint_is_shown_as_unsigned(sealed):
    lines = sealed.lines()
    last = check_line(lines[-1][:-1])
    _, raw = build_entry(
        entry_id=str(uuid.uuid4()),
        request_id=last.request_id,
        sequence_number=21,
        parent_hash=last.hash,
        timestamp=last.timestamp,
        event_type="tool_called",
        event_data={},
        actor="actor",
    )
    sealed.write_lines([*lines, raw + b"\n"])
    assert (sealed.verify().sealed_to, sealed.verify().unsealed_tail) == (20, 1)


def spoiled(home, **files: bytes):
    home.log.write_bytes(files.get("log", home.log.read_bytes()))
    home.checkpoints.write_bytes(files.get("checkpoints", home.checkpoints.read_bytes()))
    home.public.write_bytes(files.get("public", home.public.read_bytes()))
    return home.verify()


def test_every_single_byte_of_the_checkpoints_and_of_the_key_is_covered(sealed):
    for path in (sealed.checkpoints, sealed.public):
        content = path.read_bytes()
        for place, byte in enumerate(content):
            changed = bytearray(content)
            changed[place] = byte ^ (1 << place % 7)
            path.write_bytes(changed)
            assert not sealed.verify().ok, (path.name, place)
        path.write_bytes(content)
    assert sealed.verify().ok


def notes_of(home) -> list[str]:
    return [f"{note}\n" for note in split_notes(home.checkpoints.read_text())[0]]


def test_swapped_checkpoints_are_found(sealed):
    notes = notes_of(sealed)
    report = spoiled(sealed, checkpoints="".join([notes[1], notes[0], *notes[2:]]).encode())
    assert report.first_fault is not None
    assert (report.first_fault.line, report.first_fault.reason) == (5, "checkpoint_order")


def test_a_checkpoint_that_stands_there_twice_is_found(sealed):
    notes = notes_of(sealed)
    report = spoiled(sealed, checkpoints="".join([*notes, notes[-1]]).encode())
    assert report.first_fault is not None
    assert report.first_fault.reason == "checkpoint_order"


def test_an_unfinished_checkpoint_is_found(sealed):
    report = spoiled(sealed, checkpoints=sealed.checkpoints.read_bytes()[:-9])
    assert report.first_fault is not None
    assert (report.first_fault.line, report.first_fault.reason) == (15, "checkpoint_torn")
    assert report.sealed_to == 15


def test_a_checkpoint_by_a_stranger_is_found(sealed):
    stranger = SigningKey.generate("averment.test/ledger")
    root = root_of(leaf_hash(line[:-1]) for line in sealed.lines())
    forged = f"{sign_checkpoint(stranger, 20, root).note_text}\n"
    report = spoiled(sealed, checkpoints="".join([*notes_of(sealed)[:-1], forged]).encode())
    assert report.first_fault is not None
    assert (report.first_fault.line, report.first_fault.reason) == (20, "checkpoint_key")
    assert report.sealed_to == 15


def test_a_checkpoint_by_the_right_key_over_another_log_is_found(sealed):
    key = load_or_create(sealed.keys, "averment.test/ledger")
    forged = f"{sign_checkpoint(key, 20, b'x' * 32).note_text}\n"
    report = spoiled(sealed, checkpoints="".join([*notes_of(sealed)[:-1], forged]).encode())
    assert report.first_fault is not None
    assert (report.first_fault.line, report.first_fault.reason) == (20, "checkpoint_root")
    report = spoiled(sealed, checkpoints="".join([*notes_of(sealed), forged]).encode())
    assert report.first_fault is not None


def test_two_checkpoints_of_one_size_with_two_roots_are_found(sealed):
    key = load_or_create(sealed.keys, "averment.test/ledger")
    forged = f"{sign_checkpoint(key, 20, b'x' * 32).note_text}\n"
    report = spoiled(sealed, checkpoints="".join([*notes_of(sealed), forged]).encode())
    assert report.first_fault is not None
    assert report.first_fault.reason == "checkpoint_conflict"


def test_a_key_beside_the_file_that_did_not_sign_is_found(sealed):
    other = SigningKey.generate("averment.test/ledger")
    report = spoiled(sealed, public=f"{other.verifier.text}\n".encode())
    assert report.first_fault is not None
    assert report.first_fault.reason == "checkpoint_key"
    assert report.sealed_to == 0
    assert report.key == other.verifier.label


def test_a_key_that_is_gone_or_garbage_is_found(sealed):
    report = spoiled(sealed, public=b"garbage\n")
    assert report.first_fault is not None
    assert (report.first_fault.line, report.first_fault.reason) == (0, "key_malformed")
    sealed.public.unlink()
    fault = sealed.verify().first_fault
    assert fault is not None
    assert (fault.line, fault.reason) == (0, "key_missing")


def test_a_log_rewritten_from_scratch_with_a_fresh_key_fails_against_the_given_key(sealed, home):
    trusted = sealed.public.read_text().strip()
    with home.open() as forger:
        for number in range(20):
            home.record(forger, number)
    assert home.verify().ok
    report = home.verify(key=trusted)
    assert not report.ok
    assert report.key == VerifierKey.parse(trusted).label
    assert report.key_source == "given"
    assert report.sealed_to == 0


def test_a_log_without_any_checkpoint_fails_against_the_given_key(sealed):
    trusted = sealed.public.read_text().strip()
    sealed.write_lines(sealed.lines()[:3])
    sealed.checkpoints.unlink()
    report = sealed.verify(key=trusted)
    assert report.first_fault is not None
    assert report.first_fault.reason == "unsigned"
    # Without a given key nothing speaks against it, and the report says that nothing is signed.
    assert sealed.verify().sealed_to == 0


def test_the_given_key_holds_for_the_log_that_it_signed(sealed):
    report = sealed.verify(key=sealed.public.read_text())
    assert report.ok
    assert report.key_source == "given"


def test_a_given_key_needs_no_key_beside_the_file_but_tells_when_it_differs(sealed):
    trusted = sealed.public.read_text().strip()
    sealed.public.unlink()
    assert sealed.verify(key=trusted).ok
    sealed.public.write_text(f"{SigningKey.generate('averment.test/ledger').verifier.text}\n")
    fault = sealed.verify(key=trusted).first_fault
    assert fault is not None
    assert fault.reason == "key_mismatch"


def test_a_given_key_that_is_no_key_is_a_mistake_of_the_caller(sealed):
    with pytest.raises(InvalidRequest) as caught:
        sealed.verify(key="nonsense")
    assert caught.value.details == {"field": "key"}


def test_a_checkpoint_kept_elsewhere_shows_what_the_files_alone_cannot(sealed):
    witnessed = notes_of(sealed)[-1][:-1]
    sealed.write_lines(sealed.lines()[:10])
    sealed.checkpoints.write_text("".join(notes_of(sealed)[:2]))
    assert sealed.verify().ok
    fault = verify_file(sealed.log, witnessed=[witnessed]).first_fault
    assert fault is not None
    assert (fault.line, fault.reason) == (11, "truncated")
    fault = verify_file(sealed.log, witnessed=["nonsense"]).first_fault
    assert fault is not None
    assert fault.reason == "checkpoint_malformed"


def test_fewer_entries_than_expected_are_a_truncation(sealed):
    assert verify_file(sealed.log, expect_entries=20).ok
    fault = verify_file(sealed.log, expect_entries=21).first_fault
    assert fault is not None
    assert (fault.line, fault.reason) == (21, "truncated")


def test_a_checkpoint_file_can_lie_elsewhere(sealed, tmp_path):
    moved = sealed.checkpoints.rename(tmp_path / "notes")
    assert sealed.verify().sealed_to == 0
    assert verify_file(sealed.log, checkpoints=moved).sealed_to == 20


def test_a_log_without_anything_beside_it_is_checked_as_a_chain(sealed, tmp_path):
    copy = shutil.copy(sealed.log, tmp_path / "bare.jsonl")
    report = verify_file(copy)
    assert report.ok
    assert (report.verified_to, report.sealed_to, report.key, report.key_source) == (20, 0, None, None)


def test_a_log_that_is_not_there_is_told_apart_from_one_that_was_deleted(sealed, tmp_path):
    with pytest.raises(LedgerUnavailable) as caught:
        verify_file(tmp_path / "nothing.jsonl")
    assert caught.value.code == "LEDGER_UNAVAILABLE"
    sealed.log.unlink()
    fault = sealed.verify().first_fault
    assert fault is not None
    assert (fault.line, fault.reason) == (1, "truncated")


def test_an_empty_log_holds(home):
    home.open().close()
    report = home.verify(key=home.public.read_text())
    assert report.ok
    assert report.verified_to == 0


def test_a_line_longer_than_any_entry_is_refused_without_reading_on(home):
    home.log.parent.mkdir()
    with home.log.open("wb") as file:
        file.truncate(200 * 1024 * 1024)
    fault = home.verify().first_fault
    assert fault is not None
    assert (fault.line, fault.reason) == (1, "line_too_long")


def test_a_stuck_writer_does_not_keep_an_auditor_out(sealed, monkeypatch):
    monkeypatch.setattr("averment.ledger.verify.LOCK_PATIENCE_SECONDS", 0.01)
    with sealed.log.open("rb") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        assert sealed.verify().ok


def test_the_file_can_be_verified_read_only(sealed):
    for path in sealed.log.parent.iterdir():
        path.chmod(0o400)
    before = sorted(path.name for path in sealed.log.parent.iterdir())
    assert sealed.verify().ok
    assert sorted(path.name for path in sealed.log.parent.iterdir()) == before


def test_checkpoints_that_are_no_text_are_found(sealed):
    fault = spoiled(sealed, checkpoints=sealed.checkpoints.read_bytes() + b"\xff\xfe").first_fault
    assert fault is not None
    assert (fault.line, fault.reason) == (0, "checkpoint_malformed")


def test_a_log_that_cannot_be_read_is_no_verdict(sealed):
    sealed.log.unlink()
    sealed.log.mkdir()
    with pytest.raises(LedgerUnavailable):
        sealed.verify()


@pytest.mark.parametrize(("kept", "said"), [(19, "Line 20 is missing"), (18, "Lines 19 to 20 are missing")])
def test_what_is_missing_at_the_end_is_named_in_words(sealed, kept, said):
    sealed.write_lines(sealed.lines()[:kept])
    fault = sealed.verify().first_fault
    assert fault is not None
    assert fault.line == kept + 1
    assert said in fault.detail


def test_a_line_that_is_gone_before_anything_was_signed_is_named_even_with_a_key(sealed):
    """That no entry is signed by the key follows from it, and says less."""
    sealed.write_lines([*sealed.lines()[:2], *sealed.lines()[3:]])
    fault = sealed.verify(key=sealed.public.read_text().strip()).first_fault
    assert fault is not None
    assert (fault.line, fault.reason) == (3, "sequence")
