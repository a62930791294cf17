"""What can be wrong with a message to the assistant or with what it names."""

from __future__ import annotations

from averment.errors.request import UsageError


class TaskNotFound(UsageError):
    """The named task does not exist, or it was deleted."""

    code = "NOT_FOUND"
    http_status = 404
    default_hint = "It may have been deleted; say 'show my tasks' to see what is current."


class ConversationNotFound(UsageError):
    """No conversation has that id, or it has expired."""

    code = "CONVERSATION_NOT_FOUND"
    http_status = 404


class MessageReused(UsageError):
    """A message id was reused with different text."""

    code = "MESSAGE_REUSED"
    http_status = 409
    default_hint = "Give every message its own id."


class QuestionClosed(UsageError):
    """The answered question is not open: never asked, already answered, expired, or from another conversation."""

    code = "QUESTION_CLOSED"
    http_status = 409
    default_hint = "Nothing was changed. Ask for it again."
