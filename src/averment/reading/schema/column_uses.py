"""What a plan uses its columns for, and which of them the words of the question name."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

from averment.reading.times.time_conditions import is_period

if TYPE_CHECKING:
    from averment.plans.plan import Plan, Test, Value
    from averment.reading.lattice.spans import Span
    from averment.reading.reader import Candidate


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
        take([*plan.statistic.of, dict(plan.statistic).get("by")], "statistic")
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


def joins_are_said(candidate: Candidate) -> bool:
    """Whether each table that a plan joins is spoken of, so that no word leaves open where it looks."""
    plan = candidate.plan
    within = [test.inner for test in plan.tests() if test.inner is not None]
    tables = {each.table for each in (plan, *within)} | {join.right for each in (plan, *within) for join in each.joins}
    return len(tables) == 1 or tables <= tables_named(candidate)


def says_what(candidate: Candidate) -> bool:
    """Whether what is asked for needs no word for a figure: "visits per vet", or the pets that have none."""
    plan, spans = candidate.plan, candidate.spans
    pairs = list(pairwise(spans))
    if [measure.function for measure in plan.measures] == ["rows"]:
        if pairs and pairs[0][0].type == "ROW" and pairs[0][1].cue("by"):
            return True
        most = [two for one, two in pairs if one.cue("most", "least", "by")]
        if plan.rank is not None and any(span.type == "ROW" and span.data == plan.table for span in most):
            return True
    absent = any(test.operator == "not in" and test.inner is not None for test in plan.where)
    return absent and any(span.cue("not", "no") for span in spans)


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
