"""Sessions: open one, give it files, start its investigation, read its report, ask about it, until its time is over.

How a run is begun, asked and stopped is handed in, so that this module knows nothing of the workbench above it. What
the run leaves is mirrored into the session's tree as it goes on; the tree can always be written again from the run.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any, BinaryIO

from averment.agents.driller.session_export import (
    Investigation,
    folder_of,
    past_of,
    present_of,
    read_breakdown,
    read_explanations,
    read_hypotheses,
    read_investigation,
    read_iterations,
    require_tree,
)
from averment.agents.driller.session_life import SessionLife, original_name, take_upload
from averment.errors import AvermentError, InvestigationNotComplete, SessionExpired, SourceNotFound
from averment.errors.extras import require
from averment.records.base import utc_now
from averment.records.drilldown.api import FileMetadataUpdate
from averment.records.drilldown.files import UploadedFile
from averment.records.drilldown.investigation import InvestigationContext
from averment.records.drilldown.loop import Hypothesis, IterationLog
from averment.records.drilldown.past import Comparison, PastInvestigation
from averment.records.drilldown.request import DrillRequest
from averment.records.drilldown.results import ChatMessage, Explanation, Mover, Report
from averment.records.drilldown.session import Session
from averment.records.refusal import checked
from averment.store.runs.session_tree import METADATA, REPORT, upload_meta_path
from averment.store.runs.sessions import Change, SessionRow, SessionStore
from averment.store.search.memory import MemoryStore

if TYPE_CHECKING:
    from averment.agents.driller.chat import Ask
    from averment.runtime.events import Event, Listener
    from averment.runtime.services import Services


Begin = Callable[[DrillRequest, "Listener"], str]
"""Opens the sources of a request, begins its run with a listener, and gives the run's id."""

MIRRORED = frozenset({"plan_made", "round_taken", "run_finished"})
"""After these events of a run its session's tree is written again."""


class Sessions:
    """The driller's sessions of one home: files, investigation, report and questions.

    ``check`` raises where a request cannot be followed over its files, ``begin`` starts a run, ``ask`` answers a
    question about sources, ``cancel`` asks a run to stop, and ``forget`` deletes what the runtime remembers of a run's
    steps, or says that it is too early.
    """

    def __init__(
        self,
        services: Services,
        *,
        begin: Begin,
        check: Callable[[DrillRequest], None] | None = None,
        ask: Ask | None = None,
        cancel: Callable[[str], None] | None = None,
        forget: Callable[[str], bool] | None = None,
        clock: Callable[[], datetime] = utc_now,
    ) -> None:
        self.clock = clock
        self._services = services
        self._store = SessionStore(services.store.database)
        self._memory = MemoryStore(services.store.database)
        self._life = SessionLife(
            services, self._store, self._memory, cancel=cancel or _leave, forget=forget or _has_nothing
        )
        self._tree = self._life.tree
        self._begin = begin
        self._check = check
        self._ask = ask
        self._starting: dict[str, threading.Lock] = {}

    # --- life -----------------------------------------------------------------------------------------------------

    def create(self) -> Session:
        """A new session that lives for as many hours as the settings say."""
        self.expire_due()
        session = Session.opened(timeout_hours=self._services.settings.session_timeout_hours, at=self.clock())
        self._store.create(session)
        self._tree.write_json(session.session_id, METADATA, session)
        return session

    def get(self, session_id: str) -> Session:
        """The session as it stands now; one whose time is over is shown as expired.

        Raises:
            SessionNotFound: there is none.
        """
        return self._current(self._store.get(session_id).id).session

    def find(self, begins: str) -> Session:
        """The session of that id, or of an id that begins so; as ``get``."""
        return self.get(self._store.find(begins).id)

    def run_of(self, session_id: str) -> str | None:
        """The id of the session's investigation as a run, or None before it was started, or where it went back."""
        row = self._open(session_id)
        return None if row.session.status in {"created", "has_files"} else row.run_id

    def list(self, *, limit: int = 50, offset: int = 0) -> tuple[Session, ...]:
        """Sessions, the newest first."""
        self.expire_due()
        return tuple(self._current(row.id).session for row in self._store.list(limit, offset))

    def delete(self, session_id: str) -> None:
        """Take a session away now, with everything that belongs to it but the ledger.

        Raises:
            SessionNotFound: there is none.
        """
        self._life.delete(self._store.get(session_id))

    def expire_due(self, now: datetime | None = None) -> int:
        """End every session whose time is over, and delete what is left of those that ended; how many ended now."""
        return self._life.expire_due(now or self.clock())

    def sweep(self) -> int:
        """What a server does at its start and now and then; how many sessions ended.

        Trees of investigations that went on without a listener are written, sessions whose time is over are ended, and
        trees that belong to no session any more are deleted.
        """
        for row in self._store.running():
            if row.run_id is not None:
                self._life.mirror_quietly(row.run_id)
        ended = self.expire_due()
        self._life.clear_orphans(self.clock())
        return ended

    # --- files ----------------------------------------------------------------------------------------------------

    def files(self, session_id: str) -> tuple[UploadedFile, ...]:
        """The uploads of a session, in the order they came."""
        return self._life.files(self._open(session_id).id)

    def sources(self, session_id: str) -> tuple[str, ...]:
        """What the investigation reads: the uploads under their readable names, then what was connected in place."""
        return self._life.sources(self._open(session_id))

    def check_room(self, session_id: str) -> None:
        """Nothing, if the session takes another file; so an upload can be refused before a byte of it is read.

        Raises:
            MaxFilesExceeded, IllegalTransition, SessionNotFound, SessionExpired: as ``add_file``.
        """
        self._open(session_id).session.with_file()

    def add_file(
        self, session_id: str, stream: BinaryIO | Iterable[bytes], name: str, *, description: str = ""
    ) -> UploadedFile:
        """Take a CSV file of at most 50 MB into the session.

        Raises:
            MaxFilesExceeded: the session holds ten files already.
            InvalidFileType, FileTooLarge, NoHeaders, SourceError: the file cannot be used; nothing of it is kept.
            IllegalTransition: the session takes no files any more.
            SessionNotFound, SessionExpired: there is no such session.
        """
        row = self._open(session_id)
        row.session.with_file()  # Refused before a byte is read, and again when the file is counted.
        original_name(name)
        said = _description(description)
        try:
            return self._take(row.id, stream, name, said)
        except AvermentError:
            now = self._store.get(row.id)
            if now.session.status == "expired":
                # It ended while the file came in, and the folders that were made for the file are no longer wanted.
                self._tree.delete(row.id)
            _refuse_expired(now)
            raise

    def connect(self, session_id: str, source: str) -> Session:
        """Add data that stays where it is: a file of any size, a folder of Parquet files, or a database URL.

        Not for paths that come from a client over a network: whatever this process may read can be named.

        Raises:
            SourceError: it cannot be opened.
            MaxFilesExceeded, IllegalTransition, SessionNotFound, SessionExpired: as ``add_file``.
        """
        from averment.tables.sources.locations import is_postgres, remember_url
        from averment.tables.sources.opening import open_sources

        row = self._open(session_id)
        row.session.with_file()
        settings = self._services.settings
        catalog = open_sources([source], settings=settings, cache_dir=self._services.store.cache_dir / "tables")
        place = remember_url(source) if is_postgres(source) else catalog.sources[0].location
        with self._store.changing(row.id) as change:
            session = self._alive(change).session.with_file()
            return self._keep(change, session, sources=(*change.row.sources, place))

    def describe(self, session_id: str, file_id: str, text: str) -> UploadedFile:
        """Say what a file holds.

        Raises:
            SourceNotFound: the session has no such file.
            InvalidRequest: the text is over 2,000 characters.
            IllegalTransition: the investigation has been started already.
        """
        description = _description(text)
        with self._store.changing(self._open(session_id).id) as change:
            row = _still_collecting(self._alive(change))
            upload = self._upload(row.id, file_id).changed(description=description)
            self._tree.write_json(row.id, upload_meta_path(upload.file_id), upload)
        return upload

    def remove_file(self, session_id: str, file_id: str) -> Session:
        """Take a file out of the session.

        Raises:
            SourceNotFound: the session has no such file.
            IllegalTransition: the investigation has been started already.
        """
        with self._store.changing(self._open(session_id).id) as change:
            row = _still_collecting(self._alive(change))
            upload = self._upload(row.id, file_id)
            session = self._keep(change, row.session.changed(file_count=row.session.file_count - 1))
            self._tree.delete_upload(row.id, upload.file_id)
        return session

    # --- investigation --------------------------------------------------------------------------------------------

    def start(
        self,
        session_id: str,
        context: Mapping[str, Any],
        *,
        column_roles: Mapping[str, Any] | None = None,
        relations: Sequence[str] = (),
        on_event: Listener | None = None,
    ) -> str:
        """Start an investigation of the session and give the run's id; a session has one at a time.

        Of a session that is completed or failed it is a further one; the earlier stays under its number. Whether the
        metric, its joins and both sides hold over the files is found out first.

        ``column_roles`` says what columns are that were read otherwise, by ``column`` or ``table.column``;
        ``relations`` how tables belong together, as ``orders.customer=customers.id``.

        Raises:
            MetricSqlRequired, InvalidDateRange, InvalidRequest: the context cannot be used.
            MissingExtra: what an investigation computes and draws with is not installed.
            NoFilesUploaded: there is no file to investigate.
            IllegalTransition: an investigation is running.
            MetricUnclear, MetricUnreadable, JoinFansOut, NoDateColumn, PeriodWithoutData, GroupNotFound: the metric
                cannot be followed over the files.
            AvermentError: the run cannot be begun; in every case the session stays as it was.
        """
        require("drill", "pandas", "vl_convert")
        session_id = self._open(session_id).id
        with self._starting.setdefault(session_id, threading.Lock()):
            row = self._open(session_id)
            given = checked_context(row.id, context, self.clock())
            row.session.started()
            uploads = self._life.files(row.id)
            request = DrillRequest.checked(
                data_sources=self._life.sources(row),
                files=[
                    {"name": upload.original_name, "description": upload.description, "file_id": upload.file_id}
                    for upload in uploads
                ],
                session_id=row.id,
                column_roles=column_roles,
                relations=relations,
                **given.model_dump(exclude={"session_id"}),
            )
            if self._check is not None:
                self._check(request)
            run_id = self._begin(request, self._listener(on_event))
            self._life.mark_running(row.id, run_id, given)
        return run_id

    def status(self, session_id: str) -> tuple[Session, str]:
        """The session and, in a sentence, where its investigation stands.

        Raises:
            SessionNotFound, SessionExpired: there is no such session.
        """
        row = self._open(session_id)
        return row.session, self._life.sentence(row)

    def report(self, session_id: str) -> Report:
        """The report of a completed investigation.

        Raises:
            InvestigationNotComplete: there is none yet.
        """
        row = self._completed(session_id)
        content = self._tree.read(row.id, REPORT)
        if content is None or row.finished_at is None:
            raise InvestigationNotComplete("The session has no report.")
        found = read_explanations(self._tree, row.id)
        return Report(
            session_id=row.id,
            content=content.decode(),
            generated_at=row.finished_at,
            status="completed" if found else "no_findings",
        )

    def explanations(self, session_id: str) -> tuple[Explanation, ...]:
        """The ranked explanations of a completed investigation; none when that is the truth.

        Raises:
            InvestigationNotComplete: it is not completed.
        """
        return read_explanations(self._tree, self._completed(session_id).id)

    def breakdown(self, session_id: str) -> tuple[Mover, ...]:
        """The breakdown of a completed investigation: every value of every dimension, whether or not a cause is found.

        Raises:
            InvestigationNotComplete: it is not completed.
        """
        return read_breakdown(self._tree, self._completed(session_id).id)

    def investigations(self, session_id: str) -> tuple[PastInvestigation, ...]:
        """Every investigation of the session in its order, the present one last."""
        row = self._open(session_id)
        earlier = past_of(self._tree, row.id)
        present = present_of(row, self._tree, len(earlier) + 1)
        return earlier if present is None else (*earlier, present)

    def compare(self, session_id: str, first: int, second: int) -> Comparison:
        """Two completed investigations of the session held beside each other.

        Raises:
            InvestigationNotComplete: there is no such investigation, or it is not completed.
        """
        from averment.agents.driller.session_export import compare

        listed = {one.number: one for one in self.investigations(session_id)}
        return compare(
            self._investigation(session_id, listed, first),
            self._investigation(session_id, listed, second),
            (first, second),
        )

    def _investigation(self, session_id: str, listed: Mapping[int, PastInvestigation], number: int) -> Investigation:
        line = listed.get(number)
        if line is None or line.status != "completed":
            there = ", ".join(str(one.number) for one in listed.values() if one.status == "completed") or "none"
            raise InvestigationNotComplete(
                f"The session has no completed investigation {number}.", hint=f"Completed: {there}."
            )
        row = self._open(session_id)
        require_tree(self._services, self._services.store.runs.get(line.run_id))
        place = row.id if line.run_id == row.run_id else f"{row.id}/{folder_of(number)}"
        found = read_investigation(self._tree, place)
        if found is None:
            raise InvestigationNotComplete(f"No data remains for the investigation {number}.")
        return found

    def iterations(self, session_id: str) -> tuple[IterationLog, ...]:
        """The iterations so far, in full."""
        row = self._open(session_id)
        self._require_sealed(row)
        return read_iterations(self._tree, row.id)

    def hypotheses(self, session_id: str) -> tuple[Hypothesis, ...]:
        """The hypotheses so far, each with its present status."""
        row = self._open(session_id)
        self._require_sealed(row)
        return read_hypotheses(self._tree, row.id)

    def mirror(self, run_id: str) -> bool:
        """Write what a run has kept into its session's tree, and move the session when the run is over.

        It may be called at any time, any number of times; whether anything was written. A session that is over is
        left alone.
        """
        return self._life.mirror(run_id)

    # --- questions ------------------------------------------------------------------------------------------------

    def chat(self, session_id: str, message: str) -> ChatMessage:
        """Answer a question about a completed investigation.

        Raises:
            InvestigationNotComplete: the investigation is not completed.
            InvalidRequest: the message is empty or over 5,000 characters.
        """
        from averment.agents.driller.chat import Chat

        row = self._completed(session_id)
        chat = Chat(self._services, self._tree, self._memory, self._ask)
        asked, answer, runs = chat.answer(row.id, message, self._life.sources(row), self.clock)
        with self._store.changing(row.id) as change:
            self._alive(change)
            chat.keep(row.id, asked, answer)
            change.keep(asked=(*change.row.asked, *runs))
        return answer

    def history(self, session_id: str) -> tuple[ChatMessage, ...]:
        """The questions and answers so far."""
        from averment.agents.driller.chat import read_history

        return read_history(self._tree, self._open(session_id).id)

    def _listener(self, on_event: Listener | None) -> Listener:
        def hear(event: Event) -> None:
            if event.type in MIRRORED:
                self._life.mirror_quietly(event.run_id)
            if on_event is not None:
                on_event(event)

        return hear

    # --- inside ---------------------------------------------------------------------------------------------------

    def _current(self, session_id: str) -> SessionRow:
        """The session's row as of now: expired when its time is over, moved on when its run is."""
        row = self._store.get(session_id)
        if row.session.status != "expired" and row.session.is_expired(self.clock()):
            self.expire_due()
            return self._store.get(session_id)
        if row.session.status == "running" and row.run_id is not None and self._life.mirror(row.run_id):
            return self._store.get(session_id)
        return row

    def _open(self, session_id: str) -> SessionRow:
        row = self._current(session_id)
        _refuse_expired(row)
        return row

    def _completed(self, session_id: str) -> SessionRow:
        row = self._open(session_id)
        row.session.check_answerable()
        self._require_sealed(row)
        return row

    def _require_sealed(self, row: SessionRow) -> None:
        """What a session that is over shows is what its run sealed, or it is not shown."""
        if row.run_id is not None and row.session.status == "completed":
            require_tree(self._services, self._services.store.runs.get(row.run_id))

    def _take(self, session_id: str, stream: BinaryIO | Iterable[bytes], name: str, description: str) -> UploadedFile:
        upload = take_upload(
            self._tree,
            self._services.settings,
            session_id=session_id,
            stream=stream,
            name=name,
            description=description,
            at=self._moment(session_id),
        )
        try:
            with self._store.changing(session_id) as change:
                session = self._alive(change).session.with_file()
                self._tree.write_json(session_id, upload_meta_path(upload.file_id), upload)
                self._keep(change, session)
        except BaseException:
            self._tree.delete_upload(session_id, upload.file_id)
            raise
        return upload

    def _moment(self, session_id: str) -> datetime:
        """Now, but after the session's last file: its files stand in the order they came."""
        last = max((upload.uploaded_at for upload in self._life.files(session_id)), default=None)
        now = self.clock()
        return now if last is None or now > last else last + timedelta(microseconds=1)

    def _alive(self, change: Change) -> SessionRow:
        _refuse_expired(change.row)
        return change.row

    def _keep(self, change: Change, session: Session, **changes: Any) -> Session:
        self._tree.write_json(session.session_id, METADATA, session)
        return change.keep(session=session, **changes).session

    def _upload(self, session_id: str, file_id: str) -> UploadedFile:
        for upload in self._life.files(session_id):
            if upload.file_id == file_id.lower():
                return upload
        raise SourceNotFound("The session has no such file.", hint="See the list of the session's files.")


def _description(text: str) -> str:
    return checked(FileMetadataUpdate, {"description": text}).description


def _still_collecting(row: SessionRow) -> SessionRow:
    if row.session.status not in {"created", "has_files", "failed"}:
        row.session.moved("has_files")  # Refuses, and says from where it cannot go.
    return row


def _refuse_expired(row: SessionRow) -> None:
    if row.session.status == "expired":
        raise SessionExpired(f"The session expired at {row.session.expires_at:%Y-%m-%d %H:%M} UTC.")


def _leave(run_id: str) -> None:
    """Nothing can be stopped here."""


def _has_nothing(run_id: str) -> bool:
    """Nothing more is remembered of a run."""
    return True


def checked_context(session_id: str, context: Mapping[str, Any], at: datetime) -> InvestigationContext:
    """The context of a session's investigation from raw values.

    Raises:
        MetricSqlRequired, InvalidDateRange, InvalidRequest: a rule is broken.
    """
    return InvestigationContext.checked({**context, "session_id": session_id, "submitted_at": at})
