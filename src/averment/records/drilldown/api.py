"""The bodies of the drill-down's HTTP requests and responses, with the contract's names, fields, limits and
defaults."""

from __future__ import annotations

from typing import Literal
from uuid import UUID

from pydantic import Field

from averment.records.base import Record, UtcDatetime
from averment.records.drilldown.investigation import ColumnRoles, InvestigationInputs, Relations
from averment.records.drilldown.session import SessionStatus


class SessionCreate(Record):
    """Opens a session; there is nothing to say."""


class SessionResponse(Record):
    """A session as a client sees it."""

    session_id: UUID
    status: SessionStatus
    created_at: UtcDatetime
    expires_at: UtcDatetime
    file_count: int = 0
    report_ready: bool = False


class FileUploadResponse(Record):
    """A file that was taken."""

    file_id: UUID
    original_name: str
    row_count: int
    size_bytes: int


class FileMetadataUpdate(Record):
    """A new description for a file."""

    description: str = Field(max_length=2000)


class InvestigationRequest(InvestigationInputs):
    """Starts the investigation of a session."""


class InvestigationOrder(InvestigationRequest):
    """Starts the investigation of a session, with what the user says of columns that were read otherwise.

    A column is named by itself where one table alone has it, else as ``table.column``. A relation is written
    ``orders.customer=customers.id``: a column, and the key of another table that it holds.
    """

    column_roles: ColumnRoles = Field(default_factory=dict)
    relations: Relations = ()


class InvestigationResponse(Record):
    """Where an investigation stands."""

    status: Literal["running", "completed", "failed"]
    message: str


class ReportResponse(Record):
    """A report as a client sees it."""

    content: str
    generated_at: UtcDatetime
    status: Literal["completed", "no_findings"]


class ChatRequest(Record):
    """A question about the report."""

    message: str = Field(max_length=5000)


class ChatResponse(Record):
    """The answer, and the artifacts it rests on."""

    response: str
    artifacts_referenced: tuple[str, ...] = ()
