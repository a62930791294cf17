"""How the analyst runs what was meant: a plan, SQL text, or what a model submitted."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from averment.agents.analyst.frames import from_now_on
from averment.agents.analyst.model_loop.submitted_skill import SubmittedSkill
from averment.agents.analyst.programs.bundle import code_for
from averment.agents.analyst.skill import CHART, QUERY, Narrative, Skill, wants_charts
from averment.agents.analyst.sql_text import SqlTextSkill
from averment.agents.analyst.tasks import CHART_SECONDS, query_cost, query_task, select_task
from averment.agents.analyst.teller import answer_of, tell, tell_notable
from averment.claims.relation import finding_of
from averment.claims.units import column_unit, titled
from averment.plans.charting import behind_values, points_query
from averment.plans.compile import compile_plan
from averment.plans.plan import Plan
from averment.plans.readback import read_back
from averment.records.analysis import Subtask

if TYPE_CHECKING:
    from averment.plans.compile import CompiledPlan
    from averment.plans.query import ComposedQuery
    from averment.records.claim import Claim
    from averment.runtime.run_context import RunContext


BESIDE = "beside_"
"""How the tasks of the plans beside an overview are called, with a number behind."""

DATA, PROGRAM_SECONDS = "data", 2.0
"""The task whose rows a program computes with, and what the program costs."""

POINTS = "points"
"""The task whose table holds the points of a scatter."""


class PlanSkill:
    """Runs a plan and tells its result."""

    name = "plan"

    def tasks(self, work: RunContext, reading: dict[str, Any]) -> tuple[Subtask, ...]:
        """The plan's query, and the chart that suits it."""
        plan = Plan.model_validate(reading["plan"])
        compiled = compile_plan(plan)
        composed = compiled.compose(work.catalog.dialect)
        if compiled.program is not None:
            code = {
                "code": code_for(compiled.program),
                "inputs": [DATA],
                "timeout": work.request.constraints.timeout_seconds,
            }
            return _computed(work, plan, composed, "python.run", code)
        if compiled.tool is not None:
            return _computed(work, plan, composed, compiled.tool, {"input": DATA, **compiled.arguments})
        query = query_task(
            work,
            QUERY,
            f"Compute {read_back(plan)}",
            composed.sql,
            composed.params,
            cost=query_cost(work, plan.table),
            filtered=bool(plan.where),
        )
        if plan.beside:
            return (query, *(_beside(work, inner, place) for place, inner in enumerate(plan.beside, start=1)))
        chart = reading.get("chart")
        if chart is None or not wants_charts(work):
            return (query,)
        behind = behind_values(chart["type"])
        boxes = None if behind is None else behind.query(plan)
        points = None if boxes is not None else points_query(plan)
        seen = QUERY if points is None and boxes is None else POINTS
        drawn = Subtask(
            task_id=CHART,
            description=f"Draw {read_back(plan)}"[:500],
            tool_name="plot.render",
            dependencies=(seen,),
            estimated_cost_seconds=CHART_SECONDS,
            arguments={"input": seen, **_with_unit(work, compiled, chart)},
        )
        cost = query_cost(work, plan.table)
        if behind is not None and boxes is not None:
            laid = boxes.compose(work.catalog.dialect)
            said, filtered = behind.told, bool(plan.where)
            return (query, query_task(work, POINTS, said, laid.sql, laid.params, cost=cost, filtered=filtered), drawn)
        if points is None:
            return (query, drawn)
        return (query, select_task(work, POINTS, "Take the points to draw", points, cost), drawn)

    def conclude(self, work: RunContext, reading: dict[str, Any]) -> Narrative:
        """The claims the result carries, as findings, and the answer made of them."""
        claims = claims_of(work, reading)
        findings = tuple(finding_of(claim) for claim in claims)
        answer = answer_of(claims)
        if reading.get("taught"):
            answer = f"From now on {from_now_on(reading)}. {answer}".strip()
        return Narrative(findings=findings, answer=answer, claims=claims)


def _with_unit(work: RunContext, compiled: CompiledPlan, chart: dict[str, Any]) -> dict[str, Any]:
    """The chart with the unit of its figure at the value axis, where one is known."""
    figures = [column for column in compiled.columns if column.role == "figure" and column.measure is not None]
    drawn = compiled.column(str(chart.get("y_col"))) or next(iter(figures), None)
    unit = column_unit(drawn, (work.state.meaning.get("dataset") or {}).get("columns") or {})
    return {**chart, "y_title": titled(chart["y_title"], unit)} if chart.get("y_title") else chart


def _computed(
    work: RunContext, plan: Plan, composed: ComposedQuery, tool: str, arguments: dict[str, Any]
) -> tuple[Subtask, ...]:
    """The rows that a tool needs, and the tool over them: a program in the jail, or what a plugin computes."""
    cost = query_cost(work, plan.table)
    rows = query_task(
        work,
        DATA,
        "Take the rows to compute with",
        composed.sql,
        composed.params,
        cost=cost,
        filtered=bool(plan.where),
    )
    computed = Subtask(
        task_id=QUERY,
        description=f"Compute {read_back(plan)}"[:500],
        tool_name=tool,
        dependencies=(DATA,),
        estimated_cost_seconds=PROGRAM_SECONDS,
        arguments=arguments,
    )
    return (rows, computed)


def _beside(work: RunContext, plan: Plan, place: int) -> Subtask:
    """The task of a plan that an overview looks at as well."""
    composed = compile_plan(plan).compose(work.catalog.dialect)
    described = f"Compute {read_back(plan)}"[:500]
    return query_task(
        work,
        f"{BESIDE}{place}",
        described,
        composed.sql,
        composed.params,
        cost=query_cost(work, plan.table),
        filtered=bool(plan.where),
    )


def claims_of(work: RunContext, reading: dict[str, Any]) -> tuple[Claim, ...]:
    """What the run's result says, as claims."""
    plan = Plan.model_validate(reading["plan"])
    if DATA in work.state.answered and (work.state.answered[DATA][1].data or {}).get("truncated"):
        return ()  # Of a part of the rows the figures would not be the table's.
    whole = tell(work, plan, compile_plan(plan), work.table(QUERY))
    if not plan.beside:
        return whole
    tasks = [(f"{BESIDE}{place}", inner) for place, inner in enumerate(plan.beside, start=1)]
    return (*tell_notable(work, [(task, inner) for task, inner in tasks if task in work.state.answered]), *whole)


def standard_skills() -> tuple[Skill, ...]:
    """All ways there are."""
    return (PlanSkill(), SqlTextSkill(), SubmittedSkill())


def skill_named(name: str) -> Skill:
    """The way of that name."""
    return next(skill for skill in standard_skills() if skill.name == name)
