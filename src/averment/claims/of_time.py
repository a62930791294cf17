"""Relations along time: rose, fell, unchanged, over a named span and with the sign computed from both ends."""

from __future__ import annotations

from decimal import Decimal

from averment.claims.relation import Relation
from averment.claims.sealed import SealedResult, orderly
from averment.claims.speech import IN_TIME as TIMES
from averment.claims.speech import (
    capital,
    for_whom,
    has,
    is_unsigned,
    keys_of,
    kind_of,
    number_of,
    scope_after,
    slot,
    value_of,
)
from averment.evidence.bind import literal
from averment.records.claim import Claim

_VERBS = {"rose": "rose", "fell": "fell", "unchanged": "is the same"}


def _moved_holds(claim: Claim, sealed: SealedResult | None) -> bool:
    sides = value_of(claim, "from"), value_of(claim, "to")
    first, last = (side.evidence for side in sides)
    before, after = (None if each.kind == "span" else orderly(each.value) for each in (first, last))
    if not isinstance(before, Decimal) or not isinstance(after, Decimal):
        return False
    found = "unchanged" if before == after else "rose" if after > before else "fell"
    if found != claim.relation or not _change_holds(claim, before, after):
        return False
    if not claim.subjects:
        return sealed is None or not sealed.keys
    if [side.subject for side in sides] != [0, len(claim.subjects) - 1]:
        return False
    if len(claim.subjects) == 1:
        # Both periods stand in one row, under their own headings.
        return first.kind == "cell" and last.kind == "cell" and first.column != last.column
    return sealed is None or _ends(claim, sealed)


def _change_holds(claim: Claim, before: Decimal, after: Decimal) -> bool:
    """The change that is told is the one from the first to the last."""
    if not has(claim, "change"):
        return True
    number = number_of(claim, "change")
    if number is None or not is_unsigned(value_of(claim, "change")):
        return False
    percent = kind_of(value_of(claim, "change")) == "percentage"
    if percent and before == 0:
        return False
    wanted = (after - before) * 100 / abs(before) if percent else after - before
    return abs(float(wanted) - float(number)) <= 1e-6 * max(1.0, abs(float(wanted)))


def _ends(claim: Claim, sealed: SealedResult) -> bool:
    """Both ends are of one series: all keys but the time are alike, and no row of it lies before or after them."""
    if not sealed.uncut:
        return False
    along = claim.words.get("along", "")
    if along not in sealed.keys:
        return False
    first, last = (dict(subject) for subject in claim.subjects[:2])
    others = [name for name in sealed.keys if name != along]
    if any(first[name] != last[name] for name in others):
        return False
    column, other = (value_of(claim, role).evidence for role in ("from", "to"))
    if column.kind != "cell" or other.kind != "cell" or column.column != other.column:
        return False
    times = [
        orderly(sealed.column(along)[row])
        for row in range(sealed.size)
        if all(sealed.column(name)[row] == first[name] for name in others)
        and sealed.column(column.column)[row] is not None
        and sealed.column(along)[row] is not None
    ]
    if not times or len({type(time) for time in times}) > 1:
        return False
    # Nothing but the outermost periods may be left out, as not whole.
    without = set(claim.words.get("without", "").splitlines())
    kept = [time for time in times if time not in {min(times), max(times)} or str(time) not in without]  # pyright: ignore
    ends = (min(kept), max(kept)) if kept else ()  # pyright: ignore
    return ends == (orderly(first[along]), orderly(last[along]))


def _moved_said(claim: Claim) -> str:
    figure, verb = literal(claim.figure), _VERBS[claim.relation]
    along = claim.words.get("along", "")
    before, after = slot(claim, "from"), slot(claim, "to")
    one, two = _when(claim, 0, along), _when(claim, 1, along)
    other = _others(claim, along)
    if claim.relation == "unchanged":
        said = f"the {figure}{other} is the same {one}, {before}, and {two}, {after}"
    else:
        said = f"the {figure}{other} {verb} from {before} {one} to {after} {two}"
    if has(claim, "change") and claim.relation != "unchanged":
        said = f"{said}, by {slot(claim, 'change')}"
    return f"{capital(said)}{scope_after(claim, comma=True)}."


def _when(claim: Claim, side: int, along: str) -> str:
    if len(claim.subjects) < 2:
        return f"in {literal(claim.words['from' if side == 0 else 'to'])}"
    for shown, value in keys_of(claim, side):
        if value.heading == along:
            return f"{TIMES.get(kind_of(value), 'in')} {shown}"
    raise LookupError(along)


def _others(claim: Claim, along: str) -> str:
    rest = [value for _, value in keys_of(claim, 0) if value.heading != along]
    return f" {for_whom(claim, 0, without=(along,))}" if rest else ""


def _trend_holds(claim: Claim, _sealed: SealedResult | None) -> bool:
    number = number_of(claim, "slope")
    if number is None or not is_unsigned(value_of(claim, "slope")):
        return False
    return claim.words.get("word") == ("rises" if number > 0 else "falls" if number < 0 else "is level")


def _trend_said(claim: Claim) -> str:
    figure, along = literal(claim.figure), literal(claim.words["along"])
    points, fit = slot(claim, "points"), slot(claim, "fit")
    slope = slot(claim, "slope")
    moves = f"{claim.words['word']} by {slope} for each step of {along}"
    if claim.words["word"] == "is level":
        moves = f"is level along {along} (slope {slope})"
    said = f"along a straight line through {points} points {figure} {moves}; the line explains {fit} of its variation"
    return f"{capital(said)}{scope_after(claim, comma=True)}."


RELATIONS = (
    *(
        Relation(
            name,
            f"From the first period of the span to the last, the figure {_VERBS[name]}.",
            _moved_holds,
            _moved_said,
        )
        for name in ("rose", "fell", "unchanged")
    ),
    Relation(
        "trend",
        "A straight line through the points rises, falls or is level, by that slope.",
        _trend_holds,
        _trend_said,
    ),
)
