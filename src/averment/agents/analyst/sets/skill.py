"""The sets skill as the analyst sees it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from averment.agents.analyst.parts.planning import layered_task
from averment.agents.analyst.parts.telling import Teller
from averment.agents.analyst.sets.reading import COUNT, SetReading
from averment.agents.analyst.sets.understand import read_sets
from averment.agents.analyst.skill import QUERY, Candidate, Question, Told
from averment.agents.analyst.tasks import query_cost, select_task
from averment.evidence.bind import literal
from averment.records.analysis import Subtask

if TYPE_CHECKING:
    from averment.spine.work import Work

METHOD = "each once; those among the named rows are kept, those among the others left out"


class SetSkill:
    """Who is among some rows and not among others."""

    name = "sets"

    def read(self, question: Question) -> Sequence[Candidate]:
        """The sets asked about, or what to ask back; nothing when there are none."""
        return read_sets(self.name, question)

    def tasks(self, work: Work, reading: dict[str, Any]) -> tuple[Subtask, ...]:
        """The query."""
        read = SetReading.model_validate(reading)
        words = f"Find {read.in_words()}. Method: {METHOD}"
        if read.also is not None:
            return (layered_task(work, QUERY, words, read.united()),)
        return (select_task(work, QUERY, words, read.query(), query_cost(work, read.table)),)

    def conclude(self, work: Work, reading: dict[str, Any]) -> Told:
        """How many there are, and the first of them."""
        read = SetReading.model_validate(reading)
        teller = Teller(work, METHOD)
        if read.counted:
            found = [
                teller.say("count", f"The number of different {literal(read.column)} is {{count}}.", 0, count=COUNT)
            ]
            return Told(findings=tuple(found), answer=found[0].text)
        if teller.table.num_rows == 0:
            return Told(findings=(), answer=f"No {read.column} meets that.")
        findings = [teller.count_rows("count", f"{{count}} {literal(read.column)} meet that.")]
        shown = min(teller.table.num_rows, 3)
        names = {f"name{row}": (row, read.column) for row in range(shown)}
        listed = ", ".join(f"{{name{row}}}" for row in range(shown))
        lead = (
            "It is" if teller.table.num_rows == 1 else "They are" if shown == teller.table.num_rows else "The first are"
        )
        findings.append(teller.say_rows("first", f"{lead} {listed}.", **names))
        return Told(findings=tuple(findings), answer=" ".join(each.text for each in findings))
