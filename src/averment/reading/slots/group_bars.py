"""Bars on what a group holds: how many rows of a kind, how many different values, what share of its rows.

"Teams with more than five defenders" counts the defenders of each team. What says which rows are counted stays to be
read as a condition on rows; here only the bar is taken.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from averment.plans.plan import Test
from averment.reading.schema.usual_figures import truth
from averment.reading.words import is_plural, word_list

if TYPE_CHECKING:
    from collections.abc import Iterator

    from averment.reading.lattice.spans import Span
    from averment.reading.schema.schema_column import Column
    from averment.reading.slots.state import State

_NAMED = 0.85
"""From this strength on a noun is what it names."""
_SAID = 0.05
_LOOSE = 0.35
"""What it costs to count rows where a number of theirs is named as well."""
_REACH = 3
"""Within how many spans of a percentage stands what it is a share of."""


def is_grouped(state: State) -> bool:
    """Whether something was named that rows could be counted for."""
    return bool(state.targets or state.groups or state.rows)


def is_other_row(state: State, item: Span) -> bool:
    """Whether a row noun names a table, and something else stands before it that its rows could be counted for."""
    if item.type != "ROW" or item.data is None or item.strength < _NAMED:
        return False
    return bool(state.targets or state.groups) or any(name not in {None, item.data} for name in state.rows)


def counted_place(state: State, after: int) -> int | None:
    """Where the noun of what a bar counts stands: behind what says of which kind; None where nothing is counted."""
    place = after
    while (item := state.item(place)) is not None and is_kind(item) and item.start == state.items[place - 1].end:
        place += 1
    noun = state.item(place)
    if noun is not None and noun.type == "ROW" and (place == after or noun.start == state.items[place - 1].end):
        return place
    single = any(item.type == "NUMBER" and item.data[0] == 1 for item in state.items[max(0, after - 2) : after])
    if place > after and (single or is_plural(state.items[place - 1].text.split()[-1])):
        return place - 1  # "more than 8 cancellations": the kind is the noun itself
    if noun is not None and _is_thing(noun) and noun.start == state.items[place - 1].end:
        return place
    return None


def is_kind_counted(state: State, after: int) -> bool:
    """Whether a bar counts rows of a kind: "5 defenders", "10 cancelled runs"."""
    first = state.item(after)
    return first is not None and is_kind(first) and counted_place(state, after) is not None


def count_bars(state: State, at: int, after: int, operator: str, *, rivals: bool) -> Iterator[State]:
    """The states in which a bar is of how many a group has; with ``rivals`` it may be of a number as well."""
    number, unit = state.items[at].data
    if unit not in {"", "times"} or not is_grouped(state):
        return
    place = counted_place(state, after)
    noun = state.item(place) if place is not None else None
    if noun is None or place is None:
        if unit == "times":
            yield _counting(state.copy(_SAID), operator, number)
        return
    few = operator in {"<", "<="} and is_kind_counted(state, after)
    if few and (noun.type != "ROW" or noun.data in {None, state.home.name}):
        one = state.copy(_SAID)  # A group without any row of the kind has few of them, too.
        places = range(after, place + 1)
        tests = [test for at in places if (test := kind_test(state.items[at])) is not None]
        one.having_of.append(("rows", tuple(tests), operator, number))
        one.cues.add("having")
        one.used |= set(places)
        yield one
    elif noun.type == "ROW":
        sure = not rivals or place > after or is_other_row(state, noun)
        one = _counting(state.copy(_SAID if sure else _LOOSE), operator, number)
        one.counted_table = noun.data
        one.rows.append(noun.data)
        one.used.add(place)
        yield one
    elif is_kind(noun):
        yield _counting(state.copy(_SAID), operator, number)
    elif place > after and _is_of(noun, state.items[place - 1]):
        one = _counting(state.copy(_SAID), operator, number)  # "10 C grades": the noun says what the value is
        one.used.add(place)
        yield one
    else:
        one = state.copy(_SAID)
        one.having_of.append(("distinct", noun.data, operator, number))
        one.cues.add("having")
        one.used.add(place)
        yield one


def _is_of(noun: Span, value: Span) -> bool:
    return value.type == "VALUE" and value.data[0] is noun.data


def _counting(state: State, operator: str, number: float) -> State:
    state.having.append((operator, number))
    state.cues.add("having")
    return state


def is_kind(item: Span) -> bool:
    """Whether a span says which rows are meant: a value, a yes or no, a taught word."""
    return item.type in {"VALUE", "TEST", "DENY"} or (item.type == "COLUMN" and item.data.has("flag"))


def kind_test(item: Span) -> Test | None:
    """The condition that a span puts on rows by itself."""
    if item.type == "VALUE":
        column, value = item.data
        return Test(value=column.value, to=(value,))
    if item.type == "TEST":
        tests = item.data.where
        return tests[0] if len(tests) == 1 else Test(all_of=tests)
    return truth(item.data, item.type == "COLUMN") if is_kind(item) else None


def _is_thing(item: Span) -> bool:
    """Whether a span names things in the plural by a column of theirs, which has no amounts and no times."""
    if item.type != "COLUMN" or item.strength < _NAMED or not is_plural(item.text.split()[-1]):
        return False
    column: Column = item.data
    return not column.has("measure", "flag", "date", "year", "month", "quarter") and column.expression is None


def share_bars(state: State, place: int, at: int, operator: str) -> Iterator[State]:
    """The states in which a percentage is a bar on the share of a group's rows: "more than half of the flats allow"."""
    number, unit = state.items[at].data
    if unit != "percent" or not is_grouped(state):
        return
    behind = _shared(state, range(at + 1, at + 1 + _REACH))
    if behind is not None:
        where, test = behind
        rows = {n for n in range(at + 1, where) if _names_rows(state.items[n])}
        yield _sharing(state.copy(_SAID), test, operator, number, {where, *rows})
        return
    if state.rated is not None:
        one = _sharing(state.copy(_SAID), state.rated, operator, number, set())
        one.rated = None
        yield one
    elif len(state.flags) == 1:
        column, positive = state.flags[0]
        one = _sharing(state.copy(_SAID), truth(column, positive), operator, number, set())
        one.flags = []
        yield one


def _shared(state: State, places: range) -> tuple[int, Test] | None:
    """What a percentage is the share of, behind it and behind the rows it is of; None where nothing says it."""
    for place in places:
        item = state.item(place)
        if item is None or item.type in {"CUE", "NUMBER", "TIME", "AND"}:
            return None
        test = kind_test(item)
        if test is not None:
            return place, test
        if (item.type == "COLUMN" and not _names_rows(item)) or (
            item.type == "UNKNOWN" and item.text not in word_list("granting_verb")
        ):
            return None
    return None


def _names_rows(item: Span) -> bool:
    """Whether a span names rows by what each of them is called: the players of a squad."""
    return item.type == "COLUMN" and item.data.is_unique and item.data.has("label", "key")


def _sharing(state: State, test: Test, operator: str, number: float, used: set[int]) -> State:
    state.having_of.append(("rate", (test,), operator, number))
    state.cues.discard("rate")
    state.cues.add("having")
    state.used |= used
    return state
