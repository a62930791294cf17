"""The smallest way to run an investigation: one home, real tools, no durability."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

from averment.agents.driller.agent import Driller
from averment.records.drilldown.request import DrillRequest
from averment.runtime.execution.restore import open_work, seen_work
from averment.runtime.loop import run_loop
from averment.runtime.outcome import Run
from averment.runtime.run_context import RunContext
from averment.runtime.services import Services
from averment.settings import Settings
from averment.store.runs.run_store import RunRow
from averment.tables.sources.opening import open_sources

T = TypeVar("T")


class Steps:
    """Each step in a thread, nothing remembered."""

    async def do(self, name: str, function: Callable[..., T], *arguments: Any) -> T:
        return await asyncio.to_thread(function, *arguments)


class Stage:
    """One home in which investigations are played to their end."""

    def __init__(self, folder: Path) -> None:
        self.settings = Settings(home=folder / "home")
        self.services = Services(self.settings)

    def play(
        self,
        files: list[Path],
        metric: str,
        baseline: Any,
        comparison: Any,
        *,
        agent: Driller | None = None,
        **more: Any,
    ) -> Run:
        """Run an investigation to its end."""
        request = DrillRequest.checked(
            data_sources=[str(file) for file in files],
            metric_sql=metric,
            baseline_period=baseline,
            comparison_period=comparison,
            **more,
        )
        cache = self.services.store.cache_dir / "tables"
        catalog = open_sources([str(file) for file in files], settings=self.settings, cache_dir=cache)
        body = {"request": request.model_dump(mode="json"), "catalog": catalog.to_json(), "since_sequence": 1}
        row = RunRow(
            run_id=request.request_id, kind="drilldown", status="submitted", intent=request.intent, request=body
        )
        self.services.store.runs.create(row)
        work = open_work(self.services, self.services.store.runs.get(request.request_id))
        asyncio.run(run_loop(work, lambda: agent or Driller(), Steps()))
        return Run(self.services, self.services.store.runs.get(request.request_id))

    def work(self, run: Run) -> RunContext:
        """The finished work of a run."""
        return seen_work(self.services, self.services.store.runs.get(run.id))
