"""Spark behind the query process: guarded text of our own dialect, put into Spark's, and only its result fetched.

The cluster does the scanning and the grouping; what travels is the answer, at most the rows that were asked for. A
cluster adds floating-point numbers in any order, so they are rounded to twelve digits: the same question then has the
same answer each time, and so the same hash.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import sqlglot
from sqlglot import exp
from sqlglot.errors import SqlglotError

from averment.tables.engines.backend import ArrowTable, BackendFailure, EngineSpec, FailureKind, unique_names
from averment.tables.guard.tree_check import parameter_name
from averment.tables.sources.spark_cluster import connect, frames, quoted

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


DIGITS = 12

_CODES: tuple[tuple[str, FailureKind], ...] = (
    ("UNRESOLVED_COLUMN", "missing_column"),
    ("TABLE_OR_VIEW_NOT_FOUND", "missing_table"),
    ("PARSE_SYNTAX_ERROR", "sql_syntax"),
    ("DATATYPE_MISMATCH", "type_mismatch"),
    ("CAST_INVALID_INPUT", "type_mismatch"),
    ("UNRESOLVED_ROUTINE", "sql_syntax"),
)


class SparkBackend:
    """One session on a cluster, which sees the catalog's tables as views."""

    def __init__(self, spec: EngineSpec) -> None:
        (source,) = spec.sources
        try:
            self._session = connect(source.path)
            found = frames(self._session, source.path)
            for table in source.tables:
                frame = found[table.origin]
                chosen = [frame[quoted(original)].alias(name) for name, original in table.columns]
                frame.select(*chosen).createOrReplaceTempView(table.name)
        except ImportError as error:
            raise BackendFailure("source", "Spark's client is not installed: pip install averment[spark]") from error
        except KeyError as error:
            raise BackendFailure("source", f"the cluster no longer has {error}") from error
        except Exception as error:
            # The client raises what the transport, the server or the JVM raised: one kind for all of them.
            raise BackendFailure("source", f"{type(error).__name__}: {error}") from error

    def run(self, sql: str, params: Sequence[object], row_limit: int, timeout: float) -> ArrowTable:
        """At most ``row_limit + 1`` rows; the cluster limits them, so no more than these travel."""
        text = to_spark(sql, params)
        try:
            answer: Any = self._session.sql(text)
            if not text.startswith("EXPLAIN"):
                if not is_ordered(sql):
                    # A cluster gives rows in any order; sorted, the same question gives the same rows each time.
                    answer = answer.orderBy(*[quoted(name) for name in answer.columns])
                answer = answer.limit(row_limit + 1)
            table: ArrowTable = answer.toArrow()
        except Exception as error:
            raise BackendFailure(_kind(str(error)), f"{type(error).__name__}: {error}") from error
        names = unique_names([str(name) for name in table.column_names])
        return pa.table([_normalized(table.column(place)) for place in range(table.num_columns)], names=names)

    def close(self) -> None:
        """Leave the cluster."""
        self._session.stop()


def _normalized(column: Any) -> Any:
    """A column as the other engines give it: whole texts, UTC without a zone, numbers with twelve digits."""
    kind = column.type
    if pa.types.is_floating(kind):
        numbers = column.combine_chunks().to_numpy(zero_copy_only=False).astype("float64")
        missing = np.asarray(column.combine_chunks().is_null())
        with np.errstate(divide="ignore", invalid="ignore"):
            places = DIGITS - 1 - np.floor(np.log10(np.abs(numbers)))
            scale = 10.0 ** np.where(np.isfinite(places), places, 0)
            rounded = np.where(np.isfinite(numbers), np.round(numbers * scale) / scale, numbers)
        return pa.array(rounded, pa.float64(), mask=missing)
    if pa.types.is_timestamp(kind):
        return column.cast(pa.timestamp("us", tz=kind.tz)).cast(pa.timestamp("us"))
    if pa.types.is_large_string(kind):
        return column.cast(pa.string())
    return column


def _kind(message: str) -> FailureKind:
    for code, kind in _CODES:
        if code in message:
            return kind
    return "failed"
