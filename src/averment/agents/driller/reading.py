"""How an investigation was read: the metric, its rows and day, the dimensions, the tables, and what the user points to.

The reading is kept with the plan. Every later decision is made from it and from recorded results alone.
"""

from __future__ import annotations

from datetime import date
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Literal

from pydantic import TypeAdapter

from averment.records.analysis import Subtask
from averment.records.base import Record
from averment.records.drilldown.investigation import Groups
from averment.tables.cubes.cube_sql import FactColumns, Rows
from averment.tables.cubes.dimensions import Dimension, LeftOut

if TYPE_CHECKING:
    from averment.runtime.run_context import RunContext

CUBE, DAILY, FACTS, ATTRIBUTION, BREAKDOWN = "cube", "daily", "facts", "attribution", "breakdown"
"""The tasks every investigation begins with."""


class MetricReading(Record):
    """The metric: as the user wrote it, as it is computed, and what kind of number it is."""

    text: str
    sql: str
    in_words: str
    kind: Literal["sum", "ratio"]
    counts_units: bool
    per_day: bool
    from_words: bool
    name: str | None = None
    """What a saved metric is called, with its unit."""
    quantile: float | None = None
    """The place of a percentile: a segment's figure is then its share of rows above, on the percentile's scale."""


class ReadColumn(Record):
    """One column of a table as inferred."""

    name: str
    inferred_type: Literal["dimension", "measure", "id", "timestamp"]
    data_type: Literal["string", "integer", "float", "date", "datetime"]
    cardinality: int
    sample_values: tuple[str, ...]
    nullable: bool


class ReadTable(Record):
    """One table as inferred."""

    name: str
    row_count: int
    columns: tuple[ReadColumn, ...]


class ReadRelation(Record):
    """A relation between two tables; ``used`` when the metric's rows are described through it."""

    from_table: str
    from_column: str
    to_table: str
    to_column: str
    confidence: float
    used: bool


class DimensionMention(Record):
    """A word of the user's that names a dimension, or one of its values."""

    dimension: str
    value: str | None
    word: str
    asked: bool
    """Whether it stands in the prompt, and not only in the background."""


class TotalRows(Record):
    """Rows that add up the others, by the column and the values that call them so."""

    table: str
    column: str
    values: tuple[str, ...]


class InvestigationSetup(Record):
    """Everything decided before the first query of the investigation."""

    metric: MetricReading
    rows: dict[str, Any]
    day_table: str
    day_column: str
    first_day: date
    last_day: date
    has_times: bool
    row_key: tuple[str, str] | None
    base: str
    dimensions: tuple[Dimension, ...]
    left_out: tuple[LeftOut, ...]
    tables: tuple[ReadTable, ...]
    relations: tuple[ReadRelation, ...]
    repeating: tuple[str, ...]
    mentions: tuple[DimensionMention, ...]
    facts: FactColumns
    inputs: tuple[str, ...]
    """Dimensions and other columns that the metric's own text reads."""
    totals: tuple[TotalRows, ...] = ()
    """Rows that add up the others; no query of the investigation counts them."""
    holidays: tuple[date, ...] = ()
    """Public holidays of the data's span, where a country is set."""
    groups: Groups | None = None
    """The two groups that are compared, where it is not two periods; each then stands for a day of its own."""

    def parsed_rows(self) -> Rows:
        """The rows of the metric as the queries take them."""
        return _rows_adapter().validate_python(self.rows)

    def dimension(self, name: str) -> Dimension | None:
        """The dimension of that name."""
        return next((dimension for dimension in self.dimensions if dimension.name == name), None)

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the dimensions in the order of the cube's columns."""
        return tuple(dimension.name for dimension in self.dimensions)


@lru_cache(maxsize=1)
def _rows_adapter() -> TypeAdapter[Rows]:
    return TypeAdapter(Rows)


def rows_as_dict(rows: Rows) -> dict[str, Any]:
    """The rows as plain values that ``InvestigationSetup.parsed_rows`` reads back."""
    return _rows_adapter().dump_python(rows, mode="json")


def reading_of(work: RunContext) -> InvestigationSetup:
    """The reading that was kept with the plan."""
    return InvestigationSetup.model_validate(work.state.reading.get("investigation"))


def query_task(work: RunContext, task_id: str, description: str, query: str, seconds: float) -> Subtask:
    """The task that runs a query within the limits of the request."""
    limits = work.request.constraints
    return Subtask(
        task_id=task_id,
        description=description,
        tool_name="sql.run",
        estimated_cost_seconds=seconds,
        arguments={
            "query": query,
            "params": [],
            "timeout": limits.timeout_seconds,
            "row_limit": limits.row_limit,
        },
    )
