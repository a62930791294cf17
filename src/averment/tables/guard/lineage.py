"""Column lineage: every source column a query reads anywhere, however it is reached.

Projections, filters, joins, groups, orders, windows, subqueries, CTEs, stars, aliases, USING and NATURAL joins, lateral
joins, struct access, ``COLUMNS(…)`` and views are followed to the tables of the catalog. A column of a subquery that is
only passed through counts when something outside uses it; everything else counts at once. Whatever cannot be followed
counts as all columns of the tables in scope, so that a policy on columns errs on the side of refusing.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from sqlglot import exp

from averment.errors import SqlRefused
from averment.tables.catalog import Dialect
from averment.tables.guard.expressions import Ctes, Schema, is_star
from averment.tables.guard.names import fold, fold_identifier
from averment.tables.guard.relations import RelationTracer, is_natural
from averment.tables.guard.scopes import NOTHING, OutputColumn, Read, Reads, Result, Scope, ScopeRelation


@dataclass(frozen=True, kw_only=True)
class Lineage:
    """What a query reads: source columns, the tables it names, and for each result column where it comes from.

    ``complete`` is False when the result may have columns that ``outputs`` does not list.
    """

    columns: frozenset[Read]
    tables: frozenset[str]
    outputs: tuple[tuple[str, frozenset[Read]], ...]
    complete: bool


def trace_columns(
    tree: exp.Expr,
    *,
    dialect: Dialect,
    schema: Schema,
    views: Mapping[str, str] | None = None,
    on_table: Callable[[exp.Table, str], None] | None = None,
) -> Lineage:
    """Every source column that the parsed query reads; ``on_table`` hears of each node that names a catalog table.

    Raises:
        MissingTable: it names a table the schema does not have.
        MissingColumn: it names a column no table in scope has.
        SqlRefused: a table is qualified by a schema or catalog that is not open.
    """
    tracer = QueryTracer(dialect, schema, views or {}, on_table=on_table)
    result = tracer.query(tree, None, {})
    for table in tree.find_all(exp.Table):
        if isinstance(table.this, exp.Identifier) and id(table) not in tracer.visited:
            # No walk leaves a table out; should one ever do, the statement is not let through.
            raise SqlRefused("A table is used where its columns cannot be traced.", details={"reason": "table"})
    return Lineage(
        columns=result.every,
        tables=frozenset(tracer.tables),
        outputs=tuple((column.name, column.reads) for column in result.columns),
        complete=not result.open,
    )


def _names_positions(part: exp.Expr) -> bool:
    """Whether GROUP BY or ORDER BY speaks of result columns by number, or of all of them."""
    if part.args.get("all"):
        return True
    for item in part.expressions:
        inner = item.this if isinstance(item, exp.Ordered) else item
        if isinstance(inner, exp.Literal | exp.PositionalColumn | exp.Var):
            return True
    return False


def _spreads(item: exp.Expr) -> bool:
    """Whether one item of a SELECT list may give several columns."""
    home = item.find_ancestor(exp.Select)
    return any(
        not isinstance(node.parent, exp.Count) and node.find_ancestor(exp.Select) is home
        for node in item.find_all(exp.Columns, exp.Star)
    )


class QueryTracer(RelationTracer):
    """One walk over one tree; keeps the tables it met."""

    def query(self, node: exp.Expr, outer: Scope | None, ctes: Ctes) -> Result:
        """What a whole query gives and reads."""
        ctes = self.bind_ctes(node, outer, ctes)
        if isinstance(node, exp.Select):
            return self._select(node, outer, ctes)
        if isinstance(node, exp.SetOperation):
            return self._set_operation(node, outer, ctes)
        if isinstance(node, exp.Subquery) and isinstance(node.this, exp.Query):
            return self.with_modifiers(node, self.query(node.this, outer, ctes), outer, ctes)
        if isinstance(node, exp.Describe):
            inner = self.source(node.this, Scope(outer), ctes)[0]
            return Result((), NOTHING if isinstance(node.this, exp.Table) else inner.every, open=True)
        if isinstance(node, exp.Summarize):
            relation, base = self.source(node.this, Scope(outer), ctes)
            return Result((), base | relation.every, open=True)
        relation, base = self.source(node, Scope(outer), ctes)
        return Result(relation.columns, base | relation.hidden, relation.open)

    def bind_ctes(self, node: exp.Expr, outer: Scope | None, ctes: Ctes) -> Ctes:
        """The CTEs visible inside a node, its own WITH included."""
        clause = node.args.get("with_")
        if clause is None:
            return ctes
        bound = dict(ctes)
        recursive = bool(clause.args.get("recursive")) or self.dialect == "sqlite"
        for cte in clause.expressions:
            alias: exp.TableAlias = cte.args["alias"]
            key = fold_identifier(alias.this, self.dialect)
            body: exp.Expr = cte.this
            if recursive and isinstance(body, exp.SetOperation):
                # The first branch cannot see the name being defined; the others see what the first one gives.
                inner = self.bind_ctes(body, outer, bound)
                first = self.query(body.this, outer, inner).all_used()
                itself = self.renamed(key, first, alias)
                rest = self.query(body.expression, outer, {**inner, key: itself}).all_used()
                base = first.every | rest.every
                columns = tuple(OutputColumn(c.name, c.key, base) for c in first.columns)
                result = self.with_modifiers(body, Result(columns, base, first.open), outer, inner)
            else:
                result = self.query(body, outer, bound)
            bound[key] = self.renamed(key, result, alias)
        return bound

    def _set_operation(self, node: exp.SetOperation, outer: Scope | None, ctes: Ctes) -> Result:
        left, right = self.query(node.left, outer, ctes), self.query(node.right, outer, ctes)
        plain = isinstance(node, exp.Union) and not node.args.get("distinct") and not node.args.get("by_name")
        if plain and len(left.columns) == len(right.columns) and not (left.open or right.open):
            pairs = zip(left.columns, right.columns, strict=True)
            columns = tuple(OutputColumn(a.name, a.key, a.reads | b.reads) for a, b in pairs)
            result = Result(columns, left.base | right.base)
        else:
            # Rows are compared, or columns are matched by name: every column takes part.
            every = left.every | right.every
            names = {c.key: c for c in (*left.columns, *right.columns)} if node.args.get("by_name") else None
            members = tuple(names.values()) if names is not None else left.columns
            result = Result(tuple(OutputColumn(c.name, c.key, every) for c in members), every, left.open or right.open)
        return self.with_modifiers(node, result, outer, ctes)

    def with_modifiers(self, node: exp.Expr, result: Result, outer: Scope | None, ctes: Ctes) -> Result:
        """A result after the ORDER BY, LIMIT and the like that stand around it."""
        scope = Scope(outer, [ScopeRelation("", result.columns, open=True, hidden=result.base)])
        base = result.base
        for name in ("order", "limit", "offset", "where", "sample"):
            part = node.args.get(name)
            if part is not None:
                base |= self.reads(part, scope, ctes) | (result.every if _names_positions(part) else NOTHING)
        return Result(result.columns, base, result.open)

    def _select(self, node: exp.Select, outer: Scope | None, ctes: Ctes) -> Result:
        scope = Scope(outer)
        base, merged = NOTHING, False
        source = node.args.get("from_")
        if source is not None:
            base |= self.join(source.this, scope, ctes)
        for join in [*(node.args.get("joins") or ()), *(node.args.get("laterals") or ())]:
            base |= self.join(join, scope, ctes)
            merged = merged or bool(join.args.get("using")) or is_natural(join)
        columns: list[OutputColumn] = []
        is_open = False
        for item in node.expressions:
            found, read, unknown = self._projection(item, scope, ctes, merged)
            columns += found
            base |= read
            is_open = is_open or unknown
        eager = bool(node.args.get("distinct")) or is_open
        for name, part in node.args.items():
            if name in {"from_", "joins", "laterals", "expressions", "with_"} or part in (None, False):
                continue
            for child in part if isinstance(part, list) else [part]:
                if isinstance(child, exp.Expr):
                    base |= self.reads(child, scope, ctes, alias_first=name == "order")
                    eager = eager or (name in {"group", "order"} and _names_positions(child))
        result = Result(tuple(columns), base, is_open)
        return result.all_used() if eager else result

    def _projection(
        self, item: exp.Expr, scope: Scope, ctes: Ctes, merged: bool
    ) -> tuple[list[OutputColumn], Reads, bool]:
        """The columns one item of a SELECT list gives, what it reads at once, and whether it may give more."""
        if is_star(item):
            columns, base, is_open = self.star(item, scope, ctes)
            if merged or is_open:
                base |= NOTHING.union(*(column.reads for column in columns))
            return columns, base, is_open
        reads = self.reads(item, scope, ctes)
        inner = item.this if isinstance(item, exp.Alias) else item
        name = item.alias_or_name
        naming = item.args.get("alias") if isinstance(item, exp.Alias) else item.this
        key = self.key(naming) if isinstance(naming, exp.Identifier) else fold(name, self.dialect)
        if name and isinstance(item, exp.Alias):
            scope.aliases.setdefault(key, reads)
        bare = isinstance(inner, exp.Column)
        return [OutputColumn(name, key, reads)], NOTHING if bare else reads, _spreads(inner)
