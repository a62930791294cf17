"""The guard: a statement passes only as one read-only query over the opened tables, written back from its tree.

What is run is never the text that came in but the text written back from the checked tree, without its comments. The
engine is locked besides (see the backends): the guard is the first of two walls, not the only one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import sqlglot
from sqlglot import exp
from sqlglot.dialects.dialect import Dialect as SqlDialect
from sqlglot.errors import ErrorLevel, SqlglotError
from sqlglot.tokenizer_core import TokenType

from averment.errors import AvermentError, SqlSyntax
from averment.tables.catalog import Dialect
from averment.tables.guard.grammar import parse_statements, split_words, write_statement
from averment.tables.guard.lineage import SCHEMAS, Read, Schema, trace_columns
from averment.tables.guard.tree_check import (
    StatementKind,
    check_calls,
    check_tree,
    normalise_tree,
    parameter_name,
    read_statement,
    refuse,
)

_REWRITES = 3


@dataclass(frozen=True, kw_only=True)
class GuardedQuery:
    """A statement that passed: its text as written back, and what it reads.

    ``sql`` speaks of the catalog's table names. ``engine_sql`` is the same query with each table at its place inside
    the source, for engines that are asked directly. ``outputs`` gives for each result column the source columns it is
    made from; ``complete`` says whether it lists all of them. ``deterministic`` is False when the query asks for the
    time or for chance.
    """

    sql: str
    engine_sql: str
    dialect: Dialect
    kind: StatementKind
    tables: frozenset[str]
    columns: frozenset[Read]
    outputs: tuple[tuple[str, frozenset[Read]], ...]
    complete: bool
    has_order: bool
    deterministic: bool
    parameters: int

    def check_provable(self, refusal: type[AvermentError]) -> None:
        """Raise ``refusal`` where the query alone does not decide its result."""
        if self.parameters:
            raise refusal("The query contains placeholders.", hint="Write the values into the query.")
        if not self.deterministic:
            raise refusal(
                "The query depends on the current time or on random values, so its result cannot be proved.",
                hint="Write the exact date or values into the query.",
            )


def guard(
    sql: str,
    *,
    dialect: Dialect,
    schema: Schema,
    views: Mapping[str, str] | None = None,
    origins: Mapping[str, tuple[str, ...]] | None = None,
) -> GuardedQuery:
    """The statement as it may be run: one query, allowed syntax and functions, tables and columns that exist.

    ``views`` gives the text of the tables that are views, for lineage; ``origins`` the (schema, table) of those tables
    whose place in the source must be written out.

    Raises:
        SqlRefused: it is not one read-only query, or uses what is not on the allow-lists.
        SqlSyntax: it cannot be parsed.
        MissingTable: it names a table that is not open; with a suggestion.
        MissingColumn: it names a column no table in scope has; with a suggestion.
    """
    try:
        return _guard(sql, dialect, schema, views or {}, origins or {})
    except RecursionError as error:
        raise refuse("The statement is nested too deeply.", "nesting") from error


def _guard(
    sql: str, dialect: Dialect, schema: Schema, views: Mapping[str, str], origins: Mapping[str, tuple[str, ...]]
) -> GuardedQuery:
    statement = read_statement(sql, dialect)
    tree = _parse(statement.body, dialect)
    text = write_statement(tree, dialect)
    for _ in range(_REWRITES):
        tree = _parse(text, dialect)
        again = write_statement(tree, dialect)
        if again == text:
            break
        text = again
    else:
        raise refuse("The statement cannot be serialized without changing it.", "syntax")
    kind = _kind(tree, statement.prefix)
    if statement.prefix and kind in {"describe", "summarize"}:
        raise refuse("Only a query can be explained.", "statement")
    deterministic = check_calls(split_words(text, dialect), tree, dialect)
    located: list[tuple[exp.Table, str]] = []
    lineage = trace_columns(
        tree, dialect=dialect, schema=schema, views=views, on_table=lambda node, name: located.append((node, name))
    )
    has_order = bool(tree.args.get("order"))
    parameters = _count_parameters(tree)
    return GuardedQuery(
        sql=statement.prefix + text,
        engine_sql=statement.prefix + _write_for_engine(tree, dialect, located, origins),
        dialect=dialect,
        kind=kind,
        tables=lineage.tables,
        columns=lineage.columns,
        outputs=lineage.outputs,
        complete=lineage.complete,
        has_order=has_order,
        deterministic=deterministic,
        parameters=parameters,
    )


def _parse(text: str, dialect: Dialect) -> exp.Expr:
    """The one statement of a text as a tree that passed the allow-list."""
    trees = parse_statements(text, dialect)
    if not trees:
        raise SqlSyntax("The SQL is empty.", suggestion="write one SELECT statement")
    if len(trees) > 1:
        raise refuse("Only one statement at a time is allowed.", "stacked", statements=len(trees))
    tree = trees[0]
    check_tree(tree, dialect)
    normalise_tree(tree)
    return tree


def _kind(tree: exp.Expr, prefix: str) -> StatementKind:
    if isinstance(tree, exp.Describe):
        return "describe"
    if isinstance(tree, exp.Summarize):
        return "summarize"
    return "explain" if prefix else "query"


def _count_parameters(tree: exp.Expr) -> int:
    """How many values must be bound: the highest number."""
    names = [parameter_name(node) for node in tree.find_all(exp.Placeholder, exp.Parameter)]
    return max((int(name.removeprefix("p")) for name in names), default=0)


def _write_for_engine(
    tree: exp.Expr, dialect: Dialect, located: list[tuple[exp.Table, str]], origins: Mapping[str, tuple[str, ...]]
) -> str:
    schemas = set(SCHEMAS[dialect])
    for node, name in located:
        written = node.args.get("db")
        origin = origins.get(name) or ((name,) if written and "." in name else None)
        if not origin:
            continue
        schemas.add(written.name.lower() if written else "")
        alias = node.args.get("alias")
        if alias is None or alias.this is None:
            columns = alias.args.get("columns") if alias is not None else None
            node.set("alias", exp.TableAlias(this=node.this.copy(), columns=columns))
        node.set("this", exp.to_identifier(origin[-1], quoted=True))
        node.set("db", exp.to_identifier(origin[-2], quoted=True) if len(origin) > 1 else None)
    if len(schemas) > len(SCHEMAS[dialect]) or origins:
        for column in tree.find_all(exp.Column):
            if column.args.get("db") and column.args["db"].name.lower() in schemas:
                column.set("db", None)
    return write_statement(tree, dialect)


SPOKEN = {
    "postgres": "PostgreSQL",
    "mysql": "MySQL",
    "tsql": "SQL Server",
    "sqlite": "SQLite",
    "snowflake": "Snowflake",
    "bigquery": "BigQuery",
    "oracle": "Oracle",
    "duckdb": "DuckDB",
}

_VALUES = (TokenType.STRING, TokenType.NUMBER)


def translations(sql: str, dialect: Dialect) -> Iterator[tuple[str, str]]:
    """Whose SQL a statement may be, and the same statement in ``dialect``; the guard has yet to see it.

    One that loses a value on the way, such as the format of a date, is none, nor one that takes a name for a text.
    """
    own = _values(sql, dialect)
    for other, name in SPOKEN.items():
        if other == dialect:
            continue
        try:
            trees = sqlglot.parse(sql, read=other, error_level=ErrorLevel.RAISE)
            if len(trees) != 1 or trees[0] is None:
                continue
            text = trees[0].sql(dialect=dialect, unsupported_level=ErrorLevel.RAISE, comments=False)
            read, kept = _values(sql, other), _values(text, dialect)
            if read == own and all(kept[kind] >= read[kind] for kind in _VALUES):
                yield name, text
        except (SqlglotError, RecursionError):
            continue


def _values(sql: str, dialect: str) -> Counter[TokenType]:
    return Counter(
        token.token_type for token in SqlDialect.get_or_raise(dialect).tokenize(sql) if token.token_type in _VALUES
    )
