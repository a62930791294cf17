"""Coarse names for strengths and kinds, so that features are few and seen often."""

from __future__ import annotations

from averment.reading.rows.grid import CellColumn


def worth_of(kind: str, length: int) -> float:
    """How much a link is worth by its kind and its number of words."""
    return {"exact": 2.0, "core": 1.8, "part": 1.0, "number": 1.0, "kin": 0.0}[kind] + length


def bucket_of(score: float) -> str:
    """How well something is named, in four steps."""
    return "0" if score <= 0 else "low" if score < 0.5 else "half" if score < 0.99 else "full"


def kind_of(column: CellColumn) -> str:
    """What a column holds, in a word or two."""
    if column.part is not None:
        return column.part
    if column.is_time:
        return "time"
    if column.is_numeric:
        return "number"
    return "unique text" if column.is_unique else "text"
