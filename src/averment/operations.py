"""Beside the workbench: how faces show, export and forget kept runs, take documents in, and hear what a text wants.

It works through the workbench's own open parts. Looking changes nothing; ``forget`` and ``add_documents`` say what
they change.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote
from uuid import UUID

from averment.errors import AvermentError
from averment.runtime.decisions import Round
from averment.runtime.execution.restore import catalog_of, request_of, rounds_of
from averment.runtime.run_json import KeptRound
from averment.store.knowledge.datasets import DatasetStore
from averment.store.storage.cache import FileCache, copies_in
from averment.store.storage.uploads import UPLOADS, upload_of
from averment.workbench import Workbench

if TYPE_CHECKING:
    from averment.agents.assistant.understand import ParsedMessage
    from averment.corpus.ingest import DocumentDraft, IngestResult
    from averment.store.runs.run_rows import RunRow
    from averment.workbench.datasets import Datasets

PAGE = 500
MOST_CONVERSATIONS = 10_000


@dataclass(frozen=True)
class Upload:
    """A document that came over a face: the name it was given there, and its bytes."""

    name: str
    content: bytes


class Operations:
    """The kept records of one workbench's home."""

    def __init__(self, workbench: Workbench) -> None:
        self._workbench = workbench
        # The two are one facade in two modules: the same open parts, never a second set of them.
        self._services = workbench.home.services

    def row(self, run_id: str) -> RunRow:
        """The run's own row: its kind, its request, its end."""
        return self._workbench.runs.row(run_id)

    def sources_of(self, row: RunRow) -> tuple[str, ...]:
        """Where the files of a run are, for asking about them again; never shown to a client."""
        request: Any = request_of(row)
        return tuple(str(source.place) for source in getattr(request, "data_sources", ()))

    def source_names(self, row: RunRow) -> tuple[str, ...]:
        """What the sources of a run are called."""
        return tuple(source.label for source in catalog_of(row).sources) if row.request.get("catalog") else ()

    def rounds(self, run_id: str) -> tuple[list[Round], list[KeptRound]]:
        """The rounds of a run, and what was made of each that is over."""
        return rounds_of(self._services, run_id)

    def export(self, run_id: str, to: str) -> bytes:
        """A run's report with its proof as the bytes of one file: html, md, pdf, what a plugin adds, or a notebook.

        Raises:
            RunNotFound, NotEnoughEvidence: there is no such run, or it has no report.
            MissingExtra: the library for that form is not installed.
        """
        from averment.workbench.exports import export_bytes

        return export_bytes(self._services, self._workbench.runs, self._workbench.show(run_id), to)

    def forget(self, run_id: str) -> None:
        """Delete a run's rows, results and artifacts, and its uploads where no other run uses them.

        What the ledger holds of it stays; so do recipes, tasks and documents.

        Raises:
            RunNotFound: there is no such run.
            StoreConflict: it is still under way; nothing was changed.
        """
        row = self.row(run_id)
        self._workbench.runs.forget(row.run_id)
        if row.kind == "research":
            from averment.store.corpus.research import ResearchStore

            ResearchStore(self._services.store.database).delete(UUID(row.run_id))
        self._clear_files(row)

    def remove_dataset(self, datasets: Datasets, name: str) -> None:
        """Take a dataset off its owner's list, and its upload away where nothing else uses it; runs over it stay.

        Raises:
            SourceNotFound: there is none of that name.
            InvalidRequest: the settings name it.
        """
        places = datasets.get(name).places
        datasets.remove(name)
        self.clear_uploads(places)

    def clear_uploads(self, sources: Iterable[str]) -> None:
        """Take away the uploads among these sources that no run and no conversation names any more."""
        home = self._workbench.settings.home
        found = {upload_of(self._services.store.files, home, place) for place in sources}
        left = {name for name in found if name is not None}
        for text in self._mentions() if left else ():
            left = {name for name in left if name not in text}
        for name in left:
            self._services.store.files.delete(f"{UPLOADS}/{name}")

    def _clear_files(self, row: RunRow) -> None:
        """Take uploads and snapshots away that no other run and no conversation names any more."""
        home = self._workbench.settings.home
        found = {upload_of(self._services.store.files, home, place) for place in self.sources_of(row)}
        folders = {name for name in found if name is not None}
        digests = {one.content_sha256 for one in catalog_of(row).sources} if row.request.get("catalog") else set()
        left = {*folders, *(digest for digest in digests if digest)}
        for text in self._mentions():
            left = {name for name in left if name not in text}
        for name in left & folders:
            self._services.store.files.delete(f"{UPLOADS}/{name}")
        for digest in left - folders:
            for snapshot in (self._services.store.cache_dir / "tables").glob(f"{digest}-*"):
                snapshot.unlink(missing_ok=True)
            FileCache(copies_in(self._services.store.cache_dir / "tables")).forget(digest)
            # Profiles hold values too, and their names do not say of which file; they are made again when needed.
            shutil.rmtree(self._services.store.cache_dir / "profiles", ignore_errors=True)

    def _mentions(self) -> Iterator[str]:
        """Every text of the home that names sources: what runs asked for, and what conversations were given."""
        offset = 0
        while rows := self._services.store.runs.list(PAGE, offset=offset):
            yield from (str(row.request) for row in rows)
            offset += PAGE
        yield from (str(one.places) for one in DatasetStore(self._services.store.database).list())
        yield from (str(one.metadata) for one in self._services.store.conversations.list(limit=MOST_CONVERSATIONS))

    def has_documents(self) -> bool:
        """Whether there is anything that a research could look into."""
        return bool(self._workbench.corpora.documents(1))

    def add_documents(self, uploads: Sequence[Upload]) -> list[IngestResult]:
        """Archive and index documents by the names they were given; what cannot be read is told with its error."""
        from averment.corpus.ingest import IngestResult

        drafts: list[DocumentDraft] = []
        refused: list[IngestResult] = []
        for upload in uploads:
            try:
                drafts.append(self._draft(upload))
            except AvermentError as error:
                refused.append(IngestResult(url=upload.name, outcome="refused", error=error))
        return [*self._workbench.corpora.add(drafts), *refused]

    def _draft(self, upload: Upload) -> DocumentDraft:
        from averment.corpus.ingest import DocumentDraft

        kind, reading = self._workbench.corpora.reader.read(upload.content, upload.name)
        return DocumentDraft(
            # By its name and not by a place of this machine: reports show the address.
            url=f"file:///{quote(upload.name)}",
            title=reading.title or Path(upload.name).stem,
            text=reading.text,
            raw=upload.content,
            kind=kind,
            published_at=reading.published_at,
            notes=reading.notes,
        )

    def hear(self, text: str) -> ParsedMessage:
        """What the assistant takes a text to want, without acting on it."""
        from averment.agents.assistant.understand import understand

        return understand(text, self._services.texts.embedder())
