from typing import Any, get_args

import pytest
from pydantic import ValidationError

from averment.records.analysis import DataSource, SourceFormat, SourceType


@pytest.mark.seed("A-002")
def test_a_source_is_of_one_of_three_types():
    assert get_args(SourceType) == ("sql", "csv", "json")
    with pytest.raises(ValidationError):
        DataSource.model_validate({"type": "parquet", "file_path": "a.parquet"})


@pytest.mark.seed("A-003")
def test_a_source_has_its_fields_and_no_other():
    assert set(DataSource.model_fields) == {"type", "connection_string", "file_path", "schema_fingerprint"}
    source = DataSource(type="sql", connection_string="postgresql://db/shop", schema_fingerprint="ab" * 32)
    assert DataSource.model_validate_json(source.model_dump_json()) == source


@pytest.mark.seed("A-003")
@pytest.mark.parametrize(
    "values",
    [
        {"type": "csv"},
        {"type": "csv", "connection_string": "postgresql://db/shop"},
        {"type": "json", "connection_string": "x"},
        {"type": "sql", "file_path": "a.csv"},
        {"type": "csv", "file_path": "a.csv", "connection_string": "postgresql://db/shop"},
        {"type": "csv", "file_path": ""},
    ],
)
def test_a_source_without_the_one_place_its_type_needs_is_refused(values: dict[str, Any]):
    with pytest.raises(ValidationError):
        DataSource.model_validate(values)


@pytest.mark.seed("A-004")
@pytest.mark.parametrize("digest", ["", "a3f5b8c", "AB" * 32, "ab" * 33])
def test_a_fingerprint_that_is_no_sha256_is_refused(digest: str):
    with pytest.raises(ValidationError):
        DataSource(type="csv", file_path="a.csv", schema_fingerprint=digest)


@pytest.mark.seed("A-002")
@pytest.mark.parametrize(
    ("text", "kind", "precisely"),
    [
        ("sales.csv", "csv", "csv"),
        ("SALES.CSV", "csv", "csv"),
        ("data/sales.csv.gz", "csv", "csv"),
        ("sales.tsv", "csv", "tsv"),
        ("year=2024/*.parquet", "csv", "parquet"),
        ("book.xlsx", "csv", "xlsx"),
        ("a.json", "json", "json"),
        ("a.ndjson.zst", "json", "jsonl"),
        ("shop.duckdb", "sql", "duckdb"),
        ("shop.sqlite3", "sql", "sqlite"),
        ("sqlite:///shop.bin", "sql", "sqlite"),
        ("postgresql+psycopg://u@h/db", "sql", "postgres"),
        ("POSTGRES://h/db.csv", "sql", "postgres"),
        ("spark://cluster:7077", "sql", "spark"),
        ("sc://host:15002", "sql", "spark"),
        ("s3://bucket/a.parquet?x=1", "csv", "parquet"),
        ("C:\\data\\a.csv", "csv", "csv"),
        ("folder", "csv", "unknown"),
        ("notes.doc", "csv", "unknown"),
        (".gz", "csv", "unknown"),
    ],
)
def test_a_path_or_url_tells_type_and_format(text: str, kind: SourceType, precisely: SourceFormat):
    source = DataSource.of(text)
    assert (source.type, source.format, source.place) == (kind, precisely, text)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("postgresql://ann:s3cret@db:5432/shop", "postgresql://ann:***@db:5432/shop"),
        ("postgresql://db/shop?user=ann&password=s3cret", "postgresql://db/shop?user=ann&password=***"),
        ("snowflake://ann:s3cret@acc/db?token=s3cret", "snowflake://ann:***@acc/db?token=***"),
        ("sales.csv", "sales.csv"),
    ],
)
def test_a_password_is_never_shown(text: str, shown: str):
    source = DataSource.of(text)
    assert source.label == shown
    assert "s3cret" not in repr(source)
    assert source.place == text


def test_an_empty_name_is_no_source():
    with pytest.raises(ValidationError):
        DataSource.of("  ")
