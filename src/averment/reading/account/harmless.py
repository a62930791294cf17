"""Words without a place that say no more than a plan does: each class with the part of the plan that holds it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from averment.reading.words import word_list

if TYPE_CHECKING:
    from collections.abc import Sequence

    from averment.plans.plan import Plan
    from averment.reading.lattice.spans import Span

_RECURRING = frozenset({"month_of_year", "weekday", "hour", "day_of_month", "quarter_of_year", "weekend"})
_OBJECT = 3
"""Within how many spans a verb's object stands."""


def is_harmless(plan: Plan, spans: Sequence[Span], place: int) -> bool:
    """Whether a word that nothing names only says over again what a plan does."""
    text = spans[place].text
    return (
        (text in word_list("usual") and _is_usual(plan))
        or (text in word_list("course_verb") and _runs_on(plan))
        or (text in word_list("having_verb") and _has_its_object(plan, spans, place))
        or (text in word_list("granting_verb") and _grants(plan, spans, place))
    )


def _is_usual(plan: Plan) -> bool:
    """What is usual is an average, or comes again: the wettest month of the year over all years."""
    means = any(m.function in {"mean", "median", "rate"} for m in plan.measures) or plan.over_groups in {
        "mean",
        "median",
    }
    return means or any(value.part in _RECURRING for value in plan.by)


def _runs_on(plan: Plan) -> bool:
    """How something developed is told by its figures in time."""
    return bool(plan.measures) and any(value.part is not None and value.part not in _RECURRING for value in plan.by)


def _has_its_object(plan: Plan, spans: Sequence[Span], place: int) -> bool:
    """Whether the number that somebody has, gets or pays is the one that the plan figures: "pay a higher deposit"."""
    figured = {(m.of.table, m.of.column) for m in plan.measures if m.of is not None}
    for span in spans[place + 1 : place + 1 + _OBJECT]:
        if span.type == "COLUMN":
            return span.data.has("measure") and (span.data.table, span.data.name) in figured
        if span.type not in {"GRADE", "CUE"} or span.cue("count", "not", "no", "missing"):
            return False
    return False


def _grants(plan: Plan, spans: Sequence[Span], place: int) -> bool:
    """Whether a verb of allowing and having stands before a yes/no column that must say yes: "allow pets"."""
    after = next((span for span in spans[place + 1 : place + 3] if span.type == "COLUMN"), None)
    if after is None or not after.data.has("flag") or any(s.cue("not", "no") for s in spans[max(0, place - 2) : place]):
        return False
    tests = [*plan.where, *(test for m in plan.measures for test in m.where)]
    own = [
        t
        for t in tests
        if t.value is not None and (t.value.table, t.value.column) == (after.data.table, after.data.name)
    ]
    return bool(own) and all(not t.negated and t.to == (after.data.true_value,) for t in own)


def is_other_side(plan: Plan, spans: Sequence[Span], place: int) -> bool:
    """Whether a denial at the end is the other side of a yes/no column: members "compared with those who aren't"."""
    after = [span for span in spans[place + 1 :] if span.type != "ROW"]
    grouped = {(value.table, value.column) for value in plan.by}
    flags = [
        span
        for span in spans[:place]
        if span.type == "COLUMN" and span.data.has("flag") and (span.data.table, span.data.name) in grouped
    ]
    compared = any(span.cue("versus", "than", "difference", "more", "less") for span in spans[:place])
    return bool(flags) and not after and compared
