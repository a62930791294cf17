"""Tables that live in memory: pandas, Polars, Arrow and DuckDB's relations become files that a run can be proven by.

A table is hashed as an Arrow IPC stream and kept once as Parquet under that hash, so that the same rows are the same
source however often they are asked about, and a run can be verified after the variable is gone.
"""

from __future__ import annotations

import errno
import hashlib
import os
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

from averment.errors import DiskFull, HomeNotWritable, SourceEmpty, SourceUnreadable, UnsupportedSource
from averment.tables.read.naming import table_name

if TYPE_CHECKING:
    import pyarrow as pa

NAMESPACE = "2f6d6a0e-6a53-4f0e-8b4e-3a3d5be8a1c7"


def is_frame(value: object) -> bool:
    """Whether a value is a table in memory that can be asked about."""
    return any(hasattr(value, name) for name in ("__arrow_c_stream__", "to_arrow_table", "collect_schema"))


def keep_frame(data: Any, name: str, folder: Path) -> Path:
    """The file a table is kept in, written now unless the same rows are kept already.

    Raises:
        UnsupportedSource: it is no table.
        SourceUnreadable: a column holds what no column of a table can.
        SourceEmpty: it has no column.
        HomeNotWritable, DiskFull: it cannot be kept.
    """
    import pyarrow.parquet as pq

    from averment.records.base import derived_id

    table = _plain(as_arrow(data))
    if not table.num_columns:
        raise SourceEmpty(f"The table {name} has no columns.")
    try:
        folder.mkdir(parents=True, exist_ok=True)
        handle, written = tempfile.mkstemp(dir=folder, prefix=".frame-", suffix=".tmp")
        os.close(handle)
        try:
            pq.write_table(table, written)
            # Read back, since libraries fill what lies under missing values in ways of their own.
            place = (
                folder / derived_id(NAMESPACE, ipc_sha256(pq.read_table(written))) / f"{table_name(name)[:80]}.parquet"
            )
            if not place.is_file():
                place.parent.mkdir(exist_ok=True)
                Path(written).replace(place)
        finally:
            Path(written).unlink(missing_ok=True)
    except OSError as error:
        if error.errno == errno.ENOSPC:
            raise DiskFull(f"The disk is full, so the table {name} cannot be saved.") from error
        raise HomeNotWritable(f"The table {name} cannot be saved in {folder}: {error.strerror}.") from error
    return place


def as_arrow(data: Any) -> pa.Table:
    """The table as Arrow has it; an index with a name is a column, one without is left out.

    Raises:
        UnsupportedSource: it is no table.
        SourceUnreadable: a column holds what no column of a table can.
    """
    import pyarrow as pa

    try:
        if hasattr(data, "collect_schema") and hasattr(data, "collect"):
            data = data.collect()
        if hasattr(data, "to_arrow_table"):
            return data.to_arrow_table()
        if type(data).__module__.partition(".")[0] == "pandas":
            named = [each for each in data.index.names if each is not None]
            flat = data.reset_index(level=named) if named else data
            return pa.Table.from_pandas(flat, preserve_index=False)
        return pa.table(data)
    except (pa.ArrowInvalid, pa.ArrowTypeError, pa.ArrowNotImplementedError, ValueError) as error:
        raise SourceUnreadable(f"The table cannot be read: {error}", hint="Give each column one type.") from error
    except (TypeError, AttributeError) as error:
        raise UnsupportedSource(
            f"A {type(data).__name__} is neither a table nor a path to one.",
            hint="Give a path, a pandas or Polars frame, an Arrow table or a DuckDB relation.",
        ) from error


def ipc_sha256(table: pa.Table) -> str:
    """SHA-256 of the table as an Arrow IPC stream, in one piece and without what a library wrote beside the columns."""
    import pyarrow as pa

    digest = hashlib.sha256()

    class _Sink:
        closed = False

        def write(self, data: Any) -> int:
            digest.update(data)
            return len(data)

        def flush(self) -> None: ...

        def close(self) -> None: ...

    whole = table.combine_chunks().replace_schema_metadata(None)
    with pa.ipc.new_stream(pa.PythonFile(_Sink(), mode="w"), whole.schema) as stream:
        stream.write_table(whole)
    return digest.hexdigest()


def _plain(table: pa.Table) -> pa.Table:
    """The table with types that every reader knows: categories as their values, every kind of text as text."""
    import pyarrow as pa

    columns = [_column(table.column(place)) for place in range(table.num_columns)]
    return pa.table(columns, names=[str(name) for name in table.column_names])


def _column(column: pa.ChunkedArray) -> pa.ChunkedArray:
    import pyarrow as pa

    if pa.types.is_dictionary(column.type):
        # Decoded by hand: not every kind of text can be taken by index.
        labels = [(chunk.indices, _text(chunk.dictionary)) for chunk in column.chunks]
        chunks = [pa.DictionaryArray.from_arrays(indices, values).dictionary_decode() for indices, values in labels]
        return pa.chunked_array(chunks, type=_text(pa.array([], column.type.value_type)).type)
    return _text(column)


def _text(values: Any) -> Any:
    import pyarrow as pa

    kind = values.type
    other = pa.types.is_string_view(kind) or pa.types.is_large_string(kind) or pa.types.is_null(kind)
    return values.cast(pa.string()) if other else values
