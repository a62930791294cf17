"""A query of the common shape as the body of a plan: joins by equal keys, conditions, groups, figures, order, limit.

The body is plain JSON of ``averment.plan/1``; whoever takes it checks it, and that it gives the same rows. A query with
anything else in it (a step, an inner query, a window, a set operation) is not lifted.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from sqlglot import exp

from averment.errors import SqlSyntax
from averment.tables.catalog import Catalog, Dialect
from averment.tables.guard.grammar import parse_statements

Body = dict[str, Any]

_FUNCTIONS = {
    "SUM": "sum",
    "AVG": "mean",
    "MEAN": "mean",
    "MIN": "min",
    "MAX": "max",
    "MEDIAN": "median",
    "STDDEV": "stddev",
    "STDDEV_SAMP": "stddev",
}
_PARTS = {"YEAR": "year", "MONTH": "month_of_year", "QUARTER": "quarter", "DAY": "day_of_month", "HOUR": "hour"}
_COMPARED: dict[type[exp.Expr], str] = {
    exp.EQ: "=",
    exp.NEQ: "!=",
    exp.LT: "<",
    exp.LTE: "<=",
    exp.GT: ">",
    exp.GTE: ">=",
}
_TURNED = {"<": ">", "<=": ">=", ">": "<", ">=": "<="}
_ARITHMETIC: dict[type[exp.Expr], str] = {exp.Add: "+", exp.Sub: "-", exp.Mul: "*", exp.Div: "/"}
_KNOWN = frozenset({"expressions", "from_", "from", "joins", "where", "group", "having", "order", "limit", "distinct"})


class _Unlike(Exception):
    """The query is not of the common shape."""


def lift_sql(sql: str, catalog: Catalog, dialect: Dialect) -> Body | None:
    """The query as the body of a plan; None where it says what a plan of this kind does not.

    The query must have passed the guard.
    """
    try:
        (tree,) = parse_statements(sql, dialect)
        return _Lifting(catalog).body(tree)
    except (SqlSyntax, ValueError, LookupError, _Unlike):
        return None


@dataclass
class _Lifting:
    """One query on its way to a plan."""

    catalog: Catalog

    def body(self, tree: exp.Expr) -> Body:
        if not isinstance(tree, exp.Select):
            raise _Unlike
        if any(value for name, value in tree.args.items() if name not in _KNOWN):
            raise _Unlike
        self._tables = dict(self._relations(tree))
        first = next(iter(self._tables.values()))
        body: Body = {"table": first, "joins": [self._join(one) for one in tree.args.get("joins") or ()]}
        where = tree.args.get("where")
        if where is not None:
            body["where"] = [self._test(each) for each in _conjuncts(where.this)]
        self._outputs(tree, body)
        self._sorted(tree, body)
        return {name: value for name, value in body.items() if value not in ([], None)}

    def _relations(self, tree: exp.Select) -> Iterator[tuple[str, str]]:
        source = tree.args.get("from_") or tree.args.get("from")
        joins = [one.this for one in tree.args.get("joins") or ()]
        for node in [source.this if source is not None else None, *joins]:
            if not isinstance(node, exp.Table):
                raise _Unlike
            names = [one.name for one in self.catalog.tables if one.name.casefold() == node.name.casefold()]
            if not names:  # Rows that a function makes.
                raise _Unlike
            (name,) = names
            yield (node.alias or node.name).casefold(), name

    def _join(self, join: exp.Expr) -> Body:
        if join.args.get("kind") not in (None, "", "INNER") or join.args.get("using"):
            raise _Unlike
        side, on = join.args.get("side"), join.args.get("on")
        if side not in (None, "", "LEFT") or not isinstance(on, exp.EQ):
            raise _Unlike
        one, other = self._column(on.this), self._column(on.expression)
        joined = self._tables[(join.this.alias or join.this.name).casefold()]
        left, right = (one, other) if other["table"] == joined else (other, one)
        if right["table"] != joined or left["table"] == joined:
            raise _Unlike
        return {
            "left": left["table"],
            "left_column": left["column"],
            "right": joined,
            "right_column": right["column"],
            "outer": side == "LEFT",
        }

    def _column(self, node: exp.Expr) -> Body:
        if not isinstance(node, exp.Column) or isinstance(node.this, exp.Star):
            raise _Unlike
        wanted = [self._tables[node.table.casefold()]] if node.table else list(self._tables.values())
        found = [
            (table.name, column.name)
            for table in self.catalog.tables
            if table.name in wanted
            for column in table.columns
            if column.name.casefold() == node.name.casefold()
        ]
        (place,) = found
        return {"table": place[0], "column": place[1]}

    def _value(self, node: exp.Expr) -> Body:
        if isinstance(node, exp.Paren):
            return self._value(node.this)
        if isinstance(node, exp.Literal) and not node.is_string:
            return {"kind": "number", "number": float(node.this)}
        for kind, sign in _ARITHMETIC.items():
            if type(node) is kind:
                operands = [self._value(node.this), self._value(node.expression)]
                return {"kind": "arithmetic", "operation": sign, "operands": operands}
        part = self._part(node)
        return self._column(node) if part is None else part

    def _part(self, node: exp.Expr) -> Body | None:
        """A part of a moment: ``year(d)``, ``EXTRACT(year FROM d)``, ``date_trunc('month', d)``."""
        if isinstance(node, exp.Extract):
            name, inner = str(node.this.name).upper(), node.expression
        elif isinstance(node, exp.Anonymous) and len(node.expressions) == 1 and node.name.upper() in _PARTS:
            name, inner = node.name.upper(), node.expressions[0]
        elif isinstance(node, exp.Anonymous) and node.name.upper() == "DATE_TRUNC" and len(node.expressions) == 2:
            cut = str(node.expressions[0].name).casefold()
            if cut not in {"year", "quarter", "month", "week", "day"}:
                raise _Unlike
            return {"kind": "part", **self._column(node.expressions[1]), "part": cut}
        else:
            return None
        if name not in {"YEAR", "MONTH", "DAY", "HOUR"}:
            raise _Unlike
        return {"kind": "part", **self._column(inner), "part": _PARTS[name]}

    def _measure(self, node: exp.Expr) -> Body | None:
        """A figure over rows; None where the expression is none."""
        if isinstance(node, exp.Count):
            inner = node.this
            if isinstance(inner, exp.Star) or inner is None:
                return {"function": "rows"}
            if isinstance(inner, exp.Distinct):
                (only,) = inner.expressions
                return {"function": "distinct", "of": self._value(only)}
            return {"function": "count", "of": self._value(inner)}
        if isinstance(node, exp.Anonymous) and node.name.upper() in _FUNCTIONS and len(node.expressions) == 1:
            return {"function": _FUNCTIONS[node.name.upper()], "of": self._value(node.expressions[0])}
        if isinstance(node, exp.AggFunc) or any(isinstance(each, exp.AggFunc | exp.Window) for each in node.walk()):
            raise _Unlike
        return None

    def _test(self, node: exp.Expr) -> Body:
        if isinstance(node, exp.Paren):
            return self._test(node.this)
        if isinstance(node, exp.Or):
            return {"any_of": [self._test(node.this), self._test(node.expression)]}
        if isinstance(node, exp.And):
            return {"all_of": [self._test(each) for each in _conjuncts(node)]}
        if isinstance(node, exp.Not):
            inner = self._test(node.this)
            if inner.get("operator") == "in":
                return {**inner, "operator": "not in"}
            return {**inner, "negated": not inner.get("negated", False)}
        if isinstance(node, exp.Between):
            ends = [_literal(node.args["low"]), _literal(node.args["high"])]
            return {"value": self._value(node.this), "operator": "between", "to": ends}
        if isinstance(node, exp.In) and node.expressions and not node.args.get("query"):
            values = [_literal(each) for each in node.expressions]
            return {"value": self._value(node.this), "operator": "in", "to": values}
        if isinstance(node, exp.Is) and isinstance(node.expression, exp.Null):
            return {"value": self._value(node.this), "operator": "null"}
        return self._compared(node)

    def _compared(self, node: exp.Expr) -> Body:
        sign = next((sign for kind, sign in _COMPARED.items() if type(node) is kind), None)
        if sign is None:
            raise _Unlike
        left, right = node.this, node.args["expression"]
        if _is_literal(left) and not _is_literal(right):
            left, right, sign = right, left, _TURNED.get(sign, sign)
        if _is_literal(right):
            return {"value": self._value(left), "operator": sign, "to": [_literal(right)]}
        return {"value": self._value(left), "operator": sign, "other": self._value(right)}

    def _outputs(self, tree: exp.Select, body: Body) -> None:
        """What is shown: keys and figures, or values of rows."""
        self._headings: list[exp.Expr] = []
        keys: list[Body] = []
        measures: list[Body] = []
        self._places: list[tuple[str, int]] = []
        for item in tree.expressions:
            plain = item.this if isinstance(item, exp.Alias) else item
            self._headings.append(item)
            measure = self._measure(plain)
            self._places.append(("key", len(keys)) if measure is None else ("measure", len(measures)))
            keys += [self._value(plain)] if measure is None else []
            measures += [measure] if measure is not None else []
        group = tree.args.get("group")
        if not measures and group is None:
            body |= {"show": keys, "distinct": tree.args.get("distinct") is not None}
            return
        grouped = [self._grouped(each, tree) for each in (group.expressions if group is not None else ())]
        if tree.args.get("distinct") is not None or not _same(grouped, keys) or (group and group.args.get("all")):
            raise _Unlike
        having = tree.args.get("having")
        body |= {"by": keys, "measures": measures}
        if having is not None:
            body["having"] = [self._group_test(each) for each in _conjuncts(having.this)]

    def _grouped(self, node: exp.Expr, tree: exp.Select) -> Body:
        if isinstance(node, exp.Literal) and not node.is_string:
            item = tree.expressions[int(node.this) - 1]
            return self._value(item.this if isinstance(item, exp.Alias) else item)
        named = _aliased(node, tree)
        return self._value(node if named is None else named)

    def _group_test(self, node: exp.Expr) -> Body:
        sign = next((sign for kind, sign in _COMPARED.items() if type(node) is kind), None)
        measure = self._measure(node.this) if sign is not None else None
        if sign is None or measure is None or not _is_literal(node.args["expression"]):
            raise _Unlike
        number = _literal(node.args["expression"])
        if isinstance(number, str):
            raise _Unlike
        return {"measure": measure, "operator": sign, "to": [float(number)]}

    def _sorted(self, tree: exp.Select, body: Body) -> None:
        order, limit = tree.args.get("order"), tree.args.get("limit")
        sorts = [self._sort(each, tree) for each in (order.expressions if order is not None else ())]
        if limit is not None:
            if not sorts or not isinstance(limit.expression, exp.Literal):
                raise _Unlike
            (at, descending), *_ = sorts
            rank: Body = {"limit": int(limit.expression.this), "descending": descending}
            kind, place = self._places[at]
            if kind == "key":
                if body.get("measures"):
                    raise _Unlike
                rank["by"] = body["show"][place]
            elif place:
                raise _Unlike
            body["rank"] = rank
        elif sorts:
            keys = len(body.get("by") or body.get("show") or ())
            body["order"] = [
                {"at": self._places[at][1] + (keys if self._places[at][0] == "measure" else 0), "descending": down}
                for at, down in sorts
            ]

    def _sort(self, node: exp.Expr, tree: exp.Select) -> tuple[int, bool]:
        """The place of what is sorted by among the results, and whether the greatest comes first."""
        inner = node.this
        if isinstance(inner, exp.Literal) and not inner.is_string:
            return int(inner.this) - 1, bool(node.args.get("desc"))
        for at, item in enumerate(tree.expressions):
            plain = item.this if isinstance(item, exp.Alias) else item
            if item.alias_or_name.casefold() == inner.name.casefold() and isinstance(inner, exp.Column):
                return at, bool(node.args.get("desc"))
            if plain == inner:
                return at, bool(node.args.get("desc"))
        raise _Unlike


def _aliased(node: exp.Expr, tree: exp.Select) -> exp.Expr | None:
    """What a name of the result stands for, where it is one."""
    if isinstance(node, exp.Column) and not node.table:
        for item in tree.expressions:
            if isinstance(item, exp.Alias) and item.alias.casefold() == node.name.casefold():
                return item.this
    return None


def _conjuncts(node: exp.Expr) -> list[exp.Expr]:
    if isinstance(node, exp.Paren):
        return _conjuncts(node.this)
    return [*_conjuncts(node.this), *_conjuncts(node.expression)] if isinstance(node, exp.And) else [node]


def _is_literal(node: exp.Expr) -> bool:
    return isinstance(node, exp.Literal | exp.Boolean | exp.Neg) or (
        isinstance(node, exp.Cast) and isinstance(node.this, exp.Literal)
    )


def _literal(node: exp.Expr) -> str | int | float | bool:
    if isinstance(node, exp.Cast):  # DATE '2024-01-01'
        node = node.this
    if isinstance(node, exp.Neg):
        inner = _literal(node.this)
        if isinstance(inner, str):
            raise _Unlike
        return -inner
    if isinstance(node, exp.Boolean):
        return bool(node.this)
    if not isinstance(node, exp.Literal):
        raise _Unlike
    if node.is_string:
        return str(node.this)
    return int(node.this) if str(node.this).isdigit() else float(node.this)


def _same(one: list[Mapping[str, Any]] | list[Body], other: list[Body]) -> bool:
    return sorted(map(repr, one)) == sorted(map(repr, other))
