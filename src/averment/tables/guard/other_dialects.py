"""SQL as other databases write it, put into the catalog's own dialect: what a person is used to is no error."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import sqlglot
from sqlglot.dialects.dialect import Dialect as SqlDialect
from sqlglot.errors import ErrorLevel, SqlglotError
from sqlglot.tokenizer_core import TokenType

from averment.tables.catalog import Dialect

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
