"""Where a run can stand, and which steps lead from one status to the next."""

from __future__ import annotations

from typing import Literal

from averment.records.base import StateMachine

RunStatus = Literal[
    "submitted",
    "planning",
    "executing",
    "completed",
    "partial_success",
    "failed",
    "abstained",
    "clarification_needed",
    "cancelled",
]
"""The states of a run of any agent: the analyst contract's six of a request, and three ends that are honest rather than
failed."""

# A run may end before it executes (a bad source, a question to ask back, the user's stop). A failed or cancelled run
# may be resumed: its finished steps are kept, so that it goes back to planning or executing, never to submitted.
RUN_STATES: StateMachine[RunStatus] = StateMachine(
    "run",
    {
        "submitted": frozenset({"planning", "failed", "abstained", "clarification_needed", "cancelled"}),
        "planning": frozenset({"executing", "failed", "abstained", "clarification_needed", "cancelled"}),
        "executing": frozenset(
            {"completed", "partial_success", "failed", "abstained", "clarification_needed", "cancelled"}
        ),
        "failed": frozenset({"planning", "executing"}),
        "cancelled": frozenset({"planning", "executing"}),
        "completed": frozenset(),
        "partial_success": frozenset(),
        "abstained": frozenset(),
        "clarification_needed": frozenset(),
    },
)

ENDED: frozenset[RunStatus] = frozenset(
    {"completed", "partial_success", "failed", "abstained", "clarification_needed", "cancelled"}
)
"""The statuses in which no step of the run is under way."""
