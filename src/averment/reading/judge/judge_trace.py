"""What the judge writes down of its way: how each word was taken, and which gate let a reading through."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from averment.plans.names import plain_number

if TYPE_CHECKING:
    from averment.reading.lattice.spans import Span

SILENT = frozenset({"STOP", "AND"})
"""Spans that carry no meaning of their own."""


def words_of(spans: Sequence[Span]) -> list[dict[str, Any]]:
    """Each stretch of the question with what it was taken for, in the order of the question."""
    return [
        {
            "words": span.text,
            "as": span.type.lower(),
            "means": _meant(span),
            "strength": round(span.strength, 3),
            **({"guessed": True} if span.guessed else {}),
            **({"chance": round(span.chance, 3)} if span.chance < 1 else {}),
        }
        for span in sorted(spans, key=lambda each: (each.start, each.end))
        if span.type not in SILENT
    ]


def _meant(span: Span) -> str:
    match span.type:
        case "COLUMN" | "DENY":
            return f"{span.data.table}.{span.data.name}"
        case "VALUE":
            column, value = span.data
            return f"{column.table}.{column.name} = {value}"
        case "ROW":
            return f"rows of {span.data}" if span.data else "rows"
        case "NUMBER":
            return plain_number(span.data[0])
        case "CUE":
            return ", ".join(sorted(span.data))
        case "GRADE":
            return " ".join(str(part) for part in span.data[:2])
        case "TIME":
            return "a period"
        case "PART":
            return str(span.data)
        case "UNKNOWN":
            return "nothing"
        case _:
            return ""
