"""The request itself is wrong: usage errors, all exit 2."""

from __future__ import annotations

from averment.errors.base import AvermentError


class UsageError(AvermentError):
    """The request is not valid; nothing was done."""

    code = "USAGE"
    exit_code = 2
    http_status = 400
    default_hint = "Correct the request and send it again."


class InvalidRequest(UsageError):
    """A field of the request has an invalid value."""

    code = "INVALID_REQUEST"
    http_status = 422


class IntentEmpty(UsageError):
    """The question is empty or only white space."""

    code = "INTENT_EMPTY"
    http_status = 422
    default_hint = 'Ask a question, for example: "total amount by region in 2024".'


class IntentTooLong(UsageError):
    """The question is longer than 2,000 characters."""

    code = "INTENT_TOO_LONG"
    http_status = 422
    default_hint = "Shorten the question to at most 2,000 characters."


class RowLimitOutOfRange(UsageError):
    """The row limit is not between 1 and 200,000."""

    code = "ROW_LIMIT_OUT_OF_RANGE"
    http_status = 422
    default_hint = "Give a row limit from 1 to 200000."


class TimeoutOutOfRange(UsageError):
    """The timeout is not between 1 and 180 seconds."""

    code = "TIMEOUT_OUT_OF_RANGE"
    http_status = 422
    default_hint = "Give a timeout from 1 to 180 seconds."


class NoSources(UsageError):
    """An analysis was requested without any data."""

    code = "NO_SOURCES"
    http_status = 422
    default_hint = "Name at least one source, for example --source sales.csv."


class UnknownDeliverable(UsageError):
    """A deliverable other than tables, charts, reports or summary was requested."""

    code = "UNKNOWN_DELIVERABLE"
    http_status = 422
    default_hint = "Choose among tables, charts, reports and summary."


class InvalidSettings(UsageError):
    """A setting in averment.toml, the environment or a flag cannot be used."""

    code = "INVALID_SETTINGS"
    default_hint = "See docs/reference/settings.md for each setting and its values."


class RunNotFound(UsageError):
    """No run has that id in this home."""

    code = "RUN_NOT_FOUND"
    http_status = 404
    default_hint = "See `averment list` for the runs of this home."


class UnknownTool(UsageError):
    """No tool with that name is registered."""

    code = "UNKNOWN_TOOL"
    http_status = 404


class InvalidArguments(UsageError):
    """A tool's arguments do not match its schema; the tool was not run."""

    code = "INVALID_ARGUMENTS"
    http_status = 422
    category = "type_mismatch"


class IllegalTransition(UsageError):
    """A state change was requested that is not allowed from the current state."""

    code = "ILLEGAL_TRANSITION"
    http_status = 409


class MetricSqlRequired(UsageError):
    """An investigation was started without a metric."""

    code = "METRIC_SQL_REQUIRED"
    http_status = 422


class NoFilesUploaded(UsageError):
    """An investigation was started without any file."""

    code = "NO_FILES_UPLOADED"
    http_status = 409


class MaxFilesExceeded(UsageError):
    """A session already has its maximum of ten files."""

    code = "MAX_FILES_EXCEEDED"
    http_status = 409


class InvalidDateRange(UsageError):
    """A period ends before it starts, or is not a valid period."""

    code = "INVALID_DATE_RANGE"
    http_status = 422


class InvestigationNotComplete(UsageError):
    """A question about an investigation was asked before its report was complete."""

    code = "INVESTIGATION_NOT_COMPLETE"
    http_status = 409


class SessionNotFound(UsageError):
    """No drill-down session has that id in this home."""

    code = "SESSION_NOT_FOUND"
    http_status = 404
    default_hint = "Check the id, or open a new session."


class SessionExpired(UsageError):
    """The session has expired; its files and its memory have been deleted."""

    code = "SESSION_EXPIRED"
    http_status = 410
    default_hint = "Open a new session and upload the files again."


class MissingExtra(UsageError):
    """The request needs an optional package that is not installed."""

    code = "MISSING_EXTRA"
    http_status = 501


class PluginFailed(UsageError):
    """A plugin cannot be loaded, takes a name that is taken, or is not installed."""

    code = "PLUGIN_FAILED"
    http_status = 501
    default_hint = "See `averment plugins`."
