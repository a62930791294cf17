"""The assistant's nouns: tasks, conversations with their metadata, and what one turn produces."""

from __future__ import annotations

import re
from datetime import datetime
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, Field, StrictInt, field_validator, model_validator

from averment.records.base import Record, Share, UtcDatetime, new_id, utc_now

CONFIDENCES_KEPT = 3
"""How many of the last confidence scores a conversation remembers."""

TaskStatus = Literal["pending", "completed"]
Priority = Literal["high", "normal", "low"]
DUE = r"[0-9]{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12][0-9]|3[01])(?:T(?:[01][0-9]|2[0-3]):[0-5][0-9])?"
"""How a task says when it is due: a day, or a day and a time."""
REPEAT = (
    "daily|weekdays|weekly|biweekly|monthly|yearly|weekly on (?:monday|tuesday|wednesday|thursday|"
    "friday|saturday|sunday)"
    r"|every (?:[2-9]|[1-9][0-9]) (?:days|weeks|months)"
)
"""How a task says that it comes again."""
ResponseStatus = Literal["success", "clarification_needed", "confirmation_required", "error"]
IntentType = Literal["create", "list", "update", "complete", "delete", "analyze", "drill", "research"]
"""The assistant contract's five intents about tasks, and the three that start a run of another agent."""

_POSITION = re.compile(r"[0-9]+")


def in_the_calendar(due: str | None) -> str | None:
    """The same day; November has no 31st."""
    if due is not None:
        datetime.fromisoformat(due)
    return due


class Task(Record):
    """A thing to do. ``id`` is None until the store has given it one."""

    id: int | None = None
    title: str = Field(min_length=1, max_length=255)
    description: str | None = Field(default=None, max_length=1000)
    status: TaskStatus = "pending"
    created_at: UtcDatetime = Field(default_factory=utc_now)
    completed_at: UtcDatetime | None = None
    due: Annotated[str | None, AfterValidator(in_the_calendar)] = Field(default=None, pattern=rf"^(?:{DUE})$")
    priority: Priority | None = None
    repeat: str | None = Field(default=None, pattern=rf"^(?:{REPEAT})$")

    @model_validator(mode="after")
    def _completed_at_goes_with_completed(self) -> Task:
        if (self.status == "completed") != (self.completed_at is not None):
            raise ValueError("a completed task must have completed_at, and a pending task must not")
        return self

    def completed(self, at: datetime | None = None) -> Task:
        """The task done at that moment, by default now; one that is done already stays as it is."""
        if self.status == "completed":
            return self
        return self.changed(status="completed", completed_at=at or utc_now())

    def reopened(self) -> Task:
        """The task still to be done; one that is open stays as it is."""
        return self.changed(status="pending", completed_at=None)


class ToolCall(Record):
    """One tool the assistant called in a turn, with what came back.

    Not to be taken for ``averment.records.run.ToolCall``, a step of a plan: this is the conversation's own record.
    """

    tool_name: str = Field(min_length=1)
    parameters: dict[str, Any]
    result: dict[str, Any] | None = None
    error: str | None = None
    invoked_at: UtcDatetime = Field(default_factory=utc_now)


class Message(Record):
    """One message of a conversation; ``id`` lets a repeated delivery be recognised."""

    id: str = Field(default_factory=new_id, min_length=1)
    role: Literal["user", "assistant"]
    content: str
    tool_calls: tuple[ToolCall, ...] = ()
    created_at: UtcDatetime = Field(default_factory=utc_now)


class AgentContext(Record):
    """What ``agent_context`` holds: the domain, the last confidence scores, and how often was asked back."""

    application_domain: str = "task_management"
    confidence_history: tuple[Share, ...] = Field(default=(), max_length=CONFIDENCES_KEPT)
    clarification_count: int = Field(default=0, ge=0)

    def remembered(self, confidence: float) -> AgentContext:
        """The context with one more confidence score; only the last few are kept."""
        return self.changed(confidence_history=(*self.confidence_history, confidence)[-CONFIDENCES_KEPT:])


class ConversationMetadata(Record):
    """What a conversation remembers between turns. ``task_references`` maps a shown position to a task's id."""

    task_references: dict[str, StrictInt] | None = None
    referenced_at: UtcDatetime | None = None
    last_tool_used: str | None = None
    last_tool_parameters: dict[str, Any] | None = None
    agent_context: dict[str, Any] | None = None

    @field_validator("task_references")
    @classmethod
    def _keys_are_numbers(cls, references: dict[str, int] | None) -> dict[str, int] | None:
        for key in references or {}:
            # Not str.isdigit, which takes superscripts and other scripts' digits too.
            if not _POSITION.fullmatch(key):
                raise ValueError(f"a task reference's key must be a number as text, not {key!r}")
        return references

    @field_validator("agent_context")
    @classmethod
    def _known_keys_have_their_types(cls, context: dict[str, Any] | None) -> dict[str, Any] | None:
        if context is not None:
            AgentContext.model_validate({key: context[key] for key in AgentContext.model_fields if key in context})
        return context

    @model_validator(mode="after")
    def _references_have_their_time(self) -> ConversationMetadata:
        if self.task_references and self.referenced_at is None:
            raise ValueError("referenced_at is required when there are task_references")
        return self


class Conversation(Record):
    """One user's conversation with its messages and metadata."""

    id: str = Field(default_factory=new_id, min_length=1)
    user_id: str
    messages: tuple[Message, ...] = ()
    created_at: UtcDatetime = Field(default_factory=utc_now)
    updated_at: UtcDatetime = Field(default_factory=lambda made: made.get("created_at") or utc_now())
    metadata: ConversationMetadata | None = None


class IntentResult(Record):
    """What a message was taken to ask, and what else it might have asked."""

    intent_type: IntentType
    confidence: Share
    entities: dict[str, Any]
    alternatives: tuple[tuple[str, Share], ...] = ()
    reasoning: str | None = None


class ToolSelectionResult(Record):
    """Which tool answers an intent; a destructive one waits for a yes."""

    tool_name: str = Field(min_length=1)
    confidence: Share
    parameters: dict[str, Any]
    requires_confirmation: bool
    alternatives: tuple[tuple[str, Share], ...] = ()


class Clarification(Record):
    """What is asked back, and what can be chosen; no options where any words are an answer."""

    question: str
    options: tuple[str, ...] = ()


class AgentResponse(Record):
    """The assistant's answer to one message, with how it was understood and what that chose."""

    conversation_id: str
    response: str
    status: ResponseStatus
    tool_calls: tuple[ToolCall, ...] = ()
    reasoning_trace: str | None = None
    clarification: Clarification | None = None
    intent: IntentResult | None = None
    selections: tuple[ToolSelectionResult, ...] = ()
