"""The evidence behind a report's numbers as a table: what is shown, its exact value, and where it was read."""

from __future__ import annotations

from typing import TYPE_CHECKING

from averment.evidence.bind import value_of
from averment.evidence.values import show
from averment.records.run import Finding
from averment.reports.document import Grid

if TYPE_CHECKING:
    from averment.spine.work import Work


def evidence_grid(work: Work, findings: tuple[Finding, ...]) -> Grid | None:
    """One row for each number of the findings; ids of this run stay out, so that the same data give the same table."""
    tasks = {observation.observation_id: task for task, (_, observation) in work.answered.items()}
    rows: list[tuple[str, ...]] = []
    for finding in findings:
        for slot in finding.slots.values():
            evidence = slot.evidence
            if evidence.kind != "cell" or evidence.column == "segment":
                continue
            where = f"{tasks[evidence.observation_id]}, row {evidence.row}, {evidence.column}"
            rows.append((slot.text, show(value_of(evidence)), where, evidence.query_hash))
    if not rows:
        return None
    header = ("shown", "value", "where", "table SHA-256")
    return Grid(header=header, rows=tuple(rows), numeric=(True, True, False, False))
