"""Asking: analyze, drill, research and chat; wait, resume, approve, cancel; and carrying runs out as a worker."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from averment.errors import InvalidRequest
from averment.records.analysis import AnalysisRequest
from averment.spine.events import Listener
from averment.spine.outcome import Run
from averment.spine.policy import Gate
from averment.spine.restore import catalog_of, request_of
from averment.spine.sources import absolute, read_options
from averment.workbench.looking import Looking

if TYPE_CHECKING:
    from averment.agents.assistant.agent import Assistant
    from averment.agents.driller.sessions import Sessions
    from averment.plans.plan import Plan
    from averment.records.chat import AgentResponse
    from averment.records.drilldown.request import DrillRequest
    from averment.tools.mcp_server import Server

MAX_INTENT = 2_000
MAX_SQL = 20_000
ALL_DELIVERABLES = ("tables", "charts", "reports", "summary")
Stop: TypeAlias = threading.Event
Places: TypeAlias = list[str]


class Asking(Looking):
    """What a home is asked for."""

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
        after: Run | str | None = None,
        on_event: Listener | None = None,
    ) -> Run:
        """Answer a question about tables, and wait for it.

        ``after`` is an earlier run or its id: the question is then read as a change of that run's plan. ``read`` says
        how to read the files where they leave a doubt: delimiter, quote, encoding, header, day_first, decimal.
        With ``plan_only`` the run stops at its plan until ``approve`` is called. ``run_id`` is a UUID.

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
            meaning=self.meaning_after(after),
            on_event=on_event,
        )
        return self.wait(begun)

    def run_plan(
        self, plan: Mapping[str, Any] | Plan, sources: Sequence[str | Path], *, run_id: str | None = None, **more: Any
    ) -> Run:
        """Carry out a plan over sources, with the same proof as an answered question.

        ``plan`` is a plan of ``averment.plan/1`` or its JSON; ``more`` are the keywords of ``submit``.

        Raises:
            InvalidArguments: it is no plan, or names what the sources do not have.
        """
        from averment.plans.plan import parse_plan
        from averment.plans.readback import read_back

        meant = parse_plan(plan)
        intent = f"{read_back(meant)}"[:MAX_INTENT]
        meaning = {"plan": meant.to_json(), "grade": "given"}
        return self.wait(self.submit(intent, sources, run_id=run_id, meaning=meaning, **more))

    def sql(self, query: str, sources: Sequence[str | Path], *, run_id: str | None = None, **more: Any) -> Run:
        """Run one SELECT over sources, with the same proof as an answered question, and wait for it.

        The query is guarded and run as it is written; ``more`` are the keywords of ``submit``.

        Raises:
            SqlRefused, SqlSyntax: it is not one read-only query, or cannot be read; the run is kept, with its error.
            MissingTable, MissingColumn: it names what the sources do not have; likewise.
        """
        return self.wait(self.submit_sql(query, sources, run_id=run_id, **more))

    def submit_sql(self, query: str, sources: Sequence[str | Path], **more: Any) -> str:
        """Begin a run that carries out one SELECT, and return its id; ``more`` are the keywords of ``submit``."""
        if not query.strip() or len(query) > MAX_SQL:
            raise InvalidRequest(f"A query has 1 to {MAX_SQL} characters.", details={"field": "sql"})
        return self.submit(" ".join(query.split())[:MAX_INTENT], sources, meaning={"sql": query}, **more)

    def choose(self, run: Run | str, number: int, *, on_event: Listener | None = None) -> Run:
        """Carry out one of the readings a run offered, counted from one, and wait for it; the choice is remembered.

        Raises:
            InvalidRequest: the run offers no such reading.
        """
        return self.wait(self.submit_choice(run, number, on_event=on_event))

    def submit_choice(self, run: Run | str, number: int, *, on_event: Listener | None = None) -> str:
        """Remember which reading was chosen, begin to carry it out, and return the run's id.

        Raises:
            InvalidRequest: the run offers no such reading.
        """
        asked = run if isinstance(run, Run) else self.show(run)
        if not 1 <= number <= len(asked.offers):
            raise InvalidRequest(
                f"The run {asked.id} offers {len(asked.offers)} readings, not a number {number}.",
                hint="Look at its offers with `show`.",
            )
        row = self._services.runs.get(asked.id)
        first = request_of(row)
        if not isinstance(first, AnalysisRequest):
            raise InvalidRequest("Only an analysis offers readings.")
        plan = asked.offers[number - 1].plan
        if not row.request.get("meaning"):
            self._services.recipes.choices.save(catalog_of(row).fingerprint, asked.intent, plan)
        return self.submit(
            first.intent,
            self.sources_of(asked.id),
            row_limit=first.constraints.row_limit,
            timeout_seconds=first.constraints.timeout_seconds,
            deliverables=first.deliverables,
            policy=first.policy.model_dump(mode="json"),
            read=row.request.get("read"),
            meaning={"plan": plan, "grade": "chosen", "chosen_from": asked.id},
            on_event=on_event,
        )

    def sources_of(self, run_id: str) -> tuple[str, ...]:
        """Where the sources of a run are, to ask about the same again."""
        request = request_of(self._services.runs.get(run_id))
        found = getattr(request, "data_sources", ())
        return tuple(each if isinstance(each, str) else each.connection_string or each.file_path for each in found)

    def meaning_after(self, after: Run | str | None) -> dict[str, Any] | None:
        """What a follow-up leans on: the earlier run and its plan."""
        if after is None:
            return None
        run = after if isinstance(after, Run) else self.show(after)
        offered = run.offers[0].plan if run.offers else None
        plan = run.plan if run.plan is not None and "version" in run.plan and "table" in run.plan else offered
        if plan is None:
            return {"after": run.id}
        # Nobody has chosen yet what an open question means, so what follows is no surer than its best offer.
        sure = 1.0 if plan is run.plan else run.offers[0].odds
        return {"after": run.id, "after_plan": plan, "after_odds": sure}

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
        meaning: Mapping[str, Any] | None = None,
        on_event: Listener | None = None,
    ) -> str:
        """Check the request, open its sources, begin the run, and return its id.

        ``meaning`` is what is known of the question before it is read: a plan, or the plan it changes.
        """
        with self._published(sources) as places:
            request = AnalysisRequest.checked(
                intent=intent,
                data_sources=places,
                row_limit=row_limit,
                timeout_seconds=timeout_seconds,
                deliverables=deliverables,
                policy=dict(policy) if policy is not None else None,
                request_id=run_id,
            )
            options = read_options(read)
            catalog = self._open(request.data_sources, options)
            Gate(request.policy, catalog)
            kept = self._runner.keep(
                "analysis",
                request,
                catalog,
                read=options,
                waits=plan_only,
                meaning=dict(meaning) if meaning else None,
            )
        self._runner.start(kept, *listening(on_event))
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
        column_roles: Mapping[str, str] | None = None,
        policy: Mapping[str, Any] | None = None,
        run_id: str | None = None,
        on_event: Listener | None = None,
    ) -> Run:
        """Find out why a metric moved between two periods, and wait for it.

        ``column_roles`` says what columns are that were read otherwise: ``{"orders.store": "dimension"}``.

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
            column_roles=column_roles,
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
        timeout: int | None = None,
        run_id: str | None = None,
        on_event: Listener | None = None,
    ) -> Run:
        """Find out what the sources say and where they disagree, and wait for it.

        ``corpus`` names files, folders or pages to be read into this home's corpus first; ``timeout`` is in seconds,
        without it the time depends on the depth.

        Raises:
            UsageError, SourceError: the request or a source cannot be used; nothing was kept.
            AvermentError: the run itself failed; it is kept, with its error.
        """
        begun = self.submit_research(
            query, corpus=corpus, depth=depth, providers=providers, timeout=timeout, run_id=run_id, on_event=on_event
        )
        return self.wait(begun)

    def submit_research(
        self,
        query: str,
        *,
        corpus: Sequence[str | Path] = (),
        depth: str = "standard",
        providers: Sequence[str] = ("corpus",),
        timeout: int | None = None,
        run_id: str | None = None,
        on_event: Listener | None = None,
    ) -> str:
        """Check the question, begin the research, and return the run's id."""
        from averment.records.research.run import ResearchRun

        request = ResearchRun.checked(
            query=query,
            depth_level=depth,
            corpus=[absolute(place) for place in corpus],
            providers=providers,
            timeout_seconds=timeout,
        )
        named = request if run_id is None else request.model_copy(update={"request_id": run_id})
        kept = self._runner.keep("research", named, None)
        self._runner.start(kept, *listening(on_event))
        return kept

    def begin_drill(self, request: DrillRequest, *, on_event: Listener | None = None) -> str:
        """Open the files of a checked request, begin the investigation, and return the run's id.

        Raises:
            UsageError, SourceError, MissingColumn: a file, or a column of the metric or of a role, is not there;
                nothing was kept.
        """
        catalog = self._open(request.data_sources, None)
        Gate(request.policy, catalog)
        if request.column_roles:
            from averment.agents.driller.roles import settle_roles

            settle_roles(
                request.column_roles, {table.name: [one.name for one in table.columns] for table in catalog.tables}
            )
        from averment.tables.metric_parse import read_metric

        read_metric(request.context.metric_sql, catalog)  # A misspelt column is refused before anything is kept.
        run_id = self._runner.keep("drilldown", request, catalog)
        self._runner.start(run_id, *listening(on_event))
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
            with self._published(files) as attached:
                begun = conversation_id or (None if message_id is None else self.assistant.begun_by(message_id))
                conversation_id = self.assistant.attach(attached, conversation_id=begun)
        return self.assistant.turn(message, conversation_id=conversation_id, message_id=message_id)

    @cached_property
    def assistant(self) -> Assistant:
        """The assistant of this home: ``turn``, ``answer``, ``attach``, ``recover``."""
        from averment.agents.assistant.desk import open_assistant

        self._services.conversations.delete_expired()
        return open_assistant(self._services, self)

    def _published(self, sources: Sequence[str | Path]) -> AbstractContextManager[Places]:
        """The sources as any host can open them, published for the block where they are uploads of this home."""
        from averment.store.uploads import published

        return published(self._services.files, self.settings.home, [absolute(source) for source in sources])

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
        return self.wait(whole) if self._runner.begin_again(whole, *listening(on_event)) else self.show(whole)

    def approve(self, run_id: str, *, on_event: Listener | None = None) -> Run:
        """Let a run that waits at its plan go on."""
        return self.resume(self._runner.approve(run_id), on_event=on_event)

    def recover(self) -> int:
        """Take over the runs of processes that died; returns how many."""
        return self._runner.recover()

    def cancel(self, run_id: str) -> None:
        """Ask a run to stop, wherever it runs."""
        self._runner.cancel(run_id)

    def work(self, stop: Stop, *, drain_seconds: int = 60) -> None:
        """As a worker: carry out runs of the queue until told to stop, then end those under way, if there is time."""
        self._runner.open()
        stop.wait()
        self._runner.close(drain_seconds=drain_seconds)

    @cached_property
    def sessions(self) -> Sessions:
        """The driller's sessions: ``create``, ``add_file``, ``start``, ``report``, ``chat`` and what lies between."""
        from averment.agents.driller.session_bench import open_sessions

        return open_sessions(self._services, self, forget=self._runner.forget)


def listening(on_event: Listener | None) -> tuple[Listener, ...]:
    """Nobody, or the one who listens."""
    return () if on_event is None else (on_event,)
