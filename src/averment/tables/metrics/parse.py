"""Reading a metric's SQL: an aggregate expression or a whole SELECT becomes what each row of which tables adds to it.

Columns are resolved against the open tables and written out with their table, so that the parts can be put into other
queries. Nothing is run here; the queries built from the parts pass the guard like any other.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import Literal

from sqlglot import exp

from averment.errors import MetricUnreadable, MissingColumn, SqlSyntax
from averment.tables.catalog import Catalog, TableInfo
from averment.tables.guard.grammar import parse_statements, write_statement
from averment.tables.metrics.algebra import (
    AGGREGATES,
    REFUSED,
    Constant,
    Ratio,
    Sums,
    call_of,
    quantile_of,
    take_apart,
)
from averment.tables.metrics.column_owner import TableScope, scope_of

_QUERY = re.compile(r"^\s*(select|with|from)\b", re.IGNORECASE)
_DAY_FUNCTIONS = frozenset({"DATE", "TO_DATE", "DATE_TRUNC"})


@dataclass(frozen=True, kw_only=True)
class MetricPart:
    """What a row adds; under a unit, how the rows of one unit are merged first."""

    value: str
    merge: Literal["sum", "max"] = "sum"
    tables: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class MetricJoin:
    """An equality by which the metric's own text joins two tables."""

    left: str
    left_column: str
    right: str
    right_column: str
    inner: bool


@dataclass(frozen=True, kw_only=True)
class MetricForm:
    """A metric as sums over rows.

    A ``sum`` has a numerator only. With ``unit`` each distinct value of that expression is one row. ``per_day`` divides
    by the number of distinct days. ``tables`` are all tables that the text speaks of, ``where`` its condition.
    """

    kind: Literal["sum", "ratio"]
    numerator: MetricPart
    denominator: MetricPart | None = None
    unit: str | None = None
    per_day: str | None = None
    scale: float = 1.0
    tables: tuple[str, ...] = ()
    joins: tuple[MetricJoin, ...] = ()
    where: str | None = None
    columns: frozenset[tuple[str, str]] = frozenset()
    text: str = ""
    quantile: float | None = None
    """Where the metric is a percentile: its place. What is written here is the mean of the same values."""

    @property
    def counts(self) -> bool:
        """Whether the numerator counts rows or units: each adds one."""
        return self.numerator.value == "1"


def read_metric(text: str, catalog: Catalog) -> MetricForm | None:
    """The metric that an SQL text means, or None when the text is no SQL but words.

    Raises:
        MetricUnreadable: it is SQL, but no sum, count, mean or ratio of such.
        MissingTable, MissingColumn: it names what no file has.
    """
    body = text.strip().rstrip(";").strip()
    whole = bool(_QUERY.match(body))
    try:
        trees = parse_statements(body if whole else f"SELECT {body}", catalog.dialect)
    except SqlSyntax as error:
        if not whole and "(" not in body:
            return None
        raise MetricUnreadable(f"The metric could not be parsed as SQL: {error.message}") from error
    if len(trees) != 1 or not isinstance(trees[0], exp.Select):
        raise MetricUnreadable("A metric must be one SELECT or one aggregate such as SUM(amount).")
    select = trees[0]
    found = [item for item in select.expressions if _aggregates(item)]
    if not found:
        if whole or "(" in body:
            raise MetricUnreadable(f"The metric contains no aggregate: {body}.")
        return None
    if len(found) > 1:
        raise MetricUnreadable("The metric's SELECT has several aggregates; give the one to follow.")
    return _form(select, found[0], catalog, body)


def _aggregates(node: exp.Expr) -> bool:
    return any(call_of(part)[0] in AGGREGATES | REFUSED for part in node.walk())


def _form(select: exp.Select, item: exp.Expr, catalog: Catalog, text: str) -> MetricForm:
    _check_clauses(select)
    scope = scope_of(select, catalog)
    joins = _joins(select, scope)
    scope.resolve_columns(item)
    columns: set[tuple[str, str]] = set()
    for part in (item, select.args.get("where")):
        if part is not None:
            columns |= scope.qualify(part)
    asked = quantile_of(item)
    found = take_apart(item if asked is None else exp.Avg(this=asked[0].copy()))
    if isinstance(found, Constant):
        raise MetricUnreadable("The metric is a constant.")
    where = select.args.get("where")
    unit = found.unit if isinstance(found, Sums) else None
    top = found if isinstance(found, Sums) else found.top
    form = MetricForm(
        kind="sum",
        numerator=_part(top, catalog, scope, merge="sum" if top.unit is None else "max"),
        unit=None if unit is None else _written(unit, catalog),
        scale=found.scale,
        tables=scope.tables,
        joins=joins,
        where=None if where is None else _written(where.this, catalog),
        columns=frozenset(columns),
        text=" ".join(text.split()),
        quantile=None if asked is None else asked[1],
    )
    return form if isinstance(found, Sums) else _ratio(form, found, catalog, scope)


def _ratio(form: MetricForm, found: Ratio, catalog: Catalog, scope: TableScope) -> MetricForm:
    top, bottom = found.top, found.bottom
    if bottom.unit is not None and top.unit is None and _is_day(bottom.unit, scope):
        return replace(form, per_day=_written(bottom.unit, catalog))
    units = {_written(each.unit, catalog) for each in (top, bottom) if each.unit is not None}
    if len(units) > 1:
        raise MetricUnreadable("The metric has two different COUNT(DISTINCT …) expressions; only one is supported.")
    below = _part(bottom, catalog, scope, merge="sum" if bottom.unit is None else "max")
    return replace(form, kind="ratio", denominator=below, unit=units.pop() if units else None)


def _part(found: Sums, catalog: Catalog, scope: TableScope, *, merge: Literal["sum", "max"]) -> MetricPart:
    value = found.value
    tables = tuple(sorted({column.table for column in value.find_all(exp.Column)}))
    known = scope.column_type(value)
    text = _written(value, catalog)
    if known is not None and known.upper().startswith("BOOL"):
        text = f"CAST({text} AS INTEGER)"
    return MetricPart(value=text, merge=merge, tables=tables)


def _check_clauses(select: exp.Select) -> None:
    for clause in ("having", "qualify", "limit", "offset", "distinct", "windows", "with_", "with", "laterals"):
        if select.args.get(clause):
            raise MetricUnreadable(f"A metric's SELECT must not have {clause.strip('_').upper()}.")
    group = select.args.get("group")
    if group is not None:
        raise MetricUnreadable(
            "A metric is one number per period, so its SELECT must not have GROUP BY.",
            hint="Leave GROUP BY out: the driller groups by every dimension itself.",
        )
    if any(select.find_all(exp.Subquery)) or any(select.find_all(exp.Window)):
        raise MetricUnreadable("A metric must read tables directly, without subqueries or window functions.")


def _joins(select: exp.Select, scope: TableScope) -> tuple[MetricJoin, ...]:
    found: list[MetricJoin] = []
    for join in select.args.get("joins") or ():
        side, kind = str(join.args.get("side") or "").upper(), str(join.args.get("kind") or "").upper()
        if side in {"RIGHT", "FULL"} or kind in {"CROSS", "SEMI", "ANTI"}:
            raise MetricUnreadable(f"A metric can use INNER JOIN or LEFT JOIN, not {side or kind} JOIN.")
        joined = scope.table_of(join.this.alias_or_name)
        pairs = _equalities(join, joined, scope)
        if len(pairs) != 1:
            raise MetricUnreadable("A metric must join each table by one equality of columns.")
        (left, left_column), right_column = pairs[0]
        found.append(
            MetricJoin(
                left=left, left_column=left_column, right=joined.name, right_column=right_column, inner=side != "LEFT"
            )
        )
    return tuple(found)


def _equalities(join: exp.Expr, joined: TableInfo, scope: TableScope) -> list[tuple[tuple[str, str], str]]:
    pairs: list[tuple[tuple[str, str], str]] = []
    for name in join.args.get("using") or ():
        left = scope.find(name.name, without=joined.name)
        column = joined.column(name.name)
        if column is None:
            raise MissingColumn(f"{joined.name} has no column {name.name}.")
        pairs.append((left, column.name))
    on = join.args.get("on")
    if on is not None:
        for test in on.flatten() if isinstance(on, exp.And) else [on]:
            bare = test.this if isinstance(test, exp.Paren) else test
            sides = (bare.this, bare.expression) if isinstance(bare, exp.EQ) else ()
            if len(sides) != 2 or not all(isinstance(side, exp.Column) for side in sides):
                raise MetricUnreadable("A metric must join tables by equal columns.")
            places = [scope.place(side) for side in sides]
            inside = [place for place in places if place[0] == joined.name]
            outside = [place for place in places if place[0] != joined.name]
            if len(inside) != 1 or len(outside) != 1:
                raise MetricUnreadable("A join condition must name a column of each table.")
            pairs.append((outside[0], inside[0][1]))
    return pairs


def _is_day(unit: exp.Expr, scope: TableScope) -> bool:
    """Whether a counted thing is the calendar day of a row."""
    if isinstance(unit, exp.Cast):
        return unit.to.sql().upper() == "DATE"
    if call_of(unit)[0] in _DAY_FUNCTIONS or isinstance(unit, exp.Date | exp.TsOrDsToDate):
        return True
    known = scope.column_type(unit)
    name = unit.name.casefold() if isinstance(unit, exp.Column) else ""
    return known is not None and (known.upper() == "DATE" or (name in {"day", "date", "dt"} and "TIME" not in known))


def _written(node: exp.Expr, catalog: Catalog) -> str:
    return write_statement(node, catalog.dialect)
