"""Making a plan sound over its tables: joins that count nothing twice, keys shown by name, totals left out.

A plan that cannot be made sound is none: arithmetic over keys, a sum over rows that a join repeats, tables that nothing
joins.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from averment.plans.plan import Join, Measure, Plan, Test, Value
from averment.plans.registry import AGGREGATES
from averment.reading.times.time_conditions import excludes

if TYPE_CHECKING:
    from averment.reading.schema.schema_column import Column
    from averment.reading.schema.schema_view import Schema, Table

_ARITHMETIC = frozenset(record.name for record in AGGREGATES.values() if record.of == "number")


def resolve_joins(
    schema: Schema, plan: Plan, *, keys_named: bool = False, also: frozenset[str] = frozenset()
) -> Plan | None:
    """The plan with its joins, or None where it makes no sense over these tables.

    Keys are shown by the name of what they point at, unless the question itself names them (``keys_named``). Of the
    tables in ``also`` a row must be there for each row that is looked at, though nothing of it is told.
    """
    if any(schema.column(table, name) is None for table, name in plan.columns()):
        return None  # A figure of many rows is nothing that each row has.
    plan = plan if keys_named or plan.over_groups == "count" else _shown_by_name(schema, plan)
    needed = plan.tables() - ({plan.table} if _only_home(plan) else set())
    root = schema.root((needed or {plan.table}) | also)
    if root is None:
        return None
    resolved = _counted(schema, plan, root)
    if resolved is None or not _is_sound(schema, resolved, root):
        return None
    resolved = _without_totals(schema, resolved)
    far = resolved.show and all(value.table != root for value in resolved.show) and resolved.rank is None
    if far and not resolved.order:
        # What a join repeats is listed once.
        resolved = resolved.model_copy(update={"distinct": True})
    wanted = {root, *(t for t in resolved.tables() if t in schema.routes[root]), *also}
    wanted -= {plan.table} - also if _only_home(plan) and plan.table not in needed else set()
    joins = tuple(
        Join(left=step.left, left_column=step.left_column, right=step.right, right_column=step.right_column, outer=True)
        for step in schema.joins(root, wanted - {root})
    )
    return resolved.model_copy(update={"table": root, "joins": joins})


def _only_home(plan: Plan) -> bool:
    """Whether nothing but the home says that its own table is needed."""
    named = {table for table, _ in plan.columns()} | {m.table for m in plan.measures if m.table}
    counts = any(m.function == "rows" and m.table is None for m in plan.measures)
    return plan.table not in named and not counts and bool(named)


def _shown_by_name(schema: Schema, plan: Plan) -> Plan:
    """A key that groups or is listed is shown by the name of what it points at."""

    def names(value: Value) -> tuple[Value, ...]:
        column = schema.column(value.table or "", value.column or "")
        if column is None or not column.has("key") or value.kind != "column" or len(schema.tables) < 2:
            return (value,)
        # What repeats and points nowhere is what it says: a school's code, where no table has the schools.
        own = column.table if column.is_unique or not _repeats(column) else None
        table = next(
            (one.right for one in schema.relations if (one.left, one.left_column) == (column.table, column.name)), own
        )
        if table is None:
            return (value,)
        labels = tuple(c.value for c in schema.tables[table].labels if c.kind == "text")
        return labels or (value,)

    by = tuple(dict.fromkeys(each for value in plan.by for each in names(value)))
    if by == plan.by:
        return plan
    # Places of keys that a rank or a window speaks of would be other keys' places then.
    if plan.rank is not None and plan.rank.within:
        return plan
    if plan.window is not None and (plan.window.within or plan.window.along is not None):
        return plan
    grown = len(by) - len(plan.by)
    order = tuple(s.model_copy(update={"at": s.at + grown}) if s.at >= len(plan.by) else s for s in plan.order)
    return plan.model_copy(update={"by": by, "order": order})


def _repeats(column: Column) -> bool:
    """Whether a text stands in many rows, so that it names none of them."""
    return column.kind == "text" and column.distinct <= 0.5 * column.filled


def _counted(schema: Schema, plan: Plan, root: str) -> Plan | None:
    """Rows of another table than the root are counted by their key, so that a join repeats none."""
    if root != plan.table and not _only_home(plan):
        # The rows of the table that is asked about, and not those that point at them.
        own = [_of_table(m, plan.table) for m in plan.measures]
        having = tuple(t.model_copy(update={"measure": _of_table(t.measure, plan.table)}) for t in plan.having)
        plan = plan.model_copy(update={"measures": tuple(own), "having": having})
    measures = [_rows_of(schema, measure, root) for measure in plan.measures]
    if any(measure is None for measure in measures):
        return None
    having = []
    for test in plan.having:
        measure = _rows_of(schema, test.measure, root)
        if measure is None:
            return None
        having.append(test.model_copy(update={"measure": measure}))
    return plan.model_copy(update={"measures": tuple(measures), "having": tuple(having)})


def _of_table(measure: Measure, table: str) -> Measure:
    plain = measure.function == "rows" and measure.table is None and measure.over is None
    return measure.model_copy(update={"table": table}) if plain else measure


def _rows_of(schema: Schema, measure: Measure, root: str) -> Measure | None:
    if measure.function != "rows" or measure.table in {None, root}:
        return measure.model_copy(update={"table": None}) if measure.function == "rows" else measure
    table = schema.tables[measure.table or root]
    key = _key(table)
    return Measure(function="distinct", of=key.value, where=measure.where) if key is not None else None


def _key(table: Table) -> Column | None:
    return next((c for c in table.columns if c.has("key") and c.is_unique), None) or next(
        (c for c in table.columns if c.is_unique), None
    )


def _is_sound(schema: Schema, plan: Plan, root: str) -> bool:
    if any(excludes(one, other) for n, one in enumerate(plan.where) for other in plan.where[n + 1 :]):
        return False
    if any(_is_held_against_a_part(schema, plan, test) for test in plan.where):
        return False
    if any(_rules_out_nothing(one, other) for one in plan.where for other in plan.where if one is not other):
        return False
    if len(plan.measures) != len(set(plan.measures)):
        return False  # One figure twice is one figure.
    if plan.having and not plan.by:
        return False  # A condition on groups needs groups.
    for measure in plan.measures:
        if not _is_sound_figure(schema, measure, root):
            return False
        if any(test in plan.where for test in measure.where):
            return False  # A part of what already meets the condition is all of it.
        split = {(v.table, v.column) for v in plan.by}
        if measure.function == "rate" and any(
            (t.value.table, t.value.column) in split for t in measure.where if t.value
        ):
            return False
        if measure.of is not None and any(measure.of == key for key in plan.by):
            return False
        if measure.function == "distinct" and measure.of is not None and _is_one_each(schema, measure.of, plan.by):
            return False
    keys = [schema.column(v.table or "", v.column or "") for v in plan.by]
    counts = bool(plan.measures) and plan.measures[0].function in {"rows", "distinct"}
    single = [
        c is not None and c.is_unique and c.table == root and v.part is None for c, v in zip(keys, plan.by, strict=True)
    ]
    if plan.rank is not None and counts and any(single):
        return False  # Each row is one row: that ranks nothing.
    if any(
        c is not None and c.kind == "number" and not c.whole and c.distinct > 60 and v.kind == "column"
        for c, v in zip(keys, plan.by, strict=True)
    ):
        return False
    return len(plan.by) == len(set(plan.by)) and len(plan.show) == len(set(plan.show))


def _rules_out_nothing(one: Test, other: Test) -> bool:
    """Whether a period is denied that another period leaves no room for anyway: in May and not in June."""
    if not one.negated or other.negated or one.value is None or other.value is None or one.inner or other.inner:
        return False
    plain = one.model_copy(update={"negated": False})
    if one.value == other.value and one.operator == other.operator == "=":
        return one.to != other.to
    return excludes(plain, other)


def _is_held_against_a_part(schema: Schema, plan: Plan, test: Test) -> bool:
    """Whether things are picked by one of many rows held against what they have once: one cost against the budget."""
    if test.value is None or test.other is None or test.value.table is None or test.other.table is None:
        return False
    if test.value.table == test.other.table or test.other.table not in schema.routes.get(test.value.table, {}):
        return False
    told = {value.table for value in (*plan.show, *plan.by)} | {m.of.table for m in plan.measures if m.of is not None}
    return told == {test.other.table} or (told == {test.value.table} and _counts_pointers(schema, plan, test))


def _counts_pointers(schema: Schema, plan: Plan, test: Test) -> bool:
    """Whether what is counted is the key by which the rows point at the thing."""
    ends = (test.value.table if test.value else None, test.other.table if test.other else None)
    pointing = {(one.left, one.left_column) for one in schema.relations if (one.left, one.right) == ends}
    counted = [m.of for m in plan.measures if m.function == "distinct" and m.of is not None]
    return bool(counted) and all((value.table, value.column) in pointing for value in counted)


def _is_one_each(schema: Schema, of: Value, by: tuple[Value, ...]) -> bool:
    """Whether each group has one such value by nature: one id for each name."""
    columns = [schema.column(v.table or "", v.column or "") for v in by]
    owners = {of.table, *(o.right for o in schema.relations if (o.left, o.left_column) == (of.table, of.column))}
    return any(c is not None and c.table in owners and c.is_unique for c in columns)


def _is_sound_figure(schema: Schema, measure: Measure, root: str) -> bool:
    for value in (measure.of, measure.weight):
        if value is None:
            continue
        for table, name in value.columns():
            column = schema.column(table, name)
            if column is None:
                continue
            if measure.function in _ARITHMETIC:
                if (column.has("key") and value.kind != "length") or (
                    column.kind not in {"number", "bool"} and value.kind in {"column", "arithmetic"}
                ):
                    return False
                if column.has("year", "month", "quarter", "month_day", "weekday") and measure.function == "sum":
                    return False
                # A number of another table stands in each of its rows again; times a number of the row it is the row's.
                if table != root and not (value.kind == "arithmetic" and any(t == root for t, _ in value.columns())):
                    return False
    return measure.over is None or _is_sound_figure(schema, measure.over, root)


def _without_totals(schema: Schema, plan: Plan) -> Plan:
    """A total row in the data is neither ranked nor added up, unless it is asked for."""
    if plan.statistic is not None or not (plan.measures or plan.rank):
        return plan
    extra: list[Test] = []
    named = {(t.value.table, t.value.column) for t in plan.tests() if t.value is not None}
    for table in sorted({plan.table, *(t for t, _ in plan.columns())}):
        for column in schema.tables[table].columns if table in schema.tables else ():
            if column.totals and (column.table, column.name) not in named:
                extra.append(Test(value=column.value, operator="not in", to=column.totals))
    return plan.model_copy(update={"where": (*plan.where, *extra)}) if extra else plan
