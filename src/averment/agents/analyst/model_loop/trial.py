"""Trials: tasks that are run to be looked at, with the tools and limits of the run, and proved by nobody.

What a trial leaves lies in a folder that is gone afterwards. Its queries are noted as probes, and policy looks at each
result as it would in the run.
"""

from __future__ import annotations

import tempfile
from collections.abc import Generator, Iterable, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from averment.errors import InvalidArguments
from averment.records.run import ToolName
from averment.tools.result_store import ResultStore

if TYPE_CHECKING:
    import pyarrow as pa

    from averment.runtime.run_context import RunContext


@dataclass(frozen=True, kw_only=True)
class TrialTask:
    """One task as it would be run: its name, its tool, its arguments, and the tasks it reads."""

    id: str
    tool: ToolName
    arguments: dict[str, Any]
    after: tuple[str, ...] = ()


class Trial:
    """Runs tasks one after the other over a result store of its own."""

    def __init__(self, work: RunContext, result_store: ResultStore) -> None:
        self._work = work
        self._result_store = result_store
        self.outputs: dict[str, dict[str, Any]] = {}

    def run(self, task: TrialTask) -> dict[str, Any]:
        """What a task gives, as its observation would hold it.

        Raises:
            AvermentError: it is refused or fails.
        """
        work = self._work
        work.cancel.check()
        registry = work.services.tools.registry
        arguments = registry.validate(task.tool, task.arguments)
        context = replace(
            work.tool_context(f"trial-{task.id}"), result_store=self._result_store, engine=work.queries.engine
        )
        output: dict[str, Any] = registry.get(task.tool).run(arguments, context).model_dump(mode="json")
        self._result_store.answer(task.id, f"trial-{task.id}")
        self.outputs[task.id] = output
        return output

    def run_all(self, tasks: Sequence[TrialTask]) -> None:
        """Run tasks in the order in which they need each other."""
        waiting = list(tasks)
        while waiting:
            ready = [task for task in waiting if set(task.after) <= set(self.outputs)]
            for task in ready:
                self.run(task)
            waiting = [task for task in waiting if task not in ready]

    def table(self, task_id: str) -> pa.Table:
        """The table a task left."""
        return self._result_store.by_task(task_id)

    def tables(self, task_ids: Iterable[str]) -> dict[str, pa.Table]:
        """The tables of those tasks that left one."""
        found: dict[str, pa.Table] = {}
        for task_id in task_ids:
            with suppress(InvalidArguments):
                found[task_id] = self.table(task_id)
        return found

    def keep(self, task_id: str, table: pa.Table) -> None:
        """Put a table where a later task finds it."""
        self._result_store.put(f"trial-{task_id}", table)
        self._result_store.answer(task_id, f"trial-{task_id}")
        self.outputs[task_id] = {}


@contextmanager
def trial(work: RunContext) -> Generator[Trial]:
    """A trial whose results are gone when it ends."""
    from averment.store.storage.local import FileStore

    with tempfile.TemporaryDirectory(prefix="averment-trial-") as folder:
        yield Trial(work, ResultStore(FileStore(Path(folder)), "work"))
