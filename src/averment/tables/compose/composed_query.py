"""What composing gives: a query's text and the values of its placeholders.

``compose_select`` writes selects, ``compose_layers`` what is computed on top of them.
"""

from __future__ import annotations

from dataclasses import dataclass

Parameter = str | int | float | bool


@dataclass(frozen=True)
class ComposedQuery:
    """The query text and the values of its placeholders, in order."""

    sql: str
    params: tuple[Parameter, ...]
