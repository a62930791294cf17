"""The evidence behind a report's numbers as a table: what is shown, its exact value, and where it was read."""

from __future__ import annotations

from typing import TYPE_CHECKING

from averment.evidence.bind import value_of
from averment.evidence.values import show
from averment.records.run import Finding
from averment.reports.document import Grid

if TYPE_CHECKING:
    from averment.runtime.run_context import RunContext


def evidence_grid(work: RunContext, findings: tuple[Finding, ...]) -> Grid | None:
    """One row for each number of the findings; ids of this run stay out, so that the same data give the same table."""
    tasks = {observation.observation_id: task for task, (_, observation) in work.state.answered.items()}
    rows: list[tuple[str, ...]] = []
    for finding in findings:
        for slot in finding.slots.values():
            evidence = slot.evidence
            cells = evidence.of if evidence.kind == "derived" else (evidence,)
            places = [
                (each, f"{tasks[each.observation_id]}, row {each.row}, {each.column}")
                for each in cells
                if each.kind == "cell"
            ]
            if not places or places[0][0].column == "segment":
                continue
            of = f"{evidence.function} of " if evidence.kind == "derived" else ""
            where = of + "; ".join(place for _, place in places)
            rows.append((slot.text, show(value_of(evidence)), where, places[0][0].query_hash))
    if not rows:
        return None
    header = ("shown", "value", "where", "table SHA-256")
    return Grid(header=header, rows=tuple(rows), numeric=(True, True, False, False))
