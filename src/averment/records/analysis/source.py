"""Where data comes from. A source is named here; ``averment.tables`` opens it."""

from __future__ import annotations

import re
from pathlib import PurePosixPath
from typing import Literal
from urllib.parse import urlsplit

from pydantic import Field, model_validator

from averment.records.analysis.file_formats import FILE_FORMATS, FORMAT_OF_SUFFIX
from averment.records.base import Record, Sha256

SourceType = Literal["sql", "csv", "json"]
"""The analyst contract's three types: any database or engine, any file of rows, any file of JSON values."""

SourceFormat = str
"""What a source is precisely, as far as its name tells: a format of files, an engine, ``tsv`` or ``unknown``."""

_FORMAT_OF_SUFFIX: dict[str, SourceFormat] = {
    **{suffix: name for suffix, name in FORMAT_OF_SUFFIX.items() if suffix not in {".txt", ".dat"}},
    ".tsv": "tsv",
    ".tab": "tsv",
    ".db": "sqlite",
}
_FORMAT_OF_SCHEME: dict[str, SourceFormat] = {
    "postgres": "postgres",
    "postgresql": "postgres",
    "mysql": "mysql",
    "mariadb": "mysql",
    "sqlite": "sqlite",
    "duckdb": "duckdb",
    "spark": "spark",
    "sc": "spark",
    "trino": "trino",
    "clickhouse": "clickhouse",
    "bigquery": "bigquery",
    "snowflake": "snowflake",
}
_PACKED = frozenset({".gz", ".zst"})
_JSON = frozenset(form.name for form in FILE_FORMATS.values() if form.holds == "json")
_ROWS = frozenset({"tsv", "unknown", *(form.name for form in FILE_FORMATS.values() if form.holds == "rows")})
_PASSWORD = re.compile(r"(?<=://)([^:/@?#\s]*):([^@/?#\s]*)@")
_SECRET_PARAMETER = re.compile(r"(?i)\b(password|passwd|pwd|token|secret|api_key|sslpassword)=([^&\s]+)")


class DataSource(Record):
    """One source of an analysis: a database by its URL or file, or a file by its path, never both.

    ``type`` keeps the contract's three values; ``format`` says precisely what it is. Any file of rows (CSV, TSV,
    Parquet, Excel) is of type ``csv``, JSON and JSON lines of type ``json``, any database or engine of type ``sql``.
    """

    type: SourceType
    # Not in repr: a database URL may hold a password.
    connection_string: str | None = Field(default=None, min_length=1, repr=False)
    file_path: str | None = Field(default=None, min_length=1)
    schema_fingerprint: Sha256 | None = None

    @classmethod
    def of(cls, text: str) -> DataSource:
        """The source that a path or URL names, judged by its name alone.

        Raises:
            pydantic.ValidationError: the text is empty.
        """
        name = text.strip()
        found = _format_of(name)
        if found not in _JSON | _ROWS:
            return cls(type="sql", connection_string=name)
        return cls(type="json" if found in _JSON else "csv", file_path=name)

    @model_validator(mode="after")
    def _has_the_one_place_its_type_needs(self) -> DataSource:
        if (self.connection_string is None) == (self.file_path is None):
            raise ValueError("a source must have either a connection_string or a file_path, not both")
        if self.type == "sql" and self.connection_string is None:
            raise ValueError("a source of type sql needs a connection_string")
        if self.type != "sql" and self.file_path is None:
            raise ValueError(f"a source of type {self.type} needs a file_path")
        return self

    @property
    def place(self) -> str:
        """The path or URL, with any password it holds: for opening, never for showing."""
        return self.connection_string or self.file_path or ""

    @property
    def label(self) -> str:
        """The path or URL for people and logs, with passwords and tokens masked."""
        masked = _PASSWORD.sub(r"\1:***@", self.place)
        return _SECRET_PARAMETER.sub(r"\1=***", masked)

    @property
    def format(self) -> SourceFormat:
        """What the source is precisely, derived from its path or URL; ``unknown`` for a folder or a strange ending."""
        return _format_of(self.place)


def _format_of(name: str) -> SourceFormat:
    scheme, separator, _ = name.partition("://")
    if separator:
        by_scheme = _FORMAT_OF_SCHEME.get(scheme.lower().split("+")[0])
        if by_scheme is not None:
            return by_scheme
        name = urlsplit(name).path
    suffixes = [suffix.lower() for suffix in PurePosixPath(name.replace("\\", "/")).suffixes]
    while suffixes and suffixes[-1] in _PACKED:
        suffixes.pop()
    return _FORMAT_OF_SUFFIX.get(suffixes[-1], "unknown") if suffixes else "unknown"
