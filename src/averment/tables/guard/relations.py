"""What stands in FROM: tables of the catalog, views, CTEs, subqueries, joins, pivots and functions that make rows.

The middle layer of one walk (expressions, relations, queries); ``averment.tables.guard.lineage`` is the way in.
"""

from __future__ import annotations

from abc import abstractmethod

from sqlglot import exp

from averment.errors import MissingTable, SqlRefused, ToolError
from averment.tables.guard.expressions import SCHEMAS, Ctes, ExpressionTracer
from averment.tables.guard.grammar import parse_statements
from averment.tables.guard.names import fold, fold_identifier, suggest_name
from averment.tables.guard.scopes import NOTHING, OutputColumn, Reads, Result, Scope, ScopeRelation

_MAX_VIEW_DEPTH = 8
_OUTSIDE = frozenset({"alias", "joins", "pivots", "laterals"})


def is_natural(join: exp.Expr) -> bool:
    """Whether a join pairs all columns of the same name."""
    return str(join.args.get("method") or "").upper() == "NATURAL"


class RelationTracer(ExpressionTracer):
    """Turns what stands in FROM into relations of a scope."""

    @abstractmethod
    def bind_ctes(self, node: exp.Expr, outer: Scope | None, ctes: Ctes) -> Ctes:
        """The CTEs visible inside a node, its own WITH included."""

    @abstractmethod
    def with_modifiers(self, node: exp.Expr, result: Result, outer: Scope | None, ctes: Ctes) -> Result:
        """A result after the ORDER BY, LIMIT and the like that stand around it."""

    def join(self, node: exp.Expr, scope: Scope, ctes: Ctes) -> Reads:
        """Put what stands in FROM into the scope, and say what putting it there reads."""
        source: exp.Expr = node.this if isinstance(node, exp.Join) else node
        relation, base = self.source(source, scope, ctes)
        if isinstance(node, exp.Join):
            keys = [self.key(part) for part in node.args.get("using") or ()]
            if is_natural(node):
                before = {column.key for other in scope.relations for column in other.columns}
                keys = [column.key for column in relation.columns if column.key in before]
                if relation.open or any(other.open for other in scope.relations):
                    base |= relation.every | scope.at_large()
            for key in keys:
                found = [side.find(key) for side in (relation, *scope.relations)]
                known = [reads for reads in found if reads is not None]
                base |= NOTHING.union(*known) if known else relation.every | scope.at_large()
            if str(node.args.get("kind") or "").upper() in {"SEMI", "ANTI"}:
                relation = ScopeRelation(relation.key, relation.columns, relation.open, relation.hidden, in_star=False)
        scope.relations.append(relation)
        for nested in source.args.get("joins") or ():
            base |= self.join(nested, scope, ctes)
        if isinstance(node, exp.Join) and node.args.get("on") is not None:
            base |= self.reads(node.args["on"], scope, ctes)
        return base

    def source(self, node: exp.Expr, scope: Scope, ctes: Ctes) -> tuple[ScopeRelation, Reads]:
        """One relation of FROM and what making it reads; what stands left of it is visible, as in a lateral join."""
        alias = node.args.get("alias")
        key = fold_identifier(alias.this, self.dialect) if isinstance(alias, exp.TableAlias) and alias.this else ""
        if isinstance(node, exp.Table) and isinstance(node.this, exp.Identifier):
            relation = self._table(node, ctes)
            base = relation.hidden
            relation = self.renamed(
                key or relation.key, Result(relation.columns, relation.hidden, relation.open), alias
            )
        elif isinstance(node, exp.Subquery | exp.Lateral) and isinstance(
            node.this, exp.Query | exp.Pivot | exp.Describe | exp.Summarize
        ):
            result = self.query(node.this, scope, ctes)
            result = self.with_modifiers(node, result, scope, ctes)
            relation, base = self.renamed(key, result, alias), result.base
        elif isinstance(node, exp.Subquery):
            inner = Scope(scope)
            base = self.join(node.this, inner, self.bind_ctes(node, scope, ctes))
            if not key:
                scope.relations += inner.relations[:-1]
                relation = inner.relations[-1]
            else:
                columns = tuple(column for other in inner.relations for column in other.columns)
                relation = ScopeRelation(key, columns, any(other.open for other in inner.relations), inner.at_large())
        elif isinstance(node, exp.Pivot):
            relation, base = self._pivot(node, scope, ctes, key)
        elif isinstance(node, exp.Query) and not isinstance(node, exp.Table | exp.Values):
            result = self.query(node, scope, ctes)
            relation, base = self.renamed(key, result, alias), result.base
        else:
            # VALUES, UNNEST and table functions: they read what their arguments read.
            base = self.reads_inside(node, scope, ctes, skip=_OUTSIDE)
            relation = self.renamed(key, Result((), base, open=True), alias)
        for pivot in node.args.get("pivots") or ():
            base |= relation.every
            opened = ScopeRelation(key, (), open=True, hidden=relation.every)
            base |= self.reads_inside(pivot, Scope(scope, [opened]), ctes, skip=frozenset({"alias"}))
            other = pivot.args.get("alias")
            named = fold_identifier(other.this, self.dialect) if isinstance(other, exp.TableAlias) else relation.key
            relation = ScopeRelation(named, (), open=True, hidden=relation.every)
        return relation, base

    def _pivot(self, node: exp.Pivot, scope: Scope, ctes: Ctes, key: str) -> tuple[ScopeRelation, Reads]:
        ctes = self.bind_ctes(node, scope, ctes)
        relation, base = self.source(node.this, scope, ctes)
        inside = Scope(scope, [ScopeRelation(relation.key, relation.columns, open=True, hidden=relation.hidden)])
        parts = [node.args.get(name) for name in ("expressions", "using", "group", "fields")]
        for part in parts:
            for child in part if isinstance(part, list) else [part]:
                if isinstance(child, exp.Expr):
                    base |= self.reads(child, inside, ctes)
        if node.args.get("unpivot") or node.args.get("group") is None:
            base |= relation.every
        return ScopeRelation(key, (), open=True, hidden=base), base

    def _table(self, node: exp.Table, ctes: Ctes) -> ScopeRelation:
        self.visited.add(id(node))
        key = fold_identifier(node.this, self.dialect)
        own = key
        qualifiers = [part for part in (node.args.get("db"), node.args.get("catalog")) if part]
        if qualifiers:
            schema_name = fold_identifier(qualifiers[0], self.dialect)
            if len(qualifiers) == 1 and f"{schema_name}.{key}" in self.known:
                # The catalog names tables outside the usual schema with it.
                key = f"{schema_name}.{key}"
            elif len(qualifiers) > 1 or schema_name not in SCHEMAS[self.dialect]:
                written = ".".join(part.name for part in reversed([node.this, *qualifiers]))
                raise SqlRefused(f"The table {written} is outside the opened sources.", details={"reason": "qualifier"})
        elif key in ctes:
            return ctes[key]
        if key not in self.known:
            raise MissingTable(
                f"No open source has a table `{node.name}`.",
                suggestion=suggest_name(node.name, self.schema),
                details={"table": node.name},
            )
        name = self.known[key]
        self.tables.add(name)
        if self.on_table is not None:
            self.on_table(node, name)
        columns = tuple(
            OutputColumn(column, fold(column, self.dialect), frozenset({(name, column)}))
            for column in self.schema[name]
        )
        if name in self.views:
            return self._view(name, own, columns)
        return ScopeRelation(own, columns)

    def _view(self, name: str, key: str, columns: tuple[OutputColumn, ...]) -> ScopeRelation:
        result = self._view_result(self.views[name])
        if result is None or result.open or len(result.columns) != len(columns):
            every = NOTHING.union(*(column.reads for column in columns), *([result.every] if result else []))
            return ScopeRelation(key, tuple(OutputColumn(c.name, c.key, every) for c in columns), hidden=every)
        pairs = zip(columns, result.columns, strict=True)
        return ScopeRelation(
            key, tuple(OutputColumn(own.name, own.key, base.reads) for own, base in pairs), hidden=result.base
        )

    def _view_result(self, sql: str) -> Result | None:
        if self.depth >= _MAX_VIEW_DEPTH:
            return None
        tracer = type(self)(self.dialect, self.schema, self.views, depth=self.depth + 1)
        try:
            (tree,) = parse_statements(sql, self.dialect)
            body = tree.expression if isinstance(tree, exp.Create) else tree
            for table in body.find_all(exp.Table):
                table.set("db", None)
                table.set("catalog", None)
            return tracer.query(body, None, {})
        except (ToolError, SqlRefused, RecursionError, ValueError):
            return None

    def renamed(self, key: str, result: Result, alias: exp.Expr | None) -> ScopeRelation:
        """A result as a relation, with the column names its alias gives."""
        names = alias.args.get("columns") or () if alias is not None else ()
        columns = list(result.columns)
        for position, part in enumerate(names):
            reads = columns[position].reads if position < len(columns) else result.every
            renamed = OutputColumn(part.name, self.key(part), reads)
            columns[position : position + 1] = [renamed]
        return ScopeRelation(key, tuple(columns), result.open, result.base)
