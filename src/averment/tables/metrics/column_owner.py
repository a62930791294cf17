"""Which table a metric's column belongs to: by its alias, by the FROM clause, or by the one table that has it."""

from __future__ import annotations

from sqlglot import exp

from averment.errors import MetricUnreadable, MissingColumn
from averment.tables.catalog import Catalog, TableInfo
from averment.tables.guard.names import suggest_name


class TableScope:
    """The tables a metric may mean, by the names its text gives them.

    Without a FROM clause every open table is in scope, and ``resolve_columns`` chooses those that the columns name.
    """

    def __init__(self, catalog: Catalog, named: dict[str, TableInfo]) -> None:
        self._catalog = catalog
        self._named = named
        self._resolved = bool(named)

    @property
    def tables(self) -> tuple[str, ...]:
        """The tables spoken of, in the order they were named."""
        return tuple(dict.fromkeys(table.name for table in self._named.values())) if self._resolved else ()

    def resolve_columns(self, node: exp.Expr) -> None:
        """Choose the tables of a bare expression: the one that has all its columns, else one for each column.

        Raises:
            MissingColumn: no table has a column of that name.
        """
        if self._resolved:
            return
        columns = list(node.find_all(exp.Column))
        for column in columns:
            if column.table:
                table = self._catalog.table(column.table)
                self._named[table.name.casefold()] = table
        bare = [column.name for column in columns if not column.table]
        holding = [table for table in self._catalog.tables if all(table.column(name) for name in bare)]
        if bare and holding and not self._named:
            # Of several tables the longest holds the facts; the others repeat its columns as keys.
            best = max(holding, key=lambda table: table.row_count or 0)
            self._named[best.name.casefold()] = best
        elif not columns:
            best = max(self._catalog.tables, key=lambda table: table.row_count or 0)
            self._named[best.name.casefold()] = best
        else:
            for name in bare:
                if any(table.column(name) for table in self._named.values()):
                    continue
                having = [table for table in self._catalog.tables if table.column(name)]
                if not having:
                    raise self._missing(name)
                best = max(having, key=lambda table: table.row_count or 0)
                self._named[best.name.casefold()] = best
        self._resolved = True

    def table_of(self, alias: str) -> TableInfo:
        """The table that goes by that name in the text.

        Raises:
            MissingTable: none does.
        """
        found = self._named.get(alias.casefold())
        return found if found is not None else self._catalog.table(alias)

    def find(self, name: str, *, without: str = "") -> tuple[str, str]:
        """The table and exact name of a column that stands without its table.

        Raises:
            MissingColumn: no table in scope has it.
            MetricUnreadable: several have it.
        """
        having = [t for t in self._named.values() if t.name != without and t.column(name) is not None]
        if not having:
            raise self._missing(name)
        if len(having) > 1:
            tables = ", ".join(table.name for table in having)
            raise MetricUnreadable(f"{name} is a column of {tables}.", hint=f"Write {having[0].name}.{name}.")
        column = having[0].column(name)
        return having[0].name, name if column is None else column.name

    def place(self, column: exp.Expr) -> tuple[str, str]:
        """The table and exact name of a column node.

        Raises:
            MissingColumn, MissingTable, MetricUnreadable: it cannot be found, or is ambiguous.
        """
        table_name = str(column.args["table"].name) if column.args.get("table") else ""
        if not table_name:
            return self.find(column.name)
        table = self.table_of(table_name)
        found = table.column(column.name)
        if found is None:
            raise self._missing(column.name)
        return table.name, found.name

    def qualify(self, node: exp.Expr) -> set[tuple[str, str]]:
        """Write every column of a tree with its table, in place; returns the columns read."""
        read: set[tuple[str, str]] = set()
        for column in list(node.find_all(exp.Column)):
            table, name = self.place(column)
            column.set("this", exp.to_identifier(name, quoted=True))
            column.set("table", exp.to_identifier(table, quoted=True))
            column.set("db", None)
            read.add((table, name))
        return read

    def column_type(self, node: exp.Expr) -> str | None:
        """The engine's type of a plain column, or None for anything else."""
        if not isinstance(node, exp.Column):
            return None
        table, name = self.place(node)
        found = self._catalog.table(table).column(name)
        return None if found is None else found.type

    def _missing(self, name: str) -> MissingColumn:
        tables = self._named.values() or self._catalog.tables
        known = [column.name for table in tables for column in table.columns]
        return MissingColumn(f"No file has a column {name!r}.", suggestion=suggest_name(name, known))


def scope_of(select: exp.Select, catalog: Catalog) -> TableScope:
    """The scope of a metric's SELECT.

    Raises:
        MissingTable: it names a table that no file gave.
        MetricUnreadable: it reads something other than plain tables, or one table twice.
    """
    named: dict[str, TableInfo] = {}
    start = select.args.get("from_") or select.args.get("from")
    sources = [start.this] if start is not None else []
    sources += [join.this for join in select.args.get("joins") or ()]
    for source in sources:
        if not isinstance(source, exp.Table) or not isinstance(source.this, exp.Identifier):
            raise MetricUnreadable("A metric must refer to tables by name.")
        table = catalog.table(source.name)
        if any(table.name == other.name for other in named.values()):
            raise MetricUnreadable(f"The metric reads {table.name} twice.")
        named[source.alias_or_name.casefold()] = table
    return TableScope(catalog, named)
