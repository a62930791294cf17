"""Kinds of charts that plugins add: the marks that show a table's columns on two axes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from averment import plugins
from averment.charts.encode import ChartRows
from averment.charts.kinds import OWN_KINDS


@dataclass(frozen=True, kw_only=True)
class ChartKind:
    """A kind of chart: its name, the words that ask for it, and its marks.

    ``marks`` gets what is drawn and its encoding (a category or time across, a number up), and gives the ``mark`` or
    ``layer`` of a Vega-Lite document. Data, axes, title and size are the same as for every other chart.
    """

    name: str
    marks: Callable[[ChartRows, dict[str, Any]], dict[str, Any]]
    words: tuple[str, ...] = ()


def added_kinds() -> dict[str, ChartKind]:
    """Every kind that plugins add and that can be used, by name."""
    return plugins.additions("charts", ChartKind, tuple(OWN_KINDS))


def added_words() -> dict[str, str]:
    """The words that ask for an added kind, each with the kind's name."""
    return {word: name for name, kind in added_kinds().items() for word in (name, *kind.words)}


def added_marks(drawn: ChartRows, encoding: dict[str, Any]) -> dict[str, Any]:
    """The marks of an added kind.

    Raises:
        PluginFailed: no plugin adds it, or it cannot be loaded.
    """
    return plugins.load("charts", drawn.spec.type, ChartKind, tuple(OWN_KINDS)).marks(drawn, encoding)
