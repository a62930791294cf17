"""Probes: the queries by which an agent looks into the data while it makes up its mind.

A probe proves nothing that is told. But whoever audits a run must be able to see what was looked at, so every query
outside a tool call is noted here, and each step of the run writes its probes as one ledger entry. That keeps them
cheap: the price is one line a step, however many queries it took.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from averment.errors import AvermentError
from averment.runtime.journal import Journal, brief, digest

if TYPE_CHECKING:
    from averment.tables.engines.engine import QueryResult

LISTED = 100
"""Queries of one step that its entry spells out; of more it holds the number and one hash over them all."""

PROBE_ROWS = 1_000
"""Rows a probe returns unless it is asked for more."""

PROBE_SECONDS = 5.0
"""Time one probe may take unless it is given more."""


class Probes:
    """The probes of a run's present step, in the order they were made."""

    def __init__(self) -> None:
        self._noted: list[dict[str, Any]] = []
        self._lock = threading.Lock()

    def note(self, sql: str, params: Sequence[object], outcome: QueryResult | AvermentError) -> None:
        """Remember a query with how it ended: what it is named by and its number of rows, or the error's code."""
        said: dict[str, Any] = {"sql": brief(sql)}
        if params:
            said["params"] = [brief(value if isinstance(value, int | float | bool) else str(value)) for value in params]
        if isinstance(outcome, AvermentError):
            said["error"] = outcome.code
        else:
            said |= {"query_hash": outcome.query_hash, "rows": outcome.row_count}
        with self._lock:
            self._noted.append(said)

    def write(self, journal: Journal, step: str) -> None:
        """Write what was noted since the last time as one entry under the step's name; nothing where nothing was."""
        with self._lock:
            noted, self._noted = self._noted, []
        if not noted:
            return
        journal.write(
            f"probe/{step}",
            "tool_called",
            "planner",
            {
                "call_id": journal.entry_id(f"probes/{step}"),
                "tool_name": "sql.run",
                "kind": "probe",
                "step": step,
                "count": len(noted),
                "arguments": {"queries": noted[:LISTED]},
                "queries_sha256": digest(noted),
            },
        )
