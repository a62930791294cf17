"""Files uploaded for an investigation and what was inferred about their columns."""

from __future__ import annotations

import warnings
from typing import Annotated, Literal

from pydantic import AfterValidator, Field, field_validator

from averment.errors import FileTooLarge, InvalidFileType, NoHeaders
from averment.records.base import Record, RelativePath, UtcDatetime, UuidText, new_id, utc_now
from averment.records.refusal import broken

MAX_FILE_BYTES = 52_428_800
"""50 MB; larger data is connected in place by path or URL and never uploaded."""

InferredType = Literal["dimension", "measure", "id", "timestamp"]
ColumnRole = Literal["dimension", "measure", "id", "timestamp", "ignore"]
"""What a user may say a column is; one that is ignored is never searched."""
DataType = Literal["string", "integer", "float", "date", "datetime"]


class Column(Record):
    """One column as inferred. A column of nothing but nulls has cardinality 1: emptiness is its one value."""

    name: str
    inferred_type: InferredType
    data_type: DataType
    cardinality: int = Field(ge=1)
    sample_values: tuple[str, ...] = Field(default=(), max_length=5)
    nullable: bool


class FileSchema(Record):
    """The inferred columns of one file."""

    columns: tuple[Column, ...]

    @field_validator("columns")
    @classmethod
    def _has_a_header(cls, columns: tuple[Column, ...]) -> tuple[Column, ...]:
        if not columns:
            raise broken(NoHeaders, "the file has no header row")
        return columns


def _is_csv(name: str) -> str:
    if not name.lower().endswith(".csv"):
        raise broken(InvalidFileType, "an uploaded file must have the extension .csv")
    return name


def _fits(size_bytes: int) -> int:
    if size_bytes > MAX_FILE_BYTES:
        raise broken(FileTooLarge, f"an uploaded file may have at most {MAX_FILE_BYTES} bytes")
    return size_bytes


CsvName = Annotated[str, Field(max_length=255), AfterValidator(_is_csv)]
"""The name a user gave an upload."""

UploadSize = Annotated[int, Field(ge=0, json_schema_extra={"maximum": MAX_FILE_BYTES}), AfterValidator(_fits)]
"""Bytes of an upload, at most 50 MB."""

with warnings.catch_warnings():
    # The contract's field is named schema, as is a deprecated method of BaseModel that no record uses.
    warnings.filterwarnings("ignore", message='Field name "schema"', category=UserWarning)

    class UploadedFile(Record):
        """A CSV file given by the user, with its description and, once inferred, its schema."""

        file_id: UuidText = Field(default_factory=new_id)
        session_id: UuidText
        original_name: CsvName
        description: str = Field(max_length=2000)
        path: RelativePath
        row_count: int = Field(ge=1)
        size_bytes: UploadSize
        # The deprecated method's type differs, as said above.
        schema: FileSchema | None = None  # pyright: ignore[reportIncompatibleMethodOverride, reportAssignmentType]
        uploaded_at: UtcDatetime = Field(default_factory=utc_now)


def check_upload(*, original_name: str, size_bytes: int, has_header: bool) -> None:
    """Nothing, if such a file may be uploaded.

    Raises:
        InvalidFileType: its name does not end in .csv.
        FileTooLarge: it is over 50 MB.
        NoHeaders: it has no header row.
    """
    if not original_name.lower().endswith(".csv"):
        raise InvalidFileType(f"{original_name} is not a CSV file.", hint="Upload a file whose name ends in .csv.")
    if size_bytes > MAX_FILE_BYTES:
        raise FileTooLarge(f"{original_name} has {size_bytes} bytes; an upload may have at most {MAX_FILE_BYTES}.")
    if not has_header:
        raise NoHeaders(f"{original_name} has no header row.")
