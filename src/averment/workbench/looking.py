"""Looking: runs and what they kept, sessions, recipes, tasks, documents, the ledger's entries; and forgetting a run."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, TypeAlias

from averment.errors import InvalidRequest, StoreConflict
from averment.records.analysis import ENDED, RUN_STATES, RunStatus
from averment.spine.events import Event, read_events
from averment.spine.outcome import Run
from averment.spine.restore import calls_of, told_work
from averment.spine.verdict import Verification
from averment.workbench.opened import Opened

if TYPE_CHECKING:
    import pyarrow as pa

    from averment.corpus.corpus import Corpus
    from averment.ledger.entry import LedgerEntry
    from averment.records.run import Observation, ToolCall
    from averment.reports.document import Document
    from averment.store.recipes import RecipeStore
    from averment.store.rows import RunRow
    from averment.store.tasks import TaskStore
    from averment.store.workers import WorkerRow

Runs: TypeAlias = list[Run]
Events: TypeAlias = list[Event]
Calls: TypeAlias = "list[tuple[ToolCall, Observation]]"
Entries: TypeAlias = "list[LedgerEntry]"
Workers: TypeAlias = "list[WorkerRow]"


class Looking(Opened):
    """What a home holds."""

    def show(self, run_id: str) -> Run:
        """A run as it stands now."""
        return self._runner.show(run_id)

    def list(self, *, limit: int = 50, status: str | None = None, offset: int = 0) -> Runs:
        """Runs, the newest first.

        Raises:
            InvalidRequest: no run can have that status.
        """
        wanted: RunStatus | None = next((known for known in RUN_STATES.states if known == status), None)
        if status is not None and wanted is None:
            raise InvalidRequest(
                f"No run can be {status}.", hint=f"Choose among: {', '.join(sorted(RUN_STATES.states))}."
            )
        return [Run(self._services, row) for row in self._services.runs.list(limit, status=wanted, offset=offset)]

    def events(self, run_id: str, *, after: int = 0) -> Events:
        """What has happened in a run so far."""
        return read_events(self._services.runs, self._services.runs.get(run_id).run_id, after=after)

    @property
    def recipes(self) -> RecipeStore:
        """What was learned from earlier runs: ``list``, ``get``, ``forget``, ``forget_all``."""
        return self._services.recipes

    @property
    def tasks(self) -> TaskStore:
        """The tasks of this home, for looking; the assistant changes them through its tools."""
        return self._services.tasks

    @cached_property
    def corpus(self) -> Corpus:
        """The archived documents of this home; for looking, so that no model is loaded."""
        from averment.corpus.corpus import Corpus

        return Corpus(self._services.database)

    def add_sources(self, *sources: str) -> int:
        """Read files, folders or pages into this home's corpus, with their vectors; how many documents are new.

        Raises:
            AvermentError: none of them could be read; the first one's error.
        """
        added = list(self._services.corpus.add_sources(sources))
        errors = [one.error for one in added if one.error is not None]
        if errors and len(errors) == len(added):
            raise errors[0]
        self._services.corpus.finish_vectors()
        return sum(one.outcome in ("added", "updated") for one in added)

    def row(self, run_id: str) -> RunRow:
        """The run's own row: its kind, its request, its end."""
        return self._services.runs.get(run_id)

    def document(self, run_id: str) -> Document:
        """The report of a run before it has a format.

        Raises:
            RunNotFound, NotEnoughEvidence: there is no such run, or it has no report.
        """
        row = self.row(run_id)
        work, conclusion = told_work(self._services, row)
        try:
            return self._crew.telling(row).document(work, conclusion)
        finally:
            work.close()

    def calls(self, run_id: str) -> Calls:
        """Every call of a run with what it came back with, in the order they were made."""
        return calls_of(self._services, run_id)

    def table(self, run_id: str, call_id: str) -> pa.Table | None:
        """The table a call of a run gave, or None when it gave none or it is gone."""
        from averment.tools.shelf import Shelf

        try:
            return Shelf(self._services.files, f"work/{run_id}").by_call(call_id)
        except (OSError, KeyError):
            return None

    def entries(self, *, before: int | None = None, count: int = 50, run_id: str | None = None) -> tuple[Entries, int]:
        """Some ledger entries, the newest first, and how many there are in all."""
        ledger = self._services.ledger
        size = ledger.tail()[0]
        if run_id:
            found = [entry for entry in ledger.entries(run_id) if before is None or entry.sequence_number < before]
            return found[-count:][::-1], size
        end = size if before is None else min(size, before - 1)
        found: Entries = []
        for entry in ledger.entries(from_sequence=max(1, end - count + 1)):
            if entry.sequence_number > end:
                break
            found.append(entry)
        return found[::-1], size

    def counts(self) -> dict[tuple[str, str], int]:
        """How many runs there are of each kind and status."""
        return self._services.runs.counts()

    def workers(self) -> Workers:
        """Who carries out the runs of this database, where it is shared."""
        return self._services.workers.list()

    def verify(self, run_id: str) -> Verification:
        """Check a run against the ledger and recompute everything it says from its sources."""
        from averment.spine.verify import verify_run

        row = self._services.runs.get(run_id)
        return verify_run(self._services, self._crew.telling(row), row.run_id)

    def forget(self, run_id: str) -> None:
        """Delete a run with its records, events, artifacts and results; its ledger entries stay, as all entries do.

        Raises:
            RunNotFound: there is no such run.
            StoreConflict: it is still under way.
        """
        row = self._services.runs.get(run_id)
        if row.status not in ENDED or not self._runner.forget(row.run_id):
            raise StoreConflict("The run is still under way.", hint="Cancel it first, and wait until it has ended.")
