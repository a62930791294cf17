"""The kinds of charts that Averment draws itself: one record each, from which everything else about a kind is taken.

``draw`` has the marks of a kind and, where it has channels of its own, ``encode`` those; all that is said or offered of
it elsewhere (words that ask for it, help texts, what a page lets one change) stands here.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, kw_only=True)
class OwnChartKind:
    """A kind of chart.

    ``words`` ask for it where a kind of chart is expected, as after ``--chart``; ``phrases`` do before "chart" or
    "plot" within a question. ``names`` says whether a number across is a name of its mark, not a place on a scale, and
    ``bands`` whether a time is. ``zero`` says whether the value axis begins at zero: ``always``, ``never``, or unless
    all values are far off. ``sorts`` and ``scales`` say what a page lets one change: the order of its names, and its
    value axis to a logarithmic one. A kind that shows the values behind a result also has a query of its own
    (``plans.box_chart.behind_values``).
    """

    name: str
    words: tuple[str, ...]
    phrases: tuple[str, ...] = ()
    names: bool = False
    bands: bool = False
    zero: Literal["always", "never", "near"] = "near"
    sorts: bool = False
    scales: bool = False


OWN_KINDS: dict[str, OwnChartKind] = {
    kind.name: kind
    for kind in (
        OwnChartKind(
            name="bar",
            words=("bar", "bars", "column", "columns"),
            phrases=("bar", "stacked bar", "grouped bar", "column"),
            names=True,
            bands=True,
            zero="always",
            sorts=True,
            scales=True,
        ),
        OwnChartKind(name="line", words=("line", "lines"), phrases=("line",), scales=True),
        OwnChartKind(name="area", words=("area",), phrases=("area",), zero="always", scales=True),
        OwnChartKind(
            name="pie",
            words=("pie", "donut", "doughnut"),
            phrases=("pie", "donut", "doughnut"),
            names=True,
            sorts=True,
        ),
        OwnChartKind(
            name="scatter", words=("scatter", "points", "dot"), phrases=("scatter",), zero="never", scales=True
        ),
        OwnChartKind(name="histogram", words=("histogram",), scales=True),
        OwnChartKind(name="heatmap", words=("heatmap", "heat"), phrases=("heatmap", "heat map")),
        OwnChartKind(name="box", words=("box", "boxplot"), phrases=("box",), names=True, bands=True, zero="never"),
    )
}
"""By name, in the order in which they are offered."""

_ADDED = OwnChartKind(name="", words=(), names=True)


def kind_named(name: str) -> OwnChartKind:
    """What holds of a kind; of one that a plugin adds, that a number across is a name and nothing else."""
    return OWN_KINDS.get(name, _ADDED)


def said_kinds() -> str:
    """The kinds in a sentence: "bar, line or box"."""
    *first, last = OWN_KINDS
    return f"{', '.join(first)} or {last}"
