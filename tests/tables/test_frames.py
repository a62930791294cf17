"""Tables in memory: whatever library made them, the same rows are the same file, and what is no table is refused."""

from __future__ import annotations

from pathlib import Path

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from averment.errors import SourceEmpty, SourceUnreadable, UnsupportedSource
from averment.tables.sources.frames import as_arrow, is_frame, keep_frame
from lazily import lazily

pd = lazily("pandas")
pl = lazily("polars")

ROWS = {"day": ["Sat", "Sun", None], "tip": [1.5, 2.0, 3.0]}


def _makers() -> dict[str, object]:
    frame = pd.DataFrame(ROWS)
    return {
        "pandas": frame,
        "polars": pl.DataFrame(ROWS),
        "polars lazy": pl.DataFrame(ROWS).lazy(),
        "arrow": pa.table(ROWS),
        "duckdb": duckdb.from_arrow(pa.table(ROWS)),
        "categories": frame.astype({"day": "category"}),
        "polars categories": pl.DataFrame(ROWS).with_columns(pl.col("day").cast(pl.Categorical)),
    }


LIBRARIES = ("arrow", "categories", "duckdb", "pandas", "polars", "polars categories", "polars lazy")


@pytest.mark.parametrize("library", LIBRARIES)
def test_the_same_rows_of_any_library_are_one_file(library: str, tmp_path: Path) -> None:
    kept = keep_frame(_makers()[library], "tips", tmp_path)
    assert kept == keep_frame(pa.table(ROWS), "tips", tmp_path)
    assert pq.read_table(kept).to_pydict() == ROWS


def test_other_rows_are_another_file(tmp_path: Path) -> None:
    other = {**ROWS, "tip": [1.5, 2.0, 3.5]}
    assert keep_frame(pa.table(ROWS), "tips", tmp_path) != keep_frame(pa.table(other), "tips", tmp_path)


def test_a_named_index_is_a_column_and_a_nameless_one_is_left_out() -> None:
    counted = pd.DataFrame(ROWS).groupby("day", dropna=False).sum()
    assert as_arrow(counted).column_names == ["day", "tip"]
    assert as_arrow(pd.DataFrame({"tip": [1, 2]}, index=[7, 9])).column_names == ["tip"]


def test_a_column_of_several_types_is_refused_by_name() -> None:
    with pytest.raises(SourceUnreadable, match="mixed"):
        as_arrow(pd.DataFrame({"mixed": [1, "two", [3]]}))


@pytest.mark.parametrize("value", [3, "text", object()])
def test_what_is_no_table_is_refused(value: object, tmp_path: Path) -> None:
    assert not is_frame(value)
    with pytest.raises(UnsupportedSource):
        keep_frame(value, "data", tmp_path)


def test_a_table_without_columns_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SourceEmpty):
        keep_frame(pa.table({}), "nothing", tmp_path)
