"""Values, tests and measures of a plan as expressions of SQL, in DuckDB's dialect.

What other engines read is made of it at the end. A value that a plan compares with never becomes SQL: ``bound`` marks
it, and it travels as a parameter.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from datetime import date, timedelta
from typing import TYPE_CHECKING

from sqlglot import exp

from averment.errors import InvalidArguments
from averment.plans.registry import AGGREGATES

if TYPE_CHECKING:
    from averment.plans.plan import Measure, Plan, Scalar, Test, Value

PIECES = {
    "domain": r"@([A-Za-z0-9.-]+)$",
    "area_code": r"(?:^|[^0-9])([2-9][0-9]{2})[^0-9]*[0-9]{3}[^0-9]*[0-9]{4}$",
    "first_letter": r"^(.)",
    "first_word": r"^([^ ]+)",
    "last_word": r"([^ ]+)$",
}
"""How the pieces of a text are found."""

BOUND = "\ue000"
"""What a literal begins with that stands for a parameter: behind it comes the value as JSON."""
PLACE = "row place"
"""The column of a row's place in its table, counted from one."""

_NUMBERS = {"year": "YEAR", "hour": "HOUR", "day_of_month": "DAY", "month_of_year": "MONTH"}
_NAMES = {
    "month_of_year": ("MONTH", "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split(), 1),
    "weekday": ("DOW", "Sun Mon Tue Wed Thu Fri Sat".split(), 0),
    "weekend": ("DOW", ["weekend", *["weekday"] * 5, "weekend"], 0),
}
_SECONDS = {"seconds": 1, "minutes": 60, "hours": 3600}
_NUMBER = r"-?[0-9][0-9,]*\.?[0-9]*"
_DATE = re.compile(r"^\d{4}-\d{2}-\d{2}")
_ARITHMETIC: Mapping[str, type[exp.Binary]] = {"-": exp.Sub, "+": exp.Add, "*": exp.Mul, "/": exp.Div}
_COMPARE: Mapping[str, type[exp.Binary]] = {
    "=": exp.EQ,
    "!=": exp.NEQ,
    "<": exp.LT,
    "<=": exp.LTE,
    ">": exp.GT,
    ">=": exp.GTE,
}
_SETS = {"union": exp.Union, "intersect": exp.Intersect, "except": exp.Except}
_SPELT = {"STDDEV": "STDDEV_SAMP"}
"""Functions that not every engine takes for the sample's own."""


def name_sql(name: str) -> exp.Identifier:
    """A name, quoted."""
    return exp.to_identifier(name, quoted=True)


def bound(value: Scalar) -> exp.Expr:
    """A value that travels as a parameter."""
    return exp.Literal.string(f"{BOUND}{json.dumps(value)}")


def column_sql(table: str | None, name: str) -> exp.Column:
    """A column of a table."""
    return exp.Column(this=name_sql(name), table=name_sql(table) if table is not None else None)


def select(
    plan: Plan,
    outputs: Mapping[str, exp.Expr],
    *,
    where: Iterable[exp.Expr] = (),
    group: Iterable[exp.Expr] = (),
    having: Iterable[exp.Expr] = (),
    order: Iterable[exp.Expr] = (),
    distinct: bool = False,
) -> exp.Select:
    """A query over the plan's tables and the rows that it asks for, with these outputs under their headings."""
    query = exp.select(*(exp.alias_(each, name, quoted=True) for name, each in outputs.items()))
    query = query.distinct() if distinct else query
    table: exp.Expr = exp.Table(this=name_sql(plan.table))
    if any(
        each.name == PLACE and not each.table for output in outputs.values() for each in output.find_all(exp.Column)
    ):
        number = exp.alias_(exp.Window(this=exp.RowNumber()), PLACE, quoted=True)
        table = exp.select(exp.Star(), number).from_(table).subquery(name_sql(plan.table))
    query = query.from_(table)
    for join in plan.joins:
        on = exp.EQ(this=column_sql(join.left, join.left_column), expression=column_sql(join.right, join.right_column))
        query = query.join(exp.Table(this=name_sql(join.right)), on=on, join_type="left" if join.outer else "inner")
    query = query.where(*(condition_sql(test) for test in plan.where), *where, copy=False)
    for clause, parts in ((query.group_by, group), (query.having, having), (query.order_by, order)):
        if listed := list(parts):
            clause(*listed, copy=False)
    return query if plan.joins else _bare(query)


def _bare(query: exp.Select) -> exp.Select:
    """The query without the table in front of its columns: inside one table the text reads better so."""
    for node in query.walk(prune=lambda each: each is not query and isinstance(each, exp.Query)):
        if isinstance(node, exp.Column):
            node.set("table", None)
    return query


def combined(operation: str, one: exp.Query, other: exp.Query) -> exp.Query:
    """The different rows of two queries together, or of one that are or are not among the other's."""
    return _SETS[operation](this=one, expression=other, distinct=True)


def value_sql(value: Value) -> exp.Expr:
    """A value of a row."""
    match value.kind:
        case "column":
            return column_sql(value.table, value.column or "")
        case "part":
            return _part(value)
        case "arithmetic":
            left, right = (value_sql(each) for each in value.operands)
            return _arithmetic(value.operation or "-", left, right)
        case "number":
            return bound(value.number if value.number is not None else 0)
        case "days":
            first, last = (exp.cast(value_sql(each), "DATE") for each in value.operands)
            return exp.paren(exp.Sub(this=last, expression=first), copy=False)
        case "seconds" | "minutes" | "hours":
            first, last = (_field("EPOCH", value_sql(each)) for each in value.operands)
            seconds = exp.paren(exp.Sub(this=last, expression=first), copy=False)
            unit = _SECONDS[value.kind]
            return seconds if unit == 1 else _arithmetic("/", seconds, bound(unit))
        case "length":
            return exp.Length(this=_column(value))
        case "bucket":
            return _bucket(_column(value), value.width or 1)
        case "place":
            return column_sql(None, PLACE)
        case "piece":
            pattern = exp.Literal.string(PIECES[value.piece or "first_word"])
            text = exp.cast(_column(value), "TEXT")
            match_ = exp.RegexpExtract(this=text, expression=pattern, group=exp.Literal.number(1))
            return exp.Nullif(this=match_, expression=exp.Literal.string(""))
        case "as_number":
            text = exp.cast(_column(value), "TEXT")
            first_number = exp.RegexpExtract(this=text, expression=exp.Literal.string(_NUMBER))
            plain = exp.Anonymous(this="REPLACE", expressions=[first_number, *map(exp.Literal.string, (",", ""))])
            return exp.TryCast(this=plain, to=exp.DataType.build("DOUBLE"))


def known_sql(value: Value) -> exp.Expr:
    """Whether a value is not missing."""
    return _known(value_sql(value))


def _known(value: exp.Expr) -> exp.Expr:
    return exp.Not(this=exp.Is(this=value, expression=exp.Null()))


def _column(value: Value) -> exp.Column:
    return column_sql(value.table, value.column or "")


def _field(name: str, moment: exp.Expr) -> exp.Expr:
    return exp.Extract(this=exp.var(name), expression=exp.cast(moment, "TIMESTAMP"))


def _part(value: Value) -> exp.Expr:
    part, moment = value.part or "year", _column(value)
    if part == "year" and value.number is not None:
        begun = exp.GTE(this=_field("MONTH", moment), expression=exp.Literal.number(int(value.number)))
        turned = exp.Case().when(begun, exp.Literal.number(1)).else_(exp.Literal.number(0))
        return exp.paren(exp.Add(this=_field("YEAR", moment.copy()), expression=turned), copy=False)
    if part == "decade":
        return _bucket(_field("YEAR", moment), 10)
    if part in _NAMES:
        field, names, first = _NAMES[part]
        case = exp.Case(this=_field(field, moment))
        for place, name in enumerate(names, first):
            case = case.when(exp.Literal.number(place), exp.Literal.string(name), copy=False)
        return case
    return _field(_NUMBERS[part], moment) if part in _NUMBERS else cut_sql(value, part)


def cut_sql(value: Value, step: str) -> exp.Expr:
    """A moment cut to its period, shown as the period's first day."""
    stamp = exp.cast(_column(value), "TIMESTAMP")
    return exp.cast(exp.TimestampTrunc(this=stamp, unit=exp.var(step.upper())), "DATE")


def order_sql(value: Value) -> exp.Expr | None:
    """What a value is ordered by where its own spelling has no order: months and weekdays by their numbers."""
    if value.kind != "part" or value.part not in {"month_of_year", "weekday"}:
        return None
    return _field(_NAMES[value.part][0], _column(value))


def _bucket(value: exp.Expr, width: float) -> exp.Expr:
    """The greatest multiple of the width that is not above the value."""
    step = exp.Literal.number(int(width) if float(width).is_integer() else width)
    quotient = exp.Div(this=exp.cast(value, "DOUBLE"), expression=step)
    scaled = exp.Mul(this=exp.Floor(this=quotient), expression=step.copy())
    return exp.cast(scaled, "BIGINT") if float(width).is_integer() else scaled


def _arithmetic(operation: str, left: exp.Expr, right: exp.Expr) -> exp.Expr:
    if operation == "/":
        left, right = exp.cast(left, "DOUBLE"), exp.Nullif(this=right, expression=exp.Literal.number(0))
    return exp.paren(_ARITHMETIC[operation](this=left, expression=right), copy=False)


def condition_sql(test: Test) -> exp.Expr:
    """A test of a row."""
    made = _condition(test)
    return exp.Not(this=exp.paren(made, copy=False)) if test.negated else made


def _condition(test: Test) -> exp.Expr:
    if test.all_of:
        return exp.paren(exp.and_(*(condition_sql(each) for each in test.all_of)), copy=False)
    if test.any_of:
        return exp.paren(exp.or_(*(condition_sql(each) for each in test.any_of)), copy=False)
    if test.value is None:
        raise InvalidArguments("A test needs a value to test.")
    left = value_sql(test.value)
    if test.operator == "null":
        return exp.Is(this=left, expression=exp.Null())
    if test.inner is not None:
        return compared(left, test.operator, inner_sql(test.inner))
    if test.other is not None:
        return compared(left, test.operator, value_sql(test.other))
    if not test.to:
        raise InvalidArguments("A test needs a value to compare with.")
    dated = test.value.part in {None, "day", "week", "month", "quarter"} and all(
        isinstance(each, str) and _DATE.match(each) for each in test.to
    )
    whole = dated and test.value.kind == "column" and all(len(str(each)) == 10 for each in test.to)
    if whole and test.operator in {*_COMPARE, "between"}:
        return _whole_days(left, test.operator, [date.fromisoformat(str(each)) for each in test.to])
    return compared_with(left, test.operator, test.to, dated=dated)


def compared(left: exp.Expr, operator: str, right: exp.Expr) -> exp.Expr:
    """One expression against another, or against what a query finds."""
    if operator in {"in", "not in"} and isinstance(right, exp.Subquery):
        inside = exp.In(this=left, query=right)
        return inside if operator == "in" else exp.Not(this=inside)
    if operator not in _COMPARE:
        raise InvalidArguments(f"Two values cannot be compared by {operator}.")
    return _COMPARE[operator](this=left, expression=right)


def compared_with(left: exp.Expr, operator: str, values: tuple[Scalar, ...], *, dated: bool = False) -> exp.Expr:
    """An expression against values."""
    if operator in {"in", "not in"}:
        inside = exp.In(this=left, expressions=[bound(value) for value in values])
        return inside if operator == "in" else exp.Not(this=inside)
    if operator in {"contains", "starts", "ends"}:
        text = str(values[0]).replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")
        pattern = f"{'' if operator == 'starts' else '%'}{text}{'' if operator == 'ends' else '%'}"
        like = exp.ILike(this=exp.cast(left, "TEXT"), expression=bound(pattern))
        return exp.Escape(this=like, expression=exp.Literal.string("\\")) if "\\" in pattern else like
    sides = [exp.cast(bound(value), "DATE") if dated else bound(value) for value in values]
    if operator == "between":
        return exp.Between(this=left, low=sides[0], high=sides[1])
    return compared(left, operator, sides[0])


def inner_sql(plan: Plan) -> exp.Subquery:
    """What another plan finds; a ranking's figure stands beside its key, and a condition takes the key alone."""
    from averment.plans.compile import compile_plan

    return exp.Subquery(this=compile_plan(plan).query.only_first().tree())


def _whole_days(left: exp.Expr, operator: str, days: list[date]) -> exp.Expr:
    """A comparison with days that takes each day whole, whether the column holds days or moments."""

    def bounded(sign: str, day: date) -> exp.Expr:
        return compared_with(left.copy(), sign, (day.isoformat(),), dated=True)

    first, after = days[0], days[-1] + timedelta(days=1)
    if operator in {"=", "!=", "between"}:
        inside = exp.paren(exp.and_(bounded(">=", first), bounded("<", after)), copy=False)
        return exp.Not(this=exp.paren(inside, copy=False)) if operator == "!=" else inside
    sign, day = {"<": ("<", first), "<=": ("<", after), ">": (">=", after), ">=": (">=", first)}[operator]
    return bounded(sign, day)


def only_where(measure: Measure, test: Test) -> Measure:
    """The measure over the rows that meet one more test; what it is divided by is taken over the same rows."""
    from averment.plans.plan import Measure, Test

    if measure.function == "rate":
        known = tuple(
            Test(value=each.value, operator="null", negated=True)
            for part in measure.where
            for each in part.parts()
            if each.operator != "null"
        )
        whole = Measure(function="rows", where=(*known, test))
        return Measure(function="rows", where=(*measure.where, test), over=whole, percent=True)
    over = only_where(measure.over, test) if measure.over is not None else None
    return measure.changed(where=(*measure.where, test), over=over)


def measure_sql(measure: Measure) -> exp.Expr:
    """A figure over rows."""
    made = _figure(measure)
    if measure.over is not None:
        if measure.percent:
            made = _arithmetic("*", made, bound(100.0))
        made = _arithmetic("/", made, measure_sql(measure.over))
    return made


def _figure(measure: Measure) -> exp.Expr:
    record, tests = AGGREGATES[measure.function], [condition_sql(each) for each in measure.where]
    if measure.function == "rows":
        return _count(tests)
    if measure.function == "rate":
        return _rate(measure, tests)
    if measure.of is None:
        raise InvalidArguments(f"A {measure.function} needs a column or an expression.")
    of = value_sql(measure.of)
    if measure.weight is not None:
        weight = value_sql(measure.weight)
        above = exp.Sum(this=_where(tests, _arithmetic("*", of, weight)))
        below = exp.Sum(this=_where([*(each.copy() for each in tests), _known(of.copy())], weight.copy()))
        return _arithmetic("/", above, below)
    if record.placed:
        raise InvalidArguments(f"A {measure.function} cannot be used here.")
    of = _where(tests, of)
    if record.counts:
        return exp.Count(this=exp.Distinct(expressions=[of]) if measure.function == "distinct" else of)
    if measure.function == "median":
        # As a decimal the value between two neighbours would be cut to their places.
        of = exp.cast(of, "DOUBLE")
    return exp.func(_SPELT.get(record.sql, record.sql), of)


def _where(tests: list[exp.Expr], value: exp.Expr) -> exp.Expr:
    """A value in the rows that meet tests, nothing in the others."""
    return exp.Case().when(exp.and_(*tests), value) if tests else value


def _count(tests: list[exp.Expr]) -> exp.Expr:
    return exp.Count(this=_where(tests, exp.Literal.number(1)) if tests else exp.Star())


def _rate(measure: Measure, tests: list[exp.Expr]) -> exp.Expr:
    """The percentage of rows for which the tests hold, among those where what they look at is known."""
    known = [
        known_sql(each.value)
        for test in measure.where
        for each in test.parts()
        if each.value is not None and each.operator != "null"
    ]
    return _arithmetic("/", _arithmetic("*", _count(tests), bound(100.0)), _count(known))
