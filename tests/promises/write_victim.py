"""A process that uses a home and dies by SIGKILL right before it writes for the N-th time in one way.

    python write_victim.py HOME TABLE VERB KIND N

VERB is ``ask`` (one question of the table; a run that an earlier process left is gone on with) or ``say`` (one message
to the assistant). KIND is a kind of write, told by where it goes and not by who writes:

``ledger``, ``checkpoint``      bytes of the log, and of the file that its signatures are in
``artifact``, ``result``        a file takes its name under ``artifacts`` or ``work``
``insert``, ``update``, ``commit``   a statement to the home's database
``progress``                    a commit to the database of the engine that carries runs out

With N = 0 nobody dies, and HOME/writes.json says how many writes of each kind there were.
"""

from __future__ import annotations

import json
import os
import signal
import sqlite3
import sys
from collections import Counter
from pathlib import Path
from typing import Any

from averment import Workbench
from averment.settings import Settings

HOME, TABLE, VERB, KIND, AT = Path(sys.argv[1]), sys.argv[2], sys.argv[3], sys.argv[4], int(sys.argv[5])
FILES = {"data_agent_runs.jsonl": "ledger", "data_agent_runs.jsonl.checkpoints": "checkpoint"}
FOLDERS = {"artifacts": "artifact", "work": "result"}
counts: Counter[str] = Counter()


def count(kind: str) -> None:
    counts[kind] += 1
    if kind == KIND and counts[kind] == AT:
        os.kill(os.getpid(), signal.SIGKILL)


def place_of(descriptor: int | None) -> Path:
    try:
        return Path(f"/proc/self/fd/{descriptor}").readlink()
    except OSError:
        return Path()


def watch_files() -> None:
    write, rename, link = os.write, os.rename, os.link

    def watched_write(descriptor: int, data: Any) -> int:
        if (name := place_of(descriptor).name) in FILES:
            count(FILES[name])
        return write(descriptor, data)

    def named(original: Any) -> Any:
        def call(source: Any, target: Any, *rest: Any, dst_dir_fd: int | None = None, **more: Any) -> None:
            folder = place_of(dst_dir_fd) if dst_dir_fd is not None else Path(os.fsdecode(target)).parent
            if folder.is_relative_to(HOME) and (parts := folder.relative_to(HOME).parts) and parts[0] in FOLDERS:
                count(FOLDERS[parts[0]])
            original(source, target, *rest, **more, **({} if dst_dir_fd is None else {"dst_dir_fd": dst_dir_fd}))

        return call

    os.write, os.rename, os.link = watched_write, named(rename), named(link)


def watch_databases() -> None:
    connect = sqlite3.connect

    def watched(database: Any, *rest: Any, **more: Any) -> sqlite3.Connection:
        connection = connect(database, *rest, **more)
        name = Path(str(database).removeprefix("file:").partition("?")[0]).name

        def told(statement: str) -> None:
            word = statement.split(maxsplit=1)[0].lower()
            if name == "averment.db" and word in {"insert", "update", "commit"}:
                count(word)
            if name == "durable.db" and word == "commit":
                count("progress")

        connection.set_trace_callback(told)
        return connection

    sqlite3.connect = sqlite3.dbapi2.connect = watched  # type: ignore[attr-defined]


def main() -> None:
    watch_files()
    watch_databases()
    with Workbench(settings=Settings(home=HOME, model_provider="none")) as workbench:
        if VERB == "say":
            said = workbench.chat("remind me to buy milk", conversation_id="talk", message_id="m1")
            print(said.status)
        elif left := workbench.runs.list():
            print(workbench.runs.resume(left[0].id).status)
        else:
            print(workbench.analyze("total amount by region", [TABLE]).status)
    if not AT:
        (HOME / "writes.json").write_text(json.dumps(counts))


main()
