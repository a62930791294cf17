"""The runs of a home: look at them, wait for them, change their course, take them out, and begin new ones."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from averment.errors import InvalidRequest, SourceChanged, StoreConflict
from averment.records.analysis import ENDED, RUN_STATES, AnalysisRequest, RunStatus
from averment.records.base import new_id
from averment.runtime.events import Event, Listener, read_events
from averment.runtime.execution.restore import calls_of, catalog_of, request_of, told_work
from averment.runtime.explain_run import way_of
from averment.runtime.outcome import Run
from averment.runtime.verification.seal_check import is_held, require_events, withheld
from averment.workbench.given import Sources
from averment.workbench.open_home import OpenHome, listening
from averment.workbench.starts import RunStarter

if TYPE_CHECKING:
    import pyarrow as pa

    from averment.records.run import Observation, ToolCall
    from averment.reports.document import Document
    from averment.store.runs.run_rows import RunRow
    from averment.workbench.rows_behind import RowsBehind

Listed: TypeAlias = list[Run]
Way: TypeAlias = dict[str, Any]
Events: TypeAlias = list[Event]
Calls: TypeAlias = "list[tuple[ToolCall, Observation]]"


class Runs:
    """The runs of one home."""

    def __init__(self, home: OpenHome) -> None:
        self._home = home
        self.start = RunStarter(home)
        """Begins runs without waiting: ``analysis``, ``plan``, ``sql``, ``teaching``, ``choice``, ``research`` …"""

    def get(self, run_id: str) -> Run:
        """A run as it stands now; the same as ``Workbench.show``."""
        return self._home.runner.show(run_id)

    def list(self, *, limit: int = 50, status: str | None = None, offset: int = 0) -> Listed:
        """Runs, the newest first; of one that is not what was sealed only its id and that.

        A run whose process died, with none left that could go on with it, is failed from now on, as interrupted.

        Raises:
            InvalidRequest: no run can have that status.
        """
        wanted: RunStatus | None = next((known for known in RUN_STATES.states if known == status), None)
        if status is not None and wanted is None:
            raise InvalidRequest(
                f"{status} is not a run status.", hint=f"Choose among: {', '.join(sorted(RUN_STATES.states))}."
            )
        self._home.runner.end_interrupted()
        rows = self._home.services.store.runs.list(limit, status=wanted, offset=offset)
        return [Run(self._home.services, row if is_held(self._home.services, row) else withheld(row)) for row in rows]

    def look_up(self, run_id: str) -> Run:
        """A run as ``list`` shows it: of one that is not what was sealed only its id and that."""
        row = self._home.services.store.runs.get(run_id)
        return Run(self._home.services, row if is_held(self._home.services, row) else withheld(row))

    def row(self, run_id: str) -> RunRow:
        """The run's own row: its kind, its request, its end."""
        return self._home.services.store.runs.get(run_id)

    def events(self, run_id: str, *, after: int = 0) -> Events:
        """What has happened in a run so far.

        Raises:
            VerificationFailed: the run is sealed, and its events are not what was sealed.
        """
        row = self._home.services.store.runs.get(run_id)
        require_events(self._home.services, row)
        return read_events(self._home.services.store.runs, row.run_id, after=after)

    def calls(self, run_id: str) -> Calls:
        """Every call of a run with what it came back with, in the order they were made."""
        return calls_of(self._home.services, run_id)

    def table(self, run_id: str, call_id: str) -> pa.Table | None:
        """The table a call of a run gave, or None when it gave none or it is gone."""
        from averment.tools.result_store import ResultStore

        result_store = ResultStore(self._home.services.store.files, f"work/{run_id}")
        result_store.expect((self._home.services.store.runs.record(run_id, "observation", call_id) or {}).get("data"))
        try:
            return result_store.by_call(call_id)
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

        kept = self._home.services.store.runs.get(run_id)
        asked = request_of(kept)
        catalog = self._home.open_sources(getattr(asked, "data_sources", ()), kept.request.get("read"))
        run = self.get(kept.run_id)
        return find_rows(self._home.services, run, kept, catalog, cell=(row, column), page=page, size=size)

    def document(self, run_id: str) -> Document:
        """The report of a run before it has a format.

        Raises:
            RunNotFound, NotEnoughEvidence: there is no such run, or it has no report.
        """
        row = self.row(run_id)
        work, conclusion = told_work(self._home.services, row)
        try:
            return self._home.agents.agent_for_report(row).document(work, conclusion)
        finally:
            work.close()

    def explain(self, run: Run | str) -> Way:
        """The way of a run from its question to its claims: words, readings with odds, gates, plan, calls, claims."""
        shown = self.get(run if isinstance(run, str) else run.id)  # a run that is not what was sealed is not explained
        return way_of(self._home.services, self.row(shown.id))

    def wait(self, run_id: str) -> Run:
        """The run, once it rests.

        Raises:
            AvermentError: the run failed or was cancelled; the error is the run's own.
        """
        return self._home.runner.wait(run_id)

    def resume(self, run_id: str, *, on_event: Listener | None = None) -> Run:
        """Go on with a run that was interrupted, failed or cancelled; a run that has its answer is shown as it is."""
        whole = self.get(run_id).id
        return self.wait(whole) if self._home.runner.begin_again(whole, *listening(on_event)) else self.get(whole)

    def approve(self, run_id: str, *, on_event: Listener | None = None) -> Run:
        """Let a run that waits at its plan go on."""
        return self.resume(self._home.runner.approve(run_id), on_event=on_event)

    def cancel(self, run_id: str) -> None:
        """Ask a run to stop, wherever it runs."""
        self._home.runner.cancel(run_id)

    def teach(self, word: str, means: str, sources: Sources, *, run_id: str | None = None, **more: Any) -> Run:
        """Teach what a word means over sources like these, and wait for the run that shows what it comes to.

        ``means`` names a column, a formula ("revenue minus cost"), a condition ("status is active and opened after
        2022") or values of one column ("North, South"). ``more`` are the keywords of ``start.analysis``.
        The run is ``clarification_needed``, and nothing is kept, where that cannot be read over the sources.
        """
        return self.wait(self.start.teaching(word, means, sources, run_id=run_id, **more))

    def replay(self, run_id: str, *, on_event: Listener | None = None) -> tuple[Run, tuple[str, ...]]:
        """Run the recorded plan again as a new run, without any model; returns it and what differs from the first.

        Raises:
            SourceChanged: a source is no longer what the first run saw.
        """
        row = self._home.services.store.runs.get(run_id)
        first, asked = self.get(row.run_id), request_of(row)
        if not isinstance(asked, AnalysisRequest):
            raise InvalidRequest("Only an analysis can be replayed.", hint="Check the run with `verify`.")
        request = asked.model_copy(update={"request_id": new_id()})
        options = row.request.get("read")
        catalog = self._home.open_sources(request.data_sources, options)
        if [s.content_sha256 for s in catalog.sources] != [s.content_sha256 for s in catalog_of(row).sources]:
            raise SourceChanged("A source changed since the run, so its plan cannot be replayed on the same data.")
        again_id = self._home.runner.keep("analysis", request, catalog, read=options, replay_of=row.run_id)
        self._home.runner.start(again_id, *listening(on_event))
        again = self.wait(again_id)
        return again, first.differences(again)

    def forget(self, run_id: str) -> None:
        """Delete a run with its records, events, artifacts and results; its ledger entries stay, as all entries do.

        Raises:
            RunNotFound: there is no such run.
            StoreConflict: it is still under way.
        """
        row = self._home.services.store.runs.get(run_id)
        if row.status not in ENDED or not self._home.runner.forget(row.run_id):
            raise StoreConflict("The run is still in progress.", hint="Cancel it first, and wait until it ends.")

    def export(self, run_id: str, to: str = "html", path: str | Path | None = None) -> Path:
        """Write a run's report as one file with its proof, and return where it is.

        ``to`` is html, md, pdf, ipynb (a notebook that computes it again), or a format that a plugin adds.

        Raises:
            InvalidRequest: there is no such format.
            RunNotFound, NotEnoughEvidence: there is no such run, or it has no report.
            MissingExtra: the library for that format is not installed.
        """
        from averment.reports.export import write_export
        from averment.workbench.exports import export_bytes

        run = self.get(run_id)
        target = Path(path) if path is not None else Path(f"averment-{run.id[:8]}.{to}")
        return write_export(export_bytes(self._home.services, self, run, to), target)

    def enclose(self, run: Run, html: bytes) -> bytes:
        """A run's report as HTML with what it takes to check the file by itself."""
        from averment.reports.verifier import shown_texts
        from averment.runtime.verification.capsule import enclose

        return enclose(self._home.services, self.row(run.id), run.proof(), html, texts=shown_texts(html))
