"""Relations that say what is there: a figure, a count, a share, a list, nothing at all."""

from __future__ import annotations

from averment.claims.relation import Relation
from averment.claims.sealed import SealedResult
from averment.claims.speech import for_whom, has, keys_of, listed, scope_after, scope_before, slot, value_of, who
from averment.evidence.bind import literal
from averment.evidence.values import as_decimal
from averment.records.claim import Claim

SHARE_TOLERANCE = 1e-6


def _is_holds(claim: Claim, sealed: SealedResult | None) -> bool:
    told = [value for value in claim.values if value.role == "value"]
    if not told or len({_column(value.evidence) for value in told}) > 1:
        return False
    if not claim.subjects:
        # A figure without a subject speaks for everything in scope: the result is that one row, or rows all alike.
        return sealed is None or (not sealed.keys and len(set(sealed.column(_column(told[0].evidence)))) == 1)
    return [value.subject for value in told] == list(range(len(claim.subjects)))


def _column(evidence: object) -> str:
    return str(getattr(evidence, "column", getattr(evidence, "path", "")))


def _is_said(claim: Claim) -> str:
    figure = literal(claim.figure)
    if not claim.subjects:
        return f"The {figure} is {slot(claim, 'value')}{scope_after(claim)}."
    if len(claim.subjects) == 1:
        return f"The {figure} is {slot(claim, 'value', 0)} {for_whom(claim, 0)}{scope_after(claim)}."
    parts = [f"{slot(claim, 'value', n)} {for_whom(claim, n)}" for n in range(len(claim.subjects))]
    several = len(keys_of(claim, 0)) > 1
    row = listed(parts, between="; ", last="; and ") if several else listed(parts)
    return scope_before(claim, f"the {figure} is {row}.")


def _count_holds(claim: Claim, sealed: SealedResult | None) -> bool:
    number = as_decimal(_plain(value_of(claim, "count").evidence))
    if number is None or number < 0 or number != number.to_integral_value():
        return False
    if claim.words.get("answer") not in {None, "yes" if number > 0 else "no"} or claim.subjects:
        return False
    if sealed is None:
        return True
    counted = value_of(claim, "count").evidence
    if counted.kind == "result":
        return sealed.whole and counted == sealed.row_count()
    return sealed.size == 1 and not sealed.keys


def _plain(evidence: object) -> str | int | float | bool | None:
    return getattr(evidence, "value", None)


def _count_said(claim: Claim) -> str:
    one = value_of(claim, "count").text == "1"
    noun = literal(claim.words.get("one" if one else "many", "row" if one else "rows"))
    said = f"There {'is' if one else 'are'} {slot(claim, 'count')} {noun}{scope_after(claim)}."
    return f"{claim.words['answer'].title()}: t{said[1:]}" if claim.words.get("answer") else said


def _share_holds(claim: Claim, sealed: SealedResult | None) -> bool:
    """The shares are of one whole: what they are shares of adds up to it, within each group they are taken within."""
    shares, values = ([value_of(claim, role, n) for n in range(len(claim.subjects))] for role in ("share", "value"))
    if not shares or len({_column(value.evidence) for value in values}) > 1:
        return False
    if sealed is None or not sealed.uncut:
        return True
    within = [name for name in claim.words.get("within", "").split("\n") if name]
    heading = _column(values[0].evidence)
    numbers = [as_decimal(value) for value in sealed.column(heading)]
    for share, value in zip(shares, values, strict=True):
        row = getattr(value.evidence, "row", -1)
        mine = [
            number
            for place, number in enumerate(numbers)
            if number is not None and all(sealed.column(name)[place] == sealed.column(name)[row] for name in within)
        ]
        whole, part, said = sum(mine), as_decimal(_plain(value.evidence)), as_decimal(_plain(share.evidence))
        if part is None or said is None or whole == 0:
            return False
        if abs(float(part * 100 / whole) - float(said)) > SHARE_TOLERANCE * max(1.0, abs(float(said))):
            return False
    return True


def _share_said(claim: Claim) -> str:
    figure = literal(claim.figure)
    within = literal(claim.words.get("within", "").replace("\n", " and "))
    each = f" within each {within}" if within else ""
    if len(claim.subjects) == 1:
        said = (
            f"{who(claim, 0)} accounts for {slot(claim, 'share', 0)} of the {figure}{each}, {slot(claim, 'value', 0)}"
        )
        return f"{said}{scope_after(claim)}."
    parts = [
        f"{who(claim, n)} accounts for {slot(claim, 'share', n)} ({slot(claim, 'value', n)})"
        for n in range(len(claim.subjects))
    ]
    several = len(keys_of(claim, 0)) > 1
    row = listed(parts, between="; ", last="; and ") if several else listed(parts)
    return scope_before(claim, f"of the {figure}{each}, {row}.")


def _list_holds(claim: Claim, sealed: SealedResult | None) -> bool:
    if sealed is None:
        return bool(claim.subjects)
    if has(claim, "count") and not (sealed.whole and value_of(claim, "count").evidence == sealed.row_count()):
        return False
    rows = [
        value.evidence.row
        for n in range(len(claim.subjects))
        for _, value in keys_of(claim, n)[:1]
        if value.evidence.kind == "cell"
    ]
    if rows != list(range(len(claim.subjects))):
        return False
    # What is called the whole list has every row in it.
    return bool(claim.words.get("first")) or (sealed.whole and len(rows) == sealed.size)


def _list_said(claim: Claim) -> str:
    if len(claim.subjects) == 1 and not has(claim, "count") and not claim.words.get("first"):
        return _row_said(claim)
    parts: list[str] = []
    for n in range(len(claim.subjects)):
        keys = keys_of(claim, n)
        rest = [f"{literal(value.heading)} {shown}" for shown, value in keys[1:]]
        parts.append(f"{keys[0][0]} ({', '.join(rest)})" if rest else keys[0][0])
    row = listed(parts)
    if not has(claim, "count"):
        return f"{literal(claim.figure)}{scope_after(claim)}: {row}."
    one = value_of(claim, "count").text == "1"
    noun = literal(claim.words.get("one" if one else "many", "row" if one else "rows"))
    said = f"There {'is' if one else 'are'} {slot(claim, 'count')} {noun}{scope_after(claim)}"
    return f"{said}; the first are {row}." if claim.words.get("first") else f"{said}: {row}."


def _row_said(claim: Claim) -> str:
    """The one row there is."""
    keys = keys_of(claim, 0)
    if len(keys) == 1:
        shown, value = keys[0]
        return f"The {literal(value.heading)} is {shown}{scope_after(claim)}."
    parts = [f"{literal(value.heading)} {shown}" for shown, value in keys]
    return f"The one row{scope_after(claim)} has {listed(parts)}."


def _none_holds(claim: Claim, sealed: SealedResult | None) -> bool:
    if sealed is None or claim.words.get("answer") not in {None, "no"}:
        return False
    if sealed.size == 0:
        return sealed.whole
    told = claim.words.get("column")
    return told is not None and sealed.whole and all(value is None for value in sealed.column(told))


def _none_said(claim: Claim) -> str:
    of = literal(claim.words.get("table", ""))
    if claim.words.get("column"):
        groups = literal(claim.words.get("groups", ""))
        none = f"no group by {groups}" if groups else f"no row of {of}"
        return f"There is no {literal(claim.figure)}{scope_after(claim)}: {none} has a value for it."
    lead = "No" if claim.words.get("answer") == "no" else "None"
    noun = literal(claim.words.get("many", "rows" if claim.scope else "such rows"))
    return f"{lead}: {of} has no {noun}{scope_after(claim)}."


RELATIONS = (
    Relation(
        "is",
        "The figure of each subject is the stated value; without a subject, of everything in scope.",
        _is_holds,
        _is_said,
    ),
    Relation("count", "So many rows, groups or different values are there.", _count_holds, _count_said),
    Relation(
        "share", "Each subject has that part of the whole, and the parts are of one whole.", _share_holds, _share_said
    ),
    Relation(
        "list", "These are the rows: all of them, or the first and how many there are in all.", _list_holds, _list_said
    ),
    Relation("none", "The result is whole and has no row, or the figure no value.", _none_holds, _none_said),
)
