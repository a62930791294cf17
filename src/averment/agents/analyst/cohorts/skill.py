"""The cohorts skill as the analyst sees it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from averment.agents.analyst.cohorts.conclude import conclude, method_of
from averment.agents.analyst.cohorts.reading import COHORT, RETENTION, CohortsReading
from averment.agents.analyst.cohorts.understand import read_cohorts
from averment.agents.analyst.parts.planning import chart_task, layered_task
from averment.agents.analyst.parts.reading import read_each
from averment.agents.analyst.skill import QUERY, Candidate, Question, Told
from averment.records.analysis import Subtask

if TYPE_CHECKING:
    from averment.spine.work import Work


class CohortsSkill:
    """Retention by cohort, and new, active and returning members by period."""

    name = "cohorts"

    def read(self, question: Question) -> Sequence[Candidate]:
        """The cohorts asked about, or what to ask back; nothing when there are none."""
        return read_each(self.name, question, read_cohorts)

    def tasks(self, work: Work, reading: dict[str, Any]) -> tuple[Subtask, ...]:
        """The cohorts or periods, and the chart."""
        read = CohortsReading.model_validate(reading)
        query = layered_task(work, QUERY, f"Count the {read.in_words()}. Method: {method_of(read)}", read.query())
        if read.kind == "retention":
            title = f"retention of {read.member} by cohort"
            return (query, *chart_task(work, "heatmap", read.after, RETENTION, title, series=COHORT))
        return (query, *chart_task(work, "line", read.label, read.kind, f"{read.kind} {read.member} by {read.label}"))

    def conclude(self, work: Work, reading: dict[str, Any]) -> Told:
        """The strongest and the weakest."""
        return conclude(work, CohortsReading.model_validate(reading))
