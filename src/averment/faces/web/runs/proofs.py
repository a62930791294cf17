"""Behind each number: a finding cut into words and numbers, and for a number the call, the table and the cell."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from averment.errors import SourceNotFound
from averment.records.run import Evidence, Finding, Observation, Slot, ToolCall
from averment.workbench import Workbench

if TYPE_CHECKING:
    import pyarrow as pa

_SLOT = re.compile(r"\{([A-Za-z_][A-Za-z0-9_]*)\}")
ROWS_AROUND = 4
CONTEXT_LETTERS = 400


@dataclass(frozen=True)
class FindingPiece:
    """A stretch of a finding; one with a slot's name has evidence behind it."""

    text: str
    slot: str | None = None


@dataclass(frozen=True)
class Excerpt:
    """Some rows of a table, and which cell of them is meant."""

    columns: tuple[str, ...]
    rows: tuple[tuple[int, tuple[str, ...]], ...]
    row: int
    column: str
    row_count: int


@dataclass(frozen=True)
class ProofDetail:
    """What is behind one number or word of a finding."""

    finding: Finding
    slot_name: str
    slot: Slot
    evidence: Evidence
    call: ToolCall | None = None
    observation: Observation | None = None
    code: str | None = None
    params: tuple[str, ...] = ()
    excerpt: Excerpt | None = None
    quote: tuple[str, str, str] | None = None
    hashes: tuple[tuple[str, str], ...] = ()


def cut(finding: Finding) -> tuple[FindingPiece, ...]:
    """The finding's words and numbers in order; together they are its text."""
    pieces: list[FindingPiece] = []
    position = 0
    for match in _SLOT.finditer(finding.template):
        slot = finding.slots.get(match.group(1))
        if slot is None:
            continue
        pieces += [FindingPiece(finding.template[position : match.start()]), FindingPiece(slot.text, match.group(1))]
        position = match.end()
    pieces.append(FindingPiece(finding.template[position:]))
    whole = tuple(piece for piece in pieces if piece.text)
    # A sentence that was not simply filled in is shown as it was bound, not as it might have been.
    return whole if "".join(piece.text for piece in whole) == finding.text else (FindingPiece(finding.text),)


def look_behind(
    workbench: Workbench, run_id: str, findings: Sequence[Finding], finding_id: str, slot_name: str
) -> ProofDetail:
    """The evidence of one slot of one finding.

    Raises:
        SourceNotFound: there is no such finding or slot.
    """
    finding = next((one for one in findings if one.finding_id == finding_id), None)
    slot = None if finding is None else finding.slots.get(slot_name)
    if finding is None or slot is None:
        raise SourceNotFound("The run has no such number.", hint="Go back to the run and choose one there.")
    evidence = slot.evidence
    if evidence.kind == "span":
        return ProofDetail(
            finding,
            slot_name,
            slot,
            evidence,
            quote=_quote(workbench, evidence.snapshot_sha256, evidence.start, evidence.end, evidence.quote),
            hashes=(("Archived text", evidence.snapshot_sha256),),
        )
    # What was derived is shown at the first place it was derived from.
    place = evidence.of[0] if evidence.kind == "derived" else evidence
    wanted = place.observation_id if place.kind == "cell" else place.call_id
    for call, observation in workbench.runs.calls(run_id):
        if wanted in {observation.observation_id, call.call_id}:
            return _recorded(workbench, run_id, finding, slot_name, slot, call, observation)
    return ProofDetail(finding, slot_name, slot, evidence)


def _recorded(
    workbench: Workbench, run_id: str, finding: Finding, slot_name: str, slot: Slot, call: ToolCall, seen: Observation
) -> ProofDetail:
    evidence, data = slot.evidence, seen.data or {}
    table = workbench.runs.table(run_id, call.call_id) if "table" in data else None
    excerpt = None
    if table is not None:
        place = evidence.of[0] if evidence.kind == "derived" else evidence
        row, column = (place.row, place.column) if place.kind == "cell" else (-1, "")
        excerpt = _excerpt(table, row, column)
    hashes = [
        (label, str(digest))
        for label, digest in (
            ("Query", data.get("query_hash")),
            ("Result", (data.get("table") or {}).get("sha256")),
            ("Call", call.call_id),
        )
        if digest
    ]
    code = data.get("sql") or call.arguments.get("query") or call.arguments.get("code")
    params = tuple(str(value) for value in (data.get("params") or ()))
    return ProofDetail(
        finding, slot_name, slot, evidence, call, seen, None if code is None else str(code), params, excerpt, None,
        tuple(hashes),
    )  # fmt: skip


def _excerpt(table: pa.Table, row: int, column: str) -> Excerpt:
    start = max(0, min(row - ROWS_AROUND, table.num_rows - 2 * ROWS_AROUND - 1)) if row >= 0 else 0
    part: list[dict[str, Any]] = table.slice(start, 2 * ROWS_AROUND + 1).to_pylist()
    names = tuple(table.column_names)
    rows = tuple((start + offset, tuple(written(values[name]) for name in names)) for offset, values in enumerate(part))
    return Excerpt(names, rows, row, column, table.num_rows)


def _quote(workbench: Workbench, sha256: str, start: int, end: int, words: str) -> tuple[str, str, str]:
    try:
        text = workbench.corpora.snapshot(sha256)
    except SourceNotFound:
        return "", words, ""
    before = text[max(0, start - CONTEXT_LETTERS) : start]
    return before, text[start:end], text[end : end + CONTEXT_LETTERS]


def written(value: Any) -> str:
    """A cell as the page shows it."""
    return "" if value is None else str(value)
