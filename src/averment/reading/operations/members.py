"""Operations over things that come again: the first and last rows of each, cohorts, the few that make up most."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from averment.plans.plan import Measure, Plan, Rank, Test, Value, Window
from averment.plans.statistics import Cohorts, Members, Retention
from averment.reading.lattice.nouns import PARTS
from averment.reading.operations.figures import figure_plan
from averment.reading.operations.plan_parts import Parts, Proposal
from averment.reading.schema.usual_figures import number_measure, usual
from averment.reading.words import singular, word_list

if TYPE_CHECKING:
    from averment.reading.schema.schema_column import Column

MOST_SHOWN = 8
_STEPS = frozenset({"day", "week", "month", "quarter", "year"})


def dates_of(parts: Parts) -> list[Column]:
    """The dates that say when a row happened, the one called after the rows first."""
    dates = [c for c in parts.table.columns if c.kind == "date"]
    own = [c for c in dates if {singular(word) for word in c.words} & set(parts.table.nouns)]
    return own[:1] if len(own) == 1 else dates


def is_moment(parts: Parts, value: Value) -> bool:
    """Whether a value is a moment or a period of its own, and not a name that comes again such as a weekday."""
    column = parts.column_of(value)
    return value.kind == "part" or (column is not None and (column.kind == "date" or column.has("year")))


def rows_at_an_end(parts: Parts) -> Iterator[Proposal]:
    """The latest or first row of each group, or the row of each with the greatest number."""
    state = parts.state
    within = tuple(v for v in state.groups if not is_moment(parts, v))
    rows = parts.home in {name or parts.home for name in state.rows}
    if len(within) != len(state.groups) or not (rows or state.measures):
        return
    if state.aggregates or state.measures[2:]:
        return
    column = state.ranked or (state.measures[0] if state.measures else None)
    own = column is not None and column.table == parts.home and not state.ranked_flag
    if state.descending is not None and column is not None and own and rows and _row_first(parts):
        yield -0.45, _ends(parts, within, column.value, Rank(descending=state.descending, limit=state.limit or 1))
        return
    last, first = state.said.get("last_rows"), state.said.get("first_rows")
    if not (last or first or state.has("first", "last")) or state.descending is not None:
        return
    descending = bool(last) or (not first and state.has("last"))
    limit = int((last or first or (1.0,))[0])
    for place, date in enumerate(dates_of(parts)):
        yield (
            -0.6 + 0.3 * place + 0.4 * (not rows),
            _ends(parts, within, date.value, Rank(descending=descending, limit=max(1, limit))),
        )


def _row_first(parts: Parts) -> bool:
    """Whether the rows are named before what ranks them: "visit with the highest amount"."""
    items = parts.state.items
    row = next((n for n, item in enumerate(items) if item.type == "ROW"), None)
    end = next(
        (n for n, item in enumerate(items) if item.cue("most", "least", "top", "bottom") or item.type == "GRADE"), None
    )
    return row is not None and end is not None and row < end


def _ends(parts: Parts, within: tuple[Value, ...], by: Value, rank: Rank) -> Plan:
    named = (*within, *parts.state.targets, *(c.value for c in parts.numbers))
    whole = tuple(c.value for c in parts.table.columns if c.expression is None)[:MOST_SHOWN]
    asked = any(v not in within and not is_moment(parts, v) for v in named)
    shown = tuple(v for v in dict.fromkeys((*named, *(parts.row_identity if asked else whole))) if v != by)
    rank = rank.model_copy(update={"by": by, "within": tuple(range(len(within)))})
    return Plan(table=parts.home, show=shown, where=parts.where, rank=rank, expects="list")


def _members(parts: Parts) -> list[Value]:
    """Whose coming and going: what is named, else the one column that names customers, users or the like."""
    named = [v for v in (*parts.state.targets, *parts.state.groups) if not parts.is_time(v)]
    if named:
        return named if all(_repeats(parts, v) for v in named) else []
    people = {singular(word) for word in word_list("people")} | {"customer", "user", "client", "member", "account"}
    found = [c for c in parts.table.columns if {singular(word) for word in c.words} & people and not c.is_unique]
    keys = [c for c in found if c.has("key")]
    return [c.value for c in (keys if len(keys) == 1 else found)]


def _repeats(parts: Parts, value: Value) -> bool:
    column = parts.column_of(value)
    return column is not None and not column.is_unique and column.distinct > 1 and value.kind == "column"


def _steps(parts: Parts) -> str | None:
    found = [PARTS[word] for item in parts.state.items for word in item.text.split() if word in PARTS]
    return next((step for step in found if step in _STEPS), None)


def _period(parts: Parts) -> tuple[tuple[Test, ...], tuple[str, str] | None] | None:
    """The other conditions and the period that is told, or None where a period cannot be told apart.

    A period is no condition on rows: what came before it says who is new in it.
    """
    timed = [t for t in parts.where if t.value is not None and parts.is_time(t.value)]
    others = tuple(t for t in parts.where if t not in timed)
    if not timed:
        return others, None
    test = timed[0]
    if len(timed) > 1 or test.value is None or test.inner is not None or test.negated:
        return None
    if test.operator == "=" and test.value.part == "year" and test.value.number is None:
        return others, (f"{test.to[0]}-01-01", f"{test.to[0]}-12-31")
    if test.operator == "between" and all(isinstance(each, str) and len(each) == 10 for each in test.to):
        return others, (str(test.to[0]), str(test.to[1]))
    return None


def retention(parts: Parts) -> Iterator[Proposal]:
    """How many of those that began together come back, period by period."""
    state = parts.state
    step = _steps(parts) or "month"
    if _period(parts) is None or parts.numbers:
        return
    dates = [c for c in parts.table.columns if c.kind == "date"]
    named = [c for _, c in state.columns_at if c in dates]
    own = dates_of(parts)
    for place, member in enumerate(_members(parts)[:2]):
        for cost, start, when in _beginnings(dates, named, own, first=state.has("first")):
            begins = start.value if start is not None else None
            yield 0.4 * place + cost, _cohorts(parts, Retention, member, when, step, by=begins)


def _beginnings(
    dates: list[Column], named: list[Column], own: list[Column], *, first: bool
) -> Iterator[tuple[float, Column | None, Column]]:
    """When members begin and by which date they come back: the date that is named, or the first time they are seen."""
    if len(own) != 1:
        return
    when = own[0]
    if first or len(dates) == 1 or named[:1] == [when]:
        yield 0.0, None, when
    elif named:
        yield 0.0, named[0], when
    else:
        # Nothing says which of two dates begins a member.
        yield 0.0, None, when
        yield from ((0.0, other, when) for other in dates if other is not when)


def members(parts: Parts) -> Iterator[Proposal]:
    """How many are active, new or back again in each period."""
    state = parts.state
    step = _steps(parts)
    named = [v for v in (*state.targets, *state.groups) if not parts.is_time(v) and _repeats(parts, v)]
    if step is None or len(named) != 1 or _period(parts) is None or parts.numbers:
        return
    asked = [name for name in ("new", "returning", "active") if state.has(f"{name}_members")]
    method = asked[0] if len(asked) == 1 else "active"
    dates = dates_of(parts)
    for place, when in enumerate(dates):
        yield -0.1 + 0.3 * place, _cohorts(parts, Members, named[0], when, step, method=method)


def _cohorts(parts: Parts, kind: type[Cohorts], member: Value, when: Column, step: Any, **more: Any) -> Plan:
    where, span = _period(parts) or ((), None)
    made = kind(of=(member, when.value), step=step, span=span, **more)
    return Plan(table=parts.home, statistic=made, where=where, expects="series" if kind is Members else "table")


def fewest(parts: Parts) -> Iterator[Proposal]:
    """The fewest that together make up so many percent of the whole."""
    state = parts.state
    percent = state.said["until"][0]
    keys = [v for v in (*state.targets, *state.groups) if not parts.is_time(v)]
    if len(keys) != 1 or len(parts.numbers) > 1 or state.aggregates not in ([], ["sum"]) or not 0 < percent <= 100:
        return
    column = parts.numbers[0] if parts.numbers else None
    if column is None and not state.rows:
        return
    measure = number_measure(column, "sum", None) if column is not None else Measure(function="rows")
    rank = Rank(descending=True, until=percent)
    yield -0.1, Plan(table=parts.home, by=(keys[0],), measures=(measure,), rank=rank, where=parts.where, expects="list")


def log_returns(parts: Parts) -> Iterator[Proposal]:
    """The logarithm of how a figure changed from one period to the next."""
    state = parts.state
    if len(parts.numbers) != 1:
        return
    time = next((v for v in state.groups if is_moment(parts, v)), None) or parts.time_key(parts.grain)
    if time is None:
        return
    column = parts.numbers[0]
    others = tuple(v for v in state.groups if v != time)
    for cost, function in [(0.0, state.aggregates[0])] if state.aggregates else usual(column):
        window = Window(kind="log_return", along=0)
        measure = number_measure(column, function, None)
        yield cost, figure_plan(parts, measure, (time, *others), window=window)
