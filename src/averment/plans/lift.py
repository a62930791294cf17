"""A query as the body of a plan: the compiler's inverse, for what a person or a model ordinarily writes.

The body is plain JSON of ``averment.plan/1``; whoever takes it checks it, and that it gives the same rows. Named steps
and inner queries are folded into the query around them; EXISTS, IN and a subquery for a single value become conditions
that look at another plan; FILTER and CASE become a figure's own conditions; a ranking of each group becomes a ranking
within. A query with anything else in it stays a query.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from sqlglot import exp

from averment.errors import SqlSyntax
from averment.plans.fold_query import PLACES, Unlike, bare, conjuncts, flat_query, folded, has_aggregate, unlike
from averment.plans.registry import GROUPED, aggregate_of_sql
from averment.tables.catalog import Catalog, Dialect
from averment.tables.guard.grammar import parse_statements

Body = dict[str, Any]

_SHORT = 3
"""How many letters of the name of a month or a weekday a plan's part has."""
_NUMBERED = {"YEAR": "year", "HOUR": "hour", "DAY": "day_of_month", "DAYOFMONTH": "day_of_month"}
"""Functions whose numbers are those of a plan's part."""
_NAMED = {"MONTHNAME": "month_of_year", "DAYNAME": "weekday", "MONTH": "month_of_year"}
_CUT = frozenset({"year", "quarter", "month", "week", "day"})
_MONTHS = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split()
_SUNDAY_FIRST = "Sun Mon Tue Wed Thu Fri Sat".split()
_MONDAY_FIRST = [*_SUNDAY_FIRST[1:], _SUNDAY_FIRST[0], _SUNDAY_FIRST[0]]
_DAY_NUMBERS = {"DAYOFWEEK": _SUNDAY_FIRST, "ISODOW": ["", *_MONDAY_FIRST[:7]]}
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
_KNOWN = frozenset(
    ["expressions", "from_", "joins", "where", "group", "having", "qualify", "order", "limit", "offset", "distinct"]
)
_SETS: dict[type[exp.SetOperation], str] = {exp.Union: "union", exp.Intersect: "intersect", exp.Except: "except"}
_RANKS = frozenset({"RANK", "ROW_NUMBER", "DENSE_RANK"})
_NUMERIC = frozenset({"DOUBLE", "FLOAT", "REAL", "DECIMAL", "INT", "INTEGER", "BIGINT"})


def lift_sql(sql: str, catalog: Catalog, dialect: Dialect) -> Body | None:
    """The query as the body of a plan; None where it says what a plan does not.

    The query must have passed the guard.
    """
    try:
        (tree,) = parse_statements(sql, dialect)
        return _Lifting(catalog).query(folded(tree))
    except (SqlSyntax, ValueError, LookupError, Unlike):
        return None


@dataclass
class _Lifting:
    """One query on its way to a plan."""

    catalog: Catalog
    _tables: dict[str, str] = field(default_factory=dict[str, str])

    def query(self, tree: exp.Expr) -> Body:
        """A whole query, also one of two together."""
        if isinstance(tree, exp.Subquery):
            return self.query(tree.this)
        if isinstance(tree, exp.SetOperation):
            if not tree.args.get("distinct") or tree.args.get("order") or tree.args.get("limit"):
                unlike()
            one, other = (_Lifting(self.catalog).query(each) for each in (tree.left, tree.right))
            return {**one, "combine": {"operation": _SETS[type(tree)], "other": other}}
        if not isinstance(tree, exp.Select):
            unlike()
        over = self._over_groups(tree)
        return over if over is not None else self._select(flat_query(tree))

    def _over_groups(self, tree: exp.Select) -> Body | None:
        """One figure over the groups of an inner query: the average, over each customer, of the number of orders."""
        source = tree.args.get("from_")
        inner = source.this if source is not None else None
        others = [name for name, value in tree.args.items() if value and name not in {"expressions", "from_"}]
        if not isinstance(inner, exp.Subquery) or others or len(tree.expressions) != 1:
            return None
        select, shown = inner.this, bare(tree.expressions[0])
        if not isinstance(select, exp.Select) or select.args.get("limit") or select.args.get("qualify"):
            return None
        if not (select.args.get("group") or select.args.get("distinct")):
            return None
        body = _Lifting(self.catalog).query(select)
        body.pop("order", None)
        if isinstance(shown, exp.Count) and (shown.this is None or isinstance(shown.this, exp.Star)):
            if "show" in body:
                body = {**body, "by": body.pop("show")}
                body.pop("distinct", None)
            return {**body, "measures": body.get("measures") or [{"function": "rows"}], "over_groups": "count"}
        if not isinstance(shown, exp.Anonymous) or len(shown.expressions) != 1:
            return None
        known, name = aggregate_of_sql(shown.name), shown.expressions[0]
        places = [n for n, item in enumerate(select.expressions) if _names(item, name)]
        if known is None or known.name not in GROUPED or len(places) != 1:
            return None
        figures = [item for item in select.expressions if has_aggregate(item)]
        figure = figures.index(select.expressions[places[0]])  # a key of the groups is no figure over them
        return {**body, "measures": [body["measures"][figure]], "over_groups": known.name}

    def _select(self, tree: exp.Select) -> Body:
        if any(value for name, value in tree.args.items() if name not in _KNOWN):
            unlike()
        self._tables = dict(self._relations(tree))
        if not self._tables:
            unlike()  # A query of no table.
        self._conditions: list[Body] = []
        body: Body = {"table": next(iter(self._tables.values())), "joins": list(self._joins(tree))}
        where = tree.args.get("where")
        if where is not None:
            self._conditions += [self._test(each) for each in conjuncts(where.this)]
        body["where"] = self._conditions
        self._outputs(tree, body)
        self._sorted(tree, body)
        return {name: value for name, value in body.items() if value not in ([], None, False)}

    def _relations(self, tree: exp.Select) -> Iterator[tuple[str, str]]:
        source = tree.args.get("from_")
        nodes = [source.this if source is not None else None, *(join.this for join in tree.args.get("joins") or ())]
        named: list[str] = []
        for node in nodes:
            if not isinstance(node, exp.Table):
                unlike()
            name = next((one.name for one in self.catalog.tables if one.name.casefold() == node.name.casefold()), None)
            if name is None or name in named:
                unlike()  # Rows that a function makes, or a table twice: a plan has each table once.
            named.append(name)
            yield (node.alias or node.name).casefold(), name

    def _joins(self, tree: exp.Select) -> Iterator[Body]:
        before = [next(iter(self._tables.values()))]
        for join in tree.args.get("joins") or ():
            side, kind = join.args.get("side") or "", join.args.get("kind") or ""
            if kind not in {"", "INNER"} or side not in {"", "LEFT"}:
                unlike()
            right = self._tables[(join.this.alias or join.this.name).casefold()]
            pairs, rest = self._pairs(join, right, before)
            if len(pairs) != 1 or (rest and side):
                unlike()
            self._conditions += [self._test(each) for each in rest]
            yield {**pairs[0], "outer": side == "LEFT"}
            before.append(right)

    def _pairs(self, join: exp.Join, right: str, before: list[str]) -> tuple[list[Body], list[exp.Expr]]:
        """The equal columns by which a table is joined, and what else its rows must meet."""
        pairs: list[Body] = []
        rest: list[exp.Expr] = []
        for item in join.args.get("using") or ():
            left = next(table for table in before if self._named(table, item.name) is not None)
            column, other = self._named(left, item.name), self._named(right, item.name)
            pairs.append({"left": left, "left_column": column, "right": right, "right_column": other})
        for node in conjuncts(join.args["on"]) if join.args.get("on") is not None else ():
            sides = [node.this, node.expression] if isinstance(node, exp.EQ) else []
            if not pairs and len(sides) == 2 and all(isinstance(each, exp.Column) for each in sides):
                one, other = (self._column(each) for each in sides)
                one, other = (other, one) if one["table"] == right else (one, other)
                if other["table"] == right and one["table"] in before:
                    pairs.append(
                        {
                            "left": one["table"],
                            "left_column": one["column"],
                            "right": right,
                            "right_column": other["column"],
                        }
                    )
                    continue
            rest.append(node)
        return pairs, rest

    def _named(self, table: str, column: str) -> str | None:
        columns = next(one.columns for one in self.catalog.tables if one.name == table)
        return next((each.name for each in columns if each.name.casefold() == column.casefold()), None)

    def _column(self, node: exp.Expr) -> Body:
        if not isinstance(node, exp.Column) or isinstance(node.this, exp.Star):
            unlike()
        if node.table:
            table = self._tables[node.table.casefold()]
            return {"table": table, "column": self._named(table, node.name) or unlike()}
        matches = [(table, found) for table in self._tables.values() if (found := self._named(table, node.name))]
        if len(matches) > 1:  # One name on both sides of a join stands for the same values.
            matches = matches[:1]
        ((table, column),) = matches
        return {"table": table, "column": column}

    # Values of rows

    def _value(self, node: exp.Expr) -> Body:
        node = _plain(node)
        if isinstance(node, exp.Literal) and not node.is_string:
            return {"kind": "number", "number": float(node.this)}
        if isinstance(node, exp.Neg):
            minus: Body = {"kind": "number", "number": -1.0}
            return {"kind": "arithmetic", "operation": "*", "operands": [minus, self._value(node.this)]}
        for kind, sign in _ARITHMETIC.items():
            if type(node) is kind:
                operands = [self._value(node.this), self._value(node.expression)]
                return {"kind": "arithmetic", "operation": sign, "operands": operands}
        part = self._part(node)
        return self._column(node) if part is None else part

    def _part(self, node: exp.Expr) -> Body | None:
        """A part of a moment, the days between two, a text's length; None for anything else."""
        if isinstance(node, exp.Cast) and node.to.is_type("date"):
            return {"kind": "part", **self._column(_plain(node.this)), "part": "day"}
        if isinstance(node, exp.Extract):
            name, arguments = str(node.this.name).upper(), [node.expression]
        elif isinstance(node, exp.Anonymous):
            name, arguments = node.name.upper(), node.expressions
        else:
            return None
        if name in {"DATE_PART", "DATEPART"} and len(arguments) == 2:
            name, arguments = str(arguments[0].name).upper(), arguments[1:]
        if name in {"DATE_TRUNC", "DATETRUNC"} and len(arguments) == 2:
            cut = str(arguments[0].name).casefold()
            part = cut if cut in _CUT else unlike()
            return {"kind": "part", **self._column(_plain(arguments[1])), "part": part}
        if name in {"DATE_DIFF", "DATEDIFF"} and len(arguments) == 3 and arguments[0].name.casefold() == "day":
            return {"kind": "days", "operands": [self._value(_plain(each)) for each in arguments[1:]]}
        if name in {"LENGTH", "LEN"} and len(arguments) == 1:
            return {"kind": "length", **self._column(arguments[0])}
        found = _NUMBERED.get(name) or _NAMED.get(name)
        if found is None or len(arguments) != 1:
            unlike()
        return {"kind": "part", **self._column(_plain(arguments[0])), "part": found}

    # Conditions

    def _test(self, node: exp.Expr) -> Body:
        match node:
            case exp.Paren():
                return self._test(node.this)
            case exp.Or():
                return {"any_of": [self._test(each) for each in _disjuncts(node)]}
            case exp.And():
                return {"all_of": [self._test(each) for each in conjuncts(node)]}
            case exp.Not():
                return _denied(self._test(node.this))
            case exp.Between():
                return self._between(node)
            case exp.In() if node.args.get("query"):
                return {"value": self._value(node.this), "operator": "in", "inner": self._inner(node.args["query"])}
            case exp.In():
                return self._listed(node)
            case exp.Exists():
                return self._exists(node.this)
            case exp.Is() if isinstance(node.expression, exp.Null):
                return {"value": self._value(node.this), "operator": "null"}
            case exp.Is() if isinstance(node.expression, exp.Boolean):
                return {"value": self._value(node.this), "to": [bool(node.expression.this)]}
            case exp.Like() | exp.ILike():
                return self._like(node)
            case exp.Column():
                return {"value": self._column(node), "to": [True]}
            case _:
                return self._compared(node)

    def _inner(self, query: exp.Expr) -> Body:
        body = _Lifting(self.catalog).query(folded(query.this if isinstance(query, exp.Subquery) else query))
        if len(body.get("by") or body.get("show") or ()) + len(body.get("measures") or ()) < 1:
            unlike()
        return body

    def _between(self, node: exp.Between) -> Body:
        low, high = (_literal(node.args[each]) for each in ("low", "high"))
        numbered = self._numbered(node.this)
        if numbered is None:
            return {"value": self._value(node.this), "operator": "between", "to": [low, high]}
        return {"value": numbered[0], "operator": "in", "to": list(numbered[1][int(low) : int(high) + 1])}

    def _listed(self, node: exp.In) -> Body:
        numbered = self._numbered(node.this)
        values = [_literal(each) for each in node.expressions]
        if numbered is not None:
            value, names = numbered
            return {"value": value, "operator": "in", "to": [names[int(each)] for each in values]}
        value = self._value(node.this)
        return {"value": value, "operator": "in", "to": [_named(value, each) for each in values]}

    def _exists(self, query: exp.Expr) -> Body:
        """Rows for which another table has one: the columns that are the same are what is looked up there."""
        if not isinstance(query, exp.Select) or query.args.get("group") or query.args.get("limit"):
            unlike()
        inner = _Lifting(self.catalog)
        tables = dict(inner._relations(query))
        where = query.args.get("where")
        rest: list[exp.Expr] = []
        keys: list[tuple[exp.Expr, exp.Expr]] = []
        for node in conjuncts(where.this) if where is not None else ():
            sides = [node.this, node.expression] if isinstance(node, exp.EQ) else []
            own = [_is_of(each, tables) for each in sides]
            if len(own) == 2 and own[0] != own[1]:
                keys.append((sides[0], sides[1]) if own[1] else (sides[1], sides[0]))
            else:
                rest.append(node)
        ((mine, theirs),) = keys
        select = exp.select(theirs.copy()).from_(query.args["from_"].this.copy())
        for join in query.args.get("joins") or ():
            select.append("joins", join.copy())
        if rest:
            select = select.where(*(each.copy() for each in rest))
        return {"value": self._value(mine), "operator": "in", "inner": inner.query(select)}

    def _like(self, node: exp.Expr) -> Body:
        pattern = _literal(node.args["expression"])
        if not isinstance(pattern, str):
            unlike()
        text = pattern.strip("%")
        if not text or "%" in text or "_" in text:
            unlike()
        ends = (pattern.startswith("%"), pattern.endswith("%"))
        operator = {(True, True): "contains", (False, True): "starts", (True, False): "ends"}.get(ends, "=")
        return {"value": self._value(node.this), "operator": operator, "to": [text]}

    def _numbered(self, node: exp.Expr) -> tuple[Body, Sequence[str]] | None:
        """A part that a query numbers and a plan names, with the name of each number."""
        node = _plain(node)
        if isinstance(node, exp.Extract):
            name, inner = str(node.this.name).upper(), node.expression
        elif isinstance(node, exp.Anonymous) and len(node.expressions) == 1:
            name, inner = node.name.upper(), node.expressions[0]
        else:
            return None
        if name == "MONTH":
            return {"kind": "part", **self._column(_plain(inner)), "part": "month_of_year"}, ["", *_MONTHS]
        if name in _DAY_NUMBERS:
            return {"kind": "part", **self._column(_plain(inner)), "part": "weekday"}, _DAY_NUMBERS[name]
        return None

    def _compared(self, node: exp.Expr) -> Body:
        sign = _COMPARED.get(type(node)) or unlike()
        left, right = node.this, node.args["expression"]
        if _is_literal(left) and not _is_literal(right):
            left, right, sign = right, left, _TURNED.get(sign, sign)
        if _is_literal(right):
            numbered = self._numbered(left)
            if numbered is not None:
                value, names = numbered
                if sign not in {"=", "!="}:
                    unlike()
                return {"value": value, "operator": sign, "to": [names[int(_literal(right))]]}
            value = self._value(left)
            return {"value": value, "operator": sign, "to": [_named(value, _literal(right))]}
        if isinstance(left, exp.Subquery) and not isinstance(right, exp.Subquery):
            left, right, sign = right, left, _TURNED.get(sign, sign)
        if isinstance(right, exp.Subquery):
            return {"value": self._value(left), "operator": sign, "inner": self._inner(right)}
        return {"value": self._value(left), "operator": sign, "other": self._value(right)}

    # Figures

    def _measure(self, node: exp.Expr) -> Body | None:
        """A figure over rows; None where the expression is none."""
        node = _plain(node)
        if not has_aggregate(node) and not isinstance(node, exp.Subquery):
            return None
        if isinstance(node, exp.Filter):
            found = self._measure(node.this) or unlike()
            if found.get("over"):
                unlike()
            return _narrowed(found, [self._test(each) for each in conjuncts(node.expression.this)])
        if isinstance(node, exp.Count):
            return self._counted(node.this)
        if isinstance(node, exp.WithinGroup):
            return self._placed(node.this, node.expression.expressions[0].this)
        if isinstance(node, exp.Anonymous):
            return self._called(node)
        return self._computed(node)

    def _counted(self, inner: exp.Expr | None) -> Body:
        if inner is None or isinstance(inner, exp.Star | exp.Literal):
            return {"function": "rows"}
        if isinstance(inner, exp.Distinct):
            (only,) = inner.expressions
            return self._chosen("distinct", only)
        return self._chosen("count", inner)

    def _called(self, node: exp.Anonymous) -> Body:
        name = node.name.upper()
        if name in {"COUNT_IF", "COUNTIF"}:
            return {"function": "rows", "where": [self._test(node.expressions[0])]}
        if name in PLACES:
            return self._placed(node, node.expressions[0])
        aggregate = aggregate_of_sql(name)
        if aggregate is None or len(node.expressions) != 1 or isinstance(node.expressions[0], exp.Distinct):
            unlike()
        return self._chosen(aggregate.name, node.expressions[0])

    def _placed(self, node: exp.Anonymous, of: exp.Expr) -> Body:
        at = float(_literal(node.expressions[-1]))
        return {"function": "quantile", "of": self._value(of), "at": at}

    def _chosen(self, function: str, of: exp.Expr) -> Body:
        """A figure of a value, which may hold for some rows only: ``sum(CASE WHEN paid THEN amount END)``."""
        branch = _branch(of)
        if branch is None:
            return {"function": function, "of": self._value(of)}
        tests, value, other = [self._test(each) for each in conjuncts(branch[0])], branch[1], branch[2]
        plain = _literal(value) if _is_literal(value) else None
        if plain is not None and function in {"sum", "count"} and (plain == 1 or function == "count"):
            return {"function": "rows", "where": tests}
        if plain in {1, 100} and function == "mean" and other is not None and _literal(other) == 0:
            whole: Body = {"function": "rows"}
            return {"function": "rows", "where": tests, "over": whole, **({"percent": True} if plain == 100 else {})}
        if plain is not None or (other is not None and (function != "sum" or _literal(other) != 0)):
            unlike()
        return {"function": function, "of": self._value(value), "where": tests}

    def _computed(self, node: exp.Expr) -> Body:
        """Arithmetic over figures: a quotient, in percent where it is multiplied by a hundred, a unit's number."""
        if isinstance(node, exp.Neg):
            return self._scaled(node.this, "*", -1.0)
        if not isinstance(node, exp.Mul | exp.Div):
            unlike()
        left, right = _plain(node.this), _plain(node.expression)
        if isinstance(node, exp.Mul):
            if _is_literal(left):
                left, right = right, left
            factor = float(_literal(right)) if _is_literal(right) else unlike()
            if factor == 1:
                return self._measure(left) or unlike()
            ratio = self._measure(left) if isinstance(left, exp.Div) else None
            if factor == 100 and ratio is not None and ratio.get("over") and not ratio.get("percent"):
                return {**ratio, "percent": True}
            ones = self._measure(left) if factor == 100 and isinstance(left, exp.Anonymous) else None
            if ones is not None and ones.get("over") and not ones.get("percent"):
                return {**ones, "percent": True}
            return self._scaled(left, "*", factor)
        if _is_literal(right):
            return self._scaled(left, "/", float(_literal(right)))
        percent = False
        if isinstance(left, exp.Mul):
            factors = [each for each in (left.this, left.expression) if _is_literal(each)]
            if len(factors) == 1 and float(_literal(factors[0])) in {1, 100}:
                percent = float(_literal(factors[0])) == 100
                left = left.expression if factors[0] is left.this else left.this
        if isinstance(right, exp.Anonymous) and right.name.upper() == "NULLIF":
            right = right.expressions[0]
        above, below = self._measure(left), self._measure(right)
        if above is None or below is None or above.get("over") or below.get("over"):
            unlike()
        return {**above, "over": below, **({"percent": True} if percent else {})}

    def _scaled(self, node: exp.Expr, sign: str, factor: float) -> Body:
        """A figure in another unit is the figure of its values in that unit."""
        found = self._measure(node) or unlike()
        if "of" not in found or found["function"] not in {"sum", "mean", "median", "min", "max", "quantile"}:
            unlike()
        if factor < 0 and found["function"] in {"min", "max", "quantile"}:
            unlike()
        number: Body = {"kind": "number", "number": factor}
        operands = [number, found["of"]] if factor < 0 else [found["of"], number]
        return {**found, "of": {"kind": "arithmetic", "operation": sign, "operands": operands}}

    # What is shown, and in which order

    def _outputs(self, tree: exp.Select, body: Body) -> None:
        """What is shown: keys and figures, or values of rows."""
        keys: list[Body] = []
        measures: list[Body] = []
        self._shown: list[exp.Expr] = []
        self._places: list[tuple[str, int]] = []
        for item in self._starred(tree):
            plain = bare(item)
            if isinstance(plain, exp.Window):
                self._window(plain, keys, measures, tree, body)
                continue
            asked = self._asked(plain, body)
            if asked and len(tree.expressions) == 1:
                return
            measure = self._measure(plain)
            self._shown.append(item)
            self._places.append(("key", len(keys)) if measure is None else ("measure", len(measures)))
            keys += [self._value(plain)] if measure is None else []
            measures += [measure] if measure is not None else []
        group, distinct = tree.args.get("group"), tree.args.get("distinct")
        if not measures and group is None:
            body |= {"show": keys, "distinct": distinct is not None}
            return
        grouped = [self._grouped(each, tree) for each in (group.expressions if group is not None else ())]
        if distinct is not None or (group is not None and group.args.get("all")):
            unlike()
        if any(each not in grouped for each in keys):
            unlike()
        # What rows are grouped by is a key, shown or not: a name that two people have stands for both.
        keys += [each for each in grouped if each not in keys]
        body |= {"by": keys, "measures": measures}
        having = tree.args.get("having")
        if having is not None:
            body["having"] = [self._group_test(each) for each in conjuncts(having.this)]

    def _starred(self, tree: exp.Select) -> list[exp.Expr]:
        """The results, with every column of a table for its star."""
        items: list[exp.Expr] = []
        for item in tree.expressions:
            if isinstance(item, exp.Star):
                for alias, table in self._tables.items():
                    columns = next(one.columns for one in self.catalog.tables if one.name == table)
                    items += [exp.column(each.name, table=alias, quoted=True) for each in columns]
            else:
                items.append(item)
        return items

    def _asked(self, node: exp.Expr, body: Body) -> bool:
        """Whether a result only asks if there is a row: ``count(*) > 0``, EXISTS over one query."""
        if not isinstance(node, exp.GT) or not isinstance(node.this, exp.Count) or not _is_literal(node.expression):
            return False
        if _literal(node.expression) != 0 or not (node.this.this is None or isinstance(node.this.this, exp.Star)):
            return False
        tested = [test["value"] for test in _tests_of(body["where"]) if test["value"].get("kind", "column") == "column"]
        shown = [value for n, value in enumerate(tested) if value not in tested[:n]]
        body |= {"show": shown or unlike(), "asks": "any", "expects": "yes_no"}
        return True

    def _grouped(self, node: exp.Expr, tree: exp.Select) -> Body:
        if isinstance(node, exp.Literal) and not node.is_string:
            return self._value(bare(tree.expressions[int(node.this) - 1]))
        named = _aliased(node, tree)
        return self._value(node if named is None else named)

    def _group_test(self, node: exp.Expr) -> Body:
        node = _plain(node)
        if isinstance(node, exp.Between):
            ends = [float(_literal(node.args["low"])), float(_literal(node.args["high"]))]
            return {"measure": self._measure(node.this) or unlike(), "operator": "between", "to": ends}
        sign = _COMPARED.get(type(node)) or unlike()
        left, right = _plain(node.this), _plain(node.args["expression"])
        if _is_literal(left) or (isinstance(left, exp.Subquery) and not isinstance(right, exp.Subquery)):
            left, right, sign = right, left, _TURNED.get(sign, sign)
        measure = self._measure(left) or unlike()
        if isinstance(right, exp.Subquery):
            return {"measure": measure, "operator": sign, "inner": self._inner(right)}
        if not _is_literal(right):
            return {"measure": measure, "operator": sign, "other": self._value(right)}
        number = _literal(right)
        return {"measure": measure, "operator": sign, "to": [float(number)]}

    def _window(self, node: exp.Window, keys: list[Body], measures: list[Body], tree: exp.Select, body: Body) -> None:
        """A rank of the figure before it; other windows stay a query."""
        function = node.this
        if not isinstance(function, exp.Anonymous) or function.name.upper() != "RANK" or "window" in body:
            unlike()
        order = node.args.get("order")
        if node.args.get("partition_by") or order is None or len(order.expressions) != 1 or not measures:
            unlike()
        (ordered,) = order.expressions
        if self._measure(ordered.this) != measures[0] or not ordered.args.get("desc"):
            unlike()
        body["window"] = {"kind": "rank"}

    def _sorted(self, tree: exp.Select, body: Body) -> None:
        order, limit, qualify = tree.args.get("order"), tree.args.get("limit"), tree.args.get("qualify")
        if qualify is not None:
            self._within(qualify.this, tree, body)
            return
        sorts = [(each, bool(each.args.get("desc"))) for each in (order.expressions if order is not None else ())]
        if "asks" in body:
            return
        if limit is None:
            places = [(self._place(_plain(each.this), tree), down) for each, down in sorts]
            keys = len(body.get("by") or body.get("show") or ())
            parts = [
                body["by"][place[1]].get("part") for place, _ in places if place and "by" in body and place[0] == "key"
            ]
            # Months and weekdays come in their own order, which their names do not have.
            if all(place is not None for place, _ in places) and not set(parts) & set(_NAMED.values()):
                body["order"] = [
                    {"at": place[1] + (keys if place[0] == "measure" else 0), "descending": down}
                    for place, down in places
                    if place is not None
                ]
            return
        if not sorts or not isinstance(limit.expression, exp.Literal):
            unlike()
        rank: Body = {"limit": int(limit.expression.this), "descending": sorts[0][1]}
        offset = tree.args.get("offset")
        if offset is not None:
            rank["skip"] = int(offset.expression.this)
        self._ranked_by(_plain(sorts[0][0].this), tree, body, rank)
        body["rank"] = rank

    def _ranked_by(self, node: exp.Expr, tree: exp.Select, body: Body, rank: Body) -> None:
        """What the first few are the first by: a figure, which then comes first, or a value."""
        place = self._place(node, tree)
        if place is not None and place[0] == "key":
            rank["by"] = (body.get("by") or body["show"])[place[1]]
        elif place is not None:
            measures = body["measures"]
            body["measures"] = [measures[place[1]], *(each for n, each in enumerate(measures) if n != place[1])]
        elif "show" in body:
            rank["by"] = self._value(node)
        else:
            named = _aliased(node, tree)
            measure = self._measure(named if named is not None else node) or unlike()
            body["measures"] = [measure, *(each for each in body.get("measures", ()) if each != measure)]

    def _within(self, node: exp.Expr, tree: exp.Select, body: Body) -> None:
        """The first few of each group: ``QUALIFY rank() OVER (PARTITION BY … ORDER BY …) = 1``."""
        sign = _COMPARED.get(type(node))
        window = _plain(node.this) if sign is not None else None
        if isinstance(window, exp.Column):
            window = _aliased(window, tree)
        function = window.this if isinstance(window, exp.Window) else None
        if not isinstance(function, exp.Anonymous) or function.name.upper() not in _RANKS or window is None:
            unlike()
        number = int(_literal(node.args["expression"])) - (1 if sign == "<" else 0)
        order = window.args.get("order")
        if order is None or sign not in {"=", "<=", "<"} or number < 1 or (sign == "=" and number > 1):
            unlike()
        first = order.expressions[0]
        within = [self._value(each) for each in window.args.get("partition_by") or ()]
        keys = body.get("by") or body.get("show") or []
        rank: Body = {"limit": number, "descending": bool(first.args.get("desc"))}
        rank["within"] = [keys.index(each) for each in within]
        self._ranked_by(_plain(first.this), tree, body, rank)
        body.pop("window", None)
        body["rank"] = rank

    def _place(self, node: exp.Expr, tree: exp.Select) -> tuple[str, int] | None:
        """The place of what is sorted by among the results."""
        if isinstance(node, exp.Literal) and not node.is_string:
            return self._places[int(node.this) - 1]
        for at, item in enumerate(self._shown):
            same = isinstance(node, exp.Column) and item.alias_or_name.casefold() == node.name.casefold()
            table = node.table if isinstance(node, exp.Column) else ""
            if (same and (isinstance(item, exp.Alias) or not table)) or _plain(bare(item)) == node:
                return self._places[at]
        return None


def _plain(node: exp.Expr) -> exp.Expr:
    """An expression without what changes no value: brackets, a cast to a number, the reading of a date's text."""
    while True:
        if (
            isinstance(node, exp.Paren)
            or (isinstance(node, exp.Cast | exp.TryCast) and _is_numeric(node))
            or (isinstance(node, exp.Cast | exp.TryCast) and _is_moment(node.this))
        ):
            node = node.this
        elif _is_moment(node):
            node = node.expressions[0]
        else:
            return node


def _is_numeric(node: exp.Expr) -> bool:
    kind = node.args["to"]
    return str(getattr(kind.this, "name", kind.this)).upper() in _NUMERIC


def _is_moment(node: exp.Expr) -> bool:
    return (
        isinstance(node, exp.Anonymous) and node.name.upper() in {"STRPTIME", "TRY_STRPTIME"} and bool(node.expressions)
    )


def _names(item: exp.Expr, name: exp.Expr) -> bool:
    return isinstance(name, exp.Column) and item.alias_or_name.casefold() == name.name.casefold()


def _branch(node: exp.Expr) -> tuple[exp.Expr, exp.Expr, exp.Expr | None] | None:
    """The condition, the value and what there is otherwise, where a value holds for some rows only."""
    node = node.this if isinstance(node, exp.Paren) else node
    if isinstance(node, exp.Cast) and _is_numeric(node) and _is_test(node.this):
        return node.this, exp.Literal.number(1), exp.Literal.number(0)
    if _is_test(node):
        return node, exp.Literal.number(1), exp.Literal.number(0)
    node = node.this if isinstance(node, exp.Cast) and _is_numeric(node) else node
    if isinstance(node, exp.If):
        return node.this, node.args["true"], _unless_null(node.args.get("false"))
    if isinstance(node, exp.Case) and node.this is None and len(node.args["ifs"]) == 1:
        return node.args["ifs"][0].this, node.args["ifs"][0].args["true"], _unless_null(node.args.get("default"))
    return None


def _is_test(node: exp.Expr) -> bool:
    node = node.this if isinstance(node, exp.Paren) else node
    kinds = (*_COMPARED, exp.And, exp.Or, exp.Not, exp.In, exp.Between, exp.Like, exp.ILike, exp.Is)
    return isinstance(node, kinds)


def _unless_null(node: exp.Expr | None) -> exp.Expr | None:
    return None if node is None or isinstance(node, exp.Null) else node


def _named(value: Body, literal: Any) -> Any:
    """What a part of a date is compared with: the names of months and weekdays are short ones."""
    named = value.get("part") in _NAMED.values() and isinstance(literal, str)
    return literal[:_SHORT].capitalize() if named else literal


def _narrowed(measure: Body, tests: list[Body]) -> Body:
    return {**measure, "where": [*measure.get("where", ()), *tests]}


def _denied(test: Body) -> Body:
    if test.get("operator") == "in" and "negated" not in test:
        return {**test, "operator": "not in"}
    if test.get("to") == [True]:
        return {**test, "to": [False]}
    return {**test, "negated": not test.get("negated", False)}


def _tests_of(tests: Sequence[Body]) -> Iterator[Body]:
    for test in tests:
        yield from _tests_of([*test.get("any_of", ()), *test.get("all_of", ())])
        if "value" in test:
            yield test


def _is_of(node: exp.Expr, tables: dict[str, str]) -> bool:
    """Whether a column says that it is of one of these tables."""
    return isinstance(node, exp.Column) and node.table.casefold() in tables


def _aliased(node: exp.Expr, tree: exp.Select) -> exp.Expr | None:
    """What a name of the result stands for, where it is one."""
    if isinstance(node, exp.Column) and not node.table:
        for item in tree.expressions:
            if isinstance(item, exp.Alias) and item.alias.casefold() == node.name.casefold():
                return item.this
    return None


def _disjuncts(node: exp.Expr) -> list[exp.Expr]:
    return [*_disjuncts(node.this), *_disjuncts(node.expression)] if isinstance(node, exp.Or) else [node]


def _is_literal(node: exp.Expr) -> bool:
    if isinstance(node, exp.Paren):
        return _is_literal(node.this)
    return (
        isinstance(node, exp.Literal | exp.Boolean | exp.Neg)
        and not (isinstance(node, exp.Neg) and not isinstance(node.this, exp.Literal))
    ) or (isinstance(node, exp.Cast) and isinstance(node.this, exp.Literal))


def _literal(node: exp.Expr) -> Any:
    if isinstance(node, exp.Cast | exp.Paren):  # DATE '2024-01-01'
        node = node.this
    if isinstance(node, exp.Neg):
        inner = _literal(node.this)
        return -inner if not isinstance(inner, str) else unlike()
    if isinstance(node, exp.Boolean):
        return bool(node.this)
    if not isinstance(node, exp.Literal):
        unlike()
    if node.is_string:
        return str(node.this)
    return int(node.this) if str(node.this).isdigit() else float(node.this)
