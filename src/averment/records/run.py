"""What every run is made of: tool calls, observations, artifacts, evidence and findings.

Names, fields and limits of ToolCall, Observation and Artifact are the contract's. Evidence and Finding are Averment's
own: a Finding is a template whose every slot is bound to a piece of evidence.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal, get_args

from pydantic import Field, field_validator, model_validator

from averment.errors import ErrorCategory
from averment.plugins import OneOf
from averment.records.base import Record, Sha256, UtcDatetime, UuidText, new_id, utc_now

MAX_ATTEMPTS = 3

BuiltInTool = Literal[
    "sql.run",
    "df.transform",
    "plot.render",
    "profiler.analyze",
    "python.run",
    "metric.attribute",
    "metric.breakdown",
    "search.corpus",
    "document.answer",
    "search.web",
    "page.read",
]
"""The tools that Averment has itself; plugins add others under names of their own."""

ToolName = Annotated[str, OneOf("tools", get_args(BuiltInTool))]
"""The name of a tool."""

ObservationStatus = Literal["success", "error", "timeout", "resource_limit"]
ArtifactType = Literal["table", "chart", "report", "summary"]
Deliverable = Literal["tables", "charts", "reports", "summary"]

DELIVERABLE_OF: dict[ArtifactType, Deliverable] = {
    "table": "tables",
    "chart": "charts",
    "report": "reports",
    "summary": "summary",
}


class ToolCall(Record):
    """One structured, validated invocation of a tool."""

    call_id: UuidText = Field(default_factory=new_id)
    task_id: str = Field(min_length=1)
    tool_name: ToolName
    arguments: dict[str, Any]
    timestamp: UtcDatetime = Field(default_factory=utc_now)
    attempt_number: int = Field(default=1, ge=1, le=MAX_ATTEMPTS)


class Observation(Record):
    """What a tool call came back with."""

    observation_id: UuidText = Field(default_factory=new_id)
    call_id: UuidText
    status: ObservationStatus
    data: dict[str, Any] | None = None
    error_message: str | None = None
    error_category: ErrorCategory | None = None
    execution_time_seconds: float = Field(gt=0, allow_inf_nan=False)
    row_count: int | None = Field(default=None, ge=0)
    timestamp: UtcDatetime = Field(default_factory=utc_now)

    @model_validator(mode="after")
    def _success_has_data_and_failure_has_a_reason(self) -> Observation:
        if self.status == "success" and self.data is None:
            raise ValueError("a successful observation must have data")
        if self.status != "success" and (self.error_message is None or self.error_category is None):
            raise ValueError("a failed observation must have an error_message and an error_category")
        return self


class Artifact(Record):
    """A file that a run produced, with the hash by which anyone can check it."""

    artifact_id: UuidText = Field(default_factory=new_id)
    request_id: UuidText
    artifact_type: ArtifactType
    content_ref: str = Field(min_length=1)
    content_hash: Sha256
    metadata: dict[str, Any] = Field(default_factory=dict)
    size_bytes: int = Field(ge=0)
    created_at: UtcDatetime = Field(default_factory=utc_now)

    @field_validator("content_ref")
    @classmethod
    def _is_a_path_or_uri(cls, content_ref: str) -> str:
        if any(not character.isprintable() for character in content_ref):
            raise ValueError("a file path or URI must not contain control characters")
        if ".." in content_ref.replace("\\", "/").split("/"):
            raise ValueError("a file path or URI must stay inside its folder")
        if "://" in content_ref and not all(content_ref.split("://", 1)):
            raise ValueError("a URI must have a scheme and a path")
        return content_ref


class CellEvidence(Record):
    """One cell of a recorded query result."""

    kind: Literal["cell"] = "cell"
    observation_id: UuidText
    query_hash: Sha256
    row: int = Field(ge=0)
    column: str
    value: str | int | float | bool | None


class SpanEvidence(Record):
    """A stretch of an archived source, by position and by its words."""

    kind: Literal["span"] = "span"
    source_id: str
    snapshot_sha256: Sha256
    start: int = Field(ge=0)
    end: int = Field(ge=0)
    quote: str


class ResultEvidence(Record):
    """A value inside a tool's recorded output, by JSON path."""

    kind: Literal["result"] = "result"
    call_id: UuidText
    path: str
    value: str | int | float | bool | None


class DerivedEvidence(Record):
    """A value computed from cells and results by a named function, which anyone can compute again."""

    kind: Literal["derived"] = "derived"
    function: str = Field(min_length=1, description="One of the functions of ``averment.evidence.derive``.")
    of: tuple[CellEvidence | ResultEvidence, ...] = Field(min_length=1)
    value: str | int | float | bool | None


Evidence = Annotated[CellEvidence | SpanEvidence | ResultEvidence | DerivedEvidence, Field(discriminator="kind")]
"""A cell, a span, a result, or what was derived from cells and results."""


class Slot(Record):
    """One place in a finding's template: the evidence behind it and how its value is written."""

    evidence: Evidence
    text: str = Field(description="The value as the finding shows it.")
    unit: str | None = None


class Finding(Record):
    """A sentence whose every number is bound to evidence. Made by ``averment.evidence.bind`` alone."""

    finding_id: str
    template: str
    slots: dict[str, Slot]
    text: str
    method: str = Field(description="How the numbers were computed, for the report.")
