"""What an expression reads: each name in it, followed to the source columns it stands for.

The lowest of three layers of one walk (expressions, relations, queries); ``averment.tables.guard.lineage`` is the way
in.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping

from sqlglot import exp

from averment.errors import MissingColumn
from averment.tables.catalog import Dialect
from averment.tables.guard.names import fold, fold_identifier, suggest_name
from averment.tables.guard.scopes import NOTHING, OutputColumn, Reads, Result, Scope, ScopeRelation

Schema = Mapping[str, Mapping[str, str]]
Ctes = Mapping[str, ScopeRelation]

SCHEMAS: dict[Dialect, frozenset[str]] = {
    "duckdb": frozenset({"main"}),
    "sqlite": frozenset({"main"}),
    "postgres": frozenset({"public"}),
}
"""The schema names that may qualify a table of the catalog."""

_ROWID = frozenset({"rowid", "oid", "_rowid_"})


def is_star(node: exp.Expr) -> bool:
    """Whether an item of a SELECT list is ``*`` or ``t.*``."""
    return isinstance(node, exp.Star) or (isinstance(node, exp.Column) and isinstance(node.this, exp.Star))


class ExpressionTracer(ABC):
    """Reads expressions; a subclass knows how to read the queries inside them."""

    def __init__(
        self,
        dialect: Dialect,
        schema: Schema,
        views: Mapping[str, str],
        *,
        depth: int = 0,
        on_table: Callable[[exp.Table, str], None] | None = None,
    ) -> None:
        self.dialect: Dialect = dialect
        self.schema = schema
        self.views = views
        self.depth = depth
        self.on_table = on_table
        self.tables: set[str] = set()
        self.visited: set[int] = set()
        self.known = {fold(name, dialect): name for name in schema}

    @abstractmethod
    def query(self, node: exp.Expr, outer: Scope | None, ctes: Ctes) -> Result:
        """What a whole query gives and reads."""

    def key(self, node: exp.Expr) -> str:
        """The folded name of an identifier, or of a node that is named by one."""
        inner = node.this if isinstance(node, exp.Column | exp.ColumnDef) else node
        return (
            fold_identifier(inner, self.dialect) if isinstance(inner, exp.Identifier) else fold(node.name, self.dialect)
        )

    def is_schema(self, name: str, table: str) -> bool:
        """Whether a name before a table's name is the schema that it lies in."""
        return name in SCHEMAS[self.dialect] or f"{name}.{table}" in self.known

    def reads(self, node: exp.Expr, scope: Scope, ctes: Ctes, *, alias_first: bool = False) -> Reads:
        """Every source column an expression reads, subqueries included."""
        if isinstance(node, exp.Column):
            if isinstance(node.this, exp.Star):
                return self._spread(node, scope, ctes)
            return self._path([self.key(part) for part in node.parts], node, scope, alias_first)
        if isinstance(node, exp.Star | exp.Columns):
            return self._spread(node, scope, ctes)
        if isinstance(node, exp.Count) and isinstance(node.this, exp.Star):
            return NOTHING
        if isinstance(node, exp.Exists) and isinstance(node.this, exp.Query):
            return self.query(node.this, scope, ctes).base
        if isinstance(node, exp.Query | exp.Pivot | exp.Table | exp.Describe | exp.Summarize):
            return self.query(node, scope, ctes).every
        if isinstance(node, exp.Lambda):
            inside = scope.with_locals(self.key(part) for part in node.expressions)
            return self.reads(node.this, inside, ctes)
        if isinstance(node, exp.Comprehension):
            inside = scope.with_locals(
                self.key(part) for part in (node.expression, node.args.get("position")) if isinstance(part, exp.Column)
            )
            parts = [part for part in (node.this, node.args.get("condition")) if isinstance(part, exp.Expr)]
            return self.reads(node.args["iterator"], scope, ctes).union(*(self.reads(p, inside, ctes) for p in parts))
        if isinstance(node, exp.Dot):
            return self._dot(node, scope, ctes)
        if isinstance(node, exp.PropertyEQ | exp.Kwarg):
            return self.reads(node.expression, scope, ctes, alias_first=alias_first)
        return self.reads_inside(node, scope, ctes, alias_first=alias_first)

    def reads_inside(
        self,
        node: exp.Expr,
        scope: Scope,
        ctes: Ctes,
        *,
        skip: frozenset[str] = frozenset(),
        alias_first: bool = False,
    ) -> Reads:
        """Every source column the parts of a node read, without the parts named in ``skip``."""
        found = NOTHING
        for name, value in node.args.items():
            if name in skip:
                continue
            for child in value if isinstance(value, list) else [value]:
                if isinstance(child, exp.Expr):
                    found |= self.reads(child, scope, ctes, alias_first=alias_first)
        return found

    def star(self, item: exp.Expr, scope: Scope, ctes: Ctes) -> tuple[list[OutputColumn], Reads, bool]:
        """The columns ``*`` or ``t.*`` gives, what it reads besides them, and whether it may give more."""
        scope = scope.nearest()
        star: exp.Expr = item.this if isinstance(item, exp.Column) else item
        relations = [relation for relation in scope.relations if relation.in_star]
        if isinstance(item, exp.Column):
            relations = [self._starred(item, scope)]
        dropped = {self.key(part) for part in star.args.get("except_") or ()}
        renamed = {self.key(part.this): part.args["alias"] for part in star.args.get("rename") or ()}
        replaced = {self.key(part.args["alias"]): part.this for part in star.args.get("replace") or ()}
        columns: list[OutputColumn] = []
        base = NOTHING
        for relation in relations:
            base |= relation.hidden
            for column in relation.columns:
                if column.key in dropped:
                    continue
                reads = column.reads
                if column.key in replaced:
                    reads = self.reads(replaced[column.key], scope, ctes)
                    base |= reads
                alias = renamed.get(column.key)
                name, key = (column.name, column.key) if alias is None else (alias.name, self.key(alias))
                columns.append(OutputColumn(name, key, reads))
        return columns, base, any(relation.open for relation in relations)

    def _starred(self, item: exp.Column, scope: Scope) -> ScopeRelation:
        keys = [self.key(part) for part in item.parts[:-1]]
        relation = scope.relation(keys[-1])
        if relation is not None:
            return relation
        # ``s.*`` spreads a struct column.
        return ScopeRelation("", (), open=True, hidden=self._path(keys, item, scope, False))

    def _spread(self, node: exp.Expr, scope: Scope, ctes: Ctes) -> Reads:
        """A star inside an expression: ``COLUMNS(*)``, ``* LIKE 'a%'``, ``row_to_json(t.*)``."""
        target: exp.Expr = node.this if isinstance(node, exp.Columns) else node
        if is_star(target):
            columns, base, _ = self.star(target, scope, ctes)
            return base.union(*(column.reads for column in columns))
        # A pattern, a list or a lambda picks the columns while the query runs.
        return scope.nearest().at_large() | self.reads_inside(node, scope, ctes)

    def _dot(self, node: exp.Dot, scope: Scope, ctes: Ctes) -> Reads:
        """Struct access and chained calls: ``(s).a``, ``name.upper()``."""
        chain: list[exp.Expr] = [node.expression]
        left: exp.Expr = node.this
        while isinstance(left, exp.Dot):
            chain.insert(0, left.expression)
            left = left.this
        inside = [self.reads(part, scope, ctes) for part in chain if not isinstance(part, exp.Identifier)]
        if not isinstance(left, exp.Identifier):
            return self.reads(left, scope, ctes).union(*inside)
        keys = [self.key(left)]
        for part in chain:
            if not isinstance(part, exp.Identifier):
                break
            keys.append(self.key(part))
        return self._path(keys, node, scope, False).union(*inside)

    def _path(self, keys: list[str], node: exp.Expr, scope: Scope, alias_first: bool) -> Reads:
        """What a name of one or more parts reads: ``column``, ``table.column``, ``column.field`` …"""
        if len(keys) == 1:
            found = scope.column(keys[0], alias_first=alias_first)
            if found is None and self.dialect == "sqlite" and keys[0] in _ROWID:
                # The row id may be another name of the primary key.
                found = scope.nearest().at_large()
            return self._missing(node, scope, None) if found is None else found
        if len(keys) > 2 and scope.relation(keys[1]) is not None and self.is_schema(keys[0], keys[1]):
            keys = keys[1:]
        relation = scope.relation(keys[0])
        if relation is not None:
            found = relation.find(keys[1])
            if found is not None:
                return found
            if relation.open or (self.dialect == "sqlite" and keys[1] in _ROWID):
                return relation.every
        struct = scope.column(keys[0])
        if struct is not None and relation is None:
            return struct
        return self._missing(node, scope, relation)

    def _missing(self, node: exp.Expr, scope: Scope, relation: ScopeRelation | None) -> Reads:
        written = node.sql(dialect=self.dialect)
        name = node.name or written
        known = [column.name for column in relation.columns] if relation is not None else scope.known_columns()
        suggestion = suggest_name(name, known)
        if self.dialect == "sqlite" and isinstance(node.this, exp.Identifier) and node.this.args.get("quoted"):
            suggestion += "; a text value needs single quotes"
        raise MissingColumn(
            f"No table in scope has a column `{name}`.", suggestion=suggestion, details={"column": name}
        )
