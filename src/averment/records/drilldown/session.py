"""The session of one investigation: its files, its status, its life span."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Literal

from pydantic import Field, model_validator

from averment.errors import (
    AvermentError,
    FileTooLarge,
    InvalidDateRange,
    InvalidFileType,
    InvestigationNotComplete,
    MaxFilesExceeded,
    MetricSqlRequired,
    NoFilesUploaded,
    NoHeaders,
)
from averment.records.base import Record, StateMachine, UtcDatetime, UuidText, new_id, utc_now

MAX_FILES = 10

SessionStatus = Literal["created", "has_files", "running", "completed", "failed", "expired"]

SESSION_STATES: StateMachine[SessionStatus] = StateMachine(
    "session",
    {
        "created": frozenset({"has_files", "expired"}),
        "has_files": frozenset({"running", "expired"}),
        "running": frozenset({"completed", "failed", "expired"}),
        # Beyond the contract: a finished session may be investigated again, and a failed one goes back to its files.
        "completed": frozenset({"running", "expired"}),
        "failed": frozenset({"has_files", "expired"}),
        "expired": frozenset(),
    },
)

ERROR_OF_CODE: Mapping[str, type[AvermentError]] = {
    "MAX_FILES_EXCEEDED": MaxFilesExceeded,
    "FILE_TOO_LARGE": FileTooLarge,
    "INVALID_FILE_TYPE": InvalidFileType,
    "NO_HEADERS": NoHeaders,
    "METRIC_SQL_REQUIRED": MetricSqlRequired,
    "NO_FILES_UPLOADED": NoFilesUploaded,
    "INVALID_DATE_RANGE": InvalidDateRange,
    "INVESTIGATION_NOT_COMPLETE": InvestigationNotComplete,
}
"""The driller contract's eight error codes, each with the error that carries it."""


class Session(Record):
    """One investigation from its first file to its last question."""

    session_id: UuidText = Field(default_factory=new_id)
    status: SessionStatus
    created_at: UtcDatetime
    expires_at: UtcDatetime
    file_count: int = Field(default=0, ge=0, le=MAX_FILES)
    report_ready: bool = False

    @classmethod
    def opened(cls, *, timeout_hours: float, at: datetime | None = None) -> Session:
        """A new session that lives for so many hours."""
        moment = at or utc_now()
        return cls(status="created", created_at=moment, expires_at=moment + timedelta(hours=timeout_hours))

    @model_validator(mode="after")
    def _expires_after_it_was_created(self) -> Session:
        if self.expires_at <= self.created_at:
            raise ValueError("a session must expire after it was created")
        return self

    def moved(self, status: SessionStatus) -> Session:
        """The session in its next status; a completed one has its report ready.

        Raises:
            IllegalTransition: the table does not hold that step.
        """
        following = SESSION_STATES.step(self.status, status)
        return self.changed(status=following, report_ready=self.report_ready or following == "completed")

    def with_file(self) -> Session:
        """The session with one more file; the first file moves it to ``has_files``.

        Raises:
            MaxFilesExceeded: it holds ten files already.
            IllegalTransition: it takes no files at this time.
        """
        if self.file_count >= MAX_FILES:
            raise MaxFilesExceeded(f"The session already has its maximum of {MAX_FILES} files.")
        session = self if self.status == "has_files" else self.moved("has_files")
        return session.changed(file_count=session.file_count + 1)

    def started(self) -> Session:
        """The session with its investigation running.

        Raises:
            NoFilesUploaded: there is no file to investigate.
            IllegalTransition: it is running already, or over.
        """
        if self.status == "failed":
            return self.moved("has_files").started()
        if self.file_count == 0:
            raise NoFilesUploaded("No file has been uploaded to this session.", hint="Upload at least one CSV file.")
        return self.moved("running").changed(report_ready=False)

    def is_expired(self, at: datetime) -> bool:
        """Whether its time is over at that moment."""
        return self.expires_at < at

    def check_answerable(self) -> None:
        """Nothing, if questions about the report may be asked.

        Raises:
            InvestigationNotComplete: the investigation has not been completed.
        """
        if self.status != "completed":
            raise InvestigationNotComplete(
                f"The session is {self.status}; questions can be asked once its investigation is completed."
            )
