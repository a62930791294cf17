"""Asking: analyze, drill, research and chat; wait, resume, approve, cancel; and carrying runs out as a worker."""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from averment.spine.events import Listener
from averment.spine.outcome import Run
from averment.spine.policy import Gate
from averment.spine.sources import absolute
from averment.workbench.analyzing import ALL_DELIVERABLES, Analyzing, listening
from averment.workbench.given import Sources, places_of

__all__ = ["ALL_DELIVERABLES", "Asking", "listening"]

if TYPE_CHECKING:
    from averment.agents.assistant.agent import Assistant
    from averment.agents.driller.sessions import Sessions
    from averment.records.chat import AgentResponse
    from averment.records.drilldown.request import DrillRequest
    from averment.tools.mcp_server import Server
    from averment.workbench.datasets import Datasets

Stop: TypeAlias = threading.Event


class Asking(Analyzing):
    """What a home is asked for."""

    def drill(
        self,
        files: Sources,
        *,
        metric_sql: str,
        baseline: tuple[Any, Any] | Mapping[str, Any] | str | None = None,
        comparison: tuple[Any, Any] | Mapping[str, Any] | str | None = None,
        groups: Mapping[str, str] | None = None,
        metric_name: str | None = None,
        metric_unit: str | None = None,
        business_context: str | None = None,
        investigation_prompt: str | None = None,
        column_roles: Mapping[str, str] | None = None,
        relations: Sequence[str] = (),
        policy: Mapping[str, Any] | None = None,
        run_id: str | None = None,
        datasets: Datasets | None = None,
        on_event: Listener | None = None,
    ) -> Run:
        """Find out why a metric moved between two periods, and wait for it.

        ``groups`` compares two groups of rows by a flag instead: ``{"column": "variant", "baseline": "A",
        "comparison": "B"}``; the periods may then be left out, and are else the same.
        ``column_roles`` says what columns are that were read otherwise: ``{"orders.store": "dimension"}``;
        ``relations`` how tables belong together: ``["orders.customer=customers.id"]``.

        Raises:
            UsageError, SourceError: the request or a file cannot be used; nothing was kept.
            AvermentError: the run itself failed; it is kept, with its error.
        """
        from averment.records.drilldown.request import DrillRequest

        files, _ = (self.datasets if datasets is None else datasets).resolve(files)
        request = DrillRequest.checked(
            data_sources=places_of(files, self.settings.home),
            metric_sql=metric_sql,
            baseline_period=baseline,
            comparison_period=comparison,
            groups=None if groups is None else dict(groups),
            metric_name=metric_name,
            metric_unit=metric_unit,
            business_context=business_context,
            investigation_prompt=investigation_prompt,
            column_roles=column_roles,
            relations=relations,
            policy=dict(policy) if policy is not None else None,
            request_id=run_id,
        )
        return self.wait(self.begin_drill(request, on_event=on_event))

    def research(
        self,
        query: str,
        *,
        corpus: Sequence[str | Path] = (),
        corpora: Sequence[str] = (),
        depth: str = "standard",
        providers: Sequence[str] = (),
        narrowing: Mapping[str, str | None] | None = None,
        timeout: int | None = None,
        run_id: str | None = None,
        on_event: Listener | None = None,
    ) -> Run:
        """Find out what the sources say and where they disagree, and wait for it.

        It sees the ``corpora`` of these names and the files, folders or pages of ``corpus``, which are archived first;
        without either, the default corpus. ``providers`` names where to search, by default the setting
        ``search_provider``. ``narrowing`` says which sources of the web are wanted: ``since`` and
        ``until`` (days), ``site``, ``language``. ``timeout`` is in seconds, without it the time depends on the depth.

        Raises:
            UsageError, SourceError: the request or a source cannot be used; nothing was kept.
            AvermentError: the run itself failed; it is kept, with its error.
        """
        begun = self.submit_research(
            query,
            corpus=corpus,
            corpora=corpora,
            depth=depth,
            providers=providers,
            narrowing=narrowing,
            timeout=timeout,
            run_id=run_id,
            on_event=on_event,
        )
        return self.wait(begun)

    def submit_research(
        self,
        query: str,
        *,
        corpus: Sequence[str | Path] = (),
        corpora: Sequence[str] = (),
        depth: str = "standard",
        providers: Sequence[str] = (),
        narrowing: Mapping[str, str | None] | None = None,
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
            corpora=corpora,
            providers=providers or (self.settings.search_provider,),
            narrowing=narrowing,
            timeout_seconds=timeout,
        )
        named = request if run_id is None else request.model_copy(update={"request_id": run_id})
        kept = self._runner.keep("research", named, None)
        self._runner.start(kept, *listening(on_event))
        return kept

    def check_drill(self, request: DrillRequest) -> None:
        """Nothing, if the metric of a checked request, its joins and both sides hold over its files.

        Raises:
            MetricUnclear: the words of the metric are not clear; the message asks which is meant.
            UsageError, SourceError, MissingColumn: it cannot be followed.
        """
        from averment.agents.driller.accept import check_investigation

        catalog = self._open(request.data_sources, None)
        check_investigation(self._services, catalog, request, Gate(request.policy, catalog).permits)

    def begin_drill(self, request: DrillRequest, *, on_event: Listener | None = None) -> str:
        """Open the files of a checked request, begin the investigation, and return the run's id.

        Raises:
            UsageError, SourceError, MissingColumn: a file, or a column of the metric or of a role, is not there;
                nothing was kept.
        """
        catalog = self._open(request.data_sources, None)
        Gate(request.policy, catalog)
        columns = {table.name: [one.name for one in table.columns] for table in catalog.tables}
        if request.column_roles:
            from averment.agents.driller.roles import settle_roles

            settle_roles(request.column_roles, columns)
        if request.relations:
            from averment.agents.driller.given_relations import settle_relations

            settle_relations(request.relations, columns)
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
        files: Sources = (),
    ) -> AgentResponse:
        """Say something to the assistant; ``files`` are what it may look into from then on.

        Raises:
            InvalidRequest: the message is empty or too long.
            ConversationNotFound, MessageReused: the ids do not fit.
        """
        if not (isinstance(files, Sequence) and not files):
            with self.published(files) as attached:
                begun = conversation_id or (None if message_id is None else self.assistant.begun_by(message_id))
                conversation_id = self.assistant.attach(attached, conversation_id=begun)
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
