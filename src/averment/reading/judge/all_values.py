"""Different values counted where rows were meant: "how many shifts did she work" is not how many kinds there are."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from averment.reading.judge.verdict import Reading

FEW = 8
"""Of so many different values each is a kind, of which most conditions leave all."""


def counts_every_kind(best: Reading) -> bool:
    """Whether a condition leaves every one of a column's few values, so that their number says nothing of it.

    Three kinds of shifts are left of three on any ward: who asks how many there were means the rows. "Different" says
    that kinds are meant, and so does a word for the rows beside them: how many wards had a shift.
    """
    own = best.candidate
    plan = own.plan
    if len(plan.measures) != 1 or plan.measures[0].function != "distinct" or not plan.where or plan.over_groups:
        return False
    of = plan.measures[0].of
    if of is None or any(span.cue("distinct") for span in own.spans) or plan.rank is not None or plan.joins:
        return False
    if any(span.type == "ROW" and span.data is not None for span in own.spans):
        return False
    counted = [s.data for s in own.spans if s.type == "COLUMN" and (s.data.table, s.data.name) == (of.table, of.column)]
    if not counted or counted[0].distinct > FEW or counted[0].rows < 2 * counted[0].distinct:
        return False
    return bool(best.rows) and all(row[-1] == counted[0].distinct for row in best.rows)
