"""What a query says, in words made of its tree alone: a heading for each result column, and one sentence for the whole.

Whoever writes a query also writes its aliases, and an alias may say anything: ``SUM(quantity) AS profit`` is no profit.
So result columns are called by what they are computed of, followed through steps and inner queries to the sources, and
the names that the writer made up are gone before anybody reads them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from sqlglot import exp

from averment.errors import PlanInvalid
from averment.plans.names import MODELS_LABEL, ordinal
from averment.plans.registry import AGGREGATES
from averment.tables.catalog import Dialect
from averment.tables.guard.cell_origins import origins
from averment.tables.guard.grammar import parse_statements, write_statement

LONGEST_HEADING = 90
LONGEST_SENTENCE = 1_200
MOST_CONDITIONS = 12

_CALLED = {"round": "rounded", "corr": "correlation of", "abs": "size of"} | {
    name.casefold(): record.words
    for record in AGGREGATES.values()
    if not record.counts and not record.placed
    for name in (record.sql, *record.spelt)
    if name
}
_OPERATIONS: dict[type[exp.Expr], str] = {
    exp.Add: "plus",
    exp.Sub: "minus",
    exp.Mul: "times",
    exp.Div: "divided by",
    exp.Mod: "modulo",
    exp.IntDiv: "wholly divided by",
}
_SAID: dict[type[exp.Expr], str] = {
    exp.EQ: "is",
    exp.NEQ: "is not",
    exp.LT: "is under",
    exp.LTE: "is at most",
    exp.GT: "is over",
    exp.GTE: "is at least",
}
_RANKS = frozenset({"rank", "denserank", "rownumber"})
_CLAUSES = ("order", "group", "having", "qualify")

_Names = dict[str, str]
"""The columns of a relation, each with what it is computed of."""


@dataclass
class _NameScope:
    """What the names inside one query stand for."""

    relations: dict[str, _Names] = field(default_factory=dict[str, _Names])
    ctes: dict[str, _Names] = field(default_factory=dict[str, _Names])
    twice: dict[str, str] = field(default_factory=dict[str, str])
    """The names by which one table is told from itself."""
    places: list[str] = field(default_factory=list[str])
    """The names of what the query reads from, in order."""

    def column(self, node: exp.Column) -> str:
        name, table = node.name, node.table
        held = [self.relations[table.casefold()]] if table.casefold() in self.relations else self.relations.values()
        for names in held:
            if name.casefold() in names:
                return names[name.casefold()]
        return f"{name} ({self.twice[table.casefold()]})" if table.casefold() in self.twice else name


def describe_sql(sql: str, dialect: Dialect) -> str:
    """The query in one sentence: what it gives, by what, where, in which order, from which tables.

    The query must have passed the guard.
    """
    tree = parse_statements(sql, dialect)[0]
    if not isinstance(tree, exp.Query):
        return "a query"
    sentence = _Teller(dialect).sentence(tree)
    return sentence if len(sentence) <= LONGEST_SENTENCE else sentence[: LONGEST_SENTENCE - 1] + "…"


def call_columns(sql: str, dialect: Dialect, *, outputs: Sequence[str] = (), own: Iterable[str] = ()) -> str:
    """The same query, whose result columns are called by what they are computed of; labels are called the model's.

    ``outputs`` are the names of all its result columns; ``own`` are words and numbers that the asker wrote.

    Raises:
        PlanInvalid: a star stands for columns that cannot be told apart.
    """
    tree = parse_statements(sql, dialect)[0]
    if not isinstance(tree, exp.Query):
        return sql
    teller = _Teller(dialect)
    first: exp.Expr = tree
    known = teller.bind(tree, {})
    while isinstance(first, exp.SetOperation | exp.Subquery):
        first = first.this
        known = teller.bind(first, known)
    if not isinstance(first, exp.Select):
        return sql
    scope = teller.scope(first, known)
    renamed: dict[str, str] = {}
    items: list[exp.Expr] = []
    taken: set[str] = set()
    first.set("expressions", _without_stars(first, scope, outputs))
    labels = _label_places(tree, first, dialect, own)
    for place, item in enumerate(first.expressions, start=1):
        bare = item.this if isinstance(item, exp.Alias) else item
        labelled = place in labels
        plain = (
            isinstance(item, exp.Column)
            and item.name.casefold() not in taken
            and not labelled
            and (scope.column(item) == item.name or item.table.casefold() in scope.twice)
        )
        if plain or isinstance(item, exp.Star) or bare.is_star:
            taken.add(item.alias_or_name.casefold())
            items.append(item)
            continue
        heading = teller.heading(bare, scope, place)
        if isinstance(item, exp.Column) and item.table and heading == item.name:
            heading = f"{_real_name(first, item.table)} {item.name}"
        heading = _apart(f"{MODELS_LABEL}: {heading}" if labelled else heading, taken)
        taken.add(heading.casefold())
        if isinstance(item, exp.Alias | exp.Column):
            renamed[item.alias_or_name.casefold()] = heading
        items.append(exp.Alias(this=bare, alias=exp.Identifier(this=heading, quoted=True)))
    first.set("expressions", items)
    for holder in {id(tree): tree, id(first): first}.values():
        _follow(holder, renamed, scope)
    return write_statement(tree, dialect)


def _label_places(tree: exp.Expr, first: exp.Select, dialect: Dialect, own: Iterable[str]) -> set[int]:
    """Which result columns are labels that the query's writer gave, counted from one; stars stand for the sources."""
    items = first.expressions
    first.set("expressions", [exp.Null() if item.is_star else item for item in items])
    found = origins(tree.sql(dialect=dialect), dialect, own=own)
    first.set("expressions", items)
    return {place for place, one in enumerate(found, start=1) if one.made_of == "label"}


def _without_stars(select: exp.Select, scope: _NameScope, outputs: Sequence[str]) -> list[exp.Expr]:
    """The result columns, with the columns of inner queries in the place of a star."""
    items: list[exp.Expr] = []
    alone = len(scope.places) == 1 and sum(item.is_star for item in select.expressions) == 1
    for place, item in enumerate(select.expressions):
        wanted = [item.table.casefold()] if isinstance(item, exp.Column) else scope.places
        if not item.is_star or not any(scope.relations.get(each) for each in wanted):
            items.append(item)
            continue
        joined = any(join.args.get("using") or join.args.get("method") for join in select.args.get("joins") or ())
        for name in wanted:
            names = list(scope.relations.get(name, ()))
            if alone and outputs:
                names = list(outputs[place : place + len(outputs) - len(select.expressions) + 1])
                _name_inside(select, names)
            elif "*" in names or (joined and len(wanted) > 1) or item.args.get("except_") or item.args.get("replace"):
                raise PlanInvalid(
                    "A star stands for columns of an inner query.", hint="Name the columns of the result."
                )
            table = exp.Identifier(this=name, quoted=True) if name else None
            if not names:
                items.append(exp.Column(this=exp.Star(), table=table))
            items += [exp.Column(this=exp.Identifier(this=each, quoted=True), table=table) for each in names]
    return items


def _name_inside(select: exp.Select, names: Sequence[str]) -> None:
    """Give what an inner query computes without a name the one that its star stands for."""
    source = select.args["from_"].this
    steps = {step.alias.casefold(): step.this for step in select.root().find_all(exp.CTE)}
    inner = source.this if isinstance(source, exp.Subquery) else steps.get(source.name.casefold())
    if isinstance(inner, exp.Select) and len(inner.expressions) == len(names):
        pairs = zip(inner.expressions, names, strict=True)
        kept = (exp.Alias, exp.Column, exp.Star)
        named = [item if isinstance(item, kept) else exp.alias_(item, name, quoted=True) for item, name in pairs]
        inner.set("expressions", named)


def _real_name(select: exp.Select, alias: str) -> str:
    """The table that an alias stands for."""
    joins = select.args.get("joins") or ()
    source = select.args.get("from_")
    for item in [*([source.this] if source is not None else []), *(join.this for join in joins)]:
        if isinstance(item, exp.Table) and item.alias_or_name.casefold() == alias.casefold():
            return item.name
    return "other"


def _apart(heading: str, taken: set[str]) -> str:
    """The heading, with a number behind it where another column has it already."""
    named, number = heading, 2
    while named.casefold() in taken:
        named, number = f"{heading} {number}", number + 1
    return named


def _follow(holder: exp.Expr, renamed: dict[str, str], scope: _NameScope) -> None:
    """Give the names in the clauses around a result their columns' new names."""
    sources = {name for names in scope.relations.values() for name in names}
    for clause in _CLAUSES:
        part = holder.args.get(clause)
        if part is None:
            continue
        for column in list(part.find_all(exp.Column)):
            name = column.name.casefold()
            inner = column.find_ancestor(exp.Select)
            # What stands inside an inner query, or names a source's column where those come first, is not ours.
            if column.table or name not in renamed or (inner is not None and inner is not holder):
                continue
            if clause != "order" and name in sources:
                continue
            column.replace(exp.Column(this=exp.Identifier(this=renamed[name], quoted=True)))


class _Teller:
    """Says queries and expressions of one dialect."""

    def __init__(self, dialect: Dialect) -> None:
        self._dialect = dialect

    def bind(self, query: exp.Expr, known: dict[str, _Names]) -> dict[str, _Names]:
        """The named steps visible inside a query, its own included."""
        clause = query.args.get("with_")
        if clause is None:
            return known
        known = dict(known)
        for cte in clause.expressions:
            named = [column.name for column in cte.args["alias"].args.get("columns") or ()]
            inner = self.columns(cte.this, known)
            if clause.args.get("recursive") and any(
                each.name.casefold() == cte.alias.casefold() for each in cte.this.find_all(exp.Table)
            ):
                inner = {name: f"steps from {said}" for name, said in inner.items()}
            known[cte.alias.casefold()] = (
                dict(zip((name.casefold() for name in named), inner.values(), strict=False)) if named else inner
            )
        return known

    def columns(self, query: exp.Expr, known: dict[str, _Names]) -> _Names:
        """The columns of a query's result, each with what it is computed of."""
        known = self.bind(query, known)
        if isinstance(query, exp.SetOperation | exp.Subquery):
            return self.columns(query.this, known)
        if not isinstance(query, exp.Select):
            return {}
        scope = self.scope(query, known)
        found: _Names = {}
        for place, item in enumerate(query.expressions, start=1):
            if item.is_star:
                for name in scope.places:
                    found |= scope.relations.get(name) or {"*": "*"}
                continue
            bare = item.this if isinstance(item, exp.Alias) else item
            found[item.alias_or_name.casefold()] = self.heading(bare, scope, place)
        return found

    def scope(self, select: exp.Select, known: dict[str, _Names]) -> _NameScope:
        """What the names inside a SELECT stand for; tables of a source stand for themselves."""
        scope = _NameScope(ctes=known)
        joins = select.args.get("joins") or ()
        source = select.args.get("from_")
        items = [*([source.this] if source is not None else []), *(join.this for join in joins)]
        names = [item.name.casefold() for item in items if isinstance(item, exp.Table)]
        items += select.args.get("laterals") or ()
        seen: list[str] = []
        for item in items:
            key = item.alias_or_name.casefold()
            scope.places.append(key)
            alias = item.args.get("alias")
            named = [each.name.casefold() for each in (alias.args.get("columns") or ())] if alias is not None else []
            held = item.this if isinstance(item, exp.Lateral) else item
            if isinstance(item, exp.Table) and names.count(item.name.casefold()) > 1 and item.alias:
                seen.append(item.name.casefold())
                scope.twice[key] = f"{item.name} {seen.count(item.name.casefold())}"
            if isinstance(item, exp.Table) and item.name.casefold() in known:
                inner = known[item.name.casefold()]
            elif isinstance(held, exp.Subquery):
                inner = self.columns(held.this, known)
            elif isinstance(item, exp.Table) and isinstance(item.this, exp.Identifier):
                if not named:
                    continue
                inner = {name: f"column {place} of {item.name}" for place, name in enumerate([*named, "*"], start=1)}
                named = []
            else:
                made = held.this if isinstance(held, exp.Table) else held
                said = f"values of {self.say(made, scope)}"
                inner = dict.fromkeys([*named, key, made.name.casefold() or made.key, "*"], said)
                named = []
            scope.relations[key] = dict(zip(named, inner.values(), strict=False)) if named else inner
        return scope

    def heading(self, node: exp.Expr, scope: _NameScope, place: int) -> str:
        """What a result column is called: what it is computed of, as far as that can be said shortly."""
        said = " ".join(self.say(node, scope).split())
        if said and len(said) <= LONGEST_HEADING:
            return said
        return f"computed value {place}"

    def say(self, node: exp.Expr, scope: _NameScope) -> str:
        """An expression in words, without the writer's own names."""
        match node:
            case exp.Column():
                return scope.column(node)
            case exp.Alias() | exp.Cast() | exp.TryCast():
                return self.say(node.this, scope)
            case exp.Paren():
                return f"({self.say(node.this, scope)})"
            case exp.Literal():
                return f"“{node.this}”" if node.is_string else str(node.this)
            case exp.Boolean():
                return "true" if node.this else "false"
            case exp.Null():
                return "nothing"
            case exp.Neg():
                return f"minus {self.say(node.this, scope)}"
            case exp.Interval():
                return (
                    f"{self.say(node.this, scope).strip('“”')} {str(node.args.get('unit') or '').casefold()}s".strip()
                )
            case exp.Count():
                return self._count(node, scope)
            case exp.Filter():
                return f"{self.say(node.this, scope)} where {self.say(node.expression.this, scope)}"
            case exp.Case() | exp.If():
                return self._chosen(node, scope)
            case exp.Window():
                return self._window(node, scope)
            case exp.WithinGroup():
                return self._called(node.this, [node.expression.expressions[0].this, *node.this.expressions], scope)
            case exp.Extract():
                return f"{node.this.name.casefold()} of {self.say(node.expression, scope)}"
            case exp.Anonymous():
                return self._called(node, node.expressions, scope)
            case exp.Unnest():
                return " and ".join(self.say(each, scope) for each in node.expressions)
            case exp.Mul() | exp.Div() if (scaled := self._scaled(node, scope)) is not None:
                return scaled
            case exp.Binary() if type(node) in _OPERATIONS:
                left, right = self.say(node.left, scope), self.say(node.right, scope)
                return f"{left} {_OPERATIONS[type(node)]} {right}"
            case exp.DPipe():
                return f"{self.say(node.left, scope)} followed by {self.say(node.right, scope)}"
            case exp.Subquery():
                return f"[{self.sentence(node.this, scope.ctes)}]"
            case _:
                said = self._condition(node, scope)
                return self._as_sql(node, scope) if said is None else said

    def _scaled(self, node: exp.Mul | exp.Div, scope: _NameScope) -> str | None:
        """A quotient in percent, or what a factor of one leaves as it is; None for other products."""
        for factor, other in ((node.this, node.expression), (node.expression, node.this)):
            if not isinstance(factor, exp.Literal) or factor.is_string:
                continue
            number = float(str(factor.this))
            if number == 1 and (isinstance(node, exp.Mul) or factor is node.expression):
                return self.say(other, scope)
            ratio = other.this if isinstance(other, exp.Paren) else other
            if number == 100 and isinstance(node, exp.Mul) and isinstance(ratio, exp.Div):
                return f"{self.say(ratio, scope)}, in percent"
        above = node.this
        if isinstance(node, exp.Div) and isinstance(above, exp.Mul):
            for factor, other in ((above.this, above.expression), (above.expression, above.this)):
                if isinstance(factor, exp.Literal) and not factor.is_string and float(str(factor.this)) == 100:
                    return f"{self.say(other, scope)} divided by {self.say(node.expression, scope)}, in percent"
        return None

    def _chosen(self, node: exp.Case | exp.If, scope: _NameScope) -> str:
        """A value that depends on conditions."""
        branches = [node] if isinstance(node, exp.If) else node.args["ifs"]
        other = node.args.get("false") if isinstance(node, exp.If) else node.args.get("default")
        said = [f"{self.say(each.args['true'], scope)} where {self.say(each.this, scope)}" for each in branches]
        if isinstance(node, exp.Case) and node.this is not None:
            of = self.say(node.this, scope)
            said = [
                f"{self.say(each.args['true'], scope)} where {of} is {self.say(each.this, scope)}" for each in branches
            ]
        if other is not None and not isinstance(other, exp.Null):
            said.append(f"otherwise {self.say(other, scope)}")
        return ", ".join(said)

    def _window(self, node: exp.Window, scope: _NameScope) -> str:
        """A figure over other rows: which rows come before, and within what."""
        order = node.args.get("order")
        sorts = order.expressions if order is not None else []
        told = [f"{'highest ' if each.args.get('desc') else ''}{self.say(each.this, scope)}" for each in sorts]
        by = f" by {' and '.join(told)}" if told else ""
        parts = [self.say(each, scope) for each in node.args.get("partition_by") or ()]
        within = f" within each {' and '.join(parts)}" if parts else ""
        function = node.this
        if isinstance(function, exp.Lag | exp.Lead):
            before = "before" if isinstance(function, exp.Lag) else "after"
            steps = function.args.get("offset")
            row = f"of the row {before}" if steps is None else f"{self.say(steps, scope)} rows {before}"
            return f"{self.say(function.this, scope)} {row}{by}{within}"
        name = function.name if isinstance(function, exp.Anonymous) else function.key
        ranked = name.casefold().replace("_", "") in _RANKS
        said = "place" if ranked else self.say(function, scope)
        running = " up to this row" if sorts and not ranked else ""
        whole = " over all rows" if not sorts and not parts else ""
        return f"{said}{running}{by}{within}{whole}"

    def _called(self, node: exp.Expr, arguments: list[exp.Expr], scope: _NameScope) -> str:
        """A function by its word and what it is taken of."""
        name = node.name.casefold()
        distinct = bool(arguments) and isinstance(arguments[0], exp.Distinct)
        told = [self.say(each, scope) for each in (arguments[0].expressions if distinct else arguments)]
        first, *others = told or [""]
        match name, others:
            case "date_trunc" | "datetrunc" | "date_part" | "datepart", [of]:
                return f"{first.strip('“”')} of {of}"
            case "date_diff" | "datediff", [since, until]:
                return f"{first.strip('“”')}s from {since} to {until}"
            case "quantile_cont" | "quantile_disc" | "quantile" | "percentile_cont" | "percentile_disc", [at]:
                return (
                    f"{ordinal(100 * float(at))} percentile of {first}"
                    if _is_number(at)
                    else f"percentile {at} of {first}"
                )
            case "left" | "right", [count]:
                return f"{'first' if name == 'left' else 'last'} {count} letters of {first}"
            case "strptime" | "try_strptime", _:
                return first
            case "coalesce" | "ifnull", [other]:
                return f"{first}, or {other} where it is missing"
            case "nullif", [other]:
                return f"{first} unless it is {other}"
            case "arg_max" | "max_by" | "arg_min" | "min_by", [by]:
                return f"{first} of the {'highest' if 'max' in name else 'lowest'} {by}"
            case _:
                word = _CALLED.get(name) or f"{name.replace('_', ' ')} of"
                return f"{word} {'different ' if distinct else ''}{' and '.join(told)}".strip()

    def _condition(self, node: exp.Expr, scope: _NameScope) -> str | None:
        """A condition in words; None where an expression is none."""
        match node:
            case exp.And() | exp.Or():
                word = "and" if isinstance(node, exp.And) else "or"
                return f"{self.say(node.left, scope)} {word} {self.say(node.right, scope)}"
            case exp.Not():
                inner = node.this
                if isinstance(inner, exp.Is) and isinstance(inner.expression, exp.Null):
                    return f"{self.say(inner.this, scope)} is known"
                if isinstance(inner, exp.In | exp.Between):
                    return (self._condition(inner, scope) or "").replace(" is ", " is not ", 1)
                return f"not {self.say(inner, scope)}"
            case exp.Is():
                missing = isinstance(node.expression, exp.Null)
                return f"{self.say(node.this, scope)} is {'missing' if missing else self.say(node.expression, scope)}"
            case exp.Between():
                low, high = (self.say(node.args[each], scope) for each in ("low", "high"))
                return f"{self.say(node.this, scope)} is between {low} and {high}"
            case exp.In() if node.args.get("query"):
                return f"{self.say(node.this, scope)} is one of {self.say(node.args['query'], scope)}"
            case exp.In():
                return (
                    f"{self.say(node.this, scope)} is one of {', '.join(self.say(e, scope) for e in node.expressions)}"
                )
            case exp.Exists():
                return f"there is a row of [{self.sentence(node.this, scope.ctes)}]"
            case exp.Like() | exp.ILike():
                return f"{self.say(node.this, scope)} is like {self.say(node.expression, scope)}"
            case exp.Binary() if type(node) in _SAID:
                return f"{self.say(node.left, scope)} {_SAID[type(node)]} {self.say(node.right, scope)}"
            case _:
                return None

    def _count(self, node: exp.Count, scope: _NameScope) -> str:
        counted = node.this
        if isinstance(counted, exp.Distinct):
            return f"number of different {' and '.join(self.say(each, scope) for each in counted.expressions)}"
        if counted is None or isinstance(counted, exp.Star | exp.Literal):
            return "number of rows"
        return f"number of values of {self.say(counted, scope)}"

    def _as_sql(self, node: exp.Expr, scope: _NameScope) -> str:
        def called(part: exp.Expr) -> exp.Expr:
            return exp.Var(this=scope.column(part)) if isinstance(part, exp.Column) else part

        return node.copy().transform(called).sql(dialect=self._dialect)

    def sentence(self, query: exp.Expr, known: dict[str, _Names] | None = None) -> str:
        """A query in one sentence."""
        known = self.bind(query, known or {})
        if isinstance(query, exp.Subquery):
            return self.sentence(query.this, known)
        if isinstance(query, exp.SetOperation):
            word = {"Union": "together with", "Except": "without", "Intersect": "that are also in"}
            joined = word.get(type(query).__name__, "and")
            return f"{self.sentence(query.left, known)}, {joined} {self.sentence(query.right, known)}"
        if not isinstance(query, exp.Select):
            return "a query"
        scope = self.scope(query, known)
        parts = [self._shown(query, scope)]
        group = query.args.get("group")
        if group is not None:
            parts.append(f"by {' and '.join(self._grouped(query, item, scope) for item in group.expressions)}")
        parts += self._conditions(query, known)
        order, limit = query.args.get("order"), query.args.get("limit")
        if order is not None:
            parts.append(f"sorted by {', '.join(self._ordered(query, item, scope) for item in order.expressions)}")
        if limit is not None and limit.expression is not None:
            parts.append(f"the first {self.say(limit.expression, scope)}")
        tables = sorted(_tables(query, known))
        if tables:
            parts.append(f"in {' with '.join(tables)}")
        return ", ".join(part for part in parts if part)

    def _shown(self, query: exp.Select, scope: _NameScope) -> str:
        named = ["every column" if item.is_star else self._asked(item, scope) for item in query.expressions]
        distinct = "different " if query.args.get("distinct") is not None else ""
        return f"{distinct}{', '.join(named)}"

    def _asked(self, item: exp.Expr, scope: _NameScope) -> str:
        bare = item.this if isinstance(item, exp.Alias) else item
        said = self._condition(bare, scope)
        return self.say(bare, scope) if said is None else f"whether {said}"

    def _grouped(self, query: exp.Select, item: exp.Expr, scope: _NameScope) -> str:
        return self.say(self._meant(query, item), scope)

    def _ordered(self, query: exp.Select, item: exp.Expr, scope: _NameScope) -> str:
        bare = item.this if isinstance(item, exp.Ordered) else item
        return f"{self.say(self._meant(query, bare), scope)}{' descending' if item.args.get('desc') else ''}"

    def _meant(self, query: exp.Select, item: exp.Expr) -> exp.Expr:
        """What a place or an alias in a clause stands for."""
        if isinstance(item, exp.Literal) and not item.is_string and str(item.this).isdigit():
            place = int(str(item.this)) - 1
            return query.expressions[place] if 0 <= place < len(query.expressions) else item
        if isinstance(item, exp.Column) and not item.table:
            for one in query.expressions:
                if isinstance(one, exp.Alias) and one.alias.casefold() == item.name.casefold():
                    return one
        return item

    def _conditions(self, query: exp.Select, known: dict[str, _Names]) -> list[str]:
        """Every condition of the query and of the steps it is made of."""
        told: list[str] = []
        for select in (each for each in query.find_all(exp.Select) if _is_step(each, query)):
            scope = self.scope(select, known)
            for clause, lead in (("where", "where"), ("having", "only groups where"), ("qualify", "only where")):
                part = select.args.get(clause)
                if clause != "where":
                    own = {
                        item.alias.casefold(): item.this for item in select.expressions if isinstance(item, exp.Alias)
                    }
                    scope.relations[""] = {name: self.say(bare, scope) for name, bare in own.items()}
                if part is not None:
                    told.append(f"{lead} {self.say(part.this, scope)}")
        return list(dict.fromkeys(told))[:MOST_CONDITIONS]


def _is_step(select: exp.Expr, query: exp.Expr) -> bool:
    """Whether a query is one that rows come from, rather than one whose value is looked up and said there."""
    node = select
    while node is not query and node.parent is not None:
        if isinstance(node.parent, exp.In | exp.Exists):
            return False
        node = node.parent
        if isinstance(node, exp.Subquery) and node is not query and not isinstance(node.parent, exp.From | exp.Join):
            return False
    return True


def _is_number(text: str) -> bool:
    return text.replace(".", "", 1).isdigit()


def _tables(query: exp.Expr, known: dict[str, _Names]) -> set[str]:
    """The tables of sources that a query reads, through its steps."""
    steps = {cte.alias.casefold() for cte in query.find_all(exp.CTE)} | set(known)
    return {table.name for table in query.find_all(exp.Table) if table.name.casefold() not in steps}
