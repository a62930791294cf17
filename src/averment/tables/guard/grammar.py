"""How SQL text becomes a tree and a tree becomes text again, with the meaning of every function call kept.

The parser knows hundreds of functions by classes of its own, and writes some of them back under another name or as an
operator that does not quite mean the same (SQLite's ``mod(7.5, 2)`` would become ``7.5 % 2``). Here a call stays a
call: its name and arguments are kept as they were written, and only calls with a syntax of their own are taken apart.
"""

from __future__ import annotations

import logging
from typing import Any, ClassVar

from sqlglot import exp
from sqlglot.dialects.dialect import Dialect as SqlDialect
from sqlglot.errors import ErrorLevel, ParseError, SqlglotError
from sqlglot.generator import Generator
from sqlglot.generators.duckdb import DuckDBGenerator
from sqlglot.generators.postgres import PostgresGenerator
from sqlglot.generators.sqlite import SQLiteGenerator
from sqlglot.parsers.duckdb import DuckDBParser
from sqlglot.parsers.postgres import PostgresParser
from sqlglot.parsers.sqlite import SQLiteParser
from sqlglot.tokenizer_core import Token

from averment.errors import SqlSyntax
from averment.tables.catalog import Dialect

# The parser warns when it falls back to an opaque command; those are refused, so the warning only adds noise.
logging.getLogger("sqlglot").setLevel(logging.ERROR)

_TAKEN_APART = frozenset({"CAST", "TRY_CAST", "EXTRACT", "OVERLAY", "POSITION", "SUBSTRING", "TRIM"})
# Counting rows reads no column, COLUMNS reads many, and the others may say IGNORE NULLS inside their parentheses.
_KNOWN = frozenset(
    {"COUNT", "COLUMNS", "FIRST_VALUE", "LAST_VALUE", "NTH_VALUE", "LAG", "LEAD", "FIRST", "LAST", "ARRAY"}
)


# ``ARRAY[1, 2]`` makes an array; the parser would take ``list[1]``, the first value of a column, for one too.
_CONSTRUCTORS = {"ARRAY": exp.Array}


def _only(table: dict[str, Any], names: frozenset[str]) -> dict[str, Any]:
    return {name: builder for name, builder in table.items() if name in names}


class _DuckDb(DuckDBParser):
    FUNCTIONS = _only(DuckDBParser.FUNCTIONS, _KNOWN)
    FUNCTION_PARSERS = _only(DuckDBParser.FUNCTION_PARSERS, _TAKEN_APART)
    ARRAY_CONSTRUCTORS = _CONSTRUCTORS


class _Postgres(PostgresParser):
    FUNCTIONS = _only(PostgresParser.FUNCTIONS, _KNOWN)
    FUNCTION_PARSERS = _only(PostgresParser.FUNCTION_PARSERS, _TAKEN_APART)
    ARRAY_CONSTRUCTORS = _CONSTRUCTORS


class _Sqlite(SQLiteParser):
    FUNCTIONS = _only(SQLiteParser.FUNCTIONS, _KNOWN)
    FUNCTION_PARSERS = _only(SQLiteParser.FUNCTION_PARSERS, _TAKEN_APART)
    ARRAY_CONSTRUCTORS = _CONSTRUCTORS


class _DuckDbWriter(DuckDBGenerator):
    def withingroup_sql(self, expression: exp.WithinGroup) -> str:
        return Generator.withingroup_sql(self, expression)


_PARSERS: dict[Dialect, type[DuckDBParser] | type[PostgresParser] | type[SQLiteParser]] = {
    "duckdb": _DuckDb,
    "postgres": _Postgres,
    "sqlite": _Sqlite,
}


class _SqliteWriter(SQLiteGenerator):
    TYPE_MAPPING: ClassVar[Any] = {
        **SQLiteGenerator.TYPE_MAPPING,
        exp.DType.DECIMAL: "NUMERIC",
        exp.DType.BOOLEAN: "NUMERIC",
    }

    def cast_sql(self, expression: exp.Cast, safe_prefix: str | None = None) -> str:
        return Generator.cast_sql(self, expression, safe_prefix)


_WRITERS: dict[Dialect, type[Generator]] = {
    "duckdb": _DuckDbWriter,
    "postgres": PostgresGenerator,
    "sqlite": _SqliteWriter,
}


def split_words(text: str, dialect: Dialect) -> list[Token]:
    """The words of a statement.

    Raises:
        SqlSyntax: it cannot be split, for example at a quote that never ends, or has no word at all.
    """
    try:
        tokens = list(SqlDialect.get_or_raise(dialect).tokenize(text))
    except SqlglotError as error:
        raise SqlSyntax(f"The SQL could not be parsed: {str(error).splitlines()[0][:200]}") from error
    if not tokens:
        raise SqlSyntax("The SQL is empty.", suggestion="write one SELECT statement")
    return tokens


def parse_statements(text: str, dialect: Dialect) -> list[exp.Expr]:
    """The statements of a text as trees.

    Raises:
        SqlSyntax: it cannot be parsed.
    """
    grammar = SqlDialect.get_or_raise(dialect)
    parser = _PARSERS[dialect](error_level=ErrorLevel.IMMEDIATE, dialect=grammar)
    try:
        found = parser.parse(split_words(text, dialect), text)
    except ParseError as error:
        raise SqlSyntax(_first_complaint(error)) from error
    except SqlglotError as error:
        raise SqlSyntax(f"The SQL could not be parsed: {str(error).splitlines()[0][:200]}") from error
    return [tree for tree in found if tree is not None and not isinstance(tree, exp.Semicolon)]


def write_statement(tree: exp.Expr, dialect: Dialect) -> str:
    """The tree as text of the dialect, without comments.

    Raises:
        SqlSyntax: the dialect has no way to say it.
    """
    writer = _WRITERS[dialect](
        dialect=SqlDialect.get_or_raise(dialect),
        comments=False,
        normalize_functions=False,
        unsupported_level=ErrorLevel.RAISE,
    )
    try:
        return writer.generate(tree)
    except SqlglotError as error:
        raise SqlSyntax(f"The SQL is not valid for {dialect}: {str(error).splitlines()[0][:200]}") from error


def _first_complaint(error: ParseError) -> str:
    first = error.errors[0] if error.errors else {}
    near = str(first.get("highlight") or "").strip()
    where = f" near {near!r}" if near else ""
    said = str(first.get("description") or "")
    # The parser's words about its own classes help no one.
    reason = "something is missing" if not said or "<class" in said else said.rstrip(".")
    return f"The SQL cannot be parsed{where}: {reason}."
