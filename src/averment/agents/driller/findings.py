"""Each round's result as a claim: what was looked at, what came out, what it means for its hypothesis.

Every value is a cell of the round's table or of the attribution's; the words around it hold none.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

from averment.agents.driller.cause_claims import percent_of
from averment.agents.driller.cells import Cells
from averment.agents.driller.hypotheses import (
    EXPECTED,
    FAULTS,
    Cause,
    Suspicion,
    cause_of,
    causes_of,
    figure_words,
    groups_said,
    kind_words,
)
from averment.agents.driller.model_loop.trials import METHODS as PROPOSED_METHODS
from averment.agents.driller.model_loop.trials import told_of
from averment.agents.driller.reading import ATTRIBUTION, InvestigationSetup, reading_of
from averment.agents.driller.recall import Memory, recall
from averment.claims.of_rounds import TELLING
from averment.claims.relation import finding_of, make
from averment.errors import UntrueClaim
from averment.records.claim import Claim, ClaimValue
from averment.records.run import Finding

if TYPE_CHECKING:
    from averment.runtime.decisions import Round
    from averment.runtime.run_context import RunContext

ClaimParts = tuple[list[ClaimValue], dict[str, str], str]
"""The values of a round's claim, its words, and what was measured."""


def round_finding(work: RunContext, round_: Round, memory: Memory | None = None) -> Finding | None:
    """The finding of one round, or None when it left no result."""
    claim = round_claim(work, round_, memory)
    return None if claim is None else finding_of(claim)


def round_claim(work: RunContext, round_: Round, memory: Memory | None = None) -> Claim | None:
    """What one round found; None when it left no result, or one that carries no sentence."""
    task = str(round_.state.get("task"))
    if task not in work.state.answered:
        return None
    remembered = memory or recall(work)
    name = str(round_.state.get("hypothesis") or round_.state.get("about") or "")
    result, kind = Cells(work, task), str(round_.state["kind"])
    suspicion = remembered.suspicion(name)
    if suspicion is not None and suspicion.spec is not None:
        relation, values, words, figure = told_of(result, suspicion.spec, reading_of(work).metric.text)
        method = PROPOSED_METHODS[suspicion.spec.kind]
    else:
        relation, method, tell = _KINDS[kind]
        values, words, figure = tell(work, result, reading_of(work), suspicion)
    if round_.state.get("hypothesis"):
        status = remembered.statuses.get(name, "PENDING")
        words["verdict"] = {"CONFIRMED": "confirmed", "RULED_OUT": "ruled out"}.get(status, "open")
    try:
        return make(
            relation,
            claim_id=task,
            values=values,
            sealed=result.sealed,
            figure=figure,
            words={**words, **groups_said(reading_of(work))},
            method=method,
        )
    except UntrueClaim:
        return None


def _tell_fault(work: RunContext, result: Cells, reading: InvestigationSetup, _: Suspicion | None) -> ClaimParts:
    faults = [cause for cause in causes_of(work) if cause.kind in FAULTS]
    values = [
        result.told("rows0", 0, "days_with_rows", "count"),
        result.told("days0", 0, "days", "count"),
        result.told("rows1", 1, "days_with_rows", "count"),
        result.told("days1", 1, "days", "count"),
        result.told("nulls0", 0, "without_value", "fraction"),
        result.told("nulls1", 1, "without_value", "fraction"),
    ]
    words = {"found": ", ".join(kind_words(cause) for cause in faults[:2])} if faults else dict[str, str]()
    return values, words, ""


def _tell_calendar(work: RunContext, result: Cells, reading: InvestigationSetup, _: Suspicion | None) -> ClaimParts:
    values = [
        result.told("days0", 0, "days", "count"),
        result.told("weekend0", 0, "weekend_days", "count"),
        result.told("days1", 1, "days", "count"),
        result.told("weekend1", 1, "weekend_days", "count"),
    ]
    cause = next((cause for cause in causes_of(work) if cause.kind in EXPECTED), None)
    if cause is None:
        return values, {}, ""
    values.append(Cells(work, ATTRIBUTION).told("part", cause.row, "contribution"))
    return values, {"by": kind_words(cause)}, ""


def _tell_tree(work: RunContext, result: Cells, reading: InvestigationSetup, _: Suspicion | None) -> ClaimParts:
    values: list[ClaimValue] = []
    names: list[str] = []
    for row in range(result.table.num_rows):
        if not (result.has(row, "before") and result.has(row, "after")):
            continue
        at = len(names)
        names.append(str(result.value(row, "factor")))
        values += result.told_apart(row, {f"before{at}": "before", f"after{at}": "after"})
        if result.has(row, "share_of_change") and abs(result.number(row, "share_of_change")) < MOST_OF_CHANGE:
            values.append(result.told(f"share{at}", row, "share_of_change", "fraction"))
    return values, {"factors": "\n".join(names)}, ""


def _tell_segment(
    work: RunContext, result: Cells, reading: InvestigationSetup, suspicion: Suspicion | None
) -> ClaimParts:
    cause = None if suspicion is None else cause_of(suspicion, causes_of(work))
    values, words = _place(work, suspicion, _cause(work, suspicion))
    what = figure_words(cause, reading) if cause else "the metric"
    if cause is not None and cause.kind in {"mix", "new_or_gone"}:
        what = "the share of the rows" if cause.kind == "mix" else "the number of rows"
    if not (result.has(0, "before") and result.has(0, "after")):
        shares = {"share0": "share_of_rows_before", "share1": "share_of_rows_after"}
        return [*values, *result.told_apart(0, shares, "fraction")], words, what
    values += result.told_apart(0, {"before": "before", "after": "after"})
    values += percent_of(result, 0, "before", "after")
    if result.has(1, "relative"):
        values.append(result.told("rest", 1, "relative", "fraction"))
    if result.has(0, "standard_errors"):
        values.append(result.told("errors", 0, "standard_errors", "number:1"))
    return values, words, what


def _tell_mix(work: RunContext, result: Cells, reading: InvestigationSetup, suspicion: Suspicion | None) -> ClaimParts:
    values, words = _place(work, suspicion, _cause(work, suspicion))
    whole = result.row_where("part", "whole")
    values += result.told_apart(0, {"share0": "share_before", "share1": "share_after"}, "fraction")
    values += result.told_apart(0, {"rate0": "rate_before", "rate1": "rate_after"})
    values += [result.told("mix", whole, "by_mix"), result.told("rate", whole, "by_rate")]
    return values, words, ""


def _tell_spread(
    work: RunContext, result: Cells, reading: InvestigationSetup, suspicion: Suspicion | None
) -> ClaimParts:
    values = [
        result.told("value", 0, "value"),
        result.told("had", 0, "share_before", "fraction"),
        result.told("errors", 0, "standard_errors", "number:1"),
    ]
    if "chance" in result.table.column_names:
        values.append(result.told("chance", 0, "chance", "fraction"))
    return values, {}, "" if suspicion is None else suspicion.dimensions[0]


def _tell_inside(
    work: RunContext, result: Cells, reading: InvestigationSetup, suspicion: Suspicion | None
) -> ClaimParts:
    values, words = _place(work, suspicion, _cause(work, suspicion))
    values += [
        result.told("value", 0, "value"),
        result.told("had", 0, "share_before", "fraction"),
        result.told("holds", 0, "share_of_move", "fraction"),
    ]
    if result.number(0, "share_of_move") - result.number(0, "share_before") >= float(TELLING):
        words["narrows"] = "yes"
    return values, words, str(result.value(0, "dimension"))


def _tell_onset(
    work: RunContext, result: Cells, reading: InvestigationSetup, suspicion: Suspicion | None
) -> ClaimParts:
    values, words = _place(work, suspicion, _cause(work, suspicion))
    values.append(result.told("onset", 0, "onset"))
    shape = str(result.value(0, "shape"))
    if shape != "step":
        words["shape"] = shape
    if shape in {"pulse", "gap"}:
        values.append(result.told("until", 0, "until"))
    values += result.told_apart(0, {"share0": "share_before", "share1": "share_after"}, "fraction")
    return values, words, ""


def _tell_sum(work: RunContext, result: Cells, reading: InvestigationSetup, _: Suspicion | None) -> ClaimParts:
    columns = {
        "change": "change",
        "faults": "by_faults",
        "expected": "by_expectation",
        "causes": "by_causes",
        "rest": "unexplained",
    }
    return [result.told(role, 0, column) for role, column in columns.items()], {}, ""


def _cause(work: RunContext, suspicion: Suspicion | None) -> Cause | None:
    rank = None if suspicion is None else suspicion.rank
    return next((one for one in causes_of(work) if one.rank == rank), None)


def _place(
    work: RunContext, suspicion: Suspicion | None, cause: Cause | None
) -> tuple[list[ClaimValue], dict[str, str]]:
    """The segment as a cell of the attribution's table; what the user named stands in the user's own words."""
    if cause is not None and not cause.segment:
        return [], {"place": "all segments together"}
    if cause is not None:
        return [Cells(work, ATTRIBUTION).told("segment", cause.row, "segment")], {}
    named = suspicion.segment if suspicion is not None else {}
    return [], {"place": ", ".join(f"{name} = {value}" for name, value in sorted(named.items()))}


MOST_OF_CHANGE = 100


class RoundKind(NamedTuple):
    """How a round of one kind is told: by which relation, from which method, with which values."""

    relation: str
    method: str
    tell: Callable[[RunContext, Cells, InvestigationSetup, Suspicion | None], ClaimParts]


_KINDS = {
    "fault": RoundKind(
        "tested_faults",
        "Days, rows and missing values of both periods, counted from the daily series.",
        _tell_fault,
    ),
    "calendar": RoundKind(
        "tested_calendar",
        "Days and weekdays of both periods; the same span in other years and the steps before it.",
        _tell_calendar,
    ),
    "tree": RoundKind(
        "tested_factors",
        "The change shared out over the metric's factors by logarithmic means, without a remainder.",
        _tell_tree,
    ),
    "segment": RoundKind(
        "tested_segment",
        "The segment's own figure in both periods compared with the rest of the data, with its standard error.",
        _tell_segment,
    ),
    "mix": RoundKind(
        "tested_mix",
        "Shares and levels with midpoint weights, so that mix and rate sum to the change.",
        _tell_mix,
    ),
    "spread": RoundKind(
        "tested_spread",
        "Each value of the dimension compared with the rest of the data, in standard errors of both.",
        _tell_spread,
    ),
    "inside": RoundKind(
        "tested_inside",
        "The segment's move taken apart by each further dimension.",
        _tell_inside,
    ),
    "onset": RoundKind(
        "tested_onset",
        "The step, pulse, gap or ramp that fits the daily share best; a step where none is clearly better.",
        _tell_onset,
    ),
    "sum": RoundKind(
        "tested_sum",
        "The contributions added up against the change.",
        _tell_sum,
    ),
}
