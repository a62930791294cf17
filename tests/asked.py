"""Asking the reader and the judge alone: a table is opened once, and each question is read, judged and run."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from averment.plans.compile import Compiled, compile_plan
from averment.plans.readback import read_back
from averment.reading.gather import gather
from averment.reading.judge import Reading, Verdict, judge
from averment.reading.reader import read
from averment.reading.relations import hang_together
from averment.settings import Settings
from averment.tables.engine import Engine
from averment.tables.profile import profile
from averment.tables.sources import open_sources


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

    def _run(self, compiled: Compiled) -> Any:
        composed = compiled.compose(self.engine.catalog.dialect)
        return self.engine.run(composed.sql, tuple(composed.params)).table

    def verdict(self, text: str) -> Verdict:
        """What the judge says of a question."""
        return judge(read(text, self._schema), self._run)

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
