"""What the judge writes down of its way: how each word was taken and what else it could be, and what each reading met.

A run seals its record, so that every list is bounded and in an order that only the question decides.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from averment.plans.names import plain_number
from averment.plans.readback import say_test
from averment.reading.lattice.tilings import tilings

if TYPE_CHECKING:
    from averment.reading.judge.verdict import Reading
    from averment.reading.lattice.spans import Lattice, Span
    from averment.reading.reader import Candidate

SILENT = frozenset({"STOP", "AND"})
"""Spans that carry no meaning of their own."""

MOST_EACH = 4
"""Hypotheses that are kept of the same words, with the one that was taken."""

MOST_RIVALS = 40
"""Hypotheses that are kept of a whole question besides those that were taken; the weakest go."""

MOST_UNUSED = 12
"""Candidates that are named though they gave no reading."""

LONGEST = 80
"""Characters of a meaning that are kept."""

Row = dict[str, Any]


def words_record(spans: Sequence[Span] | None, lattices: Sequence[Lattice]) -> Row:
    """Each stretch of the question with what it was taken for and what else it could be, and words that say nothing.

    Without ``spans`` no reading came of the words: they are taken as fits them best.
    """
    if spans is None:
        spans = next((tiling.spans for lattice in lattices for tiling in tilings(lattice, most=1)), ())
    taken = sorted((s for s in spans if s.type not in SILENT), key=lambda each: (each.start, each.end))
    rows = [_row(span) for span in taken]
    rivals = sorted(_rivals(taken, lattices), key=lambda each: -each.strength)[:MOST_RIVALS]
    covered = {place for span in taken for place in range(span.start, span.end)}
    silent = [word for lattice in lattices[:1] for n, word in enumerate(lattice.words) if n not in covered]
    others = [_row(span) for span in sorted(rivals, key=_place)]
    return {"words": rows, "rivals": others, "silent": list(dict.fromkeys(silent))}


def candidates_record(candidates: Sequence[Candidate], refused: Sequence[str], ran: int) -> Row:
    """How many candidates there were, which of them were refused and which were not run, and why."""
    tried = ran + len(refused)
    made = {"candidates": len(candidates), "refused": list(refused)}
    if tried == len(candidates):
        return made
    first = [each.read_back for each in candidates[tried : tried + max(0, MOST_UNUSED - len(refused))]]
    why = f"{tried} that fit the words better were tried first"
    return {**made, "not_run": {"number": len(candidates) - tried, "why": why, "first": first}}


def readings_record(
    groups: Sequence[Sequence[Reading]],
    readings: Sequence[Reading],
    gates: Sequence[Mapping[str, str | None]],
    best: Reading,
) -> Row:
    """The readings that ran, with the gates that each failed and why, and the candidates that gave the same result.

    ``gates`` are those of ``best``; a reading passed all of them that it did not fail.
    """
    said = f"“{best.candidate.read_back}”"
    told = [
        {
            "read_back": reading.candidate.read_back,
            "odds": round(reading.odds, 4),
            "left": list(reading.candidate.left),
            "score": round(reading.candidate.score, 3),
            "failed": {gate: why.replace(said, "the foremost") for gate, why in own.items() if why is not None},
            **({"same": [each.candidate.read_back for each in group[1:]]} if len(group) > 1 else {}),
            **({"foremost": True} if reading is best else {}),
        }
        for group, reading, own in zip(groups, readings, gates, strict=True)
    ]
    own = next(own for reading, own in zip(readings, gates, strict=True) if reading is best)
    return {"readings": told, "gates": {gate: why is None for gate, why in own.items()}}


def second_record(reading: Reading, sure: float, so: str) -> Row:
    """What the reader of rows read, how sure it was, and what came of it."""
    return {"read_back": reading.candidate.read_back, "sure": round(sure, 4), "so": so}


def _rivals(taken: Sequence[Span], lattices: Sequence[Lattice]) -> Iterator[Span]:
    """The strongest other hypotheses of each stretch of words."""
    seen = {_known(span) for span in taken}
    kept: dict[tuple[int, int], int] = {}
    for span in taken:
        kept[span.start, span.end] = kept.get((span.start, span.end), 0) + 1
    spans = [span for lattice in lattices for span in lattice.spans if span.type not in SILENT]
    for span in sorted(spans, key=_place):
        where = (span.start, span.end)
        if kept.get(where, 0) < MOST_EACH and _known(span) not in seen:
            seen.add(_known(span))
            kept[where] = kept.get(where, 0) + 1
            yield span


def _place(span: Span) -> tuple[int, int, float, str, str]:
    return span.start, span.end, -span.strength, span.type, meant(span)


def _known(span: Span) -> tuple[int, int, str, str]:
    return span.start, span.end, span.type, meant(span)


def _row(span: Span) -> Row:
    return {
        "at": span.start,
        "words": span.text,
        "as": span.type.lower(),
        "means": meant(span),
        "strength": round(span.strength, 3),
        **({"guessed": True} if span.guessed else {}),
        **({"chance": round(span.probability, 3)} if span.probability < 1 else {}),
    }


def meant(span: Span) -> str:
    """What a hypothesis points at, in few words."""
    said = _meant(span)
    return said if len(said) <= LONGEST else f"{said[: LONGEST - 1]}…"


def _meant(span: Span) -> str:
    match span.type:
        case "COLUMN" | "DENY" | "ASIDE":
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
            first, last = span.data.start, span.data.end
            return f"{first} to {last}" if first and last else "a period"
        case "PART" | "QUOTE":
            return str(span.data)
        case "TEST":
            return ", ".join(say_test(test) for test in span.data.where)
        case "UNKNOWN":
            return "nothing"
        case _:
            return ""
