"""The memory of the loop: where each hypothesis stands after the rounds so far, worked out again from their results.

Nothing is remembered besides the rounds themselves: the same rounds and results always give the same memory.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from averment.agents.driller.cells import Cells
from averment.agents.driller.hypotheses import EXPECTED, FAULTS, Cause, Suspicion, all_suspicions, cause_of, causes_of
from averment.agents.driller.model_loop.trials import holds
from averment.records.drilldown.loop import HYPOTHESIS_STATES, HypothesisStatus

if TYPE_CHECKING:
    from averment.runtime.decisions import Round
    from averment.runtime.run_context import RunContext

Verdict = Literal["CONFIRMED", "RULED_OUT"]

UNMOVED = 0.005
"""A figure that moved by less than this part of itself did not move."""
TREE_SHARE = 0.6


@dataclass
class Memory:
    """Hypotheses with their status, and what each round came to."""

    suspicions: tuple[Suspicion, ...]
    statuses: dict[str, HypothesisStatus]
    rounds: list[Round] = field(default_factory=list)
    verdicts: list[str | None] = field(default_factory=list)
    """For each round what it settled, a drill or sum that ran counts as something; None when nothing came of it."""
    changes: list[dict[str, HypothesisStatus]] = field(default_factory=list)

    @property
    def undecided(self) -> list[str]:
        """The hypotheses that a round looked at without coming to a verdict, and that wait for another approach."""
        return [name for name, status in self.statuses.items() if status == "INVESTIGATING"]

    def suspicion(self, hypothesis_id: str) -> Suspicion | None:
        """The hypothesis of that id."""
        return next((one for one in self.suspicions if one.hypothesis_id == hypothesis_id), None)

    def did(self, kind: str, about: str) -> bool:
        """Whether a round of that kind has looked at that hypothesis."""
        return any(r.state.get("kind") == kind and r.state.get("about") == about for r in self.rounds)

    def tries(self, hypothesis_id: str) -> int:
        """How many rounds have tested that hypothesis."""
        return sum(1 for r in self.rounds if r.state.get("hypothesis") == hypothesis_id)


def recall(work: RunContext, rounds: Sequence[Round] | None = None) -> Memory:
    """The memory after these rounds, all of the work's unless told otherwise."""
    suspicions = all_suspicions(work, rounds)
    memory = Memory(suspicions=suspicions, statuses={one.hypothesis_id: "PENDING" for one in suspicions})
    for round_ in work.state.rounds if rounds is None else rounds:
        changes: dict[str, HypothesisStatus] = {}
        verdict: str | None = None
        name = round_.state.get("hypothesis")
        suspicion = memory.suspicion(str(name)) if name else None
        if round_.decision in {"PIVOT", "CONCLUDE"}:
            # What could not be decided is put back before another approach is taken, or none is left.
            for open_one in memory.undecided:
                memory.statuses[open_one] = HYPOTHESIS_STATES.step("INVESTIGATING", "PENDING")
                changes[open_one] = "PENDING"
        if suspicion is not None:
            decided = judge(work, round_, suspicion)
            status = memory.statuses[suspicion.hypothesis_id]
            status = status if status == "INVESTIGATING" else HYPOTHESIS_STATES.step(status, "INVESTIGATING")
            if decided is not None:
                status = HYPOTHESIS_STATES.step(status, decided)
            memory.statuses[suspicion.hypothesis_id] = status
            changes[suspicion.hypothesis_id] = status
            verdict = decided
        elif str(round_.state.get("task")) in work.state.answered:
            verdict = str(round_.state["kind"])
        memory.rounds.append(round_)
        memory.verdicts.append(verdict)
        memory.changes.append(changes)
    return memory


def judge(work: RunContext, round_: Round, suspicion: Suspicion) -> Verdict | None:
    """What a round's result says of its hypothesis; None when there is no result, or one that does not decide it."""
    task = str(round_.state["task"])
    if task not in work.state.answered:
        return None
    causes = causes_of(work)
    match suspicion.kind:
        case "fault":
            return _decided(any(cause.kind in FAULTS for cause in causes))
        case "calendar":
            return _decided(any(cause.kind in EXPECTED for cause in causes))
        case "tree":
            result = Cells(work, task)
            shares = [abs(result.number(row, "share_of_change")) for row in range(result.table.num_rows)]
            moved = any(cause.kind not in EXPECTED for cause in causes)
            return _decided(moved and max(shares, default=0.0) >= TREE_SHARE)
        case "mix":
            result = Cells(work, task)
            row = result.row_where("part", "segment")
            return _decided(row >= 0 and result.number(row, "share_before") != result.number(row, "share_after"))
        case "segment":
            return _decided(_seen(work, task, suspicion))
        case "suspect":
            # What the search over all segments did not name is not a cause, however much one would like it to be.
            return _decided(cause_of(suspicion, causes) is not None and _seen(work, task, suspicion))
        case "proposed":
            assert suspicion.spec is not None
            return _decided(holds(work, task, suspicion.spec))
        case "dimension":
            return _spread(Cells(work, task), suspicion, causes)


ALIKE = 2.0
"""Values that move alike with the rest within so many standard errors do not tell a dimension."""
CHANCE = 0.05
"""What chance brings at least so often among as many values is no sign of anything."""


def _spread(result: Cells, suspicion: Suspicion, causes: Sequence[Cause]) -> Verdict | None:
    """A dimension holds where a cause lies in it, and does not where its values moved alike.

    Values that differ by more than that, yet of which none is a cause, decide nothing at first; a second look prices
    how many values were looked at.
    """
    if any(set(suspicion.dimensions) & set(cause.segment) for cause in causes):
        return "CONFIRMED"
    if "chance" in result.table.column_names:
        return "RULED_OUT" if result.number(0, "chance") >= CHANCE else None
    apart = [result.number(row, "standard_errors") for row in range(result.table.num_rows)]
    return None if any(abs(one) >= ALIKE for one in apart) else "RULED_OUT"


def _seen(work: RunContext, task: str, suspicion: Suspicion) -> bool:
    """Whether the figure that the cause speaks of moved, by the plain numbers of the round, and in its direction."""
    result = Cells(work, task)
    cause = cause_of(suspicion, causes_of(work))
    if cause is None:
        return False
    if cause.kind == "new_or_gone":
        return True
    moved = result.number(0, "after") - result.number(0, "before")
    if abs(moved) < UNMOVED * abs(result.number(0, "before")):
        return False
    if cause.before is None or cause.after is None:
        return moved != 0
    return (moved > 0) == (cause.after > cause.before)


def _decided(holds: bool) -> Verdict:
    return "CONFIRMED" if holds else "RULED_OUT"
