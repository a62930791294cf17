"""The outliers skill as the analyst sees it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from averment.agents.analyst.outliers.conclude import BOUNDS, conclude, method_of
from averment.agents.analyst.outliers.reading import FROM, ROWS, TO, OutliersReading
from averment.agents.analyst.outliers.understand import read_outliers
from averment.agents.analyst.parts.planning import chart_task, layered_task
from averment.agents.analyst.parts.reading import read_each
from averment.agents.analyst.skill import QUERY, Candidate, Question, Told
from averment.records.analysis import Subtask

if TYPE_CHECKING:
    from averment.spine.work import Work

SPREAD = "spread"
"""The task whose table is drawn."""


class OutliersSkill:
    """The rows with unusual values, by z-score or by interquartile range, perhaps within groups."""

    name = "outliers"

    def read(self, question: Question) -> Sequence[Candidate]:
        """The unusual rows asked for, or what to ask back; nothing when there are none."""
        return read_each(self.name, question, read_outliers)

    def tasks(self, work: Work, reading: dict[str, Any]) -> tuple[Subtask, ...]:
        """The rows, the bounds they lie beyond, and the spread of all values as a picture."""
        read = OutliersReading.model_validate(reading)
        query = layered_task(work, QUERY, f"List the {read.in_words()}. Method: {method_of(read)}", read.query())
        bounds = layered_task(work, BOUNDS, f"Compute the bounds of {read.column} by {read.rule}", read.bounds())
        if read.split is None:
            title = f"distribution of {read.column}"
            drawn = chart_task(work, "histogram", FROM, ROWS, title, until=TO, task=SPREAD)
        else:
            title = f"rows with outliers in {read.column} by {read.split.label}"
            drawn = chart_task(work, "bar", read.split.label, ROWS, title, task=SPREAD)
        spread = (layered_task(work, SPREAD, f"Count the rows of the {title}", read.spread()),) if drawn else ()
        return (query, bounds, *spread, *drawn)

    def conclude(self, work: Work, reading: dict[str, Any]) -> Told:
        """How many there are, and the farthest."""
        return conclude(work, OutliersReading.model_validate(reading))
