"""The query that a plan compiles to: a SELECT over tables and steps on top of it, and its text for an engine.

It is made in DuckDB's dialect. Postgres' and SQLite's are rewritten from that text at the very end, where alone the
engines differ; Spark's is made in its own backend.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import sqlglot
from sqlglot import exp

from averment.plans.expressions import BOUND
from averment.tables.engines.backend import quote, quote_text

if TYPE_CHECKING:
    from averment.tables.catalog import Dialect

Parameter = str | int | float | bool
Step = Callable[[str], str]
"""Writes one step over the one below, whose quoted name it is given."""

_MARKED = re.compile(rf"'{BOUND}((?:[^']|'')*)'")


@dataclass(frozen=True)
class ComposedQuery:
    """The text of a query and the values of its placeholders, in order."""

    sql: str
    params: tuple[Parameter, ...]


@dataclass(frozen=True)
class Sorting:
    """A heading that rows are sorted by; missing values come last."""

    heading: str
    descending: bool = False


@dataclass(frozen=True, kw_only=True)
class Query:
    """A query over tables, the steps on it, and which headings are shown in which order of rows.

    Each step is text in DuckDB's dialect and sees the headings of the one below.
    """

    base: exp.Query
    steps: tuple[str, ...] = ()
    shown: tuple[str, ...]
    order: tuple[Sorting, ...] = ()

    @property
    def last(self) -> str:
        """The quoted name of the last step."""
        return quote(f"step_{len(self.steps)}" if self.steps else "base")

    def then(self, *steps: Step) -> Query:
        """The query with further steps."""
        made = self
        for step in steps:
            made = replace(made, steps=(*made.steps, step(made.last)))
        return made

    def only_first(self) -> Query:
        """The query with its first heading alone."""
        return replace(self, shown=self.shown[:1], order=self.order) if len(self.shown) > 1 else self

    def text(self) -> str:
        """The query in DuckDB's dialect, with marked values."""
        base = _laid_out(self.base, "duckdb")
        headings = tuple(each.alias_or_name for each in self.base.selects)
        if not self.steps and not self.order and headings == self.shown:
            return base
        named = enumerate((base, *self.steps))
        steps = ",\n".join(f"{quote(f'step_{n}' if n else 'base')} AS (\n{_indented(text)}\n)" for n, text in named)
        query = f"WITH {steps}\nSELECT {', '.join(map(quote, self.shown))}\nFROM {self.last}"
        sorted_by = (f"{quote(s.heading)} {'DESC' if s.descending else 'ASC'} NULLS LAST" for s in self.order)
        return f"{query}\nORDER BY {', '.join(sorted_by)}" if self.order else query

    def tree(self) -> exp.Query:
        """The query as it stands inside another."""
        return parsed(self.text())

    def write(self, dialect: Dialect) -> ComposedQuery:
        """The text for an engine, and the values of its placeholders."""
        params: list[Parameter] = []

        def placed(mark: re.Match[str]) -> str:
            params.append(json.loads(mark[1].replace("''", "'")))
            return "?"

        text = self.text() if dialect == "duckdb" else _rewritten(self.tree(), dialect)
        return ComposedQuery(sql=_MARKED.sub(placed, text), params=tuple(params))


def parsed(text: str) -> exp.Query:
    """A query from its text in DuckDB's dialect."""
    tree = sqlglot.parse_one(text, dialect="duckdb")
    assert isinstance(tree, exp.Query)  # it was written as one
    return tree


def _laid_out(tree: exp.Query, dialect: Dialect) -> str:
    """The text over several lines, which break at the same places whatever the values are."""
    marks: list[str] = []

    def shortened(node: exp.Expr) -> exp.Expr:
        if not isinstance(node, exp.Literal) or not node.name.startswith(BOUND):
            return node
        marks.append(quote_text(node.name))
        return exp.var(f"{BOUND}{len(marks) - 1}")

    text = tree.transform(shortened).sql(dialect=dialect, pretty=True)
    return re.sub(rf"{BOUND}(\d+)", lambda mark: marks[int(mark[1])], text)


def _indented(text: str) -> str:
    return "\n".join(f"  {line}" for line in text.splitlines())


def _rewritten(tree: exp.Query, dialect: Dialect) -> str:
    """A query in another dialect: what the SQL library does not put right is rewritten first, the outermost first."""
    rules, waiting = _RULES[dialect], list[exp.Expr]([tree])
    while waiting:
        node = waiting.pop()
        rule = next((rules[kind] for kind in type(node).__mro__ if kind in rules), None)
        changed = rule(node) if rule is not None else node
        if changed is node:
            waiting += node.iter_expressions()
        else:
            node.replace(changed)
            waiting.append(changed)
    if dialect == "sqlite":
        for query in list(tree.find_all(exp.Select)):
            _sqlite_places(query)
    return _laid_out(tree, dialect)


def _call(name: str, *arguments: exp.Expr | str) -> exp.Expr:
    plain = [exp.Literal.string(each) if isinstance(each, str) else each for each in arguments]
    return exp.Anonymous(this=name, expressions=plain)


def _whole_division(node: exp.IntDiv) -> exp.Expr:
    """Postgres and SQLite divide whole numbers by whole numbers with the plain sign."""
    return exp.Div(this=node.this, expression=node.expression, typed=True)


def _postgres_place(node: exp.PercentileCont) -> exp.Expr:
    if not node.args.get("expression"):
        return node
    order = exp.Order(expressions=[exp.Ordered(this=node.this, nulls_first=False)])
    return exp.WithinGroup(this=exp.PercentileCont(this=node.expression), expression=order)


def _postgres_field(node: exp.Extract) -> exp.Expr:
    if node.name.upper() == "DAYOFWEEK":
        return exp.Extract(this=exp.var("DOW"), expression=node.expression)
    # The server would give an exact number with six decimals, the others give a plain one.
    plain = node.name.upper() != "EPOCH" or _is_cast(node.parent, "DOUBLE")
    return node if plain else exp.cast(node.copy(), "DOUBLE")


def _is_cast(node: exp.Expr | None, kind: str) -> bool:
    return isinstance(node, exp.Cast) and node.to.this.value == kind


def _inner(node: exp.Expr) -> exp.Expr:
    """What stands inside a cast."""
    return node.this if isinstance(node, exp.Cast) else node


_FIELDS = {"YEAR": "%Y", "MONTH": "%m", "DAY": "%d", "HOUR": "%H", "DAYOFWEEK": "%w", "EPOCH": "%s"}
_CUTS = {"DAY": (), "WEEK": ("weekday 0", "-6 days"), "MONTH": ("start of month",), "YEAR": ("start of year",)}


def _sqlite_field(node: exp.Extract) -> exp.Expr:
    return exp.cast(_call("strftime", _FIELDS[node.name.upper()], _inner(node.expression)), "INTEGER")


def _sqlite_cut(node: exp.Expr) -> exp.Expr:
    moment, unit = _inner(node.this), node.text("unit").upper()
    if unit != "QUARTER":
        return _call("date", moment, *_CUTS[unit])
    # Back to the quarter's first month: (month - 1) % 3 months before this month's first day.
    month = exp.cast(_call("strftime", "%m", moment.copy()), "INTEGER")
    back = exp.paren(
        exp.Mod(this=exp.paren(exp.Sub(this=month, expression=exp.Literal.number(1))), expression=exp.Literal.number(3))
    )
    text = exp.DPipe(
        this=exp.DPipe(this=exp.Literal.string("-"), expression=back), expression=exp.Literal.string(" months")
    )
    return _call("date", moment, "start of month", text)


def _sqlite_cast(node: exp.Cast) -> exp.Expr:
    """Dates are texts there: a cast to one would make a number of it."""
    if isinstance(node, exp.TryCast) and (number := node.find(exp.RegexpExtract)):
        return exp.cast(_call("replace", _inner(number.this), ",", ""), "DOUBLE")
    return node.this if _is_cast(node, "DATE") else node


def _sqlite_difference(node: exp.Sub) -> exp.Expr:
    if not (_is_cast(node.this, "DATE") and _is_cast(node.expression, "DATE")):
        return node
    later, earlier = (_call("julianday", _call("date", each.this)) for each in (node.this, node.expression))
    return exp.Sub(this=later, expression=earlier)


def _sqlite_like(node: exp.ILike) -> exp.Expr:
    text = node.this.this if _is_cast(node.this, "TEXT") else node.this
    return exp.Like(this=text, expression=node.expression)


def _sqlite_floor(node: exp.Floor) -> exp.Expr:
    """Not every SQLite has FLOOR: what was cut off below zero is taken back."""
    whole = exp.cast(node.this, "INTEGER")
    below = exp.paren(exp.LT(this=exp.paren(node.this.copy()), expression=whole.copy()))
    return exp.paren(exp.Sub(this=whole, expression=below))


def _sqlite_places(query: exp.Select) -> None:
    """Quantiles by the place of each value among the known ones, as SQLite has no function for them."""
    quantiles = [node for output in query.expressions for node in output.find_all(exp.PercentileCont, exp.Median)]
    source = query.args.get("from_")
    if not quantiles or source is None:
        return
    keys = list(query.args["group"].expressions) if query.args.get("group") else []
    known: dict[str, str] = {}
    places: list[exp.Expr] = []
    for node in quantiles:
        value = node.this.this if _is_cast(node.this, "DOUBLE") else node.this
        written = value.sql()
        if written not in known:
            known[written] = f" {len(known) + 1}" if known else ""
            missing = exp.paren(exp.Is(this=value.copy(), expression=exp.Null()))
            number = exp.Window(
                this=exp.RowNumber(),
                partition_by=[*(key.copy() for key in keys), missing],
                order=exp.Order(expressions=[exp.Ordered(this=value.copy())]),
            )
            whole = exp.Window(this=exp.Count(this=value.copy()), partition_by=[key.copy() for key in keys])
            for name, counted in ((f"value place{known[written]}", number), (f"last place{known[written]}", whole)):
                less = exp.Sub(this=counted, expression=exp.Literal.number(1))
                places.append(exp.alias_(less, name, quoted=True))
        at = float(node.expression.name) if isinstance(node, exp.PercentileCont) else 0.5
        place, last = (quote(f"{name} place{known[written]}") for name in ("value", "last"))
        # Between its two neighbours the weight of a value falls from one to nothing, which is the interpolation.
        away, plain = f"ABS({place} - {at!r} * {last})", value.sql(dialect="sqlite")
        text = f"SUM(CASE WHEN NOT {plain} IS NULL AND {away} < 1 THEN {plain} * (1 - {away}) END)"
        node.replace(sqlglot.parse_one(text, dialect="sqlite"))
    inner = exp.select(exp.Star(), *places).from_(source.this.copy())
    for join in query.args.pop("joins", None) or ():
        inner.append("joins", join)
    if query.args.get("where"):
        inner.set("where", query.args.pop("where"))
    source.set("this", inner.subquery("placed"))


_RULES: Mapping[str, Mapping[type[exp.Expr], Callable[[Any], exp.Expr]]] = {
    "postgres": {
        exp.IntDiv: _whole_division,
        exp.PercentileCont: _postgres_place,
        exp.Extract: _postgres_field,
        exp.RegexpExtract: lambda node: _call("substring", node.this, node.expression),
    },
    "sqlite": {
        exp.IntDiv: _whole_division,
        exp.Extract: _sqlite_field,
        exp.TimestampTrunc: _sqlite_cut,
        exp.DateTrunc: _sqlite_cut,
        exp.Sub: _sqlite_difference,
        exp.Cast: _sqlite_cast,
        exp.ILike: _sqlite_like,
        exp.Floor: _sqlite_floor,
        exp.RegexpExtract: lambda node: exp.Null(),
    },
}
"""What each dialect has instead of DuckDB's own, by the kind of node."""
