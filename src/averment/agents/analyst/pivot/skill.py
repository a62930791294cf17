"""The pivot skill as the analyst sees it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from averment.agents.analyst.parts.planning import chart_task, layered_task
from averment.agents.analyst.parts.reading import read_each
from averment.agents.analyst.parts.telling import Teller
from averment.agents.analyst.pivot.reading import PivotReading
from averment.agents.analyst.pivot.understand import read_pivot
from averment.agents.analyst.skill import QUERY, Candidate, Question, Told
from averment.evidence.bind import literal
from averment.records.analysis import Subtask

if TYPE_CHECKING:
    from averment.spine.work import Work

LONG = "long"
"""The task with the same numbers one below the other."""

METHOD = "one query grouped by both, the values of one laid side by side; an empty cell has no rows"


class PivotSkill:
    """A measure by two columns or three, one of them across."""

    name = "pivot"

    def read(self, question: Question) -> Sequence[Candidate]:
        """The table asked for, or what to ask back; nothing when none is."""
        return read_each(self.name, question, read_pivot)

    def tasks(self, work: Work, reading: dict[str, Any]) -> tuple[Subtask, ...]:
        """The table of two directions, the same numbers one below the other, and the chart."""
        read = PivotReading.model_validate(reading)
        down = read.down[0].label
        title = f"{read.measure.words} by {down} and {read.across.label}"
        return (
            layered_task(work, QUERY, f"Compute {read.in_words()}. Method: {METHOD}", read.query()),
            layered_task(work, LONG, f"Compute {read.measure.words} one below the other", read.long()),
            *chart_task(work, "heatmap", down, read.measure.label, title, series=read.across.label, task=LONG),
        )

    def conclude(self, work: Work, reading: dict[str, Any]) -> Told:
        """The highest and the lowest cell, and the size of the table."""
        read = PivotReading.model_validate(reading)
        teller = Teller(work, METHOD, task=LONG)
        label = read.measure.label
        extremes = teller.extremes(label)
        if extremes is None:
            return Told(findings=(), answer="")
        names = [each.label for each in (*read.down, read.across)]
        who = " and ".join(f"{literal(name)} {{g{place}}}" for place, name in enumerate(names))
        slots = {f"g{place}": name for place, name in enumerate(names)}
        findings = [
            teller.say(
                word, f"The {word} {literal(read.measure.words)} is {{value}}, for {who}.", row, value=label, **slots
            )
            for word, row in (("highest", extremes[0]), ("lowest", extremes[1]))
        ]
        findings.append(Teller(work, METHOD).count_rows("rows", "The table has {count} rows."))
        return Told(findings=tuple(findings), answer=" ".join(each.text for each in findings[:2]))
