"""A second reader's word on what the judge left open: where two readers come to one result, it is answered.

A reader that read alone is heard only where the grammar found no place for some word; where the grammar has clean
readings that it could not choose between, the second reader's choice among them decides, unless the words fit two of
them equally; else it joins the offers.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from averment.errors import AvermentError
from averment.plans.compile import compile_plan
from averment.plans.readback import read_back
from averment.reading.judge.gates import TIE
from averment.reading.judge.judge_trace import second_record
from averment.reading.judge.judging import MOST_OFFERS
from averment.reading.judge.verdict import Reading, Verdict
from averment.reading.reader import Candidate
from averment.reading.rows.opinion import OFFERED, TRUSTED
from averment.reading.schema.result_values import plain_rows, same_rows

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from averment.reading.judge.judging import Run
    from averment.reading.rows.opinion import RowOpinion

AGREED = 0.4
"""From these odds on a clean reading is answered when a second reader comes to the same result."""


def heard(verdict: Verdict, said: Sequence[RowOpinion], run: Run, accounts: Callable[[RowOpinion], bool]) -> Verdict:
    """The verdict after a second reader was heard; ``accounts`` says whether its plan leaves no word out."""
    if verdict.kind == "answer" or not said:
        return verdict
    first = opined(said[0], run)
    if first is None:
        return verdict

    def so(came: str) -> dict[str, Any]:
        return {**verdict.record, "second": second_record(first, said[0].sure, came)}

    clean = [offer for offer in verdict.offers if not offer.candidate.left]
    agreed = next((o for o in clean[:2] if o.odds >= AGREED and is_same(first, o) and not _is_tied(o, clean)), None)
    if agreed is not None:
        odds = 1.0 - (1.0 - agreed.odds) * (1.0 - said[0].sure)
        best, record = replace(agreed, odds=odds), so("it comes to a result on offer, which is answered")
        agreement: dict[str, Any] = {"agreeing": 2, "confirmed": True}
        return replace(verdict, kind="answer", best=best, offers=[], left=(), record=record, **agreement)
    whole = bool(first.rows) and accounts(said[0])
    if whole and said[0].sure >= TRUSTED and not clean:
        record = so("it alone places every word, and is answered")
        return replace(verdict, kind="answer", best=first, offers=[], left=(), agreeing=1, record=record)
    new = not any(is_same(first, offer) for offer in verdict.offers)
    if whole and said[0].sure >= OFFERED and new:
        # What leaves no word out stands before what does.
        offers = [*clean, first, *(offer for offer in verdict.offers if offer.candidate.left)][:MOST_OFFERS]
        return replace(verdict, kind="offer", offers=offers, record=so("it is offered as well"))
    return replace(verdict, record=so("it changes nothing"))


def _is_tied(reading: Reading, others: Sequence[Reading]) -> bool:
    """Whether the words fit another reading just as well; then a second reader's choice is a guess like any."""
    score = reading.candidate.score
    return any(
        other is not reading and abs(score - other.candidate.score) < TIE and not same_rows(other.rows, reading.rows)
        for other in others
    )


def opined(opinion: RowOpinion, run: Run) -> Reading | None:
    """What a second reader means, run; None where it cannot be."""
    try:
        compiled = compile_plan(opinion.plan)
        table = run(compiled)
    except AvermentError:
        return None
    said = read_back(opinion.plan)
    candidate = Candidate(opinion.plan, said, 0.0, (), 1.0, ())
    return Reading(candidate, compiled, tuple(table.column_names), plain_rows(table), opinion.sure)


def is_same(first: Reading, other: Reading) -> bool:
    """Whether what the second reader found is a column of the other's result, row for row or as a set."""
    if not first.rows or len(first.rows) != len(other.rows):
        return False
    answer = [[row[0]] for row in first.rows]
    return any(same_rows(answer, _column(other.rows, at)) for at in range(len(other.rows[0])))


def _column(rows: list[list[Any]], at: int) -> list[list[Any]]:
    return [[row[at]] for row in rows]
