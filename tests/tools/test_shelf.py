"""A table in the result store has the hash of its content, whatever lies in memory beside it."""

import datetime as dt
from decimal import Decimal

import numpy as np
import pyarrow as pa
import pytest

from averment.tools.result_store import table_bytes


def read_back(content: bytes) -> pa.Table:
    return pa.ipc.open_file(pa.BufferReader(content)).read_all()


@pytest.mark.parametrize("kind", ["float64", "int64", "int32"])
def test_what_lies_under_a_missing_value_changes_no_hash(kind: str) -> None:
    def made(hidden: int, spare_bits: int) -> bytes:
        cells = np.array([1, hidden, 3], dtype=kind)
        buffers = [pa.py_buffer(bytes([0b101 | spare_bits])), pa.py_buffer(cells.tobytes())]
        return table_bytes(pa.table({"x": pa.Array.from_buffers(pa.from_numpy_dtype(cells.dtype), 3, buffers)}))

    assert made(99, 0) == made(7, 0b11111000)
    assert read_back(made(99, 0)).to_pydict() == {"x": [1, None, 3]}


@pytest.mark.parametrize(("start", "length"), [(0, 3), (1, 2), (2, 1), (0, 0)])
def test_a_kept_table_reads_back_as_it_was(start: int, length: int) -> None:
    table = pa.table(
        {
            "whole": pa.array([1, None, 3], pa.int32()),
            "real": [1.5, None, None],
            "text": ["a", None, "ccc"],
            "truth": [True, None, False],
            "day": [dt.date(2024, 1, 1), None, None],
            "moment": pa.array([None, dt.datetime(2024, 1, 1), None], pa.timestamp("us")),
            "money": pa.array([Decimal("1.5"), None, Decimal("-2.25")], pa.decimal128(18, 2)),
            "list": [[1], None, [2, 3]],
            "nothing": pa.nulls(3),
            "bytes": pa.array([b"x", None, b""]),
        }
    ).slice(start, length)
    kept = read_back(table_bytes(table))
    kept.validate(full=True)
    assert kept.to_pylist() == table.to_pylist()
