"""A metric's expression as algebra: sums over rows, counts of distinct things, and ratios of the two.

An aggregate is taken apart into what each row adds to it. Whatever cannot be said that way (a maximum, a product of
sums) cannot be attributed to segments, and is refused. A median or percentile alone is followed as a mean of its own.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from sqlglot import exp

from averment.errors import MetricUnreadable

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
