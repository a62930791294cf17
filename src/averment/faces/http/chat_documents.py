"""What the chat routes take and give, as models."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from fastapi import Path
from pydantic import BaseModel, ConfigDict, Field, StrictBool, StrictInt

from averment.faces.http.documents import Document
from averment.records.chat import (
    Clarification,
    ConversationMetadata,
    IntentResult,
    Message,
    ResponseStatus,
    ToolCall,
    ToolSelectionResult,
)

ID = r"^[A-Za-z0-9][A-Za-z0-9._:-]{0,127}$"
REFERENCE = r"^upload:[0-9a-f-]{36}/[A-Za-z0-9_-]{1,80}\.[a-z]{1,10}$"
MAX_MESSAGE = 5_000

Id = Annotated[str, Field(pattern=ID, max_length=128)]
ConversationId = Annotated[str, Path(pattern=ID, max_length=128, description="The conversation's id.")]
Reference = Annotated[str, Field(pattern=REFERENCE, max_length=160)]


class Asked(BaseModel):
    """A body with exactly these fields: a history that a client sends along is refused, not believed."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class ChatRequest(Asked):
    """A message to the assistant."""

    message: str = Field(min_length=1, max_length=MAX_MESSAGE, pattern=r"\S", description="What you say.")
    conversation_id: Id | None = Field(default=None, description="The conversation; without it, a new one starts.")
    message_id: Id | None = Field(
        default=None, description="Sending the same id again returns the same answer and changes nothing."
    )
    files: list[Reference] = Field(default=[], max_length=10, description="Uploads to use from now on.")


class AnswerRequest(Asked):
    """The answer to the question that is open."""

    question_id: str = Field(min_length=1, max_length=128)
    answer: StrictBool | StrictInt | None = Field(
        description="true or false to a confirmation; the number of a choice, or null for none of them."
    )
    message_id: Id | None = Field(
        default=None, description="Sending the same id again returns the same answer and changes nothing."
    )


class QuestionDocument(Document):
    """A question that waits, as buttons show it."""

    question_id: str
    kind: Literal["confirm", "choose"]
    words: str
    options: list[str]


class RunCard(Document):
    """A run that an answer rests on: its rows where they are few, its charts and its proof by their addresses."""

    id: str
    kind: str
    status: str
    columns: list[str]
    rows: list[list[Any]]
    row_count: int
    charts: list[str]
    report: str
    proof: str


class ChatDocument(Document):
    """The assistant's answer to one message, and the question that now waits, if one does."""

    conversation_id: str
    message_id: str
    response: str
    status: ResponseStatus
    tool_calls: list[ToolCall]
    reasoning_trace: str | None
    clarification: Clarification | None
    intent: IntentResult | None
    selections: list[ToolSelectionResult]
    question: QuestionDocument | None
    runs: list[RunCard]


class ConversationSummary(Document):
    """A conversation in a list."""

    id: str
    created_at: str
    updated_at: str


class ConversationList(Document):
    """Conversations, the newest first."""

    conversations: list[ConversationSummary]


class ConversationDocument(Document):
    """A conversation with its last messages, and the question that waits, if one does."""

    id: str
    user_id: str
    created_at: str
    updated_at: str
    messages: list[Message]
    metadata: ConversationMetadata | None
    question: QuestionDocument | None


class UploadDocument(Document):
    """Uploaded files, by the references that messages and tools take."""

    files: list[str]


EVENT: dict[str, Any] = {
    "type": "object",
    "required": ["id", "data"],
    "properties": {
        "id": {"type": "string", "description": "The number of the event in its conversation."},
        "data": {
            "type": "string",
            "contentMediaType": "application/json",
            "contentSchema": {"type": "object", "required": ["type", "timestamp"]},
        },
    },
}
"""One AG-UI event on the wire, for ``/openapi.json``."""
