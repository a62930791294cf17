"""The request itself is wrong: usage errors, all exit 2."""

from __future__ import annotations

from averment.errors.base import AvermentError


class UsageError(
    AvermentError, code="USAGE", exit_code=2, http_status=400, hint="Correct the request and send it again."
):
    """The request is not valid; nothing was done."""


class InvalidRequest(UsageError, http_status=422):
    """A field of the request has an invalid value."""


class IntentEmpty(UsageError, http_status=422, hint='Ask a question, for example: "total amount by region in 2024".'):
    """The question is empty or only white space."""


class IntentTooLong(UsageError, http_status=422, hint="Shorten the question to at most 2,000 characters."):
    """The question is longer than 2,000 characters."""


class RowLimitOutOfRange(UsageError, http_status=422, hint="Give a row limit from 1 to 200000."):
    """The row limit is not between 1 and 200,000."""


class TimeoutOutOfRange(UsageError, http_status=422, hint="Give a timeout from 1 to 180 seconds."):
    """The timeout is not between 1 and 180 seconds."""


class NoSources(UsageError, http_status=422, hint="Name at least one source, for example --source sales.csv."):
    """An analysis was requested without any data."""


class UnknownDeliverable(UsageError, http_status=422, hint="Choose among tables, charts, reports and summary."):
    """A deliverable other than tables, charts, reports or summary was requested."""


class InvalidSettings(UsageError, hint="See docs/reference/settings.md for each setting and its values."):
    """A setting in averment.toml, the environment or a flag cannot be used."""


class RunNotFound(UsageError, http_status=404, hint="See `averment list` for the runs of this home."):
    """No run has that id in this home."""


class UnknownTool(UsageError, http_status=404):
    """No tool with that name is registered."""


class InvalidArguments(UsageError, http_status=422, category="type_mismatch"):
    """A tool's arguments do not match its schema; the tool was not run."""


class IllegalTransition(UsageError, http_status=409):
    """A state change was requested that is not allowed from the current state."""


class MetricSqlRequired(UsageError, http_status=422):
    """An investigation was started without a metric."""


class NoFilesUploaded(UsageError, http_status=409):
    """An investigation was started without any file."""


class MaxFilesExceeded(UsageError, http_status=409):
    """A session already has its maximum of ten files."""


class InvalidDateRange(UsageError, http_status=422):
    """A period ends before it starts, or is not a valid period."""


class InvestigationNotComplete(UsageError, http_status=409):
    """A question about an investigation was asked before its report was complete."""


class SessionNotFound(UsageError, http_status=404, hint="Check the id, or open a new session."):
    """No drill-down session has that id in this home."""


class SessionExpired(UsageError, http_status=410, hint="Open a new session and upload the files again."):
    """The session has expired; its files and its memory have been deleted."""


class MissingExtra(UsageError, http_status=501):
    """The request needs an optional package that is not installed."""


class PluginFailed(UsageError, http_status=501, hint="See `averment plugins`."):
    """A plugin cannot be loaded, takes a name that is taken, or is not installed."""


class TaskNotFound(
    UsageError,
    code="NOT_FOUND",
    http_status=404,
    hint="It may have been deleted; say 'show my tasks' to see what is current.",
):
    """The named task does not exist, or it was deleted."""


class ConversationNotFound(UsageError, http_status=404):
    """No conversation has that id, or it has expired."""


class MessageReused(UsageError, http_status=409, hint="Give every message its own id."):
    """A message id was reused with different text."""


class QuestionClosed(UsageError, http_status=409, hint="Nothing was changed. Ask for it again."):
    """The answered question is not open: never asked, already answered, expired, or from another conversation."""
