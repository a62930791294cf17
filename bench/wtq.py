"""WikiTableQuestions: questions over one web table."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tables_direct import answer, ask_all, plain, read_cases, timed


def predict(data_dir: Path) -> Iterator[dict[str, Any]]:
    """One prediction for each case: the first column of what the reading returns."""
    for case, source in ask_all(read_cases(data_dir), "table", data_dir / "tables", ""):
        began = time.perf_counter()
        found = None if source is None else answer(source, case["question"])
        values = [] if found is None else [plain(row[0]) for row in found.rows if row[0] is not None]
        if not values:
            yield {"id": case["id"], "abstained": True, "seconds": timed(began)}
        else:
            yield {"id": case["id"], "answer": values, "seconds": timed(began)}
