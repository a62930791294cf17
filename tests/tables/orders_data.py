"""Orders of two years in which one state's amounts are halved in the second: few groups, any number of rows."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

PERIODS: dict[str, Any] = {"baseline": ("2023-01-01", "2023-12-31"), "comparison": ("2024-01-01", "2024-12-30")}
CAUSE = "Texas"
_FIRST_DAY = 19_358
_VALUES = {
    "state": ("Texas", "Nevada", "Utah", "Ohio", "Maine"),
    "product": ("Desk", "Chair", "Lamp", "Shelf"),
    "channel": ("web", "store"),
}


def orders(rows: int) -> pa.Table:
    """So many orders, the same each time."""
    draw = np.random.default_rng(5)
    days = draw.integers(0, 730, rows, dtype=np.int32)
    codes = {name: draw.integers(0, len(values), rows) for name, values in _VALUES.items()}
    amount = draw.integers(20, 200, rows, dtype=np.int32)
    amount[(days >= 365) & (codes["state"] == 0)] //= 2
    columns: dict[str, Any] = {"order_date": pa.array(days + _FIRST_DAY, pa.int32()).cast(pa.date32())}
    columns |= {name: np.array(values)[codes[name]] for name, values in _VALUES.items()}
    return pa.table({**columns, "amount": amount, "note": [f"order {n * 7_919 % 1_000_003}" for n in range(rows)]})


def write_orders(folder: Path, rows: int) -> int:
    """The orders as a folder of two Parquet files; their size in bytes."""
    folder.mkdir(parents=True)
    table = orders(rows)
    for part in range(2):
        pq.write_table(table.slice(part * rows // 2, rows // 2), folder / f"part-{part}.parquet")
    return sum(file.stat().st_size for file in folder.iterdir())
