"""The submitted skill: it reads nothing by itself; it runs and tells what a model submitted and the checks let pass."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from averment.agents.analyst.model_loop.telling import ResultNarrative as ToldTable
from averment.agents.analyst.model_loop.telling import tell_table
from averment.agents.analyst.skill import CHART, QUERY, Narrative, wants_charts
from averment.agents.analyst.tasks import CHART_SECONDS, query_cost, query_task
from averment.agents.analyst.teller import answer_of
from averment.claims.relation import finding_of
from averment.records.analysis import Subtask

if TYPE_CHECKING:
    from averment.records.claim import Claim
    from averment.runtime.run_context import RunContext

NAME = "submitted"
PROGRAM_SECONDS = 3.0


class SubmittedSkill:
    """Runs queries and programs that a model submitted, and tells their result by claims."""

    name = NAME

    def tasks(self, work: RunContext, reading: dict[str, Any]) -> tuple[Subtask, ...]:
        """The submitted tasks under the request's limits, and the picture of the main one."""
        made = [self._task(work, task, reading) for task in reading["tasks"]]
        chart = reading.get("chart")
        if chart is not None and wants_charts(work):
            made.append(
                Subtask(
                    task_id=CHART,
                    description="Draw the result",
                    tool_name="plot.render",
                    dependencies=(QUERY,),
                    estimated_cost_seconds=CHART_SECONDS,
                    arguments={"input": QUERY, "title": str(reading["said"])[:300], **chart},
                )
            )
        return tuple(made)

    def _task(self, work: RunContext, task: dict[str, Any], reading: dict[str, Any]) -> Subtask:
        main = task["id"] == QUERY
        words = f"Compute {reading['said']}" if main else f"Prepare {task['id']}"
        if task["tool"] == "sql.run":
            known = {table.name for table in work.catalog.tables}
            cost = sum(query_cost(work, table) for table in reading["tables"] if table in known)
            given = task["arguments"]
            return query_task(work, task["id"], words, given["query"], given["params"], cost=max(cost, 0.2))
        arguments = dict(task["arguments"])
        if task["tool"] == "python.run":
            arguments["timeout"] = work.request.constraints.timeout_seconds
        return Subtask(
            task_id=task["id"],
            description=words,
            tool_name=task["tool"],
            dependencies=tuple(task["after"]),
            estimated_cost_seconds=PROGRAM_SECONDS,
            arguments=arguments,
        )

    def conclude(self, work: RunContext, reading: dict[str, Any]) -> Narrative:
        """The claims the result carries, as findings, and the answer made of them."""
        claims = claims_of(work, reading)
        return Narrative(findings=tuple(map(finding_of, claims)), answer=answer_of(claims), claims=claims)


def claims_of(work: RunContext, reading: dict[str, Any]) -> tuple[Claim, ...]:
    """What the run's result says, as claims."""
    return tell_table(scene_of(work, reading))


def scene_of(work: RunContext, reading: dict[str, Any]) -> ToldTable:
    """The run's result, ready to be told."""
    return ToldTable(
        work,
        QUERY,
        tables=reading["tables"],
        program=reading["kind"] == "program",
        limited=bool(reading["limited"]),
    )
