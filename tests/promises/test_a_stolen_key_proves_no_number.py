"""Who holds the home's own key can sign anything, and still proves no number: the data are computed again.

Here the store and the ledger are forged together and signed with the stolen key, so that no hash and no signature
speaks against it. What is left is the recomputation, and the order of the ledger's lines.
"""

from __future__ import annotations

import hashlib
import json
import sqlite3
from collections.abc import Callable
from contextlib import closing
from typing import Any

import pytest
from forger import Entries, Forger, root_of, sealed_line

TABLES = ("analysis", "dataset", "chat", "drill")


def digest(body: object) -> str:
    """The hash that a seal holds of a body."""
    text = json.dumps(body, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return hashlib.sha256(text.encode()).hexdigest()


def records(home: Forger, run: str, kind: str) -> list[tuple[str, Any]]:
    query = "SELECT key, body FROM run_records WHERE run_id = ? AND kind = ? ORDER BY position, key"
    with closing(sqlite3.connect(home.home / "db" / "averment.db")) as connection:
        return [(key, json.loads(body)) for key, body in connection.execute(query, (home.runs[run], kind))]


def resealed(home: Forger, run: str, **hashes: str | None) -> None:
    """The ledger chained and signed anew, where the run's seal holds these hashes; None for one that it loses."""

    def edit(entries: Entries) -> Entries:
        for entry in entries:
            if entry["request_id"] == home.runs[run] and "findings_sha256" in entry["event_data"]:
                entry["event_data"] |= {name: value for name, value in hashes.items() if value is not None}
                for name in (name for name, value in hashes.items() if value is None):
                    entry["event_data"].pop(name, None)
        return entries

    home.rewrite(edit, key=home.key)


def other_figure(findings: list[dict[str, Any]]) -> None:
    """The first figure of the findings is another one: in its cell, in its slot and in its sentence."""
    finding, slot = next(
        (finding, slot)
        for finding in findings
        for slot in finding["slots"].values()
        if slot["evidence"]["kind"] == "cell" and slot.get("unit") != "label"
    )
    slot["evidence"]["value"] = "31415"
    finding["text"] = finding["text"].replace(slot["text"], "31,415")
    slot["text"] = "31,415"


@pytest.mark.parametrize("run", TABLES)
def test_a_findings_forged_figure_is_named_by_what_the_data_give(forger: Forger, run: str) -> None:
    ((key, conclusion),) = records(forger, run, "conclusion")
    other_figure(conclusion["findings"])
    body = json.dumps(conclusion)
    forger.change(run, "UPDATE run_records SET body = :v0 WHERE run_id = :run AND key = :v1", body, key)
    resealed(forger, run, findings_sha256=digest(conclusion["findings"]), conclusion_sha256=None)
    code, subjects = forger.verify_at_the_command_line(run)
    assert code == 5
    assert any(subject.startswith("finding ") for subject in subjects), subjects


@pytest.mark.parametrize("run", TABLES)
def test_a_calls_forged_result_is_named_by_what_it_gives_when_it_is_run_again(forger: Forger, run: str) -> None:
    key, result = next(each for each in records(forger, run, "observation") if "table" in (each[1].get("data") or {}))
    before = digest(result)
    result["data"]["table"]["row_count"] += 1
    change = "UPDATE run_records SET body = :v0 WHERE run_id = :run AND kind = 'observation' AND key = :v1"
    forger.change(run, change, json.dumps(result), key)

    def edit(entries: Entries) -> Entries:
        held = [each for each in entries if each["event_data"].get("observation_sha256") == before]
        for entry in held:
            entry["event_data"]["observation_sha256"] = digest(result)
        assert held
        return entries

    forger.rewrite(edit, key=forger.key)
    resealed(forger, run, calls_sha256=None)
    code, subjects = forger.verify_at_the_command_line(run)
    assert code == 5
    assert any(subject.startswith("call ") for subject in subjects), subjects


def misplaced_parent(lines: list[dict[str, Any]]) -> None:
    lines[2]["parent_hash"] = lines[1]["parent_hash"]


def older(lines: list[dict[str, Any]]) -> None:
    lines[2]["timestamp"] = "2020-01-01T00:00:00.000000Z"


def skipped_number(lines: list[dict[str, Any]]) -> None:
    lines[2]["sequence_number"] += 1


@pytest.mark.parametrize(
    ("change", "reason"), [(misplaced_parent, "parent"), (older, "timestamp"), (skipped_number, "sequence")]
)
def test_a_line_that_does_not_follow_the_one_before_is_named_though_it_is_signed(
    forger: Forger, change: Callable[[list[dict[str, Any]]], None], reason: str
) -> None:
    entries, stolen = forger.entries(), forger.key
    change(entries)
    lines, parent = list[bytes](), ""
    for place, entry in enumerate(entries):
        if place > 2:  # What comes after the forged line follows it as it should.
            entry["parent_hash"] = parent
        parent, line = sealed_line(entry)
        lines.append(line)
    forger.log.write_bytes(b"".join(line + b"\n" for line in lines))
    forger.beside("frontier").unlink(missing_ok=True)
    forger.beside("checkpoints").write_text(f"{stolen.checkpoint(len(lines), root_of(lines))}\n")
    assert forger.verify_ledger("--key", forger.copy.golden.key) == (5, reason)
    assert forger.verify_at_the_command_line("analysis")[0] == 5
