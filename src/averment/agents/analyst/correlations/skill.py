"""The correlations skill as the analyst sees it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from averment.agents.analyst.correlations.conclude import conclude, method_of
from averment.agents.analyst.correlations.reading import FIRST, METHODS, SECOND, VALUE, CorrelationsReading
from averment.agents.analyst.correlations.understand import read_correlations
from averment.agents.analyst.parts.planning import chart_task, layered_task
from averment.agents.analyst.parts.reading import read_each
from averment.agents.analyst.skill import QUERY, Candidate, Question, Told
from averment.records.analysis import Subtask

if TYPE_CHECKING:
    from averment.spine.work import Work

MATRIX = "matrix"
"""The task whose table holds each pair both ways round, for the picture."""


class CorrelationsSkill:
    """Correlation matrices, and which columns go with one."""

    name = "correlations"

    def read(self, question: Question) -> Sequence[Candidate]:
        """The correlations asked for, or what to ask back; nothing when there are none."""
        return read_each(self.name, question, read_correlations)

    def tasks(self, work: Work, reading: dict[str, Any]) -> tuple[Subtask, ...]:
        """The pairs, and a bar for each or the matrix as a picture."""
        read = CorrelationsReading.model_validate(reading)
        query = layered_task(work, QUERY, f"Compute the {read.in_words()}. Method: {method_of(read)}", read.query())
        name = METHODS[read.method]
        if read.against is not None:
            return (query, *chart_task(work, "bar", SECOND, VALUE, f"{name} correlation with {read.against}"))
        title = f"{name} correlation of each pair"
        drawn = chart_task(work, "heatmap", FIRST, VALUE, title, series=SECOND, task=MATRIX)
        matrix = (layered_task(work, MATRIX, "Lay the pairs out as a matrix", read.matrix()),) if drawn else ()
        return (query, *matrix, *drawn)

    def conclude(self, work: Work, reading: dict[str, Any]) -> Told:
        """The strongest pairs."""
        return conclude(work, CorrelationsReading.model_validate(reading))
