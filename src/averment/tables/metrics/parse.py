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
from averment.tables.guard.names import suggest_name


class TableScope:
    """The tables a metric may mean, by the names its text gives them.

    Without a FROM clause every open table is in scope, and ``resolve_columns`` chooses those that the columns name.
    """

    def __init__(self, catalog: Catalog, named: dict[str, TableInfo]) -> None:
        self._catalog = catalog
        self._named = named
        self._resolved = bool(named)

    @property
    def tables(self) -> tuple[str, ...]:
        """The tables spoken of, in the order they were named."""
        return tuple(dict.fromkeys(table.name for table in self._named.values())) if self._resolved else ()

    def resolve_columns(self, node: exp.Expr) -> None:
        """Choose the tables of a bare expression: the one that has all its columns, else one for each column.

        Raises:
            MissingColumn: no table has a column of that name.
        """
        if self._resolved:
            return
        columns = list(node.find_all(exp.Column))
        for column in columns:
            if column.table:
                table = self._catalog.table(column.table)
                self._named[table.name.casefold()] = table
        bare = [column.name for column in columns if not column.table]
        holding = [table for table in self._catalog.tables if all(table.column(name) for name in bare)]
        if bare and holding and not self._named:
            # Of several tables the longest holds the facts; the others repeat its columns as keys.
            best = max(holding, key=lambda table: table.row_count or 0)
            self._named[best.name.casefold()] = best
        elif not columns:
            best = max(self._catalog.tables, key=lambda table: table.row_count or 0)
            self._named[best.name.casefold()] = best
        else:
            for name in bare:
                if any(table.column(name) for table in self._named.values()):
                    continue
                having = [table for table in self._catalog.tables if table.column(name)]
                if not having:
                    raise self._missing(name)
                best = max(having, key=lambda table: table.row_count or 0)
                self._named[best.name.casefold()] = best
        self._resolved = True

    def table_of(self, alias: str) -> TableInfo:
        """The table that goes by that name in the text.

        Raises:
            MissingTable: none does.
        """
        found = self._named.get(alias.casefold())
        return found if found is not None else self._catalog.table(alias)

    def find(self, name: str, *, without: str = "") -> tuple[str, str]:
        """The table and exact name of a column that stands without its table.

        Raises:
            MissingColumn: no table in scope has it.
            MetricUnreadable: several have it.
        """
        having = [t for t in self._named.values() if t.name != without and t.column(name) is not None]
        if not having:
            raise self._missing(name)
        if len(having) > 1:
            tables = ", ".join(table.name for table in having)
            raise MetricUnreadable(f"{name} is a column of {tables}.", hint=f"Write {having[0].name}.{name}.")
        column = having[0].column(name)
        return having[0].name, name if column is None else column.name

    def place(self, column: exp.Expr) -> tuple[str, str]:
        """The table and exact name of a column node.

        Raises:
            MissingColumn, MissingTable, MetricUnreadable: it cannot be found, or is ambiguous.
        """
        table_name = str(column.args["table"].name) if column.args.get("table") else ""
        if not table_name:
            return self.find(column.name)
        table = self.table_of(table_name)
        found = table.column(column.name)
        if found is None:
            raise self._missing(column.name)
        return table.name, found.name

    def qualify(self, node: exp.Expr) -> set[tuple[str, str]]:
        """Write every column of a tree with its table, in place; returns the columns read."""
        read: set[tuple[str, str]] = set()
        for column in list(node.find_all(exp.Column)):
            table, name = self.place(column)
            column.set("this", exp.to_identifier(name, quoted=True))
            column.set("table", exp.to_identifier(table, quoted=True))
            column.set("db", None)
            read.add((table, name))
        return read

    def column_type(self, node: exp.Expr) -> str | None:
        """The engine's type of a plain column, or None for anything else."""
        if not isinstance(node, exp.Column):
            return None
        table, name = self.place(node)
        found = self._catalog.table(table).column(name)
        return None if found is None else found.type

    def _missing(self, name: str) -> MissingColumn:
        tables = self._named.values() or self._catalog.tables
        known = [column.name for table in tables for column in table.columns]
        return MissingColumn(f"No file has a column {name!r}.", suggestion=suggest_name(name, known))


def scope_of(select: exp.Select, catalog: Catalog) -> TableScope:
    """The scope of a metric's SELECT.

    Raises:
        MissingTable: it names a table that no file gave.
        MetricUnreadable: it reads something other than plain tables, or one table twice.
    """
    named: dict[str, TableInfo] = {}
    start = select.args.get("from_") or select.args.get("from")
    sources = [start.this] if start is not None else []
    sources += [join.this for join in select.args.get("joins") or ()]
    for source in sources:
        if not isinstance(source, exp.Table) or not isinstance(source.this, exp.Identifier):
            raise MetricUnreadable("A metric must refer to tables by name.")
        table = catalog.table(source.name)
        if any(table.name == other.name for other in named.values()):
            raise MetricUnreadable(f"The metric reads {table.name} twice.")
        named[source.alias_or_name.casefold()] = table
    return TableScope(catalog, named)


AGGREGATES = frozenset({"SUM", "AVG", "MEAN", "COUNT", "COUNT_IF", "COUNTIF"})

REFUSED = frozenset(
    [
        *("MIN", "MAX", "MEDIAN", "MODE", "STDDEV", "VARIANCE", "VAR_POP", "VAR_SAMP", "QUANTILE", "QUANTILE_CONT"),
        *("PERCENTILE_CONT", "PERCENTILE_DISC", "FIRST", "LAST", "ANY_VALUE", "APPROX_COUNT_DISTINCT", "STDDEV_POP"),
        *("STDDEV_SAMP", "ARG_MAX", "ARG_MIN", "LIST", "STRING_AGG", "CORR", "KURTOSIS", "SKEWNESS", "PRODUCT"),
    ]
)

_SHELLS = frozenset({"ROUND", "COALESCE", "NULLIF", "IFNULL", "CEIL", "FLOOR", "TRY_CAST"})


_ROUNDED = frozenset({"ROUND", "COALESCE"})

_QUANTILES = frozenset({"QUANTILE", "QUANTILE_CONT", "PERCENTILE_CONT", "APPROX_QUANTILE"})


@dataclass(frozen=True, kw_only=True)
class Sums:
    """An additive aggregate: each row adds ``value``; with ``unit`` each distinct unit is counted once instead."""

    value: exp.Expr
    scale: float = 1.0
    unit: exp.Expr | None = None


@dataclass(frozen=True, kw_only=True)
class Ratio:
    """One additive aggregate divided by another."""

    top: Sums
    bottom: Sums
    scale: float = 1.0


@dataclass(frozen=True)
class Constant:
    """A plain number."""

    value: float


Algebra = Sums | Ratio | Constant


def quantile_of(item: exp.Expr) -> tuple[exp.Expr, float] | None:
    """The value and the place of a percentile, where an expression is one; None for anything else.

    Raises:
        MetricUnreadable: the place is no number between 0 and 1.
    """
    node = item
    while isinstance(node, exp.Alias | exp.Paren) or (call_of(node)[0] in _ROUNDED and call_of(node)[1]):
        node = node.this if isinstance(node, exp.Alias | exp.Paren) else call_of(node)[1][0]
    if isinstance(node, exp.WithinGroup):
        inner, ordered = call_of(node.this), node.expression.find(exp.Ordered)
        if inner[0] == "PERCENTILE_CONT" and ordered is not None:
            return ordered.this, _place(inner[1][0])
        return None
    name, arguments = call_of(node)
    if name == "MEDIAN" and len(arguments) == 1:
        return arguments[0], 0.5
    if name in _QUANTILES and len(arguments) == 2:
        return arguments[0], _place(arguments[1])
    return None


def _place(node: exp.Expr) -> float:
    text = node.sql()
    try:
        place = float(text)
    except ValueError:
        place = -1.0
    if not 0.0 < place < 1.0:
        raise MetricUnreadable(f"A percentile needs a number between 0 and 1, and {text} is not one.")
    return place


def take_apart(node: exp.Expr) -> Algebra:
    """The algebra of a metric's expression.

    Raises:
        MetricUnreadable: it is no sum, count, mean or ratio of such.
    """
    match node:
        case exp.Paren() | exp.Alias() | exp.Cast():
            return take_apart(node.this)
        case exp.Literal() if not node.is_string:
            return Constant(float(node.this))
        case exp.Neg():
            return _scaled(take_apart(node.this), -1.0)
        case exp.Mul():
            return _product(take_apart(node.this), take_apart(node.expression))
        case exp.Div() | exp.IntDiv():
            return _quotient(take_apart(node.this), take_apart(node.expression))
        case exp.Add() | exp.Sub():
            sign = 1.0 if isinstance(node, exp.Add) else -1.0
            return _added(take_apart(node.this), take_apart(node.expression), sign)
        case exp.Filter():
            where: exp.Expr = node.expression.this
            return _filtered(take_apart(node.this), where)
        case _:
            return _call(node)


def _call(node: exp.Expr) -> Algebra:
    name, arguments = call_of(node)
    if name in _SHELLS and arguments:
        return take_apart(arguments[0])
    if name in AGGREGATES:
        return _aggregate(name, arguments)
    raise MetricUnreadable(
        f"{node.sql()} is not a sum, count, mean or ratio of these, so its change cannot be attributed to segments."
    )


def call_of(node: exp.Expr) -> tuple[str, list[exp.Expr]]:
    """The upper-case name and the arguments of a function call; an empty name for anything else."""
    if isinstance(node, exp.Anonymous):
        return str(node.this).upper(), list(node.expressions)
    if isinstance(node, exp.Count):
        return "COUNT", [] if node.this is None else [node.this]
    if isinstance(node, exp.Func):
        return node.sql_name().upper(), list(node.iter_expressions())
    return "", []


def _aggregate(name: str, arguments: list[exp.Expr]) -> Algebra:
    one = exp.Literal.number(1)
    first = arguments[0] if arguments else None
    if isinstance(first, exp.Distinct):
        if name != "COUNT" or len(first.expressions) != 1:
            raise MetricUnreadable("DISTINCT is supported only in COUNT(DISTINCT one_thing).")
        return _distinct(first.expressions[0])
    match name:
        case "COUNT":
            if first is None or isinstance(first, exp.Star | exp.Literal):
                return Sums(value=one)
            return Sums(value=_when(_known(first), one))
        case "COUNT_IF" | "COUNTIF" if first is not None:
            return Sums(value=_when(first, one))
        case "SUM" if first is not None:
            return Sums(value=first)
        case "AVG" | "MEAN" if first is not None:
            return Ratio(top=Sums(value=first), bottom=Sums(value=_when(_known(first), one)))
        case _:
            raise MetricUnreadable(f"{name} needs something to aggregate.")


def _distinct(counted: exp.Expr) -> Sums:
    """``COUNT(DISTINCT CASE WHEN c THEN id END)`` counts ids under a condition; plain ``id`` counts all of them."""
    inner = counted.this if isinstance(counted, exp.Paren) else counted
    one = exp.Literal.number(1)
    if isinstance(inner, exp.Case) and inner.this is None and len(inner.args["ifs"]) == 1:
        default = inner.args.get("default")
        if default is None or isinstance(default, exp.Null):
            branch = inner.args["ifs"][0]
            unit: exp.Expr = branch.args["true"]
            return Sums(value=_when(exp.and_(branch.this, _known(unit)), one), unit=unit)
    return Sums(value=_when(_known(inner), one), unit=inner)


def _filtered(found: Algebra, where: exp.Expr) -> Algebra:
    match found:
        case Sums():
            return replace(found, value=_when(where, found.value))
        case Ratio():
            top = replace(found.top, value=_when(where, found.top.value))
            return replace(found, top=top, bottom=replace(found.bottom, value=_when(where, found.bottom.value)))
        case Constant():
            raise MetricUnreadable("FILTER must follow an aggregate.")


def _scaled(found: Algebra, factor: float) -> Algebra:
    if isinstance(found, Constant):
        return Constant(found.value * factor)
    return replace(found, scale=found.scale * factor)


def _product(one: Algebra, other: Algebra) -> Algebra:
    if isinstance(one, Constant):
        return _scaled(other, one.value)
    if isinstance(other, Constant):
        return _scaled(one, other.value)
    raise MetricUnreadable("A product of aggregates cannot be split into contributions of rows.")


def _quotient(top: Algebra, bottom: Algebra) -> Algebra:
    if isinstance(bottom, Constant):
        if bottom.value == 0:
            raise MetricUnreadable("The metric divides by the constant zero.")
        return _scaled(top, 1.0 / bottom.value)
    if isinstance(top, Sums) and isinstance(bottom, Sums):
        scale = top.scale / bottom.scale
        return Ratio(top=replace(top, scale=1.0), bottom=replace(bottom, scale=1.0), scale=scale)
    raise MetricUnreadable("A ratio needs a sum or count in both the numerator and the denominator.")


def _added(one: Algebra, other: Algebra, sign: float) -> Algebra:
    if isinstance(one, Constant) and isinstance(other, Constant):
        return Constant(one.value + sign * other.value)
    if isinstance(one, Sums) and isinstance(other, Sums) and one.unit is None and other.unit is None:
        return Sums(value=_combined(one.value, one.scale, other.value, sign * other.scale))
    if isinstance(one, Constant) and isinstance(other, Ratio):
        # One minus a rate is the rate of the rest.
        return _shifted(_scaled(other, sign), one.value)
    if isinstance(one, Ratio) and isinstance(other, Constant):
        return _shifted(one, sign * other.value)
    raise MetricUnreadable("Only sums can be added to sums, and only constants to rates.")


def _shifted(rate: Algebra, constant: float) -> Algebra:
    if not isinstance(rate, Ratio) or rate.top.unit is not None or rate.bottom.unit is not None:
        raise MetricUnreadable("A constant can be added only to a plain ratio of sums or counts.")
    top = _combined(rate.bottom.value, constant, rate.top.value, rate.scale)
    return Ratio(top=Sums(value=top), bottom=rate.bottom)


def _combined(one: exp.Expr, scale: float, other: exp.Expr, other_scale: float) -> exp.Expr:
    return exp.Add(this=_weighted(one, scale), expression=_weighted(other, other_scale))


def _weighted(value: exp.Expr, scale: float) -> exp.Expr:
    present = exp.Anonymous(this="coalesce", expressions=[value.copy(), exp.Literal.number(0)])
    if scale == 1.0:
        return present
    factor = exp.Literal.number(abs(scale)) if scale >= 0 else exp.Neg(this=exp.Literal.number(abs(scale)))
    return exp.Mul(this=factor, expression=present)


def _when(condition: exp.Expr, value: exp.Expr) -> exp.Expr:
    branch = exp.If(this=condition.copy(), true=value.copy())
    return exp.Case(ifs=[branch])


def _known(value: exp.Expr) -> exp.Expr:
    return exp.Not(this=exp.Is(this=value.copy(), expression=exp.Null()))


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
