"""The SQL of a profile, in each dialect: one row of aggregates for many columns, and the frequent values of each."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from averment.tables.catalog import Dialect, TableInfo
from averment.tables.engines.backend import quote

Kind = Literal["string", "integer", "float", "date", "datetime"]

EXACT_ROWS = 2_000_000
_SAMPLED_ROWS = 1_000
_SAMPLED_PERCENT = 2
_INTEGERS = (
    "TINYINT",
    "SMALLINT",
    "INT",
    "BIGINT",
    "HUGEINT",
    "UTINYINT",
    "USMALLINT",
    "UINTEGER",
    "UBIGINT",
    "UHUGEINT",
    "SERIAL",
)
_FLOATS = ("FLOAT", "DOUBLE", "REAL", "DECIMAL", "NUMERIC", "MONEY")
_TEXTS = ("VARCHAR", "TEXT", "CHAR", "STRING", "BPCHAR", "ENUM", "CITEXT", "CLOB", "NVARCHAR")


@dataclass(frozen=True)
class ColumnQuestion:
    """One column to be asked about: its expression, and which aggregates make sense for it."""

    number: int
    table: str
    name: str
    type: str
    data_type: Kind
    dialect: Dialect
    exact: bool
    comparable: bool
    is_text: bool

    @property
    def column(self) -> str:
        """The column as an SQL identifier."""
        return quote(self.name)

    @property
    def countable(self) -> str:
        """The column as something that can be compared: nested values by their text."""
        if self.comparable:
            return self.column
        return f"CAST({self.column} AS {'VARCHAR' if self.dialect == 'duckdb' else 'TEXT'})"


def data_type_of(engine_type: str) -> Kind:
    """The driller contract's data type for an engine's type; what is no number or time is a string."""
    upper = engine_type.upper().strip()
    if upper.endswith("[]") or upper.startswith(("STRUCT", "MAP", "UNION", "LIST")):
        return "string"
    if upper.startswith("INTERVAL") or upper.endswith("RANGE"):
        return "string"
    if upper.startswith(("TIMESTAMP", "DATETIME")):
        return "datetime"
    if upper.startswith("DATE"):
        return "date"
    if upper.startswith(_FLOATS) or upper in {"FLOAT4", "FLOAT8"}:
        return "float"
    if upper.startswith(_INTEGERS) or upper in {"INT2", "INT4", "INT8", "LONG", "SHORT"}:
        return "integer"
    return "string"


def ask_columns(table: TableInfo, dialect: Dialect, rows: int) -> list[ColumnQuestion]:
    """The questions for every column of a table."""
    questions: list[ColumnQuestion] = []
    for number, column in enumerate(table.columns):
        kind = data_type_of(column.type)
        upper = column.type.upper()
        is_text = kind == "string" and (upper.startswith(_TEXTS) or upper in {"", "ANY"})
        simple = is_text or kind != "string" or upper.startswith(("BOOL", "TIME"))
        questions.append(
            ColumnQuestion(
                number=number,
                table=table.name,
                name=column.name,
                type=column.type,
                data_type=kind,
                dialect=dialect,
                exact=rows <= EXACT_ROWS or dialect != "duckdb",
                comparable=simple and not (upper.startswith("BOOL") and dialect == "postgres"),
                is_text=is_text,
            )
        )
    return questions


def aggregate_sql(table: str, questions: list[ColumnQuestion]) -> str:
    """One SELECT that gives one row with all aggregates of all columns."""
    items = [item for question in questions for item in _aggregates(question)]
    return f"SELECT {', '.join(items)} FROM {quote(table)}"


def frequent_sql(table: str, questions: list[ColumnQuestion], short: set[int], limit: int, samples: int) -> str:
    """One SELECT that gives (column number, value as text, count) of frequent values.

    Columns of few values, those in ``short``, give all of them; the others a few from the first thousand rows, since
    counting all their values would cost more than a sample is worth.
    """
    branches: list[str] = []
    for question in questions:
        place, most = f"{quote(table)} WHERE {question.column} IS NOT NULL", limit
        if question.number not in short:
            some = f"SELECT {question.column} FROM {place} LIMIT {_SAMPLED_ROWS}"
            place, most = f"({some}) AS s{question.number}", samples
        branches.append(
            f"SELECT * FROM (SELECT {question.number} AS c, {_as_text(question)} AS v, count(*) AS n FROM {place} "
            f"GROUP BY 2 ORDER BY 3 DESC, 2 LIMIT {most}) AS t{question.number}"
        )
    return " UNION ALL ".join(branches)


def _as_text(question: ColumnQuestion) -> str:
    if question.dialect == "sqlite" and question.is_text:
        return question.column
    return f"CAST({question.column} AS {'VARCHAR' if question.dialect == 'duckdb' else 'TEXT'})"


def _aggregates(question: ColumnQuestion) -> list[str]:
    column, value, label = question.column, question.countable, f"c{question.number}"
    distinct = f"count(DISTINCT {value})" if question.exact else f"approx_count_distinct({value})"
    items = [
        f"count({column}) AS {label}_n",
        f"{distinct} AS {label}_d",
        f"min({value}) AS {label}_min",
        f"max({value}) AS {label}_max",
    ]
    if question.data_type in {"integer", "float"}:
        items.append(f"avg({column}) AS {label}_mean")
        items += _quantiles(question, label)
    if question.is_text:
        items += [
            f"min(length({column})) AS {label}_short",
            f"max(length({column})) AS {label}_long",
            f"sum(CASE WHEN {column} LIKE '% %' THEN 1 ELSE 0 END) AS {label}_blanks",
            f"sum(CASE WHEN {_looks_like_date(question)} THEN 1 ELSE 0 END) AS {label}_dates",
        ]
    return items


def _quantiles(question: ColumnQuestion, label: str) -> list[str]:
    parts = {"q25": "0.25", "q50": "0.5", "q75": "0.75"}
    column = question.column
    if question.dialect == "duckdb" and question.exact:
        return [f"quantile_cont(CAST({column} AS DOUBLE), {part}) AS {label}_{key}" for key, part in parts.items()]
    if question.dialect == "duckdb":
        # Of a long table those of a part of its rows, always the same part: sketches over all of them take far longer.
        some = f"{quote(question.table)} TABLESAMPLE SYSTEM ({_SAMPLED_PERCENT} PERCENT) REPEATABLE (7)"
        return [
            f"(SELECT quantile_cont(CAST({column} AS DOUBLE), {part}) FROM {some}) AS {label}_{key}"
            for key, part in parts.items()
        ]
    if question.dialect == "postgres":
        return [
            f"percentile_cont({part}) WITHIN GROUP (ORDER BY CAST({column} AS DOUBLE PRECISION)) AS {label}_{key}"
            for key, part in parts.items()
        ]
    # SQLite has no quantiles: the value that stands at that share of the sorted ones.
    table = quote(question.table)
    return [
        f"(SELECT {column} FROM {table} WHERE {column} IS NOT NULL ORDER BY 1 LIMIT 1 OFFSET "
        f"(SELECT CAST((count({column}) - 1) * {part} AS INTEGER) FROM {table})) AS {label}_{key}"
        for key, part in parts.items()
    ]


def _looks_like_date(question: ColumnQuestion) -> str:
    column = question.column
    if question.dialect == "sqlite":
        return f"{column} GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]*' AND length({column}) <= 35"
    pattern = "^[0-9]{4}-[0-1][0-9]-[0-3][0-9]([T ][0-9:.+Z -]*)?$"
    if question.dialect == "postgres":
        return f"CAST({column} AS TEXT) ~ '{pattern}'"
    # The first test is cheap and lets hardly any other text through to the pattern.
    return f"{column} LIKE '____-%' AND regexp_matches(CAST({column} AS VARCHAR), '{pattern}')"
