"""What to do next, said from what was found; no number of its own."""

from __future__ import annotations

from typing import TYPE_CHECKING

from averment.agents.driller.cells import Cells
from averment.agents.driller.conclude import calendar_counts, confirmed_causes
from averment.agents.driller.reading import ATTRIBUTION, reading_of
from averment.agents.driller.recall import Memory
from averment.agents.driller.wording import segment_words
from averment.records.drilldown import Explanation

if TYPE_CHECKING:
    from averment.spine.work import Work

MOST_STEPS = 6


def next_steps(work: Work, memory: Memory, explanations: tuple[Explanation, ...]) -> tuple[str, ...]:
    """The steps that follow from the explanations, the calendar and what could not be looked at."""
    if ATTRIBUTION not in work.answered:
        return ("Correct what stopped the computation and start the investigation again.",)
    reading = reading_of(work)
    steps: list[str] = []
    for cause, _ in confirmed_causes(work, memory):
        place = segment_words(cause.segment)
        onset = _onset(work, memory, cause.rank)
        since = f" around {onset}" if onset else ""
        if cause.verdict == "data_fault":
            steps.append("Load the faulty days again, then investigate once more.")
        elif cause.verdict == "mix":
            steps.append(f"Find out why {place} weighs otherwise than before{since}.")
        elif not cause.segment:
            steps.append(f"Look for something that reaches every segment at once{since}.")
        else:
            steps.append(f"Ask those who look after {place} what changed there{since}.")
    if not explanations:
        steps.append("Nothing calls for action; look again with longer periods if the change still seems too large.")
    if calendar_counts(work, memory):
        steps.append("Compare periods of the same length and weekdays, or the metric per day.")
    if reading.repeating:
        steps.append(f"To cut by {', '.join(reading.repeating)}, add its columns to {reading.base} first.")
    return tuple(dict.fromkeys(steps))[:MOST_STEPS]


def _onset(work: Work, memory: Memory, rank: int) -> str | None:
    """The day on which a cause set in, if a round found one."""
    for round_ in memory.rounds:
        task = str(round_.state.get("task"))
        if round_.state.get("kind") == "onset" and round_.state.get("rank") == rank and task in work.answered:
            return str(Cells(work, task).value(0, "onset"))
    return None
