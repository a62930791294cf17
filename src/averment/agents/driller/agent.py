"""The driller as the runtime sees it: reads the metric, plans, goes on round by round, concludes and tells."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING, Any, Literal, Protocol, cast

from averment.agents.driller.conclude import conclude
from averment.agents.driller.data_model import read_investigation
from averment.agents.driller.iteration_log import planned_records, round_records
from averment.agents.driller.metric_reading import Unsure
from averment.agents.driller.reading import ATTRIBUTION, BREAKDOWN, CUBE, DAILY, FACTS, InvestigationSetup, query_task
from averment.agents.driller.report import tell, write_document
from averment.agents.driller.rounds import next_round
from averment.errors import RowLimitOutOfRange
from averment.reading.schema.known_words import MOST_MEANINGS
from averment.records.analysis import Plan, Subtask
from averment.records.base import derived_id
from averment.records.drilldown.loop import MAX_ITERATIONS
from averment.records.drilldown.request import DrillRequest
from averment.records.run import Observation, ToolCall
from averment.runtime.decisions import ArtifactDraft, Conclusion, Planned, Round
from averment.tables.cubes.cube_sql import cube_sql, daily_sql, facts_sql

if TYPE_CHECKING:
    from averment.reports.document import Document
    from averment.runtime.run_context import RunContext
    from averment.runtime.run_json import KeptReading, KeptRound
    from averment.runtime.services import Services
    from averment.store.runs.run_rows import RunRow

HISTORY_DAYS = 56
LEAST_ROWS = 1_000
"""With fewer rows a table of days could be cut, and everything after it would be wrong."""
QUERY_SECONDS, SEARCH_SECONDS = 1.0, 2.0
ROWS_PER_SECOND = 3_000_000


class Adviser(Protocol):
    """Who may propose hypotheses; a model can stand behind it."""

    def next_round(self, work: RunContext, request: DrillRequest, number: int) -> Round | None:
        """A round that tests what was proposed; None when nothing more is."""
        ...


class Driller:
    """Finds out why a metric moved."""

    kind: Literal["analysis", "drilldown", "research", "chat"] = "drilldown"

    def __init__(self, adviser: Adviser | None = None) -> None:
        self._adviser = adviser

    def plan(self, work: RunContext) -> Planned:
        """Read the metric and plan its leaves, its days and the search; ask back where its words are unclear.

        Raises:
            MetricUnreadable, MetricUndefined, JoinFansOut, NoDateColumn, PeriodWithoutData, MissingColumn,
            MissingTable: the metric cannot be followed over these files and periods.
        """
        request = _request(work)
        if request.constraints.row_limit < LEAST_ROWS:
            raise RowLimitOutOfRange(
                f"An investigation reads up to {LEAST_ROWS} rows at a time.",
                hint=f"Give a row limit of {LEAST_ROWS} or more.",
            )
        try:
            reading = read_investigation(
                work.queries.engine(),
                request,
                permits=work.gate.permits,
                timeout=work.clock.seconds_left,
                taught=work.services.store.recipes.corrections.list(limit=MOST_MEANINGS),
            )
        except Unsure as unsure:
            return Planned(outcome="clarification_needed", message=unsure.question)
        reading = with_holidays(reading, work.services.settings.holiday_country)
        plan = Plan.of(
            plan_id=derived_id(work.run_id, "plan"),
            request_id=work.run_id,
            subtasks=_tasks(work, reading),
            reasoning=f"{reading.metric.sql} is cut by {', '.join(reading.names) or 'nothing'}, then searched.",
        )
        before, after = (request.context.side_words(side) for side in ("baseline", "comparison"))
        tables = ", ".join(table.name for table in reading.tables)
        kept: KeptReading = {
            "in_words": f"why {reading.metric.in_words} changed, {before} against {after}, in {tables}",
            "metric": reading.metric.model_dump(mode="json"),
            "investigation": reading.model_dump(mode="json"),
            **planned_records(reading, request),
        }
        return Planned(outcome="planned", reading=kept, plan=plan.model_dump(mode="json"))

    def repair(self, work: RunContext, call: ToolCall, observation: Observation) -> dict[str, Any] | None:
        """Nothing: the queries and scripts are the driller's own, and would fail the same way again."""
        return None

    def next_round(self, work: RunContext, number: int) -> Round | None:
        """The next hypothesis, a look deeper, one that a model proposes once those are done, or the end."""
        decided = next_round(work, number)
        if self._adviser is None or decided is None or decided.state.get("exit_reason") != "CONCLUDE":
            return decided
        if number >= MAX_ITERATIONS:
            return decided
        return self._adviser.next_round(work, _request(work), number) or decided

    def take_round(self, work: RunContext, round_: Round) -> KeptRound:
        """The iteration, its finding and the hypotheses as they stand after it."""
        return round_records(work, _request(work), round_)

    def conclude(self, work: RunContext) -> Conclusion:
        """Findings, the answer, and whether everything was tested."""
        return conclude(work)

    def report(self, work: RunContext, conclusion: Conclusion) -> tuple[ArtifactDraft, ...]:
        """Report, explanations, pictures, table and summary, as far as they were asked for."""
        return tell(work, _request(work), conclusion)

    def mirrored(self, services: Services, run: RunRow) -> dict[str, bytes]:
        """What the files of the run's session must be."""
        from averment.agents.driller.session_export import session_files

        return session_files(services, run)

    def learn(self, work: RunContext) -> None:
        """Nothing: an investigation's memory belongs to its session."""

    def document(self, work: RunContext, conclusion: Conclusion) -> Document:
        """The report before it has a format, for exports."""
        return write_document(work, _request(work), conclusion)


def _request(work: RunContext) -> DrillRequest:
    return cast("DrillRequest", work.request)


def _tasks(work: RunContext, reading: InvestigationSetup) -> tuple[Subtask, ...]:
    size = max((table.row_count for table in reading.tables), default=0)
    cost = QUERY_SECONDS + size / ROWS_PER_SECOND
    leaves, days, facts = queries_of(reading)
    queried = (
        (CUBE, "Aggregate both periods to one row for each combination of dimension values", leaves),
        (DAILY, "Aggregate both periods and the time around them to days", days),
        (FACTS, "Read the metric's rows with all that may tell why it moved", facts),
    )
    return (
        *(query_task(work, name, words, query, cost) for name, words, query in queried),
        Subtask(
            task_id=ATTRIBUTION,
            description="Read grain, faults, expectation and causes of the change",
            tool_name="metric.attribute",
            dependencies=(CUBE, DAILY, FACTS),
            estimated_cost_seconds=SEARCH_SECONDS,
            arguments={**fact_arguments(reading), "daily": DAILY},
        ),
        Subtask(
            task_id=BREAKDOWN,
            description="Break the change down by every dimension",
            tool_name="metric.breakdown",
            dependencies=(CUBE, FACTS),
            estimated_cost_seconds=SEARCH_SECONDS,
            arguments=fact_arguments(reading),
        ),
    )


def queries_of(reading: InvestigationSetup) -> tuple[str, str, str]:
    """The queries for the leaves, for the days with eight weeks of history on either side, and for the rows."""
    rows = reading.parsed_rows()
    first = min(rows.baseline[0], rows.comparison[0]) - timedelta(days=HISTORY_DAYS)
    last = max(rows.baseline[1], rows.comparison[1]) + timedelta(days=HISTORY_DAYS)
    axes = [dimension.axis for dimension in reading.dimensions]
    days = daily_sql(rows, (first, last), row_key=reading.row_key)
    return cube_sql(rows, axes), days, facts_sql(rows, axes, reading.facts)


def with_holidays(reading: InvestigationSetup, country: str) -> InvestigationSetup:
    """The reading with the public holidays of its span; without a country, or with groups, there are none."""
    if not country or reading.groups is not None:
        return reading
    from averment.stats.attribution.expected import public_holidays

    return reading.changed(holidays=public_holidays(country, reading.first_day, reading.last_day))


def fact_arguments(reading: InvestigationSetup) -> dict[str, Any]:
    """The arguments by which the table of rows is understood."""
    rows = reading.parsed_rows()
    names = reading.names if rows.unit else reading.facts.dimensions
    return {
        "facts": FACTS,
        "dimensions": list(names),
        "cube": CUBE,
        "leaf_dimensions": [d.name for d in reading.dimensions if d.kind in {"plain", "top"}],
        "sources": {d.name: d.table for d in reading.dimensions if d.name in names},
        "metric": reading.metric.kind,
        "baseline": [day.isoformat() for day in rows.baseline],
        "comparison": [day.isoformat() for day in rows.comparison],
        "counts_rows": rows.source.numerator.value == "1" and reading.metric.kind == "sum" and not rows.unit,
        "counts_units": rows.unit is not None,
        "per_day": reading.metric.per_day,
        "siblings": [column for _, column in reading.facts.siblings],
        "joins": [[right, column] for _, column, right, _ in reading.facts.joins],
        "watched": [name for name, _, _ in reading.facts.watched],
        "inputs": list(reading.inputs),
        "stacked": rows.source.text is not None,
        "times_matter": reading.day_column in reading.inputs,
        **({} if reading.groups is None else {"grouped": True}),
        **({"holidays": [day.isoformat() for day in reading.holidays]} if reading.holidays else {}),
    }
