"""More than a hundred things that someone who may write to a home can do to it, and what verify says of each.

Each act is (agent, name, act, what verify names). Those with the signing key are at the end: what they can still do is
what SECURITY.md says, and with a witness not even that.
"""

from __future__ import annotations

import json
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from tampered import Home

from averment import Workbench
from averment.errors import VerificationFailed
from averment.ledger.keys import SigningKey
from averment.ledger.pins import Pins

pytestmark = pytest.mark.xdist_group("flows")
Act = Callable[[Home], object]


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Home:
    home = Home(tmp_path_factory.mktemp("acts"))
    home.build()
    return home


@pytest.fixture
def home(built: Home) -> Iterator[Home]:
    yield built
    built.put_back()


def flip(path: Path) -> None:
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(bytes(content))


def column(agent: str, name: str, value: str) -> Act:
    return lambda home: home.change(agent, f"UPDATE runs SET {name} = {value} WHERE run_id = :run")


def record(agent: str, kind: str, change: str) -> Act:
    of_kind = "run_id = :run AND kind = :v0"
    where = f"{of_kind} AND position = (SELECT max(position) FROM run_records WHERE {of_kind})"
    return lambda home: home.change(agent, f"UPDATE run_records SET body = {change} WHERE {where}", kind)


def lose(agent: str, kind: str) -> Act:
    return lambda home: home.change(agent, "DELETE FROM run_records WHERE run_id = :run AND kind = :v0", kind)


ROW: list[tuple[str, str, str]] = [
    ("intent", "'total profit'", "question"),
    ("answer", "'\"All regions are up strongly.\"'", "answer"),
    ("answer", "NULL", "answer"),
    ("status", "'partial_success'", "status"),
    ("status", "'failed'", "status"),
    ("reading", "json_set(reading, '$.in_words', 'total profit')", "reading"),
    ("plan", "json_set(plan, '$.reasoning', 'because')", "plan as shown"),
    ("created_at", "'2020-01-01T00:00:00.000000Z'", "time it was asked"),
    ("finished_at", "'2020-01-01T00:00:00.000000Z'", "time it ended"),
    ("request", "json_set(request, '$.request.constraints.row_limit', 5)", "request"),
    ("request", "json_set(request, '$.request.policy.blocked_patterns', json('[\"x\"]'))", "question"),
    ("sealed", "json_set(sealed, '$.run_root', '00')", "seal"),
    ("sealed", "json_set(sealed, '$.checkpoint', 'gone')", ""),
]
"""Columns of the run's row: what is put in, and what verify names."""

RECORDS: list[tuple[str, str, str]] = [
    ("planned", "json_set(body, '$.reading.in_words', 'total profit')", "plan"),
    ("planned", "json_set(body, '$.reasoner', 'nobody')", "plan"),
    ("call", "json_set(body, '$.arguments.query', 'SELECT 1')", "call"),
    ("observation", "json_set(body, '$.row_count', 99)", "call"),
    ("observation", "json_set(body, '$.execution_time_seconds', 99.0)", "call"),
    ("conclusion", "json_set(body, '$.answer', 'Up.')", "conclusion"),
    ("conclusion", "json_set(body, '$.findings[0].text', 'Up.')", "findings"),
    ("conclusion", "json_set(body, '$.claims[0].text', 'Up.')", "conclusion"),
    ("conclusion", "json_remove(body, '$.claims[0]')", "conclusion"),
    ("artifact", "json_set(body, '$.metadata.made_up', 1)", "descriptions of artifacts"),
    ("artifact", "json_set(body, '$.content_hash', printf('%064d', 0))", "list of artifacts"),
    ("planned", "'{broken'", ""),
    ("conclusion", "'[]'", ""),
    ("call", "'{}'", ""),
    ("artifact", "'{}'", ""),
]


def acts_of(agent: str) -> list[tuple[str, str, Act, str]]:
    made = [(agent, f"{name} := {value[:40]}", column(agent, name, value), named) for name, value, named in ROW]
    made += [(agent, f"{kind} := {change[:60]}", record(agent, kind, change), named) for kind, change, named in RECORDS]
    made += [
        (agent, f"{kind} lost", lose(agent, kind), "") for kind in ("planned", "conclusion", "observation", "artifact")
    ]
    events = "UPDATE run_events SET body = json_set(body, '$.data.x', 1) WHERE run_id = :run AND seq = 2"
    made.append((agent, "event changed", lambda home: home.change(agent, events), "events"))
    gone = "DELETE FROM run_events WHERE run_id = :run AND seq = 2"
    made.append((agent, "event deleted", lambda home: home.change(agent, gone), "events"))
    return made


def file_acts(agent: str, *patterns: str) -> list[tuple[str, str, Act, str]]:
    made: list[tuple[str, str, Act, str]] = []
    for pattern in patterns:
        made.append((agent, f"{pattern} changed", lambda home, p=pattern: flip(home.file(agent, p)), ""))
        made.append((agent, f"{pattern} gone", lambda home, p=pattern: home.file(agent, p).unlink(), ""))
    return made


def no_checkpoints(home: Home) -> None:
    home.beside("checkpoints").unlink()


def one_checkpoint_less(home: Home) -> None:
    path = home.beside("checkpoints")
    note = json.loads(row_of(home, "analysis"))["checkpoint"]
    text = path.read_text()
    assert f"{note}\n" in text
    path.write_text(text.replace(f"{note}\n", "", 1))


def row_of(home: Home, agent: str) -> str:
    with closing(sqlite3.connect(home.home / "db" / "averment.db")) as connection, connection:
        return connection.execute("SELECT sealed FROM runs WHERE run_id = ?", (home.runs[agent],)).fetchone()[0]


def forged_answer(home: Home, key: SigningKey | None) -> None:
    """The answer is another one, in the store and in a ledger that is chained, and perhaps signed, anew."""
    import hashlib

    told = "All regions are up strongly."
    digest = hashlib.sha256(json.dumps(told).encode()).hexdigest()
    home.change("analysis", "UPDATE runs SET answer = :v0 WHERE run_id = :run", json.dumps(told))
    home.change(
        "analysis",
        "UPDATE run_records SET body = json_set(body, '$.answer', :v0) WHERE run_id = :run AND kind = 'conclusion'",
        told,
    )

    def edit(entries: list[dict[str, Any]]) -> list[dict[str, Any]]:
        for entry in entries:
            if entry["request_id"] == home.runs["analysis"] and "answer_sha256" in entry["event_data"]:
                entry["event_data"]["answer_sha256"] = digest
                entry["event_data"].pop("conclusion_sha256")
        return entries

    home.rewrite(edit, key=key)


def forged_claim(home: Home, agent: str, key: SigningKey | None) -> None:
    """A claim says something else, in the store and in a ledger that is chained and signed anew."""
    change = (
        "UPDATE run_records SET body = json_set(body, '$.claims[0].text', 'Up.') WHERE run_id = :run AND kind = :v0"
    )
    home.change(agent, change, "conclusion")

    def edit(entries: list[dict[str, Any]]) -> list[dict[str, Any]]:
        for entry in entries:
            if entry["request_id"] == home.runs[agent]:
                entry["event_data"].pop("conclusion_sha256", None)
        return entries

    home.rewrite(edit, key=key)


def ledger_edit(change: Callable[[list[str]], list[str]]) -> Act:
    def act(home: Home) -> None:
        home.log.write_text("\n".join(change(home.log.read_text().splitlines())) + "\n")

    return act


LEDGER: list[tuple[str, str, Act, str]] = [
    ("analysis", "first line gone", ledger_edit(lambda lines: lines[1:]), "ledger"),
    ("analysis", "line 4 gone", ledger_edit(lambda lines: [*lines[:3], *lines[4:]]), "ledger"),
    ("analysis", "last line gone", ledger_edit(lambda lines: lines[:-1]), "ledger"),
    ("analysis", "two lines swapped", ledger_edit(lambda lines: [lines[1], lines[0], *lines[2:]]), "ledger"),
    ("analysis", "a line twice", ledger_edit(lambda lines: [*lines[:3], *lines[2:]]), "ledger"),
    ("analysis", "a blank line", ledger_edit(lambda lines: [*lines[:3], "", *lines[3:]]), "ledger"),
    ("analysis", "no JSON", ledger_edit(lambda lines: ["{", *lines[1:]]), "ledger"),
    ("analysis", "cut to ten lines", ledger_edit(lambda lines: lines[:10]), "ledger"),
    ("analysis", "ledger gone", lambda home: home.log.unlink(), "ledger"),
    ("analysis", "ledger empty", lambda home: home.log.write_bytes(b""), "ledger"),
    ("analysis", "checkpoints gone", no_checkpoints, "checkpoint"),
    ("analysis", "the run's checkpoint gone", one_checkpoint_less, "checkpoint"),
    ("analysis", "checkpoints empty", lambda home: home.beside("checkpoints").write_bytes(b""), "checkpoint"),
    ("analysis", "checkpoint bit", lambda home: flip(home.beside("checkpoints")), "ledger"),
    ("analysis", "public key gone", lambda home: home.beside("pub").unlink(), "key"),
    ("analysis", "public key bit", lambda home: flip(home.beside("pub")), ""),
    ("analysis", "another public key", lambda home: home.beside("pub").write_text(f"{strange().verifier.text}\n"), ""),
    ("analysis", "chained anew, unsigned", lambda home: home.rewrite(shifted), ""),
    ("analysis", "chained anew, another key", lambda home: home.rewrite(shifted, key=strange()), ""),
    (
        "analysis",
        "an entry dropped, another key",
        lambda home: home.rewrite(lambda e: e[:3] + e[4:], key=strange()),
        "",
    ),
    ("analysis", "answer forged, unsigned", lambda home: forged_answer(home, None), ""),
    ("analysis", "answer forged, another key", lambda home: forged_answer(home, strange()), "ledger"),
    ("research", "chained anew, another key", lambda home: home.rewrite(shifted, key=strange()), ""),
    ("assistant", "chained anew, another key", lambda home: home.rewrite(shifted, key=strange()), ""),
    ("analysis", "source changed", lambda home: flip(home.folder / "orders.csv"), "source"),
    ("analysis", "source gone", lambda home: (home.folder / "orders.csv").unlink(), "source"),
    ("research", "archived text changed", lambda home: archive(home), ""),
]


def strange() -> SigningKey:
    return SigningKey.generate("averment.local/ledger")


def shifted(entries: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The first entry says something else."""
    entries[0]["event_data"]["version"] = "9.9.9"
    return entries


def archive(home: Home) -> None:
    with closing(sqlite3.connect(home.home / "db" / "averment.db")) as connection, connection:
        tables = [name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        kept = next(
            name for name in tables if (name.startswith("corpus") and "blob" in name) or name == "corpus_archive"
        )
        connection.execute(f"UPDATE {kept} SET {blob_column(connection, kept)} = x'00'")


def blob_column(connection: Any, table: str) -> str:
    return next(name for _, name, kind, *_ in connection.execute(f"PRAGMA table_info({table})") if kind == "BLOB")


ACTS = [
    *acts_of("analysis"),
    *acts_of("research"),
    *(act for act in acts_of("assistant") if "answer" in act[1] or "conclusion" in act[1] or "intent" in act[1]),
    *(act for act in acts_of("drilldown") if act[1].startswith(("answer", "intent", "conclusion", "plan", "event"))),
    *file_acts(
        "analysis", "result.csv", "report.md", "summary.txt", "chart.png", "chart.vl.json", "*.arrow", "*.vl.json"
    ),
    *file_acts("research", "report.md", "report.json", "summary.txt"),
    *file_acts("drilldown", "report.md", "explanations.json", "summary.txt"),
    *file_acts("assistant", "*.arrow"),
    *LEDGER,
]


def test_the_list_is_long_enough() -> None:
    assert len(ACTS) >= 140
    assert len({(agent, name) for agent, name, *_ in ACTS}) >= 120
    assert {agent for agent, *_ in ACTS} == {"analysis", "research", "assistant", "drilldown"}


@pytest.mark.parametrize(
    ("agent", "name", "act", "named"), ACTS, ids=lambda value: value if isinstance(value, str) else ""
)
def test_an_act_is_named(home: Home, agent: str, name: str, act: Act, named: str) -> None:
    if agent not in home.runs:
        pytest.skip("the assistant handed nothing on")
    act(home)
    try:
        verdict = home.verify(agent)
    except VerificationFailed as refused:  # A row that no version of this program wrote.
        assert refused.exit_code == 5
        return
    assert not verdict.ok, name
    assert any(named in check.subject for check in verdict.faults), verdict.faults


SESSION = ["report.md", "results/explanations.json", "context.json", "analysis/plan.json", "analysis/schema.json",
           "analysis/findings_ledger.json", "analysis/hypotheses/hyp_001.json", "analysis/iterations/iter_001.json",
           "analysis/full_outputs/output_001.txt"]  # fmt: skip
DRILL = [("answer", "'\"Up.\"'", "answer"), ("intent", "'why profit fell'", "question"),
         ("reading", "json_set(reading, '$.in_words', 'x')", "reading")]  # fmt: skip


def test_whatever_is_done_to_the_files_of_a_session_is_named(home: Home) -> None:
    for name in SESSION:
        flip(home.home / "sessions" / home.session / name)
    named = {check.subject for check in home.verify("drilldown").faults}
    assert named == {f"file sessions/{home.session}/{name}" for name in SESSION}


def test_whatever_is_done_to_a_drill_down_is_named(home: Home) -> None:
    for kind in ("round", "taken", "observation"):
        record("drilldown", kind, "json_set(body, '$.made_up', 1)")(home)
    for name, value, _ in DRILL:
        column("drilldown", name, value)(home)
    for pattern in ("report.md", "explanations.csv", "*.arrow"):
        flip(home.file("drilldown", pattern))
    named = {check.subject for check in home.verify("drilldown").faults}
    assert {"rounds", "calls", *(subject for *_, subject in DRILL)} <= named
    assert sum(subject.startswith(("artifact ", "kept result ")) for subject in named) >= 3


@pytest.mark.parametrize("name", ["report.md", "results/explanations.json", "analysis/hypotheses/hyp_001.json"])
def test_a_sessions_changed_file_is_shown_by_no_face(home: Home, name: str) -> None:
    path = home.home / "sessions" / home.session / name
    path.write_text(path.read_text().replace("4", "9"))
    with Workbench(settings=home.settings()) as workbench:
        for look in ("report", "explanations", "hypotheses", "iterations"):
            with pytest.raises(VerificationFailed):
                getattr(workbench.sessions, look)(home.session)


SHOWN: list[tuple[str, Act]] = [
    ("intent", column("analysis", "intent", "'total PROFIT'")),
    ("answer", column("analysis", "answer", "'\"Up.\"'")),
    ("reading", column("analysis", "reading", "json_set(reading, '$.in_words', 'x')")),
    ("plan", column("analysis", "plan", "json_set(plan, '$.reasoning', 'x')")),
    ("finding", record("analysis", "conclusion", "json_set(body, '$.findings[0].text', 'Up.')")),
    ("observation", record("analysis", "observation", "json_set(body, '$.row_count', 9)")),
    ("report", lambda home: flip(home.file("analysis", "report.md"))),
]


@pytest.mark.parametrize(("name", "act"), SHOWN, ids=lambda value: value if isinstance(value, str) else "")
def test_what_was_forged_is_shown_by_no_face(home: Home, name: str, act: Act) -> None:
    from starlette.testclient import TestClient

    from averment.faces.http.app import create_app

    act(home)
    run = home.runs["analysis"]
    told = subprocess.run(
        [sys.executable, "-m", "averment", "--home", str(home.home), "show", run],
        capture_output=True,
        text=True,
        check=False,
    )
    assert told.returncode == 5, told.stdout + told.stderr
    with Workbench(settings=home.settings()) as workbench:
        client = TestClient(create_app(workbench, token="t" * 30), base_url="http://127.0.0.1")
        client.headers["Authorization"] = f"Bearer {'t' * 30}"
        for place in (f"/v1/runs/{run}", f"/v1/runs/{run}/report"):
            assert client.get(place).status_code == 409, place
        listed = next(one for one in workbench.runs.list() if one.id == run)
        assert name == "report" or (listed.answer is None and "verify" in listed.intent)


def test_a_forged_table_is_neither_shown_nor_downloaded(home: Home) -> None:
    flip(home.file("analysis", "*.arrow"))
    for path in (home.home / "work" / home.runs["analysis"]).glob("*.arrow"):
        if path.read_bytes() == home.kept[path]:
            flip(path)
    with Workbench(settings=home.settings()) as workbench, pytest.raises(VerificationFailed):
        _ = workbench.show(home.runs["analysis"]).table


@pytest.mark.parametrize(
    "folder", ["cache/tables", "cache/profiles", "db/recipe_memory.db", "logs/data_agent_runs.jsonl.frontier"]
)
def test_what_may_be_lost_is_not_missed(home: Home, folder: str) -> None:
    """Caches, recipes and the frontier are made again, or are done without; no earlier run rests on them."""
    place = home.home / folder
    shutil.rmtree(place) if place.is_dir() else place.unlink(missing_ok=True)
    verdict = home.verify("analysis")
    assert verdict.ok, verdict.faults


def test_with_the_key_a_changed_answer_is_still_named_by_what_the_data_give(home: Home) -> None:
    forged_answer(home, home.key)
    assert "answer told again" in {check.subject for check in home.verify("analysis").faults}


def test_with_the_key_a_changed_claim_is_still_named_by_what_the_data_give(home: Home) -> None:
    for agent in ("analysis", "drilldown"):
        forged_claim(home, agent, home.key)
        assert "claims told again" in {check.subject for check in home.verify(agent).faults}
        home.put_back()


def test_with_the_key_a_rollback_is_named_by_the_witness_alone(home: Home, tmp_path: Path) -> None:
    source = home.folder / "orders.csv"
    witness = tmp_path / "witness"
    subprocess.run(["git", "init", "--quiet", str(witness)], check=True)
    with Workbench(settings=home.settings(witness_url=str(witness))) as workbench:
        workbench.analyze("how many orders per region", [source], deliverables=("tables",))
    assert home.verify("analysis", witness_url=str(witness)).ok
    home.put_back()
    assert home.verify("analysis").ok
    (fault,) = home.verify("analysis", witness_url=str(witness)).faults
    assert fault.subject == "witness"
    assert "missing" in fault.detail


def test_a_key_is_pinned_outside_the_home_and_given_ones_win(home: Home) -> None:
    settings = home.settings()
    pinned = Pins(settings.pins).get(settings.ledger_path)
    assert pinned == home.key.verifier
    assert not settings.pins.is_relative_to(home.home)
    with Workbench(settings=settings) as workbench:
        assert workbench.verify(home.runs["analysis"], keys=[pinned.text]).ok
        assert not workbench.verify(home.runs["analysis"], keys=[strange().verifier.text]).ok
