"""Asking the reader and the judge alone: a table is opened once, and each question is read, judged and run."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from averment.plans.compile import CompiledPlan, compile_plan
from averment.plans.readback import read_back
from averment.reading.judge.judging import judge
from averment.reading.judge.verdict import Reading, Verdict
from averment.reading.reader import read
from averment.reading.schema.gather import gather
from averment.reading.schema.implied_joins import hang_together
from averment.reading.slots.preamble import without_preamble
from averment.settings import Settings
from averment.tables.engines.engine import Engine
from averment.tables.profile.profiler import profile
from averment.tables.sources.opening import open_sources
from lazily import lazily

pd = lazily("pandas")


class Asked:
    """Opened sources that can be asked."""

    def __init__(self, sources: Sequence[str], folder: Path) -> None:
        settings = Settings(home=folder / "home")
        catalog = open_sources(list(sources), settings=settings, cache_dir=folder / "cache")
        self.engine = Engine(catalog, settings)
        profiles = [profile(self.engine, table.name) for table in catalog.tables]
        self._schema = gather(profiles, hang_together(self.engine, profiles), self._rows)

    def _rows(self, sql: str, params: Sequence[Any]) -> list[dict[str, Any]]:
        return self.engine.run(sql, tuple(params)).table.to_pylist()

    def _run(self, compiled: CompiledPlan) -> Any:
        composed = compiled.compose(self.engine.catalog.dialect)
        return self.engine.run(composed.sql, tuple(composed.params)).table

    def verdict(self, text: str) -> Verdict:
        """What the judge says of a question."""
        question, schema = without_preamble(text, self._schema)
        return judge(read(question, schema), self._run, question=question, schema=schema)

    def answered_as(self, text: str) -> str | None:
        """How a question was read if it is answered, and None if it is asked back."""
        verdict = self.verdict(text)
        return verdict.best.candidate.read_back if verdict.kind == "answer" and verdict.best is not None else None

    def frames(self, verdict: Verdict) -> list[pd.DataFrame]:
        """The answer's table, or the tables of the readings on offer."""
        shown: list[Reading] = verdict.offers
        if verdict.kind == "answer":
            assert verdict.best is not None
            shown = [verdict.best]
        return [self._run(compile_plan(each.candidate.plan)).to_pandas() for each in shown]

    def said(self, verdict: Verdict) -> str:
        """A verdict in words, for a failing test."""
        shown = [verdict.best] if verdict.kind == "answer" and verdict.best is not None else verdict.offers
        return f"{verdict.kind} {verdict.left} " + " | ".join(read_back(each.candidate.plan) for each in shown)

    def close(self) -> None:
        """Let go of the sources."""
        self.engine.close()


def says(found: pd.DataFrame, expected: Any) -> bool:
    """Whether a table holds a set, one value, or a value for each group, in whatever order its rows are.

    Missing values say nothing, whether a table has rows for them or not.
    """
    if isinstance(expected, set):
        return any({str(value) for value in found[name]} == expected for name in found.columns)
    wanted = _known(np.atleast_1d(np.asarray(expected, dtype=float)))
    numbers = [values for name in found.columns if (values := _numbers(found[name])) is not None]
    if len(found) == 1 and len(wanted) > 1:  # sides stand beside each other
        beside = np.array([values[0] for values in numbers])
        return any(np.isclose(beside, each, rtol=1e-9).any() for each in wanted) and all(
            np.isclose(beside, each, rtol=1e-9, atol=1e-6).any() for each in wanted
        )
    return any(
        len(known) == len(wanted) and np.allclose(known, wanted, rtol=1e-9, atol=1e-6)
        for known in (_known(values) for values in numbers)
    )


def _known(values: Any) -> Any:
    return np.sort(values[~np.isnan(values)])


def _numbers(column: Any) -> Any:
    if any(
        isinstance(value, str | bool) or (not pd.api.types.is_number(value) and not _is_decimal(value))
        for value in column.dropna()
    ):
        return None
    return column.astype(float).to_numpy()


def _is_decimal(value: Any) -> bool:
    return type(value).__name__ == "Decimal"


def outcome(asked: Asked, text: str, *expected: Any) -> str:
    """``right``, ``wrong``, ``offered`` where a reading on offer is right, or ``asked``; any expected will do."""
    verdict = asked.verdict(text)
    right = any(says(frame, each) for frame in asked.frames(verdict) for each in expected)
    if verdict.kind == "answer":
        return "right" if right else f"wrong: {asked.said(verdict)}"
    return "offered" if right else f"asked: {asked.said(verdict)}"
