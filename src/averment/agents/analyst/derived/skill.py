"""The derived skill as the analyst sees it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from averment.agents.analyst.derived.conclude import conclude, method_of
from averment.agents.analyst.derived.reading import DerivedReading
from averment.agents.analyst.derived.understand import read_derived
from averment.agents.analyst.parts.planning import chart_task, layered_task
from averment.agents.analyst.parts.reading import read_each
from averment.agents.analyst.skill import QUERY, Candidate, Question, Told
from averment.records.analysis import Subtask

if TYPE_CHECKING:
    from averment.spine.work import Work


class DerivedSkill:
    """Ratios of columns, lengths and pieces of texts, and parts of dates."""

    name = "derived"

    def read(self, question: Question) -> Sequence[Candidate]:
        """The derived column asked for, or what to ask back; nothing when none is."""
        return read_each(self.name, question, read_derived)

    def tasks(self, work: Work, reading: dict[str, Any]) -> tuple[Subtask, ...]:
        """The query, and the chart where there is something to set side by side."""
        read = DerivedReading.model_validate(reading)
        query = layered_task(work, QUERY, f"Compute {read.in_words()}. Method: {method_of(read)}", read.query())
        names = [each.label for each in read.splits]
        if read.kind in {"extract", "part"}:
            title = f"{read.measure.words} by {read.derived}"
            series = names[0] if names else None
            return (query, *chart_task(work, "bar", read.derived, read.measure.label, title, series=series))
        if not names:
            return (query,)
        height = read.derived if read.kind == "ratio" else f"average {read.derived}"
        kind = "line" if read.splits[0].grain is not None else "bar"
        series = names[1] if len(names) > 1 else None
        return (query, *chart_task(work, kind, names[0], height, f"{height} by {' and '.join(names)}", series=series))

    def conclude(self, work: Work, reading: dict[str, Any]) -> Told:
        """The value, or its highest and lowest group."""
        return conclude(work, DerivedReading.model_validate(reading))
