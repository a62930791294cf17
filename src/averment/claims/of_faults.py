"""The relation of faults: what the data themselves got wrong, told from the row of the attribution that names it."""

from __future__ import annotations

from collections.abc import Callable

from averment.claims.of_moves import is_segment, of_the_change, part_said, place_said, row_says, same_row
from averment.claims.relation import Relation
from averment.claims.sealed import SealedResult
from averment.claims.speech import has, number_of, slot
from averment.evidence.bind import literal
from averment.records.claim import Claim


def _unit_said(claim: Claim) -> str:
    return (
        f"From {slot(claim, 'since')} on the values of {place_said(claim)} are {slot(claim, 'multiple')} times what "
        "they were, with the same shape: another unit or currency."
    )


def _missing_said(claim: Claim) -> str:
    whose = f"{slot(claim, 'segment')} has" if claim.subjects else "There are"
    ends = ", where the data end" if claim.words.get("ends") else ""
    when = f"{slot(claim, 'count')} date(s) of the {claim.words['period']} ({slot(claim, 'days')})"
    return f"{whose} no rows on {when}{ends}: rows are missing."


def _late_said(claim: Claim) -> str:
    days, multiple = slot(claim, "days"), slot(claim, "multiple")
    return f"The last days ({days}) hold {multiple} of the usual rows: late rows are still to come."


def _duplicates_said(claim: Claim) -> str:
    count, days = slot(claim, "count"), slot(claim, "days")
    return f"{count} rows of the {claim.words['period']} are duplicates, there more than once ({days})."


def _nulls_said(claim: Claim) -> str:
    whose = f"of the rows, those of {slot(claim, 'segment')}," if claim.subjects else "of the rows"
    after, before, since = slot(claim, "after"), slot(claim, "before"), slot(claim, "since")
    return f"{after} {whose} have no value, {before} in the other period; nulls since {since}."


def _negative_said(claim: Claim) -> str:
    count, other = slot(claim, "count"), slot(claim, "other_count")
    return f"{count} rows of {place_said(claim)} are below zero, {other} were before: refunds or a flipped sign."


def _rename_said(claim: Claim) -> str:
    tail = " The metric's definition rests on it." if claim.words["fault"] == "definition" else ""
    column, old, new, since = (slot(claim, role) for role in ("column", "old", "new", "since"))
    return f"In {column} the value {old} goes on as {new} from {since}: renamed, nothing came or went.{tail}"


def _keys_said(claim: Claim) -> str:
    before, after, table, column = (slot(claim, role) for role in ("before", "after", "table", "column"))
    return (
        f"{before} of the rows found their partner in {table} by {column} before, {after} now (from "
        f"{slot(claim, 'since')}): the key's format changed. Figures by its columns cannot be compared."
    )


def _hours_said(claim: Claim) -> str:
    multiple = slot(claim, "multiple")
    return f"The hours of {place_said(claim)} are shifted by {multiple} hours: another time zone or clock."


def _level_said(claim: Claim) -> str:
    before, after = slot(claim, "before"), slot(claim, "after")
    return (
        f"The number is a level, one snapshot for each date: {before} dates against {after} cannot be summed; their "
        "means are compared."
    )


def _outlier_said(claim: Claim) -> str:
    extra = f" ({literal(claim.words['extra'])})" if claim.words.get("extra") else ""
    since, after, before = slot(claim, "since"), slot(claim, "after"), slot(claim, "before")
    return f"One row of {since}{extra} holds {after}, where the next largest holds {before}: an outlier."


FAULTS: dict[str, Callable[[Claim], str]] = {
    "unit_factor": _unit_said,
    "missing_rows": _missing_said,
    "late_rows": _late_said,
    "duplicates": _duplicates_said,
    "nulls": _nulls_said,
    "negative_sign": _negative_said,
    "rename": _rename_said,
    "definition": _rename_said,
    "key_format": _keys_said,
    "timezone": _hours_said,
    "summed_level": _level_said,
    "outlier": _outlier_said,
}
"""Every fault that can be told, and how it is said."""

_COUNTED = ("missing_rows", "duplicates", "negative_sign")
_UNLIKE = ("nulls", "key_format", "summed_level", "outlier")


def _fault_holds(claim: Claim, sealed: SealedResult | None) -> bool:
    """The attribution names that fault in that very row, and its figures are such as the fault leaves."""
    fault = claim.words.get("fault", "")
    if fault not in FAULTS or not same_row(claim) or not of_the_change(claim, sealed):
        return False
    if has(claim, "segment") and not is_segment(claim):
        return False
    if fault in _COUNTED and not (number_of(claim, "count") or 0) > 0:
        return False
    if fault in _UNLIKE and number_of(claim, "before") == number_of(claim, "after"):
        return False
    return row_says(claim, sealed, "fault", fault)


def _fault_said(claim: Claim) -> str:
    return f"{FAULTS[claim.words['fault']](claim)}{part_said(claim)}"


RELATIONS = (
    Relation(
        "fault",
        "The data themselves are at fault there, as the figures of both periods show.",
        _fault_holds,
        _fault_said,
        whole_key=False,
    ),
)
