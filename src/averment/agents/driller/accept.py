"""Whether an investigation can be followed over its files, found out before it is accepted.

A misspelt column, words that are not clear, a join that repeats rows, a period without data or a group that is none are
told at the moment they are given, and whoever gave them still has the files.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from averment.agents.driller.data_model import read_sides
from averment.agents.driller.metric_reading import Unsure
from averment.errors import MetricUnclear
from averment.reading.schema.known_words import MOST_MEANINGS

if TYPE_CHECKING:
    from averment.records.drilldown.request import DrillRequest
    from averment.runtime.services import Services
    from averment.tables.catalog import Catalog

MOST_ROWS = 3_000_000
"""Files of more rows are not read twice: what is wrong with them the investigation itself says."""
SECONDS = 60.0


def check_investigation(
    services: Services, catalog: Catalog, request: DrillRequest, permits: Callable[[str, str], bool]
) -> None:
    """Nothing, if the metric, its joins and both sides hold over these files.

    Raises:
        MetricUnclear: the words of the metric can be read in several ways, or in none.
        MetricUnreadable, MetricUndefined, JoinFansOut, NoDateColumn, PeriodWithoutData, GroupNotFound, MissingColumn,
            MissingTable, TypeMismatch, ColumnNotAllowed: it cannot be followed.
    """
    from averment.tables.engines.engine import Engine
    from averment.tables.sources.reopen_sources import bring_here

    if sum(table.row_count or 0 for table in catalog.tables) > MOST_ROWS:
        return
    here = bring_here(catalog, settings=services.settings, cache_dir=services.store.cache_dir / "tables", read=None)
    taught = services.store.recipes.corrections.list(limit=MOST_MEANINGS)
    with Engine(here, services.settings) as engine:
        try:
            read_sides(engine, request, permits=permits, timeout=SECONDS, taught=taught)
        except Unsure as unsure:
            raise MetricUnclear(unsure.question) from unsure
