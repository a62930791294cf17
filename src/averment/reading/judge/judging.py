"""The judge: runs the likeliest readings, groups them by result, and decides to answer, to offer or to decline.

One place decides, and its record says why. Accounting and sense are gates; what is left is one calibrated probability
that the best reading is right, fitted on databases it was not fitted for (``odds``).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from importlib import resources
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

from averment.errors import AvermentError, ColumnNotAllowed, PatternBlocked, ResourceExhausted
from averment.language.embeddings.minilm import MiniLmEmbedder, model_dir, whole_tokens
from averment.plans.compile import compile_plan
from averment.plans.names import plain_number
from averment.plans.readback import say_test
from averment.reading.account.word_accounts import tables_of
from averment.reading.judge.gates import NAMED, gates_of, is_plain
from averment.reading.judge.odds import features_of, odds_of
from averment.reading.judge.thin_reader import ThinReader
from averment.reading.judge.verdict import Reading, Verdict
from averment.reading.lattice.tilings import tilings, worth
from averment.reading.schema.result_values import plain_rows, same_rows
from averment.reading.times.time_conditions import is_period
from averment.reading.words import tokens

if TYPE_CHECKING:
    import pyarrow as pa

    from averment.plans.compile import CompiledPlan
    from averment.plans.plan import Plan
    from averment.reading.lattice.spans import Lattice, Span
    from averment.reading.reader import Candidate
    from averment.reading.schema.schema_view import Schema


SILENT = frozenset({"STOP", "AND"})
"""Spans that carry no meaning of their own."""

MOST_EACH = 4
"""Hypotheses that are kept of the same words, with the one that was taken."""

MOST_RIVALS = 40
"""Hypotheses that are kept of a whole question besides those that were taken; the weakest go."""

MOST_UNUSED = 12
"""Candidates that are named though they gave no reading."""

LONGEST = 80
"""Characters of a meaning that are kept."""

Row = dict[str, Any]


def words_record(spans: Sequence[Span] | None, lattices: Sequence[Lattice]) -> Row:
    """Each stretch of the question with what it was taken for and what else it could be, and words that say nothing.

    Without ``spans`` no reading came of the words: they are taken as fits them best.
    """
    if spans is None:
        spans = next((tiling.spans for lattice in lattices for tiling in tilings(lattice, most=1)), ())
    taken = sorted((s for s in spans if s.type not in SILENT), key=lambda each: (each.start, each.end))
    rows = [_row(span) for span in taken]
    rivals = sorted(_rivals(taken, lattices), key=lambda each: -each.strength)[:MOST_RIVALS]
    covered = {place for span in taken for place in range(span.start, span.end)}
    silent = [word for lattice in lattices[:1] for n, word in enumerate(lattice.words) if n not in covered]
    others = [_row(span) for span in sorted(rivals, key=_place)]
    return {"words": rows, "rivals": others, "silent": list(dict.fromkeys(silent))}


def candidates_record(candidates: Sequence[Candidate], refused: Sequence[str], ran: int) -> Row:
    """How many candidates there were, which of them were refused and which were not run, and why."""
    tried = ran + len(refused)
    made = {"candidates": len(candidates), "refused": list(refused)}
    if tried == len(candidates):
        return made
    first = [each.read_back for each in candidates[tried : tried + max(0, MOST_UNUSED - len(refused))]]
    why = f"{tried} that fit the words better were tried first"
    return {**made, "not_run": {"number": len(candidates) - tried, "why": why, "first": first}}


def readings_record(
    groups: Sequence[Sequence[Reading]],
    readings: Sequence[Reading],
    gates: Sequence[Mapping[str, str | None]],
    best: Reading,
) -> Row:
    """The readings that ran, with the gates that each failed and why, and the candidates that gave the same result.

    ``gates`` are those of ``best``; a reading passed all of them that it did not fail.
    """
    said = f"“{best.candidate.read_back}”"
    told = [
        {
            "read_back": reading.candidate.read_back,
            "odds": round(reading.odds, 4),
            "left": list(reading.candidate.left),
            "score": round(reading.candidate.score, 3),
            "failed": {gate: why.replace(said, "the foremost") for gate, why in own.items() if why is not None},
            **({"same": [each.candidate.read_back for each in group[1:]]} if len(group) > 1 else {}),
            **({"foremost": True} if reading is best else {}),
        }
        for group, reading, own in zip(groups, readings, gates, strict=True)
    ]
    own = next(own for reading, own in zip(readings, gates, strict=True) if reading is best)
    return {"readings": told, "gates": {gate: why is None for gate, why in own.items()}}


def _rivals(taken: Sequence[Span], lattices: Sequence[Lattice]) -> Iterator[Span]:
    """The strongest other hypotheses of each stretch of words."""
    seen = {_known(span) for span in taken}
    kept: dict[tuple[int, int], int] = {}
    for span in taken:
        kept[span.start, span.end] = kept.get((span.start, span.end), 0) + 1
    spans = [span for lattice in lattices for span in lattice.spans if span.type not in SILENT]
    for span in sorted(spans, key=_place):
        where = (span.start, span.end)
        if kept.get(where, 0) < MOST_EACH and _known(span) not in seen:
            seen.add(_known(span))
            kept[where] = kept.get(where, 0) + 1
            yield span


def _place(span: Span) -> tuple[int, int, float, str, str]:
    return span.start, span.end, -span.strength, span.type, meant(span)


def _known(span: Span) -> tuple[int, int, str, str]:
    return span.start, span.end, span.type, meant(span)


def _row(span: Span) -> Row:
    return {
        "at": span.start,
        "words": span.text,
        "as": span.type.lower(),
        "means": meant(span),
        "strength": round(span.strength, 3),
        **({"guessed": True} if span.guessed else {}),
        **({"chance": round(span.probability, 3)} if span.probability < 1 else {}),
    }


def meant(span: Span) -> str:
    """What a hypothesis points at, in few words."""
    said = _meant(span)
    return said if len(said) <= LONGEST else f"{said[: LONGEST - 1]}…"


def _meant(span: Span) -> str:
    match span.type:
        case "COLUMN" | "DENY" | "ASIDE":
            return f"{span.data.table}.{span.data.name}"
        case "VALUE":
            column, value = span.data
            return f"{column.table}.{column.name} = {value}"
        case "ROW":
            return f"rows of {span.data}" if span.data else "rows"
        case "NUMBER":
            return plain_number(span.data[0])
        case "CUE":
            return ", ".join(sorted(span.data))
        case "GRADE":
            return " ".join(str(part) for part in span.data[:2])
        case "TIME":
            first, last = span.data.start, span.data.end
            return f"{first} to {last}" if first and last else "a period"
        case "PART" | "QUOTE":
            return str(span.data)
        case "TEST":
            return ", ".join(say_test(test) for test in span.data.where)
        case "UNKNOWN":
            return "nothing"
        case _:
            return ""


QUESTION_TOKENS, TEXT_TOKENS, CONTEXT_TOKENS = 48, 56, 120
_KEPT_DIGITS = 3
"""Scores are rounded, so that what differs by the machine's rounding alone is the same."""
_MOST_KEPT = 512


def text_of(read_back: str) -> str:
    """What is read of a reading: its read-back, with the words of names apart."""
    return read_back.replace("_", " ")


def tables_text(tables: Iterable[tuple[str, Sequence[str]]]) -> str:
    """What is read of the tables: each with the names of its columns, so that a word may name what no plan uses."""
    return text_of("; ".join(f"{name}: {', '.join(columns)}" for name, columns in tables))


class CrossReader:
    """Scores of readings in words: log odds, as far as words alone tell."""

    def __init__(self, model: Path, fitted: Mapping[str, Any]) -> None:
        self._tokenizer, self._first, self._last = whole_tokens(model)
        self._reader = ThinReader(model, fitted)
        self._kept: dict[tuple[str, str, str], float] = {}

    def scores(self, question: str, texts: Sequence[str], tables: str = "") -> list[float]:
        """How well each text fits the question over these tables; the others beside it change nothing."""
        held = {text: self._kept.get((tables, question, text)) for text in texts}
        known = {text: score for text, score in held.items() if score is not None}
        new = [text for text in dict.fromkeys(texts) if text not in known]
        if new:
            about, asked, *said = self._tokenizer.encode_batch([tables, question, *new], add_special_tokens=False)
            head = [self._first, *asked.ids[:QUESTION_TOKENS], self._last]
            # All rows see the tables, or one mark alone, before them, as they did while the numbers were fitted.
            before = [self._first, *about.ids[:CONTEXT_TOKENS], self._last] if about.ids else [self._first]
            found = self._reader.scores(before, [[*head, *one.ids[:TEXT_TOKENS], self._last] for one in said])
            found = [round(score, _KEPT_DIGITS) for score in found]
            known |= dict(zip(new, found, strict=True))
            if len(self._kept) > _MOST_KEPT:
                self._kept.clear()  # What this question needs of it is in ``known``.
            self._kept.update(((tables, question, text), known[text]) for text in new)
        return [known[text] for text in texts]


def packaged_cross_reader() -> CrossReader | None:
    """The cross-reader that comes with the package, made at the first question; None without the sentence model.

    That there is no sentence model is not remembered: it may be fetched while the process runs.
    """
    return _made() if MiniLmEmbedder.is_available() else None


@lru_cache(maxsize=1)
def _made() -> CrossReader:
    from safetensors.numpy import load

    packaged = resources.files("averment.reading").joinpath("cross.safetensors").read_bytes()
    return CrossReader(model_dir(), load(packaged))


def without_presentation(question: str, candidate: Candidate) -> tuple[str, Candidate]:
    """A question and a reading of it without the words that ask for a chart, its axes and their order."""
    spans = sorted(candidate.spans, key=lambda span: span.start)
    shown = [span for span in spans if span.cue("chart", "x_axis", "y_axis")]
    if not shown or any(one.end > two.start for one, two in pairwise(spans)):
        return question, candidate
    gone = [span for place, span in enumerate(spans) if span in shown or _belongs(spans, place)]
    kept = [span for span in spans if span not in gone]
    if not kept:
        return question, candidate
    words = [word for word, _, _ in tokens(question)]
    taken = {place for span in gone for place in range(span.start, span.end)}
    places = [n for n in range(kept[0].start, min(kept[-1].end, len(words))) if n not in taken]
    at = {place: n for n, place in enumerate(places)}
    moved = tuple(
        replace(s, start=at[s.start], end=at[s.end - 1] + 1) for s in kept if {s.start, s.end - 1} <= at.keys()
    )
    score = candidate.score - sum(map(worth, gone))
    return " ".join(words[place] for place in places), replace(candidate, spans=moved, score=score)


def _belongs(spans: list[Span], place: int) -> bool:
    """Whether a word only leads to the chart ("show me a pie chart"), or orders what is drawn in it."""
    span = spans[place]
    after = spans[place + 1] if place + 1 < len(spans) else None
    leads = span.cue("list") and after is not None and after.cue("chart")
    return leads or span.cue("ascending", "descending") or (span.cue("sorted") and not span.cue("most", "least"))


_NAMED = 0.9


def tells_no_more(first: Candidate, second: Candidate) -> bool:
    """Whether a likelier list holds all that a second one tells of the same rows, and every column of it was named.

    Who gets the names and their courses has the names; of the two only the first uses all that was said.
    """
    one, other = first.plan, second.plan
    if not _is_plain(one) or not _is_plain(other) or not set(other.show) <= set(one.show):
        return False
    if _without_show(one) != _without_show(other):
        return False
    named = {(s.data.table, s.data.name) for s in first.spans if s.type == "COLUMN" and s.strength >= _NAMED}
    more = [value for value in one.show if value not in other.show]
    return all((value.table, value.column) in named for value in more)


def _is_plain(plan: Plan) -> bool:
    figures = plan.measures or plan.by or plan.statistic is not None or plan.query is not None
    return bool(plan.show) and not figures and not plan.order and plan.combine is None and plan.asks is None


def _without_show(plan: Plan) -> Plan:
    joins = tuple(sorted(plan.joins, key=repr))
    return plan.model_copy(update={"show": (), "joins": joins, "expects": "list"})


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
    offers = [readings[n] for n in order if _is_offered(readings[n], best)][:MOST_OFFERS]
    if all(record["gates"].values()):
        agreeing = len(groups[order[0]])
        return Verdict(
            "answer",
            best=best,
            rivals=[readings[n] for n in order[1:MOST_OFFERS]],
            agreeing=agreeing,
            is_plain=plain,
            record=record,
        )
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
