"""The row skill as the analyst sees it: one small table looked at whole, every reading of a question weighed."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from averment.agents.analyst.query.conclude import conclude
from averment.agents.analyst.query.reading import QueryReading
from averment.agents.analyst.query.skill import QuerySkill
from averment.agents.analyst.rows.grid import read_grid
from averment.agents.analyst.rows.links import Asked
from averment.agents.analyst.rows.rank import Ranked, rank
from averment.agents.analyst.rows.translate import to_select
from averment.agents.analyst.rows.words import QUESTION_WORDS
from averment.agents.analyst.skill import QUERY, Candidate, Told
from averment.language.numbers import find_comparisons
from averment.tables.select_spec import Output, column

if TYPE_CHECKING:
    from averment.agents.analyst.rows.grid import Grid
    from averment.agents.analyst.rows.program import Program
    from averment.agents.analyst.skill import Question
    from averment.spine.work import Work

NEARLY = 0.98
CLAIMED = 0.8
"""What asks who, which or how many over a small table is a question for rows, even where no reading of it is sure."""

TRUSTED = 0.56
"""From this chance of being right on an answer is given; below, the reading is offered as a question.

Cross-validated by table, four of five answers are right at this bar, and 45 of 100 questions are answered rightly.
"""

SHOWN = 3
_NOT_ROWS = re.compile(
    r"\b(plot|histogram|correlat\w*|distribution|trend|regress\w*|outliers?|std|standard deviation|median|variance|"
    r"scatter|bar chart|pie chart|line chart|percentile|p-value|hypothesis|normality|analy[sz]e|profile|"
    r"summari[sz]e|per|grouped|for each|by each|every)\b|^(?!.*\bhow\b).*\bby (?!the\b|a\b)\w+\s*\??$",
    re.IGNORECASE,
)
"""Words of requests that look at a table as a whole, not at its rows."""


LONG = 100
"""From this many rows on a table is one of records, where a number that stands in some cell proves little."""

_AVERAGE = re.compile(r"\b(?:average|mean)\b", re.IGNORECASE)
_COMPARES = re.compile(
    r"\b(?:below|above|under|exceed\w*|beyond|(?:less|more|fewer|greater|higher|lower) than)\b", re.IGNORECASE
)
_LACKS = re.compile(r"\b(?:no|without|lacking|missing)\b", re.IGNORECASE)
_SIDES = frozenset({"gt", "ge", "lt", "le"})
_BOUNDS = frozenset({">", ">=", "<", "<=", "between", "after", "before"})


def passes_over(text: str, program: Program, grid: Grid) -> bool:
    """Whether a program over a long table does without an average, a bound or a lack that the question asks for.

    "Average rating of visits over 50" is not the rating of visit 50, and "no stock" no cell with a naught in it.
    """
    if grid.size < LONG:
        return False
    headed = any(_AVERAGE.search(column.name) for column in grid.columns)
    if _AVERAGE.search(text) and not headed and program.form != "avg":
        return True
    bounded = program.verdict is not None or any(test.kind in _BOUNDS for test in program.tests)
    if not bounded and (_COMPARES.search(text) or any(each.op in _SIDES for each in find_comparisons(text))):
        return True
    return _LACKS.search(text) is not None and not any(test.kind in {"blank", "not in"} for test in program.tests)


class RowSkill(QuerySkill):
    """Look-ups, counts, extremes, neighbours and comparisons over the rows of one table in their order."""

    name = "rows"

    def __init__(self) -> None:
        self._last: tuple[Question, Sequence[Candidate]] | None = None

    def read(self, question: Question) -> Sequence[Candidate]:
        """The most probable readings; the first is sure when such readings are right often enough."""
        if self._last is None or self._last[0] is not question:
            self._last = (question, self._read(question))
        return self._last[1]

    def _read(self, question: Question) -> Sequence[Candidate]:
        if _NOT_ROWS.search(question.text):
            return ()
        grid = read_grid(question)
        if grid is None:
            return ()
        asked = Asked(question.text, grid)
        if not asked.is_grounded:
            return ()
        claimed = CLAIMED if asked.said & QUESTION_WORDS else 0.0
        found = rank(asked)[:SHOWN]
        found = [
            replace(one, sure=0.0) if passes_over(question.text, one.candidate.program, grid) else one for one in found
        ]
        return [self._candidate(one, grid, claimed if place == 0 else 0.0) for place, one in enumerate(found)]

    def conclude(self, work: Work, reading: dict[str, Any]) -> Told:
        """What the result says: a value, or the cells that were asked for, parts of texts among them."""
        read = QueryReading.model_validate(reading)
        if read.labels or work.table(QUERY).num_rows <= 1:
            return super().conclude(work, reading)
        outputs = tuple(Output(term=column(read.select.table, o.alias), alias=o.alias) for o in read.select.outputs)
        shown = read.select.model_copy(update={"outputs": outputs})
        return conclude(work, read.model_copy(update={"select": shown}))

    def _candidate(self, one: Ranked, grid: Grid, claimed: float) -> Candidate:
        reading = QueryReading(select=to_select(one.candidate, grid))
        said = reading.in_words()
        sure = one.sure >= TRUSTED
        return Candidate(
            skill=self.name,
            reading=reading.model_dump(mode="json", exclude_defaults=True),
            in_words=said,
            score=1.0 if sure else max(claimed, NEARLY * one.sure),
            question_back=None if sure else f"I am not sure. Do you mean: {said}?",
        )
