"""Looking: runs and what they kept, sessions, recipes, tasks, documents, the ledger's entries; and forgetting a run."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from averment.errors import InvalidRequest, PluginFailed, StoreConflict
from averment.records.analysis import ENDED, RUN_STATES, RunStatus
from averment.spine.events import Event, read_events
from averment.spine.held import is_held, require_events, withheld
from averment.spine.outcome import Run
from averment.spine.restore import calls_of, request_of, told_work
from averment.spine.verdict import Verification
from averment.spine.way import way_of
from averment.workbench.given import Sources, places_of
from averment.workbench.opened import Opened

if TYPE_CHECKING:
    import pyarrow as pa

    from averment.corpus.corpus import Corpus
    from averment.ledger.entry import LedgerEntry
    from averment.records.run import Observation, ToolCall
    from averment.reports.document import Document
    from averment.spine.verify_ledgers import WriterReport
    from averment.store.ledgers import WriterRow
    from averment.store.recipes import RecipeStore
    from averment.store.rows import RunRow
    from averment.store.tasks import TaskStore
    from averment.store.workers import WorkerRow
    from averment.workbench.datasets import Datasets
    from averment.workbench.reminding import Reminders
    from averment.workbench.rows_behind import RowsBehind

Runs: TypeAlias = list[Run]
Way: TypeAlias = dict[str, Any]
Events: TypeAlias = list[Event]
Calls: TypeAlias = "list[tuple[ToolCall, Observation]]"
Entries: TypeAlias = "list[LedgerEntry]"
Workers: TypeAlias = "list[WorkerRow]"
Writers: TypeAlias = "list[WriterRow]"
Reports: TypeAlias = "list[WriterReport]"


class Looking(Opened):
    """What a home holds."""

    def show(self, run_id: str) -> Run:
        """A run as it stands now."""
        return self._runner.show(run_id)

    def explain(self, run: Run | str) -> Way:
        """The way of a run from its question to its claims: words, readings with odds, gates, plan, calls, claims."""
        shown = self.show(run if isinstance(run, str) else run.id)  # a run that is not what was sealed is not explained
        return way_of(self._services, self.row(shown.id))

    def look_up(self, run_id: str) -> Run:
        """A run as ``list`` shows it: of one that is not what was sealed only its id and that."""
        row = self._services.runs.get(run_id)
        return Run(self._services, row if is_held(self._services, row) else withheld(row))

    def list(self, *, limit: int = 50, status: str | None = None, offset: int = 0) -> Runs:
        """Runs, the newest first; of one that is not what was sealed only its id and that.

        Raises:
            InvalidRequest: no run can have that status.
        """
        wanted: RunStatus | None = next((known for known in RUN_STATES.states if known == status), None)
        if status is not None and wanted is None:
            raise InvalidRequest(
                f"{status} is not a run status.", hint=f"Choose among: {', '.join(sorted(RUN_STATES.states))}."
            )
        rows = self._services.runs.list(limit, status=wanted, offset=offset)
        return [Run(self._services, row if is_held(self._services, row) else withheld(row)) for row in rows]

    def events(self, run_id: str, *, after: int = 0) -> Events:
        """What has happened in a run so far.

        Raises:
            VerificationFailed: the run is sealed, and its events are not what was sealed.
        """
        row = self._services.runs.get(run_id)
        require_events(self._services, row)
        return read_events(self._services.runs, row.run_id, after=after)

    @property
    def recipes(self) -> RecipeStore:
        """What was learned from earlier runs: ``list``, ``get``, ``forget``, ``forget_all``."""
        return self._services.recipes

    @cached_property
    def datasets(self) -> Datasets:
        """The owner's datasets: ``add``, ``list``, ``get``, ``describe_column``, ``teach``, ``remove``, ``look``."""
        from averment.workbench.datasets import Datasets

        return Datasets(self._services, self.published)

    def published(self, sources: Sources) -> AbstractContextManager[list[str]]:
        """The sources as any host can open them, published for the block where they are uploads of this home."""
        from averment.store.uploads import published

        return published(self._services.files, self.settings.home, places_of(sources, self.settings.home))

    @property
    def tasks(self) -> TaskStore:
        """The tasks of this home, for looking; the assistant changes them through its tools."""
        return self._services.tasks

    @property
    def reminders(self) -> Reminders:
        """The reminders of this home: ``ring``, ``waiting``, ``seen``."""
        from averment.workbench.reminding import Reminders

        return Reminders(self._services)

    @cached_property
    def corpus(self) -> Corpus:
        """The archived documents of this home; for looking, so that no model is loaded."""
        from averment.corpus.corpus import Corpus

        return Corpus(self._services.database)

    def add_sources(self, *sources: str, corpus: str = "default") -> int:
        """Read files, folders or pages into the corpus of a name, with their vectors; how many documents are new.

        Raises:
            AvermentError: none of them could be read; the first one's error.
        """
        added = list(self._services.corpus.add_sources(sources, into=corpus))
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

        shelf = Shelf(self._services.files, f"work/{run_id}")
        shelf.expect((self._services.runs.record(run_id, "observation", call_id) or {}).get("data"))
        try:
            return shelf.by_call(call_id)
        except (OSError, KeyError):
            return None

    def rows_behind(
        self, run_id: str, row: int = 1, column: str | None = None, *, page: int = 1, size: int = 50
    ) -> RowsBehind:
        """The source rows behind one cell of a run's result, a page of them, with their lines in the file.

        ``row`` counts from one; without a ``column`` the last one is meant. The figure is computed of the rows again.

        Raises:
            NotEnoughEvidence, InvalidRequest: the run has no such cell, or no rows of one table stand behind it.
            SourceChanged: a source is no longer what the run saw.
        """
        from averment.workbench.rows_behind import find_rows

        kept = self._services.runs.get(run_id)
        asked = request_of(kept)
        catalog = self._open(getattr(asked, "data_sources", ()), kept.request.get("read"))
        run = self.show(kept.run_id)
        return find_rows(self._services, run, kept, catalog, cell=(row, column), page=page, size=size)

    def entries(
        self, *, before: int | None = None, count: int = 50, run_id: str | None = None, writer: str | None = None
    ) -> tuple[Entries, int]:
        """Some ledger entries, the newest first, and how many there are in all.

        They are of this home's ledger, or of the ledger of another ``writer`` as it was gathered in the database.
        """
        gathering = self._services.gathering if writer is not None else None
        if gathering is not None and writer is not None and writer != gathering.writer:
            from averment.ledger.lines import settled_line

            lines = gathering.store.page(writer, before=before, count=count, request_id=run_id or None)
            return [settled_line(line).entry() for line in lines], gathering.store.size(writer)
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

    @property
    def writer(self) -> str | None:
        """What this home's ledger is called in a shared database; None where the database is the home's own."""
        gathering = self._services.gathering
        return None if gathering is None else gathering.writer

    def writers(self) -> Writers:
        """Whose ledgers are gathered in a shared database, the first to join first."""
        gathering = self._services.gathering
        return [] if gathering is None else gathering.store.writers()

    def writers_of(self, run_id: str) -> tuple[str, ...]:
        """Whose gathered ledgers hold entries of a run."""
        gathering = self._services.gathering
        return () if gathering is None else tuple(gathering.store.of_request(run_id))

    def verify(self, run_id: str, *, keys: Sequence[str] = (), sources: Sequence[str | Path] = ()) -> Verification:
        """Check a run against the ledgers that hold it and recompute everything it says from its sources.

        With ``keys``, only what one of these public keys signed counts; else each ledger's own, as it was first seen.
        ``sources`` are files to read in place of those that are no longer where the run found them.
        """
        from averment.spine.verify import verify_run

        row = self._services.runs.get(run_id)
        try:
            agent = self._crew.telling(row)
        except PluginFailed:
            agent = self._crew.analyst()  # It is not asked: the check names the missing plugin and computes nothing.
        return verify_run(self._services, agent, row.run_id, keys=keys, sources=sources)

    def verify_writers(self, *, keys: Sequence[str] = ()) -> Reports:
        """Check this home's ledger, and every other one that is gathered in its database, from the first line."""
        from averment.spine.verify_ledgers import verify_writers

        return verify_writers(self._services, keys)

    def forget(self, run_id: str) -> None:
        """Delete a run with its records, events, artifacts and results; its ledger entries stay, as all entries do.

        Raises:
            RunNotFound: there is no such run.
            StoreConflict: it is still under way.
        """
        row = self._services.runs.get(run_id)
        if row.status not in ENDED or not self._runner.forget(row.run_id):
            raise StoreConflict("The run is still in progress.", hint="Cancel it first, and wait until it ends.")
