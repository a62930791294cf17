"""``plot.render``: a kept table becomes a chart, as Vega-Lite JSON and as PNG."""

from __future__ import annotations

import json

from pydantic import Field

from averment.charts.spec import ChartSpec
from averment.tools.result_store import KeptFile
from averment.tools.tool import Args, Output, ToolContext, tool


class _ChartInput(Args):
    input: str = Field(min_length=1, description="The task whose table is drawn.")


class PlotArgs(ChartSpec, _ChartInput):
    """Which table is drawn, and how."""


class PlotOutput(Output):
    """The chart in both forms, on the result store; no picture where the extra that draws it is not installed."""

    chart_type: str
    x_label: str
    y_label: str
    title: str
    vega_lite: KeptFile
    png: KeptFile | None = None


def render_plot(args: PlotArgs, context: ToolContext) -> PlotOutput:
    """Draw the chart from the task's table."""
    from averment.charts.draw import can_draw, to_png, vega_lite

    table = context.result_store.by_task(args.input)
    spec = ChartSpec.model_validate(args.model_dump(exclude={"input"}))
    document = vega_lite(table, spec)
    content = json.dumps(document, sort_keys=True, ensure_ascii=False, indent=1).encode()
    return PlotOutput(
        chart_type=args.type,
        x_label=args.x_title or args.x_col,
        y_label=args.y_title or args.y_col or "rows",
        title=args.title,
        vega_lite=context.result_store.put_file(context.call_id, "vl.json", content),
        png=context.result_store.put_file(context.call_id, "png", to_png(document)) if can_draw() else None,
    )


PLOT_RENDER = tool("plot.render", render_plot, "Draw a kept table as a chart (PNG and Vega-Lite).", cost_seconds=3.0)
