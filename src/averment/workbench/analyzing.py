"""Analyzing: questions, plans and queries over tables; follow-ups, offers and choices."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, TypeAlias

from averment.errors import InvalidRequest
from averment.plans.chart_kinds import checked_kind
from averment.records.analysis import AnalysisRequest
from averment.spine.agent import added_agent
from averment.spine.events import Listener
from averment.spine.outcome import Run
from averment.spine.policy import Gate
from averment.spine.restore import catalog_of, request_of
from averment.spine.sources import read_options
from averment.workbench.given import Sources
from averment.workbench.looking import Looking

if TYPE_CHECKING:
    from averment.plans.plan import Plan
    from averment.store.corrections import Correction
    from averment.store.rows import RunRow
    from averment.workbench.datasets import Datasets

MAX_INTENT = 2_000
MAX_SQL = 20_000
UNSURE = 0.5
"""How sure a follow-up is at most where there is no earlier plan that it could change."""

MOST_LEANT = 3
"""So many readings of an open question a follow-up is read after."""

ALL_DELIVERABLES = ("tables", "charts", "reports", "summary")
MAX_WORD = 100
Meanings: TypeAlias = "list[Correction]"


class Analyzing(Looking):
    """What is asked of tables."""

    def analyze(
        self,
        intent: str,
        sources: Sources,
        *,
        row_limit: int = 200_000,
        timeout_seconds: int = 30,
        deliverables: Iterable[str] = ALL_DELIVERABLES,
        policy: Mapping[str, Any] | None = None,
        read: Mapping[str, Any] | None = None,
        plan_only: bool = False,
        run_id: str | None = None,
        after: Run | str | None = None,
        chart: str | None = None,
        agent: str | None = None,
        datasets: Datasets | None = None,
        on_event: Listener | None = None,
    ) -> Run:
        """Answer a question about tables, and wait for it.

        ``sources`` are paths or URLs, ``dataset:NAME``, pandas or Polars frames, Arrow tables or DuckDB relations; one,
        several, or several by name. ``datasets`` says whose datasets are meant, the owner's unless given. ``after`` is
        an earlier run or its id: the question is then read as a change of that run's plan. ``chart`` is the kind of
        chart to draw (bar, line, area, pie, scatter, histogram, heatmap, box). ``read`` says how to read the files
        where they leave a doubt: delimiter, quote, encoding, header, day_first, decimal. With ``plan_only`` the run
        stops at its plan until ``approve`` is called. ``run_id`` is a UUID. ``agent`` is one that a plugin adds.

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
            meaning=self.meaning_of(after=after, chart=chart, agent=agent),
            datasets=datasets,
            on_event=on_event,
        )
        return self.wait(begun)

    def run_plan(
        self,
        plan: Mapping[str, Any] | Plan | str,
        sources: Sources,
        *,
        run_id: str | None = None,
        chart: str | None = None,
        **more: Any,
    ) -> Run:
        """Carry out a plan over sources, with the same proof as an answered question.

        ``plan`` is a plan of ``averment.plan/1``, its JSON or its text; ``more`` are the keywords of ``submit``.

        Raises:
            InvalidArguments: it is no plan, or names what the sources do not have.
        """
        return self.wait(self.submit_plan(plan, sources, run_id=run_id, chart=chart, **more))

    def submit_plan(
        self,
        plan: Mapping[str, Any] | Plan | str,
        sources: Sources,
        *,
        run_id: str | None = None,
        chart: str | None = None,
        **more: Any,
    ) -> str:
        """Begin to carry out a plan, and return the run's id; otherwise as ``run_plan``."""
        from averment.plans.readback import read_back
        from averment.plans.text import any_plan

        meant = any_plan(plan)
        if chart is not None:
            meant = meant.model_copy(update={"chart": checked_kind(chart)})
        intent = f"{read_back(meant)}"[:MAX_INTENT]
        meaning = {"plan": meant.to_json(), "grade": "given"}
        return self.submit(intent, sources, run_id=run_id, meaning=meaning, **more)

    def teach(self, word: str, means: str, sources: Sources, *, run_id: str | None = None, **more: Any) -> Run:
        """Teach what a word means over sources like these, and wait for the run that shows what it comes to.

        ``means`` names a column, a formula ("revenue minus cost"), a condition ("status is active and opened after
        2022") or values of one column ("North, South"). ``more`` are the keywords of ``submit``. The run is
        ``clarification_needed``, and nothing is kept, where that cannot be read over the sources.
        """
        return self.wait(self.submit_teaching(word, means, sources, run_id=run_id, **more))

    def submit_teaching(self, word: str, means: str, sources: Sources, **more: Any) -> str:
        """Begin the run that teaches a word, and return its id; ``more`` are the keywords of ``submit``.

        Raises:
            InvalidRequest: there is no word, no meaning, or one that is too long.
        """
        if not word.strip() or len(word) > MAX_WORD or not means.strip():
            raise InvalidRequest(f"Give a word of 1 to {MAX_WORD} characters and its meaning.")
        meaning = {"teach": {"word": word, "means": means}}
        return self.submit(f"{word.strip()} means {means.strip()}", sources, meaning=meaning, **more)

    def meanings(self, *, limit: int = 50, offset: int = 0) -> Meanings:
        """What words were taught to mean, the latest taught first."""
        return self._services.recipes.corrections.list(limit=limit, offset=offset)

    def forget_meaning(self, meaning_id: str) -> bool:
        """Forget what one word was taught to mean; whether there was one of that id."""
        return self._services.recipes.corrections.forget(meaning_id)

    def sql(self, query: str, sources: Sources, *, run_id: str | None = None, **more: Any) -> Run:
        """Run one SELECT over sources, with the same proof as an answered question, and wait for it.

        The query is guarded and run as it is written; ``more`` are the keywords of ``submit``.

        Raises:
            SqlRefused, SqlSyntax: it is not one read-only query, or cannot be read; the run is kept, with its error.
            MissingTable, MissingColumn: it names what the sources do not have; likewise.
        """
        return self.wait(self.submit_sql(query, sources, run_id=run_id, **more))

    def submit_sql(self, query: str, sources: Sources, **more: Any) -> str:
        """Begin a run that carries out one SELECT, and return its id; ``more`` are the keywords of ``submit``."""
        if not query.strip() or len(query) > MAX_SQL:
            raise InvalidRequest(f"A query must have 1 to {MAX_SQL} characters.", details={"field": "sql"})
        return self.submit(" ".join(query.split())[:MAX_INTENT], sources, meaning={"sql": query}, **more)

    def choose(
        self, run: Run | str, number: int, *, run_id: str | None = None, on_event: Listener | None = None
    ) -> Run:
        """Carry out one of the readings a run offered, counted from one, and wait for it; the choice is remembered.

        ``run_id`` is the id that the new run is to have.

        Raises:
            InvalidRequest: the run offers no such reading.
        """
        return self.wait(self.submit_choice(run, number, run_id=run_id, on_event=on_event))

    def submit_choice(
        self, run: Run | str, number: int, *, run_id: str | None = None, on_event: Listener | None = None
    ) -> str:
        """Remember which reading was chosen, begin to carry it out, and return the run's id.

        Raises:
            InvalidRequest: the run offers no such reading.
        """
        asked = run if isinstance(run, Run) else self.show(run)
        if not 1 <= number <= len(asked.offers):
            raise InvalidRequest(
                f"The run {asked.id} offers {len(asked.offers)} readings; there is no number {number}.",
                hint="Look at its offers with `show`.",
            )
        row = self._services.runs.get(asked.id)
        first = request_of(row)
        if not isinstance(first, AnalysisRequest):
            raise InvalidRequest("Only an analysis offers readings.")
        plan = asked.offers[number - 1].plan
        known = row.request.get("meaning") or {}
        if not set(known) - {"chart", "dataset"}:
            self._services.recipes.choices.save(catalog_of(row).fingerprint, asked.intent, plan)
            self._remember_totals(row, number)
        return self.submit(
            first.intent,
            self.sources_of(asked.id),
            row_limit=first.constraints.row_limit,
            timeout_seconds=first.constraints.timeout_seconds,
            deliverables=first.deliverables,
            policy=first.policy.model_dump(mode="json"),
            read=row.request.get("read"),
            run_id=run_id,
            meaning={
                "sql" if "sql" in plan else "plan": plan.get("sql", plan),
                "grade": "chosen",
                "chosen_from": asked.id,
                **{key: known[key] for key in ("chart", "dataset") if key in known},
            },
            on_event=on_event,
        )

    def _remember_totals(self, row: RunRow, number: int) -> None:
        """Where the offers were about total rows: keep whether they count, for all that is asked over this schema."""
        asked = ((row.reading or {}).get("judged") or {}).get("total_rows", ())
        for each in asked:
            choice = {"total_rows": "out" if number == 1 else "in"}
            self._services.recipes.choices.save(catalog_of(row).fingerprint, str(each["key"]), choice)

    def sources_of(self, run_id: str) -> tuple[str, ...]:
        """Where the sources of a run are, to ask about the same again."""
        request = request_of(self._services.runs.get(run_id))
        found = getattr(request, "data_sources", ())
        return tuple(each if isinstance(each, str) else each.connection_string or each.file_path for each in found)

    def meaning_of(
        self, *, after: Run | str | None = None, chart: str | None = None, agent: str | None = None
    ) -> dict[str, Any] | None:
        """What is known of a question before it is read: the run it follows, the chart wanted, and who answers it.

        Raises:
            InvalidRequest: there is no such kind of chart.
            PluginFailed: no plugin adds such an agent.
        """
        drawn = {"chart": checked_kind(chart)} if chart is not None else {}
        told = {} if agent is None else {"agent": added_agent(agent).name}
        return {**(self.meaning_after(after) or {}), **self._dataset_of(after), **drawn, **told} or None

    def _dataset_of(self, run: Run | str | None) -> dict[str, Any]:
        """The dataset that a run asked, which whatever follows it asks as well."""
        if run is None:
            return {}
        row = self._services.runs.get(run.id if isinstance(run, Run) else run)
        said = (row.request.get("meaning") or {}).get("dataset")
        return {} if said is None else {"dataset": said}

    def meaning_after(self, after: Run | str | None) -> dict[str, Any] | None:
        """What a follow-up leans on: the earlier run and its plan."""
        if after is None:
            return None
        run = after if isinstance(after, Run) else self.show(after)
        if "taught" in ((run.reading or {}).get("reading") or {}):
            # A word was taught in between: what is changed is what was asked before.
            before = self._services.runs.get(run.id).request.get("meaning") or {}
            return {"after": run.id, **{key: before[key] for key in ("after_plan", "after_odds") if key in before}}
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
        leant: dict[str, Any] = {"after": run.id, "after_plan": plan, "after_odds": sure}
        if plan is offered and len(open_plans) > 1:
            leant["after_open"] = [[offer.plan, offer.odds] for offer in open_plans[:MOST_LEANT]]
        return leant

    def _chosen_for(self, run: Run) -> dict[str, Any] | None:
        """The plan that was chosen for an open question, if one was."""
        plan = self._services.recipes.choices.find(catalog_of(self._services.runs.get(run.id)).fingerprint, run.intent)
        return plan if plan is not None and "table" in plan and "version" in plan else None

    def submit(
        self,
        intent: str,
        sources: Sources,
        *,
        row_limit: int = 200_000,
        timeout_seconds: int = 30,
        deliverables: Iterable[str] = ALL_DELIVERABLES,
        policy: Mapping[str, Any] | None = None,
        read: Mapping[str, Any] | None = None,
        plan_only: bool = False,
        run_id: str | None = None,
        meaning: Mapping[str, Any] | None = None,
        datasets: Datasets | None = None,
        on_event: Listener | None = None,
    ) -> str:
        """Check the request, open its sources, begin the run, and return its id.

        ``meaning`` is what is known of the question before it is read: a plan, or the plan it changes. ``datasets``
        are those that a source may name, the owner's unless given.
        """
        owned = self.datasets if datasets is None else datasets
        sources, dataset = owned.resolve(sources)
        meaning = owned.known_to(meaning, dataset)
        read = read if dataset is None or read is not None else dataset.read
        with self.published(sources) as places:
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

    def wait(self, run_id: str) -> Run:
        """The run, once it rests.

        Raises:
            AvermentError: the run failed or was cancelled; the error is the run's own.
        """
        return self._runner.wait(run_id)


def listening(on_event: Listener | None) -> tuple[Listener, ...]:
    """Nobody, or the one who listens."""
    return () if on_event is None else (on_event,)
