"""Groups: "by", "per", "for each" and what follows them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from averment.plans.plan import Value
from averment.reading.lattice.concepts import concepts
from averment.reading.slots.state import reached
from averment.reading.times.time_conditions import time_key

if TYPE_CHECKING:
    from averment.reading.lattice.spans import Span
    from averment.reading.schema.schema_column import Column
    from averment.reading.slots.state import State


def read_by(state: State, place: int, span: Span) -> Iterator[State]:
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
            made.used |= {at} if item.type == "CUE" else set()
            at += 1
            continue
        if item.cue("distinct") and not item.cue("count"):
            made.used.add(at)
            at += 1
            continue
        if item.type not in {"COLUMN", "PART", "ROW", "DENY"}:
            break
        if got and state.items[at - 1].type not in {"AND", "CUE"} and not item.listed:
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
        if span.cue("within") and made.groups:
            made.within = made.groups[-1]
        yield made
        return
    if first is not None and first.cue("both", "either", "any"):
        first = state.item(place + 2)
    if first is not None and (
        first.type == "QUOTE"
        or (
            first.type == "VALUE"
            and span.text != "per"
            and (_is_spelt_out(first) or first.guessed or span.text != "by")
        )
        or (first.type == "TIME" and span.text not in {"by", "per"})
    ):
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
    if span.text.endswith(("each", "every")) and (first is None or first.type in {"AND", "ROW", "CUE"}):
        # "… and how many does each have": each of what was asked for before.
        named = next((name for name in made.rows if name is not None and name != made.counted_table), None)
        keys = list(made.targets) or [c.value for c in made.schema.tables[named].labels] if named else []
        if keys or made.targets:
            made.groups += keys or list(made.targets)
            yield made
            return
    made.unknown.append(span.text)
    yield made


_STEPS = frozenset({"day", "week", "month", "quarter", "year"})


def read_width(state: State) -> None:
    """How wide a moving figure is: "3-month", "over 6 months", "with a window of 2"."""
    at = next((place for place, item in enumerate(state.items) if item.cue("moving")), None)
    if at is None:
        return
    for place in sorted(range(len(state.items)), key=lambda p: abs(p - at)):
        item = state.items[place]
        if item.type != "NUMBER" or not float(item.data[0]).is_integer() or not 1 < item.data[0] <= 1000:
            continue
        after, before = state.item(place + 1), state.item(place - 1)
        unit = item.data[1] if item.data[1] in _STEPS else None
        part = after.data if unit is None and after is not None and after.type == "PART" else None
        if unit is None and part not in _STEPS and not (before is not None and before.cue("moving")):
            continue
        state.wide, state.step = int(item.data[0]), unit or (part if part in _STEPS else None)
        state.used |= {place} | ({place + 1} if part in _STEPS else set())
        if before is not None and before.cue("gt", "within"):
            state.used.add(place - 1)
        return


def _is_spelt_out(span: Span) -> bool:
    """Whether the words are in the value itself: "by James Cameron", and not "by month" where MO is a state."""
    return set(span.text.split()) <= set(re.findall(r"[^\W_]+", str(span.data[1]).lower()))


def _part_of(state: State, item: Span, place: int) -> Value | None:
    """The part of a date that is named right after it: "by month of the order date"."""
    named = state.item(place + 1)
    if named is None or named.type != "COLUMN" or named.data.kind != "date" or named.data.expression is not None:
        return None
    state.used.add(place + 1)
    state.columns_at.append((place + 1, named.data))
    return Value(kind="part", table=named.data.table, column=named.data.name, part=item.data)


def _group(state: State, item: Span, place: int, *, per: bool, ranking: bool) -> bool:
    """One thing to group by; False where it cannot be."""
    if item.type == "PART":
        dated = [c for _, c in state.columns_at if c.kind == "date" and c.table == state.home.name]
        said = dated[-1] if dated and state.has("happened") else None
        key = _part_of(state, item, place) or time_key(state.home, item.data, said)
        if key is None:
            key = next((k for t in reached(state) if (k := time_key(t, item.data)) is not None), None)
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
            key = next((c for c in table.columns if c.has("key") and c.is_unique), None)
            if key is None:
                return False
            state.groups.append(key.value)
        return True
    column: Column = item.data
    state.columns_at.append((place, column))
    if item.type == "DENY" or column.has("flag"):
        state.groups.append(column.value)
        return True
    if per and column.has("measure") and state.measures and not ranking and column not in state.measures:
        state.per = column
        return True
    if column.has("measure") and state.has("versus") and state.targets and not ranking:
        state.measures.append(column)  # "compare regions by amount"
        state.groups += state.targets
        state.targets = []
        return True
    if column.has("measure") and not (column.has("category") and not ranking):
        if per and state.measures and not ranking:
            state.per = column
        elif ranking:
            state.ranked = column
            state.descending = True if state.descending is None else state.descending
        else:
            state.groups.append(column.value)
            # "Per visitor" divides by the visitors, and makes no groups of days with equally many.
            state.cost += 0.9 if per or column.distinct > 40 else 0.3
        return True
    if column.kind == "date":
        words = set(column.words)
        part = next((p for p in ("year", "month", "week", "quarter") if p in words), None)
        value = column.value if part is None else Value(kind="part", table=column.table, column=column.name, part=part)  # pyright: ignore[reportArgumentType]
        state.groups.append(value)
        return True
    state.groups.append(column.value)
    return True
