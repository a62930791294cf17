"""Column lineage: every source column a query reads anywhere, however it is reached.

Projections, filters, joins, groups, orders, windows, subqueries, CTEs, stars, aliases, USING and NATURAL joins, lateral
joins, struct access, ``COLUMNS(…)`` and views are followed to the tables of the catalog. A column of a subquery that is
only passed through counts when something outside uses it; everything else counts at once. Whatever cannot be followed
counts as all columns of the tables in scope, so that a policy on columns errs on the side of refusing.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from sqlglot import exp

from averment.errors import MissingColumn, MissingTable, SqlRefused, ToolError
from averment.tables.catalog import Dialect
from averment.tables.guard.grammar import parse_statements
from averment.tables.guard.names import fold, fold_identifier, suggest_name

Read = tuple[str, str]

"""A source column: (table, column) as the catalog spells them."""

Reads = frozenset[Read]

NOTHING: Reads = frozenset()


@dataclass(frozen=True)
class OutputColumn:
    """One column of a relation or result; ``name`` is as written, ``key`` as the engine compares it."""

    name: str
    key: str
    reads: Reads


@dataclass(frozen=True)
class ScopeRelation:
    """Something with columns that stands in FROM, under the key its alias has."""

    key: str
    columns: tuple[OutputColumn, ...]
    open: bool = False
    hidden: Reads = NOTHING
    """What reading this relation at large reads beyond its known columns."""
    in_star: bool = True

    @property
    def every(self) -> Reads:
        """All source columns that any of its columns reads."""
        return self.hidden.union(*(column.reads for column in self.columns))

    def find(self, key: str) -> Reads | None:
        """What the column of that key reads, or None when it has no such column."""
        found = [column.reads for column in self.columns if column.key == key]
        return NOTHING.union(*found) if found else None


@dataclass(frozen=True)
class Result:
    """What a query gives: its columns, and what it reads whichever of them are used (filters, joins, groups …)."""

    columns: tuple[OutputColumn, ...]
    base: Reads
    open: bool = False

    @property
    def every(self) -> Reads:
        """All source columns the query reads when all its columns are used."""
        return self.base.union(*(column.reads for column in self.columns))

    def all_used(self) -> Result:
        """The same result with all its columns counted as used."""
        every = self.every
        return Result(tuple(OutputColumn(c.name, c.key, every) for c in self.columns), every, self.open)


@dataclass
class Scope:
    """The names one SELECT can use, and the scope around it."""

    parent: Scope | None = None
    relations: list[ScopeRelation] = field(default_factory=list[ScopeRelation])
    aliases: dict[str, Reads] = field(default_factory=dict[str, Reads])
    locals: frozenset[str] = frozenset()

    def chain(self) -> Iterator[Scope]:
        """This scope and the ones around it, from the inside out."""
        scope: Scope | None = self
        while scope is not None:
            yield scope
            scope = scope.parent

    def with_locals(self, names: Iterable[str]) -> Scope:
        """A scope inside this one where the given names are parameters of a lambda."""
        return Scope(parent=self, locals=frozenset(names))

    def relation(self, key: str) -> ScopeRelation | None:
        """The nearest relation of that key."""
        for scope in self.chain():
            for relation in scope.relations:
                if relation.key == key:
                    return relation
        return None

    def column(self, key: str, *, alias_first: bool = False) -> Reads | None:
        """What an unqualified name reads, or None when no scope knows it."""
        through_open: Reads | None = None
        for depth, scope in enumerate(self.chain()):
            if key in scope.locals:
                return NOTHING
            if alias_first and depth == 0 and key in scope.aliases:
                return scope.aliases[key]
            found = [reads for relation in scope.relations if (reads := relation.find(key)) is not None]
            if found:
                return NOTHING.union(*found, through_open or NOTHING)
            if key in scope.aliases:
                return scope.aliases[key] | (through_open or NOTHING)
            whole = [relation.every for relation in scope.relations if relation.key == key]
            if whole:
                return NOTHING.union(*whole, through_open or NOTHING)
            unknown = [relation.every for relation in scope.relations if relation.open]
            if unknown:
                through_open = NOTHING.union(*unknown, through_open or NOTHING)
        return through_open

    def nearest(self) -> Scope:
        """The innermost scope that has a FROM, or this one."""
        return next((scope for scope in self.chain() if scope.relations), self)

    def at_large(self) -> Reads:
        """Everything the relations of this scope read: the answer when a part cannot be resolved."""
        return NOTHING.union(*(relation.every for relation in self.relations))

    def known_columns(self) -> list[str]:
        """Every column name visible from here, for suggestions."""
        return [column.name for scope in self.chain() for relation in scope.relations for column in relation.columns]


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
