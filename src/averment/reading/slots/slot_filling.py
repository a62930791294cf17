"""From a tiling to slots: who measures what, what groups, what filters, what is ranked.

Each span is attached in every way its neighbours allow, each way with its cost; a beam keeps the best states. Rules are
about neighbours of a type (a comparison and its number and column, "by" and what follows), never about a sentence.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from averment.plans.plan import Test, Value
from averment.reading.lattice.concepts import concepts
from averment.reading.lattice.cutting import ADVERBS
from averment.reading.slots.attach import compare, equal
from averment.reading.slots.comparison_slots import graded_average
from averment.reading.slots.condition_slots import read_quote, read_taught
from averment.reading.slots.cue_slots import read_cue
from averment.reading.slots.group_slots import read_width
from averment.reading.slots.state import State, negated, reached
from averment.reading.slots.superlatives import read_both_ends, superlative
from averment.reading.times.day_times import day_columns, is_timed, says_when
from averment.reading.times.time_conditions import period_tests, step_of, time_columns, time_key, two_periods
from averment.reading.words import adjectives, has_happened, is_plural, word_list

if TYPE_CHECKING:
    from averment.plans.plan import Operator
    from averment.reading.lattice.spans import Span
    from averment.reading.lattice.tilings import Tiling
    from averment.reading.schema.schema_column import Column
    from averment.reading.schema.schema_view import Schema, Table


def read_number(state: State, place: int, span: Span) -> Iterator[State]:
    """Every way a number of the question can be meant."""
    number, unit = span.data
    after = state.item(place + 1)
    if after is not None and after.cue("or_more", "or_less"):
        state.used.add(place + 1)
        yield from compare(state, place, place, ">=" if after.cue("or_more") else "<=", None)
        return
    later = state.item(place + 2)
    if after is not None and later is not None and later.cue("or_more", "or_less") and not _is_number(after):
        state.used.add(place + 2)  # "15 seats or more"
        yield from compare(state, place, place, ">=" if later.cue("or_more") else "<=", None)
        return
    ranks = any(
        item.cue("most", "least", "top", "bottom", "common", "rare")
        or (item.type == "GRADE" and item.data[1] != "more")
        for item in state.items[max(0, place - 2) : place + 4]
    )
    whole = float(number).is_integer()
    if ranks and whole and 0 < number <= 1000 and unit != "percent":
        described = after is not None and after.type == "COLUMN" and after.data.has("measure") and after.data.whole
        # "The cheapest 2 bedroom flat": a number before one of a thing says which kind it is, and not how many.
        kind = described and after is not None and number > 1 and not is_plural(after.text)
        one = state.copy(1.2 if kind else 0.55 if described else 0.0 if number <= 100 else 0.3)
        if unit == "ordinal":
            one.skip = int(number) - 1
        else:
            one.limit = int(number)
        yield one
        state = state.copy(0.0 if kind else 0.6)
    column = after.data if after is not None and after.type == "COLUMN" else None
    if column is not None and column.has("measure") and whole and unit != "percent":
        one = state.copy(0.1 if column.whole else 0.5)
        beyond = state.item(place + 2)
        least, most = (beyond is not None and beyond.cue(cue) for cue in ("or_more", "or_less"))
        one.tests.append(Test(value=column.value, operator=">=" if least else "<=" if most else "=", to=(number,)))
        one.used |= {place + 1, place + 2} if least or most else {place + 1}
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


def _is_number(span: Span) -> bool:
    """Whether a span names a number of the rows."""
    return span.type == "COLUMN" and span.data.has("measure")


STATES = 20
"""How many ways of attaching are kept side by side."""

_ENDS = frozenset("maximum max minimum min".split())
_DOING = 0.4
"""What it costs to show a column for a verb."""

_TRUE, _FALSE = frozenset({"yes", "true", "y", "1"}), frozenset({"no", "false", "n", "0"})


def fill(schema: Schema, home: Table, tiling: Tiling) -> list[State]:
    """Every way to read a tiling into slots, the cheapest first."""
    items = tuple(span for span in tiling.spans if span.type != "STOP")
    states = [State(schema=schema, home=home, items=items)]
    words = [span.text.split()[0] for span in tiling.spans]
    if words and (words[0] in word_list("yes_no") or "whether" in words):
        states[0].cues.update(("yes_no", "whether") if "whether" in words else ("yes_no",))
    if {"we", "our", "us"} & set(words):
        states[0].cues.add("ours")
    read_width(states[0])
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
        case "TEST":
            yield read_taught(state, place, span)
        case "DENY":
            denied = (span.data, negated(state, place))
            state.flags += [] if denied in state.flags else [denied]  # outstanding on unpaid bills
            yield state
        case "ROW":
            state.rows.append(span.data)
            state.counted = state.counted or "row"
            yield state
        case "TIME":
            yield from _time(state, place, span)
        case "PART":
            yield from _part(state, place, span)
        case "NUMBER":
            yield from read_number(state, place, span)
        case "GRADE" | "CUE" if read_both_ends(state, place):
            yield state
        case "GRADE":
            yield from _grade(state, place, span)
        case "CUE":
            yield from read_cue(state, place, span)
        case "AND":
            if span.data == "or":
                state.ors.append(len(state.tests))
            yield state
        case "QUOTE":
            yield from read_quote(state, place, span)
        case _:
            yield state


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
    if span.text.startswith(("how many ", "number of ")):
        state.cues.add("much")  # "how many kilos" is an amount
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
        if target is not None and column.has("flag") and target.text in _TRUE | _FALSE:
            state.used |= {place + 1, place + 2}
            state.flags.append((column, target.text in _TRUE))
            yield state
            return
        if target is not None and target.type == "VALUE":
            state.used.add(place + 1)
            yield state
            return
    if following is not None and following.cue("either"):
        state.used.add(place + 1)
        place, following = place + 1, state.item(place + 2)
    if following is not None and _is_counted(column, following):
        later, last = state.item(place + 2), state.item(place + 3)
        if later is not None and last is not None and later.data == "or" and last.type == "NUMBER":
            one = state.copy(0.05)
            one.tests.append(Test(value=column.value, operator="in", to=(following.data[0], last.data[0])))
            one.used |= {place + 1, place + 2, place + 3}
            yield one
        one = state.copy(0.05 if column.whole else 0.4)
        operator: Operator = "="
        if later is not None and later.cue("or_more", "or_less"):
            operator = ">=" if later.cue("or_more") else "<="
            one.used.add(place + 2)
        one.tests.append(Test(value=column.value, operator=operator, to=(following.data[0],)))
        one.used.add(place + 1)
        yield one
        state = state.copy(0.5)
    if span.text in word_list("relation_verb") and span.text not in column.words:
        state = state.copy(_DOING)  # Who built it is asked, and not when.
    elif span.text in word_list("time_verb") and span.text.endswith(("ed", "lt")) and len(column.words) > 1:
        state = state.copy(_DOING / 2)
    ends = span.text.split()[0]
    if ends in _ENDS and column.has("measure") and _ENDS & set(column.words[:1]):
        # "With the maximum occupancy", where each row has a maximum occupancy.
        one = state.copy()
        one.ranked, one.descending = column, ends.startswith("max")
        one.cues.add("ranking")
        yield one
        state = state.copy(0.1)
    if column.has("flag"):
        state.flags.append((column, not negated(state, place)))
        yield state
    elif column.has("measure") and negated(state, place) and column.filled < column.rows:
        lost = state.copy()  # "never weighed", "did not finish"
        lost.drop_measure(column)
        lost.tests.append(Test(value=column.value, operator="null"))
        lost.cues.add("missing")
        yield lost
    elif column.has("measure"):
        before = state.item(place - 1)
        numbered = column.whole and 2 < column.distinct <= 40 and column.distinct < 0.3 * column.rows
        if before is not None and before.cue("which") and numbered and len(state.columns_at) == 1:
            thing = state.copy(0.05)  # "which plot", where plots have numbers
            thing.targets.append(column.value)
            thing.target_at[len(thing.targets) - 1] = place
            yield thing
        state.measures.append(column)
        state.counted = state.counted or "column"
        yield state
    elif column.has("date", "year", "month", "quarter", "weekday", "month_day"):
        gaps = column.kind == "date" and column.filled < column.rows
        if gaps and has_happened(span.text) and not negated(state, place):
            # "have cancelled": the date is there.
            one = state.copy()
            one.tests.append(Test(value=column.value, operator="null", negated=True))
            yield one
            state = state.copy(0.7 if span.text in word_list("participle") else 0.4)
        if gaps and negated(state, place):
            state.tests.append(Test(value=column.value, operator="null"))  # not yet returned
            yield state
            return
        neighbour, later = state.item(place + 1), state.item(place + 2)
        stepped = neighbour is not None and neighbour.cue("by") and later is not None and later.type == "PART"
        verb = span.text.split()[0].endswith("ed") or span.text in word_list("time_verb")
        if neighbour is not None and (neighbour.type == "TIME" or (stepped and verb and column.kind == "date")):
            state.cues |= {"happened"} if stepped else set[str]()
            yield state  # "hired in 2020", "hired per year"
            return
        if column.has("quarter") and step_of(state.home) == "quarter" and state.has("which", "ranking"):
            one = state.copy()  # which quarter of all, and not which of the four
            one.rows.append(state.home.name)
            one.cues.add("step_row")
            yield one
        yield from _time_target(state, place, column)
    elif column.has("clock") and any(s is not None and s.type == "TIME" for s in (following, state.item(place - 1))):
        yield state  # "kick-off after 7 pm"
    else:
        state.targets.append(column.value)
        state.target_at[len(state.targets) - 1] = place
        state.counted = state.counted or "column"
        yield state


def _is_counted(column: Column, following: Span) -> bool:
    """Whether a number after a column is a value of it ("class 3", "a party of 4"), and not a year."""
    if following.type != "NUMBER" or following.data[1] or column.kind != "number":
        return False
    if column.has("key"):
        return float(following.data[0]).is_integer()
    return not (1500 <= following.data[0] <= 2200 and not column.has("year"))


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
    operator = "!=" if negated(state, place, column) else "="
    after = state.item(place + 1)
    if after is not None and after.cue("rate") and after.text in {"rate", "rates"}:
        one = state.copy()  # the cancellation rate, where a status says cancelled
        one.rated = Test(value=column.value, operator=operator, to=(value,))
        yield one
        state = state.copy(0.4)
    state.tests.append(Test(value=column.value, operator=operator, to=(value,)))
    beside = [item for item in (state.item(place - 1), state.item(place + 1)) if item is not None]
    named = next((item.data for item in beside if item.type == "COLUMN"), None)
    if named is not None and named is not column and named.kind == "text" and not named.has("label"):
        state.cost += 0.12
    yield state


def _time(state: State, place: int, span: Span) -> Iterator[State]:
    match = span.data
    start, end = match.start, match.end
    growing = any(item.cue("growth", "change", "difference") for item in state.items)
    if match.bound == "range" and growing and start is not None and end is not None:
        made = state.copy()
        between = two_periods(match)
        if between is not None:
            made.span, made.span_part = between
            yield made
            state = state.copy(0.5)
    daily = match.recurring is not None and match.recurring.day_time is not None
    using = next((c for _, c in reversed(state.columns_at) if says_when(c, daily=daily)), None)
    tables = [state.home, *(t for t in reached(state) if t is not state.home)]
    if using is not None and state.columns_at[-1] == (state.items.index(span) - 1, using):
        tables = [t for t in tables if t.name == using.table] or tables  # "founded before 2000"
    cost = 0.0
    found = False
    denied = negated(state, place)
    for table in tables:
        able = day_columns(table) if daily else time_columns(table)[:3] or [None]
        for column in [using] if using is not None and using.table == table.name else able:
            tests = period_tests(table, match, column)
            if tests is None or (daily and is_timed(state.tests, tests)):
                continue
            one = state.copy(cost + 0.6 * _is_of_birth(column, state))
            if denied and len(tests) == 1:
                one.tests.append(tests[0].model_copy(update={"negated": True}))  # "but not in 2023"
            else:
                one.tests += tests
                one.periods.append(tuple(tests))
            one.cues.add("period")
            yield one
            found = True
            cost += 0.3 * (not daily)  # Of two times of day nothing says which.
        if found:
            break
    if not found:
        state.unknown.append(span.text)
        yield state


def _is_of_birth(column: Column | None, state: State) -> bool:
    """Whether a time is when somebody was born, which is asked for by name or not at all."""
    said = {word for item in state.items for word in item.text.split()}
    return column is not None and bool(word_list("birth") & set(column.words)) and not word_list("birth") & said


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
        key = next((k for t in reached(state) if (k := time_key(t, part)) is not None), None)
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
            yield from graded_average(
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
