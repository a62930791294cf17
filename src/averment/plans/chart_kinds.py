"""The kinds of charts, by the words that ask for them."""

from __future__ import annotations

from averment import plugins
from averment.charts.added import added_words
from averment.charts.kinds import OWN_KINDS
from averment.errors import InvalidRequest

_KINDS = {word: kind.name for kind in OWN_KINDS.values() for word in kind.words}

CHART_KINDS = tuple(OWN_KINDS)
"""Every kind that Averment draws itself."""


def chart_kinds() -> tuple[str, ...]:
    """Every kind that can be asked for: those that Averment draws itself, then those that plugins add."""
    return (*CHART_KINDS, *plugins.names("charts", CHART_KINDS))


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
        hint=f"Choose among: {', '.join(chart_kinds())}.",
        details={"field": "chart"},
    )
