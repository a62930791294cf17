"""From a tiling to slots: who measures what, what groups, what filters, what is ranked.

Each span is attached in every way its neighbours allow, each way with its cost; a beam keeps the best states. Rules are
about neighbours of a type (a comparison and its number and column, "by" and what follows), never about a sentence.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from averment.plans.plan import Test, Value
from averment.reading.attach import compare, equal, superlative
from averment.reading.concepts import concepts
from averment.reading.lattice import ADVERBS
from averment.reading.state import State
from averment.reading.times import period_tests, step_of, time_columns, time_key
from averment.reading.words import adjectives

if TYPE_CHECKING:
    from averment.reading.lattice import Span, Tiling
    from averment.reading.schema import Column, Schema, Table

STATES = 20
"""How many ways of attaching are kept side by side."""

_YES_NO = frozenset("do does did is are was were has have had can".split())
_AGGREGATES = ("mean", "median", "sum", "stddev", "variance")
_COUNTING_ENDS = frozenset({"most", "the most", "least", "the least", "fewest", "the fewest"})
"""Ends of a ranking that speak of how many rather than how much."""

_OPERATORS = {"gt": ">", "lt": "<", "ge": ">=", "le": "<="}
_PASSING = frozenset(
    [
        *("count", "much", "share", "rate", "as_share", "growth", "change", "falling", "period_over_period", "running"),
        *(
            "moving",
            "correlation",
            "rank_correlation",
            "test",
            "distribution",
            "outliers",
            "regression",
            "versus",
            "than",
        ),
        *(
            "difference",
            "other",
            "over_time",
            "which",
            "list",
            "both",
            "either",
            "only",
            "instead",
            "same",
            "any",
            "when",
        ),
        *("future", "ratio", "known", "distinct", "common", "rare", "in_time", "around", "first_time", "last_time"),
        *("latest", "now_relative"),
    ]
)


def fill(schema: Schema, home: Table, tiling: Tiling) -> list[State]:
    """Every way to read a tiling into slots, the cheapest first."""
    items = tuple(span for span in tiling.spans if span.type != "STOP")
    states = [State(schema=schema, home=home, items=items)]
    if tiling.spans and tiling.spans[0].text.split()[0] in _YES_NO:
        states[0].cues.add("yes_no")
    for place in range(len(items)):
        following: list[State] = []
        for state in states:
            if place in state.used:
                following.append(state)
                continue
            following += _step(state, place)
        following.sort(key=lambda state: state.cost)
        states = following[:STATES]
    return states


def _step(state: State, place: int) -> Iterator[State]:
    """The states that follow from reading one more span."""
    span = state.items[place]
    match span.type:
        case "UNKNOWN":
            state.unknown.append(span.text)
            yield state
        case "COLUMN":
            yield from _column(state, place, span)
        case "VALUE":
            yield from _value(state, place, span)
        case "DENY":
            state.flags.append((span.data, _negated(state, place)))
            yield state
        case "ROW":
            state.rows.append(span.data)
            state.counted = state.counted or "row"
            yield state
        case "TIME":
            yield from _time(state, span)
        case "PART":
            yield from _part(state, place, span)
        case "NUMBER":
            yield from _number(state, place, span)
        case "GRADE":
            yield from _grade(state, place, span)
        case "CUE":
            yield from _cue(state, place, span)
        case "QUOTE":
            yield from _quote(state, place, span)
        case _:
            yield state


def _negated(state: State, place: int) -> bool:
    """Whether a "not" stands right before, or before what is joined to it by "or"."""
    before = state.item(place - 1)
    if before is None:
        return False
    if before.cue("not"):
        return True
    earlier = state.item(place - 2)
    return (
        before.type in {"AND", "STOP"} and before.data in {"or", "nor"} and earlier is not None and earlier.cue("not")
    )


def _near_value(state: State, place: int, column: Column) -> bool:
    """Whether a value of this column stands beside it, so that the column's name only says what the value is."""
    for other in (place - 1, place + 1, place + 2, place - 2):
        item = state.item(other)
        if item is None or item.type != "VALUE":
            continue
        owner = item.data[0]
        if owner is column:
            return True
    return False


def _column(state: State, place: int, span: Span) -> Iterator[State]:
    column: Column = span.data
    state.columns_at.append((place, column))
    if _near_value(state, place, column):
        yield state
        return
    following = state.item(place + 1)
    if following is not None and following.cue("eq"):
        target = state.item(place + 2)
        if target is not None and target.type in {"NUMBER", "QUOTE"} and equal(state, column, target):
            state.used |= {place + 1, place + 2}
            yield state
            return
        if target is not None and target.type == "VALUE":
            state.used.add(place + 1)
            yield state
            return
    if following is not None and following.type == "NUMBER" and column.kind == "number" and not following.data[1]:
        # "class 3", "a party of 4"; a year after a number is a year.
        if not (1500 <= following.data[0] <= 2200 and not column.has("year")) and not column.has("key"):
            later = state.item(place + 2)
            one = state.copy(0.05 if column.whole else 0.4)
            operator = (
                ">="
                if later is not None and later.cue("or_more")
                else "<="
                if later is not None and later.cue("or_less")
                else "="
            )
            one.tests.append(Test(value=column.value, operator=operator, to=(following.data[0],)))
            one.used |= {place + 1} | ({place + 2} if operator != "=" else set())
            yield one
            state = state.copy(0.5)
    if column.has("flag"):
        state.flags.append((column, not _negated(state, place)))
        yield state
    elif column.has("measure"):
        state.measures.append(column)
        state.counted = state.counted or "column"
        yield state
    elif column.has("date", "year", "month", "weekday", "month_day"):
        if column.kind == "date" and column.filled < column.rows and _negated(state, place):
            state.tests.append(Test(value=column.value, operator="null"))  # not yet returned
            yield state
            return
        neighbour = state.item(place + 1)
        if neighbour is not None and neighbour.type in {"TIME"}:
            yield state
            return
        yield from _time_target(state, place, column)
    else:
        state.targets.append(column.value)
        state.target_at[len(state.targets) - 1] = place
        state.counted = state.counted or "column"
        yield state


def _time_target(state: State, place: int, column: Column) -> Iterator[State]:
    """A column that says when: by its year where its name says year, else as it is."""
    value = column.value
    if column.kind == "date" and "year" in column.words:
        value = Value(kind="part", table=column.table, column=column.name, part="year")
    state.targets.append(value)
    state.target_at[len(state.targets) - 1] = place
    yield state


def _value(state: State, place: int, span: Span) -> Iterator[State]:
    column, value = span.data
    operator = "!=" if _negated(state, place) else "="
    state.tests.append(Test(value=column.value, operator=operator, to=(value,)))
    state.values_at.append((place, column))
    beside = [item for item in (state.item(place - 1), state.item(place + 1)) if item is not None]
    named = next((item.data for item in beside if item.type == "COLUMN"), None)
    if named is not None and named is not column and named.kind == "text" and not named.has("label"):
        state.cost += 0.12
    yield state


def _time(state: State, span: Span) -> Iterator[State]:
    match = span.data
    start, end = match.start, match.end
    growing = any(item.cue("growth", "change", "difference") for item in state.items)
    if match.bound == "range" and growing and start is not None and end is not None:
        made = state.copy()
        if match.grain == "decade":
            made.span, made.span_part = (start.year, end.year - end.year % 10), "decade"
        else:
            made.span = (start.year, end.year)
        yield made
        state = state.copy(0.5)
    using = next((c for _, c in reversed(state.columns_at) if c.has("date", "year")), None)
    tables = [state.home, *(t for t in _reached(state) if t is not state.home)]
    cost = 0.0
    found = False
    for table in tables:
        for column in [using] if using is not None and using.table == table.name else time_columns(table)[:3] or [None]:
            tests = period_tests(table, match, column)
            if tests is None:
                continue
            one = state.copy(cost)
            one.tests += tests
            one.cues.add("period")
            yield one
            found = True
            cost += 0.3
        if found:
            break
    if not found:
        state.unknown.append(span.text)
        yield state


def _reached(state: State) -> list[Table]:
    return [
        state.schema.tables[name] for name in state.schema.routes.get(state.home.name, {}) if name != state.home.name
    ]


def _part(state: State, place: int, span: Span) -> Iterator[State]:
    part = span.data
    table = state.home
    before = state.item(place - 1)
    counted = before is not None and before.cue("count")
    step = step_of(table)
    if (part == step and span.text not in ADVERBS) or (
        part == "day" and any(c.has("month_day") for c in table.columns)
    ):
        # Each row is one such step: "how many days", "hottest day".
        one = state.copy()
        one.rows.append(table.name)
        one.cues.add("step_row")
        yield one
        if counted:
            return
        state = state.copy(0.25)
    key = time_key(table, part)
    if key is None:
        key = next((k for t in _reached(state) if (k := time_key(t, part)) is not None), None)
    if key is None:
        state.unknown.append(span.text)
        yield state
        return
    if span.text in ADVERBS:
        state.adverb = key
        if not state.aggregates or state.aggregates[-1] != "mean":
            state.groups.append(key)
        yield state
        return
    state.targets.append(key)
    state.target_at[len(state.targets) - 1] = place
    state.counted = state.counted or "part"
    yield state
    if part == "month" and key.kind == "part":
        other = state.copy(0.35)
        named = time_key(table, "month_of_year")
        if named is not None:
            other.targets[-1] = named
            yield other


def _number(state: State, place: int, span: Span) -> Iterator[State]:
    number, unit = span.data
    after = state.item(place + 1)
    if after is not None and after.cue("or_more", "or_less"):
        state.used.add(place + 1)
        yield from compare(state, place, place, ">=" if after.cue("or_more") else "<=", None)
        return
    ranks = any(
        item.cue("most", "least", "top", "bottom", "common", "rare")
        or (item.type == "GRADE" and item.data[1] != "more")
        for item in state.items[max(0, place - 2) : place + 4]
    )
    whole = float(number).is_integer()
    if ranks and whole and 0 < number <= 1000 and unit != "percent":
        one = state.copy(0.0 if number <= 100 else 0.3)
        if unit == "ordinal":
            one.skip = int(number) - 1
        else:
            one.limit = int(number)
        yield one
        state = state.copy(0.6)
    column = after.data if after is not None and after.type == "COLUMN" else None
    if column is not None and column.has("measure") and whole and unit != "percent":
        one = state.copy(0.1 if column.whole else 0.5)
        one.tests.append(Test(value=column.value, operator="=", to=(number,)))
        one.used.add(place + 1)
        yield one
        state = state.copy(0.4)
    if unit and unit not in {"percent", "ordinal", "dollar"}:
        yield from compare(state, place, place, "=", None)
        return
    if unit == "ordinal":
        key = time_key(state.home, "day_of_month")
        if key is not None and number <= 31:
            state.tests.append(Test(value=key, to=(int(number),)))
            yield state
            return
    state.unknown.append(span.text)
    yield state


def _grade(state: State, place: int, span: Span) -> Iterator[State]:
    adjective, degree = span.data
    ways = adjectives()[adjective]
    greater, names = next(((g, n) for g, n in ways if concepts(state, n)), ways[0])
    if degree in {"most", "least"}:
        yield from superlative(state, place, descending=greater == (degree == "most"), adjective=adjective, names=names)
        return
    if degree == "more":
        following = state.item(place + 1)
        number = state.item(place + 2)
        if following is not None and following.cue("than") and number is not None and number.cue("mean", "median"):
            yield from _graded_average(
                state, place, ">" if greater else "<", "mean" if number.cue("mean") else "median", names
            )
            return
        if following is not None and following.cue("than") and number is not None and number.type == "NUMBER":
            state.used |= {place + 1, place + 2}
            yield from compare(state, place, place + 2, ">" if greater else "<", names)
            return
        state.asks = state.asks or ("more" if greater else "less")
        state.cues.add("comparative")
        near = state.item(place + 1)
        if near is not None and near.type == "COLUMN" and near.data.has("measure"):
            yield state
            return
        found = concepts(state, names)
        for cost, column in found[:2]:
            one = state.copy(cost)
            one.measures.append(column)
            yield one
        if not found:
            state.unknown.append(span.text)
            yield state
        return
    state.unknown.append(span.text)
    yield state


def _quote(state: State, place: int, span: Span) -> Iterator[State]:
    before = [item for item in (state.item(place - 1), state.item(place - 2)) if item is not None]
    operator = next((name for name in ("contains", "starts", "ends") for item in before if item.cue(name)), None)
    column = next((c for _, c in reversed(state.columns_at) if c.kind == "text"), None)
    column = column or next((c for c in state.home.labels if c.kind == "text"), None)
    if column is None:
        state.unknown.append(span.text)
    else:
        state.drop_measure(column)
        state.tests.append(Test(value=column.value, operator=operator or "=", to=(span.data,)))
    yield state


def _cue(state: State, place: int, span: Span) -> Iterator[State]:
    names = set(span.data)
    after = state.item(place + 1)
    quantile = next((name for name in names if name.startswith("quantile ")), None)
    if quantile is not None:
        state.quantile = float(quantile.split()[1])
        state.aggregates.append("quantile")
        yield state
        return
    operator = next((_OPERATORS[name] for name in ("gt", "lt", "ge", "le") if name in names), None)
    if operator is not None:
        handled = list(_compared(state, place, operator, span))
        if handled:
            yield from handled
            return
        if names & {"gt", "lt"}:
            state.asks = state.asks or ("more" if "gt" in names else "less")
            state.cues |= {"comparative", "than"}
            yield state
            return
    if "between" in names and after is not None and after.type == "NUMBER":
        yield from _between(state, place)
        return
    if "by" in names:
        yield from _by(state, place, span)
        return
    if names & {"top", "bottom"} and after is not None and after.type == "NUMBER" and not after.data[1]:
        state.limit, state.descending = int(after.data[0]), "top" in names
        state.used.add(place + 1)
        state.cues.add("ranking")
        yield from superlative(state, place + 1, descending="top" in names, adjective=None, names=(), optional=True)
        return
    if names & {"most", "least"} and not (names & {"min", "max"} and after is not None and after.cue("count")):
        if after is not None and after.type == "GRADE":
            yield state
            return
        if after is not None and after.cue("correlation"):
            state.descending = "most" in names
            yield state
            return
        made = state.copy()
        made.counts_most = span.text in _COUNTING_ENDS
        yield from superlative(made, place, descending="most" in names, adjective=None, names=())
        if names & {"min", "max"}:
            other = state.copy(0.15)
            other.aggregates.append("max" if "max" in names else "min")
            yield other
        return
    if names & {"top", "bottom"} and not names & {"first_time", "last_time"}:
        yield from superlative(state, place, descending="top" in names, adjective=None, names=())
        return
    if names & {"common", "rare"}:
        state.descending, state.ranked_rows = "common" in names, True
        state.cues.add("common")
        yield state
        return
    if "second" in names or "third" in names:
        state.skip = 1 if "second" in names else 2
        yield state
        return
    if names & {"ascending", "descending"}:
        state.sort = "up" if "ascending" in names else "down"
        yield state
        return
    if "sorted" in names:
        state.cues.add("sorted")
        by = next((p for p in (place + 1, place + 2) if (i := state.item(p)) is not None and i.type == "COLUMN"), None)
        if by is not None:
            state.sorted_by = state.items[by].data
            state.sort = state.sort or "up"
            state.used |= set(range(place + 1, by + 1))
        yield state
        return
    aggregate = next((name for name in _AGGREGATES if name in names), None)
    if aggregate is not None:
        state.aggregates.append(aggregate)
        yield state
        return
    if names & {"min", "max"}:
        state.aggregates.append("max" if "max" in names else "min")
        yield state
        return
    if "missing" in names or "no" in names:
        yield from _absent(state, place, span, missing="missing" in names)
        return
    if "not" in names:
        following = state.item(place + 1)
        if following is not None and following.cue("missing", "known"):
            state.cues.add("known")
        state.cues.add("not")
        yield state
        return
    if names & {"more", "less"}:
        state.asks = state.asks or ("more" if "more" in names else "less")
        state.cues.add("comparative")
        yield state
        return
    if "chart" in names:
        state.chart = span.text
        yield state
        return
    if names & {"contains", "starts", "ends"}:
        yield from _text_test(state, place, names)
        return
    if names & {"first_time", "last_time"}:
        state.cues.add("first" if "first_time" in names else "last")
        yield state
        return
    if names & {"since", "after", "before", "or_more", "or_less", "eq"} and not names & _PASSING:
        state.unknown.append(span.text)
        yield state
        return
    state.cues |= names & _PASSING
    yield state


def _compared(state: State, place: int, operator: str, span: Span) -> Iterator[State]:
    """A comparison with a number, with the average, or with a column between it and its number."""
    after = state.item(place + 1)
    if after is None:
        return
    if after.type == "NUMBER":
        made = state.copy()
        made.used.add(place + 1)
        later = state.item(place + 2)
        if later is not None and later.cue("or_more", "or_less"):
            operator = ">=" if later.cue("or_more") else "<="
            made.used.add(place + 2)
        yield from compare(made, place, place + 1, operator, None)
        return
    if after.type == "COLUMN" and after.data.kind == "number":
        later = state.item(place + 2)
        if later is not None and later.type == "NUMBER":
            made = state.copy()
            made.used |= {place + 1, place + 2}
            made.tests.append(Test(value=after.data.value, operator=operator, to=(later.data[0],)))  # pyright: ignore[reportArgumentType]
            yield made
            return
    if after.cue("mean", "median"):
        yield from _above_average(state, place, operator, "mean" if after.cue("mean") else "median")


def _above_average(state: State, place: int, operator: str, function: str) -> Iterator[State]:
    from averment.plans.plan import Measure, Plan

    places = [place + 2, place - 1, place - 2]
    columns = [(p, item.data) for p in places if (item := state.item(p)) is not None and item.type == "COLUMN"]
    for cost, (at, column) in enumerate((p, c) for p, c in columns if c.has("measure")):
        made = state.copy(0.1 * cost)
        made.used |= {place + 1, at}
        made.drop_measure(column)
        inner = Plan(
            table=column.table,
            measures=(Measure(function=function, of=column.value),),  # pyright: ignore[reportArgumentType]
            expects="figure",
        )
        made.tests.append(Test(value=column.value, operator=operator, inner=inner))  # pyright: ignore[reportArgumentType]
        yield made


def _graded_average(state: State, place: int, operator: str, function: str, names: tuple[str, ...]) -> Iterator[State]:
    """ "older than average": the adjective says of what."""
    from averment.plans.plan import Measure, Plan

    for cost, column in concepts(state, names)[:2]:
        made = state.copy(cost)
        made.used |= {place + 1, place + 2}
        measure = Measure(function=function, of=column.value)  # pyright: ignore[reportArgumentType]
        inner = Plan(table=column.table, measures=(measure,), expects="figure")
        made.tests.append(Test(value=column.value, operator=operator, inner=inner))  # pyright: ignore[reportArgumentType]
        yield made


def _between(state: State, place: int) -> Iterator[State]:
    numbers = [p for p in range(place + 1, min(place + 5, len(state.items))) if state.items[p].type == "NUMBER"][:2]
    if len(numbers) < 2:
        state.unknown.append(state.items[place].text)
        yield state
        return
    low, high = (state.items[p].data[0] for p in numbers)
    state.used |= set(numbers)
    before = [
        item.data for p in (place - 1, place - 2) if (item := state.item(p)) is not None and item.type == "COLUMN"
    ]
    after = state.item(numbers[1] + 1)
    able = [c for c in before if c.kind == "number"]
    if after is not None and after.type == "COLUMN" and after.data.kind == "number":
        able.append(after.data)
    if not able:
        able = [c for _, c in concepts(state, ("age",))] if high <= 120 else []
        able = able or [m for m in reversed(state.measures)]
    for cost, column in enumerate(able[:2]):
        made = state.copy(0.2 * cost)
        made.drop_measure(column)
        made.tests.append(Test(value=column.value, operator="between", to=(low, high)))
        if after is not None and after.type == "COLUMN" and after.data is column:
            made.used.add(numbers[1] + 1)
        yield made
    if not able:
        state.unknown.append(state.items[numbers[0]].text)
        yield state


def _by(state: State, place: int, span: Span) -> Iterator[State]:
    """ "by" and what follows: groups, or the figure a ranking goes by."""
    at, got = place + 1, 0
    made = state.copy()
    first = state.item(at)
    ranking = state.descending is not None or state.has("ranking", "sorted") or state.limit is not None
    if first is not None and first.cue("mean", "median", "sum", "count", "max", "min") and ranking:
        # "by average rating": the figure the ranking goes by.
        made.cues.add("ranked_by")
        yield made
        return
    if first is not None and first.cue("count"):
        column = state.item(at + 1)
        if column is not None and column.type == "COLUMN" and column.data.has("measure") and not ranking:
            made.groups.append(column.data.value)
            made.used |= {at, at + 1}
            yield made
            return
    if first is not None and first.cue("share", "growth", "rate", "change"):
        made.cues.add("ranked_by")
        yield made
        return
    while (item := state.item(at)) is not None:
        if item.type == "AND" or item.cue("by", "both"):
            after = state.item(at + 1)
            if not got or after is None or after.type not in {"COLUMN", "PART", "ROW"}:
                break
            at += 1
            continue
        if item.type not in {"COLUMN", "PART", "ROW", "DENY"}:
            break
        if got and state.items[at - 1].type not in {"AND", "CUE"}:
            break
        if (
            item.type == "ROW"
            and (nxt := state.item(at + 1)) is not None
            and nxt.type == "COLUMN"
            and nxt.start == item.end
        ):
            made.rows.append(item.data)
            made.used.add(at)
            at += 1
            continue
        if not _group(made, item, at, per=span.text == "per", ranking=ranking):
            break
        made.used.add(at)
        got += 1
        at += 1
    if got:
        yield made
        return
    if first is not None and first.type in {"VALUE", "TIME"} and span.text not in {"by", "per"}:
        yield state
        return
    if first is not None and first.type == "UNKNOWN" and span.text == "per" and state.measures:
        found = concepts(state, (first.text,))
        if found:
            made.per = found[0][1]
            made.used.add(place + 1)
            yield made
            return
    made = state.copy()
    made.unknown.append(span.text)
    yield made


def _group(state: State, item: Span, place: int, *, per: bool, ranking: bool) -> bool:
    """One thing to group by; False where it cannot be."""
    if item.type == "PART":
        key = time_key(state.home, item.data)
        if key is None:
            key = next((k for t in _reached(state) if (k := time_key(t, item.data)) is not None), None)
        if key is None:
            return False
        if item.data == "month" and key.kind == "part" and state.has("period") is False:
            state.cues.add("month_key")
        state.groups.append(key)
        return True
    if item.type == "ROW":
        table = state.schema.tables[item.data] if item.data else state.home
        labels = table.labels
        categories = [c for c in table.columns if c.has("category") and c.kind == "text"]
        repeated = any(c.distinct < 0.5 * c.rows for c in table.times)
        if labels and labels[0].kind == "text":
            state.groups += [c.value for c in labels]
        elif len(categories) == 1 and repeated:
            state.groups.append(categories[0].value)
        elif table is state.home:
            state.cues.add("per_row")
        else:
            return False
        return True
    column: Column = item.data
    state.columns_at.append((place, column))
    if item.type == "DENY" or column.has("flag"):
        state.groups.append(column.value)
        return True
    if column.has("measure") and not (column.has("category") and not ranking):
        if per and state.measures and not ranking:
            state.per = column
        elif ranking:
            state.ranked = column
            state.descending = True if state.descending is None else state.descending
        else:
            state.groups.append(column.value)
            state.cost += 0.3 if column.distinct <= 40 else 0.9
        return True
    if column.kind == "date":
        words = set(column.words)
        part = next((p for p in ("year", "month", "week", "quarter") if p in words), None)
        value = column.value if part is None else Value(kind="part", table=column.table, column=column.name, part=part)  # pyright: ignore[reportArgumentType]
        state.groups.append(value)
        return True
    state.groups.append(column.value)
    return True


def _absent(state: State, place: int, span: Span, *, missing: bool) -> Iterator[State]:
    """ "missing age", "no fatalities", "without a name": a value that is not there, a zero, or a no."""
    at = next(
        (p for p in (place + 1, place + 2) if (i := state.item(p)) is not None and i.type in {"COLUMN", "DENY"}), None
    )
    if at is None:
        at = next(
            (p for p in (place - 1, place - 2, place - 3) if (i := state.item(p)) is not None and i.type == "COLUMN"),
            None,
        )
        if at is None or not missing:
            following = state.item(place + 1)
            if following is None or following.type != "ROW":
                state.unknown.append(span.text)
            state.cues.add("no")
            yield state
            return
    column: Column = state.items[at].data
    made = state.copy()
    made.used.add(at)
    made.drop_measure(column)
    made.flags = [f for f in made.flags if f[0] is not column]
    if column.has("flag") and not missing:
        made.flags.append((column, False))
        yield made
        return
    empty = column.filled < column.rows
    if not missing and column.kind == "number":
        zero = made.copy(0.0 if not empty else 0.2)
        zero.tests.append(Test(value=column.value, to=(0,)))
        yield zero
    if missing or empty or column.kind != "number":
        lost = made.copy(0.0 if missing or empty else 0.3)
        negated = missing and any(i is not None and i.cue("not") for i in (state.item(place - 1),))
        lost.tests.append(Test(value=column.value, operator="null", negated=negated))
        lost.cues.add("missing")
        yield lost


def _text_test(state: State, place: int, names: set[str]) -> Iterator[State]:
    """A text that contains, starts or ends with something."""
    following = state.item(place + 1)
    if following is None or following.type == "QUOTE":
        yield state
        return
    column = next((c for _, c in reversed(state.columns_at) if c.kind == "text"), None)
    column = column or next((c for c in state.home.labels if c.kind == "text"), None)
    operator = next(name for name in ("contains", "starts", "ends") if name in names)
    if column is None or following.type not in {"UNKNOWN", "VALUE", "COLUMN", "ROW", "NUMBER"}:
        state.unknown.append(state.items[place].text)
        yield state
        return
    state.used.add(place + 1)
    state.drop_measure(column)
    state.tests.append(Test(value=column.value, operator=operator, to=(following.text,)))  # pyright: ignore[reportArgumentType]
    yield state
