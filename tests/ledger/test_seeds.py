"""Both seeds' own verification functions pass over what this ledger writes."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import pytest

from averment.errors import InvalidRequest, LedgerCorrupt, LedgerUnavailable
from averment.ledger.export import export_ledger
from averment.ledger.verify import verify_file


def verify_audit_chain(log_path: Path) -> bool:
    """Seed 000's function."""
    with open(log_path) as file:  # noqa: PTH123
        entries = [json.loads(line) for line in file]
    for place, entry in enumerate(entries):
        if entry["sequence_number"] != place + 1:
            return False
        if entry["parent_hash"] != (entries[place - 1]["hash"] if place > 0 else "0" * 64):
            return False
        data = json.dumps(entry["event_data"], sort_keys=True)
        payload = f"{entry['parent_hash']}{entry['timestamp']}{entry['event_type']}{data}"
        if hashlib.sha256(payload.encode()).hexdigest() != entry["hash"]:
            return False
    return True


def verify_chain(log_path: Path) -> bool:
    """Seed 004's function."""
    with open(log_path) as file:  # noqa: PTH123
        previous = "0" * 64
        for line in file:
            entry = json.loads(line)
            if entry["parent_hash"] != previous:
                return False
            rest = {key: value for key, value in entry.items() if key != "hash"}
            if hashlib.sha256(json.dumps(rest, sort_keys=True).encode()).hexdigest() != entry["hash"]:
                return False
            previous = entry["hash"]
    return True


@pytest.mark.seed("A-085")
def test_the_live_file_passes_the_verifier_of_seed_000(sealed):
    assert verify_audit_chain(sealed.log)
    assert not verify_chain(sealed.log)


@pytest.mark.seed("A-086")
def test_the_projection_passes_the_verifier_of_seed_004(sealed, tmp_path):
    made = export_ledger(sealed.log, tmp_path / "out" / "projected.jsonl", profile="004")
    assert verify_chain(made.path)
    assert not verify_audit_chain(made.path)
    assert (made.entries, made.profile) == (20, "004")
    assert made.sha256 == hashlib.sha256(made.path.read_bytes()).hexdigest()


def test_the_projection_holds_the_same_entries(sealed, tmp_path):
    made = export_ledger(sealed.log, tmp_path / "projected.jsonl", profile="004")
    live = [json.loads(line) for line in sealed.lines()]
    for before, after in zip(live, map(json.loads, made.path.read_text().splitlines()), strict=True):
        assert after["chain_000_hash"] == before["hash"]
        assert after["chain_000_parent_hash"] == before["parent_hash"]
        for field in before.keys() - {"hash", "parent_hash"}:
            assert after[field] == before[field]


def test_a_changed_projection_fails_the_verifier_of_seed_004(sealed, tmp_path):
    made = export_ledger(sealed.log, tmp_path / "projected.jsonl", profile="004")
    made.path.write_text(made.path.read_text().replace('"actor": "actor"', '"actor": "safety"', 1))
    assert not verify_chain(made.path)


def test_a_log_that_does_not_hold_is_not_given_a_fresh_chain(sealed, tmp_path):
    lines = sealed.lines()
    sealed.write_lines([*lines[:7], lines[7].replace(b"SELECT 1", b"SELECT 2"), *lines[8:]])
    with pytest.raises(LedgerCorrupt) as caught:
        export_ledger(sealed.log, tmp_path / "projected.jsonl", profile="004")
    assert caught.value.details == {"line": 8, "reason": "hash"}
    assert not (tmp_path / "projected.jsonl").exists()


def test_a_copy_is_the_same_bytes_and_verifies_like_the_original(sealed, tmp_path):
    made = export_ledger(sealed.log, tmp_path / "copy" / "log.jsonl", profile="000")
    assert made.path.read_bytes() == sealed.log.read_bytes()
    assert made.entries == 20
    assert verify_file(made.path) == sealed.verify()
    assert verify_audit_chain(made.path)


def test_a_broken_log_can_be_copied_as_evidence(sealed, tmp_path):
    sealed.write_lines(sealed.lines()[:7])
    made = export_ledger(sealed.log, tmp_path / "copy.jsonl", profile="000")
    assert made.path.read_bytes() == sealed.log.read_bytes()


@pytest.mark.parametrize("profile", ["000", "004"])
def test_a_log_is_not_exported_onto_itself_or_from_nowhere(sealed, tmp_path, profile):
    before = sealed.log.read_bytes()
    with pytest.raises(InvalidRequest):
        export_ledger(sealed.log, sealed.log, profile=profile)
    (tmp_path / "link.jsonl").hardlink_to(sealed.log)
    with pytest.raises(InvalidRequest):
        export_ledger(sealed.log, tmp_path / "link.jsonl", profile=profile)
    assert sealed.log.read_bytes() == before
    with pytest.raises(LedgerUnavailable):
        export_ledger(tmp_path / "nothing.jsonl", tmp_path / "out.jsonl", profile=profile)


def test_an_empty_log_can_be_exported(home, tmp_path):
    home.open().close()
    for profile in ("000", "004"):
        assert export_ledger(home.log, tmp_path / f"{profile}.jsonl", profile=profile).entries == 0
