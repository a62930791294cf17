"""The leaf cube: a metric aggregated once over all its dimensions, for a baseline and a comparison period.

A leaf is one combination of dimension values. Everything that follows (roll-ups, scans, contributions) is arithmetic on
the arrays held here; no row of the source is needed again.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from averment.errors import InvalidArguments

Floats = NDArray[np.float64]
Codes = NDArray[np.int64]


@dataclass(frozen=True, kw_only=True)
class Side:
    """One period of a cube, an entry per leaf.

    ``rows`` counts rows, ``total`` sums the metric's value, ``squares`` sums its square, ``hits`` counts the rows that
    take part in the value (non-zero, converted, ...), ``weight`` is the denominator of a ratio (rows, unless given).
    """

    rows: Floats
    total: Floats
    squares: Floats
    hits: Floats
    weight: Floats

    @classmethod
    def of(
        cls,
        *,
        rows: ArrayLike | None = None,
        total: ArrayLike,
        squares: ArrayLike | None = None,
        hits: ArrayLike | None = None,
        weight: ArrayLike | None = None,
    ) -> Side:
        """A side from what is known.

        Without ``rows`` each leaf counts as its total; without ``squares`` the total is taken for a count of ones;
        without ``hits`` every row takes part; without ``weight`` the denominator is the row count.
        """
        total_array = floats(total)
        rows_array = total_array if rows is None else floats(rows)
        return cls(
            rows=rows_array,
            total=total_array,
            squares=np.abs(total_array) if squares is None else floats(squares),
            hits=rows_array if hits is None else floats(hits),
            weight=rows_array if weight is None else floats(weight),
        )


@dataclass(frozen=True, kw_only=True)
class LeafCube:
    """Integer-coded leaves with two sides; ``values[j][codes[i, j]]`` is the value of dimension j in leaf i."""

    dimensions: tuple[str, ...]
    values: tuple[tuple[str, ...], ...]
    codes: Codes
    baseline: Side
    comparison: Side

    def __post_init__(self) -> None:
        leaves = len(self.codes)
        if self.codes.ndim != 2 or self.codes.shape[1] != len(self.dimensions):
            raise InvalidArguments("The codes must have one column per dimension.")
        if len(self.values) != len(self.dimensions) or len(set(self.dimensions)) != len(self.dimensions):
            raise InvalidArguments("Each dimension needs its own name and its list of values.")
        for side in (self.baseline, self.comparison):
            for name in ("rows", "total", "squares", "hits", "weight"):
                array: Floats = getattr(side, name)
                if array.shape != (leaves,):
                    raise InvalidArguments(f"{name} needs one entry per leaf.")
                if not np.isfinite(array).all():
                    raise InvalidArguments(f"{name} contains a value that is not a finite number.")
                if name != "total" and leaves and array.min() < 0:
                    raise InvalidArguments(f"{name} cannot be negative.", hint="Only a total may be negative.")
        for column, known in enumerate(self.values):
            if leaves and (self.codes[:, column].min() < 0 or self.codes[:, column].max() >= len(known)):
                raise InvalidArguments(f"{self.dimensions[column]} has a code without a value.")

    @property
    def cardinalities(self) -> tuple[int, ...]:
        """How many values each dimension has."""
        return tuple(len(known) for known in self.values)

    def segment(self, columns: Sequence[int], leaf: int) -> dict[str, str]:
        """The segment over these dimensions that holds the leaf."""
        return {self.dimensions[j]: self.values[j][int(self.codes[leaf, j])] for j in columns}


@dataclass(frozen=True)
class CodedColumn:
    """A column that is numbered already: ``values[codes[i]]`` is entry i; each value may stand there once."""

    values: Sequence[object]
    codes: NDArray[np.integer]


def build_cube(
    columns: Mapping[str, Sequence[object] | CodedColumn],
    *,
    baseline: Side,
    comparison: Side,
) -> LeafCube:
    """A cube from leaf columns of raw values; equal leaves are merged, absent values become ``(none)``.

    Leaves and values are put in sorted order, so the order of the input never shows in a result.

    Raises:
        InvalidArguments: the columns and sides differ in length, or a measure is not a finite number.
    """
    names = tuple(columns)
    if not names:
        raise InvalidArguments("A cube needs at least one dimension.")
    coded: list[Codes] = []
    values: list[tuple[str, ...]] = []
    for name in names:
        known, codes = _encode(columns[name])
        values.append(known)
        coded.append(codes)
    if len({len(codes) for codes in coded}) > 1 or len(coded[0]) != len(baseline.rows):
        raise InvalidArguments("All columns and measures of a cube must have the same length.")
    first, place = _merge(coded, [len(known) for known in values])
    leaves = np.stack(coded, axis=1)[first]

    def merged(side: Side) -> Side:
        def summed(array: Floats) -> Floats:
            if len(leaves) == len(place):
                return array[first]
            # Summing in sorted order makes the result independent of the order of the input, to the last bit.
            order = np.lexsort((array, place))
            sums = np.bincount(place[order], weights=array[order], minlength=len(leaves))
            return sums.astype(np.float64, copy=False)

        return Side(
            rows=summed(side.rows),
            total=summed(side.total),
            squares=summed(side.squares),
            hits=summed(side.hits),
            weight=summed(side.weight),
        )

    return LeafCube(
        dimensions=names,
        values=tuple(values),
        codes=leaves,
        baseline=merged(baseline),
        comparison=merged(comparison),
    )


def forecast_cube(
    columns: Mapping[str, Sequence[object] | CodedColumn], *, expected: ArrayLike, observed: ArrayLike
) -> LeafCube:
    """A cube of a pivoted table: what a forecast expected of each leaf and what came.

    Raises:
        InvalidArguments: as ``build_cube``, or a value is negative.
    """
    return build_cube(columns, baseline=Side.of(total=expected), comparison=Side.of(total=observed))


def floats(array: ArrayLike) -> Floats:
    """Numbers as one row of floats."""
    return np.asarray(array, dtype=np.float64).reshape(-1)


def _encode(column: Sequence[object] | CodedColumn) -> tuple[tuple[str, ...], Codes]:
    """The sorted distinct values of a column as text, and the place of each entry among them."""
    if isinstance(column, CodedColumn):
        # A few values are put in order, and the many numbers follow them.
        known, places = _encode(column.values)
        return known, places[column.codes]
    texts = ["(none)" if value is None else str(value) for value in column]
    known = tuple(sorted(set(texts)))
    places = {text: place for place, text in enumerate(known)}
    return known, np.fromiter((places[text] for text in texts), dtype=np.int64, count=len(texts))


def _merge(coded: Sequence[Codes], sizes: Sequence[int]) -> tuple[Codes, Codes]:
    """For each distinct leaf, in sorted order, the first entry that has it; for each entry the number of its leaf."""
    keys = np.zeros(len(coded[0]), dtype=np.int64)
    span = 1
    for codes, size in zip(coded, sizes, strict=True):
        if span * max(size, 1) > 2**62:
            # Ranks keep the order and never outgrow the number of entries.
            known, keys = np.unique(keys, return_inverse=True)
            keys, span = keys.reshape(-1).astype(np.int64), len(known)
        keys = keys * size + codes
        span *= max(size, 1)
    _, first, place = np.unique(keys, return_index=True, return_inverse=True)
    return first.astype(np.int64), place.reshape(-1).astype(np.int64)
