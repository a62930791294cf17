"""Accounting: every content word of the question must have left its trace in the plan, or the plan is no answer.

It is a gate and not a score. It looks at spans and plans alone, so it holds for plans that a grammar, a model, a recipe
or a person made.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from averment.reading.account.cue_traces import (
    cue_traced,
    extreme,
    only_counts,
    ranks,
    says_when,
    takes,
    tests_of,
    time_traced,
    timed,
    values_of,
)
from averment.reading.account.harmless import is_other_side
from averment.reading.account.verb_accounts import at, column_before, verb_traced
from averment.reading.schema.parties import says_how
from averment.reading.times.day_times import tests_day_time
from averment.reading.told_units import in_scale, in_unit, units_said
from averment.reading.words import (
    COUNTING_ENDS,
    DERIVED,
    adjectives,
    has_happened,
    is_plural,
    kinship,
    lexicon,
    name_words,
    singular,
    word_list,
    word_phrases,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from averment.plans.plan import Plan, Test, Value
    from averment.reading.lattice.spans import Span
    from averment.reading.schema.schema_column import Column


def column_traced(plan: Plan, span: Span, columns: set[tuple[str, str]], spans: Sequence[Span], place: int) -> bool:
    """Whether a plan does something with the column that a span names, or needs nothing of it."""
    column = span.data
    if column.figure is not None:
        return any(column.figure in (m, m.over) for m in (*plan.measures, *(t.measure for t in plan.having)))
    if column.expression is not None and column.expression.operation in {"-", "+"}:
        return column.expression in values_of(plan)  # Both numbers beside each other are no difference and no sum.
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
        or (column.kind == "date" and column.filled == column.rows and has_happened(span.text))
        or _is_true_of_all(plan, column, spans, place)
        or any(set(column.words) < set(name_words(name)) and _is_share(name) for _, name in columns)
    )


def _describes(column: Column, spans: Sequence[Span], place: int) -> bool:
    """Whether a name only says what a value before it is a value of: "a fantasy book"."""
    before = spans[place - 1] if place else None
    return before is not None and before.type == "VALUE" and bool({"name", "title"} & set(column.words))


def _is_true_of_all(plan: Plan, column: Column, spans: Sequence[Span], place: int) -> bool:
    """Whether rows are counted that each had it done to them: every check was signed by somebody.

    How many people did it is another question.
    """
    verb = spans[place].text.split()
    people = any(s.type == "ROW" and s.text in word_list("person") | word_list("people") for s in spans[:place])
    counts = bool(plan.measures) and all(m.function == "rows" for m in plan.measures)
    told = column.words[-1:] == ("by",) and column.filled == column.rows
    return told and counts and not people and verb[-1] != "by" and has_happened(verb[0])


def _is_share(name: str) -> bool:
    """Whether a column's name says that it is a part in percent."""
    return bool({"share", "percent", "percentage", "pct", "rate", "ratio"} & set(name_words(name)))


def _happens(column: Column, spans: Sequence[Span], place: int) -> bool:
    """Whether a verb that a date is named after belongs to the value behind it: "started at Harbor"."""
    after = spans[place + 1] if place + 1 < len(spans) else None
    verb = spans[place].text.split()[0]
    valued = after is not None and after.type == "VALUE" and verb.endswith("ed")
    if valued and after is not None and any(kinship(verb, word) >= DERIVED for word in after.data[0].words):
        return True  # "Embarked at Southampton", a value of the town of embarking
    if column.kind != "date" or after is None or after.type not in {"VALUE", "TEST"}:
        return False
    if after.type == "TEST":
        return verb.endswith("ed")  # "sailed from Hamburg"
    return verb not in column.words[1:] and any(kinship(verb, word) >= DERIVED for word in after.data[0].words)


def _names_rows(plan: Plan, column: Column, spans: Sequence[Span], place: int) -> bool:
    """Whether a plural only says which rows a figure is of: "average price of districts with …"."""
    before = spans[place - 1] if place else None
    asked = is_found(before) or (before is not None and before.cue("by", "list", "count", "distinct"))
    # How long they wait on average is a figure of them all, also without a condition: "to close a ticket".
    lasting = all(m.of is not None and m.of.kind in {"days", "hours", "minutes", "seconds"} for m in plan.measures)
    many = is_plural(spans[place].text) or (lasting and column.has("key", "label"))
    whole = column.has("label", "key") and column.is_unique and many and column.table == plan.table
    figured = bool(plan.measures) and (lasting or bool(plan.where))
    return whole and not asked and figured and (lasting or not plan.by) and plan.rank is None


def _is_counted_by(column: Column, plan: Plan) -> bool:
    """Whether a name stands for the rows that are counted, or that a share is taken of."""
    counts = any(
        m.function in {"rows", "count", "distinct", "rate"} for m in (*plan.measures, *(g.measure for g in plan.having))
    )
    return column.has("label") and column.is_unique and counts and column.table in plan.tables()


def _shown_for(plan: Plan, column: Column, columns: set[tuple[str, str]]) -> bool:
    """A key is there as well where the name of what it points at is: a customer's name for a customer_id."""
    if not column.has("key"):
        return False
    stems = {singular(word) for word in column.words} - word_list("keyish")
    owners = {singular(word) for table, _ in columns if table != column.table for word in name_words(table)}
    return bool(stems & owners)


def _of_each_key(plan: Plan, column: Column) -> bool:
    """Whether a figure is that of one row, whose own key is named: an average visit is one of visit_id."""
    means = bool(plan.measures) and all(m.function in {"mean", "median"} for m in plan.measures)
    return means and column.is_unique and column.table == plan.table and not plan.by


def _counts_each(plan: Plan, spans: Sequence[Span], place: int) -> bool:
    """Whether each row counts of what came back or did not: a book that is out twice is two."""
    before = at(spans, place - 1)
    counted = before is not None and before.cue("count") and any(m.function == "rows" for m in plan.measures)
    return counted and any(test.operator == "null" for test in plan.where)


def is_found(before: Span | None) -> bool:
    """Whether what stands here asks which of the rows it is: the best, the top, which."""
    if before is None:
        return False
    graded = before.type == "GRADE" and before.data[1] != "more"
    return graded or before.cue("top", "bottom", "most", "least", "which", "common", "rare")


def _is_of_people(test: Test) -> bool:
    """Whether a column that is held against so many people is one of people, and not the room of a car."""
    named = {singular(word) for word in name_words(test.value.column or "")} if test.value is not None else set[str]()
    known = {*word_list("people"), *lexicon("words")["unit"]["person"].split()}
    return bool(named & {singular(word) for word in known})


def _in_unit_of(value: Value | None, number: float, unit: str) -> float | None:
    """A number as what it is held against has it, in its own unit or its thousands."""
    name = value.column or "" if value is not None else ""
    return in_unit(name, number, unit) if unit and units_said(unit) else in_scale(name, number)


def number_traced(plan: Plan, span: Span) -> bool:
    """Whether a number of the question stands in the plan: as a bar, a limit, a percentile, a side or a value."""
    number, unit = span.data
    if plan.rank is not None and (plan.rank.limit == number or (unit == "ordinal" and plan.rank.skip == number - 1)):
        return True
    if plan.window is not None and plan.window.span is not None and number in plan.window.span:
        return True
    if plan.window is not None and plan.window.kind in {"moving", "moving_total"} and plan.window.steps == number:
        return True
    if any(number in group.to or _in_unit_of(group.measure.of, number, unit) in group.to for group in plan.having):
        return True
    if any(m.at is not None and abs(m.at * 100 - number) < 1e-9 for m in plan.measures):
        return True
    for test in tests_of(plan):
        for each in test.to:
            if isinstance(each, bool):
                continue
            if isinstance(each, int | float) and (unit or each in {number, _in_unit_of(test.value, number, unit)}):
                return unit != "person" or _is_of_people(test)
            if isinstance(each, str) and each == span.text:
                return True
    return False


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
    if span.text == "who" and _tells_how(plan, spans):
        return False  # Who paid is nobody called card.
    match span.type:
        case "COLUMN" | "DENY":
            return column_traced(plan, span, columns, spans, place)
        case "VALUE":
            column, value = span.data
            return (
                any(
                    test.value is not None
                    and (test.value.table, test.value.column) == (column.table, column.name)
                    and value in test.to
                    for test in tests_of(plan)
                )
                or _is_side(plan, column, value)
                or (plan.window is not None and value in plan.window.only)
            )
        case "TEST":
            return span.data.stands_in(plan)
        case "ASIDE":
            return (span.data.table, span.data.name) not in columns
        case "NUMBER":
            return number_traced(plan, span)
        case "TIME" if span.data.recurring is not None and span.data.recurring.day_time is not None:
            return tests_day_time(plan)
        case "TIME":
            return time_traced(plan)
        case "PART":
            return timed(plan) or time_traced(plan) or plan.statistic is not None or _counts_rows(plan) or _spans(plan)
        case "CUE" if span.text == "how much" and only_counts(plan):
            return False  # How often is not how much.
        case "CUE" if span.text.endswith("amount of") and not _next_is_row(spans, place) and only_counts(plan):
            return False  # Nor is the amount of something that is no row.
        case "CUE" | "ROW" if span.text == "who" and _tells_only_when(plan):
            return False  # A day is nobody.
        case "CUE" if _is_other_end(plan, span, spans):
            return False  # From the first to the last is neither of the two.
        case "CUE" if span.cue("pooled") and len(plan.measures) > 1:
            return False  # Two figures beside each other are not put together.
        case "CUE" if span.cue("distinct") and span.cue("count"):
            return takes("distinct")(plan)
        case "CUE" if span.text in {"best", "worst", "leading", "strongest", "weakest"}:
            return ranks(plan) and (_of_a_number(plan) or _says_in_what(spans, place))
        case "CUE" if span.cue("count") and _next_is_row(spans, place) and plan.statistic is None:
            return _counts_rows(plan) or _adds_up_people(plan, spans[place + 1 :])
        case "CUE" if span.text == "per" and _next_is_row(spans, place) and _of_each_row(plan, spans[place + 1]):
            return True
        case "CUE" if span.cue("by") and _is_done_by(spans[place + 1 : place + 3]):
            return True  # who did it, and not what it is split by
        case "CUE" if span.cue("by") and span.text in {"by", "by the"} and plan.order and _is_ordered(spans, place):
            return True
        case "CUE" if span.cue("by") and plan.rank is not None and is_found(at(spans, place + 1)):
            return True  # shared by the most members
        case "CUE" if span.cue("by") and _says_each(span) and plan.rank is not None and plan.show:
            return bool(plan.rank.within) or plan.rank.limit > 1
        case "CUE" if span.cue("by") and plan.show and not plan.measures and _is_of_each(plan, spans, place):
            return True
        case "CUE" if span.cue("list") and place and span.text.endswith(("name of", "names of", "names", "full name")):
            return _shows_names(plan)
        case "CUE" if span.cue("list") and span.text.endswith("names of") and plan.measures and not plan.by:
            return False  # Names are asked for, and a figure over all has none.
        case "CUE" if span.cue("all_columns") and _is_told_of(spans, place, columns):
            return True  # "where insurance info is missing" speaks of the column alone
        case "CUE" if span.text in {"rate", "rates"} and _is_rate(column_before(spans, place), columns):
            return True  # a murder rate, where the murders of each state have fractions
        case "CUE" if span.cue("not") and span.text in word_phrases("exclusion") and _only_known(plan):
            return _is_about_gaps(at(spans, place + 1))
        case "CUE" if span.cue("not", "no", "missing") and is_other_side(plan, spans, place):
            return True
        case "CUE" if span.text == "within" and _is_tested(plan, at(spans, place + 1)):
            return True  # "correlated within versicolor": among those rows
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
                or (span.data[1] == "more" and timed(plan) and _shows(plan, span.data[0]))
                or any(t.operator in {">", "<", ">=", "<="} for t in tests_of(plan))
            )
        case "ROW":
            before = spans[place - 1] if place else None
            if span.data is not None and span.strength >= NAMED and span.data not in tables_of(plan):
                return False  # A table that is named is looked into.
            if span.data is None and _is_measured_in(plan, spans, place):
                return False  # "Seats seven people": the people are what is seated, and not the rows.
            if before is not None and before.cue("mean", "median", "stddev", "variance"):
                # An average is taken of a number, not of rows; "the average order amount" is one of a column of theirs.
                after = at(spans, place + 1)
                return after is not None and after.type == "COLUMN" and after.data.table == span.data
            if is_found(before) and span.data not in {None, plan.table} and not _is_counted(plan, span, before):
                ends = plan.rank is not None or any(m.function in {"min", "max"} for m in plan.measures)
                said = {(s.data.table, s.data.name) for s in spans if s.type == "COLUMN"}
                shown = [v for v in (*plan.by, *plan.show) if (v.table, v.column) not in said]
                if ends and not any(value.table == span.data for value in shown):
                    return False  # The product that sells best is asked for, and not how much it sells.
            if is_found(before) and plan.by and plan.rank is None and extreme(plan) and not plan.show:
                return False  # so is the best of the rows themselves in each group
            each = before is not None and before.cue("by")
            if each and before is not None and before.text == "per":
                if _of_each_row(plan, span):
                    return True
                if span.data == plan.table and any(m.function == "sum" and m.over is None for m in plan.measures):
                    return False  # What each row has is no total of many.
            ranked = plan.rank.by if plan.rank is not None else None
            shown = any(value != ranked for value in plan.show)
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


def _only_known(plan: Plan) -> bool:
    """Whether a plan rules nothing out but rows without a value."""
    turned = [t for t in tests_of(plan) if t.negated or t.operator in {"!=", "not in", "null"}]
    return bool(turned) and all(t.operator == "null" and t.negated for t in turned)


def _is_about_gaps(after: Span | None) -> bool:
    """Whether what is left out is what has no value."""
    return after is not None and after.cue("missing", "known", "no")


def _is_tested(plan: Plan, span: Span | None) -> bool:
    """Whether a plan keeps the rows with a value."""
    return (
        span is not None
        and span.type == "VALUE"
        and any(
            test.value is not None and test.value.column == span.data[0].name and span.data[1] in test.to
            for test in plan.where
        )
    )


def _tells_how(plan: Plan, spans: Sequence[Span]) -> bool:
    """Whether what a plan names is how something was done, and not by whom."""
    named = {(value.table, value.column) for value in (*plan.by, *plan.show)}
    columns = [span.data for span in spans if span.type == "COLUMN" and (span.data.table, span.data.name) in named]
    return any(column.kind == "text" and says_how(column) for column in columns)


def _shows(plan: Plan, adjective: str) -> bool:
    """Whether a plan figures what an adjective measures: as it gets warmer, the temperature."""
    of = [set(name_words(m.of.column or "")) for m in plan.measures if m.of is not None]
    measured = [set(name.split("_")) for _, names in adjectives().get(adjective, ()) for name in names]
    return bool(of) and all(any(name <= words for name in measured) for words in of)


def _is_rate(column: Column | None, columns: set[tuple[str, str]]) -> bool:
    """Whether a number that the plan uses can be a rate as it stands: it has fractions, which a count has not."""
    used = column is not None and column.has("measure") and (column.table, column.name) in columns
    return column is not None and used and not column.whole and not column.additive


def _tells_only_when(plan: Plan) -> bool:
    """Whether all that a plan shows beside its figures are times."""
    ranked = plan.rank.by if plan.rank is not None else None
    shown = [value for value in (*plan.by, *plan.show) if value != ranked]
    return bool(shown) and all(says_when(value) for value in shown)


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


def _is_counted(plan: Plan, row: Span, before: Span | None) -> bool:
    """Whether the most of some rows are what a ranking counts: the club with the most pupils."""
    first = plan.measures[0] if plan.rank is not None and plan.rank.by is None and plan.measures else None
    if first is None or first.of is None or first.function != "distinct" or before is None:
        return False
    named = {singular(word) for word in row.text.split()}
    return before.text in COUNTING_ENDS and bool(named & set(name_words(first.of.column or "")))


def _counts_rows(plan: Plan) -> bool:
    """How many things: rows, different values or a share of them, never the sum of some number."""
    figures = (*plan.measures, *(group.measure for group in plan.having))
    counted = any(m.function in {"rows", "count", "distinct", "rate"} or m.over is not None for m in figures)
    counted = counted or plan.over_groups == "count"
    return counted or any(t.inner is not None and _counts_rows(t.inner) for t in plan.tests())


def _adds_up_people(plan: Plan, after: Sequence[Span]) -> bool:
    """Whether "how many people were killed" adds up a column of whole numbers that a word behind it names.

    It does where the people are no rows of a table, or each row would be one of them.
    """
    told = after[0]
    if told.data is not None and told.strength >= NAMED:
        return False
    named = {
        (span.data.table, span.data.name)
        for span in after
        if span.type == "COLUMN" and span.data.whole and span.data.additive
    }
    added = [m for m in plan.measures if m.function == "sum" and m.of is not None and m.over is None]
    return bool(added) and all(m.of is not None and (m.of.table, m.of.column) in named for m in added)


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


_FIRST, _LAST = ("first", "first_time"), ("last", "last_time")


def _is_other_end(plan: Plan, span: Span, spans: Sequence[Span]) -> bool:
    """Whether the question names the first and the last, and a plan that finds one of them is asked for the other."""
    if plan.rank is None or not all(any(each.cue(*ends) for each in spans) for ends in (_FIRST, _LAST)):
        return False
    return span.cue(*(_FIRST if plan.rank.descending else _LAST))


def _is_measured_in(plan: Plan, spans: Sequence[Span], place: int) -> bool:
    """Whether a number of a condition is one of these, while the rows are called by another name."""
    sides = [span for span in spans[max(0, place - 2) : place] if not span.cue("or_more", "or_less")]
    number = sides[-1] if sides and sides[-1].type == "NUMBER" and sides[-1].end + 2 >= spans[place].start else None
    others = any(span.type == "ROW" and span.text != spans[place].text for span in spans)
    held = [test for test in tests_of(plan) if number is not None and number.data[0] in test.to]
    return number is not None and others and bool(held) and not plan.having


def _is_of_each(plan: Plan, spans: Sequence[Span], place: int) -> bool:
    """Whether "of each player" says no more than that the rows are players."""
    after = spans[place + 1] if place + 1 < len(spans) else None
    rows = after is not None and after.type == "ROW" and after.data in {None, *plan.tables()}
    return rows and _says_each(spans[place])
