from __future__ import annotations

import base64

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from averment.errors import LedgerCorrupt
from averment.ledger.checkpoint import BadNote, CheckpointFile, parse_checkpoint, sign_checkpoint, split_notes
from averment.ledger.keys import SigningKey

KEY = SigningKey.generate("averment.test/ledger")
OTHER = SigningKey.generate("averment.test/ledger")


def make(size: int = 7, key: SigningKey = KEY):
    return sign_checkpoint(key, size, bytes([size % 256]) * 32)


def test_a_checkpoint_is_origin_size_and_root_with_a_signature_line():
    lines = make(7).note_text.split("\n")
    assert lines[:2] == ["averment.test/ledger", "7"]
    assert base64.b64decode(lines[2]) == b"\x07" * 32
    assert lines[3] == ""
    assert lines[4].startswith("— averment.test/ledger ")
    assert lines[5:] == [""]


def test_a_checkpoint_is_read_back_as_it_was_signed():
    made = make(7)
    found = parse_checkpoint(made.note_text)
    assert found == made
    assert (found.size, found.root_hex) == (7, "07" * 32)
    assert found.signed_by(KEY.verifier)
    assert not found.signed_by(OTHER.verifier)


def test_a_checkpoint_with_a_witness_line_still_counts():
    witness = SigningKey.generate("witness.example")
    body = make().note_text.split("\n\n")[0] + "\n"
    value = base64.b64encode(witness.verifier.key_id + witness.sign(body.encode())).decode()
    found = parse_checkpoint(make().note_text + f"— witness.example {value}\n")
    assert found.signed_by(KEY.verifier)
    # A witness signs under its own name, which is not the origin of this log.
    assert not found.signed_by(witness.verifier)


def test_no_byte_of_a_checkpoint_can_be_changed():
    note = make(7).note_text.encode()
    for place in range(len(note)):
        for bit in range(8):
            changed = bytearray(note)
            changed[place] ^= 1 << bit
            try:
                found = parse_checkpoint(changed.decode())
            except (BadNote, UnicodeDecodeError):
                continue
            assert not found.signed_by(KEY.verifier), (place, bit)


@settings(deadline=None)
@given(st.text())
def test_any_text_is_refused_without_a_crash(text):
    with pytest.raises(BadNote):
        parse_checkpoint(text)


@pytest.mark.parametrize("size", ["-1", "07", "1.0", "", "1" * 19])
def test_a_size_that_is_no_plain_number_is_refused(size):
    with pytest.raises(BadNote):
        parse_checkpoint(make(7).note_text.replace("\n7\n", f"\n{size}\n"))


def test_a_file_of_notes_is_split_into_whole_notes_and_a_rest():
    notes = [make(size).note_text for size in (1, 2, 3)]
    text = "".join(f"{note}\n" for note in notes)
    assert split_notes(text) == (notes, "")
    for cut in range(1, len(notes[2]) + 1):
        assert split_notes(text[:-cut])[0] == notes[:2]
        assert split_notes(text[:-cut])[1] == f"{notes[2]}\n"[:-cut]


class Aside:
    def __init__(self) -> None:
        self.kept: list[bytes] = []

    def __call__(self, data: bytes) -> None:
        self.kept.append(data)


def test_the_newest_checkpoint_is_found_at_the_end_of_a_long_file(tmp_path):
    path = tmp_path / "notes"
    file = CheckpointFile(path, Aside())
    assert file.last() is None
    for size in range(300):
        path.open("ab").write(f"{make(size).note_text}\n".encode())
    assert file.last() == make(299)
    file.append(make(300))
    assert file.last() == make(300)
    assert CheckpointFile(path, Aside()).last() == make(300)


def test_an_unfinished_checkpoint_is_put_aside_at_every_cut(tmp_path):
    path = tmp_path / "notes"
    whole = f"{make(1).note_text}\n".encode()
    torn = f"{make(2).note_text}\n".encode()
    for cut in range(1, len(torn)):
        path.write_bytes(whole + torn[:cut])
        aside = Aside()
        assert CheckpointFile(path, aside).last() == make(1)
        assert path.read_bytes() == whole
        assert aside.kept == [torn[:cut]]


def test_a_file_with_nothing_but_an_unfinished_checkpoint_has_none(tmp_path):
    path = tmp_path / "notes"
    path.write_bytes(make(2).note_text.encode()[:30])
    assert CheckpointFile(path, Aside()).last() is None
    assert path.read_bytes() == b""


def test_a_whole_last_note_that_is_no_checkpoint_is_corruption(tmp_path):
    path = tmp_path / "notes"
    path.write_bytes(f"{make(1).note_text}\nnot\n\na\n\nnote\n\n".encode())
    with pytest.raises(LedgerCorrupt) as caught:
        CheckpointFile(path, Aside()).last()
    assert caught.value.code == "LEDGER_CORRUPT"


def test_a_checkpoint_is_not_written_behind_an_unfinished_one(tmp_path):
    path, aside = tmp_path / "checkpoints", []
    path.write_text(f"{make(3).note_text}\naverment.test/led")
    CheckpointFile(path, aside.append).append(make(7))
    assert aside == [b"averment.test/led"]
    assert split_notes(path.read_text()) == ([make(3).note_text, make(7).note_text], "")


@pytest.mark.parametrize("part", ["A", "AAAAA", "####"])
def test_a_root_or_signature_that_is_not_base64_is_refused(part):
    head, root, tail = make(7).note_text.partition(base64.b64encode(bytes([7]) * 32).decode())
    with pytest.raises(BadNote):
        parse_checkpoint(f"{head}{part}{tail}")
    with pytest.raises(BadNote):
        parse_checkpoint(f"{head}{root}\n\n\u2014 averment.test/ledger {part}\n")
