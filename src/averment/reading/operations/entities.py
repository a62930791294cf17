"""Operations about things of one table that others point at: a customer and its orders, a ship and its captains.

What is asked for are attributes of the thing; what is counted, ranked or ruled out are rows of tables around it. The
thing stays one row of the result, told apart by its key, however many rows point at it.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import TYPE_CHECKING

from averment.plans.plan import Measure, Plan, Rank, Sort, Test, Value
from averment.reading.operations.plan_parts import Parts, Proposal
from averment.reading.schema.usual_figures import number_measure, truth, usual

if TYPE_CHECKING:
    from averment.reading.schema.schema_column import Column
    from averment.reading.schema.schema_view import Schema, Table
    from averment.tables.profile.relationships import TableRelation

_LATER = 0.25
"""What it costs to take a table named later for what is asked about."""


def things(parts: Parts) -> Iterator[tuple[float, Table, tuple[Value, ...]]]:
    """The tables that may be asked about, each with the attributes that are asked for."""
    state, schema = parts.state, parts.state.schema
    named = list(dict.fromkeys(name for name in state.rows if name is not None))
    owners = [v.table for v in (*state.groups, *state.targets) if v.table is not None]
    asked = [name for name in dict.fromkeys((*owners, *named)) if name != parts.counted]
    for order, name in enumerate(asked[:3]):
        table = schema.tables[name]
        own = schema.routes[name]
        wanted = tuple(dict.fromkeys((*state.groups, *state.targets)))
        if any(value.table not in own or value.kind != "column" for value in wanted):
            continue
        if any(parts.is_time(value) for value in state.groups):
            continue
        if wanted and not any(value.table == name for value in wanted):
            continue
        wanted = wanted or tuple(c.value for c in table.identity[:3])
        if wanted:
            yield _LATER * order, table, wanted


def around(parts: Parts) -> Iterator[Proposal]:
    """Things by what points at them: ranked by how many, or by a figure of theirs, kept by a number, or counted."""
    state, schema = parts.state, parts.state.schema
    for cost, table, wanted in things(parts):
        by = told_apart(table, wanted, schema)
        counted = parts.counted
        if counted is None and (state.having or state.ranked_rows) and table.name != parts.home:
            counted = parts.home  # "at least twice", "most often": by what points at them
        if counted is not None and counted != table.name and counted not in schema.routes[table.name]:
            rows = Measure(function="rows", table=counted)
            yield from ((cost + more, plan) for more, plan in _counted(parts, table, by, rows))
        if state.having_of and not state.having and state.descending is None and not state.has("count"):
            figures = parts.having_figures
            plan = Plan(table=table.name, by=by, measures=(figures[0].measure,), where=parts.where, having=figures)
            yield cost, plan.model_copy(update={"expects": "list"})
            continue
        column = state.ranked or (state.measures[0] if state.measures else None)
        if column is None or column.expression is not None:
            continue
        if state.descending is not None:
            yield from ((cost + more, plan) for more, plan in _ranked(parts, table, wanted, by, column))
        elif state.aggregates and state.groups and table.name in schema.routes[column.table]:
            measure = number_measure(column, state.aggregates[0], state.quantile)
            yield cost + 0.02, Plan(table=table.name, by=by, measures=(measure,), where=parts.where)


def told_apart(table: Table, wanted: tuple[Value, ...], schema: Schema) -> tuple[Value, ...]:
    """Attributes of a thing with its key, unless one of them already tells things apart."""
    columns = [schema.column(v.table or "", v.column or "") for v in wanted]
    if any(c is not None and c.table == table.name and c.is_unique for c in columns):
        return wanted
    if not any(c is not None and c.table == table.name and c.has("label") for c in columns):
        return wanted  # Things alike in what is asked for are one group: by city, by type.
    key = key_of(table, schema)
    return (key, *wanted) if key is not None else wanted


def key_of(table: Table, schema: Schema) -> Value | None:
    """The column that other tables point at, or one without repeats."""
    pointed = next((one.right_column for one in schema.relations if one.right == table.name), None)
    column = table.find(pointed) if pointed is not None else None
    if column is None or not column.is_unique:
        column = next((c for c in table.columns if c.has("key") and c.is_unique), None)
    return column.value if column is not None else None


def _counted(parts: Parts, table: Table, by: tuple[Value, ...], rows: Measure) -> Iterator[Proposal]:
    state = parts.state
    counts = [test for test in parts.having if test not in parts.having_figures]
    having = (*(test.model_copy(update={"measure": rows}) for test in counts), *parts.having_figures)
    extra = 0.4 * len(state.measures)
    if state.descending is not None and (state.ranked_rows or state.has("count")) and state.ranked is None:
        rank = Rank(descending=bool(state.descending), limit=state.limit or 1, skip=state.skip)
        shape = "row" if rank.limit == 1 else "list"
        plan = Plan(
            table=table.name,
            by=by,
            measures=(rows,),
            where=parts.where,
            having=having,
            rank=rank,
            expects=shape,
        )
        yield extra, plan
    elif state.descending is not None or state.aggregates:
        return
    elif state.having:
        plan = Plan(table=table.name, by=by, measures=(rows,), where=parts.where, having=having, expects="list")
        # "How many owners have …" asks for their number, and not for who they are.
        yield extra + (0.3 if state.has("count") and not state.groups else -0.05), plan
    elif state.has("count") and (state.groups or state.targets):
        order = (Sort(at=len(by), descending=state.sort == "down"),) if state.sort is not None else ()
        plan = Plan(table=table.name, by=by, measures=(rows,), where=parts.where, order=order)
        yield extra + (0.0 if state.groups else 0.1), plan


def _ranked(
    parts: Parts, table: Table, wanted: tuple[Value, ...], by: tuple[Value, ...], column: Column
) -> Iterator[Proposal]:
    state, schema = parts.state, parts.state.schema
    rank = Rank(descending=bool(state.descending), limit=state.limit or 1, skip=state.skip)
    shape = "row" if rank.limit == 1 else "list"
    others = tuple(c.value for c in state.measures if c is not column)
    if state.groups and state.targets:
        return  # The first of each group is another question.
    if not state.aggregates and (
        column.table in schema.routes[table.name] or table.name in schema.routes[column.table]
    ):
        show = tuple(dict.fromkeys((*wanted, *others)))
        plan = Plan(
            table=table.name,
            show=show,
            where=parts.where,
            rank=rank.model_copy(update={"by": column.value}),
            expects=shape,
        )
        labelled = any(parts.is_label(value) for value in wanted)
        yield 0.0 if labelled or len(wanted) > 1 else 0.2, plan
    if table.name in schema.routes[column.table] and column.table != table.name and not others:
        functions = [(0.0, state.aggregates[0])] if state.aggregates else [(0.1 + c, f) for c, f in usual(column)]
        for cost, function in functions:
            measure = number_measure(column, function, state.quantile)
            yield (
                cost,
                Plan(table=table.name, by=by, measures=(measure,), where=parts.where, rank=rank, expects=shape),
            )


def without(parts: Parts) -> Iterator[Proposal]:
    """Things that nothing of a kind points at: customers without orders, products never sold for more than 200."""
    state, schema = parts.state, parts.state.schema
    denied = sum(1 for item in state.items if item.cue("not", "no", "missing"))
    if denied <= sum(1 for t in parts.where if t.operator in {"!=", "null"} or t.negated) and not _is_elsewhere(parts):
        return  # The "not" belongs to a value already.
    named = {name for name in state.rows if name is not None}
    home = [parts.home] if not named or parts.home in named else []  # What is named is asked about.
    asked = dict.fromkeys([*(v.table for v in state.targets if v.table), *(n for n in state.rows if n), *home])
    where = _undenied(parts)
    pointing = {(one.left, one.left_column): one.right for one in schema.relations}
    ends = (pointing.get((value.table or "", value.column or "")) for value in parts.people)
    asked |= dict.fromkeys(name for name in ends if name is not None)
    for order, name in enumerate(asked):
        table = schema.tables[name]
        own = schema.routes[name]
        for one in schema.relations:
            if one.right != name or one.left == name:
                continue
            reach = {one.left, *schema.routes[one.left]}
            inside = [t for t in where if t.value is not None and t.value.table not in own]
            if any(t.value is not None and t.value.table not in reach for t in inside):
                continue
            said = one.left in named or bool((named & reach) - set(own)) or bool(inside)
            # What has a time is an event as well, though another table points at more.
            event = one.left == schema.fact or bool(schema.tables[one.left].times)
            if not said and (not event or where):
                continue
            if named - reach - set(own):
                continue
            cost = (0.0 if said else 0.25) + 0.1 * order
            outside = [t for t in where if t not in inside]
            yield from ((cost + more, plan) for more, plan in _ruled_out(parts, table, one, inside, outside))
    yield from _none_such(parts)


def _undenied(parts: Parts) -> list[Test]:
    """The conditions, a yes that was denied as a yes again: where nobody paid, those are ruled out who did."""
    items = parts.state.items
    denied = [
        two.data
        for one, two in pairwise(items)
        if one.cue("not") and two.type == "COLUMN" and two.data.has("flag") and (two.data, False) in parts.state.flags
    ]
    turned = {repr(truth(column, False)): truth(column, True) for column in denied}
    return [turned.get(repr(test), test) for test in parts.where]


def _is_elsewhere(parts: Parts) -> bool:
    """Whether what is denied stands in a table that points at the one asked about."""
    own = parts.state.schema.routes[parts.home]
    return any(t.operator == "!=" and t.value is not None and t.value.table not in own for t in parts.where)


def _ruled_out(
    parts: Parts, table: Table, one: TableRelation, inside: list[Test], outside: list[Test]
) -> Iterator[Proposal]:
    from averment.reading.resolve_joins import resolve_joins

    state, schema = parts.state, parts.state.schema
    key = Value(table=one.left, column=one.left_column)
    known = Test(value=key, operator="null", negated=True)
    # "Never in the morning" rules out what was in the morning, wherever the "not" stands.
    tests = tuple(t.model_copy(update={"operator": "=", "negated": False}) if t.operator == "!=" else t for t in inside)
    own = schema.routes[table.name]
    # "Never borrowed a book": what was done to is told of the rows that are ruled out.
    done = tuple(v for v in state.targets if v.table == one.left and v.table not in own)
    tests = (*tests, *(Test(value=value, operator="null", negated=True) for value in done))
    also = frozenset(n for n in state.rows if n and n in schema.routes[one.left] and n not in own)
    plain = Plan(table=one.left, show=(key,), where=(*tests, known), expects="list")
    inner = resolve_joins(schema, plain, keys_named=True, also=also)
    if inner is None:
        return
    inner = inner.model_copy(update={"distinct": False})
    test = Test(value=Value(table=table.name, column=one.right_column), operator="not in", inner=inner)
    where = (*(t for t in outside if t.operator != "null"), test)
    if state.has("count"):
        yield 0.0, Plan(table=table.name, measures=(Measure(function="rows"),), where=where, expects="figure")
        return
    if state.aggregates or state.descending is not None:
        return
    values = tuple(dict.fromkeys((*(v for v in state.targets if v not in done), *(c.value for c in state.measures))))
    if any(value.table not in schema.routes[table.name] for value in values):
        return
    shown = values or tuple(c.value for c in table.labels) or (Value(table=table.name, column=one.right_column),)
    yield 0.0, Plan(table=table.name, show=shown, where=where, expects="list")


def _none_such(parts: Parts) -> Iterator[Proposal]:
    """Values of a column that no row with a condition has: countries that never took part in a friendly."""
    state = parts.state
    if state.aggregates or state.measures or state.descending is not None or len(state.targets) != 1:
        return
    value = state.targets[0]
    column = parts.column_of(value)
    tests = parts.where
    if column is None or column.is_unique or not tests or any(t.operator == "!=" or t.inner for t in tests):
        return
    if any(t.value is None or t.value.table != value.table for t in tests) or not state.has("not"):
        return
    inner = Plan(table=column.table, show=(value,), where=tests, expects="list")
    test = Test(value=value, operator="not in", inner=inner)
    if state.has("count"):
        measure = Measure(function="distinct", of=value)
        yield 0.1, Plan(table=column.table, measures=(measure,), where=(test,), expects="figure")
    else:
        yield 0.1, Plan(table=column.table, show=(value,), where=(test,), distinct=True, expects="list")
