"""What the pages look up beside the workbench's own answers: recorded calls, kept tables, tasks, documents, entries.

It reads the same home through connections of its own and changes nothing but tasks and the list of documents.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from averment.records.run import Observation, ToolCall
from averment.settings import Settings
from averment.spine.restore import calls_of, catalog_of, request_of
from averment.spine.services import Services

if TYPE_CHECKING:
    import pyarrow as pa

    from averment.corpus.corpus import Corpus
    from averment.ledger.entry import LedgerEntry
    from averment.store.rows import RunRow
    from averment.store.tasks import TaskStore


class Archive:
    """The kept records of one home."""

    def __init__(self, settings: Settings) -> None:
        self._services = Services(settings)
        self._corpus: Corpus | None = None

    def close(self) -> None:
        """Close what was opened."""
        self._services.close()

    def row(self, run_id: str) -> RunRow:
        """The run's own row: its kind, its request, its end."""
        return self._services.runs.get(run_id)

    def sources_of(self, row: RunRow) -> tuple[str, ...]:
        """Where the files of a run are, for asking about them again; never shown to a client."""
        request: Any = request_of(row)
        return tuple(str(source.place) for source in getattr(request, "data_sources", ()))

    def source_names(self, row: RunRow) -> tuple[str, ...]:
        """What the sources of a run are called."""
        return tuple(source.label for source in catalog_of(row).sources) if row.request.get("catalog") else ()

    def calls(self, run_id: str) -> list[tuple[ToolCall, Observation]]:
        """Every call that was made with what it came back with."""
        return calls_of(self._services, run_id)

    def table(self, run_id: str, call_id: str) -> pa.Table | None:
        """The table a call gave, or None when it gave none or it is gone."""
        from averment.tools.shelf import Shelf

        try:
            return Shelf(self._services.files, f"work/{run_id}").by_call(call_id)
        except (OSError, KeyError):
            return None

    def tasks(self) -> TaskStore:
        """The tasks of this home."""
        return self._services.tasks

    def corpus(self) -> Corpus:
        """The documents of this home; for looking, so that no model is loaded."""
        from averment.corpus.corpus import Corpus

        if self._corpus is None:
            self._corpus = Corpus(self._services.database)
        return self._corpus

    def entries(self, *, before: int | None, count: int, request_id: str | None) -> tuple[Sequence[LedgerEntry], int]:
        """Some ledger entries, the newest first, and how many there are in all."""
        ledger = self._services.ledger
        size = ledger.tail()[0]
        if request_id:
            found = [entry for entry in ledger.entries(request_id) if before is None or entry.sequence_number < before]
            return found[-count:][::-1], size
        end = size if before is None else min(size, before - 1)
        start = max(1, end - count + 1)
        found = []
        for entry in ledger.entries(from_sequence=start):
            if entry.sequence_number > end:
                break
            found.append(entry)
        return found[::-1], size
