"""nvBench: a sentence to a chart's kind and points."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tables_direct import answer, ask_all, plain, read_cases, timed

_GROUPED = {"bar": "stacked bar", "line": "grouping line", "scatter": "grouping scatter"}


def predict(data_dir: Path) -> Iterator[dict[str, Any]]:
    """One prediction for each case; every case of this set asks for a chart."""
    folder = data_dir.parent / "spider" / "databases"
    for case, source in ask_all(read_cases(data_dir), "db", folder, ".sqlite"):
        began = time.perf_counter()
        found = None if source is None else answer(source, case["question"], chart=True)
        if found is None or len(found.columns) < 2 or found.reading.reading.picture is None:
            yield {"id": case["id"], "abstained": True, "seconds": timed(began)}
            continue
        picture = found.reading.reading.picture
        across, up = found.columns.index(picture.x), found.columns.index(picture.y)
        body: dict[str, Any] = {
            "id": case["id"],
            "chart": _GROUPED.get(picture.type, picture.type) if picture.series else picture.type,
            "x": [plain(row[across]) for row in found.rows],
            "y": [plain(row[up]) for row in found.rows],
            "seconds": timed(began),
        }
        if picture.series:
            colour = found.columns.index(picture.series)
            body["color"] = [plain(row[colour]) for row in found.rows]
        yield body
