"""Guarded text of our own dialect put into Spark's SQL, so that a cluster answers what a file would answer.

The SQL library rewrites names and quotes. What it leaves to mean something else in Spark is put right here: which value
belongs to which placeholder, means of decimals (Spark cuts their digits), days between dates (Spark gives an interval),
numbers of weekdays (Spark counts from one), seconds since the epoch, written dates, and sort keys that Spark does not
find again once the rows were grouped or made distinct. Text that has no like is refused instead of being guessed.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import sqlglot
from sqlglot import exp
from sqlglot.errors import SqlglotError

from averment.tables.engines.backend import BackendFailure
from averment.tables.guard.tree_check import parameter_name

_PLACED = (exp.RowNumber, exp.Lag, exp.Lead, exp.FirstValue, exp.LastValue, exp.NthValue)
_FORMATS = {"%m/%d/%Y": "M/d/yyyy", "%d/%m/%Y": "d/M/yyyy", "%Y-%m-%d": "yyyy-M-d"}


def to_spark(sql: str, params: Sequence[object]) -> str:
    """Guarded text of our own dialect as Spark reads it, with the parameters as literals.

    Raises:
        BackendFailure: the text has no like in Spark.
    """
    explains = sql.startswith("EXPLAIN ")
    try:
        tree: Any = sqlglot.parse_one(sql.removeprefix("EXPLAIN "), read="duckdb")
        _bind(tree, params)
        _refuse_unordered(tree)
        _name_sort_keys(tree)
        for kind, rewrite in _REWRITES:
            for node in list(tree.find_all(kind)):
                changed = rewrite(node)
                if changed is not node:
                    node.replace(changed)
        text = tree.sql(dialect="spark", unsupported_level=sqlglot.ErrorLevel.RAISE)
    except (SqlglotError, IndexError) as error:
        raise BackendFailure("sql_syntax", f"Spark has no equivalent of this query: {error}") from error
    return f"EXPLAIN {text}" if explains else text


def is_ordered(sql: str) -> bool:
    """Whether the statement itself says in which order its rows come."""
    tree: Any = sqlglot.parse_one(sql, read="duckdb")
    return tree.args.get("order") is not None


def _bind(tree: Any, params: Sequence[object]) -> None:
    """Each placeholder's value in its place; the guard numbers them, and a search of the tree has another order."""
    for mark in list(tree.find_all(exp.Placeholder, exp.Parameter)):
        number = int(parameter_name(mark).removeprefix("p"))
        mark.replace(exp.convert(params[number - 1]))


def _refuse_unordered(tree: Any) -> None:
    """Rows of a cluster have no place of their own, so a row's number or neighbour needs an order."""
    for window in tree.find_all(exp.Window):
        if window.args.get("order") is None and isinstance(window.this, _PLACED):
            raise BackendFailure(
                "sql_syntax", "the rows of a cluster have no order of their own; name the column to sort by"
            )


def _name_sort_keys(tree: Any) -> None:
    """A sort key that is also shown is called by its heading; behind a grouping Spark knows no other name for it."""
    for query in tree.find_all(exp.Select):
        order = query.args.get("order")
        if order is None:
            continue
        headings = {
            shown.this.sql(dialect="duckdb"): shown.args["alias"]
            for shown in query.expressions
            if isinstance(shown, exp.Alias)
        }
        for key in order.expressions:
            heading = headings.get(key.this.sql(dialect="duckdb"))
            if heading is not None:
                key.set("this", exp.Column(this=exp.to_identifier(heading.this, quoted=True)))


def _call(name: str, *arguments: Any) -> Any:
    return exp.Anonymous(this=name, expressions=list(arguments))


def _quantile(node: Any) -> Any:
    """Spark has that name for ordered sets only; with two arguments it is called so."""
    return _call("PERCENTILE", node.this, node.expression)


def _mean(node: Any) -> Any:
    value = node.this
    if isinstance(value, exp.Distinct):
        (only,) = value.expressions
        return exp.Avg(this=exp.Distinct(expressions=[exp.cast(only, "DOUBLE")]))
    return exp.Avg(this=exp.cast(value, "DOUBLE"))


def _difference(node: Any) -> Any:
    sides = (node.this, node.expression)
    if not all(isinstance(side, exp.Cast) and side.to.this == exp.DataType.Type.DATE for side in sides):
        return node
    return _call("DATEDIFF", *sides)


def _extracted(node: Any) -> Any:
    return _part(node.name, node.expression) or node


def _part(name: str, of: Any) -> Any:
    """A part of a date that Spark counts in another way, or None."""
    match name.upper():
        case "DOW" | "DAYOFWEEK" | "WEEKDAY":
            return exp.paren(exp.Sub(this=_call("DAYOFWEEK", of), expression=exp.Literal.number(1)))
        case "ISODOW":
            turned = exp.paren(exp.Add(this=_call("DAYOFWEEK", of), expression=exp.Literal.number(5)))
            since_monday = exp.Mod(this=turned, expression=exp.Literal.number(7))
            return exp.paren(exp.Add(this=since_monday, expression=exp.Literal.number(1)))
        case "EPOCH":
            # The session's time is UTC, so a time without a zone is this moment.
            return exp.cast(exp.Cast(this=of, to=exp.DataType.build("TIMESTAMPLTZ")), "DOUBLE")
        case _:
            return None


def _called(node: Any) -> Any:
    name = node.name.lower()
    if name == "weekday":
        return _part(name, node.expressions[0])
    if name in {"date_part", "datepart"} and isinstance(node.expressions[0], exp.Literal):
        part, of = node.expressions
        return _part(part.name, of) or exp.Extract(this=exp.var(part.name.upper()), expression=of)
    if name == "try_strptime":
        of, form = node.expressions
        known = _FORMATS.get(form.name) if isinstance(form, exp.Literal) else None
        if known is None:
            raise BackendFailure("sql_syntax", f"Spark has no equivalent of the date format {form.sql()}")
        return _call("TRY_TO_TIMESTAMP", of, exp.Literal.string(known))
    return node


def _sampled(node: Any) -> Any:
    """A part of a table's rows that depends on what they hold and not on how the cluster cut the table up."""
    sample = node.args.get("sample")
    if sample is None:
        return node
    share = sample.args.get("percent")
    if share is None:
        raise BackendFailure("sql_syntax", "a cluster can only sample a percentage of the rows")
    plain = node.copy()
    plain.set("sample", None)
    parts = max(1, round(100 / float(share.name)))
    chosen = _call("PMOD", _call("XXHASH64", exp.Star()), exp.Literal.number(parts))
    rows = exp.select("*").from_(plain).where(exp.EQ(this=chosen, expression=exp.Literal.number(0)))
    return rows.subquery(node.alias_or_name)


# Calls are rewritten first: what the others write is Spark's own already.
_REWRITES: tuple[tuple[type[exp.Expr], Callable[[Any], Any]], ...] = (
    (exp.Anonymous, _called),
    (exp.PercentileCont, _quantile),
    (exp.Avg, _mean),
    (exp.Sub, _difference),
    (exp.Extract, _extracted),
    (exp.DayOfWeek, lambda node: _part("DOW", node.this)),
    (exp.DayOfWeekIso, lambda node: _part("ISODOW", node.this)),
    (exp.TimeToUnix, lambda node: _part("EPOCH", node.this)),
    (exp.Table, _sampled),
)
