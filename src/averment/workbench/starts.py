"""Beginning runs without waiting for them: each way checks what is asked, keeps the run, starts it and gives its id."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from averment.errors import InvalidRequest
from averment.plans.chart_kinds import checked_kind
from averment.records.analysis import AnalysisRequest
from averment.runtime.agent import added_agent
from averment.runtime.events import Listener
from averment.runtime.execution.restore import catalog_of, request_of
from averment.runtime.outcome import Run
from averment.runtime.policy import Gate
from averment.runtime.run_json import KnownBefore
from averment.runtime.sources import absolute, read_options
from averment.workbench.given import Sources
from averment.workbench.open_home import OpenHome, listening

if TYPE_CHECKING:
    from averment.plans.plan import Plan
    from averment.records.analysis import Policy, PolicyFields
    from averment.records.drilldown.request import DrillRequest
    from averment.store.runs.run_rows import RunRow
    from averment.workbench.datasets import Datasets


UNSURE = 0.5
"""How sure a follow-up is at most where there is no earlier plan that it could change."""

MOST_LEANT = 3
"""So many readings of an open question a follow-up is read after."""


class FollowUps:
    """What questions lean on, in one home."""

    def __init__(self, home: OpenHome) -> None:
        self._home = home

    def meaning(
        self, *, after: Run | str | None = None, chart: str | None = None, agent: str | None = None
    ) -> KnownBefore | None:
        """What is known of a question before it is read: the run it follows, the chart wanted, and who answers it.

        Raises:
            InvalidRequest: there is no such kind of chart.
            PluginFailed: no plugin adds such an agent.
        """
        known: KnownBefore = {**(self.after(after) or {}), **self._dataset_of(after)}
        if (drawn := checked_kind(chart)) is not None:
            known["chart"] = drawn
        if agent is not None:
            known["agent"] = added_agent(agent).name
        return known or None

    def _dataset_of(self, run: Run | str | None) -> KnownBefore:
        """The dataset that a run asked, which whatever follows it asks as well."""
        if run is None:
            return {}
        row = self._home.services.store.runs.get(run.id if isinstance(run, Run) else run)
        said = (row.request.get("meaning") or {}).get("dataset")
        return {} if said is None else {"dataset": said}

    def after(self, after: Run | str | None) -> KnownBefore | None:
        """What a follow-up leans on: the earlier run and its plan."""
        if after is None:
            return None
        run = after if isinstance(after, Run) else self._home.runner.show(after)
        if "taught" in ((run.reading or {}).get("reading") or {}):
            # A word was taught in between: what is changed is what was asked before.
            before: KnownBefore = self._home.services.store.runs.get(run.id).request.get("meaning") or {}
            leant: KnownBefore = {"after": run.id}
            if "after_plan" in before:
                leant["after_plan"] = before["after_plan"]
            if "after_odds" in before:
                leant["after_odds"] = before["after_odds"]
            return leant
        # A reading that is a query alone has no plan that a follow-up could change.
        open_plans = [offer for offer in run.offers if "table" in offer.plan]
        chosen = self._chosen_for(run) if open_plans else None
        if chosen is not None:
            return {"after": run.id, "after_plan": chosen, "after_odds": 1.0}
        best = open_plans[0] if open_plans else None
        offered = best.plan if best is not None else None
        plan = run.plan if run.plan is not None and "version" in run.plan and "table" in run.plan else offered
        if plan is None:
            # Without a plan to change, the words are read by themselves; nobody is sure that they are meant so.
            return {"after": run.id, "after_odds": UNSURE}
        # Nobody has chosen yet what an open question means, so what follows is no surer than its best offer.
        sure = best.odds if best is not None and plan is not run.plan else 1.0
        leant = {"after": run.id, "after_plan": plan, "after_odds": sure}
        if plan is offered and len(open_plans) > 1:
            leant["after_open"] = [[offer.plan, offer.odds] for offer in open_plans[:MOST_LEANT]]
        return leant

    def _chosen_for(self, run: Run) -> dict[str, Any] | None:
        """The plan that was chosen for an open question, if one was."""
        plan = self._home.services.store.recipes.choices.find(
            catalog_of(self._home.services.store.runs.get(run.id)).fingerprint, run.intent
        )
        return plan if plan is not None and "table" in plan and "version" in plan else None


MAX_INTENT = 2_000
MAX_SQL = 20_000
MAX_WORD = 100
ALL_DELIVERABLES = ("tables", "charts", "reports", "summary")


class RunStarter:
    """Begins the runs of a home; ``Runs.wait`` gives what becomes of one."""

    def __init__(self, home: OpenHome) -> None:
        self._home = home
        self._follow_ups = FollowUps(home)

    def analysis(
        self,
        intent: str,
        sources: Sources,
        *,
        row_limit: int = 200_000,
        timeout_seconds: int = 30,
        deliverables: Iterable[str] = ALL_DELIVERABLES,
        policy: Policy | PolicyFields | None = None,
        read: Mapping[str, Any] | None = None,
        plan_only: bool = False,
        run_id: str | None = None,
        after: Run | str | None = None,
        chart: str | None = None,
        agent: str | None = None,
        meaning: KnownBefore | None = None,
        datasets: Datasets | None = None,
        on_event: Listener | None = None,
    ) -> str:
        """Check a question about tables, open its sources, begin the run, and return its id.

        ``sources`` are paths or URLs, ``dataset:NAME``, pandas or Polars frames, Arrow tables or DuckDB relations; one,
        several, or several by name. ``datasets`` says whose datasets are meant, the owner's unless given. ``after`` is
        an earlier run or its id: the question is then read as a change of that run's plan. ``chart`` is the kind of
        chart to draw, one of ``plans.chart_kinds.chart_kinds()``. ``read`` says how to read the files
        where they leave a doubt: delimiter, quote, encoding, header, day_first, decimal. With ``plan_only`` the run
        stops at its plan until ``approve`` is called. ``run_id`` is a UUID. ``agent`` is one that a plugin adds.
        ``meaning`` is what else is known of the question before it is read: a plan, for example.

        Raises:
            UsageError, SourceError: the request or a source cannot be used; nothing was kept.
            QueryTimeout: the time was over before the sources were open; nothing was kept.
        """
        if after is not None or chart is not None or agent is not None:
            meaning = {**(self._follow_ups.meaning(after=after, chart=chart, agent=agent) or {}), **(meaning or {})}
        owned = self._home.datasets if datasets is None else datasets
        sources, dataset = owned.resolve(sources)
        meaning = owned.known_to(meaning, dataset)
        options = {**((dataset.read if dataset is not None else None) or {}), **(read_options(read) or {})} or None
        with self._home.published(sources) as places:
            request = AnalysisRequest.checked(
                intent=intent,
                data_sources=places,
                row_limit=row_limit,
                timeout_seconds=timeout_seconds,
                deliverables=deliverables,
                policy=dict(policy) if policy is not None else None,
                request_id=run_id,
            )
            began, limit = time.monotonic(), request.constraints.timeout_seconds
            catalog = self._home.open_sources(request.data_sources, options, seconds=limit)
            Gate(request.policy, catalog)
            kept = self._home.runner.keep(
                "analysis",
                request,
                catalog,
                read=options,
                waits=plan_only,
                meaning=meaning or None,
                opening_seconds=time.monotonic() - began,
            )
        self._home.runner.start(kept, *listening(on_event))
        return kept

    def plan(
        self,
        plan: Mapping[str, Any] | Plan | str,
        sources: Sources,
        *,
        run_id: str | None = None,
        chart: str | None = None,
        **more: Any,
    ) -> str:
        """Begin to carry out a plan over sources, with the same proof as an answered question; return the run's id.

        ``plan`` is a plan of ``averment.plan/1``, its JSON or its text; ``more`` are the keywords of ``analysis``.

        Raises:
            InvalidArguments: it is no plan, or names what the sources do not have.
        """
        from averment.plans.readback import read_back
        from averment.plans.text import any_plan

        meant = any_plan(plan)
        if chart is not None:
            meant = meant.model_copy(update={"chart": checked_kind(chart)})
        intent = f"{read_back(meant)}"[:MAX_INTENT]
        meaning: KnownBefore = {"plan": meant.to_json(), "grade": "given"}
        return self.analysis(intent, sources, run_id=run_id, meaning=meaning, **more)

    def sql(self, query: str, sources: Sources, **more: Any) -> str:
        """Begin a run that carries out one SELECT, and return its id; ``more`` are the keywords of ``analysis``.

        The query is guarded and run as it is written. That it is not one read-only query, cannot be read, or names what
        the sources do not have, is the run's own error: ``SqlRefused``, ``SqlSyntax``, ``MissingTable``,
        ``MissingColumn``.
        """
        if not query.strip() or len(query) > MAX_SQL:
            raise InvalidRequest(f"A query must have 1 to {MAX_SQL} characters.", details={"field": "sql"})
        return self.analysis(" ".join(query.split())[:MAX_INTENT], sources, meaning={"sql": query}, **more)

    def teaching(self, word: str, means: str, sources: Sources, **more: Any) -> str:
        """Begin the run that teaches a word, and return its id; ``more`` are the keywords of ``analysis``.

        Raises:
            InvalidRequest: there is no word, no meaning, or one that is too long.
        """
        if not word.strip() or len(word) > MAX_WORD or not means.strip():
            raise InvalidRequest(f"Give a word of 1 to {MAX_WORD} characters and its meaning.")
        meaning: KnownBefore = {"teach": {"word": word, "means": means}}
        return self.analysis(f"{word.strip()} means {means.strip()}", sources, meaning=meaning, **more)

    def choice(
        self, run: Run | str, number: int, *, run_id: str | None = None, on_event: Listener | None = None
    ) -> str:
        """Remember which of a run's offers or rivals was chosen, counted from one, and begin to carry it out.

        Returns the id of the new run; ``run_id`` is the one it is to have.

        Raises:
            InvalidRequest: the run offers no such reading.
        """
        asked = run if isinstance(run, Run) else self._home.runner.show(run)
        offers = asked.offers or asked.rivals
        if not 1 <= number <= len(offers):
            raise InvalidRequest(
                f"The run {asked.id} offers {len(offers)} readings; there is no number {number}.",
                hint="Look at its offers with `show`.",
            )
        row = self._home.services.store.runs.get(asked.id)
        first = request_of(row)
        if not isinstance(first, AnalysisRequest):
            raise InvalidRequest("Only an analysis offers readings.")
        plan = offers[number - 1].plan
        known: KnownBefore = row.request.get("meaning") or {}
        if not set(known) - {"chart", "dataset"}:
            self._home.services.store.recipes.choices.save(catalog_of(row).fingerprint, asked.intent, plan)
            self._remember_totals(row, number)
        meaning: KnownBefore = {"sql": plan["sql"]} if "sql" in plan else {"plan": plan}
        meaning |= {"grade": "chosen", "chosen_from": asked.id}
        if "chart" in known:
            meaning["chart"] = known["chart"]
        if "dataset" in known:
            meaning["dataset"] = known["dataset"]
        return self.analysis(
            first.intent,
            self.sources_of(asked.id),
            row_limit=first.constraints.row_limit,
            timeout_seconds=first.constraints.timeout_seconds,
            deliverables=first.deliverables,
            policy=first.policy,
            read=row.request.get("read"),
            run_id=run_id,
            meaning=meaning,
            on_event=on_event,
        )

    def _remember_totals(self, row: RunRow, number: int) -> None:
        """Where the offers were about total rows: keep whether they count, for all that is asked over this schema."""
        asked = ((row.reading or {}).get("judged") or {}).get("total_rows", ())
        for each in asked:
            choice = {"total_rows": "out" if number == 1 else "in"}
            self._home.services.store.recipes.choices.save(catalog_of(row).fingerprint, str(each["key"]), choice)

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
        user_id: str | None = None,
        on_event: Listener | None = None,
    ) -> str:
        """Check the question of a research, begin it, and return the run's id.

        It sees the ``corpora`` of these names and the files, folders or pages of ``corpus``, which are archived first;
        without either, the default corpus. ``providers`` names where to search, by default the setting
        ``search_provider``. ``narrowing`` says which sources of the web are wanted: ``since`` and ``until`` (days),
        ``site``, ``language``. ``timeout`` is in seconds, without it the time depends on the depth.

        Raises:
            UsageError, SourceError: the request or a source cannot be used; nothing was kept.
        """
        from averment.records.research.run import ResearchRun
        from averment.store.chat.tasks import LOCAL_USER

        request = ResearchRun.checked(
            query=query,
            depth_level=depth,
            corpus=[absolute(place) for place in corpus],
            corpora=corpora,
            providers=providers or (self._home.settings.search_provider,),
            user_id=user_id or LOCAL_USER,
            narrowing=narrowing,
            timeout_seconds=timeout,
        )
        named = request if run_id is None else request.model_copy(update={"request_id": run_id})
        kept = self._home.runner.keep("research", named, None)
        self._home.runner.start(kept, *listening(on_event))
        return kept

    def drill(self, request: DrillRequest, *, on_event: Listener | None = None) -> str:
        """Open the files of a checked request, begin the investigation, and return the run's id.

        Raises:
            UsageError, SourceError, MissingColumn: a file, or a column of the metric or of a role, is not there;
                nothing was kept.
        """
        began, limit = time.monotonic(), request.constraints.timeout_seconds
        catalog = self._home.open_sources(request.data_sources, None, seconds=limit)
        Gate(request.policy, catalog)
        columns = {table.name: [one.name for one in table.columns] for table in catalog.tables}
        if request.column_roles:
            from averment.agents.driller.roles import resolve_roles

            resolve_roles(request.column_roles, columns)
        if request.relations:
            from averment.agents.driller.roles import resolve_relations

            resolve_relations(request.relations, columns)
        from averment.tables.metrics.parse import read_metric

        read_metric(request.context.metric_sql, catalog)  # A misspelt column is refused before anything is kept.
        run_id = self._home.runner.keep("drilldown", request, catalog, opening_seconds=time.monotonic() - began)
        self._home.runner.start(run_id, *listening(on_event))
        return run_id

    def check_drill(self, request: DrillRequest) -> None:
        """Nothing, if the metric of a checked request, its joins and both sides hold over its files.

        Raises:
            MetricUnclear: the words of the metric are not clear; the message asks which is meant.
            UsageError, SourceError, MissingColumn: it cannot be followed.
        """
        from averment.agents.driller.data_model import check_investigation

        catalog = self._home.open_sources(request.data_sources, None)
        check_investigation(self._home.services, catalog, request, Gate(request.policy, catalog).permits)

    def sources_of(self, run_id: str) -> tuple[str, ...]:
        """Where the sources of a run are, to ask about the same again."""
        request = request_of(self._home.services.store.runs.get(run_id))
        found = getattr(request, "data_sources", ())
        return tuple(each if isinstance(each, str) else each.connection_string or each.file_path for each in found)

    def meaning_of(
        self, *, after: Run | str | None = None, chart: str | None = None, agent: str | None = None
    ) -> KnownBefore | None:
        """What is known of a question before it is read: the run it follows, the chart wanted, and who answers it."""
        return self._follow_ups.meaning(after=after, chart=chart, agent=agent)

    def meaning_after(self, after: Run | str | None) -> KnownBefore | None:
        """What a follow-up leans on: the earlier run and its plan."""
        return self._follow_ups.after(after)
