"""Whatever is changed after the fact is named: by ``averment verify``, and by the verifier of the ledger alone.

One act of each kind; ``test_every_forgery_is_named.py`` has all of them.
"""

from __future__ import annotations

import base64
import json
import shutil
import subprocess
import uuid
from collections.abc import Callable
from pathlib import Path

import pytest
from forger import Entries, Forger, Key, flip, forged_answer, forged_claim, shifted

from averment import AvermentError

Act = Callable[[Forger], object]


def of_lines(change: Callable[[list[bytes]], list[bytes]]) -> Act:
    return lambda home: home.log.write_bytes(b"".join(change(home.log.read_bytes().splitlines(keepends=True))))


def line_deleted(home: Forger) -> None:
    """A line of the run itself, between others of it."""
    own = [line for line in home.log.read_bytes().splitlines(keepends=True) if home.runs["analysis"].encode() in line]
    of_lines(lambda lines: [line for line in lines if line != own[len(own) // 2]])(home)


def in_file(run: str, pattern: str, old: str, new: str) -> Act:
    def act(home: Forger) -> None:
        path = home.file(run, pattern)
        text = path.read_text()
        assert old in text
        path.write_text(text.replace(old, new, 1))

    return act


def in_database(old: str, new: str) -> Act:
    def act(home: Forger) -> None:
        assert home.replace_in_database(old, new)

    return act


def other_run(home: Forger) -> None:
    """One run's files stand in the place of another's."""
    shutil.copyfile(home.file("drill", "report.md"), home.file("analysis", "report.md"))


def other_source(home: Forger) -> None:
    home.orders.write_text(home.orders.read_text().replace("7.25", "8.25", 1))


def forged_checkpoint(home: Forger) -> None:
    """The last checkpoint says the same, and is signed by somebody else."""
    place = home.beside("checkpoints")
    body, _, _ = place.read_text().rstrip("\n").rpartition("\n\n")
    _, size, root = body.rsplit("\n\n", 1)[-1].split("\n")
    _, _, signature = Key().checkpoint(int(size), base64.b64decode(root)).partition("\n\n")
    place.write_text(f"{body}\n\n{signature}\n")


def without_one(entries: Entries) -> Entries:
    return [*entries[:3], *entries[4:]]


ACTS: dict[str, tuple[str, Act, str, str | None]] = {
    "a digit of the report": (
        "analysis",
        in_file("analysis", "report.md", "3,040", "3,940"),
        "content of report.md",
        None,
    ),
    "a digit of the table": ("analysis", in_file("analysis", "result.csv", "3040.00", "3940.00"), "artifact ", None),
    "a bit of the chart": ("analysis", lambda home: flip(home.file("analysis", "chart.png")), "artifact ", None),
    "a bit of a kept result": ("analysis", lambda home: flip(home.file("analysis", "*.arrow")), "kept result", None),
    "another run's report": ("analysis", other_run, "artifact ", None),
    "another source": ("analysis", other_source, "source orders.csv", None),
    "the question": ("analysis", in_database("total amount by region", "total profit by region"), "question", None),
    "a digit of the ledger": (
        "analysis",
        of_lines(lambda lines: [lines[0].replace(b'"sequence_number": 1', b'"sequence_number": 2'), *lines[1:]]),
        "ledger",
        "seal",
    ),
    "two lines swapped": ("analysis", of_lines(lambda lines: [lines[1], lines[0], *lines[2:]]), "ledger", "sequence"),
    "a line deleted": ("analysis", line_deleted, "ledger", "sequence"),
    "the last line deleted": ("analysis", of_lines(lambda lines: lines[:-1]), "ledger", "truncated"),
    "the ledger deleted": ("analysis", lambda home: home.log.unlink(), "ledger", "truncated"),
    "a forged checkpoint": ("analysis", forged_checkpoint, "ledger", "checkpoint_key"),
    "checkpoints deleted": ("analysis", lambda home: home.beside("checkpoints").unlink(), "checkpoint", "unsigned"),
    "chained anew, not signed": ("analysis", lambda home: home.rewrite(shifted), "ledger", "unsigned"),
    "an entry dropped, another key": (
        "analysis",
        lambda home: home.rewrite(without_one, key=Key()),
        "ledger",
        "key_mismatch",
    ),
    "an answer forged, another key": ("analysis", lambda home: forged_answer(home, Key()), "ledger", "key_mismatch"),
    "a quotation": ("research", in_database("founded in 1921", "founded in 1912"), "answer", None),
    "a driver's figure": ("drill", in_file("drill", "report.md", "1", "2"), "artifact ", None),
    "a file of a session": (
        "drill",
        lambda home: flip(next((home.home / "sessions").rglob("explanations.json"))),
        "file sessions/",
        None,
    ),
    "a chat's figure": ("chat", in_file("chat", "result.csv", "2", "3"), "artifact ", None),
    "an offer's reading": ("offer", in_database("highest average", "lowest average"), "answer", None),
}


@pytest.mark.parametrize("name", ACTS)
def test_what_was_forged_is_named_by_exit_code_and_subject(forger: Forger, name: str) -> None:
    run, act, named, reason = ACTS[name]
    act(forger)
    code, subjects = forger.verify_at_the_command_line(run)
    assert code == 5
    assert any(subject.startswith(named) for subject in subjects), subjects
    # Who has the ledger's files and its key alone sees what was done to the ledger, and nothing else.
    assert forger.verify_ledger("--key", forger.copy.golden.key) == (5 if reason else 0, reason)


def test_a_changed_figure_is_named_with_its_line_and_with_what_was_sealed(forger: Forger) -> None:
    report = forger.file("analysis", "report.md")
    text = report.read_text()
    line = next(number for number, each in enumerate(text.splitlines(), 1) if "3,040" in each)
    report.write_text(text.replace("3,040", "3,940", 1))
    ended = forger.copy.cli("verify", forger.runs["analysis"], "--json")
    (detail,) = [one["detail"] for one in ended.document["checks"] if one["subject"] == "content of report.md"]
    assert all(part in detail for part in (f"line {line} ", "3,040", "3,940"))


def test_a_run_under_another_id_is_no_run_of_the_ledger(forger: Forger) -> None:
    """Its rows and its files are called otherwise; the ledger knows nobody of that name."""
    old, new = forger.runs["analysis"], str(uuid.uuid4())
    assert forger.replace_in_database(old, new)
    for path in sorted(forger.home.rglob(f"*{old}*"), reverse=True):
        path.rename(path.with_name(path.name.replace(old, new)))
    ended = forger.copy.cli("verify", new, "--source", forger.orders)
    assert ended.code == 5
    assert forger.copy.cli("verify", old).code == 2


def test_with_the_stolen_key_a_changed_answer_is_named_by_what_the_data_give(forger: Forger) -> None:
    forged_answer(forger, forger.key)
    code, subjects = forger.verify_at_the_command_line("analysis")
    assert code == 5 and "answer told again" in subjects
    assert forger.verify_ledger("--key", forger.copy.golden.key) == (0, None)


@pytest.mark.parametrize("run", ["analysis", "drill"])
def test_with_the_stolen_key_a_changed_claim_is_named_by_what_the_data_give(forger: Forger, run: str) -> None:
    forged_claim(forger, run, forger.key)
    assert "claims told again" in forger.verify(run)


def test_with_the_stolen_key_a_rollback_is_named_by_the_witness_alone(forger: Forger, tmp_path: Path) -> None:
    witness = tmp_path / "witness"
    subprocess.run(["git", "init", "--quiet", str(witness)], check=True)
    with forger.copy.open(witness_url=str(witness)) as workbench:
        workbench.analyze("how many orders per region", [forger.orders], deliverables=("tables",))
    assert forger.verify("analysis", witness_url=str(witness)) == set()
    forger.put_back()
    assert forger.verify("analysis") == set()
    assert forger.verify("analysis", witness_url=str(witness)) == {"witness"}


def test_a_given_key_counts_and_no_other(forger: Forger) -> None:
    assert forger.verify("analysis", keys=(forger.copy.golden.key,)) == set()
    assert forger.verify("analysis", keys=(Key().text,))


SHOWN: dict[str, Act] = {
    "question": in_database("total amount by region", "total profit by region"),
    "answer": in_database("3,040", "3,940"),
    "report": lambda home: flip(home.file("analysis", "report.md")),
}


@pytest.mark.parametrize("name", SHOWN)
def test_what_was_forged_is_shown_by_no_face(forger: Forger, name: str) -> None:
    SHOWN[name](forger)
    run = forger.runs["analysis"]
    assert forger.copy.cli("show", run).code == 5
    with forger.copy.serve() as server:
        for place in (f"/v1/runs/{run}", f"/v1/runs/{run}/report"):
            refused = server.client.get(place)
            assert (refused.status_code, refused.json()["error"]["code"]) == (409, "VERIFICATION_FAILED"), place
        listed = next(one for one in server.workbench.runs.list(limit=100) if one.id == run)
        assert name == "report" or listed.answer is None


def test_a_forged_table_is_neither_shown_nor_downloaded(forger: Forger) -> None:
    flip(forger.file("analysis", "*.arrow"))
    with forger.copy.open() as workbench, pytest.raises(AvermentError) as refused:
        _ = workbench.show(forger.runs["analysis"]).table
    assert refused.value.code == "VERIFICATION_FAILED"


@pytest.mark.parametrize("look", ["report", "explanations", "hypotheses", "iterations"])
def test_a_sessions_forged_file_is_shown_by_no_face(forger: Forger, look: str) -> None:
    flip(forger.home / "sessions" / forger.session / "results" / "explanations.json")
    with forger.copy.open() as workbench, pytest.raises(AvermentError) as refused:
        getattr(workbench.sessions, look)(forger.session)
    assert refused.value.code == "VERIFICATION_FAILED"


def test_every_file_of_a_session_that_is_forged_is_named(forger: Forger) -> None:
    folder = forger.home / "sessions" / forger.session
    sealed = [path for path in sorted(folder.rglob("*")) if path.is_file() and "files" not in path.parts]
    sealed = [path for path in sealed if path.name not in {"metadata.json", "breakdown.json"}]
    for path in sealed:
        flip(path)
    named = {f"file {path.relative_to(forger.home)}" for path in sealed}
    assert len(named) > 10 and named <= forger.verify("drill")


def test_a_forged_chat_history_is_no_proof_and_reaches_no_answer(forger: Forger) -> None:
    with forger.copy.open() as workbench:
        told = workbench.sessions.chat(forger.session, "what changed?").content
    place = forger.home / "sessions" / forger.session / "chat" / "history.json"
    kept = json.loads(place.read_text())
    assert kept
    place.write_text(json.dumps([{**said, "content": "Profit rose to 777."} for said in kept]))
    with forger.copy.open() as workbench:
        assert workbench.sessions.chat(forger.session, "what changed?").content == told


def test_a_forged_cache_does_not_fool_the_recomputation(forger: Forger) -> None:
    snapshots = list((forger.home / "cache").rglob("*.duckdb"))
    kept = {path: path.read_bytes() for path in snapshots}
    for path in snapshots:
        path.write_bytes(b"forged")
    assert snapshots and forger.verify("analysis") == set()
    for path, content in kept.items():
        path.write_bytes(content)


@pytest.mark.parametrize("place", ["cache/tables", "cache/profiles", "db/recipe_memory.db", "logs/frontier"])
def test_what_may_be_lost_is_not_missed(forger: Forger, place: str) -> None:
    """Caches, recipes and the frontier are made again, or are done without; no earlier run rests on them."""
    path = forger.beside("frontier") if place == "logs/frontier" else forger.home / place
    shutil.rmtree(path) if path.is_dir() else path.unlink(missing_ok=True)
    assert forger.verify("analysis") == set()
