"""A process that asks one question and dies by SIGKILL where it is told to.

    python victim.py HOME CSV events N      right after the N-th event was kept
    python victim.py HOME CSV writes N      right before the N-th write to ledger, database or files
    python victim.py HOME CSV none 0        never

Each tool that begins to run, and each observation that is kept, leaves a line in HOME/executed.log.
VICTIM_DATABASE_URL may name a Postgres.
"""

import os
import signal
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

from averment.ledger.writer import Ledger
from averment.runtime.events import Event
from averment.settings import Settings
from averment.store.runs.run_store import RunStore
from averment.store.storage.local import FileStore
from averment.tools.registry import Registry
from averment.workbench import Workbench

QUESTION = "total amount by region in 2024"


def die() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def log_executions(home: Path) -> None:
    """Write ``began CALL`` when a tool begins and ``kept CALL`` when its observation is kept, each in one append."""
    get, put = Registry.get, RunStore.put

    def note(line: str) -> None:
        with (home / "executed.log").open("a") as file:
            file.write(line + "\n")

    def logged_get(self: Registry, name: str) -> Any:
        tool = get(self, name)

        def run(args: Any, context: Any) -> Any:
            note(f"began {context.call_id}")
            return tool.run(args, context)

        return replace(tool, run=run)

    def logged_put(self: RunStore, run_id: str, kind: str, key: str, *rest: Any, **more: Any) -> bool:
        done = put(self, run_id, kind, key, *rest, **more)
        if kind == "observation":
            note(f"kept {key}")
        return done

    Registry.get = logged_get  # type: ignore[method-assign]
    RunStore.put = logged_put  # type: ignore[method-assign]


def die_before_write(at: int) -> None:
    count = 0

    def counted(original: Any) -> Any:
        def write(*args: Any, **kwargs: Any) -> Any:
            nonlocal count
            count += 1
            if count == at:
                die()
            return original(*args, **kwargs)

        return write

    for owner, name in (
        (Ledger, "append"),
        (RunStore, "put"),
        (RunStore, "put_event"),
        (RunStore, "set_status"),
        (RunStore, "update"),
        (FileStore, "write"),
    ):
        setattr(owner, name, counted(getattr(owner, name)))


def main() -> None:
    home, csv, how, at = Path(sys.argv[1]), sys.argv[2], sys.argv[3], int(sys.argv[4])
    home.mkdir(parents=True, exist_ok=True)
    log_executions(home)

    def listen(event: Event) -> None:
        if how == "events" and event.seq == at:
            die()

    with Workbench(settings=Settings(home=home, database_url=os.environ.get("VICTIM_DATABASE_URL"))) as workbench:
        if how == "resume":
            run = workbench.runs.resume(workbench.runs.list()[0].id)
        else:
            if how == "writes":
                die_before_write(at)
            run = workbench.analyze(QUESTION, [csv], on_event=listen)
        sys.stdout.write(f"{run.id} {run.status}\n")


if __name__ == "__main__":
    main()
