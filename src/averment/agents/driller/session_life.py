"""From a session's start to its end: its uploads, its run's progress in its tree, and its deletion when it is over.

A session is marked as expired before anything of it is deleted, and whoever wrote into its tree looks at that mark
afterwards; so nothing is left behind, whichever of the two comes last. The ledger stays: it holds hashes, not data.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Iterable, Iterator
from datetime import datetime
from typing import TYPE_CHECKING, BinaryIO

from averment.agents.driller.memory import remember
from averment.agents.driller.session_export import investigation_of, put_aside, read_investigation, write_investigation
from averment.errors import (
    AvermentError,
    InvalidFileType,
    NoHeaders,
    RunNotFound,
    SessionNotFound,
    SourceEmpty,
    StorageError,
)
from averment.records.analysis import ENDED
from averment.records.base import new_id, utc_now
from averment.records.drilldown.files import MAX_FILE_BYTES, Column, FileSchema, UploadedFile
from averment.records.drilldown.investigation import InvestigationContext
from averment.records.drilldown.request import DrillRequest
from averment.records.drilldown.session import Session
from averment.reports.markdown import plain
from averment.runtime.execution.restore import delete_kept
from averment.store.runs.session_tree import CONTEXT, METADATA, REPORT, ROOT, SessionTree, upload_path
from averment.store.storage.cache import FileCache, copies_in

if TYPE_CHECKING:
    from averment.runtime.services import Services
    from averment.settings import Settings
    from averment.store.runs.run_rows import RunRow
    from averment.store.runs.sessions import SessionRow, SessionStore
    from averment.store.search.memory import MemoryStore


CHUNK_BYTES = 1 << 20
PROFILE_SECONDS = 120.0


def take_upload(
    tree: SessionTree,
    settings: Settings,
    *,
    session_id: str,
    stream: BinaryIO | Iterable[bytes],
    name: str,
    description: str,
    at: datetime,
) -> UploadedFile:
    """Keep a CSV file as it comes, and read it; nothing of it is left when it is refused.

    Raises:
        InvalidFileType: its name does not end in .csv, or its bytes are no text.
        FileTooLarge: it is over 50 MB; reading stops there.
        NoHeaders: it has no header row, or nothing at all.
        SourceError: it cannot be read for another reason.
        StorageError: it cannot be kept.
    """
    shown = original_name(name)
    file_id = new_id()
    try:
        stored = tree.write_upload(session_id, file_id, _chunks(stream), max_bytes=MAX_FILE_BYTES)
        place = tree.view(session_id, file_id, shown)
        schema, rows = read_schema(place, settings, shown)
        return UploadedFile(
            file_id=file_id,
            session_id=session_id,
            original_name=shown,
            description=description,
            path=f"{ROOT}/{session_id}/{upload_path(file_id)}",
            row_count=rows,
            size_bytes=stored.size,
            schema=schema,
            uploaded_at=at,
        )
    except BaseException:
        tree.delete_upload(session_id, file_id)
        raise


def original_name(given: str) -> str:
    """The file's own name without any folder, safe to show.

    Raises:
        InvalidFileType: it does not end in .csv.
    """
    name = plain(given.replace("\\", "/").rpartition("/")[2].strip())
    if not name.lower().endswith(".csv"):
        raise InvalidFileType("An uploaded file is not a CSV file.", hint="Upload a file whose name ends in .csv.")
    return name if len(name) <= 255 else name[:251] + name[-4:]


def read_schema(place: str, settings: Settings, name: str) -> tuple[FileSchema, int]:
    """The columns of a CSV file of that name with their roles, and how many rows it has.

    Raises:
        NoHeaders: it has no header row.
        SourceError: it cannot be read.
    """
    from averment.tables.engines.engine import Engine
    from averment.tables.profile.profiler import profile
    from averment.tables.sources.opening import open_sources

    try:
        catalog = open_sources([place], settings=settings, cache_dir=settings.home / "cache" / "tables")
    except SourceEmpty as error:
        raise NoHeaders(f"{name} is empty: it has no header row.") from error
    with Engine(catalog, settings) as engine:
        found = profile(engine, catalog.tables[0].name, timeout=PROFILE_SECONDS)
    columns = tuple(
        Column(
            name=column.name,
            inferred_type=column.inferred_type,
            data_type=column.data_type,
            cardinality=max(column.cardinality, 1),
            sample_values=tuple(plain(value)[:200] for value in column.sample_values[:5]),
            nullable=column.nullable,
        )
        for column in found.columns
    )
    return FileSchema(columns=columns), found.row_count


def _chunks(stream: BinaryIO | Iterable[bytes]) -> Iterator[bytes]:
    read = getattr(stream, "read", None)
    if read is None:
        yield from stream
        return
    while chunk := read(CHUNK_BYTES):
        yield chunk


_log = logging.getLogger("averment.sessions")


class SessionLife:
    """What happens to sessions by themselves: progress and expiry."""

    def __init__(
        self,
        services: Services,
        store: SessionStore,
        memory: MemoryStore,
        *,
        cancel: Callable[[str], None],
        forget: Callable[[str], bool],
    ) -> None:
        self.tree = SessionTree(services.store.files)
        self._services = services
        self._store = store
        self._memory = memory
        self._cancel = cancel
        self._forget = forget
        self._mirroring: dict[str, threading.Lock] = {}
        self._aside: dict[str, threading.Lock] = {}
        self._seen: dict[str, int] = {}

    # --- files ----------------------------------------------------------------------------------------------------

    def files(self, session_id: str) -> tuple[UploadedFile, ...]:
        """The uploads of a session, in the order they came."""
        names = [name for name in self.tree.names(session_id, "files") if name.endswith("_meta.json")]
        uploads = [UploadedFile.model_validate(self.tree.read_json(session_id, f"files/{name}")) for name in names]
        return tuple(sorted(uploads, key=lambda upload: (upload.uploaded_at, upload.file_id)))

    def sources(self, row: SessionRow) -> tuple[str, ...]:
        """The uploads under their readable names, then what was connected in place."""
        uploads = self.files(row.id)
        views = [self.tree.view(row.id, upload.file_id, upload.original_name) for upload in uploads]
        return (*views, *row.sources)

    # --- progress -------------------------------------------------------------------------------------------------

    def mark_running(self, session_id: str, run_id: str, context: InvestigationContext) -> None:
        """Move a session to ``running`` with its run; again, nothing changes."""
        # Whoever started the run and the run's own first event both come here, often at the same moment.
        with self._aside.setdefault(session_id, threading.Lock()):
            row = self._store.get(session_id)
            if run_id not in row.runs and row.run_id is not None and row.session.status != "running":
                put_aside(self._services, self.tree, row)
                self._memory.delete(session_id)
            self._move_to_running(session_id, run_id, context)

    def _move_to_running(self, session_id: str, run_id: str, context: InvestigationContext) -> None:
        with self._store.changing(session_id) as change:
            if change.row.session.status == "running" or run_id in change.row.runs:
                return
            session = change.row.session.started()
            if change.row.run_id is not None:
                change.keep(asked=(*change.row.asked, change.row.run_id), message=None, finished_at=None)
            self.tree.write_json(session_id, CONTEXT, context)
            self.tree.write_json(session_id, METADATA, session)
            change.keep(session=session, run_id=run_id)

    def mirror_quietly(self, run_id: str) -> None:
        """As ``mirror``; a failure is logged and made up for at the next look at the session, never the run's end."""
        try:
            self.mirror(run_id)
        except (AvermentError, ValueError):
            _log.exception("the session of the run %s could not be written", run_id)

    def mirror(self, run_id: str) -> bool:
        """Write what a run has kept into its session's tree, and move the session when the run is over."""
        runs = self._services.store.runs
        with self._mirroring.setdefault(run_id, threading.Lock()):
            last = runs.last_event_seq(run_id)
            try:
                run = runs.get(run_id)
            except RunNotFound:
                return False
            if self._seen.get(run_id) == last and run.status not in ENDED:
                return False
            request = DrillRequest.model_validate(run.request["request"])
            session_id = request.session_id
            if self._status(session_id) in {None, "expired"} or self._is_past(session_id, run_id):
                return False
            self.mark_running(session_id, run_id, request.context)
            write_investigation(self.tree, session_id, investigation_of(self._services, run, request))
            if run.status in ENDED:
                self._finish(session_id, run)
            self._seen[run_id] = last
            if self._status(session_id) in {None, "expired"}:
                # Its time ran out meanwhile; what was written after that is taken away again.
                self.tree.delete(session_id)
                self._memory.delete(session_id)
                return False
            return True

    def _finish(self, session_id: str, run: RunRow) -> None:
        completed = self.tree.read(session_id, REPORT) is not None and run.status not in {"failed", "cancelled"}
        message = run.answer if completed or run.error is None else run.error["message"]
        with self._store.changing(session_id) as change:
            if change.row.session.status == "running":
                session = change.row.session.moved("completed" if completed else "failed")
                self.tree.write_json(session_id, METADATA, session)
                told = self._bare(str(message or ""))
                change.keep(session=session, message=told, finished_at=run.finished_at or run.updated_at)
        if completed:
            self._remember(session_id, run)

    def _remember(self, session_id: str, run: RunRow) -> None:
        found = read_investigation(self.tree, session_id)
        if found is None or self._memory.get(session_id) is not None:
            return
        try:
            remember(self._memory, self._services.texts.embedder(), session_id, found, at=run.finished_at or utc_now())
        except StorageError:
            # The report does not wait for its memory; the first question makes it again, or says why it cannot.
            _log.exception("the memory of the session %s could not be kept", session_id)

    def sentence(self, row: SessionRow) -> str:
        """Where a session's investigation stands, in a sentence."""
        match row.session.status:
            case "created":
                return "No file has been uploaded yet."
            case "has_files":
                return f"{row.session.file_count} files are there; the investigation has not been started."
            case "running":
                done = len(self.tree.names(row.id, "analysis/iterations"))
                return f"The investigation is running; {done} iterations are done."
            case "completed" | "failed":
                return row.message or f"The investigation is {row.session.status}."
            case "expired":
                return "The session has expired."

    # --- the end --------------------------------------------------------------------------------------------------

    def expire_due(self, now: datetime) -> int:
        """End every session whose time is over and delete what is left of those that ended; how many ended now."""
        ended = 0
        for row in self._store.due(now):
            try:
                with self._store.changing(row.id) as change:
                    if change.row.session.status != "expired":
                        change.keep(session=change.row.session.moved("expired"))
                        ended += 1
            except SessionNotFound:
                continue  # Deleted by somebody meanwhile.
        for row in self._store.uncleared():
            if self._clear(row):
                self._store.mark_cleared(row.id, now)
        return ended

    def delete(self, row: SessionRow) -> None:
        """Take a session away at once; a run that is still going on is stopped, and forgotten when it rests."""
        with self._store.changing(row.id) as change:
            if change.row.session.status != "expired":
                change.keep(session=change.row.session.moved("expired"))
        if self._clear(row):
            self._store.delete(row.id)

    def _clear(self, row: SessionRow) -> bool:
        """Delete everything of an ended session; false when a run of it has still to come to rest."""
        hashes = (self.tree.hash_of(row.id, upload_path(upload.file_id)) for upload in self.files(row.id))
        snapshots = {digest for digest in hashes if digest is not None}
        self._memory.delete(row.id)
        self.tree.delete(row.id)
        for digest in snapshots:
            for snapshot in (self._services.store.cache_dir / "tables").glob(f"{digest}-*"):
                snapshot.unlink(missing_ok=True)
            FileCache(copies_in(self._services.store.cache_dir / "tables")).forget(digest)
        resting = [self._forget_run(run_id) for run_id in row.runs]
        return all(resting)

    def _forget_run(self, run_id: str) -> bool:
        try:
            run = self._services.store.runs.get(run_id)
        except RunNotFound:
            return True
        if run.status not in ENDED:
            self._cancel(run_id)
            return False
        if not self._forget(run_id):
            return False
        delete_kept(self._services, run_id)
        self._seen.pop(run_id, None)
        self._mirroring.pop(run_id, None)
        return True

    def clear_orphans(self, now: datetime) -> None:
        """Delete trees whose sessions no index knows and whose own time is over, as after a lost database."""
        known = {row.id for row in self._store.list(limit=1_000_000)}
        for session_id in self.tree.sessions():
            if session_id in known:
                continue
            body = self.tree.read_json(session_id, METADATA)
            if body is not None and Session.model_validate(body).is_expired(now):
                self.tree.delete(session_id)

    def _bare(self, text: str) -> str:
        """The text without the place of this home: a client knows its files by their names alone."""
        return self._services.store.files.bare(text).replace(f"{self._services.settings.home.absolute()}/", "")

    def _is_past(self, session_id: str, run_id: str) -> bool:
        """Whether another investigation of the session has begun since."""
        row = self._store.get(session_id)
        return row.run_id != run_id and run_id in row.runs

    def _status(self, session_id: str) -> str | None:
        try:
            return self._store.get(session_id).session.status
        except SessionNotFound:
            return None
