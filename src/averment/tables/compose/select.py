"""Composing selects: a typed query over joined tables becomes one text in the catalog's dialect.

Names are quoted by the SQL library. Values travel as parameters, collected in the order in which the text names them,
because every clause is built in the order in which it is written.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import sqlglot
import sqlglot.expressions as sql

from averment.tables.compose.composed_query import ComposedQuery, Parameter
from averment.tables.compose.dates import date_part, date_written, days_between, seconds_between
from averment.tables.compose.select_spec import Condition, Order, Output, Select, Term

if TYPE_CHECKING:
    from averment.tables.catalog import Dialect

_COMPARE: dict[str, type[sql.Binary]] = {
    "=": sql.EQ,
    "<>": sql.NEQ,
    "<": sql.LT,
    "<=": sql.LTE,
    ">": sql.GT,
    ">=": sql.GTE,
}
_ARITHMETIC: dict[str, type[sql.Binary]] = {"-": sql.Sub, "+": sql.Add, "*": sql.Mul, "/": sql.Div}
_SPELT = {"stddev": "stddev_samp"}
"""Functions that not every engine takes for the sample's own."""
_SETS: dict[str, type[sql.SetOperation]] = {"union": sql.Union, "intersect": sql.Intersect, "except": sql.Except}
PLACE_NAME = "row place"
"""The heading of a row's place in a numbered table."""

_NUMBER = r"-?[0-9][0-9,]*\.?[0-9]*"


def compose_select(spec: Select, dialect: Dialect) -> ComposedQuery:
    """The query as one text with the values of its placeholders."""
    writer = _SelectWriter(dialect)
    tree = writer.select(spec)
    return ComposedQuery(sql=tree.sql(dialect=dialect, pretty=True), params=tuple(writer.params))


def _name(text: str) -> sql.Identifier:
    return sql.to_identifier(text, quoted=True)


def _numbered(table: str) -> sql.Expr:
    number = sql.Window(this=sql.RowNumber())
    inner = sql.select(sql.Star(), sql.alias_(number, PLACE_NAME, quoted=True)).from_(sql.Table(this=_name(table)))
    return inner.subquery(_name(table))


class _SelectWriter:
    """Builds one tree; ``params`` grows as placeholders are written."""

    def __init__(self, dialect: Dialect) -> None:
        self.dialect: Dialect = dialect
        self.params: list[Parameter] = []
        self._bare = False

    def select(self, spec: Select) -> sql.Query:
        """A select and what is united with it."""
        query: sql.Query = self._plain(spec)
        if spec.set_operation is not None and spec.other is not None:
            other = self._plain(spec.other)
            query = _SETS[spec.set_operation](this=query, expression=other, distinct=True)
        return query

    def _plain(self, spec: Select) -> sql.Select:
        # Inside one table a name needs no prefix, and the text reads better without.
        outside, self._bare = self._bare, not spec.joins
        query = sql.select()
        if spec.distinct:
            query = query.distinct()
        for output in spec.outputs:
            query = query.select(self._output(output))
        query = query.from_(_numbered(spec.table) if spec.numbered else sql.Table(this=_name(spec.table)))
        for join in spec.joins:
            on = sql.EQ(
                this=self._column(join.left, join.left_column), expression=self._column(join.right, join.right_column)
            )
            query = query.join(sql.Table(this=_name(join.right)), on=on, join_type="left" if join.outer else "inner")
        for condition in spec.conditions:
            query = query.where(self.condition(condition))
        for group in spec.groups:
            query = query.group_by(self.term(group))
        for condition in spec.having:
            query = query.having(self.condition(condition))
        for order in spec.order:
            query = query.order_by(self._order(order))
        if spec.limit is not None:
            query = query.limit(spec.limit)
        if spec.offset:
            query = query.offset(spec.offset)
        self._bare = outside
        return query

    def _output(self, output: Output) -> sql.Expr:
        return sql.alias_(self.term(output.term), output.alias, quoted=True)

    def _order(self, order: Order) -> sql.Ordered:
        # Missing values last when counting down and first when counting up: they are never the greatest.
        first = not order.descending and self.dialect == "sqlite"
        return sql.Ordered(this=self.term(order.term), desc=order.descending, nulls_first=first)

    def _column(self, table: str | None, name: str) -> sql.Column:
        if table is None or self._bare:
            return sql.Column(this=_name(name))
        return sql.Column(this=_name(name), table=_name(table))

    def _value(self, value: Parameter, *, is_date: bool = False) -> sql.Expr:
        self.params.append(value)
        mark: sql.Expr = sql.var("?")
        return sql.cast(mark, sql.DataType.Type.DATE) if is_date and self.dialect != "sqlite" else mark

    def term(self, term: Term) -> sql.Expr:
        """A term as an expression."""
        match term.kind:
            case "column":
                return self._column(term.table, term.column or "")
            case "rows":
                if not term.conditions:
                    return sql.Count(this=sql.Star())
                return sql.Count(this=self._where(term.conditions, sql.Literal.number(1)))
            case "aggregate":
                return self._aggregate(term)
            case "part" if term.value is not None:
                return self._fiscal_year(term)
            case "part":
                return date_part(self.term(term.arguments[0]), term.part or "day", self.dialect)
            case "number":
                return self._number(self.term(term.arguments[0]))
            case "length":
                return sql.Length(this=self.term(term.arguments[0]))
            case "absolute":
                return sql.Abs(this=self.term(term.arguments[0]))
            case "arithmetic":
                return self._arithmetic(term)
            case "share":
                part = sql.cast(self.term(term.arguments[0]), sql.DataType.Type.DOUBLE)
                whole = sql.Window(this=sql.Sum(this=self.term(term.arguments[0])))
                return sql.Div(this=sql.Mul(this=sql.Literal.number(100), expression=part), expression=whole)
            case "place":
                return sql.Column(this=_name(PLACE_NAME))
            case "scalar":
                assert term.query is not None  # a scalar is made of a query
                return sql.Subquery(this=self.select(term.query))
            case "constant":
                return self._value(term.value if term.value is not None else 0)
            case "days":
                first, last = (self.term(each) for each in term.arguments)
                return days_between(first, last, self.dialect)
            case "seconds":
                first, last = (self.term(each) for each in term.arguments)
                return seconds_between(first, last, self.dialect)
            case "rank":
                by = sql.Ordered(this=self.term(term.arguments[0]), desc=True, nulls_first=False)
                return sql.Window(this=sql.Anonymous(this="RANK"), order=sql.Order(expressions=[by]))
            case "before":
                value = self.term(term.arguments[0])
                within = [self.term(each) for each in term.arguments[2:]]
                by = sql.Ordered(this=self.term(term.arguments[1]), nulls_first=self.dialect == "sqlite")
                lag = sql.Anonymous(this="LAG", expressions=[value])
                return sql.Window(this=lag, partition_by=within, order=sql.Order(expressions=[by]))
            case "date":
                return date_written(lambda: self.term(term.arguments[0]), self.dialect)
            case "rounded":
                inner, places = self.term(term.arguments[0]), sql.Literal.number(int(term.value or 0))
                if self.dialect != "postgres":
                    return sql.Round(this=inner, decimals=places)
                # The server rounds to places in exact numbers only.
                exact = sql.Round(this=sql.cast(inner, sql.DataType.Type.DECIMAL), decimals=places)
                return sql.cast(exact, sql.DataType.Type.DOUBLE)
            case "extract":
                return self._extract(term)
            case "bucket":
                return self._bucket(term)

    def _fiscal_year(self, term: Term) -> sql.Expr:
        """The year in which the fiscal year ends that begins with the month ``value``."""
        year, month = (
            date_part(self.term(term.arguments[0]), part, self.dialect) for part in ("year_number", "month_number")
        )
        begun = sql.GTE(this=month, expression=sql.Literal.number(int(term.value or 1)))
        turned = sql.Case().when(begun, sql.Literal.number(1)).else_(sql.Literal.number(0))
        return sql.paren(sql.Add(this=year, expression=turned))

    def _bucket(self, term: Term) -> sql.Expr:
        width = float(term.value or 1)
        step = sql.Literal.number(int(width) if width.is_integer() else width)
        quotient = sql.Div(this=sql.cast(self.term(term.arguments[0]), sql.DataType.Type.DOUBLE), expression=step)
        if self.dialect == "sqlite":
            # Not every SQLite has FLOOR: what was cut off below zero is taken back.
            whole = sql.cast(quotient, "INTEGER")
            below = sql.paren(sql.LT(this=quotient.copy(), expression=whole.copy()))
            floor: sql.Expr = sql.paren(sql.Sub(this=whole, expression=below))
        else:
            floor = sql.Floor(this=quotient)
        scaled = sql.Mul(this=floor, expression=step.copy())
        return sql.cast(scaled, "BIGINT") if width.is_integer() else scaled

    def _nested(self, body: dict[str, Any]) -> sql.Subquery:
        """A query with layers inside a condition; its parameters come where its text stands."""
        from averment.tables.compose.layer_spec import Layered
        from averment.tables.compose.layers import compose_layers

        composed = compose_layers(Layered.model_validate(body), self.dialect)
        self.params += composed.params
        return sql.Subquery(this=sqlglot.parse_one(composed.sql, dialect=self.dialect))

    def _where(self, conditions: tuple[Condition, ...], value: sql.Expr) -> sql.Expr:
        """A value in the rows that meet conditions, nothing in the others."""
        return sql.Case().when(sql.and_(*(self.condition(each) for each in conditions)), value)

    def _aggregate(self, term: Term) -> sql.Expr:
        if term.conditions:
            # The test is written before the value, and so are its parameters.
            test = sql.and_(*(self.condition(each) for each in term.conditions))
            inner: sql.Expr = sql.Case().when(test, self.term(term.arguments[0]))
        else:
            inner = self.term(term.arguments[0])
        argument: sql.Expr = sql.Distinct(expressions=[inner]) if term.distinct else inner
        if term.function != "median":
            return sql.func(_SPELT.get(term.function or "", term.function or "count"), argument)
        if self.dialect == "duckdb":
            # As a decimal the value between two neighbours would be cut to their places.
            return sql.Median(this=sql.cast(argument, sql.DataType.Type.DOUBLE))
        within = sql.Order(expressions=[sql.Ordered(this=argument)])
        half = sql.PercentileCont(this=sql.Literal.number("0.5"))
        return sql.WithinGroup(this=half, expression=within)

    def _number(self, inner: sql.Expr) -> sql.Expr:
        """The first number in a text, thousands marks left out; nothing where there is none."""
        if self.dialect == "sqlite":
            plain = sql.Anonymous(this="replace", expressions=[inner, *map(sql.Literal.string, (",", ""))])
            return sql.cast(plain, sql.DataType.Type.DOUBLE)
        text = sql.cast(inner, sql.DataType.Type.TEXT)
        search = "substring" if self.dialect == "postgres" else "regexp_extract"
        found = sql.Anonymous(this=search, expressions=[text, sql.Literal.string(_NUMBER)])
        plain = sql.Anonymous(this="replace", expressions=[found, sql.Literal.string(","), sql.Literal.string("")])
        return sql.TryCast(this=plain, to=sql.DataType.build("DOUBLE"))

    def _extract(self, term: Term) -> sql.Expr:
        """What the pattern's group finds; SQLite knows no patterns, so that nothing is found there."""
        if self.dialect == "sqlite":
            return sql.Null()
        text = sql.cast(self.term(term.arguments[0]), sql.DataType.Type.TEXT)
        pattern = sql.Literal.string(str(term.value))
        if self.dialect == "postgres":
            return sql.Anonymous(this="substring", expressions=[text, pattern])
        found = sql.Anonymous(this="regexp_extract", expressions=[text, pattern, sql.Literal.number(1)])
        return sql.Nullif(this=found, expression=sql.Literal.string(""))

    def _arithmetic(self, term: Term) -> sql.Expr:
        left, right = (self.term(each) for each in term.arguments)
        if term.operation == "/":
            left = sql.cast(left, sql.DataType.Type.DOUBLE)
            right = sql.Nullif(this=right, expression=sql.Literal.number(0))
        return sql.paren(_ARITHMETIC[term.operation or "-"](this=left, expression=right))

    def condition(self, condition: Condition) -> sql.Expr:
        """A condition as a truth value."""
        if condition.all_of:
            either: sql.Expr = sql.paren(sql.and_(*(self.condition(each) for each in condition.all_of)))
        elif condition.any_of:
            either = sql.paren(sql.or_(*(self.condition(each) for each in condition.any_of)))
        else:
            either = self._test(condition)
        return sql.Not(this=sql.paren(either)) if condition.negated else either

    def _test(self, condition: Condition) -> sql.Expr:
        assert condition.term is not None  # a plain condition tests a term
        left = self.term(condition.term)
        operator = condition.operator
        if operator in {"null", "not null"}:
            missing = sql.Is(this=left, expression=sql.Null())
            return missing if operator == "null" else sql.Not(this=missing)
        if operator in {"in", "not in"}:
            inside = self._in(left, condition)
            return inside if operator == "in" else sql.Not(this=inside)
        if operator in {"contains", "starts", "ends"}:
            value = str(condition.values[0]).replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")
            pattern = f"{'' if operator == 'starts' else '%'}{value}{'' if operator == 'ends' else '%'}"
            text = left if self.dialect == "sqlite" else sql.cast(left, sql.DataType.Type.TEXT)
            kind = sql.Like if self.dialect == "sqlite" else sql.ILike
            like = kind(this=text, expression=self._value(pattern))
            return sql.Escape(this=like, expression=sql.Literal.string("\\")) if "\\" in pattern else like
        if operator == "between":
            low = self._value(condition.values[0], is_date=condition.is_date)
            return sql.Between(this=left, low=low, high=self._value(condition.values[1], is_date=condition.is_date))
        if condition.other is not None:
            return _COMPARE[operator](this=left, expression=self.term(condition.other))
        if condition.nested is not None:
            return _COMPARE[operator](this=left, expression=self._nested(condition.nested))
        if condition.query is not None:
            return _COMPARE[operator](this=left, expression=sql.Subquery(this=self.select(condition.query)))
        return _COMPARE[operator](this=left, expression=self._value(condition.values[0], is_date=condition.is_date))

    def _in(self, left: sql.Expr, condition: Condition) -> sql.Expr:
        if condition.nested is not None:
            return sql.In(this=left, query=self._nested(condition.nested))
        if condition.query is not None:
            return sql.In(this=left, query=sql.Subquery(this=self.select(condition.query)))
        return sql.In(this=left, expressions=[self._value(value) for value in condition.values])
