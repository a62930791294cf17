"""What no row of a group may hold: hospitals without oncology, teams without a red card, flats with no urgent tickets.

A group is meant where what stands before comes again in several rows; of a thing that has one row, or one row for each
period, the condition is on the row itself.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from averment.plans.plan import Test
from averment.reading.schema.repeats import is_period_of, repeats
from averment.reading.slots.group_bars import is_kind, kind_test
from averment.reading.words import SAID

if TYPE_CHECKING:
    from averment.reading.lattice.spans import Span
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
