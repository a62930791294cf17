"""Defog: business questions, some of which the data cannot answer."""

from __future__ import annotations

import time
from collections.abc import Iterator
from datetime import date
from pathlib import Path
from typing import Any

from tables_direct import answer, ask_all, plain, read_cases, timed


def asked(case: dict[str, Any]) -> str:
    """The question with the notes that come with it, as a person would write both."""
    return "\n\n".join(part for part in (case["question"], case.get("instructions")) if part)


def today(case: dict[str, Any]) -> date | None:
    """The day a case takes for today."""
    return date.fromisoformat(str(case["now"])[:10]) if case.get("now") else None


def predict(data_dir: Path) -> Iterator[dict[str, Any]]:
    """One prediction for each case; the case's own moment is today."""
    for case, source in ask_all(read_cases(data_dir), "db", data_dir / "databases", ".sqlite"):
        began = time.perf_counter()
        found = None if source is None else answer(source, asked(case), anchor=today(case))
        if found is None:
            yield {"id": case["id"], "abstained": True, "seconds": timed(began)}
        else:
            rows = [[plain(value) for value in row] for row in found.rows]
            yield {"id": case["id"], "rows": rows, "seconds": timed(began)}
