"""The JSON documents about datasets and the rows behind a cell, and what requests about them hold."""

from __future__ import annotations

from typing import Any

from pydantic import Field

from averment.faces.http.chat_documents import Asked
from averment.faces.http.documents import Document
from averment.records.base import picked
from averment.records.dataset import ColumnNote, ColumnUse, Dataset, Origin
from averment.workbench.dataset_look import TableLook


class DatasetDocument(Document):
    """One dataset as a list shows it; places of this machine are not told."""

    id: str
    name: str
    description: str
    origin: Origin
    sources: list[str]
    taught: list[str]
    created_at: str
    updated_at: str


class DatasetList(Document):
    """Every dataset of whoever asks, by name."""

    datasets: list[DatasetDocument]


class BarDocument(Document):
    """One bar of a column's histogram."""

    label: str
    rows: int


class ColumnDocument(Document):
    """One column: what it holds, how it is spread, what was said of it."""

    name: str
    type: str
    role: str
    missing: int
    distinct: int
    unique: bool
    minimum: Any
    maximum: Any
    histogram: list[BarDocument]
    note: ColumnNote


class TableDocument(Document):
    """One table of a dataset."""

    name: str
    source: str
    rows: int
    keys: list[str]
    notes: list[str]
    columns: list[ColumnDocument]


class DatasetDetail(Document):
    """A dataset with its tables."""

    dataset: DatasetDocument
    tables: list[TableDocument]
    joins: list[str]


class DatasetRows(Document):
    """One page of a table."""

    table: str
    columns: list[str]
    rows: list[list[Any]]
    total: int
    page: int


class SuggestionDocument(Document):
    """A question that is answered, and how it is read."""

    question: str
    read_back: str


class Suggestions(Document):
    """Questions that a dataset invites."""

    suggestions: list[SuggestionDocument]


class CompletionDocument(Document):
    """A name that may be meant: it replaces what was typed from ``start`` on."""

    text: str
    kind: str
    about: str
    start: int


class Completions(Document):
    """What the end of a text may begin."""

    completions: list[CompletionDocument]


class BuiltPlan(Document):
    """The plan of a form, how it reads, and its hash."""

    plan: dict[str, Any]
    read_back: str
    hash: str


class SourceRowDocument(Document):
    """One row of a source, with its place in the table and its line in the file."""

    row: int
    line: int | None
    cells: list[Any]


class RecomputedDocument(Document):
    """A cell's figure, computed of its rows again."""

    value: Any
    same: bool | None
    at: str


class RowsDocument(Document):
    """A page of the rows behind one cell of a run's result."""

    run_id: str
    row: int
    column: str
    value: Any
    recomputed: RecomputedDocument
    told: str
    source: str
    source_sha256: str | None
    table: str
    where: str
    total: int
    page: int
    pages: int
    columns: list[str]
    hidden_columns: list[str]
    rows: list[SourceRowDocument]
    sql: str
    query_hash: str


class DatasetChange(Asked):
    """Another name or description."""

    name: str | None = Field(default=None, min_length=1, max_length=80)
    description: str | None = Field(default=None, max_length=500)


class NoteChange(Asked):
    """What is said of a column; what is not given stays, and an empty text takes it back."""

    label: str | None = Field(default=None, max_length=100)
    description: str | None = Field(default=None, max_length=500)
    role: ColumnUse | None = None
    unit: str | None = Field(default=None, max_length=40)


class Taught(Asked):
    """A word, and what it means in the dataset."""

    word: str = Field(min_length=1, max_length=100)
    means: str = Field(min_length=1, max_length=500)


class PlanForm(Asked):
    """What a plan builder picks: a measure, groups, filters, an order and a limit."""

    function: str = Field(default="rows", max_length=20)
    of: str | None = Field(default=None, max_length=300)
    table: str | None = Field(default=None, max_length=200)
    by: list[str] = Field(default=[], max_length=4)
    where: list[list[str]] = Field(default=[], max_length=8)
    order: str = Field(default="", max_length=10)
    limit: int | None = Field(default=None, ge=1, le=1000)


def dataset_body(dataset: Dataset) -> dict[str, Any]:
    """A dataset as JSON."""
    from pathlib import PurePath

    return {
        "id": dataset.dataset_id,
        **picked(dataset, "name", "description", "origin"),
        "sources": [place if "://" in place else PurePath(place).name for place in dataset.places],
        "taught": [str(each["word"]) for each in dataset.meanings],
        "created_at": dataset.created_at.isoformat(),
        "updated_at": dataset.updated_at.isoformat(),
    }


def table_body(table: TableLook) -> dict[str, Any]:
    """A table of a dataset as JSON."""
    return {
        **picked(table, "name", "source", "rows"),
        "keys": list(table.keys),
        "notes": list(table.notes),
        "columns": [
            {
                "name": one.profile.name,
                "type": one.profile.data_type,
                "role": one.role,
                "missing": one.profile.nulls,
                "distinct": one.profile.cardinality,
                "unique": one.unique,
                "minimum": one.profile.minimum,
                "maximum": one.profile.maximum,
                "histogram": [{"label": bar.label, "rows": bar.rows} for bar in one.bars],
                "note": one.note.model_dump(mode="json"),
            }
            for one in table.columns
        ],
    }
