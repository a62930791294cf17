"""Table processes do without pandas, and get it back where a client of a cluster works with it."""

from __future__ import annotations

import subprocess
import sys

HIDDEN = """
import sys
from averment.tables.processes.lean import hide_pandas, show_pandas
hide_pandas()
import pyarrow as pa
assert pa.table({"a": pa.array(["x", None]), "b": pa.array([1, 2])}).num_rows == 2
assert "pandas" not in sys.modules
show_pandas()
import pandas
hide_pandas()
assert sys.modules["pandas"] is pandas
show_pandas()
assert pa.array([1, 2]).to_pandas().tolist() == [1, 2]
"""


def test_arrow_works_without_pandas_and_with_it_once_it_is_shown():
    done = subprocess.run([sys.executable, "-c", HIDDEN], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
