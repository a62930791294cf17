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
from dataclasses import replace
from typing import Any, Literal

from averment.records.base import Record
from averment.tables.catalog import TableInfo
from averment.tables.engines.backend import quote
from averment.tables.engines.engine import Engine
from averment.tables.guard.names import name_parts
from averment.tables.profile.profile_sql import ColumnQuestion, aggregate_sql, ask_columns, frequent_sql

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
