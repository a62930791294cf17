"""nvBench: a sentence to a chart's kind and points."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tables_direct import answer, ask_all, plain, read_cases, timed

if TYPE_CHECKING:
    from averment.agents.analyst.query.understand import Understood

_GROUPED = {"bar": "stacked bar", "line": "grouping line", "scatter": "grouping scatter"}


def drawn(found: Understood, columns: list[str], rows: list[list[Any]]) -> dict[str, Any] | None:
    """The chart's kind and points; None when the reading draws none."""
    picture = found.reading.picture
    if picture is None or len(columns) < 2:
        return None
    across, up = columns.index(picture.x), columns.index(picture.y)
    body: dict[str, Any] = {
        "chart": _GROUPED.get(picture.type, picture.type) if picture.series else picture.type,
        "x": [row[across] for row in rows],
        "y": [row[up] for row in rows],
    }
    if picture.series:
        colour = columns.index(picture.series)
        body["color"] = [row[colour] for row in rows]
    return body


def predict(data_dir: Path) -> Iterator[dict[str, Any]]:
    """One prediction for each case; every case of this set asks for a chart."""
    folder = data_dir.parent / "spider" / "databases"
    for case, source in ask_all(read_cases(data_dir), "db", folder, ".sqlite"):
        began = time.perf_counter()
        found = None if source is None else answer(source, case["question"], chart=True)
        body = None
        if found is not None:
            body = drawn(found.reading, found.columns, [[plain(value) for value in row] for row in found.rows])
        if body is None:
            yield {"id": case["id"], "abstained": True, "seconds": timed(began)}
        else:
            yield {"id": case["id"], **body, "seconds": timed(began)}
