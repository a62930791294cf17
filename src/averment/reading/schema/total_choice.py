"""Whether rows that add up the others count: decided by the question, by an earlier choice, or asked.

A reading leaves such rows out. Where they would be in its figures and nothing says whether they belong there, both
readings are offered, the one without them first. A group, a name or a place in a ranking is never asked about: a total
is none of those.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING, Literal

from averment.errors import AvermentError
from averment.plans.compile import compile_plan
from averment.plans.readback import read_back
from averment.reading.schema.result_values import plain_rows, same_rows
from averment.reading.schema.total_rows import is_total
from averment.reading.words import lexicon

if TYPE_CHECKING:
    from averment.plans.plan import Plan, Test
    from averment.reading.judge.judging import Run
    from averment.reading.judge.verdict import Reading, Verdict
    from averment.reading.schema.schema_view import Schema

Choice = Literal["in", "out"]

LIKELIER = 0.8
"""The part of a reading's odds that goes to leaving the total rows out."""


def total_tests(plan: Plan) -> tuple[Test, ...]:
    """The conditions of a plan that leave total rows out."""
    return tuple(
        test
        for test in plan.where
        if test.operator == "not in" and test.value is not None and test.to and all(is_total(str(v)) for v in test.to)
    )


def column_key(test: Test) -> str:
    """How the choice about a column's total rows is remembered."""
    assert test.value is not None  # a condition on total rows has a column
    return f"total rows of {test.value.table}.{test.value.column}"


def said_of_totals(question: str, schema: Schema) -> tuple[str, Choice | None]:
    """What the question itself says of such rows, where the data have them, and the question without those words."""
    if not any(column.totals for table in schema.tables.values() for column in table.columns):
        return question, None
    for pattern, choice in _patterns():
        found = pattern.search(question)
        if found is not None:
            return f"{question[: found.start()].rstrip(' ,(')}{question[found.end() :].lstrip(')')}", choice
    return question, None


@cache
def _patterns() -> tuple[tuple[re.Pattern[str], Choice], ...]:
    """The words that leave total rows out are those that deny anything else; "with" needs the word row behind it."""
    named = {name: phrases for section in lexicon("cues").values() for name, phrases in section.items()}
    denied = sorted((*named["not"], *named["no"], "omitting", "omit", "skip", "skipping"), key=len)
    out = "|".join(re.escape(each) for each in reversed(denied))
    noun = r"(?:the |any |all |every )*(?:grand |overall )?(?:totals?|sums?|summary|subtotals?)"
    row = r" (?:rows?|lines?|records?|entry|entries)\b"
    ends = r"(?=\s*(?:$|[,.;:?!)]|(?:by|in|for|per|of)\b))"
    return (
        (re.compile(rf"\b(?:{out}) {noun}(?:{row}|{ends})", re.IGNORECASE), "out"),
        (
            re.compile(
                rf"\b(?:including|incl\.?|include|counting(?: in)?|(?:together )?with) {noun}{row}", re.IGNORECASE
            ),
            "in",
        ),
    )


def about_totals(verdict: Verdict, run: Run, *, said: Choice | None, chosen: Callable[[str], Choice | None]) -> Verdict:
    """The verdict, or the question about total rows where they would be in its figures.

    ``said`` is what the question says of them, ``chosen`` gives what was chosen before about a column, by its key.
    """
    if verdict.kind != "answer" or verdict.best is None:
        return verdict
    plan = verdict.best.candidate.plan
    tests = tuple(test for test in total_tests(plan) if _is_summed(plan, test))
    if not tests:
        return verdict
    wishes = [said or chosen(column_key(test)) for test in tests]
    kept_in = tuple(test for test, wish in zip(tests, wishes, strict=True) if wish != "out")
    if not kept_in:
        return verdict
    other = _counted_in(verdict.best, kept_in, run)
    if other is None or same_rows(other.rows, verdict.best.rows):
        return verdict
    asked = [
        {"key": column_key(test), "column": test.value.column, "rows": list(test.to)} for test in kept_in if test.value
    ]
    if all(wish is not None for wish in wishes):
        return replace(verdict, best=other, record={**verdict.record, "counted_in": asked})
    odds = verdict.best.odds
    offers = [replace(verdict.best, odds=LIKELIER * odds), replace(other, odds=(1 - LIKELIER) * odds)]
    return replace(verdict, kind="offer", offers=offers, record={**verdict.record, "total_rows": asked})


def totals_question(asked: Sequence[Mapping[str, object]]) -> str:
    """What is asked about such rows, in words."""
    parts = [f"{each['column']} has rows that add up the others ({_listed(each['rows'])})" for each in asked]
    return f"{'; '.join(parts)}. Do they count?"


def _listed(rows: object) -> str:
    return ", ".join(map(str, rows)) if isinstance(rows, list | tuple) else str(rows)


def _is_summed(plan: Plan, test: Test) -> bool:
    """Whether the rows would be in a figure: something is computed, and not of or for values of their own column."""
    own = (*plan.by, *plan.show, *(measure.of for measure in plan.measures))
    return bool(plan.measures) and test.value not in own


def _counted_in(best: Reading, tests: Sequence[Test], run: Run) -> Reading | None:
    plan = best.candidate.plan
    whole = plan.model_copy(update={"where": tuple(test for test in plan.where if test not in tests)})
    try:
        compiled = compile_plan(whole)
        table = run(compiled)
    except AvermentError:
        return None
    candidate = replace(best.candidate, plan=whole, read_back=read_back(whole))
    return replace(
        best, candidate=candidate, compiled=compiled, columns=tuple(table.column_names), rows=plain_rows(table)
    )
