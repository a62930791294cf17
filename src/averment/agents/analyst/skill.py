"""How what was meant is carried out: a way plans tasks from a reading, and concludes from their results.

Reading is the judge's: a way is handed what was decided, a plan, a query or SQL text, and adds nothing to it.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from typing import TYPE_CHECKING, Any, Protocol

from averment.agents.analyst.caveats import limits
from averment.errors.extras import is_installed
from averment.evidence.bind import cell, slot
from averment.records.base import Record
from averment.records.claim import Claim
from averment.records.run import Finding, Slot
from averment.runtime.decisions import MAIN_TASK

if TYPE_CHECKING:
    import pyarrow as pa

    from averment.records.analysis import Subtask
    from averment.runtime.run_context import RunContext
    from averment.tables.catalog import Catalog
    from averment.tables.engines.engine import Engine
    from averment.tables.profile.profiler import TableProfile

QUERY = MAIN_TASK
"""The task whose table is the run's main result."""

CHART = "chart"
"""The task whose picture the report shows."""


def wants_charts(work: RunContext) -> bool:
    """Whether the request asks for charts and they can be drawn here."""
    return "charts" in work.request.deliverables and is_installed("charts")


@dataclass(frozen=True, kw_only=True)
class Question:
    """A question over profiled tables; only columns the policy permits are in the profiles.

    ``engine`` lets values be looked up while it is read; ``anchor`` is the day relative periods count from.
    """

    text: str
    profiles: tuple[TableProfile, ...]
    catalog: Catalog
    engine: Engine
    anchor: date | None = None


class Narrative(Record):
    """What a way concludes: sentences bound to evidence, and the answer made of them."""

    findings: tuple[Finding, ...]
    answer: str
    claims: tuple[Claim, ...] = ()


class Skill(Protocol):
    """One way to carry out what was meant."""

    name: str

    def tasks(self, work: RunContext, reading: dict[str, Any]) -> tuple[Subtask, ...]:
        """The plan's tasks; the one named ``query`` leaves the main table, the one named ``chart`` the picture."""
        ...

    def conclude(self, work: RunContext, reading: dict[str, Any]) -> Narrative:
        """Findings from what the tasks left; none when the data carry no answer."""
        ...


def own_words(work: RunContext) -> str:
    """The words that may stand in a text by right: the user's, the reading's, the sources' names, and the caveats.

    The headings of a query that a person wrote or chose are that person's too.
    """
    names = [name for table in work.catalog.tables for name in (table.name, *(c.name for c in table.columns))]
    if "sql" in work.state.reading.get("reading", {}) and QUERY in work.state.answered:
        names += work.table(QUERY).column_names
    said = [str(work.state.reading.get(key) or "") for key in ("in_words", "grade")]
    return " ".join([work.request.intent, *said, *names, *limits(work)])


def query_cell(work: RunContext, task: str, table: pa.Table, row: int, column: str) -> Slot:
    """A slot for one cell of the table a query task left, bound to that query's hash."""
    _, observation = work.state.answered[task]
    query_hash = str((observation.data or {})["query_hash"])
    return slot(cell(table, row, column, observation_id=observation.observation_id, query_hash=query_hash))
