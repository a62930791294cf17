"""Accounting: every content word of the question must have left its trace in the plan, or the plan is no answer.

It is a gate and not a score. It looks at spans and plans alone, so it holds for plans that a grammar, a model, a recipe
or a person made.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from averment.reading.account.cue_traces import cue_traced, extreme, ranks, takes, tests_of, time_traced, timed
from averment.reading.account.verb_accounts import at, column_before, verb_traced
from averment.reading.words import DERIVED, is_plural, kinship, name_words, singular, word_list

if TYPE_CHECKING:
    from collections.abc import Sequence

    from averment.plans.plan import Plan
    from averment.reading.lattice.spans import Span
    from averment.reading.schema.schema_column import Column

NAMED = 0.9
"""From this strength on a word names a table, which must then be looked into."""


_TRUTHS = frozenset({"yes", "no", "true", "false", "y", "n"})


def unaccounted(plan: Plan, spans: Sequence[Span]) -> list[str]:
    """The words of the question that the plan says nothing about."""
    left: list[str] = []
    columns = _columns(plan)
    for place, span in enumerate(spans):
        if not _is_traced(plan, span, columns, spans, place):
            left.append(span.text)
    return left


def _only_counts(plan: Plan) -> bool:
    """Whether all that a plan gives is how many there are of something."""
    plain = all(m.function in {"rows", "count", "distinct"} and m.over is None for m in plan.measures)
    return bool(plan.measures) and plain and plan.window is None and plan.statistic is None


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
            if column.figure is not None:
                return any(column.figure in (m, m.over) for m in (*plan.measures, *(t.measure for t in plan.having)))
            if column.expression is not None:
                return set(column.expression.columns()) <= columns
            return (
                (column.table, column.name) in columns
                or _shown_for(plan, column, columns)
                or _names_rows(plan, column, spans, place)
                or (_is_counted_by(column, plan) and not {"name", "names", "title", "titles"} & set(span.text.split()))
                or (column.has("key") and (_counts_each(plan, spans, place) or _of_each_key(plan, column)))
                or (plan.combine is not None and column.has("label") and column.table in plan.tables())
                or _describes(column, spans, place)
                or _happens(column, spans, place)
                or any(set(column.words) < set(name_words(name)) and _is_share(name) for _, name in columns)
            )
        case "VALUE":
            column, value = span.data
            return any(
                test.value is not None
                and (test.value.table, test.value.column) == (column.table, column.name)
                and value in test.to
                for test in tests_of(plan)
            ) or _is_side(plan, column, value)
        case "TEST":
            return span.data.stands_in(plan)
        case "NUMBER":
            return _number_traced(plan, span)
        case "TIME":
            return time_traced(plan)
        case "PART":
            return timed(plan) or time_traced(plan) or plan.statistic is not None or _counts_rows(plan) or _spans(plan)
        case "CUE" if span.text == "how much" and _only_counts(plan):
            return False  # How often is not how much.
        case "CUE" if span.cue("distinct") and span.cue("count"):
            return takes("distinct")(plan)
        case "CUE" if span.text in {"best", "worst", "leading", "strongest", "weakest"}:
            return ranks(plan) and (_of_a_number(plan) or _says_in_what(spans, place))
        case "CUE" if span.cue("count") and _next_is_row(spans, place) and plan.statistic is None:
            return _counts_rows(plan)
        case "CUE" if span.text == "per" and _next_is_row(spans, place) and _of_each_row(plan, spans[place + 1]):
            return True
        case "CUE" if span.cue("by") and _is_done_by(spans[place + 1 : place + 3]):
            return True  # who did it, and not what it is split by
        case "CUE" if span.cue("by") and span.text in {"by", "by the"} and plan.order and _is_ordered(spans, place):
            return True
        case "CUE" if span.cue("by") and plan.rank is not None and _is_found(at(spans, place + 1)):
            return True  # shared by the most members
        case "CUE" if span.cue("by") and _says_each(span) and plan.rank is not None and plan.show:
            return bool(plan.rank.within) or plan.rank.limit > 1
        case "CUE" if span.cue("by") and plan.show and not plan.measures and _is_of_each(plan, spans, place):
            return True
        case "CUE" if span.cue("list") and place and span.text.endswith(("name of", "names of", "names", "full name")):
            return _shows_names(plan)
        case "CUE" if span.cue("all_columns") and _is_told_of(spans, place, columns):
            return True  # "where insurance info is missing" speaks of the column alone
        case "CUE" if span.text == "non" and plan.by:
            return True  # members and non-members are the two sides
        case "CUE":
            return any(cue_traced(plan, name) for name in span.data) if span.data else True
        case "GRADE":
            return (
                span.data[1] == "plain"
                or plan.rank is not None
                or plan.asks is not None
                or extreme(plan)
                or plan.statistic is not None
                or any(t.operator in {">", "<", ">=", "<="} for t in tests_of(plan))
            )
        case "ROW":
            before = spans[place - 1] if place else None
            if span.data is not None and span.strength >= NAMED and span.data not in tables_of(plan):
                return False  # A table that is named is looked into.
            if before is not None and before.cue("mean", "median", "stddev", "variance"):
                # An average is taken of a number, not of rows; "the average order amount" is one of a column of theirs.
                after = at(spans, place + 1)
                return after is not None and after.type == "COLUMN" and after.data.table == span.data
            if _is_found(before) and span.data not in {None, plan.table}:
                ends = plan.rank is not None or any(m.function in {"min", "max"} for m in plan.measures)
                said = {(s.data.table, s.data.name) for s in spans if s.type == "COLUMN"}
                shown = [v for v in (*plan.by, *plan.show) if (v.table, v.column) not in said]
                if ends and not any(value.table == span.data for value in shown):
                    return False  # The product that sells best is asked for, and not how much it sells.
            if _is_found(before) and plan.by and plan.rank is None and extreme(plan) and not plan.show:
                return False  # so is the best of the rows themselves in each group
            each = before is not None and before.cue("by")
            if each and before is not None and before.text == "per":
                if _of_each_row(plan, span):
                    return True
                if span.data == plan.table and any(m.function == "sum" and m.over is None for m in plan.measures):
                    return False  # What each row has is no total of many.
            ranked = plan.rank is not None and plan.rank.by is not None
            shown = len([v for v in plan.show if not ranked or (plan.rank is not None and v != plan.rank.by)]) > 0
            return not each or bool(plan.by or shown or (plan.rank is not None and plan.rank.within))
        case "UNKNOWN":
            if span.text in word_list("time_verb") and (time_traced(plan) or timed(plan)):
                return True
            if span.text in _TRUTHS and place > 1 and spans[place - 1].cue("eq") and spans[place - 2].type == "COLUMN":
                return any(t.value == spans[place - 2].data.value for t in tests_of(plan))
            if any(isinstance(to, str) and to.casefold() == span.text for test in tests_of(plan) for to in test.to):
                return True
            return verb_traced(plan, spans, place)
        case "QUOTE":
            return any(str(each).lower() == str(span.data).lower() for test in tests_of(plan) for each in test.to)
        case _:
            return True


def _is_side(plan: Plan, column: Column, value: object) -> bool:
    """Whether a value is one of the two sides that a difference is taken of."""
    window = plan.window
    if window is None or window.span is None or window.along is None or value not in window.span:
        return False
    key = plan.by[window.along]
    return (key.table, key.column) == (column.table, column.name)


def _spans(plan: Plan) -> bool:
    """Whether a plan looks along time, or at a length of it."""
    values = (*plan.show, *(m.of for m in plan.measures), plan.rank.by if plan.rank is not None else None)
    lengths = any(value is not None and value.kind in {"days", "hours", "minutes", "seconds"} for value in values)
    return lengths or plan.window is not None


def _is_found(before: Span | None) -> bool:
    """Whether what stands here asks which of the rows it is: the best, the top, which."""
    if before is None:
        return False
    graded = before.type == "GRADE" and before.data[1] != "more"
    return graded or before.cue("top", "bottom", "most", "least", "which", "common", "rare")


def _says_each(span: Span) -> bool:
    return span.text.split()[-1] in {"each", "every"}


def _of_a_number(plan: Plan) -> bool:
    """Whether what is ranked is a number of the rows, and not how many there are."""
    by = plan.rank.by if plan.rank is not None else None
    return by is not None or any(m.function not in {"rows", "count", "distinct"} for m in plan.measures)


def _is_told_of(spans: Sequence[Span], place: int, columns: set[tuple[str, str]]) -> bool:
    """Whether "info" and its like stand behind the name of a column that the plan uses."""
    column = column_before(spans, place)
    return column is not None and (column.table, column.name) in columns


def _says_in_what(spans: Sequence[Span], place: int) -> bool:
    """Whether something beside "best" says in what: a count, or what sells."""
    return any(span.cue("count") or span.type == "GRADE" for span in spans if span is not spans[place])


def _next_is_row(spans: Sequence[Span], place: int) -> bool:
    return place + 1 < len(spans) and spans[place + 1].type == "ROW"


def _of_each_row(plan: Plan, row: Span) -> bool:
    """Whether a figure is that of one row of the table: an average over its rows."""
    own = row.data is None or row.data == plan.table
    return own and bool(plan.measures) and all(m.function in {"mean", "median"} for m in plan.measures)


def _of_each_key(plan: Plan, column: Column) -> bool:
    """Whether a figure is that of one row, whose own key is named: an average visit is one of visit_id."""
    means = bool(plan.measures) and all(m.function in {"mean", "median"} for m in plan.measures)
    return means and column.is_unique and column.table == plan.table and not plan.by


def _counts_each(plan: Plan, spans: Sequence[Span], place: int) -> bool:
    """Whether each row counts of what came back or did not: a book that is out twice is two."""
    before = at(spans, place - 1)
    counted = before is not None and before.cue("count") and any(m.function == "rows" for m in plan.measures)
    return counted and any(test.operator == "null" for test in plan.where)


def _counts_rows(plan: Plan) -> bool:
    """How many things: rows, different values or a share of them, never the sum of some number."""
    figures = (*plan.measures, *(group.measure for group in plan.having))
    counted = any(m.function in {"rows", "count", "distinct", "rate"} or m.over is not None for m in figures)
    counted = counted or plan.over_groups == "count"
    return counted or any(t.inner is not None and _counts_rows(t.inner) for t in plan.tests())


def _shows_names(plan: Plan) -> bool:
    """Whether something is shown that is no key, where names are asked for."""
    shown = [name_words(value.column or "")[-1:] for value in (*plan.show, *plan.by)]
    return any(last and last[0] not in word_list("keyish") for last in shown)


def _is_done_by(after: Sequence[Span]) -> bool:
    """Whether a "by" names who did it: a value stands after it."""
    kept = [span for span in after if not span.cue("both", "either", "any")]
    return bool(kept) and kept[0].type in {"VALUE", "QUOTE"}


def _is_ordered(spans: Sequence[Span], place: int) -> bool:
    """Whether an order stands beside a "by": "by the total in descending order"."""
    beside = [*spans[max(0, place - 1) : place], *spans[place + 1 : place + 5]]
    return any(span.cue("ascending", "descending") for span in beside)


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


def _is_share(name: str) -> bool:
    """Whether a column's name says that it is a part in percent."""
    return bool({"share", "percent", "percentage", "pct", "rate", "ratio"} & set(name_words(name)))


def _happens(column: Column, spans: Sequence[Span], place: int) -> bool:
    """Whether a verb that a date is named after belongs to the value behind it: "started at Harbor"."""
    after = spans[place + 1] if place + 1 < len(spans) else None
    if column.kind != "date" or after is None or after.type not in {"VALUE", "TEST"}:
        return False
    verb = spans[place].text.split()[0]
    if after.type == "TEST":
        return verb.endswith("ed")  # "sailed from Hamburg"
    return verb not in column.words[1:] and any(kinship(verb, word) >= DERIVED for word in after.data[0].words)


def _is_of_each(plan: Plan, spans: Sequence[Span], place: int) -> bool:
    """Whether "of each player" says no more than that the rows are players."""
    after = spans[place + 1] if place + 1 < len(spans) else None
    rows = after is not None and after.type == "ROW" and after.data in {None, *plan.tables()}
    return rows and _says_each(spans[place])


def _names_rows(plan: Plan, column: Column, spans: Sequence[Span], place: int) -> bool:
    """Whether a plural only says which rows a figure is of: "average price of districts with …"."""
    before = spans[place - 1] if place else None
    asked = _is_found(before) or (before is not None and before.cue("by", "list", "count", "distinct"))
    whole = (
        column.has("label", "key") and column.is_unique and is_plural(spans[place].text) and column.table == plan.table
    )
    return whole and not asked and bool(plan.measures) and bool(plan.where) and not plan.by and plan.rank is None


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
    if plan.window is not None and plan.window.kind in {"moving", "moving_total"} and plan.window.steps == number:
        return True
    if any(number in group.to for group in plan.having):
        return True
    if any(m.at is not None and abs(m.at * 100 - number) < 1e-9 for m in plan.measures):
        return True
    for test in tests_of(plan):
        for each in test.to:
            if isinstance(each, bool):
                continue
            if isinstance(each, int | float) and (each == number or unit):
                return True
            if isinstance(each, str) and each == span.text:
                return True
    return False
