"""The driller's road from files to ranked explanations, as its agent goes it, without the loop and its report.

Shared by the drill-down benches: open the files, read metric, joins, day and dimensions, aggregate, search.

Measures a part: averment.agents, averment.records, averment.stats, averment.tables and averment.tools.
"""

from __future__ import annotations

import os
import resource
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from averment.agents.driller.agent import fact_arguments, queries_of
from averment.agents.driller.data_model import read_investigation
from averment.agents.driller.reading import InvestigationSetup
from averment.records.drilldown.request import DrillRequest
from averment.settings import Settings
from averment.stats.attribution.story import Attribution
from averment.tables.engines.engine import Engine
from averment.tables.sources.opening import open_sources
from averment.tools.metric_attribute import AttributeArgs, search_tables


@dataclass(frozen=True)
class Drilled:
    """What came out, and the CPU seconds of this process and its children for each part."""

    reading: InvestigationSetup
    found: Attribution
    seconds: dict[str, float]

    @property
    def causes(self) -> list[str]:
        """The kinds of cause named; what was to be expected (calendar, season, trend) is no cause."""
        expected = ("calendar", "seasonal", "trend", "noise")
        return [one.kind for one in self.found.explanations if one.kind not in expected]


def drill_files(files: Sequence[Path], metric: str, baseline: Any, comparison: Any) -> Drilled:
    """From files to ranked explanations, with nothing kept from an earlier call."""
    seconds: dict[str, float] = {}
    with tempfile.TemporaryDirectory(prefix="averment-bench-") as folder:
        settings = Settings(home=Path(folder))
        request = DrillRequest.checked(
            data_sources=[str(file) for file in files],
            metric_sql=metric,
            baseline_period=baseline,
            comparison_period=comparison,
        )
        began = cpu_seconds()
        catalog = open_sources([str(file) for file in files], settings=settings, cache_dir=Path(folder) / "cache")
        seconds["open"] = cpu_seconds() - began
        own = own_seconds()
        engine = Engine(catalog, settings)
        try:
            reading = read_investigation(engine, request, permits=lambda table, column: True)
            leaves, days, rows = (engine.run(sql, timeout=180.0).table for sql in queries_of(reading))
            # Before the engine's process is ended: nobody may wait for it, and its time would be lost.
            seconds["aggregate"] = cpu_seconds() - began - seconds["open"]
        finally:
            engine.close()
        own = own_seconds()
        found = search_tables(leaves, days, rows, _arguments(reading))
        seconds["search"] = own_seconds() - own
        return Drilled(reading=reading, found=found, seconds=seconds)


def _arguments(reading: InvestigationSetup) -> AttributeArgs:
    return AttributeArgs.model_validate({**fact_arguments(reading), "daily": "daily"})


def cpu_seconds() -> float:
    """CPU seconds of this process, of its ended children, and of all processes that it began and that still live.

    A query runs in a process forked by another; its parent does not wait for it, so it is counted while it lives.
    """
    return own_seconds() + sum(resource.getrusage(resource.RUSAGE_CHILDREN)[:2]) + _living_seconds()


def _living_seconds() -> float:
    """CPU seconds of every living process that descends from this one, those it has waited for included."""
    ticks = os.sysconf("SC_CLK_TCK")
    parents: dict[int, int] = {}
    spent: dict[int, float] = {}
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            fields = (folder / "stat").read_text(encoding="utf-8").rpartition(")")[2].split()
        except OSError:
            continue
        pid = int(folder.name)
        parents[pid] = int(fields[1])
        spent[pid] = sum(int(fields[place]) for place in (11, 12, 13, 14)) / ticks
    own = os.getpid()

    def descends(pid: int) -> bool:
        while pid in parents and pid > 1:
            pid = parents[pid]
            if pid == own:
                return True
        return False

    return sum(seconds for pid, seconds in spent.items() if descends(pid))


def own_seconds() -> float:
    """CPU seconds of this process."""
    return sum(resource.getrusage(resource.RUSAGE_SELF)[:2])
