"""A second reader's doubt: over a short table an answer that the learned reader does not come to is only offered."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from averment.reading.judge.judge_trace import second_record
from averment.reading.judge.verdict import Reading, Verdict
from averment.reading.judge.witness import is_same, opined
from averment.reading.schema.result_values import same_rows

if TYPE_CHECKING:
    from collections.abc import Sequence

    from averment.reading.judge.judging import Run
    from averment.reading.rows.opinion import RowOpinion

DOUBTS = 0.65
"""Below this chance a second reader's own reading is no reason to doubt an answer."""

CERTAIN = 0.95
"""From these odds on an answer is not doubted: of such answers the doubting reader was never the one to be right."""

SURER = 0.7
"""From this chance on the doubting reader's own reading stands first among the offers."""


def doubted(verdict: Verdict, said: Sequence[RowOpinion], run: Run) -> Verdict:
    """An answer as it is where a second reader agrees or says nothing; else both readings to choose from."""
    best = verdict.best
    if verdict.kind != "answer" or best is None or best.odds >= CERTAIN or _is_beyond(best):
        return verdict
    if not said or said[0].sure < DOUBTS:
        return verdict
    other = opined(said[0], run)
    if other is None or not other.rows:
        return verdict
    agree = _agree(best, other)
    came = "it comes to the same result" if agree else "it comes to another result, so that both are offered"
    record = {**verdict.record, "second": second_record(other, said[0].sure, came)}
    if agree:
        return replace(verdict, agreeing=max(2, verdict.agreeing), confirmed=True, record=record)
    other = replace(other, odds=said[0].sure * (1.0 - best.odds / 2))
    mine = replace(best, odds=best.odds * (1.0 - said[0].sure / 2))
    offers = [other, mine] if said[0].sure >= SURER else [mine, other]
    return replace(verdict, kind="offer", best=offers[0], offers=offers, record=record)


def _is_beyond(best: Reading) -> bool:
    """Whether a plan does what no program over rows can say: sets, plans inside plans, windows, several figures."""
    plan = best.candidate.plan
    nested = plan.combine is not None or any(test.inner is not None for test in plan.tests())
    return nested or plan.window is not None or plan.statistic is not None or len(plan.measures) > 1


def _agree(best: Reading, other: Reading) -> bool:
    """Whether what the second reader found stands in the answer: as a column of it, or as the side that is more."""
    asks = best.candidate.plan.asks
    if asks in {"more", "less"} and len(best.rows) == 2:
        sides = sorted(best.rows, key=lambda row: float(row[-1] or 0), reverse=asks == "more")
        return same_rows([[row[0]] for row in other.rows], [[sides[0][0]]])
    return is_same(other, best)
