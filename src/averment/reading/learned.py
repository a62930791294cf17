"""The learned reader: how well a plan fits the wording of a question, by weights fitted on questions with known plans.

The words that name columns, values, rows, numbers and times are taken out of the question, so that what is learned is
about English and not about tables: which words ask for which operation, and in which role a column stands after them.
A score is a sum of named weights (``learned.json``), a few microseconds for a candidate.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from functools import cache
from importlib import resources
from itertools import pairwise
from typing import TYPE_CHECKING

from averment.reading.times import is_period
from averment.reading.words import tokens

if TYPE_CHECKING:
    from averment.plans.plan import Plan, Test, Value
    from averment.reading.lattice import Span
    from averment.reading.reader import Candidate

_TAKEN_OUT = {
    "COLUMN": "#c",
    "VALUE": "#v",
    "TEST": "#v",
    "DENY": "#c",
    "NUMBER": "#n",
    "TIME": "#t",
    "PART": "#p",
    "QUOTE": "#v",
}
_EDGE = "#"


@cache
def _weights() -> dict[str, float]:
    text = resources.files("averment.reading").joinpath("learned.json").read_text(encoding="utf-8")
    return json.loads(text)["weights"]


def learned_score(question: str, candidate: Candidate) -> float:
    """How well a candidate fits the question's wording; only differences between candidates of one question count."""
    weights = _weights()
    return sum(weights.get(name, 0.0) for name in described(question, candidate))


def described(question: str, candidate: Candidate) -> list[str]:
    """The named facts about a candidate beside its question, each once, in a fixed order."""
    words = _without_names([word for word, _, _ in tokens(question)], candidate.spans)
    atoms = sorted(set(_atoms(candidate.plan)))
    found: dict[str, None] = dict.fromkeys(f"+{atom}" for atom in atoms)
    grams = _grams(words)
    for atom in atoms:
        found.update(dict.fromkeys(f"{gram}|{atom}" for gram in grams))
    found.update(dict.fromkeys(_standings(words, candidate)))
    return list(found)


def _without_names(words: list[str], spans: Sequence[Span]) -> list[str]:
    """The words with a mark in place of each name; a span of several words leaves one mark and empty places."""
    plain = list(words)
    for span in spans:
        mark = _TAKEN_OUT.get(span.type)
        if span.type == "ROW" and span.data is not None:
            mark = "#r"
        if mark is None:
            continue
        for place in range(span.start, min(span.end, len(plain))):
            plain[place] = mark if place == span.start else ""
    return plain


def _grams(words: Sequence[str]) -> list[str]:
    """Words and pairs of words, and how the question begins."""
    kept = [word for word in words if word]
    pairs = [f"{first} {second}" for first, second in pairwise(kept)]
    return list(dict.fromkeys([*kept, *pairs, f"^{' '.join(kept[:1])}", f"^{' '.join(kept[:2])}"]))


def _atoms(plan: Plan) -> Iterator[str]:
    """What a plan does, in names without any column of it."""
    for measure in plan.measures:
        yield f"figure {measure.function}"
        if measure.over is not None:
            yield "ratio"
        if measure.where and measure.function != "rate":
            yield "figure where"
    yield f"figures {min(2, len(plan.measures))}"
    yield f"groups {min(2, len(plan.by))}"
    yield f"shows {min(3, len(plan.show))}"
    yield f"joins {min(2, len(plan.joins))}"
    for value in plan.by:
        if value.kind != "column":
            yield f"by {value.kind} {value.part or ''}"
    if plan.rank is not None:
        yield f"rank {'down' if plan.rank.descending else 'up'} {'one' if plan.rank.limit == 1 else 'more'}"
        yield f"rank by {'value' if plan.rank.by is not None else 'figure'}"
    if plan.window is not None:
        yield f"window {plan.window.kind}"
    if plan.over_groups is not None:
        yield f"over groups {plan.over_groups}"
    if plan.statistic is not None:
        yield f"statistic {plan.statistic.kind}"
    if plan.combine is not None:
        yield f"combine {plan.combine.operation}"
    if plan.asks is not None:
        yield f"asks {plan.asks}"
    if plan.having:
        yield "having"
    if plan.distinct:
        yield "distinct"
    if plan.order:
        yield f"order {'down' if plan.order[0].descending else 'up'}"
    tests = list(plan.tests())
    yield f"tests {min(2, len(tests))}"
    for test in tests:
        yield f"test {test.operator}{' inner' if test.inner is not None else ''}{' not' if test.negated else ''}"


def roles_of(plan: Plan) -> dict[tuple[str, str], set[str]]:
    """What each column is used for."""
    found: dict[tuple[str, str], set[str]] = {}

    def take(values: Sequence[Value | None], role: str) -> None:
        for value in values:
            for name in value.columns() if value is not None else ():
                found.setdefault(name, set()).add(role)

    def tested(tests: Sequence[Test], role: str) -> None:
        for test in tests:
            for name in test.columns():
                found.setdefault(name, set()).add(role)
            for each in test.parts():
                if each.inner is not None:
                    for name, roles in roles_of(each.inner).items():
                        found.setdefault(name, set()).update(f"inner {role}" for role in roles)

    take(plan.by, "by")
    take(plan.show, "show")
    take([plan.rank.by if plan.rank is not None else None], "rank")
    for measure in plan.measures:
        take([measure.of], f"figure {measure.function}")
        tested(measure.where, "where")
    tested(plan.where, "where")
    for group in plan.having:
        take([group.measure.of], "having")
    if plan.statistic is not None:
        take([*plan.statistic.of, plan.statistic.by], "statistic")
    if plan.combine is not None:
        for name, roles in roles_of(plan.combine.other).items():
            found.setdefault(name, set()).update(f"other {role}" for role in roles)
    return found


def columns_named(candidate: Candidate) -> set[tuple[str, str]]:
    """The columns that words of the question name, by themselves or by one of their values."""
    return {where for span in candidate.spans if (where := _column_of(span)) is not None}


def tables_named(candidate: Candidate) -> set[str]:
    """The tables that words of the question speak of: by a row's noun, a column or a value."""
    rows = {span.data for span in candidate.spans if span.type == "ROW" and span.data is not None}
    return rows | {table for table, _ in columns_named(candidate)}


def columns_implied(candidate: Candidate) -> set[tuple[str, str]]:
    """The columns that words stand for without naming them: when it was, and what the rows of a named table are called.

    A month or a year of the question stands for the column that says when; "customers" for the customers' names.
    """
    plan = candidate.plan
    values = (*plan.by, *plan.show, *(test.value for test in plan.tests() if test.value is not None))
    timed = any(span.type in {"TIME", "PART"} for span in candidate.spans)
    rows = {span.data for span in candidate.spans if span.type == "ROW" and span.data is not None}
    found: set[tuple[str, str]] = set()
    for value in values:
        dated = timed and (value.part is not None or any(is_period(t) for t in plan.tests() if t.value == value))
        called = value.table in rows and value in plan.by
        if value.table is not None and value.column is not None and (dated or called):
            found.add((value.table, value.column))
    return found


def _column_of(span: Span) -> tuple[str, str] | None:
    if span.type in {"COLUMN", "DENY"}:
        return span.data.table, span.data.name
    if span.type == "VALUE":
        return span.data[0].table, span.data[0].name
    if span.type == "TEST":
        return next(span.data.columns(), None)
    return None


def _standings(words: Sequence[str], candidate: Candidate) -> Iterator[str]:
    """The role of each named column with the words around its name, and what the plan uses that nobody named."""
    plan = candidate.plan
    roles = roles_of(plan)
    named = columns_named(candidate) | columns_implied(candidate)
    for span in candidate.spans:
        where = _column_of(span)
        if where is None and not (span.type == "ROW" and span.data is not None):
            continue
        before = next((w for w in reversed(words[: span.start]) if w), _EDGE)
        after = next((w for w in words[span.end :] if w), _EDGE)
        kind = "value" if span.type == "TEST" else span.type.lower()
        if where is None:
            table = "own" if span.data == plan.table else ("joined" if span.data in plan.tables() else "not read")
            played = [f"row {table}"]
        else:
            played = sorted(roles.get(where, {"nothing"}))
        for role in played:
            yield f"{kind} as {role}"
            yield f"{before} <{kind}> as {role}"
            yield f"<{kind}> {after} as {role}"
    for name, played in sorted(roles.items()):
        if name not in named:
            for role in sorted(played):
                yield f"unnamed {role}"
