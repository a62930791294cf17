"""The JSON documents this face sends, as models: they are what ``/openapi.json`` promises."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from averment.errors import ErrorCategory
from averment.records.analysis import RunStatus
from averment.records.marks import Marks
from averment.records.run import ArtifactType, Finding
from averment.runtime.verification.verdict import Check


class Document(BaseModel):
    """A document with exactly the fields it names."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class ErrorBody(Document):
    """What went wrong, and what to do about it."""

    code: str = Field(description="Stable; see docs/reference/errors.md.")
    message: str
    hint: str
    retryable: bool
    category: ErrorCategory | None = None
    details: dict[str, Any] | None = None


class ErrorDocument(Document):
    """The one shape of every error."""

    error: ErrorBody


class Health(Document):
    """The server is there."""

    status: str
    version: str


class Index(Document):
    """What is served, and where."""

    name: str
    version: str
    links: dict[str, str]


class RunLinks(Document):
    """Where to look next."""

    self: str
    events: str
    report: str
    cancel: str
    resume: str
    verify: str


class RunReceipt(Document):
    """A run that was begun, resumed or asked to stop."""

    id: str
    status: RunStatus
    links: RunLinks


class RunSummary(Document):
    """A run in a list."""

    id: str
    status: RunStatus
    intent: str
    created_at: str
    answer: str | None


class RunList(Document):
    """Runs, the newest first."""

    runs: list[RunSummary]


class ArtifactDocument(Document):
    """A file that a run left; its name is the last part of ``content_ref``."""

    artifact_id: str
    request_id: str
    artifact_type: ArtifactType
    content_ref: str
    content_hash: str
    size_bytes: int
    metadata: dict[str, Any]
    created_at: str


class ProofDocument(Document):
    """What a third party needs to check a run."""

    run_id: str
    status: RunStatus
    finished_at: str | None
    run_root: str | None
    ledger_size: int | None
    checkpoint: str | None
    key: str | None


class OfferDocument(Document):
    """A reading to choose, and what it gives."""

    read_back: str
    plan: dict[str, Any]
    odds: float
    left: list[str]
    columns: list[str]
    rows: list[list[Any]]
    row_count: int


class RunDocument(RunSummary):
    """A run as it stands: the same document that ``averment show --json`` prints."""

    error: ErrorBody | None
    reading: dict[str, Any] | None
    plan: dict[str, Any] | None
    meaning: dict[str, Any] | None
    read_back: str | None
    grade: str | None = Field(deprecated=True, description="Gone in 0.5.0: see marks.interpretation.")
    marks: Marks
    odds: float | None
    model: dict[str, Any] | None
    offers: list[OfferDocument]
    rivals: list[OfferDocument]
    findings: list[Finding]
    artifacts: list[ArtifactDocument]
    report: str | None
    proof: ProofDocument


class MeaningDocument(Document):
    """What a word was taught to mean over one schema: the parts of a plan it stands for, and those in words."""

    correction_id: str
    schema_fingerprint: str
    word: str
    kind: str
    table: str
    column: str
    meaning: dict[str, Any]
    in_words: str
    created_at: str


class MeaningList(Document):
    """Taught words, the latest first."""

    meanings: list[MeaningDocument]


class VerificationDocument(Document):
    """Every check of a run, and whether all of them hold."""

    run_id: str
    ok: bool
    checks: list[Check]
    numbers_rederived: int
    made_by: str | None
    told_by: int | None
    marks: Marks | None


class ToolDocument(Document):
    """A tool the agents use."""

    name: str
    description: str
    input_schema: dict[str, Any]
    output_schema: dict[str, Any]
    annotations: dict[str, bool]


class ToolList(Document):
    """Every tool."""

    tools: list[ToolDocument]
