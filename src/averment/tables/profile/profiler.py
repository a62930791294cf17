"""Profiles: what each column of a table is, from one pass of aggregates and one of frequent values.

Roles (the driller contract's ``inferred_type``), the first rule that fits:

1. ``timestamp``: dates and times, and texts that all look like ISO dates.
2. ``id``: unique identifiers by type (uuid); whole numbers or texts whose name says so (``id``, ``uuid``, ``guid``,
   ``key``, ``pk`` as last word); whole numbers that count the rows (all different, none missing, no gap, 10 rows or
   more); texts without blanks that are all different and have one length of 8 or more (20 rows or more).
3. ``dimension``: texts and truth values; whole numbers whose name speaks of a code, period or class (``year``,
   ``month``, ``zip``, ``code``, ``status`` …); whole numbers that are only 0 and 1; whole numbers with at most 10
   values in 200 rows or more, unless the name speaks of an amount (``quantity``, ``price``, ``count`` …).
4. ``measure``: all other numbers.
5. ``dimension``: everything else.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace
from typing import Any, Literal

from averment.records.base import Record
from averment.tables.catalog import Dialect, TableInfo
from averment.tables.engines.backend import quote
from averment.tables.engines.engine import Engine
from averment.tables.guard.names import name_parts

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


Role = Literal["dimension", "measure", "id", "timestamp"]

DataType = Literal["string", "integer", "float", "date", "datetime"]

Scalar = str | int | float | bool | None

MAX_SAMPLES = 5

LISTED_VALUES = 50

_COLUMNS_A_PASS = 40

_FEW_VALUES, _MANY_ROWS = 10, 200

_ID_WORDS = frozenset({"id", "uuid", "guid", "key", "pk", "ident", "identifier"})

_CODE_WORDS = frozenset(
    [
        *("year", "month", "day", "week", "quarter", "hour", "weekday", "dow", "yr", "zip", "zipcode", "postcode"),
        *("code", "type", "status", "class", "category", "level", "group", "flag", "is", "has", "store", "region"),
        *("segment", "channel", "version", "grade", "tier", "decade", "season"),
    ]
)

_AMOUNT_WORDS = frozenset(
    [
        *("amount", "quantity", "qty", "price", "count", "total", "sum", "sales", "revenue", "cost", "units", "score"),
        *("rating", "age", "num", "number", "value", "profit", "margin", "weight", "duration", "minutes", "seconds"),
        *("visits", "views", "clicks", "orders", "items", "distance", "balance", "salary", "volume", "discount"),
    ]
)


class ColumnProfile(Record):
    """One column: what it is, and what stands in it. Quantiles are those of 0.25, 0.5 and 0.75, for numbers."""

    name: str
    type: str
    inferred_type: Role
    data_type: DataType
    cardinality: int
    nulls: int
    nullable: bool
    sample_values: tuple[str, ...]
    minimum: Scalar
    maximum: Scalar
    mean: float | None
    quantiles: tuple[float, float, float] | None
    values: tuple[tuple[Scalar, int], ...] | None
    """All values with their counts, most frequent first, when there are at most fifty; else None."""


class TableProfile(Record):
    """One table: its rows and the profile of each column."""

    table: str
    row_count: int
    columns: tuple[ColumnProfile, ...]

    def column(self, name: str) -> ColumnProfile | None:
        """The profile of the column of that name, letter case ignored, or None."""
        folded = name.casefold()
        return next((column for column in self.columns if column.name.casefold() == folded), None)


def profile(
    engine: Engine, table: str, *, columns: Collection[str] | None = None, timeout: float = 120.0
) -> TableProfile:
    """What the columns of a table hold; with ``columns`` no other column is read.

    Raises:
        MissingTable: the catalog has no such table.
        QueryTimeout, MemoryExceeded: a limit ended the profile.
    """
    info = engine.catalog.table(table)
    if columns is not None:
        info = replace(info, columns=tuple(column for column in info.columns if column.name in columns))
    rows = info.row_count
    if rows is None or engine.catalog.source_of(info.name).content_sha256 is None:
        # A live database may have other rows by now than when it was opened.
        count = engine.run(f"SELECT count(*) AS n FROM {quote(info.name)}", timeout=timeout)
        rows = int(count.table.column(0)[0].as_py())
    questions = ask_columns(info, engine.catalog.dialect, rows)
    profiles: list[ColumnProfile] = []
    for start in range(0, len(questions), _COLUMNS_A_PASS):
        profiles += _profile_some(engine, info, questions[start : start + _COLUMNS_A_PASS], rows, timeout)
    return TableProfile(table=info.name, row_count=rows, columns=tuple(profiles))


def _profile_some(
    engine: Engine, info: TableInfo, questions: list[ColumnQuestion], rows: int, timeout: float
) -> list[ColumnProfile]:
    answer = engine.run(aggregate_sql(info.name, questions), timeout=timeout).table.to_pylist()[0]
    frequent: dict[int, list[tuple[Scalar, int]]] = {}
    short = {q.number for q in questions if int(answer[f"c{q.number}_d"] or 0) <= LISTED_VALUES}
    if rows:
        sql = frequent_sql(info.name, questions, short, LISTED_VALUES + 1, MAX_SAMPLES)
        found = engine.run(sql, timeout=timeout).table.to_pydict()
        for number, value, count in zip(found["c"], found["v"], found["n"], strict=True):
            frequent.setdefault(int(number), []).append((value, int(count)))
    return [_column(question, answer, frequent.get(question.number, []), rows) for question in questions]


def _column(
    question: ColumnQuestion, answer: dict[str, Any], frequent: list[tuple[Scalar, int]], rows: int
) -> ColumnProfile:
    def asked(what: str) -> Any:
        return answer.get(f"c{question.number}_{what}")

    present = int(asked("n") or 0)
    cardinality = int(asked("d") or 0)
    data_type = question.data_type
    if data_type == "string" and present and int(asked("dates") or 0) == present:
        longest = int(asked("long") or 0)
        data_type = "date" if longest <= len("2021-01-01") else "datetime"
    low, high = _scalar(asked("min")), _scalar(asked("max"))
    quantiles = [asked(name) for name in ("q25", "q50", "q75")]
    shown = sorted(
        ((_typed(value, data_type), count) for value, count in frequent),
        key=lambda pair: (
            -pair[1],
            isinstance(pair[0], str),
            pair[0] if isinstance(pair[0], int | float) else 0,
            str(pair[0]),
        ),
    )
    listed = 0 < len(shown) <= LISTED_VALUES and cardinality <= LISTED_VALUES
    return ColumnProfile(
        name=question.name,
        type=question.type,
        inferred_type=infer_role(
            question.name,
            data_type,
            engine_type=question.type,
            rows=rows,
            present=present,
            cardinality=cardinality,
            minimum=low,
            maximum=high,
            shortest=asked("short"),
            longest=asked("long"),
            blanks=int(asked("blanks") or 0),
        ),
        data_type=data_type,
        cardinality=cardinality,
        nulls=rows - present,
        nullable=present < rows,
        sample_values=tuple(str(value) for value, _ in shown[:MAX_SAMPLES]),
        minimum=low,
        maximum=high,
        mean=None if asked("mean") is None else float(asked("mean")),
        quantiles=None if None in quantiles else (float(quantiles[0]), float(quantiles[1]), float(quantiles[2])),
        values=tuple(shown) if listed else None,
    )


def infer_role(
    name: str,
    data_type: DataType,
    *,
    engine_type: str,
    rows: int,
    present: int,
    cardinality: int,
    minimum: Scalar = None,
    maximum: Scalar = None,
    shortest: int | None = None,
    longest: int | None = None,
    blanks: int = 0,
) -> Role:
    """The role of a column by the rules this module opens with."""
    parts = name_parts(name)
    words = set(parts)
    if data_type in {"date", "datetime"}:
        return "timestamp"
    if "UUID" in engine_type.upper():
        return "id"
    truth = engine_type.upper().startswith("BOOL")
    unique = present > 0 and cardinality == present and present == rows
    if data_type in {"integer", "string"} and not truth and parts and parts[-1] in _ID_WORDS:
        return "id"
    if data_type == "integer" and not truth:
        if unique and rows >= 10 and _gapless(minimum, maximum, rows):
            return "id"
        if words & _AMOUNT_WORDS and not words & _CODE_WORDS:
            return "measure"
        flag = cardinality == 2 and minimum == 0 and maximum == 1
        few = 0 < cardinality <= _FEW_VALUES and rows >= _MANY_ROWS
        return "dimension" if words & _CODE_WORDS or flag or few else "measure"
    if data_type == "float":
        return "measure"
    if unique and rows >= 20 and blanks == 0 and shortest is not None and shortest == longest and shortest >= 8:
        return "id"
    return "dimension"


def _gapless(minimum: Scalar, maximum: Scalar, rows: int) -> bool:
    return isinstance(minimum, int) and isinstance(maximum, int) and maximum - minimum + 1 == rows


def _scalar(value: Any) -> Scalar:
    """A value as JSON has it; dates as ISO text."""
    if value is None or isinstance(value, bool | int | float | str):
        return value
    isoformat = getattr(value, "isoformat", None)
    if isoformat is not None:
        return str(isoformat())
    try:
        number = float(value)
    except (TypeError, ValueError):
        return str(value)
    return int(number) if number.is_integer() and abs(number) < 2**53 else number


def _typed(value: Scalar, data_type: DataType) -> Scalar:
    """A listed value, which the query gives as text, back in its type."""
    if isinstance(value, str) and data_type in {"integer", "float"}:
        try:
            return int(value) if data_type == "integer" else float(value)
        except ValueError:
            return value
    return value


BARS = 12

MOST_MONTHS = 1_200

_SECONDS = 30.0


@dataclass(frozen=True, slots=True)
class Bar:
    """So many rows from one place of a column to the next."""

    label: str
    rows: int


def histogram(engine: Engine, table: TableProfile, column: ColumnProfile) -> tuple[Bar, ...]:
    """The column's bars in their order; none where its values are too many to be put in order."""
    if column.data_type in {"integer", "float"} and not (column.values and len(column.values) <= BARS):
        return _of_numbers(engine, table.table, column)
    if column.data_type in {"date", "datetime"}:
        return _of_dates(engine, table.table, column)
    listed = [(value, count) for value, count in column.values or () if value is not None][:BARS]
    if column.data_type in {"integer", "float"}:
        listed.sort(key=lambda pair: float(str(pair[0])))
    return tuple(Bar(str(value), count) for value, count in listed)


def _of_numbers(engine: Engine, table: str, column: ColumnProfile) -> tuple[Bar, ...]:
    low, high = column.minimum, column.maximum
    if not isinstance(low, int | float) or not isinstance(high, int | float) or not low < high:
        return ()
    name, step = quote(column.name), (high - low) / BARS
    place = f"({name} - ({low!r})) / {float(step)!r}"
    cut = f"CAST({place} AS INTEGER)" if engine.catalog.dialect == "sqlite" else f"CAST(floor({place}) AS INTEGER)"
    sql = f"SELECT {cut} AS bar, count(*) AS many FROM {quote(table)} WHERE {name} IS NOT NULL GROUP BY 1"
    counts = [0] * BARS
    for row in engine.run(sql, timeout=_SECONDS).table.to_pylist():
        # The greatest value stands at the end of the last bar, not at the beginning of one more.
        counts[min(max(int(row["bar"]), 0), BARS - 1)] += int(row["many"])
    return tuple(
        Bar(f"from {_short(low + n * step)} to {_short(low + (n + 1) * step)}", rows) for n, rows in enumerate(counts)
    )


def _of_dates(engine: Engine, table: str, column: ColumnProfile) -> tuple[Bar, ...]:
    name = quote(column.name)
    month = f"substr(CAST({name} AS VARCHAR), 1, 7)"
    sql = (
        f"SELECT {month} AS month, count(*) AS many FROM {quote(table)} WHERE {name} IS NOT NULL GROUP BY 1 ORDER BY 1"
    )
    found = engine.run(sql, timeout=_SECONDS, row_limit=MOST_MONTHS).table.to_pylist()
    each = max(1, -(-len(found) // BARS))
    groups = [found[at : at + each] for at in range(0, len(found), each)]
    return tuple(
        Bar(
            str(group[0]["month"]) if len(group) == 1 else f"{group[0]['month']} to {group[-1]['month']}",
            sum(int(row["many"]) for row in group),
        )
        for group in groups
    )


def _short(number: float) -> str:
    return f"{number:,.0f}" if abs(number) >= 100 or float(number).is_integer() else f"{number:.3g}"
