"""The memory loop: hypotheses and their status, iterations in full, findings in short, and the ledger of findings."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from averment.records.base import Record, RelativePath, StateMachine, UtcDatetime, UuidText, utc_now

MAX_ITERATIONS = 15

HypothesisStatus = Literal["PENDING", "INVESTIGATING", "CONFIRMED", "RULED_OUT"]
IterationDecision = Literal["ANALYZE", "DRILL_DOWN", "PIVOT", "CONCLUDE"]
"""Analyse the current hypothesis, go deeper into a finding, switch to another approach, or end the investigation."""
ExitReason = Literal["CONCLUDE", "MAX_ITERATIONS", "STALL_DETECTED"]

HYPOTHESIS_STATES: StateMachine[HypothesisStatus] = StateMachine(
    "hypothesis",
    {
        "PENDING": frozenset({"INVESTIGATING"}),
        "INVESTIGATING": frozenset({"CONFIRMED", "RULED_OUT", "PENDING"}),
        "CONFIRMED": frozenset(),
        "RULED_OUT": frozenset(),
    },
)


class Hypothesis(Record):
    """A possible explanation of the metric's movement; priority 1 is the most plausible."""

    # The id is also the name of its file, hence the pattern.
    hypothesis_id: str = Field(pattern=r"^hyp_[0-9]{3,}$")
    session_id: UuidText
    title: str = Field(max_length=100)
    causal_story: str = Field(max_length=500)
    dimensions: tuple[str, ...]
    expected_pattern: str
    priority: int = Field(ge=1, le=10)
    status: HypothesisStatus
    created_at: UtcDatetime = Field(default_factory=utc_now)

    def moved(self, status: HypothesisStatus) -> Hypothesis:
        """The hypothesis in its next status.

        Raises:
            IllegalTransition: the table does not hold that step.
        """
        return self.changed(status=HYPOTHESIS_STATES.step(self.status, status))


class Finding(Record):
    """One iteration's result in two or three sentences, with the way to its full output.

    Not to be taken for ``averment.records.run.Finding``, a sentence bound to evidence: this is the loop's memory.
    """

    finding_id: str = Field(pattern=r"^find_[0-9]{3,}$")
    iteration: int = Field(ge=1, le=MAX_ITERATIONS)
    summary: str = Field(max_length=500)
    full_output_ref: RelativePath
    hypothesis_affected: str | None = None
    created_at: UtcDatetime = Field(default_factory=utc_now)


class IterationLog(Record):
    """One iteration in full: what was decided, what was run, what came back."""

    iteration: int = Field(ge=1, le=MAX_ITERATIONS)
    decision: IterationDecision
    code_executed: str
    raw_output: str
    compressed_summary: str
    hypothesis_status_changes: dict[str, HypothesisStatus] | None = None
    timestamp: UtcDatetime = Field(default_factory=utc_now)


class FindingsLedger(Record):
    """All findings of an investigation, where each hypothesis ended, and why the loop stopped."""

    session_id: UuidText
    findings: tuple[Finding, ...]
    hypothesis_outcomes: dict[str, HypothesisStatus]
    total_iterations: int = Field(ge=0, le=MAX_ITERATIONS)
    exit_reason: ExitReason
    created_at: UtcDatetime = Field(default_factory=utc_now)
