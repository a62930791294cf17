"""What compiling a plan gives: an engine-free query, and which headings of its result are keys and which figures."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from averment.tables.catalog import Dialect
    from averment.tables.compose.composed_query import ComposedQuery
    from averment.tables.compose.layer_spec import Layered


@dataclass(frozen=True, kw_only=True)
class CompiledPlan:
    """A plan's query in the engine-free form, and which headings of its result are keys and which are figures."""

    query: Layered
    keys: tuple[str, ...]
    figures: tuple[str, ...]
    program: dict[str, Any] | None = None
    """What a program is to compute of the query's rows, where no engine does; the headings are then its result's."""
    tool: str | None = None
    """The tool that computes of the query's rows, its ``input``; the headings are then its result's."""
    arguments: Mapping[str, Any] = field(default_factory=dict)
    """What else the tool is given."""

    def compose(self, dialect: Dialect) -> ComposedQuery:
        """The query's text and parameters for a dialect."""
        from averment.tables.compose.layers import compose_layers
        from averment.tables.compose.select import compose_select

        plain = not self.query.layers and self.query.limit is None and not self.query.order
        return compose_select(self.query.base, dialect) if plain else compose_layers(self.query, dialect)


@dataclass(frozen=True, kw_only=True)
class Overview(CompiledPlan):
    """One row for each column of a table: what it holds, and how much of it; ``numbers`` are the numeric ones."""

    numbers: frozenset[str]

    def compose(self, dialect: Dialect) -> ComposedQuery:
        """The columns one below the other."""
        from averment.tables.compose.overview import compose_summary

        names = [(name, name in self.numbers) for name in self.query.shown]
        return compose_summary(self.query.base.table, names, dialect)
