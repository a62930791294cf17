"""The kinds of charts, by the words that ask for them."""

from __future__ import annotations

from averment.charts.added import added_kinds, added_words
from averment.errors import InvalidRequest

_KINDS = {
    "column": "bar",
    "columns": "bar",
    "bars": "bar",
    "bar": "bar",
    "line": "line",
    "lines": "line",
    "area": "area",
    "pie": "pie",
    "donut": "pie",
    "doughnut": "pie",
    "scatter": "scatter",
    "points": "scatter",
    "dot": "scatter",
    "histogram": "histogram",
    "heatmap": "heatmap",
    "heat": "heatmap",
    "box": "box",
    "boxplot": "box",
}

CHART_KINDS = tuple(dict.fromkeys(_KINDS.values()))
"""Every kind that Averment draws itself."""


def chart_kind(wanted: str | None) -> str | None:
    """The type of chart that words such as "stacked bar" or "heat map" ask for; nothing where they name none."""
    for word in (wanted or "").casefold().replace("-", " ").split():
        if word.removesuffix("plot") in _KINDS or word in _KINDS:
            return _KINDS.get(word) or _KINDS[word.removesuffix("plot")]
    added = added_words() if wanted else {}
    return next((added[word] for word in (wanted or "").casefold().split() if word in added), None)


def checked_kind(wanted: str | None) -> str | None:
    """What was asked for, if it names a kind of chart; None where nothing was.

    Raises:
        InvalidRequest: it names none.
    """
    if wanted is None or chart_kind(wanted) is not None:
        return wanted
    raise InvalidRequest(
        "Unknown kind of chart.",
        hint=f"Choose among: {', '.join((*CHART_KINDS, *added_kinds()))}.",
        details={"field": "chart"},
    )
