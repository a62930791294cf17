"""Conditions in words: between two numbers, missing or not there, texts that contain something, taught words."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, cast

from averment.plans.plan import Test
from averment.reading.lattice.concepts import concepts
from averment.reading.schema.repeats import is_period_of, repeats
from averment.reading.slots.group_bars import is_kind, kind_test
from averment.reading.slots.state import negated
from averment.reading.words import SAID, is_plural

if TYPE_CHECKING:
    from averment.plans.plan import Operator
    from averment.reading.lattice.spans import Span
    from averment.reading.schema.schema_column import Column
    from averment.reading.slots.state import State


def absent_of_group(state: State, place: int) -> State | None:
    """The state in which the groups named before a "no" have no row with what follows it; None where rows are meant."""
    if len(state.schema.tables) > 1 or not _names_groups(state):
        return None
    tests: list[Test] = []
    at = place + 1
    while (item := state.item(at)) is not None and item.start == state.items[at - 1].end:
        test = kind_test(item) if is_kind(item) else _some(item)
        if test is None:
            break
        tests.append(test)
        at += 1
    if not tests:
        return None
    noun = state.item(at)
    one = state.copy()
    if noun is not None and noun.start == state.items[at - 1].end and (noun.type == "ROW" or _is_named(noun)):
        if noun.type == "ROW":
            one.rows.append(noun.data)
        else:
            tests.append(Test(value=noun.data.value, operator="null", negated=True))
        at += 1
    one.absent += tests
    one.used |= set(range(place + 1, at))
    return one


def _names_groups(state: State) -> bool:
    """Whether what was asked for last comes again in several rows."""
    value = state.targets[-1] if state.targets else None
    column = state.schema.column(value.table or "", value.column or "") if value is not None else None
    if value is None or column is None or value.kind != "column":
        return False
    hinted = [i for i in state.items if i.type == "COLUMN" and i.data is column and i.strength <= SAID]
    # Runs without downtime are rows, and not the operators who ran them.
    return repeats(column) and not hinted and not is_period_of(state.home, column)


def _some(item: Span) -> Test | None:
    """That there is some of a number: a red card, an injury."""
    if item.type != "COLUMN" or not item.data.has("measure") or item.data.low is None or item.data.low < 0:
        return None
    return Test(value=item.data.value, operator=">", to=(0,))


def _is_named(item: Span) -> bool:
    """Whether a span names the rows of a kind by one of their columns: a candidate, a title."""
    return item.type == "COLUMN" and item.data.kind == "text" and not item.data.has("flag")


def read_between(state: State, place: int) -> Iterator[State]:
    """Two numbers that something lies between."""
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
        able = able or list(reversed(state.measures))
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


def read_absent(state: State, place: int, span: Span, *, missing: bool) -> Iterator[State]:
    """ "missing age", "no fatalities", "without a name": a value that is not there, a zero, or a no."""
    beside = state.item(place + 1)
    grouped = absent_of_group(state, place) if not missing else None
    if grouped is not None:
        grouped.cues.add("no")
        yield grouped
        return
    if span.text == "without" and beside is not None and beside.type == "VALUE":
        state.cues.add("not")  # "without the south" is all but the south
        yield state
        return
    # "Missing for each sensor": what follows is what is counted by.
    told = (
        span.text.startswith(("is ", "are "))
        and (before := state.item(place - 1)) is not None
        and before.type == "COLUMN"
    )
    # "Age is missing or fare is missing": each belongs to what stands before it.
    nobody = beside is not None and beside.text in {"anyone", "anybody"}
    ahead = () if told or nobody or (beside is not None and beside.cue("by")) else (place + 1, place + 2)
    at = next((p for p in ahead if (i := state.item(p)) is not None and i.type in {"COLUMN", "DENY"}), None)
    if at is None:
        at = next(
            (p for p in (place - 1, place - 2, place - 3) if (i := state.item(p)) is not None and i.type == "COLUMN"),
            None,
        )
        flag = state.flags[-1][0] if state.flags and not missing and state.item(place + 1) is None else None
        if flag is not None:
            state.flags.append((flag, False))  # "with solar panels and without"
            yield state
            return
        if at is None or not missing:
            near = [item for p in (place + 1, place + 2) if (item := state.item(p)) is not None]
            if not any(item.type == "ROW" for item in near):
                state.unknown.append(span.text)
            state.cues.add("no")
            yield state
            return
    if missing and at + 1 in ahead and _names_the_gaps(state.item(at), state.item(at + 1)):
        at += 1  # "the guest's gender", where every guest is known
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


def _names_the_gaps(first: Span | None, second: Span | None) -> bool:
    """Whether of two columns side by side only the second may be empty."""
    if first is None or second is None or not first.type == second.type == "COLUMN" or second.start != first.end:
        return False
    return first.data.filled == first.data.rows and second.data.filled < second.data.rows


def read_text_test(state: State, place: int, names: set[str]) -> Iterator[State]:
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
    at = next((p for p, c in reversed(state.columns_at) if c is column), None)
    before = state.item(at - 1) if at is not None else None
    if before is None or not before.cue("count", "distinct", "which", "list"):
        state.drop_measure(column)  # what is asked for stays, with its condition
    state.tests.append(Test(value=column.value, operator=operator, to=(following.text,)))  # pyright: ignore[reportArgumentType]
    yield state


def read_quote(state: State, place: int, span: Span) -> Iterator[State]:
    """A text in quotation marks: the whole of a value, or what it contains."""
    before = [item for item in (state.item(place - 1), state.item(place - 2)) if item is not None]
    operator = next((name for name in ("contains", "starts", "ends") for item in before if item.cue(name)), None)
    named = [c for _, c in reversed(state.columns_at) if c.kind == "text"]
    able = list(dict.fromkeys([*named[:2], *(c for c in state.home.labels if c.kind == "text")]))
    if not able:
        state.unknown.append(span.text)
        yield state
        return
    denied = negated(state, place) or (operator is not None and negated(state, place - 1))
    wanted = str(span.data).lower()
    for order, column in enumerate(able[:2]):
        made: Operator = "=" if operator is None else cast("Operator", operator)
        one = state.copy(0.2 * order)
        held = [str(v).lower() for v in column.values]
        if held and made == "=" and wanted not in held:
            # A text that no row holds whole is looked for inside; one that no row holds is not there.
            inside = any(wanted in value for value in held)
            made = "contains" if inside else made
            one.cost += 0.1 if inside else 0.6
        if operator is None or column in named[:1]:
            one.drop_measure(column)
        one.tests.append(Test(value=column.value, operator=made, to=(span.data,), negated=denied))
        yield one


def read_taught(state: State, place: int, span: Span) -> State:
    """A word that was taught as a condition; where it is a noun itself, the rows that meet it are meant."""
    tests = span.data.where
    if negated(state, place):
        whole = tests[0] if len(tests) == 1 else Test(all_of=tests)
        tests = (whole.model_copy(update={"negated": not whole.negated}),)
    state.tests += tests
    state.together += [test.value for test in tests if test.value is not None and test.operator == "in"]
    following = state.item(place + 1)
    if is_plural(span.text.split()[-1]) and (following is None or following.type != "ROW"):
        state.rows.append(span.data.table)
        state.counted = state.counted or "row"
    return state
