"""An explanation as a claim: which relation says it, and which cells of the attribution's row are its values."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from averment.agents.driller.hypotheses import EXPECTED, FAULTS, fault_of, figure_words, groups_said, moved_down
from averment.claims.relation import make, told
from averment.evidence.derive import derived
from averment.records.claim import Claim, ClaimValue

if TYPE_CHECKING:
    from averment.agents.driller.cells import Cells
    from averment.agents.driller.hypotheses import Cause
    from averment.agents.driller.reading import InvestigationSetup

LEAST_SHARE, MOST_SHARE = 0.0005, 10.0
METHOD = "The figure itself in both periods, and its exact part of the change; with the rest they sum to it."


@dataclass(kw_only=True)
class ClaimDraft:
    """A claim before it is made."""

    relation: str
    figure: str = ""
    values: list[ClaimValue] = field(default_factory=list[ClaimValue])
    words: dict[str, str] = field(default_factory=dict[str, str])
    named: bool = True
    """Whether the segment is told."""


def cause_claim(cause: Cause, reading: InvestigationSetup, table: Cells, claim_id: str) -> Claim:
    """What a cause did, with its part of the change.

    Raises:
        UntrueClaim: the attribution does not say so.
    """
    draft = _draft(cause, reading, table)
    values = list(draft.values)
    if cause.segment and draft.named:
        values.insert(0, table.told("segment", cause.row, "segment"))
    if draft.relation != "uncaused" and cause.sized and cause.contribution:
        values.append(table.told("part", cause.row, "contribution"))
        if table.has(cause.row, "share") and LEAST_SHARE < abs(table.number(cause.row, "share")) < MOST_SHARE:
            values.append(table.told("share", cause.row, "share", "fraction"))
    return make(
        draft.relation,
        claim_id=claim_id,
        values=values,
        sealed=table.sealed,
        subjects=[tuple(sorted(cause.segment.items()))] if cause.segment and draft.named else [],
        figure=draft.figure,
        words={**draft.words, **groups_said(reading), "row": str(cause.row)},
        method=METHOD,
    )


def _draft(cause: Cause, reading: InvestigationSetup, table: Cells) -> ClaimDraft:
    if cause.kind in FAULTS:
        return _fault(cause, table)
    if cause.kind in EXPECTED:
        return _expected(cause, table)
    match cause.kind:
        case "noise":
            return ClaimDraft(relation="uncaused", values=[table.told("part", cause.row, "contribution")], named=False)
        case "mix":
            values = table.told_apart(cause.row, {"from": "before", "to": "after"}, "fraction")
            return ClaimDraft(relation="shifted", values=values)
        case "new_or_gone":
            return ClaimDraft(relation="appeared" if cause.state == "new" else "disappeared")
        case _:
            return _moved(cause, reading, table)


def _moved(cause: Cause, reading: InvestigationSetup, table: Cells) -> ClaimDraft:
    words = {"verb": "fell" if moved_down(cause) else "rose"}
    if cause.kind == "segment":
        words["of"] = "metric"
    draft = ClaimDraft(relation="caused", figure=figure_words(cause, reading), words=words)
    if cause.before is not None and cause.after is not None:
        kind = "count" if cause.kind == "volume" else "number"
        draft.values = table.told_apart(cause.row, {"from": "before", "to": "after"}, kind)
        draft.values += percent_of(table, cause.row, "before", "after")
    return draft


def percent_of(table: Cells, row: int, before: str, after: str) -> list[ClaimValue]:
    """The change from one cell to another in percent, where it says something."""
    ends = table.number(row, before), table.number(row, after)
    if not ends[0] or abs(ends[1] - ends[0]) >= MOST_SHARE * abs(ends[0]):
        return []
    evidence = derived("percent_change", table.evidence(row, before), table.evidence(row, after))
    return [told("percent", evidence, "percentage")]


def _expected(cause: Cause, table: Cells) -> ClaimDraft:
    row, draft = cause.row, ClaimDraft(relation="expected", words={"by": cause.kind}, named=False)
    if cause.kind == "calendar":
        draft.values = [table.told("from", row, "before", "count"), table.told("to", row, "after", "count")]
        if table.has(row, "low") and table.has(row, "high"):
            draft.values += [
                table.told("holidays0", row, "low", "count"),
                table.told("holidays1", row, "high", "count"),
            ]
    elif cause.details.get("count"):
        draft.values = [table.told("count", row, "count", "count")]
        if cause.kind == "seasonal" and table.has(row, "low") and table.has(row, "high"):
            draft.values += table.told_apart(row, {"low": "low", "high": "high"})
    return draft


_CELLS: dict[str, tuple[tuple[str, str], ...]] = {
    "unit_factor": (("since", "label"), ("multiple", "")),
    "missing_rows": (("count", "count"), ("days", "label")),
    "late_rows": (("days", "label"), ("multiple", "fraction")),
    "duplicates": (("count", "count"), ("days", "label")),
    "nulls": (("after", "fraction"), ("before", "fraction"), ("since", "label")),
    "negative_sign": (("count", "count"), ("other_count", "count")),
    "rename": (("column", "label"), ("old", "label"), ("new", "label"), ("since", "label")),
    "definition": (("column", "label"), ("old", "label"), ("new", "label"), ("since", "label")),
    "key_format": (
        *(("before", "fraction"), ("after", "fraction")),
        *(("column", "label"), ("table", "label"), ("since", "label")),
    ),
    "timezone": (("multiple", "count"),),
    "summed_level": (("before", "count"), ("after", "count")),
    "outlier": (("since", "label"), ("after", ""), ("before", "")),
}
"""The cells that each fault is told with, and their kinds."""

_UNPLACED = frozenset({"late_rows", "duplicates", "rename", "definition", "key_format", "summed_level", "outlier"})
"""Faults that are told without a segment."""


def _fault(cause: Cause, table: Cells) -> ClaimDraft:
    fault = fault_of(cause) or "outlier"
    words = {"fault": fault, "alone": "yes", "period": str(cause.details.get("side") or "comparison")}
    if cause.details.get("new") and fault == "outlier":
        words["extra"] = str(cause.details["new"])
    if cause.details.get("new") == "ends":
        words["ends"] = "yes"
    return ClaimDraft(
        relation="fault",
        values=list(_cells(table, cause.row, _CELLS[fault])),
        words=words,
        named=fault not in _UNPLACED,
    )


def _cells(table: Cells, row: int, wanted: Iterable[tuple[str, str]]) -> Iterable[ClaimValue]:
    return (table.told(name, row, name, kind) for name, kind in wanted)
