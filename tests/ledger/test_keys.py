from __future__ import annotations

import stat
import subprocess
import sys

import pytest
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat

from averment.errors import InvalidSettings, LedgerError
from averment.ledger.keys import BadKey, SigningKey, VerifierKey, check_name, load_or_create

# The verifier key and key id of Go's golang.org/x/mod/sumdb/note documentation.
PETER = "PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW"


def test_a_published_verifier_key_is_read_and_written_back():
    key = VerifierKey.parse(PETER)
    assert (key.name, key.key_id.hex(), key.text) == ("PeterNeumann", "c74f20a3", PETER)


def test_a_published_signature_is_verified():
    message = b"If you think cryptography is the answer to your problem,\nthen you don't know what your problem is.\n"
    import base64

    line = "x08go/ZJkuBS9UG/SffcvIAQxVBtiFupLLr8pAcElZInNIuGUgYN1FFYC2pZSNXgKvqfqdngotpRZb6KE6RyyBwJnAM="
    value = base64.b64decode(line)
    key = VerifierKey.parse(PETER)
    assert value[:4] == key.key_id
    assert key.verifies(message, value[4:])
    assert not key.verifies(message + b" ", value[4:])
    assert not key.verifies(message, value[4:-1])


@pytest.mark.parametrize("place", range(len(PETER)))
def test_a_verifier_key_with_any_character_changed_is_refused(place):
    changed = PETER[:place] + ("A" if PETER[place] != "A" else "B") + PETER[place + 1 :]
    with pytest.raises(BadKey):
        VerifierKey.parse(changed)


@pytest.mark.parametrize("text", ["", "name", "name+c74f20a3", PETER + "\n", PETER + "=", "a b" + PETER[12:]])
def test_a_text_of_another_form_is_no_verifier_key(text):
    with pytest.raises(BadKey):
        VerifierKey.parse(text)


def test_the_key_is_made_once_and_for_its_owner_alone(tmp_path):
    first = load_or_create(tmp_path / "keys", "name")
    again = load_or_create(tmp_path / "keys", "name")
    assert first.verifier == again.verifier
    assert stat.S_IMODE((tmp_path / "keys" / "ledger.key").stat().st_mode) == 0o600
    assert stat.S_IMODE((tmp_path / "keys").stat().st_mode) == 0o700
    assert [path.name for path in (tmp_path / "keys").iterdir()] == ["ledger.key"]


@pytest.mark.parametrize("mode", [0o644, 0o640, 0o604, 0o660, 0o602])
def test_a_key_that_others_may_read_is_refused(tmp_path, mode):
    load_or_create(tmp_path, "name")
    (tmp_path / "ledger.key").chmod(mode)
    with pytest.raises(LedgerError) as caught:
        load_or_create(tmp_path, "name")
    assert caught.value.code == "LEDGER_ERROR"


def test_a_damaged_key_file_is_refused_and_left_alone(tmp_path):
    path = tmp_path / "ledger.key"
    path.write_text("not a key")
    path.chmod(0o600)
    with pytest.raises(LedgerError):
        load_or_create(tmp_path, "name")
    assert path.read_text() == "not a key"


def test_a_key_of_another_kind_is_refused(tmp_path):
    path = tmp_path / "ledger.key"
    other = ec.generate_private_key(ec.SECP256R1())
    path.write_bytes(other.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()))
    path.chmod(0o600)
    with pytest.raises(LedgerError):
        load_or_create(tmp_path, "name")


def test_of_many_processes_that_make_the_key_at_once_all_get_the_same(tmp_path):
    script = (
        "import sys; from pathlib import Path; from averment.ledger.keys import load_or_create\n"
        "sys.stdin.readline(); print(load_or_create(Path(sys.argv[1]), 'name').verifier.text)"
    )
    workers = [
        subprocess.Popen(
            [sys.executable, "-c", script, str(tmp_path / "keys")],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        for _ in range(6)
    ]
    found = set()
    for worker in workers:
        assert worker.stdin is not None
        worker.stdin.write("go\n")
        worker.stdin.flush()
    for worker in workers:
        found.add(worker.communicate(timeout=60)[0])
        assert worker.returncode == 0
    assert len(found) == 1


def test_a_second_new_key_does_not_replace_the_first(tmp_path):
    first, second = SigningKey.generate("name"), SigningKey.generate("name")
    assert first.save_new(tmp_path / "ledger.key")
    assert not second.save_new(tmp_path / "ledger.key")
    assert SigningKey.load(tmp_path / "ledger.key", "name").verifier == first.verifier


def test_a_signing_key_does_not_show_itself():
    key = SigningKey.generate("name")
    assert "PRIVATE" not in repr(key)


@pytest.mark.parametrize("name", ["", "a b", "a+b", "a\nb", "a\u2003b", "a\x00b"])
def test_a_name_that_a_note_cannot_carry_is_refused(name):
    with pytest.raises(InvalidSettings) as caught:
        check_name(name)
    assert caught.value.code == "INVALID_SETTINGS"


def test_a_name_with_letters_of_any_script_is_taken():
    check_name("prüfung.example/протокол")
