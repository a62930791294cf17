"""Moving a run from one status to the next, by the table and by nothing else."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

from averment.records.analysis import RUN_STATES, RunStatus

if TYPE_CHECKING:
    from averment.store.runs.run_store import RunStore


ANSWERED: frozenset[RunStatus] = frozenset({"completed", "partial_success", "abstained", "clarification_needed"})
"""The ends that hold: a failed or cancelled run may be resumed, these may not."""


def advance(runs: RunStore, run_id: str, status: RunStatus, *, at: datetime | None = None) -> None:
    """Give the run that status, if its present one allows the step; ``at`` is when, if not now.

    Being there already is no step, and a run that has its answer keeps it: a repeated step changes nothing.

    Raises:
        StoreConflict: the table does not hold the step.
    """
    current = runs.get(run_id).status
    if current == status or current in ANSWERED:
        return
    allowed: frozenset[RunStatus] = frozenset(state for state in RUN_STATES.states if RUN_STATES.allows(state, status))
    runs.set_status(run_id, status, expected=allowed, at=at)
