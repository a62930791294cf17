"""Relations of hypotheses that were proposed: a cut of the metric, days of a period, another series days before."""

from __future__ import annotations

from averment.claims.of_moves import percent_holds
from averment.claims.of_rounds import of_round
from averment.claims.sealed import SealedResult
from averment.claims.speech import has, number_of, slot
from averment.evidence.bind import literal
from averment.records.claim import Claim


def _errors(claim: Claim, what: str) -> str:
    return f" That is {slot(claim, 'errors')} standard errors {what}." if has(claim, "errors") else ""


def _one_row(claim: Claim) -> bool:
    """Whether all cells that are told are of one row."""
    rows = {value.evidence.row for value in claim.values if value.evidence.kind == "cell"}
    return len(rows) == 1


def _cut_holds(claim: Claim, _sealed: SealedResult | None) -> bool:
    before, after = number_of(claim, "before"), number_of(claim, "after")
    return _one_row(claim) and before is not None and after is not None and percent_holds(claim, before, after)


def _cut_said(claim: Claim) -> str:
    said = f"{literal(claim.figure)} was cut by {literal(claim.words['cut'])}. {slot(claim, 'value')} went from "
    said += f"{slot(claim, 'before')} to {slot(claim, 'after')}"
    said += f" ({slot(claim, 'percent')})" if has(claim, "percent") else ""
    said += f", the rest of the data by {slot(claim, 'rest')}" if has(claim, "rest") else ""
    return f"{said}.{_errors(claim, 'from what the rest leads one to expect')}"


def _days_hold(claim: Claim, _sealed: SealedResult | None) -> bool:
    ends = number_of(claim, "inside"), number_of(claim, "outside")
    return _one_row(claim) and None not in ends and has(claim, "first") and has(claim, "last")


def _days_said(claim: Claim) -> str:
    days = f"From {slot(claim, 'first')} to {slot(claim, 'last')} ({slot(claim, 'days')} days with rows)"
    means = f"had {slot(claim, 'inside')} a day, the other {slot(claim, 'others')} days of the period"
    return (
        f"{days} {literal(claim.figure)} {means} {slot(claim, 'outside')}."
        f"{_errors(claim, 'from the other days, weekday for weekday')}"
    )


def _lag_holds(claim: Claim, _sealed: SealedResult | None) -> bool:
    if not has(claim, "correlation"):
        return _one_row(claim)
    found = number_of(claim, "correlation")
    return _one_row(claim) and found is not None and -1 <= found <= 1


def _lag_said(claim: Claim) -> str:
    what = f"{literal(claim.figure)} and {literal(claim.words['series'])} {slot(claim, 'earlier')} days before"
    if not has(claim, "correlation"):
        return f"{what} could not be compared over {slot(claim, 'days')} days."
    found = f"their moves correlate with {slot(claim, 'correlation')} over {slot(claim, 'days')} days"
    return f"{what} were compared: {found}.{_errors(claim, 'from none at all')}"


RELATIONS = (
    of_round("tested_cut", "The group whose move differs most from the rest.", _cut_holds, _cut_said),
    of_round("tested_days", "The mean of some days beside the other days of their period.", _days_hold, _days_said),
    of_round("tested_lag", "How the moves of two daily series go together.", _lag_holds, _lag_said),
)
