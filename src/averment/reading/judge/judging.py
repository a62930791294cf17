"""The judge: runs the likeliest readings, groups them by result, and decides to answer, to offer or to decline.

One place decides, and its record says why. Accounting and sense are gates; what is left is one calibrated probability
that the best reading is right, fitted on databases it was not fitted for (``odds``).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from averment.errors import AvermentError, ColumnNotAllowed, PatternBlocked, ResourceExhausted
from averment.plans.compile import compile_plan
from averment.reading.account.word_accounts import tables_of
from averment.reading.judge.cross_reader import packaged_cross_reader, tables_text, text_of
from averment.reading.judge.gates import NAMED, gates_of, is_plain
from averment.reading.judge.judge_trace import candidates_record, readings_record, words_record
from averment.reading.judge.odds import features_of, odds_of
from averment.reading.judge.presented import without_presentation
from averment.reading.judge.subsets import tells_no_more
from averment.reading.judge.verdict import Reading, Verdict
from averment.reading.schema.result_values import plain_rows, same_rows
from averment.reading.times.time_conditions import is_period

if TYPE_CHECKING:
    import pyarrow as pa

    from averment.plans.compile import CompiledPlan
    from averment.plans.plan import Plan
    from averment.reading.lattice.spans import Lattice
    from averment.reading.reader import Candidate
    from averment.reading.schema.schema_view import Schema

MOST_RUN = 8
MOST_TRIED = 14
MOST_OFFERS = 4
ANSWERS_FROM = 0.65
"""Odds from which a reading is answered; chosen by wrong answers on data set aside from the fit."""

OFFERS_FROM = 0.01
FAR = 2.0
"""A reading whose words fit by so much less than another's does not stand before it."""

PLAIN = 0.9
"""The least odds of a reading that leaves nothing to guess; nineteen of twenty such readings are right."""
Run = Callable[["CompiledPlan"], "pa.Table"]


def judge(
    candidates: Sequence[Candidate],
    run: Run,
    *,
    question: str = "",
    schema: Schema | None = None,
    earlier: Plan | None = None,
    answers_from: float = ANSWERS_FROM,
    given: float = 1.0,
    lattices: Sequence[Lattice] = (),
) -> Verdict:
    """Answer, offer or decline, from the candidates of one question.

    The cross-reader sees the columns of ``schema`` beside the question. ``earlier`` is the plan that the question
    changes, ``given`` are the odds of what it leans on, such as an earlier reading nobody confirmed. The record
    tells of ``lattices`` what else the words could mean.
    """
    try:
        ran, refused = execute(candidates, run)
    except (ColumnNotAllowed, PatternBlocked) as error:
        return Verdict("decline", blocked=error)
    if not ran:
        first = candidates[0] if candidates else None
        record = candidates_record(candidates, refused, 0) | words_record(first and first.spans, lattices)
        return Verdict("decline", left=first.left if first else (), record=record)
    groups = grouped(ran)
    asked, seen = question, groups
    if question and earlier is None:
        asked, seen = _unshown(question, groups)
    odds = [given * each for each in probabilities(seen, asked, earlier, schema)]
    readings = [replace(group[0], odds=probability) for group, probability in zip(groups, odds, strict=True)]
    # Odds that differ by less than a hundredth do not decide: the readings stand in the grammar's order.
    # What names place comes before what a learned reader only finds likely.
    named = [not r.candidate.left and not r.candidate.links for r in readings]
    top = max((r.candidate.score for r, whole in zip(readings, named, strict=True) if whole), default=0.0)

    def place(n: int) -> tuple[bool, bool, bool, float, int]:
        own = readings[n].candidate
        return bool(own.left), not named[n], named[n] and own.score < top - FAR, -round(odds[n], 2), n

    order = sorted(range(len(readings)), key=place)
    best = readings[order[0]]
    plain = is_plain(best, readings)
    if plain and best.odds < given * PLAIN:
        best = readings[order[0]] = replace(best, odds=given * PLAIN)
    unable = candidates[0] if _is_unable(candidates[0], refused) else None
    gates = [gates_of(each, readings, answers_from=answers_from, unable=unable) for each in readings]
    record = candidates_record(candidates, refused, len(ran)) | readings_record(groups, readings, gates, best)
    record |= words_record(best.candidate.spans, lattices)
    if all(record["gates"].values()):
        return Verdict("answer", best=best, agreeing=len(groups[order[0]]), is_plain=plain, record=record)
    offers = [readings[n] for n in order if _is_offered(readings[n], best)][:MOST_OFFERS]
    if not offers:
        return Verdict("decline", best=best, left=best.candidate.left, record=record)
    return Verdict("offer", best=best, offers=_shared(offers), left=best.candidate.left, record=record)


def probabilities(
    groups: Sequence[Sequence[Reading]], question: str, earlier: Plan | None = None, schema: Schema | None = None
) -> list[float]:
    """The odds of each group's readings, with the cross-reader's word where it has one.

    A follow-up's few words say nothing by themselves, so that it is not asked about them.
    """
    reader = packaged_cross_reader() if question and earlier is None else None
    firsts = [group[0] for group in groups]
    texts = [text_of(each.candidate.read_back) for each in firsts]
    about = (
        ""
        if schema is None
        else tables_text(schema.columns_of({t for r in firsts for t in tables_of(r.candidate.plan)}))
    )
    scores = reader.scores(question, texts, about) if reader is not None else None
    return [
        odds_of(features_of(groups, place, question=question, earlier=earlier, scores=scores), heard=scores is not None)
        for place in range(len(groups))
    ]


def _unshown(question: str, groups: list[list[Reading]]) -> tuple[str, list[list[Reading]]]:
    """The question and its readings without how the answer is to be drawn."""
    asked = without_presentation(question, groups[0][0].candidate)[0]
    made = [
        [replace(each, candidate=without_presentation(question, each.candidate)[1]) for each in group]
        for group in groups
    ]
    return asked, made


def _is_unable(foremost: Candidate, refused: Sequence[str]) -> bool:
    """Whether what fits best is what the engine cannot do, so that the next best would answer something else."""
    said = f"{foremost.read_back}: "
    return not foremost.left and any(each.startswith(said) and each[len(said) :].isupper() for each in refused)


def _shared(offers: list[Reading]) -> list[Reading]:
    """Offers of which only one can be meant: their odds together are no more than certain."""
    total = max(1.0, sum(each.odds for each in offers))
    return [replace(each, odds=each.odds / total) for each in offers]


def _is_offered(reading: Reading, best: Reading) -> bool:
    """Whether a reading is near enough to be shown: it leaves no more words over, and is not hopeless."""
    linked = bool(best.candidate.links)  # The word may mean something else, or nothing here.
    near = linked or reading.candidate.score > best.candidate.score - 1.3
    most = max(len(best.candidate.left), int(linked))
    return near and len(reading.candidate.left) <= most and reading.odds >= OFFERS_FROM


def execute(
    candidates: Sequence[Candidate], run: Run, *, most: int = MOST_RUN, tried: int = MOST_TRIED
) -> tuple[list[Reading], list[str]]:
    """The readings that can be run and whose results make sense, so many ``most``, of the first ``tried``."""
    ran: list[Reading] = []
    refused: list[str] = []
    for candidate in candidates[:tried]:
        compiled = None
        try:
            compiled = compile_plan(candidate.plan)
            table = run(compiled)
        except AvermentError as error:
            foremost = candidate is candidates[0] and not candidate.left
            if foremost and candidate.weakest >= NAMED and isinstance(error, ColumnNotAllowed | PatternBlocked):
                raise  # What may not be shown is refused, and not answered by something else.
            if foremost and compiled is not None and isinstance(error, ResourceExhausted):
                # Too much for a trial; the run has more time, and its repairs.
                ran.append(Reading(candidate, compiled, (), [], tried=False))
                continue
            refused.append(f"{candidate.read_back}: {error.code}")
            continue
        rows = plain_rows(table)
        reason = senseless(candidate, compiled, rows)
        if reason is not None:
            refused.append(f"{candidate.read_back}: {reason}")
            continue
        ran.append(Reading(candidate, compiled, tuple(table.column_names), rows))
        if len(ran) >= most:
            break
    return ran, refused


def senseless(candidate: Candidate, compiled: CompiledPlan, rows: list[list[Any]]) -> str | None:
    """Why a result cannot be what was asked for, or None."""
    plan = candidate.plan
    if _is_contradictory(plan):
        return "one value cannot be two"
    if any(m.over == m.model_copy(update={"over": None, "percent": False}) for m in plan.measures):
        return "a figure divided by itself is one"
    figures = len(compiled.figures)
    empty = not rows or (plan.expects == "figure" and rows[0][-1] is None)
    if empty and plan.rank is None and any(is_period(test) for test in plan.where):
        return None  # That there is nothing in a period is an answer.
    if plan.expects == "figure" and empty:
        return "the figure is empty"
    if plan.asks in {"more", "less"} and len(plan.by) == 1 and len(rows) != 2:
        return "there are not two sides"
    if plan.measures and plan.by and not rows and not _may_be_none(candidate):
        return "no group is left"
    laid = range(1, figures + 1) if plan.across is not None and not plan.where else ()
    if any(all(row[-n] is None for row in rows) for n in laid):
        return "a value that goes across has no rows"
    if rows and any(v.kind == "piece" and all(row[n] is None for row in rows) for n, v in enumerate(plan.by)):
        return "no text has such a piece"
    if plan.rank is not None and not rows:
        return "nothing can be ranked"
    if any(test.operator == "in" and test.value in plan.by and len(rows) < len(test.to) for test in plan.where):
        return "one of the sides is not in the data"
    if figures and len(rows) > 1 and all(all(v is None for v in row[-figures:]) for row in rows):
        return "every figure is empty"
    if plan.window is not None and rows and all(row[-1] is None for row in rows):
        return "there is nothing to compare with"
    if plan.window is not None and plan.window.kind == "share" and plan.rank is None and len(rows) == 1:
        return "the share of one group is all of it"
    if (
        plan.rank is not None
        and plan.rank.limit == 1
        and not plan.rank.until
        and not plan.rank.within
        and len(rows) > 25
    ):
        return "too many share the first place"
    return None


def _may_be_none(candidate: Candidate) -> bool:
    """Whether that no group passes a bar is an answer: every word is used, and the bar is all that groups must meet."""
    plan = candidate.plan
    plain = {"rows", "distinct", "mean", "median", "rate"}
    counted = all(each.measure.function in plain and each.to for each in plan.having)
    bare = plan.rank is None and plan.window is None and plan.over_groups is None and not plan.where
    return bool(plan.having) and counted and bare and not candidate.left and candidate.weakest >= NAMED


def _is_contradictory(plan: Plan) -> bool:
    """Whether a row would have to hold two values in one column, or one and none, in the plan or in one inside it."""
    held: dict[str, set[Any]] = {}
    lacking = [test for test in plan.where if test.operator == "null" and test.value is not None]
    gaps = {(repr(test.value), test.negated) for test in lacking}
    if any((value, not negated) in gaps for value, negated in gaps):
        return True
    for test in plan.where:
        if test.inner is not None and _is_contradictory(test.inner):
            return True
        if test.operator == "=" and len(test.to) == 1 and test.value is not None and not test.negated:
            held.setdefault(test.value.model_dump_json(), set()).add(test.to[0])
    return any(len(values) > 1 for values in held.values())


def grouped(ran: list[Reading]) -> list[list[Reading]]:
    """Readings with the same result together, in the order of their first."""
    groups: list[list[Reading]] = []
    for reading in ran:
        for group in groups:
            if _same_result(group[0], reading):
                group.append(reading)
                break
        else:
            groups.append([reading])
    return groups


def _same_result(one: Reading, other: Reading) -> bool:
    if same_rows(one.rows, other.rows) or same_rows(_unpinned(one), _unpinned(other)):
        return True
    if _is_extreme_of(one, other) or _is_extreme_of(other, one) or tells_no_more(one.candidate, other.candidate):
        return True
    # "Yes: there are three" is told of either.
    exists, told = (one, other) if one.candidate.plan.asks == "any" else (other, one)
    asked, plan = exists.candidate.plan, told.candidate.plan
    if asked.asks != "any" or asked.table != plan.table or asked.where != plan.where or asked.joins != plan.joins:
        return False
    counts = plan.expects == "figure" and [each.function for each in plan.measures] == ["rows"]
    lists = bool(plan.show) and not plan.measures and plan.rank is None and len(told.rows) == len(exists.rows)
    return lists or (counts and told.rows == [[len(exists.rows)]])


def _is_extreme_of(ranked: Reading, figure: Reading) -> bool:
    """Whether one shows the row with the highest value and the other that value: the largest order, and how large."""
    first, told = ranked.candidate.plan, figure.candidate.plan
    if first.rank is None or first.rank.limit != 1 or first.rank.by is None or first.measures or told.by or told.rank:
        return False
    plain = [m.of for m in told.measures if m.function in {"min", "max"} and m.over is None and not m.where]
    same = (first.table, first.joins, first.where) == (told.table, told.joins, told.where)
    shown = {str(value) for row in ranked.rows for value in row}
    return same and plain == [first.rank.by] and len(told.measures) == 1 and str(figure.rows[0][-1]) in shown


def _unpinned(reading: Reading) -> list[list[Any]]:
    """The rows without columns that a condition pins to one value: which room it is says nothing of the warehouse."""
    pinned = {
        str(test.to[0])
        for test in reading.candidate.plan.where
        if test.operator == "=" and not test.negated and len(test.to) == 1
    }
    width = len(reading.rows[0]) if reading.rows else 0
    kept = [at for at in range(width) if {str(row[at]) for row in reading.rows} - pinned]
    return [[row[at] for at in kept] for row in reading.rows] if kept else reading.rows
