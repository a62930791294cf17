"""Relations of an investigation's rounds: what a test looked at, what came out, what it means for its hypothesis."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal

from averment.claims.of_moves import groups_of, near, percent_holds, same_row, whole_said
from averment.claims.relation import Relation
from averment.claims.sealed import SealedResult
from averment.claims.speech import has, number_of, slot
from averment.evidence.bind import literal
from averment.records.claim import Claim

VERDICTS = {
    "confirmed": " The hypothesis is confirmed.",
    "ruled out": " The hypothesis is ruled out.",
    "open": " The data do not decide the hypothesis.",
}


def _verdict(claim: Claim) -> str:
    return VERDICTS[claim.words["verdict"]] if claim.words.get("verdict") else ""


def _place(claim: Claim) -> str:
    """The segment as a cell, or in the words it was asked for with."""
    return slot(claim, "segment") if has(claim, "segment") else literal(claim.words["place"])


def _numbers(claim: Claim, *roles: str) -> list[Decimal]:
    """Those of the roles that are numbers; fewer than the roles where one is missing."""
    found = [number_of(claim, role) for role in roles if has(claim, role)]
    return [number for number in found if number is not None]


def _are_shares(claim: Claim, *roles: str) -> bool:
    told = [role for role in roles if has(claim, role)]
    shares = _numbers(claim, *told)
    return len(shares) == len(told) and all(-TINY <= share <= 1 + TINY for share in shares)


TINY = Decimal("0.000001")


def _faults_hold(claim: Claim, _sealed: SealedResult | None) -> bool:
    counted = _numbers(claim, "rows0", "days0", "rows1", "days1")
    if len(counted) < 4 or counted[0] > counted[1] or counted[2] > counted[3]:
        return False
    return _are_shares(claim, "nulls0", "nulls1")


def _faults_said(claim: Claim) -> str:
    first = f"rows on {slot(claim, 'rows0')} of {slot(claim, 'days0')} days of the baseline"
    second = f"on {slot(claim, 'rows1')} of {slot(claim, 'days1')} days of the comparison"
    empty = f"{slot(claim, 'nulls0')} and {slot(claim, 'nulls1')} of the rows have no value"
    found = f" Found: {literal(claim.words['found'])}." if claim.words.get("found") else ""
    return f"The data were tested for faults: {first} and {second}; {empty}.{found}"


def _calendar_holds(claim: Claim, _sealed: SealedResult | None) -> bool:
    counted = _numbers(claim, "days0", "weekend0", "days1", "weekend1")
    return len(counted) == 4 and counted[1] <= counted[0] and counted[3] <= counted[2]


def _calendar_said(claim: Claim) -> str:
    first = f"{slot(claim, 'days0')} days with {slot(claim, 'weekend0')} weekend days"
    said = f"The calendar was compared: {first} against {slot(claim, 'days1')} with {slot(claim, 'weekend1')}."
    if not has(claim, "part"):
        return f"{said} Other years, the calendar and the trend before do not show this change."
    return f"{said} It was to be expected by {literal(claim.words['by'])}: that gives {slot(claim, 'part')}."


def _factors_hold(claim: Claim, _sealed: SealedResult | None) -> bool:
    """Each factor's two values and its share are of its own row."""
    names = claim.words.get("factors", "").split("\n")
    told = [value for value in claim.values if value.role.rstrip("0123456789") in {"before", "after", "share"}]
    rows = {(value.role.lstrip("abcdefghijklmnopqrstuvwxyz"), getattr(value.evidence, "row", -1)) for value in told}
    places = [place for place, _ in rows]
    return bool(told) and len(places) == len(set(places)) and len(names) == len(places)


def _factors_said(claim: Claim) -> str:
    parts: list[str] = []
    for place, name in enumerate(claim.words["factors"].split("\n")):
        share = f" ({slot(claim, f'share{place}')} of the {whole_said(claim)})" if has(claim, f"share{place}") else ""
        ends = f"from {slot(claim, f'before{place}')} to {slot(claim, f'after{place}')}"
        if groups_of(claim):
            ends = f"{slot(claim, f'before{place}')} and {slot(claim, f'after{place}')}"
        parts.append(f"{literal(name)} {ends}{share}")
    if groups := groups_of(claim):
        return f"The metric was taken apart for {groups[0]} and {groups[1]}: {'; '.join(parts)}."
    return f"The metric was taken apart: {'; '.join(parts)}."


def _beside_holds(claim: Claim, _sealed: SealedResult | None) -> bool:
    if not same_row(claim, "before", "after", "share0", "share1", "errors"):
        return False
    if not has(claim, "before"):
        return _are_shares(claim, "share0", "share1") and has(claim, "share0")
    ends = _numbers(claim, "before", "after")
    return len(ends) == 2 and percent_holds(claim, *ends)


def _beside_said(claim: Claim) -> str:
    groups, roles = groups_of(claim), ("before", "after") if has(claim, "before") else ("share0", "share1")
    one, two = (slot(claim, role) for role in roles)
    if not has(claim, "before"):
        if groups:
            return f"{_place(claim)} makes up {one} of the rows of {groups[0]} and {two} of those of {groups[1]}."
        return f"{_place(claim)} went from {one} to {two} of the rows."
    ends, beside = f"went from {one} to {two}", ", in the rest of the data by"
    if groups:
        ends = f"is {one} in {groups[0]} and {two} in {groups[1]}"
        beside = "; in the rest of the data the groups differ by"
    said = f"In {_place(claim)}, {literal(claim.figure)} {ends}"
    said += f" ({slot(claim, 'percent')})" if has(claim, "percent") else ""
    said += f"{beside} {slot(claim, 'rest')}" if has(claim, "rest") else ""
    errors = f" That is {slot(claim, 'errors')} standard errors of its own rows." if has(claim, "errors") else ""
    return f"{said}.{errors}"


def _mix_holds(claim: Claim, _sealed: SealedResult | None) -> bool:
    of_one = same_row(claim, "share0", "share1", "rate0", "rate1") and same_row(claim, "mix", "rate")
    numbers = _numbers(claim, "rate0", "rate1", "mix", "rate")
    return of_one and _are_shares(claim, "share0", "share1") and len(numbers) == 4


def _mix_said(claim: Claim) -> str:
    if groups := groups_of(claim):
        shares = f"{slot(claim, 'share0')} of {groups[0]} and {slot(claim, 'share1')} of {groups[1]}"
        rates = f"{slot(claim, 'rate0')} and {slot(claim, 'rate1')}"
        return (
            f"{_place(claim)} makes up {shares}; the metric inside it is {rates}. The other weights make a difference "
            f"of {slot(claim, 'mix')}, the levels inside one of {slot(claim, 'rate')}."
        )
    shares = f"from {slot(claim, 'share0')} to {slot(claim, 'share1')} of the whole"
    rates = f"from {slot(claim, 'rate0')} to {slot(claim, 'rate1')}"
    return (
        f"{_place(claim)} went {shares}, while the metric inside it went {rates}. The shift of weights moves the "
        f"metric by {slot(claim, 'mix')}, the levels inside by {slot(claim, 'rate')}."
    )


def _spread_holds(claim: Claim, _sealed: SealedResult | None) -> bool:
    told = bool(claim.figure) and same_row(claim) and len(_numbers(claim, "errors")) == 1
    return told and _are_shares(claim, "had", "chance")


def _spread_said(claim: Claim) -> str:
    away = f"{slot(claim, 'errors')} standard errors from moving alike with the rest"
    if groups_of(claim):
        away = f"{slot(claim, 'errors')} standard errors from differing alike with the rest"
    value = f"{slot(claim, 'value')}, which holds {slot(claim, 'had')} of the whole,"
    lead = f"The values of {literal(claim.figure)} were compared with each other."
    if has(claim, "chance"):
        return f"{lead} {value} stands out most: {away}, which chance brings to one of them in {slot(claim, 'chance')}."
    return f"{lead} {value} stands out most: {away}."


TELLING = Decimal("0.25")
"""So much more of the move than of the segment a part must hold to be worth naming."""


def _inside_holds(claim: Claim, _sealed: SealedResult | None) -> bool:
    shares = _numbers(claim, "had", "holds")
    if len(shares) < 2 or not same_row(claim, "value", "had", "holds"):
        return False
    return bool(claim.words.get("narrows")) == (shares[1] - shares[0] >= TELLING)


def _inside_said(claim: Claim) -> str:
    said = "The most telling value is" if claim.words.get("narrows") else "None narrows it down; the nearest is"
    what = f"{slot(claim, 'value')} of {literal(claim.figure)}"
    held = f"which held {slot(claim, 'had')} before and carries {slot(claim, 'holds')} of the move"
    if groups := groups_of(claim):
        held = f"which holds {slot(claim, 'had')} in {groups[0]} and carries {slot(claim, 'holds')} of the difference"
    return f"Inside {_place(claim)} every further dimension was looked at. {said} {what}, {held}."


def _onset_holds(claim: Claim, _sealed: SealedResult | None) -> bool:
    shape = claim.words.get("shape", "step")
    ends = has(claim, "until") == (shape in {"pulse", "gap"})
    of_one = same_row(claim, "onset", "until", "share0", "share1")
    return of_one and shape in SHAPES and ends and _are_shares(claim, "share0", "share1")


SHAPES = ("step", "pulse", "gap", "ramp")


def _onset_said(claim: Claim) -> str:
    onset, before, after = (slot(claim, role) for role in ("onset", "share0", "share1"))
    lead = f"The daily share of {_place(claim)} was followed."
    match claim.words.get("shape", "step"):
        case "pulse":
            return f"{lead} It is a pulse: from {onset} to {slot(claim, 'until')} it is {after}, else {before}."
        case "gap":
            until = slot(claim, "until")
            return f"{lead} It has a gap: from {onset} to {until} hardly any is there, {after} instead of {before}."
        case "ramp":
            return f"{lead} It is a ramp: from {onset} on it moves day by day, from {before} to {after} at the end."
        case _:
            return f"{lead} It changes on {onset}: from {before} before to {after} from that day on."


def _sum_holds(claim: Claim, _sealed: SealedResult | None) -> bool:
    """Faults, expectation, causes and the rest add up to the change."""
    told = _numbers(claim, "change", "faults", "expected", "causes", "rest")
    if len(told) < 5 or not same_row(claim):
        return False
    return near(sum(told[1:], Decimal(0)), told[0], max(map(abs, told)))


def _sum_said(claim: Claim) -> str:
    faults, expected, causes, rest = (slot(claim, role) for role in ("faults", "expected", "causes", "rest"))
    return (
        f"The parts were added up against the {whole_said(claim)} of {slot(claim, 'change')}. Faults of the data carry "
        f"{faults}, what was to be expected {expected}, causes {causes}, and {rest} stays unexplained."
    )


Holds = Callable[[Claim, SealedResult | None], bool]


def of_round(name: str, promise: str, holds: Holds, said: Callable[[Claim], str]) -> Relation:
    """A relation of a round's result, with what it means for its hypothesis."""

    def held(claim: Claim, sealed: SealedResult | None) -> bool:
        return claim.words.get("verdict", "confirmed") in VERDICTS and holds(claim, sealed)

    return Relation(
        name=name,
        promise=promise,
        holds=held,
        render=lambda claim: f"{said(claim)}{_verdict(claim)}",
    )


RELATIONS = (
    of_round("tested_faults", "Days, rows and empty values of both periods.", _faults_hold, _faults_said),
    of_round("tested_calendar", "Days and weekends of both periods.", _calendar_holds, _calendar_said),
    of_round("tested_factors", "The metric's factors in both periods.", _factors_hold, _factors_said),
    of_round("tested_segment", "A segment's own figure in both periods, beside the rest.", _beside_holds, _beside_said),
    of_round("tested_mix", "A segment's weight and level in both periods.", _mix_holds, _mix_said),
    of_round("tested_spread", "Which value of a dimension moves least alike.", _spread_holds, _spread_said),
    of_round("tested_inside", "Which value inside a segment carries its move.", _inside_holds, _inside_said),
    of_round("tested_onset", "The day on which a segment's share changes.", _onset_holds, _onset_said),
    of_round("tested_sum", "The parts of a change add up to it.", _sum_holds, _sum_said),
)
