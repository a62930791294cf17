"""Composing correlations: the pairs of several columns become rows, in every dialect by the same sums.

Deviations from the means are multiplied and added up, over the rows that have both values: no engine needs a function
for it, and large values lose no digits.
"""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING, Protocol

from averment.tables.engines.backend import quote

if TYPE_CHECKING:
    from averment.tables.catalog import Dialect
    from averment.tables.compose.composed_query import Parameter
    from averment.tables.compose.layer_spec import CorrelationLayer


class PairWriter(Protocol):
    """What writes layers in one dialect; ``params`` grows as placeholders are written."""

    dialect: Dialect
    params: list[Parameter]

    def real(self, inner: str) -> str:
        """An expression as a number with a fraction."""
        ...


def pairs_of(layer: CorrelationLayer) -> list[tuple[str, str]]:
    """The pairs in the order of the columns; with one column only its own, each with the other second."""
    if layer.against is None:
        return list(combinations(layer.columns, 2))
    return [(layer.against, name) for name in layer.columns if name != layer.against]


def correlated(writer: PairWriter, layer: CorrelationLayer, below: str) -> str:
    """One row a pair: both names, the coefficient, its strength, and how many rows have both."""
    pairs = pairs_of(layer)
    if layer.method == "pearson":
        lead, sources = _pearson(pairs, below, writer)
    else:
        lead, sources = "", [_ranked(left, right, below, writer) for left, right in pairs]
    selects: list[str] = []
    for (left, right), source in zip(pairs, sources, strict=True):
        writer.params += [left, right]
        selects.append(
            f"SELECT CAST(? AS {_text(writer)}) AS {quote('first')}, CAST(? AS {_text(writer)}) AS {quote('second')},\n"
            f"{source}"
        )
    united = "\nUNION ALL\n".join(selects)
    # The last digit may carry a coefficient past one.
    one, less = writer.real("1"), writer.real("-1")
    bound = f"CASE WHEN r > {one} THEN {one} WHEN r < {less} THEN {less} ELSE r END"
    return (
        f"{lead}SELECT {quote('first')}, {quote('second')}, {bound} AS {quote('correlation')},\n"
        f"ABS({bound}) AS {quote('strength')}, n AS {quote('rows')}\nFROM (\n{united}\n) AS pairs"
    )


def _text(writer: PairWriter) -> str:
    return "VARCHAR" if writer.dialect == "duckdb" else "TEXT"


def _pearson(pairs: list[tuple[str, str]], below: str, writer: PairWriter) -> tuple[str, list[str]]:
    """All pairs in two passes over the rows: the means of each pair, then the sums of products."""
    means: list[str] = []
    sums: list[str] = []
    for place, (left, right) in enumerate(pairs):
        x, y = writer.real(quote(left)), writer.real(quote(right))
        both = f"{quote(left)} IS NOT NULL AND {quote(right)} IS NOT NULL"
        means += [
            f"AVG(CASE WHEN {both} THEN {x} END) AS mx{place}",
            f"AVG(CASE WHEN {both} THEN {y} END) AS my{place}",
        ]
        # Where either value is missing its deviation is, and so is the product.
        dx, dy = f"({x} - m.mx{place})", f"({y} - m.my{place})"
        sums += [
            f"SUM({dx} * {dy}) AS xy{place}",
            f"SUM(CASE WHEN {both} THEN {dx} * {dx} END) AS xx{place}",
            f"SUM(CASE WHEN {both} THEN {dy} * {dy} END) AS yy{place}",
            f"COUNT(CASE WHEN {both} THEN 1 END) AS n{place}",
        ]
    source = quote(below)
    lead = (
        f"WITH summed AS (\nSELECT {', '.join(sums)}\nFROM {source} CROSS JOIN (\n"
        f"SELECT {', '.join(means)} FROM {source}\n) AS m\n)\n"
    )
    zero = writer.real("0")
    return lead, [
        f"xy{place} / NULLIF(SQRT(xx{place}) * SQRT(yy{place}), {zero}) AS r, n{place} AS n FROM summed"
        for place in range(len(pairs))
    ]


def _ranked(left: str, right: str, below: str, writer: PairWriter) -> str:
    """One pair over ranks, which depend on the rows that have both values."""
    x, y = quote(left), quote(right)
    both = f"SELECT {x} AS x, {y} AS y FROM {quote(below)} WHERE {x} IS NOT NULL AND {y} IS NOT NULL"

    def rank(name: str) -> str:
        ties = f"COUNT(*) OVER (PARTITION BY {name}) - 1"
        return f"RANK() OVER (ORDER BY {name}) + {writer.real(ties)} / 2"

    ranks = f"SELECT {rank('x')} AS x, {rank('y')} AS y FROM ({both}) AS known"
    away = f"SELECT x - AVG(x) OVER () AS x, y - AVG(y) OVER () AS y FROM ({ranks}) AS ranked"
    return f"SUM(x * y) / NULLIF(SQRT(SUM(x * x)) * SQRT(SUM(y * y)), 0) AS r, COUNT(*) AS n\nFROM ({away}) AS away"
