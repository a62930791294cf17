"""What a chart is, before any drawing: its type, which columns go where, how they are scaled, and its words."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from averment.charts.kinds import OWN_KINDS
from averment.plugins import OneOf
from averment.records.base import Record

ChartType = Annotated[str, OneOf("charts", tuple(OWN_KINDS))]
XScale = Literal["category", "time", "year", "number"]
YUnit = Literal["percent"]

MAX_POINTS = 5_000
"""More points than this are not drawn: a picture nobody can read proves nothing. Of a scatter every n-th is drawn."""


class ChartSpec(Record):
    """Which columns are drawn how.

    ``series_col`` splits the marks by colour: bars stand side by side unless ``stacked``, which only parts of a whole
    may be. ``facet_col`` draws a small chart for each of its values. A histogram counts ``x_col`` itself, or draws bins
    that were counted before: each from ``x_col`` to ``until_col``, ``y_col`` high. ``beside_col`` is a second numeric
    column of a line chart, drawn pale behind the first. ``box_cols`` are the lowest value, the two quartiles and the
    highest value of boxes whose median is ``y_col``; there is one box alone where ``x_col`` is the median too. ``fit``
    lays a straight line through a scatter. ``zero`` says whether the value axis begins at zero; bars and areas always
    do, scatters never unless told. ``first`` draws only the table's first rows. Titles are the words on the axes;
    without them the columns' names stand there.
    """

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
