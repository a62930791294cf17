"""A kind of chart: a thin line up to a dot, where bars would be heavy."""

from __future__ import annotations

from typing import Any

from averment.charts.added import ChartKind
from averment.charts.encode import BLUE, GREY, ChartRows


def marks(drawn: ChartRows, encoding: dict[str, Any]) -> dict[str, Any]:
    """The line and the dot, one above the other."""
    del drawn, encoding  # Both marks show the encoding as it is.
    line = {"mark": {"type": "bar", "width": 2, "color": GREY}}
    dot = {"mark": {"type": "circle", "size": 120, "opacity": 1, "color": BLUE, "tooltip": True}}
    return {"layer": [line, dot]}


LOLLIPOP = ChartKind(name="lollipop", words=("lollipops",), marks=marks)
