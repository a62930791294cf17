"""Planning: a layered query as a task, and the chart of its result."""

from __future__ import annotations

from typing import TYPE_CHECKING

from averment.agents.analyst.skill import CHART, QUERY
from averment.agents.analyst.tasks import CHART_SECONDS, query_cost, query_task
from averment.charts.spec import ChartType
from averment.records.analysis import Subtask
from averment.tables.compose_layers import compose_layers
from averment.tables.layers import Layered

if TYPE_CHECKING:
    from averment.spine.work import Work


def layered_task(work: Work, task_id: str, description: str, spec: Layered) -> Subtask:
    """The query of a specification, under the request's limits."""
    composed = compose_layers(spec, work.catalog.dialect)
    return query_task(
        work,
        task_id,
        description,
        composed.sql,
        composed.params,
        cost=query_cost(work, spec.base.table),
        filtered=bool(spec.base.conditions),
    )


def chart_task(
    work: Work,
    kind: ChartType,
    x: str,
    y: str | None,
    title: str,
    *,
    series: str | None = None,
    until: str | None = None,
    beside: str | None = None,
    task: str = QUERY,
) -> tuple[Subtask, ...]:
    """The chart of a task's table, where charts are asked for."""
    if "charts" not in work.request.deliverables:
        return ()
    arguments = {"input": task, "type": kind, "x_col": x, "y_col": y, "series_col": series, "title": title}
    if until is not None:
        arguments["until_col"] = until
    if beside is not None:
        arguments["beside_col"] = beside
    return (
        Subtask(
            task_id=CHART,
            description=f"Draw {title}",
            tool_name="plot.render",
            dependencies=(task,),
            estimated_cost_seconds=CHART_SECONDS,
            arguments=arguments,
        ),
    )
