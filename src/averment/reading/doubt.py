"""A second reader's doubt: over a short table an answer that the learned reader does not come to is only offered."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from averment.errors import AvermentError
from averment.plans.compile import compile_plan
from averment.plans.readback import read_back
from averment.reading.judge import Reading, Verdict
from averment.reading.reader import Candidate
from averment.reading.values import plain_rows, same_rows

if TYPE_CHECKING:
    from collections.abc import Sequence

    from averment.reading.judge import Run
    from averment.reading.rows.opinion import Opinion

DOUBTS = 0.65
"""Below this chance a second reader's own reading is no reason to doubt an answer."""

SURER = 0.7
"""From this chance on the doubting reader's own reading stands first among the offers."""


def doubted(verdict: Verdict, said: Sequence[Opinion], run: Run) -> Verdict:
    """An answer as it is where a second reader agrees or says nothing; else both readings to choose from."""
    best = verdict.best
    if verdict.kind != "answer" or best is None or not said or said[0].sure < DOUBTS or _is_beyond(best):
        return verdict
    try:
        compiled = compile_plan(said[0].plan)
        table = run(compiled)
    except AvermentError:
        return verdict
    rows = plain_rows(table)
    if not rows or _agree(best, rows):
        return replace(verdict, agreeing=max(2, verdict.agreeing)) if rows else verdict
    candidate = Candidate(said[0].plan, read_back(said[0].plan), 0.0, (), 1.0, ())
    other = Reading(candidate, compiled, tuple(table.column_names), rows, said[0].sure * (1.0 - best.odds / 2))
    mine = replace(best, odds=best.odds * (1.0 - said[0].sure / 2))
    offers = [other, mine] if said[0].sure >= SURER else [mine, other]
    return replace(verdict, kind="offer", best=offers[0], offers=offers)


def _is_beyond(best: Reading) -> bool:
    """Whether a plan does what no program over rows can say: sets, plans inside plans, windows, several figures."""
    plan = best.candidate.plan
    nested = plan.combine is not None or any(test.inner is not None for test in plan.tests())
    return nested or plan.window is not None or plan.statistic is not None or len(plan.measures) > 1


def _agree(best: Reading, rows: list[list[Any]]) -> bool:
    """Whether what the second reader found stands in the answer: as a column of it, or as the side that is more."""
    found = [[row[0]] for row in rows]
    asks = best.candidate.plan.asks
    if asks in {"more", "less"} and len(best.rows) == 2:
        sides = sorted(best.rows, key=lambda row: float(row[-1] or 0), reverse=asks == "more")
        return same_rows(found, [[sides[0][0]]])
    if len(rows) != len(best.rows) or not best.rows:
        return False
    return any(same_rows(found, [[row[at]] for row in best.rows]) for at in range(len(best.rows[0])))
