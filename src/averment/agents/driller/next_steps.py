"""What to do next, said from what was found; no number of its own."""

from __future__ import annotations

from typing import TYPE_CHECKING

from averment.agents.driller.cells import Cells
from averment.agents.driller.conclude import confirmed_causes
from averment.agents.driller.reading import ATTRIBUTION, reading_of
from averment.agents.driller.recall import Memory
from averment.agents.driller.story_words import step_of
from averment.records.drilldown.results import Explanation

if TYPE_CHECKING:
    from averment.runtime.run_context import RunContext

MOST_STEPS = 6
LARGE = 0.03
"""A move of so much of the metric calls for a look, whether or not a cause is proven."""


def next_steps(work: RunContext, memory: Memory, explanations: tuple[Explanation, ...]) -> tuple[str, ...]:
    """The steps that follow from the explanations, the calendar and what could not be looked at."""
    if ATTRIBUTION not in work.state.answered:
        return ("Correct what stopped the computation and start the investigation again.",)
    reading = reading_of(work)
    steps: list[str] = []
    for cause, _ in confirmed_causes(work, memory):
        steps.append(step_of(cause, _onset(work, memory, cause.rank), reading))
    if not explanations:
        table = Cells(work, ATTRIBUTION)
        moved = abs(table.number(0, "effect")) if table.has(0, "effect") else 0.0
        if reading.groups is not None:
            steps.append("The groups differ by no more than their rows scatter; wait for more rows, or let it be.")
        elif moved >= LARGE:
            steps.append(
                "Look at the largest movers of the breakdown: the move is large, and no cause of it is proven."
            )
        else:
            steps.append("The change is within the usual scatter; look again with longer periods if it goes on.")
    if reading.repeating:
        steps.append(f"To cut by {', '.join(reading.repeating)}, add its columns to {reading.base} first.")
    return tuple(dict.fromkeys(steps))[:MOST_STEPS]


def _onset(work: RunContext, memory: Memory, rank: int) -> str | None:
    """The day on which a cause set in, if a round found one."""
    for round_ in memory.rounds:
        task = str(round_.state.get("task"))
        if round_.state.get("kind") == "onset" and round_.state.get("rank") == rank and task in work.state.answered:
            return str(Cells(work, task).value(0, "onset"))
    return None
