"""The cases of a set: its tables as the product reads them, and when an answer is right."""

from __future__ import annotations

import hashlib
import importlib.util
import json
import pickle
import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

from averment.reading.rows.grid import CellGrid, read_grid

FOLDS = 5


class Gold:
    """When an answer is right, as the set's own scorer says."""

    def __init__(self, data: Path) -> None:
        spec = importlib.util.spec_from_file_location("set_score", data / "score.py")
        assert spec is not None and spec.loader is not None  # the file is there
        self.scorer = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(self.scorer)
        self.wanted: dict[str, list[Any]] = {}
        for row in map(json.loads, (data / "gold.jsonl").read_text(encoding="utf8").splitlines()):
            canon = row.get("canon") or [None] * len(row["answer"])
            values = [self.scorer.value(text, form) for text, form in zip(row["answer"], canon, strict=True)]
            self.wanted[str(row["id"])] = self.scorer.distinct(values)

    def is_right(self, ident: str, answer: tuple[Any, ...]) -> bool:
        """Whether the answer is the wanted set of values."""
        plain = [value if isinstance(value, str | int | float) else str(value) for value in answer]
        got, want = self.scorer.distinct([self.scorer.value(value) for value in plain]), self.wanted[ident]
        return len(want) == len(got) and all(any(self.scorer.matches(w, g) for g in got) for w in want)


def read_cases(data: Path, limit: int | None) -> list[dict[str, Any]]:
    """The cases sorted by table; with a limit, so many, spread over the tables."""
    cases = [json.loads(line) for line in (data / "cases.jsonl").read_text(encoding="utf8").splitlines() if line]
    cases.sort(key=lambda case: hashlib.sha256(str(case["id"]).encode()).hexdigest())
    return sorted(cases[:limit], key=lambda case: str(case["table"]))


def fold_of(tables: list[str]) -> np.ndarray:
    """The fold of each question; all questions of one table are in one."""
    return np.array([int(hashlib.sha256(table.encode()).hexdigest(), 16) % FOLDS for table in tables])


def _rows(engine: Any, sql: str, params: Any) -> list[dict[str, Any]]:
    return engine.run(sql, tuple(params)).table.to_pylist()


def read_tables(data: Path, names: set[str], cache: Path | None) -> dict[str, CellGrid | None]:
    """The tables as the product reads them; None where it refuses them or they are too long."""
    if cache is not None and cache.exists():
        kept: dict[str, CellGrid | None] = pickle.loads(cache.read_bytes())  # our own file of an earlier run
        if names <= set(kept):
            return kept
    from averment.errors import AvermentError
    from averment.settings import Settings
    from averment.tables.engines.engine import Engine
    from averment.tables.profile.profiler import profile
    from averment.tables.sources.opening import open_sources

    grids: dict[str, CellGrid | None] = {}
    settings = Settings()
    for number, name in enumerate(sorted(names)):
        with tempfile.TemporaryDirectory() as folder:
            try:
                catalog = open_sources([data / "tables" / name], settings=settings, cache_dir=Path(folder))
                with Engine(catalog, settings) as engine:
                    profiles = tuple(profile(engine, table.name) for table in catalog.tables)
                    grids[name] = read_grid(profiles, lambda sql, params: _rows(engine, sql, params))
            except AvermentError:
                grids[name] = None
        if number % 50 == 0:
            print(f"{number} of {len(names)} tables read", file=sys.stderr, flush=True)
    if cache is not None:
        cache.write_bytes(pickle.dumps(grids))
    return grids
