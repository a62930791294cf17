"""The share skill as the analyst sees it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from averment.agents.analyst.parts.planning import chart_task, layered_task
from averment.agents.analyst.parts.reading import read_each
from averment.agents.analyst.share.conclude import conclude, method_of
from averment.agents.analyst.share.reading import SHARE, ShareReading
from averment.agents.analyst.share.understand import read_share
from averment.agents.analyst.skill import QUERY, Candidate, Question, Told
from averment.records.analysis import Subtask

if TYPE_CHECKING:
    from averment.spine.work import Work


class ShareSkill:
    """Shares of a whole, contributions and rankings, by one column or more."""

    name = "share"

    def read(self, question: Question) -> Sequence[Candidate]:
        """The parts of the whole asked for, or what to ask back; nothing when there are none."""
        return read_each(self.name, question, read_share)

    def tasks(self, work: Work, reading: dict[str, Any]) -> tuple[Subtask, ...]:
        """The groups with their shares, and the chart."""
        read = ShareReading.model_validate(reading)
        height = SHARE if read.shared else read.measure.label
        names = [each.label for each in read.splits]
        title = f"{'share of ' if read.shared else ''}{read.measure.words} by {' and '.join(names)}"
        series = names[1] if len(names) > 1 else None
        return (
            layered_task(work, QUERY, f"Compute the {read.in_words()}. Method: {method_of(read)}", read.query()),
            *chart_task(work, "bar", names[0], height, title, series=series),
        )

    def conclude(self, work: Work, reading: dict[str, Any]) -> Told:
        """The asked part, the greatest and the least."""
        return conclude(work, ShareReading.model_validate(reading))
