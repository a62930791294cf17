"""A dataset: sources that are kept by name, and what a person said about their columns and words."""

from __future__ import annotations

from typing import Any, Literal, TypeAlias, TypedDict

from pydantic import Field

from averment.records.base import Record, UtcDatetime, UuidText, new_id, utc_now

ColumnUse = Literal["measure", "category", "key", "label"]
"""What a column is for: a number to compute with, something to group by, an identifier, or what names a row."""

Origin = Literal["upload", "place", "web", "settings"]
"""How a dataset came: uploaded, connected where it is, fetched from the web, or named in ``averment.toml``."""


class ColumnNote(Record):
    """What a person said about one column; what is empty was not said."""

    label: str = Field(default="", max_length=100, description="What the column is called when one speaks of it.")
    description: str = Field(default="", max_length=500)
    role: ColumnUse | None = None
    unit: str = Field(default="", max_length=40)

    @property
    def is_empty(self) -> bool:
        """Whether nothing is said."""
        return self == ColumnNote()


class DatasetWords(TypedDict):
    """What is said of a dataset, as a run that asks it keeps it."""

    id: str
    """The dataset's id."""
    name: str
    """Its name."""
    columns: dict[str, dict[str, Any]]
    """The ``ColumnNote`` of each column by ``table.column``, without what was not said."""
    meanings: list[dict[str, Any]]
    """The words taught for it, as parts of plans."""


class Dataset(Record):
    """Sources under one name; ``columns`` are notes by ``table.column``, ``meanings`` are taught words as plan parts.

    A password is never among the places: a database's location is kept without one.
    """

    dataset_id: UuidText = Field(default_factory=new_id)
    user_id: str
    name: str = Field(min_length=1, max_length=80)
    places: tuple[str, ...] = Field(min_length=1)
    origin: Origin = "place"
    description: str = Field(default="", max_length=500)
    read: dict[str, Any] | None = None
    columns: dict[str, ColumnNote] = Field(default_factory=dict[str, ColumnNote])
    meanings: tuple[dict[str, Any], ...] = ()
    created_at: UtcDatetime = Field(default_factory=utc_now)
    updated_at: UtcDatetime = Field(default_factory=utc_now)

    def said(self) -> DatasetWords:
        """What a reader of questions is told: which dataset, the notes on its columns, the taught words."""
        notes = {place: note.model_dump(mode="json", exclude_defaults=True) for place, note in self.columns.items()}
        return {"id": self.dataset_id, "name": self.name, "columns": notes, "meanings": list(self.meanings)}


Datasets: TypeAlias = list[Dataset]
