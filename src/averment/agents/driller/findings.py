"""Each round's result in two or three sentences: what was looked at, what came out, what it means for its hypothesis.

Every number is a cell of the round's table or of the attribution's; the words around it hold none.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from averment.agents.driller.cells import Cells
from averment.agents.driller.hypotheses import EXPECTED, FAULTS, Cause, Suspicion, cause_of, causes_of
from averment.agents.driller.reading import ATTRIBUTION, Reading, reading_of
from averment.agents.driller.recall import Memory, recall
from averment.agents.driller.story_words import figure_words, kind_words
from averment.evidence.bind import bind, literal
from averment.records.run import Finding, Slot

if TYPE_CHECKING:
    from averment.spine.agent import Round
    from averment.spine.work import Work

Sentence = tuple[str, dict[str, Slot]]
"""A template and its slots."""

TELLING = 0.25
"""So much more of the move than of the segment a part must hold to be worth naming."""

METHODS = {
    "fault": "Days, rows and missing values of both periods, counted from the daily series.",
    "calendar": "Days and weekdays of both periods; the same span in other years and the steps before it.",
    "tree": "The change shared out over the metric's factors by logarithmic means, without a remainder.",
    "segment": "The segment's own figure in both periods beside the rest of the data, with its standard error.",
    "mix": "Shares and levels with midpoint weights, so that mix and rate sum to the change.",
    "inside": "The segment's move taken apart by each further dimension.",
    "onset": "The day that splits the segment's daily share into the two levels that fit best.",
    "sum": "The contributions added up against the change.",
}


def own_words(work: Work) -> str:
    """Words that may stand in a text by right: the user's own, the reading's, and the names the files gave."""
    reading = reading_of(work)
    context = work.request.context  # pyright: ignore[reportAttributeAccessIssue] - a drill-down's request has one
    names = [name for table in work.catalog.tables for name in (table.name, *(c.name for c in table.columns))]
    said = [context.metric_sql, context.business_context or "", context.investigation_prompt or ""]
    return " ".join([work.request.intent, *said, reading.metric.sql, reading.metric.in_words, *names])


def round_finding(work: Work, round_: Round, memory: Memory | None = None) -> Finding | None:
    """The finding of one round, or None when it left no result."""
    task = str(round_.state.get("task"))
    if task not in work.answered:
        return None
    remembered = memory or recall(work)
    name = str(round_.state.get("hypothesis") or round_.state.get("about") or "")
    suspicion = remembered.suspicion(name)
    result = Cells(work, task)
    kind = str(round_.state["kind"])
    status = remembered.statuses.get(name, "PENDING") if round_.state.get("hypothesis") else None
    template, slots = _TELLERS[kind](work, result, reading_of(work), suspicion)
    if status is not None:
        template += " The hypothesis is confirmed." if status == "CONFIRMED" else " The hypothesis is ruled out."
    return bind(finding_id=task, template=template, slots=slots, method=METHODS[kind], own_words=own_words(work))


def _tell_fault(work: Work, result: Cells, reading: Reading, _: Suspicion | None) -> Sentence:
    faults = [cause for cause in causes_of(work) if cause.kind in FAULTS]
    slots = {
        "with_rows0": result.slot(0, "days_with_rows"),
        "days0": result.slot(0, "days"),
        "with_rows1": result.slot(1, "days_with_rows"),
        "days1": result.slot(1, "days"),
        "nulls0": result.slot(0, "without_value", percent=True),
        "nulls1": result.slot(1, "without_value", percent=True),
    }
    template = (
        "The data were tested for faults: rows on {with_rows0} of {days0} days of the baseline and on {with_rows1} of "
        "{days1} days of the comparison; {nulls0} and {nulls1} of the rows have no value."
    )
    if faults:
        template += f" Found: {', '.join(kind_words(cause) for cause in faults[:2])}."
    return template, slots


def _tell_calendar(work: Work, result: Cells, reading: Reading, _: Suspicion | None) -> Sentence:
    slots = {
        "days0": result.slot(0, "days"),
        "days1": result.slot(1, "days"),
        "weekend0": result.slot(0, "weekend_days"),
        "weekend1": result.slot(1, "weekend_days"),
    }
    template = "The calendar was compared: {days0} days with {weekend0} weekend days against {days1} with {weekend1}."
    table = Cells(work, ATTRIBUTION)
    cause = next((cause for cause in causes_of(work) if cause.kind in EXPECTED), None)
    if cause is None:
        return template + " Other years, the calendar and the trend before do not show this change.", slots
    slots["part"] = table.slot(cause.row, "contribution")
    return template + f" It was to be expected by {kind_words(cause)}: that gives {{part}}.", slots


def _tell_tree(work: Work, result: Cells, reading: Reading, _: Suspicion | None) -> Sentence:
    slots: dict[str, Slot] = {}
    parts: list[str] = []
    for row in range(result.table.num_rows):
        name = str(result.value(row, "factor"))
        if not (result.has(row, "before") and result.has(row, "after")):
            continue
        slots[f"before{row}"], slots[f"after{row}"] = result.slot(row, "before"), result.slot(row, "after")
        text = f"{name} from {{before{row}}} to {{after{row}}}"
        if result.has(row, "share_of_change") and abs(result.number(row, "share_of_change")) < 100:
            slots[f"share{row}"] = result.slot(row, "share_of_change", percent=True)
            text += f" ({{share{row}}} of the change)"
        parts.append(text)
    return f"The metric was taken apart: {'; '.join(parts)}.", slots


def _tell_segment(work: Work, result: Cells, reading: Reading, suspicion: Suspicion | None) -> Sentence:
    cause = None if suspicion is None else cause_of(suspicion, causes_of(work))
    slots: dict[str, Slot] = {}
    place = _place(work, suspicion, _cause(work, suspicion), slots)
    what = figure_words(cause, reading) if cause else "the metric"
    if cause is not None and cause.kind in {"mix", "new_or_gone"}:
        what = "the share of the rows" if cause.kind == "mix" else "the number of rows"
    if not (result.has(0, "before") and result.has(0, "after")):
        slots["share0"] = result.slot(0, "share_of_rows_before", percent=True)
        slots["share1"] = result.slot(0, "share_of_rows_after", percent=True)
        return f"{place} went from {{share0}} to {{share1}} of the rows.", slots
    slots["before"], slots["after"] = result.slot(0, "before"), result.slot(0, "after")
    template = f"In {place}, {what} went from {{before}} to {{after}}"
    if result.has(0, "relative"):
        slots["relative"] = result.slot(0, "relative", percent=True)
        template += " ({relative})"
    if result.has(1, "relative"):
        slots["rest"] = result.slot(1, "relative", percent=True)
        template += ", in the rest of the data by {rest}"
    template += "."
    if result.has(0, "standard_errors"):
        slots["errors"] = result.slot(0, "standard_errors", decimals=1)
        template += " That is {errors} standard errors of its own rows."
    return template, slots


def _tell_mix(work: Work, result: Cells, reading: Reading, suspicion: Suspicion | None) -> Sentence:
    slots: dict[str, Slot] = {}
    place = _place(work, suspicion, _cause(work, suspicion), slots)
    whole = result.row_where("part", "whole")
    slots |= {
        "share0": result.slot(0, "share_before", percent=True),
        "share1": result.slot(0, "share_after", percent=True),
        "rate0": result.slot(0, "rate_before"),
        "rate1": result.slot(0, "rate_after"),
        "mix": result.slot(whole, "by_mix"),
        "rate": result.slot(whole, "by_rate"),
    }
    return (
        f"{place} went from {{share0}} to {{share1}} of the whole, while the metric inside it went from {{rate0}} to "
        "{rate1}. The shift of weights moves the metric by {mix}, the levels inside by {rate}.",
        slots,
    )


def _tell_inside(work: Work, result: Cells, reading: Reading, suspicion: Suspicion | None) -> Sentence:
    slots: dict[str, Slot] = {}
    place = _place(work, suspicion, _cause(work, suspicion), slots)
    slots |= {
        "value": result.slot(0, "value"),
        "had": result.slot(0, "share_before", percent=True),
        "holds": result.slot(0, "share_of_move", percent=True),
    }
    dimension = literal(str(result.value(0, "dimension")))
    tells = result.number(0, "share_of_move") - result.number(0, "share_before") >= TELLING
    said = "The most telling value is" if tells else "None narrows it down; the nearest is"
    return (
        f"Inside {place} every further dimension was looked at. {said} {{value}} of {dimension}, which held {{had}} "
        "before and carries {holds} of the move.",
        slots,
    )


def _tell_onset(work: Work, result: Cells, reading: Reading, suspicion: Suspicion | None) -> Sentence:
    slots: dict[str, Slot] = {}
    place = _place(work, suspicion, _cause(work, suspicion), slots)
    slots |= {
        "onset": result.slot(0, "onset"),
        "share0": result.slot(0, "share_before", percent=True),
        "share1": result.slot(0, "share_after", percent=True),
    }
    return (
        f"The daily share of {place} was followed. It changes on {{onset}}: from {{share0}} before to {{share1}} "
        "from that day on.",
        slots,
    )


def _tell_sum(work: Work, result: Cells, reading: Reading, _: Suspicion | None) -> Sentence:
    slots = {
        "change": result.slot(0, "change"),
        "faults": result.slot(0, "by_faults"),
        "expected": result.slot(0, "by_expectation"),
        "causes": result.slot(0, "by_causes"),
        "rest": result.slot(0, "unexplained"),
    }
    return (
        "The parts were added up against the change of {change}. Faults of the data carry {faults}, what was to be "
        "expected {expected}, causes {causes}, and {rest} stays unexplained.",
        slots,
    )


def _cause(work: Work, suspicion: Suspicion | None) -> Cause | None:
    rank = None if suspicion is None else suspicion.rank
    return next((one for one in causes_of(work) if one.rank == rank), None)


def _place(work: Work, suspicion: Suspicion | None, cause: Cause | None, slots: dict[str, Slot]) -> str:
    """The segment as a slot of the attribution's table; what the user named stands in the user's own words."""
    if cause is not None and not cause.segment:
        return "all segments together"
    if cause is not None:
        slots["segment"] = Cells(work, ATTRIBUTION).slot(cause.row, "segment")
        return "{segment}"
    named = suspicion.segment if suspicion is not None else {}
    return literal(", ".join(f"{name} = {value}" for name, value in sorted(named.items())))


_TELLERS: dict[str, Callable[[Work, Cells, Reading, Suspicion | None], Sentence]] = {
    "fault": _tell_fault,
    "calendar": _tell_calendar,
    "tree": _tell_tree,
    "segment": _tell_segment,
    "mix": _tell_mix,
    "inside": _tell_inside,
    "onset": _tell_onset,
    "sum": _tell_sum,
}
