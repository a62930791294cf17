"""``plot.render``: a kept table becomes a chart, as Vega-Lite JSON and as PNG."""

from __future__ import annotations

import json

from pydantic import Field

from averment.charts.spec import MAX_POINTS, ChartSpec, ChartType, XScale, YUnit
from averment.tools.result_store import KeptFile
from averment.tools.tool import Args, Output, ToolContext, tool


class PlotArgs(Args):
    """Which table is drawn, and how."""

    input: str = Field(min_length=1, description="The task whose table is drawn.")
    type: ChartType = Field(description="Kind of chart.")
    x_col: str = Field(min_length=1, description="Column on the horizontal axis.")
    y_col: str | None = Field(default=None, description="Numeric column on the vertical axis.")
    series_col: str | None = Field(default=None, description="Column that splits the marks by colour.")
    facet_col: str | None = Field(default=None, description="Column that gives each of its values a small chart.")
    until_col: str | None = Field(default=None, description="Numeric column where a histogram's counted bin ends.")
    beside_col: str | None = Field(default=None, description="Second numeric column of a line chart, drawn pale.")
    box_cols: tuple[str, str, str, str] | None = Field(
        default=None, description="Lowest value, both quartiles and highest value of boxes; y_col is the median."
    )
    title: str = Field(default="", max_length=300, description="Title above the chart.")
    x_title: str | None = Field(default=None, max_length=200, description="Words on the horizontal axis.")
    y_title: str | None = Field(default=None, max_length=200, description="Words on the vertical axis.")
    series_title: str | None = Field(default=None, max_length=200, description="Words above the legend.")
    x_scale: XScale | None = Field(
        default=None, description="What the horizontal axis holds, where the type does not say."
    )
    y_unit: YUnit | None = Field(default=None, description="Unit of the vertical axis.")
    stacked: bool = Field(default=False, description="Bars or areas on top of each other: parts of a whole alone.")
    horizontal: bool = Field(default=False, description="Bars that lie, for long names.")
    fit: bool = Field(default=False, description="A straight line through a scatter.")
    zero: bool | None = Field(default=None, description="Whether the value axis begins at zero, for points and lines.")
    first: int | None = Field(default=None, ge=2, le=MAX_POINTS, description="Draw only the table's first rows.")


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
