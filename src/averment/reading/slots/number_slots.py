"""What a number of the question may be: how many, which kind, a bar, or a day of the month."""

from __future__ import annotations

from typing import TYPE_CHECKING

from averment.plans.plan import Test
from averment.reading.slots.attach import compare
from averment.reading.times.time_conditions import time_key
from averment.reading.words import is_plural

if TYPE_CHECKING:
    from collections.abc import Iterator

    from averment.reading.lattice.spans import Span
    from averment.reading.slots.state import State


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
