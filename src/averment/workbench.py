"""The workbench: the one facade behind the command line, HTTP, the page and Python code.

from averment import Workbench

with Workbench(home=".averment") as wb:
    run = wb.analyze("total amount by region in 2024", sources=["sales.csv"])
    print(run.answer, wb.verify(run.id).ok)
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from averment.crew import Crew
from averment.errors import InvalidRequest, SourceChanged
from averment.records.analysis import RUN_STATES, AnalysisRequest, RunStatus
from averment.records.base import new_id
from averment.settings import Settings, load
from averment.spine.events import Event, Listener, read_events
from averment.spine.outcome import Run
from averment.spine.policy import Gate
from averment.spine.restore import catalog_of, request_of, told_work
from averment.spine.runner import Runner
from averment.spine.services import Services
from averment.spine.sources import absolute, read_options
from averment.spine.verdict import Verification

if TYPE_CHECKING:
    from averment.agents.assistant.agent import Assistant
    from averment.agents.driller.sessions import Sessions
    from averment.ledger.verify import LedgerReport
    from averment.records.analysis import DataSource
    from averment.records.chat import AgentResponse
    from averment.records.drilldown.request import DrillRequest
    from averment.store.recipes import RecipeStore
    from averment.tables.catalog import Catalog
    from averment.tools.mcp_server import Server

ALL_DELIVERABLES = ("tables", "charts", "reports", "summary")
ExportFormat = Literal["html", "md"]
Runs: TypeAlias = list[Run]


class Workbench:
    """One home with its runs: ask, look, verify, replay, export."""

    def __init__(self, home: str | Path | None = None, *, settings: Settings | None = None) -> None:
        self.settings = settings or load(flags={"home": None if home is None else Path(home)})
        self._services = Services(self.settings)
        self._crew = Crew(self._services)
        self._runner = Runner(self._services, self._crew.answering)

    def __enter__(self) -> Workbench:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Stop what is running here and close every part; unfinished runs can be resumed."""
        self._runner.close()
        self._services.close()

    # --- asking ---------------------------------------------------------------------------------------------------

    def analyze(
        self,
        intent: str,
        sources: Sequence[str | Path],
        *,
        row_limit: int = 200_000,
        timeout_seconds: int = 30,
        deliverables: Iterable[str] = ALL_DELIVERABLES,
        policy: Mapping[str, Any] | None = None,
        read: Mapping[str, Any] | None = None,
        plan_only: bool = False,
        run_id: str | None = None,
        on_event: Listener | None = None,
    ) -> Run:
        """Answer a question about tables, and wait for it.

        ``read`` says how to read the files where they leave a doubt: delimiter, quote, encoding, header, day_first,
        decimal. With ``plan_only`` the run stops at its plan until ``approve`` is called. ``run_id`` is a UUID.

        Raises:
            UsageError, SourceError: the request or a source cannot be used; nothing was kept.
            AvermentError: the run itself failed; it is kept, with its error.
        """
        begun = self.submit(
            intent,
            sources,
            row_limit=row_limit,
            timeout_seconds=timeout_seconds,
            deliverables=deliverables,
            policy=policy,
            read=read,
            plan_only=plan_only,
            run_id=run_id,
            on_event=on_event,
        )
        return self.wait(begun)

    def submit(
        self,
        intent: str,
        sources: Sequence[str | Path],
        *,
        row_limit: int = 200_000,
        timeout_seconds: int = 30,
        deliverables: Iterable[str] = ALL_DELIVERABLES,
        policy: Mapping[str, Any] | None = None,
        read: Mapping[str, Any] | None = None,
        plan_only: bool = False,
        run_id: str | None = None,
        on_event: Listener | None = None,
    ) -> str:
        """Check the request, open its sources, begin the run, and return its id."""
        request = AnalysisRequest.checked(
            intent=intent,
            data_sources=[absolute(source) for source in sources],
            row_limit=row_limit,
            timeout_seconds=timeout_seconds,
            deliverables=deliverables,
            policy=dict(policy) if policy is not None else None,
            request_id=run_id,
        )
        options = read_options(read)
        catalog = self._open(request.data_sources, options)
        Gate(request.policy, catalog)
        kept = self._runner.keep("analysis", request, catalog, read=options, waits=plan_only)
        self._runner.start(kept, *_listeners(on_event))
        return kept

    def drill(
        self,
        files: Sequence[str | Path],
        *,
        metric_sql: str,
        baseline: tuple[Any, Any] | Mapping[str, Any],
        comparison: tuple[Any, Any] | Mapping[str, Any],
        business_context: str | None = None,
        investigation_prompt: str | None = None,
        policy: Mapping[str, Any] | None = None,
        run_id: str | None = None,
        on_event: Listener | None = None,
    ) -> Run:
        """Find out why a metric moved between two periods, and wait for it.

        Raises:
            UsageError, SourceError: the request or a file cannot be used; nothing was kept.
            AvermentError: the run itself failed; it is kept, with its error.
        """
        from averment.records.drilldown.request import DrillRequest

        request = DrillRequest.checked(
            data_sources=[absolute(source) for source in files],
            metric_sql=metric_sql,
            baseline_period=baseline,
            comparison_period=comparison,
            business_context=business_context,
            investigation_prompt=investigation_prompt,
            policy=dict(policy) if policy is not None else None,
            request_id=run_id,
        )
        return self.wait(self.begin_drill(request, on_event=on_event))

    def research(
        self,
        query: str,
        *,
        corpus: Sequence[str | Path] = (),
        depth: str = "standard",
        providers: Sequence[str] = ("corpus",),
        run_id: str | None = None,
        on_event: Listener | None = None,
    ) -> Run:
        """Find out what the sources say and where they disagree, and wait for it.

        ``corpus`` names files, folders or pages to be read into this home's corpus first.

        Raises:
            UsageError, SourceError: the request or a source cannot be used; nothing was kept.
            AvermentError: the run itself failed; it is kept, with its error.
        """
        from averment.records.research.run import ResearchRun

        request = ResearchRun.checked(
            query=query, depth_level=depth, corpus=[absolute(place) for place in corpus], providers=providers
        )
        named = request if run_id is None else request.model_copy(update={"request_id": run_id})
        kept = self._runner.keep("research", named, None)
        self._runner.start(kept, *_listeners(on_event))
        return self.wait(kept)

    def begin_drill(self, request: DrillRequest, *, on_event: Listener | None = None) -> str:
        """Open the files of a checked request, begin the investigation, and return the run's id."""
        catalog = self._open(request.data_sources, None)
        Gate(request.policy, catalog)
        run_id = self._runner.keep("drilldown", request, catalog)
        self._runner.start(run_id, *_listeners(on_event))
        return run_id

    def chat(
        self,
        message: str,
        *,
        conversation_id: str | None = None,
        message_id: str | None = None,
        files: Sequence[str | Path] = (),
    ) -> AgentResponse:
        """Say something to the assistant; ``files`` are what it may look into from then on.

        Raises:
            InvalidRequest: the message is empty or too long.
            ConversationNotFound, MessageReused: the ids do not fit.
        """
        if files:
            attached = [absolute(file) for file in files]
            conversation_id = self.assistant.attach(attached, conversation_id=conversation_id)
        return self.assistant.turn(message, conversation_id=conversation_id, message_id=message_id)

    @cached_property
    def assistant(self) -> Assistant:
        """The assistant of this home: ``turn``, ``answer``, ``attach``, ``recover``."""
        from averment.agents.assistant.desk import open_assistant

        self._services.conversations.delete_expired()
        return open_assistant(self._services, self)

    def mcp_server(self, *, remote: bool = False) -> Server:
        """The MCP server of this home, for a transport to run; a ``remote`` one reads uploaded files alone."""
        from averment.agents.assistant.desk import open_server

        return open_server(self._services, self, remote=remote)

    def wait(self, run_id: str) -> Run:
        """The run, once it rests.

        Raises:
            AvermentError: the run failed or was cancelled; the error is the run's own.
        """
        return self._runner.wait(run_id)

    def resume(self, run_id: str, *, on_event: Listener | None = None) -> Run:
        """Go on with a run that was interrupted, failed or cancelled; a run that has its answer is shown as it is."""
        whole = self.show(run_id).id
        return self.wait(whole) if self._runner.begin_again(whole, *_listeners(on_event)) else self.show(whole)

    def approve(self, run_id: str, *, on_event: Listener | None = None) -> Run:
        """Let a run that waits at its plan go on."""
        return self.resume(self._runner.approve(run_id), on_event=on_event)

    def recover(self) -> int:
        """Take over the runs of processes that died; returns how many."""
        return self._runner.recover()

    def cancel(self, run_id: str) -> None:
        """Ask a run to stop, wherever it runs."""
        self._runner.cancel(run_id)

    # --- looking --------------------------------------------------------------------------------------------------

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

    def events(self, run_id: str, *, after: int = 0) -> list[Event]:
        """What has happened in a run so far."""
        return read_events(self._services.runs, self._services.runs.get(run_id).run_id, after=after)

    @cached_property
    def sessions(self) -> Sessions:
        """The driller's sessions: ``create``, ``add_file``, ``start``, ``report``, ``chat`` and what lies between."""
        from averment.agents.driller.session_bench import open_sessions

        return open_sessions(self._services, self, forget=self._runner.forget)

    @property
    def recipes(self) -> RecipeStore:
        """What was learned from earlier runs: ``list``, ``get``, ``forget``, ``forget_all``."""
        return self._services.recipes

    # --- proving --------------------------------------------------------------------------------------------------

    def verify(self, run_id: str) -> Verification:
        """Check a run against the ledger and recompute everything it says from its sources."""
        from averment.spine.verify import verify_run

        row = self._services.runs.get(run_id)
        return verify_run(self._services, self._crew.telling(row), row.run_id)

    def verify_ledger(self, path: str | Path, *, key: str | None = None) -> LedgerReport:
        """Check a ledger file by itself; ``key`` is the public key one trusts."""
        from averment.ledger.verify import verify_file

        return verify_file(Path(path), key=key)

    def inclusion_proof(self, sequence_number: int) -> dict[str, Any]:
        """The proof that a ledger entry is under the newest checkpoint, for someone who has only that entry."""
        return self._services.ledger.inclusion_proof(sequence_number).as_dict()

    def public_key(self) -> str:
        """The key that signs this home's checkpoints, in the form that ``verify --key`` takes."""
        return self._services.ledger.key.text

    def replay(self, run_id: str, *, on_event: Listener | None = None) -> tuple[Run, tuple[str, ...]]:
        """Run the recorded plan again as a new run, without any model; returns it and what differs from the first.

        Raises:
            SourceChanged: a source is no longer what the first run saw.
        """
        row = self._services.runs.get(run_id)
        first, asked = self.show(row.run_id), request_of(row)
        if not isinstance(asked, AnalysisRequest):
            raise InvalidRequest("Only an analysis can be replayed.", hint="Check the run with `verify`.")
        request = asked.model_copy(update={"request_id": new_id()})
        options = row.request.get("read")
        catalog = self._open(request.data_sources, options)
        if [s.content_sha256 for s in catalog.sources] != [s.content_sha256 for s in catalog_of(row).sources]:
            raise SourceChanged("A source changed since the run, so its plan cannot be replayed on the same data.")
        again_id = self._runner.keep("analysis", request, catalog, read=options, replay_of=row.run_id)
        self._runner.start(again_id, *_listeners(on_event))
        again = self.wait(again_id)
        return again, first.differences(again)

    def export(self, run_id: str, to: ExportFormat = "html", path: str | Path | None = None) -> Path:
        """Write a run's report as one file with its proof, and return where it is."""
        if to not in ("html", "md"):
            raise InvalidRequest(f"A report cannot be exported as {to}.", hint="Choose html or md.")
        from averment.reports.export import write_export

        row = self._services.runs.get(run_id)
        work, conclusion = told_work(self._services, row)
        document = self._crew.telling(row).document(work, conclusion)
        work.close()
        target = Path(path) if path is not None else Path(f"averment-{row.run_id[:8]}.{to}")
        return write_export(self.show(row.run_id).proof(), document, to=to, target=target)

    # --- inside ---------------------------------------------------------------------------------------------------

    def _open(self, sources: Sequence[DataSource], read: dict[str, Any] | None) -> Catalog:
        from averment.tables.options import ReadOptions
        from averment.tables.sources import open_sources

        return open_sources(
            sources,
            settings=self.settings,
            cache_dir=self._services.cache_dir / "tables",
            options=ReadOptions.from_dict(read) if read else None,
        )


def _listeners(on_event: Listener | None) -> tuple[Listener, ...]:
    return () if on_event is None else (on_event,)
