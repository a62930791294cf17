"""Accounting: every content word of the question must have left its trace in the plan, or the plan is no answer.

It is a gate and not a score. It looks at spans and plans alone, so it holds for plans that a grammar, a model, a recipe
or a person made.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from averment.reading.words import name_words, singular, word_list

if TYPE_CHECKING:
    from collections.abc import Sequence

    from averment.plans.plan import Plan, Test
    from averment.reading.lattice import Span
    from averment.reading.schema import Column

Holds = Callable[["Plan"], bool]

NAMED = 0.9
"""From this strength on a word names a table, which must then be looked into."""


def unaccounted(plan: Plan, spans: Sequence[Span]) -> list[str]:
    """The words of the question that the plan says nothing about."""
    left: list[str] = []
    columns = _columns(plan)
    for place, span in enumerate(spans):
        if not _is_traced(plan, span, columns, spans, place):
            left.append(span.text)
    return left


def _columns(plan: Plan) -> set[tuple[str, str]]:
    found = set(plan.columns())
    for test in plan.tests():
        if test.inner is not None:
            found |= _columns(test.inner)
    for group in plan.having:
        if group.inner is not None:
            found |= _columns(group.inner)
    if plan.combine is not None:
        found |= _columns(plan.combine.other)
    return found


def _is_traced(plan: Plan, span: Span, columns: set[tuple[str, str]], spans: Sequence[Span], place: int) -> bool:
    match span.type:
        case "COLUMN" | "DENY":
            column = span.data
            if column.expression is not None:
                return set(column.expression.columns()) <= columns
            return (
                (column.table, column.name) in columns
                or _shown_for(plan, column, columns)
                or (_is_counted_by(column, plan) and not {"name", "names", "title", "titles"} & set(span.text.split()))
                or (plan.combine is not None and column.has("label") and column.table in plan.tables())
                or _describes(column, spans, place)
            )
        case "VALUE":
            column, value = span.data
            return any(
                test.value is not None
                and (test.value.table, test.value.column) == (column.table, column.name)
                and value in test.to
                for test in _tests(plan)
            )
        case "NUMBER":
            return _number_traced(plan, span)
        case "TIME":
            return _time_traced(plan)
        case "CUE" if span.cue("distinct") and span.cue("count"):
            return _is("distinct")(plan)
        case "CUE" if span.cue("by") and _is_done_by(spans[place + 1 : place + 3]):
            return True  # who did it, and not what it is split by
        case "CUE" if span.cue("by") and plan.show and not plan.measures and _is_of_each(plan, spans, place):
            return True
        case "CUE" if span.cue("list") and {"name", "names"} & set(span.text.split()[-2:]) and span.text[:4] == "name":
            return _shows_names(plan)
        case "CUE" if span.text == "non" and plan.by:
            return True  # members and non-members are the two sides
        case "CUE":
            return any(_cue_traced(plan, name) for name in span.data) if span.data else True
        case "GRADE":
            return (
                span.data[1] == "plain"
                or plan.rank is not None
                or plan.asks is not None
                or _extreme(plan)
                or plan.statistic is not None
                or any(t.operator in {">", "<", ">=", "<="} for t in _tests(plan))
            )
        case "ROW":
            before = spans[place - 1] if place else None
            if span.data is not None and span.strength >= NAMED and span.data not in tables_of(plan):
                return False  # A table that is named is looked into.
            if before is not None and before.cue("mean", "median", "stddev", "variance"):
                return False  # An average is taken of a number, not of rows.
            each = before is not None and before.cue("by")
            ranked = plan.rank is not None and plan.rank.by is not None
            shown = len([v for v in plan.show if not ranked or (plan.rank is not None and v != plan.rank.by)]) > 0
            return not each or bool(plan.by or shown or (plan.rank is not None and plan.rank.within))
        case "UNKNOWN":
            if span.text in word_list("time_verb") and (_time_traced(plan) or _timed(plan)):
                return True
            if span.text in word_list("relation_verb") and _relates(spans):
                return True
            related = span.text in word_list("event_verb") or span.text in word_list("relation_verb")
            return related and _reaches_events(plan)
        case "QUOTE":
            return any(str(each).lower() == str(span.data).lower() for test in _tests(plan) for each in test.to)
        case _:
            return True


def _shows_names(plan: Plan) -> bool:
    """Whether something is shown that is no key, where names are asked for."""
    shown = [name_words(value.column or "")[-1:] for value in (*plan.show, *plan.by)]
    return not shown or any(last and last[0] not in word_list("keyish") for last in shown)


def _is_done_by(after: Sequence[Span]) -> bool:
    """Whether a "by" names who did it: a value stands after it."""
    kept = [span for span in after if not span.cue("both", "either", "any")]
    return bool(kept) and kept[0].type in {"VALUE", "QUOTE"}


def _relates(spans: Sequence[Span]) -> bool:
    """Whether a verb only says how two things that are named belong together: orchestras that a company manages.

    With a time beside it, it may say what happened then, which no column need hold.
    """
    things = [s for s in spans if s.type in {"ROW", "COLUMN", "VALUE", "DENY"}]
    return len(things) > 1 and not any(s.type == "TIME" for s in spans)


def _reaches_events(plan: Plan) -> bool:
    """Whether a plan looks into another table than the one it is about, or rules such rows out."""
    return bool(plan.joins) or any(t.inner is not None and t.inner.table != plan.table for t in plan.tests())


def tables_of(plan: Plan) -> set[str]:
    """Every table that a plan looks into, those of plans inside it as well."""
    found = {plan.table, *plan.tables(), *(join.right for join in plan.joins)}
    for test in plan.tests():
        if test.inner is not None:
            found |= tables_of(test.inner)
    return found


def _describes(column: Column, spans: Sequence[Span], place: int) -> bool:
    """Whether a name only says what a value before it is a value of: "a fantasy book"."""
    before = spans[place - 1] if place else None
    return before is not None and before.type == "VALUE" and bool({"name", "title"} & set(column.words))


def _tests(plan: Plan) -> list[Test]:
    found = list(plan.tests())
    for test in list(found):
        if test.inner is not None:
            found += _tests(test.inner)
    if plan.combine is not None:
        found += _tests(plan.combine.other)
    return found


def _is_of_each(plan: Plan, spans: Sequence[Span], place: int) -> bool:
    """Whether "of each player" says no more than that the rows are players."""
    after = spans[place + 1] if place + 1 < len(spans) else None
    each = spans[place].text.split()[-1] in {"each", "every"}
    return each and after is not None and after.type == "ROW" and after.data in {None, *plan.tables()}


def _is_counted_by(column: Column, plan: Plan) -> bool:
    """Whether a name stands for the rows that are counted."""
    counts = any(
        m.function in {"rows", "count", "distinct"} for m in (*plan.measures, *(g.measure for g in plan.having))
    )
    return column.has("label") and column.is_unique and counts and column.table in plan.tables()


def _shown_for(plan: Plan, column: Column, columns: set[tuple[str, str]]) -> bool:
    """A key is there as well where the name of what it points at is: a customer's name for a customer_id."""
    if not column.has("key"):
        return False
    stems = {singular(word) for word in column.words} - word_list("keyish")
    owners = {singular(word) for table, _ in columns if table != column.table for word in name_words(table)}
    return bool(stems & owners)


def _number_traced(plan: Plan, span: Span) -> bool:
    number, unit = span.data
    if plan.rank is not None and (plan.rank.limit == number or (unit == "ordinal" and plan.rank.skip == number - 1)):
        return True
    if plan.window is not None and plan.window.span is not None and number in plan.window.span:
        return True
    if any(number in group.to for group in plan.having):
        return True
    if any(m.at is not None and abs(m.at * 100 - number) < 1e-9 for m in plan.measures):
        return True
    for test in _tests(plan):
        for each in test.to:
            if isinstance(each, bool):
                continue
            if isinstance(each, int | float) and (each == number or unit):
                return True
            if isinstance(each, str) and each == span.text:
                return True
    return False


def _time_traced(plan: Plan) -> bool:
    if plan.window is not None and plan.window.span is not None:
        return True
    for test in _tests(plan):
        value = test.value
        if value is None:
            continue
        name = (value.column or "").lower()
        dated = any(isinstance(each, str) and each[:4].isdigit() for each in test.to)
        if (
            value.part is not None
            or dated
            or any(w in name for w in ("year", "month", "date", "day", "week", "quarter", "yr"))
        ):
            return True
    return False


def _extreme(plan: Plan) -> bool:
    return any(m.function in {"min", "max"} for m in plan.measures) or plan.over_groups in {"min", "max"}


def _is(function: str) -> Holds:
    return lambda plan: (
        any(m.function == function for m in plan.measures)
        or plan.over_groups == function
        or any(t.inner is not None and any(m.function == function for m in t.inner.measures) for t in plan.tests())
    )


def _counts(plan: Plan) -> bool:
    return any(
        m.function in {"rows", "count", "distinct"} for m in (*plan.measures, *(g.measure for g in plan.having))
    ) or any(m.function == "sum" for m in plan.measures)


def _ranks(plan: Plan) -> bool:
    return plan.rank is not None or _extreme(plan) or any(t.inner is not None and _ranks(t.inner) for t in plan.tests())


def _window(*kinds: str) -> Holds:
    return lambda plan: plan.window is not None and plan.window.kind in kinds


def _statistic(*kinds: str) -> Holds:
    return lambda plan: plan.statistic is not None and plan.statistic.kind in kinds


def _percent(plan: Plan) -> bool:
    return (
        any(m.function == "rate" or m.percent for m in plan.measures)
        or _window("share")(plan)
        or _columns_say(plan, ("percent", "pct", "share", "rate", "ratio", "fraction", "proportion"))
    )


def _columns_say(plan: Plan, words: tuple[str, ...]) -> bool:
    return any(word in name.lower() for _, name in plan.columns() for word in words)


def _negates(plan: Plan) -> bool:
    return (
        any(
            t.negated
            or t.operator in {"!=", "not in", "null"}
            or t.to in {(False,), (0,), ("no",), ("No",), ("N",), ("n",), ("F",), ("False",), ("false",)}
            for t in _tests(plan)
        )
        or plan.combine is not None
    )


def _timed(plan: Plan) -> bool:
    return any(_says_when(value) for value in (*plan.by, *plan.show)) or (
        plan.rank is not None and plan.rank.by is not None and _says_when(plan.rank.by)
    )


def _says_when(value: object) -> bool:
    name = (getattr(value, "column", None) or "").lower()
    return getattr(value, "part", None) is not None or any(
        w in name for w in ("year", "month", "date", "day", "week", "time", "yr")
    )


def _any(_: Plan) -> bool:
    return True


_CUES: dict[str, Holds] = {
    "mean": lambda p: _is("mean")(p) or any(m.function == "rate" for m in p.measures) or p.over_groups == "mean",
    "median": lambda p: _is("median")(p) or p.over_groups == "median",
    "sum": lambda p: _is("sum")(p) or _counts(p) or _columns_say(p, ("total", "overall")) or _percent(p),
    "min": _ranks,
    "max": _ranks,
    "stddev": _is("stddev"),
    "variance": _is("variance"),
    "distinct": lambda p: _is("distinct")(p) or p.distinct or bool(p.by),
    "count": lambda p: _counts(p) or any(m.function in {"rate", "mean", "median", "quantile"} for m in p.measures),
    "much": _any,
    "top": _ranks,
    "bottom": _ranks,
    "most": lambda p: _ranks(p) or _statistic("correlation")(p),
    "least": lambda p: _ranks(p) or _statistic("correlation")(p),
    "common": lambda p: _ranks_by_number(p),
    "rare": lambda p: _ranks_by_number(p),
    "second": lambda p: p.rank is not None and p.rank.skip == 1,
    "third": lambda p: p.rank is not None and p.rank.skip == 2,
    "ascending": lambda p: bool(p.order) or p.rank is not None,
    "descending": lambda p: bool(p.order) or p.rank is not None,
    "sorted": lambda p: bool(p.order) or p.rank is not None,
    "by": lambda p: (
        bool(p.by) or p.rank is not None or any(m.over for m in p.measures) or _ratio(p) or p.statistic is not None
    ),
    "over_time": lambda p: _timed(p) or _window("growth", "change")(p),
    "versus": lambda p: len(p.by) > 0 or len(p.measures) > 1 or p.statistic is not None,
    "than": lambda p: p.asks is not None or len(p.by) > 0 or len(p.measures) > 1 or _orders(p),
    "more": lambda p: (
        p.asks in {"more", "less"} or _orders(p) or bool(p.by) or p.statistic is not None or len(p.measures) > 1
    ),
    "less": lambda p: (
        p.asks in {"more", "less"} or _orders(p) or bool(p.by) or p.statistic is not None or len(p.measures) > 1
    ),
    "difference": lambda p: bool(p.by) or len(p.measures) > 1 or p.statistic is not None or _window("change")(p),
    "other": lambda p: bool(p.by) or p.statistic is not None or _negates(p),
    "gt": lambda p: _orders(p) or p.asks is not None,
    "lt": lambda p: _orders(p) or p.asks is not None,
    "ge": lambda p: _orders(p),
    "le": lambda p: _orders(p),
    "eq": lambda p: bool(_tests(p)),
    "or_more": lambda p: _compares(p),
    "or_less": lambda p: _compares(p),
    "between": lambda p: (
        _compares(p) or p.statistic is not None or _window("growth", "change")(p) or bool(p.by) or p.asks is not None
    ),
    "contains": lambda p: any(t.operator == "contains" for t in _tests(p)),
    "starts": lambda p: any(t.operator == "starts" for t in _tests(p)),
    "ends": lambda p: any(t.operator == "ends" for t in _tests(p)),
    "since": lambda p: _compares(p),
    "after": lambda p: _compares(p),
    "before": lambda p: _compares(p),
    "in_time": _any,
    "when": _timed,
    "first_time": lambda p: p.rank is not None or _extreme(p),
    "last_time": lambda p: p.rank is not None or _extreme(p),
    "latest": lambda p: p.rank is not None or _extreme(p) or _compares(p),
    "now_relative": _time_traced,
    "future": lambda p: False,
    "share": _percent,
    "rate": lambda p: _percent(p),
    "as_share": _percent,
    "growth": _window("growth", "change"),
    "change": _window("growth", "change"),
    "falling": _window("growth", "change"),
    "period_over_period": _window("growth", "change"),
    "running": _window("running"),
    "moving": _window("moving"),
    "correlation": _statistic("correlation"),
    "rank_correlation": _statistic("correlation"),
    "test": _statistic("difference_test"),
    "distribution": lambda p: _statistic("distribution")(p) or bool(p.by),
    "outliers": _statistic("outliers"),
    "regression": _statistic("trend"),
    "not": lambda p: _negates(p) or p.statistic is not None,
    "missing": lambda p: any(t.operator == "null" or (t.operator == "not in" and t.inner) for t in _tests(p)),
    "no": lambda p: _negates(p),
    "known": lambda p: any(t.operator == "null" for t in _tests(p)) or _any(p),
    "any": _any,
    "all_columns": lambda p: len(p.show) >= 3 or (bool(p.show) and p.expects == "table"),
    "x_axis": lambda p: bool(p.order) or p.rank is not None,
    "y_axis": lambda p: bool(p.order) or p.rank is not None,
    "which": _any,
    "list": _any,
    "both": lambda p: p.combine is not None or bool(p.by) or len(p.measures) > 1 or _columns_tested(p) > 1,
    "either": _any,
    "only": _any,
    "instead": _any,
    "same": _any,
    "chart": _any,
    "ratio": lambda p: any(m.over for m in p.measures) or _ratio(p),
    "around": _any,
}


_LIKED = ("popular", "vote", "view", "follow", "rating", "sale", "sold", "download", "stream", "play", "fan", "like")


def _ranks_by_number(plan: Plan) -> bool:
    """Whether a ranking goes by how many, or by a number that says how much something is liked."""
    if plan.rank is None:
        return any(t.inner is not None and _ranks_by_number(t.inner) for t in plan.tests())
    return plan.rank.by is None or any(word in (plan.rank.by.column or "").lower() for word in _LIKED)


def _columns_tested(plan: Plan) -> int:
    return len({(t.value.table, t.value.column) for t in _tests(plan) if t.value is not None})


def _compares(plan: Plan) -> bool:
    return bool(plan.having) or any(
        t.operator in {">", "<", ">=", "<=", "between"} or t.operator == "=" for t in _tests(plan)
    )


def _orders(plan: Plan) -> bool:
    return bool(plan.having) or any(t.operator in {">", "<", ">=", "<=", "between"} for t in _tests(plan))


def _ratio(plan: Plan) -> bool:
    return any(m.of is not None and m.of.kind == "arithmetic" for m in plan.measures)


def _cue_traced(plan: Plan, name: str) -> bool:
    if name.startswith("quantile "):
        return any(m.function == "quantile" for m in plan.measures)
    return _CUES.get(name, _any)(plan)
