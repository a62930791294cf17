"""Nearly two hundred things that someone who may write to a home can do to it, and what verify says of each.

Each act is (run, name, act, what verify names). ``test_forgeries_are_named.py`` has one of each kind for every day,
with every verifier. The tables of the database are those of earlier homes, which must go on verifying, so they are a
format like the ledger's.
"""

from __future__ import annotations

import json
import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from forger import Forger, Key, flip, forged_answer, shifted

pytestmark = pytest.mark.thorough
Act = Callable[[Forger], object]


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


def no_checkpoints(home: Forger) -> None:
    home.beside("checkpoints").unlink()


def one_checkpoint_less(home: Forger) -> None:
    path = home.beside("checkpoints")
    note = json.loads(row_of(home, "analysis"))["checkpoint"]
    text = path.read_text()
    assert f"{note}\n" in text
    path.write_text(text.replace(f"{note}\n", "", 1))


def row_of(home: Forger, agent: str) -> str:
    with closing(sqlite3.connect(home.home / "db" / "averment.db")) as connection, connection:
        return connection.execute("SELECT sealed FROM runs WHERE run_id = ?", (home.runs[agent],)).fetchone()[0]


def ledger_edit(change: Callable[[list[str]], list[str]]) -> Act:
    def act(home: Forger) -> None:
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
    ("analysis", "another public key", lambda home: home.beside("pub").write_text(f"{Key().text}\n"), ""),
    ("analysis", "chained anew, unsigned", lambda home: home.rewrite(shifted), ""),
    ("analysis", "chained anew, another key", lambda home: home.rewrite(shifted, key=Key()), ""),
    (
        "analysis",
        "an entry dropped, another key",
        lambda home: home.rewrite(lambda e: e[:3] + e[4:], key=Key()),
        "",
    ),
    ("analysis", "answer forged, unsigned", lambda home: forged_answer(home, None), ""),
    ("analysis", "answer forged, another key", lambda home: forged_answer(home, Key()), "ledger"),
    ("research", "chained anew, another key", lambda home: home.rewrite(shifted, key=Key()), ""),
    ("chat", "chained anew, another key", lambda home: home.rewrite(shifted, key=Key()), ""),
    ("analysis", "source changed", lambda home: flip(home.orders), "source"),
    ("analysis", "source gone", lambda home: home.orders.unlink(), "source"),
    ("research", "archived text changed", lambda home: archive(home), ""),
]


def archive(home: Forger) -> None:
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
    *(act for act in acts_of("chat") if "answer" in act[1] or "conclusion" in act[1] or "intent" in act[1]),
    *(act for act in acts_of("drill") if act[1].startswith(("answer", "intent", "conclusion", "plan", "event"))),
    *file_acts(
        "analysis", "result.csv", "report.md", "summary.txt", "chart.png", "chart.vl.json", "*.arrow", "*.vl.json"
    ),
    *file_acts("research", "report.md", "report.json", "summary.txt"),
    *file_acts("drill", "report.md", "explanations.json", "summary.txt"),
    *file_acts("chat", "*.arrow"),
    *LEDGER,
]


def row(name: str, value: str, agent: str = "analysis") -> tuple[str, Act]:
    return agent, lambda home: home.change(agent, f"UPDATE runs SET {name} = {value} WHERE run_id = :run")


def conclusion(change: str, agent: str = "analysis") -> tuple[str, Act]:
    where = "run_id = :run AND kind = 'conclusion'"
    return agent, lambda home: home.change(agent, f"UPDATE run_records SET body = {change} WHERE {where}")


def sql(agent: str, *statements: str) -> tuple[str, Act]:
    def act(home: Forger) -> None:
        for statement in statements:
            home.change(agent, statement)

    return agent, act


def ledger(change: Callable[[bytes], bytes]) -> tuple[str, Act]:
    return "analysis", lambda home: home.log.write_bytes(change(home.log.read_bytes()))


def swap_files(agent: str, one: str, other: str) -> tuple[str, Act]:
    def act(home: Forger) -> None:
        first, second = home.file(agent, one), home.file(agent, other)
        kept = first.read_bytes()
        first.write_bytes(second.read_bytes())
        second.write_bytes(kept)

    return agent, act


def link(home: Forger) -> None:
    """The report is a link to another that is kept outside."""
    place = home.file("analysis", "report.md")
    outside = home.home.parent / "outside.md"
    outside.write_text(place.read_text().replace("1", "2"))
    place.unlink()
    place.symlink_to(outside)


def folder(home: Forger) -> None:
    place = home.file("analysis", "summary.txt")
    place.unlink()
    place.mkdir()


def reordered_keys(content: bytes) -> bytes:
    first, _, rest = content.partition(b"\n")
    body = json.loads(first)
    return json.dumps(dict(reversed(list(body.items())))).encode() + b"\n" + rest


def probe_edited(content: bytes) -> bytes:
    assert b'"probe"' in content
    return content.replace(b'"probe"', b'"proof"', 1)


def another_arrow(home: Forger) -> None:
    """A kept table is another table of the same columns, written properly."""
    import pyarrow as pa

    place = home.file("analysis", "*.arrow")
    with pa.OSFile(str(place)) as source:
        table = pa.ipc.open_file(source).read_all()
    with pa.OSFile(str(place), "wb") as sink, pa.ipc.new_file(sink, table.schema) as writer:
        writer.write_table(table.slice(0, max(table.num_rows - 1, 0)))


def foreign_rows(home: Forger) -> None:
    """The answer of another run stands in this one's row."""
    with closing(sqlite3.connect(home.home / "db" / "averment.db")) as connection, connection:
        connection.execute(
            "UPDATE runs SET answer = (SELECT answer FROM runs WHERE run_id = ?) WHERE run_id = ?",
            (home.runs["drill"], home.runs["analysis"]),
        )


def again(home: Forger, table: str, place: str, which: str) -> None:
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
MORE: dict[str, tuple[str, Act]] = {
    "grade raised": row("reading", "json_set(reading, '$.grade', 'you chose it')"),
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
    "a drill's claims emptied": conclusion("json_set(body, '$.claims', json('[]'))", "drill"),
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
        lambda home: shutil.copyfile(home.file("drill", "report.md"), home.file("analysis", "report.md")),
    ),
    "the report is a link": ("analysis", link),
    "the summary is a folder": ("analysis", folder),
    "a kept table rewritten well": ("analysis", another_arrow),
    "a kept table of no bytes": ("analysis", lambda home: home.file("analysis", "*.arrow").write_bytes(b"")),
    "the breakdown changed": (
        "drill",
        lambda home: (path := home.file("drill", "breakdown.json")).write_text(path.read_text() + " "),
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


FIELDS = (
    "entry_id",
    "request_id",
    "sequence_number",
    "parent_hash",
    "timestamp",
    "event_type",
    "event_data",
    "actor",
    "hash",
)
SOURCES: dict[str, Callable[[Path], object]] = {
    "a digit": lambda path: path.write_text(path.read_text().replace("7.25", "8.25", 1)),
    "a row more": lambda path: path.write_text(path.read_text() + "2024-02-25,West,Lamp,1,1.00\n"),
    "empty": lambda path: path.write_bytes(b""),
}


@pytest.mark.parametrize(("run", "name", "act", "named"), ACTS, ids=lambda each: each if isinstance(each, str) else "")
def test_an_act_is_named(forger: Forger, run: str, name: str, act: Act, named: str) -> None:
    act(forger)
    found = forger.verify(run)
    assert found == {"VERIFICATION_FAILED"} or any(named in subject for subject in found), (name, found)


@pytest.mark.parametrize("name", MORE)
def test_an_act_of_another_kind_is_named(forger: Forger, name: str) -> None:
    run, act = MORE[name]
    act(forger)
    assert forger.verify(run)


@pytest.mark.parametrize("field", FIELDS)
@pytest.mark.parametrize("line", [1, 5, -1])
def test_any_field_of_any_line_of_the_ledger_is_named(forger: Forger, field: str, line: int) -> None:
    lines = forger.log.read_text().splitlines()
    number = line if line > 0 else len(lines)
    entry = json.loads(lines[number - 1])
    entry[field] = changed(entry[field])
    lines[number - 1] = json.dumps(entry, sort_keys=True)
    forger.log.write_text("\n".join(lines) + "\n")
    ended = forger.copy.cli("verify", "--ledger", forger.log, "--json")
    assert ended.code == 5
    assert ended.document["first_fault"]["line"] == number


def changed(value: object) -> object:
    if isinstance(value, int):
        return value + 1
    if isinstance(value, dict):
        return {**value, "added": 1}
    text = str(value)
    return text[:-1] + ("0" if text[-1] != "0" else "1")


@pytest.mark.parametrize("name", SOURCES)
def test_a_changed_source_is_named(forger: Forger, name: str) -> None:
    SOURCES[name](forger.orders)
    assert all(subject.startswith("source") for subject in forger.verify("analysis") or {"nothing"})


def test_the_lists_are_long_enough() -> None:
    assert len(ACTS) >= 140 and len(MORE) >= 30
    assert {run for run, *_ in ACTS} == {"analysis", "research", "chat", "drill"}
