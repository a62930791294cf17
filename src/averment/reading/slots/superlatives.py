"""Superlatives: every figure that a "most", "least", "highest" or "heaviest" may rank by, each with its cost."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from averment.reading.lattice.concepts import concepts
from averment.reading.words import is_plural, lexicon, singular, word_list

if TYPE_CHECKING:
    from averment.reading.schema.schema_column import Column
    from averment.reading.slots.state import State

_NAMED = 0.9
"""From this strength on a word names a table or a column by itself."""
BROAD = frozenset(
    "high big large small strong weak rated paid grossing earning paying selling scoring viewed busy popular".split()
)
"""Adjectives that measure whatever stands beside them."""


_SIZED = frozenset("biggest largest greatest smallest highest lowest".split())


def read_both_ends(state: State, place: int) -> bool:
    """Whether the highest and the lowest of one number are asked for together: then both are figures."""
    near = [n for n in range(place, min(len(state.items), place + 4)) if state.items[n].type != "AND"][:3]
    if len(near) < 3 or near[1] == place + 1:
        return False  # The highest minimum is one figure.
    one, other, number = (state.items[n] for n in near)
    ends = [end for end in (one.extreme, other.extreme) if end is not None]
    if set(ends) != {"max", "min"} or number.type != "COLUMN" or not number.data.has("measure"):
        return False
    state.aggregates += ends
    state.used.add(near[1])
    return True


def superlative(
    state: State,
    place: int,
    *,
    descending: bool,
    adjective: str | None,
    names: Sequence[str],
    optional: bool = False,
) -> Iterator[State]:
    """Every figure that a "most", "least", "highest" or "heaviest" may rank by."""
    state = state.copy()
    state.descending = descending
    state.adjective = adjective
    state.cues.add("ranking")
    broad = adjective is None or adjective in BROAD
    found = False
    if adjective is not None:
        able = concepts(state, names)
        near = state.item(place + 1)
        if near is not None and near.type == "COLUMN" and any(column is near.data for _, column in able):
            able = [(0.0, near.data)]
            state.used.add(place + 1)
        elif near is not None and near.type == "COLUMN" and _is_length(near.data) and "duration" in names:
            able = [(0.0, near.data)]  # "the longest from drop off to pick up"
            state.used.add(place + 1)
        elif broad and near is not None and near.type == "COLUMN" and near.data.has("measure"):
            able = []  # the highest velocity is no height
        for cost, column in able[:3]:
            one = state.copy(cost)
            one.ranked = column
            yield one
            found = True
        if found and not broad:
            return
    if adjective is None and _is_done_most(state, place):
        done = state.items[place + 1]
        one = state.copy()
        one.ranked_rows, one.counted_table = True, done.data
        (one.rows if done.type == "ROW" else one.unknown).append(done.data or done.text)
        one.used.add(place + 1)
        one.cues.add("counted")
        yield one
        return
    for step in range(1, 5):
        at = place + step
        item = state.item(at)
        if item is None or at in state.used:
            break
        if item.type == "COLUMN":
            column: Column = item.data
            if column.has("measure"):
                one = state.copy(0.05 * (step - 1) + (0.3 if found else 0.0))
                one.ranked = column
                one.used.add(at)
                one.columns_at.append((at, column))
                yield one
                found = True
                break
            if column.has("flag") and (follow := state.item(at + 1)) is not None and follow.cue("rate", "share"):
                one = state.copy()
                one.ranked, one.ranked_flag = column, True
                one.used |= {at, at + 1}
                yield one
                found = True
                break
            timed = column.has("date", "year", "month", "quarter", "weekday")
            if adjective is None and step == 1 and not timed and state.targets:
                one = state.copy(0.1)
                one.ranked_distinct = column
                one.used.add(at)
                yield one
                other = state.copy(0.45)
                other.ranked_rows = True
                other.targets.append(column.value)
                other.used.add(at)
                yield other
                found = True
                break
        if item.type == "ROW" and state.items[place].text.split()[-1] in _SIZED and not is_plural(item.text):
            state.cues.add("sized")
            continue  # The biggest donation is one, and not how many there are.
        if item.type == "ROW" and adjective is None and step <= 2 and place > 0 and not optional:
            one = state.copy(0.08 if _measured_later(state, at) else 0.0)
            one.ranked_rows = True
            one.rows.append(item.data)
            one.counted_table = item.data
            one.used.add(at)
            one.cues.add("counted")
            yield one
            found = True
        if item.type == "DENY" or (item.type == "CUE" and item.cue("by", "which")):
            break
    doing = state.item(place - 1)
    names = lexicon("words")["doing"].get(doing.text, "").split() if doing is not None else ()
    sells = doing is not None and doing.text in word_list("sale_verb")
    if adjective is None and not optional and (sells or not found):
        for cost, column in concepts(state, names)[:2] if names else ():
            one = state.copy(0.05 + cost)  # who spent the most: what was paid says how much
            one.ranked = column
            thing = state.item(place + 1)
            if thing is not None and thing.type == "ROW":
                one.used.add(place + 1)  # what was sold is what the quantity is of
            yield one
            found = True
    if found and adjective is None and _says_most_of_what(state, place):
        return
    rest = state.copy(0.35 if found else 0.0)
    if not found and adjective is not None and not broad:
        rest.unknown.append(state.items[place].text)
    yield rest


def _is_length(column: Column) -> bool:
    """Whether a column is a length of time between two moments."""
    return column.expression is not None and column.expression.kind in {"seconds", "minutes", "hours", "days"}


def _is_done_most(state: State, place: int) -> bool:
    """Whether "most" counts what was done to what stands behind: the most borrowed books have the most loans."""
    done, thing = state.item(place + 1), state.item(place + 2)
    if done is None or thing is None or thing.type not in {"ROW", "COLUMN"}:
        return False
    if done.type == "UNKNOWN":
        plain = done.text not in word_list("sale_verb") and done.text not in lexicon("words")["doing"]
        return plain and done.text in word_list("event_verb") and len(state.schema.tables) > 1
    if done.type != "ROW" or done.data is None:
        return False
    table = state.schema.tables[done.data]
    verb = not {done.text, singular(done.text)} & {*table.nouns, *table.called}
    owner = thing.data if thing.type == "ROW" else thing.data.table
    return (
        verb and done.text.endswith(("ed", "en", "ought", "sold", "lent")) and owner in state.schema.routes[table.name]
    )


def _says_most_of_what(state: State, place: int) -> bool:
    """Whether things are named right behind "the most", and no number anywhere: no other figure is meant."""
    thing = state.item(place + 1)
    counts = state.items[place].text.split()[-1] in {"most", "fewest"}
    if thing is None or not counts or not is_plural(thing.text.split()[-1]) or thing.strength < _NAMED:
        return False
    if thing.type not in {"ROW", "COLUMN"} or (thing.type == "COLUMN" and thing.data.has("measure", "flag")):
        return False
    return bool(thing.data) and not any(item.type == "COLUMN" and item.data.has("measure") for item in state.items)


def _measured_later(state: State, at: int) -> bool:
    return any(i.type == "COLUMN" and i.data.has("measure") for i in state.items[at + 1 :])
