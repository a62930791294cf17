"""A plan from a form: what was picked in a builder becomes the plan that the same request in words is read as."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, cast, get_args

from averment.errors import InvalidArguments
from averment.plans.builder_options import FUNCTIONS, OPERATORS, ORDERS, PARTS
from averment.plans.plan import Measure, Operator, Part, Plan, Rank, Sort, Test, Value
from averment.plans.registry import AGGREGATES
from averment.reading.resolve_joins import resolve_joins

if TYPE_CHECKING:
    from averment.reading.schema.schema_column import Column
    from averment.reading.schema.schema_view import Schema


def build_plan(schema: Schema, form: Mapping[str, Any]) -> Plan:
    """The plan of a form.

    ``function`` and ``of`` say the measure; ``by`` is a list of columns, of a date with ``|month`` and the like after
    it; ``where`` a list of ``[column, operator, value]``; ``order`` is highest or lowest and ``limit`` how many are
    kept of the first.

    Raises:
        InvalidArguments: a field names no column, no function or no number, or the parts do not fit.
    """
    function = str(form.get("function") or "rows")
    if function not in FUNCTIONS:
        raise InvalidArguments(f"There is no measure called {function}.", hint=f"Use: {', '.join(FUNCTIONS)}.")
    of = _column(schema, form.get("of")) if form.get("of") else None
    if function != "rows" and of is None:
        raise InvalidArguments(f"Say of which column the {FUNCTIONS[function]} is taken.")
    groups = [_key(schema, str(each)) for each in _listed(form.get("by"))]
    tests = tuple(_test(schema, each) for each in _listed(form.get("where")))
    named = of or (_column(schema, str(_listed(form.get("by"))[0]).partition("|")[0]) if groups else None)
    table = str(form.get("table") or (named.table if named is not None else schema.fact))
    if table not in schema.tables:
        raise InvalidArguments(f"There is no table {table}.", hint=f"Use: {', '.join(schema.tables)}.")
    measure = _measure(function, of)
    order, limit = str(form.get("order") or ""), _limit(form.get("limit"))
    plan = Plan(table=table, where=tests, by=tuple(groups), measures=(measure,), **_shape(groups, order, limit))
    resolved = resolve_joins(schema, plan, keys_named=True)
    if resolved is None:
        raise InvalidArguments(
            "These parts do not fit together.",
            hint="An identifier is not computed with, and columns of two tables need a key between them.",
        )
    return resolved


def _shape(groups: Sequence[Value], order: str, limit: int | None) -> dict[str, Any]:
    """What is expected back, and the rank or order that was picked."""
    if order not in ORDERS:
        raise InvalidArguments(f"There is no order {order}.", hint="Use highest or lowest.")
    if not groups:
        return {"expects": "figure"}
    if limit is not None:
        rank = Rank(descending=order != "lowest", limit=limit)
        return {"rank": rank, "expects": "row" if limit == 1 else "list"}
    timed = len(groups) == 1 and groups[0].kind == "part"
    sort = {"order": (Sort(at=len(groups), descending=order == "highest"),)} if order else {}
    return {**sort, "expects": "series" if timed else "table"}


def _measure(function: str, of: Column | None) -> Measure:
    if function == "rows":
        return Measure(function="rows")
    assert of is not None  # checked by the caller
    if function == "rate":
        if not of.has("flag") or of.true_value is None:
            raise InvalidArguments(f"{of.name} is not a column of yes and no.")
        return Measure(function="rate", where=(Test(value=of.value, to=(of.true_value,)),))
    if (
        AGGREGATES[function].of != "anything"
        and of.kind not in {"number", "bool"}
        and not (of.kind == "date" and AGGREGATES[function].of == "ordered")
    ):
        raise InvalidArguments(f"{of.name} holds no numbers.")
    return Measure(function=function, of=of.value)


def _column(schema: Schema, name: object) -> Column:
    table, dot, column = str(name).rpartition(".")
    found = schema.column(table, column) if dot else None
    if found is None:
        named = [c for c in schema.columns if c.name == str(name)]
        found = named[0] if len(named) == 1 else None
    if found is None or found.expression is not None:
        known = ", ".join(f"{c.table}.{c.name}" for c in schema.columns if c.expression is None)
        raise InvalidArguments(f"There is no column {str(name)!a}.", hint=f"Use one of: {known[:400]}.")
    return found


def _key(schema: Schema, text: str) -> Value:
    name, _, part = text.partition("|")
    column = _column(schema, name)
    if not part:
        return column.value
    if column.kind != "date" or part not in get_args(Part):
        raise InvalidArguments(f"{name} cannot be cut into a {part}.", hint=f"Use: {', '.join(PARTS)}.")
    return Value(kind="part", table=column.table, column=column.name, part=cast("Part", part))


def _test(schema: Schema, body: Any) -> Test:
    name, operator, value = (*body, "", "")[:3]
    column = _column(schema, name)
    if operator not in OPERATORS:
        raise InvalidArguments(f"There is no comparison {operator!a}.", hint=f"Use: {', '.join(OPERATORS)}.")
    if operator == "null":
        return Test(value=column.value, operator="null")
    return Test(value=column.value, operator=cast("Operator", operator), to=(_typed(column, str(value)),))


def _typed(column: Column, text: str) -> str | int | float | bool:
    plain = text.strip()
    if column.kind == "bool":
        return plain.casefold() in {"true", "yes", "1"}
    if column.kind != "number":
        same = [value for value in column.values if str(value).casefold() == plain.casefold()]
        return str(same[0]) if len(same) == 1 else plain
    try:
        number = float(plain.replace(",", ""))
    except ValueError as error:
        raise InvalidArguments(f"{column.name} is compared with a number, not with {plain!a}.") from error
    return int(number) if number.is_integer() else number


def _limit(given: object) -> int | None:
    if given in {None, ""}:
        return None
    try:
        number = int(str(given))
    except ValueError as error:
        raise InvalidArguments("A limit is a whole number.") from error
    if not 1 <= number <= 1_000:
        raise InvalidArguments("A limit is between 1 and 1,000.")
    return number


def _listed(given: Any) -> list[Any]:
    if given is None or given == "":
        return []
    return list(given) if isinstance(given, list | tuple) else [given]
