"""Thirty further acts on a home, of other kinds: swapped, doubled, reordered and re-encoded, and what verify says."""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest
from tampered import Home

from averment.errors import AvermentError, VerificationFailed

pytestmark = pytest.mark.xdist_group("flows")
Act = Callable[[Home], object]


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Home:
    home = Home(tmp_path_factory.mktemp("more"))
    home.build()
    return home


@pytest.fixture
def home(built: Home) -> Iterator[Home]:
    yield built
    built.put_back()


def row(name: str, value: str, agent: str = "analysis") -> tuple[str, Act]:
    return agent, lambda home: home.change(agent, f"UPDATE runs SET {name} = {value} WHERE run_id = :run")


def conclusion(change: str, agent: str = "analysis") -> tuple[str, Act]:
    where = "run_id = :run AND kind = 'conclusion'"
    return agent, lambda home: home.change(agent, f"UPDATE run_records SET body = {change} WHERE {where}")


def sql(agent: str, *statements: str) -> tuple[str, Act]:
    def act(home: Home) -> None:
        for statement in statements:
            home.change(agent, statement)

    return agent, act


def ledger(change: Callable[[bytes], bytes]) -> tuple[str, Act]:
    return "analysis", lambda home: home.log.write_bytes(change(home.log.read_bytes()))


def swap_files(agent: str, one: str, other: str) -> tuple[str, Act]:
    def act(home: Home) -> None:
        first, second = home.file(agent, one), home.file(agent, other)
        kept = first.read_bytes()
        first.write_bytes(second.read_bytes())
        second.write_bytes(kept)

    return agent, act


def link(home: Home) -> None:
    """The report is a link to another that is kept outside."""
    place = home.file("analysis", "report.md")
    outside = home.folder / "outside.md"
    outside.write_text(place.read_text().replace("1", "2"))
    place.unlink()
    place.symlink_to(outside)


def folder(home: Home) -> None:
    place = home.file("analysis", "summary.txt")
    place.unlink()
    place.mkdir()


def reordered_keys(content: bytes) -> bytes:
    import json

    first, _, rest = content.partition(b"\n")
    body = json.loads(first)
    return json.dumps(dict(reversed(list(body.items())))).encode() + b"\n" + rest


def probe_edited(content: bytes) -> bytes:
    assert b'"probe"' in content
    return content.replace(b'"probe"', b'"proof"', 1)


def another_arrow(home: Home) -> None:
    """A kept table is another table of the same columns, written properly."""
    import pyarrow as pa

    place = home.file("analysis", "*.arrow")
    with pa.OSFile(str(place)) as source:
        table = pa.ipc.open_file(source).read_all()
    with pa.OSFile(str(place), "wb") as sink, pa.ipc.new_file(sink, table.schema) as writer:
        writer.write_table(table.slice(0, max(table.num_rows - 1, 0)))


def foreign_rows(home: Home) -> None:
    """The answer of another run stands in this one's row."""
    with closing(sqlite3.connect(home.home / "db" / "averment.db")) as connection, connection:
        connection.execute(
            "UPDATE runs SET answer = (SELECT answer FROM runs WHERE run_id = ?) WHERE run_id = ?",
            (home.runs["drilldown"], home.runs["analysis"]),
        )


def again(home: Home, table: str, place: str, which: str) -> None:
    """A row stands there a second time, further on."""
    with closing(sqlite3.connect(home.home / "db" / "averment.db")) as connection, connection:
        names = [name for _, name, *_ in connection.execute(f"PRAGMA table_info({table})")]
        new = {place: f"{place} + 900", "key": "key || '/again'"}
        taken = ", ".join(new.get(name, name) for name in names)
        made = connection.execute(
            f"INSERT INTO {table} ({', '.join(names)}) SELECT {taken} FROM {table} WHERE run_id = ? AND {which}",
            (home.runs["analysis"],),
        )
        assert made.rowcount


_LAST = "(SELECT max(position) FROM run_records WHERE run_id = :run AND kind = 'observation')"
ACTS: dict[str, tuple[str, Act]] = {
    "grade raised": row("reading", "json_set(reading, '$.grade', 'chosen')"),
    "odds raised": row("reading", "json_set(reading, '$.odds', 1.0)"),
    "rival readings dropped": row("reading", "json_remove(reading, '$.judged')"),
    "caveats taken away": row("reading", "json_set(reading, '$.foreseen', json('{}'))"),
    "a step described otherwise": row("plan", "json_set(plan, '$.subtasks[0].description', 'Count profit')"),
    "a plan handed in": row("request", "json_set(request, '$.meaning', json('{\"grade\": \"chosen\"}'))"),
    "deliverables changed": row("request", "json_set(request, '$.request.deliverables', json('[\"summary\"]'))"),
    "the run is of another kind": row("kind", "'research'"),
    "another number of entries claimed": row("sealed", "json_set(sealed, '$.entries', 3)"),
    "the answer of another run": ("analysis", foreign_rows),
    "a claim's relation": conclusion("json_set(body, '$.claims[0].relation', 'lowest')"),
    "a claim's shown value": conclusion("json_set(body, '$.claims[0].values[0].text', '9')"),
    "a claim's evidence": conclusion("json_set(body, '$.claims[0].values[0].evidence.row', 7)"),
    "a finding's method": conclusion("json_set(body, '$.findings[0].method', 'by hand')"),
    "a finding's template": conclusion("json_set(body, '$.findings[0].template', 'Up {value}.')"),
    "a quotation's place": conclusion("json_set(body, '$.claims[0].values[0].evidence.start', 1)", "research"),
    "a drill's claims emptied": conclusion("json_set(body, '$.claims', json('[]'))", "drilldown"),
    "an artifact twice": ("analysis", lambda home: again(home, "run_records", "position", "kind = 'artifact'")),
    "an event more": ("analysis", lambda home: again(home, "run_events", "seq", "seq = 2")),
    "two events swapped": sql(
        "analysis",
        "UPDATE run_events SET seq = -1 WHERE run_id = :run AND seq = 2",
        "UPDATE run_events SET seq = 2 WHERE run_id = :run AND seq = 3",
        "UPDATE run_events SET seq = 3 WHERE run_id = :run AND seq = -1",
    ),
    "an observation's time": sql(
        "analysis",
        f"UPDATE run_records SET body = json_set(body, '$.timestamp', '2020-01-01T00:00:00.000000Z') "
        f"WHERE run_id = :run AND kind = 'observation' AND position = {_LAST}",
    ),
    "report and summary swapped": swap_files("analysis", "report.md", "summary.txt"),
    "another run's report": (
        "analysis",
        lambda home: shutil.copyfile(home.file("drilldown", "report.md"), home.file("analysis", "report.md")),
    ),
    "the report is a link": ("analysis", link),
    "the summary is a folder": ("analysis", folder),
    "a kept table rewritten well": ("analysis", another_arrow),
    "a kept table of no bytes": ("analysis", lambda home: home.file("analysis", "*.arrow").write_bytes(b"")),
    "the breakdown changed": (
        "drilldown",
        lambda home: (path := home.file("drilldown", "breakdown.json")).write_text(path.read_text() + " "),
    ),
    "ledger with other line ends": ledger(lambda content: content.replace(b"\n", b"\r\n")),
    "ledger with its keys reordered": ledger(reordered_keys),
    "a probe renamed in the ledger": ledger(probe_edited),
    "a zero byte at the ledger's end": ledger(lambda content: content + b"\x00"),
    "a foreign entry at the ledger's end": ledger(lambda content: content + content.splitlines()[0] + b"\n"),
    "checkpoints of two runs swapped": (
        "analysis",
        lambda home: home.beside("checkpoints").write_text(
            "\n\n".join(reversed(home.beside("checkpoints").read_text().split("\n\n")))
        ),
    ),
}


def test_there_are_thirty_of_them() -> None:
    assert len(ACTS) >= 30


@pytest.mark.parametrize("name", ACTS)
def test_an_act_of_another_kind_is_named(home: Home, name: str) -> None:
    agent, act = ACTS[name]
    act(home)
    try:
        verdict = home.verify(agent)
    except AvermentError as refused:
        assert isinstance(refused, VerificationFailed), refused
        return
    assert not verdict.ok, name
    assert all(check.detail for check in verdict.faults)


def test_a_chat_history_is_no_proof_and_a_forged_one_reaches_no_answer(home: Home, tmp_path: Path) -> None:
    from averment import Workbench

    place = home.home / "sessions" / home.session / "chat" / "history.json"
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_text("[]")
    with Workbench(settings=home.settings()) as workbench:
        told = workbench.sessions.chat(home.session, "what changed?").content
    assert "amount" in told.lower()
    assert any(word in told for word in ("went from", "fell from", "rose from"))
