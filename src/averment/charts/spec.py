"""What a chart is, before any drawing: its type, which columns go where, and its title."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from averment.records.base import Record

ChartType = Literal["bar", "line", "area", "scatter", "pie", "histogram", "heatmap", "box"]

MAX_POINTS = 5_000
"""More points than this are not drawn: a picture nobody can read proves nothing."""


class ChartSpec(Record):
    """Which columns are drawn how; ``series_col`` splits the marks by colour.

    A histogram counts ``x_col`` itself, or draws bins that were counted before: each from ``x_col`` to ``until_col``,
    ``y_col`` high. ``beside_col`` is a second numeric column of a line chart, drawn pale behind the first.
    """

    type: ChartType
    x_col: str = Field(min_length=1)
    y_col: str | None = None
    series_col: str | None = None
    until_col: str | None = None
    beside_col: str | None = None
    title: str = Field(default="", max_length=300)
