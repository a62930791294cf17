"""What the learned reader of small tables makes of a question: plans over rows, each with how surely it is right.

It reads by itself, without the lattice, so that where it and the grammar come to one result, two readers agree.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from averment.language.numbers import find_comparisons
from averment.plans.plan import Plan
from averment.reading.rows.cell_links import LinkedQuestion
from averment.reading.rows.grid import read_grid
from averment.reading.rows.linear_ranker import rank
from averment.reading.rows.translate import to_select

if TYPE_CHECKING:
    from averment.reading.rows.grid import CellGrid
    from averment.reading.rows.program import Program
    from averment.tables.profile.profiler import TableProfile

TRUSTED = 0.8
"""From this chance of being right on an opinion may be answered by itself, where it leaves no word out."""

OFFERED = 0.5
"""From this chance on it stands among the offers."""

MOST = 3
MOST_WORDS = 40
"""Longer than this is no question about a row but a list of things to do."""

LONG = 100
"""From this many rows on a table is one of records, where a number that stands in some cell proves little."""

SHORTEST = 10
"""Fewer rows are seen at a glance, and not worth a second reader."""

_NOT_ROWS = re.compile(
    r"\b(plot|histogram|correlat\w*|distribution|trend|regress\w*|outliers?|std|standard deviation|median|variance|"
    r"scatter|bar chart|pie chart|line chart|percentile|p-value|hypothesis|normality|analy[sz]e|profile|"
    r"summari[sz]e|per|grouped|for each|by each|every)\b|^(?!.*\bhow\b).*\bby (?!the\b|a\b)\w+\s*\??$",
    re.IGNORECASE,
)
"""Words of requests that look at a table as a whole, not at its rows."""

_AVERAGE = re.compile(r"\b(?:average|mean)\b", re.IGNORECASE)
_COMPARES = re.compile(
    r"\b(?:below|above|under|exceed\w*|beyond|(?:less|more|fewer|greater|higher|lower) than)\b", re.IGNORECASE
)
_LACKS = re.compile(r"\b(?:no|without|lacking|missing)\b", re.IGNORECASE)
_SIDES = frozenset({"gt", "ge", "lt", "le"})
_BOUNDS = frozenset({">", ">=", "<", "<=", "between", "after", "before"})

Ask = Callable[[str, Sequence[Any]], list[dict[str, Any]]]


@dataclass(frozen=True, slots=True)
class RowOpinion:
    """A plan over rows, and the chance that it is what was meant."""

    plan: Plan
    sure: float


def is_short(profiles: Sequence[TableProfile]) -> bool:
    """Whether the data are one table to be read rather than records to be counted: the learned reader's own ground."""
    return len(profiles) == 1 and SHORTEST <= profiles[0].row_count < LONG


def opinions(text: str, profiles: Sequence[TableProfile], ask: Ask) -> list[RowOpinion]:
    """The most probable plans over the rows of one small table, the best first; none for what is no such question."""
    if _NOT_ROWS.search(text) or len(text.split()) > MOST_WORDS:
        return []
    grid = read_grid(profiles, ask)
    if grid is None:
        return []
    asked = LinkedQuestion(text, grid)
    if not asked.is_grounded:
        return []
    found: list[RowOpinion] = []
    for one in rank(asked)[:MOST]:
        sure = 0.0 if passes_over(text, one.candidate.program, grid) else one.sure
        query = to_select(one.candidate, grid)
        found.append(RowOpinion(Plan(table=grid.table, query=query, expects="list"), sure))
    return found


def passes_over(text: str, program: Program, grid: CellGrid) -> bool:
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
