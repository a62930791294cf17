"""The classes of the error tree, family by family, and the contracts' four categories."""

from __future__ import annotations

import re
from typing import ClassVar, Literal

ErrorCategory = Literal["sql_syntax", "type_mismatch", "missing_column", "resource_exhausted"]
"""The four categories by which a failed tool call is repaired."""


class AvermentError(Exception):
    """Any named failure of Averment, with a message, a hint and fixed machine-readable fields.

    A class of the tree states what differs from its parent in its head: ``class RunNotFound(UsageError,
    http_status=404)``. Its code is its name in capitals, ``RUN_NOT_FOUND``, unless ``code`` says another.
    """

    code: ClassVar[str] = "INTERNAL"
    exit_code: ClassVar[int] = 1
    http_status: ClassVar[int] = 500
    retryable: ClassVar[bool] = False
    category: ClassVar[ErrorCategory | None] = None
    default_hint: ClassVar[str] = "Run it again with --json for details, and report the problem if it persists."

    def __init_subclass__(
        cls,
        *,
        code: str | None = None,
        exit_code: int | None = None,
        http_status: int | None = None,
        retryable: bool | None = None,
        category: ErrorCategory | None = None,
        hint: str | None = None,
    ) -> None:
        named = re.sub(r"(?<=[a-z])(?=[A-Z])", "_", cls.__name__).upper()
        cls.code = code or cls.__dict__.get("code", named)
        cls.exit_code = cls.exit_code if exit_code is None else exit_code
        cls.http_status = cls.http_status if http_status is None else http_status
        cls.retryable = cls.retryable if retryable is None else retryable
        cls.category = category or cls.category
        cls.default_hint = hint or cls.default_hint

    def __init__(self, message: str, *, hint: str | None = None, details: dict[str, object] | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint or self.default_hint
        self.details: dict[str, object] = dict(details or {})

    def as_dict(self) -> dict[str, object]:
        """The one JSON shape of an error, the same on the command line, over HTTP and MCP."""
        body: dict[str, object] = {
            "code": self.code,
            "message": self.message,
            "hint": self.hint,
            "retryable": self.retryable,
        }
        if self.category is not None:
            body["category"] = self.category
        if self.details:
            body["details"] = self.details
        return body


# The request itself is wrong: usage errors, all exit 2.


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


# A metric cannot be followed from one period to the other: usage errors, all exit 2.


class MetricUnreadable(
    UsageError,
    http_status=422,
    hint="Give SUM, COUNT, COUNT(DISTINCT …), AVG or a ratio of these, for example SUM(amount) / COUNT(*).",
):
    """The metric is not a sum, count, mean or ratio of these over the given files."""


class MetricUndefined(
    UsageError,
    http_status=422,
    hint="Choose periods in which the denominator is not zero, or investigate the numerator alone.",
):
    """The metric divides by zero in one of the periods, so it has no change to explain."""


class NoDateColumn(
    UsageError,
    http_status=422,
    hint="Add a date column to the metric's file, or a file with dates that shares a key with it.",
):
    """Neither the metric's file nor a related file has dates, so its rows cannot be assigned to a period."""


class PeriodWithoutData(UsageError, http_status=422, hint="Choose periods within the dates of the data."):
    """A period has no rows for the metric."""


class JoinFansOut(
    UsageError,
    http_status=422,
    hint="Join tables that have one row for each key, or aggregate the other table by that key first.",
):
    """A join would repeat rows and so multiply the metric."""


class GroupNotFound(
    UsageError, http_status=422, hint="Name two of the flag's values exactly as they appear in the data."
):
    """A group to compare is not one of the flag's values."""


class MetricUnclear(
    UsageError, http_status=422, hint="Give the metric as SQL, for example SUM(amount) or SUM(orders) / SUM(visits)."
):
    """The metric's description is ambiguous or not understood; the message asks what it means."""


# A source cannot be used.


class SourceError(AvermentError, exit_code=2, http_status=422, hint="Check the source and try again."):
    """A source cannot be used."""


class SourceNotFound(
    SourceError, http_status=404, hint="Check the path; it is relative to the folder in which you run averment."
):
    """There is no file, folder or database at that location."""


class SourceEmpty(SourceError, hint="The file has 0 bytes or only blank lines; export it again."):
    """The file is empty."""


class NoRows(SourceError, hint="The table has columns but no rows, so there is nothing to compute."):
    """The table has a header but no rows."""


class InvalidFileType(
    SourceError,
    http_status=415,
    hint="Give a file of a supported format with its usual extension.",
):
    """The content does not match the file name, or its format is not supported."""


class NoHeaders(SourceError, hint="Add a first line that names the columns."):
    """The file has no header row."""


class FileTooLarge(
    SourceError, http_status=413, hint="Uploads are limited to 50 MB; connect larger data by path or database URL."
):
    """An upload is larger than the limit."""


class SourceUnreadable(SourceError):
    """The file is damaged, or it cannot be read."""


class SourceAmbiguous(SourceError, hint="Set the format, for example with --delimiter ';'."):
    """The file can be read in several ways that give different cells."""


class UnsupportedSource(SourceError, http_status=415):
    """That kind of source is not supported."""


class SourceChanged(
    SourceError, exit_code=1, http_status=409, hint="Run the question again on the source as it is now."
):
    """The source has changed since the run started."""


class SourceVanished(
    SourceError, exit_code=1, http_status=409, hint="Put the source back, then `averment resume RUN`, or ask again."
):
    """The source disappeared during the run."""


class SourceUnreachable(
    SourceError,
    exit_code=1,
    http_status=502,
    retryable=True,
    hint="Try again later, or open the page yourself and add the saved file.",
):
    """A page could not be fetched: no connection, a timeout, too many redirects, or an error status."""


# A tool call failed; a reasoner may repair it.


class ToolError(AvermentError, code="TOOL_FAILED", http_status=422, retryable=True):
    """A tool call failed; ``suggestion`` is a fix that an agent can apply."""

    def __init__(
        self,
        message: str,
        *,
        hint: str | None = None,
        details: dict[str, object] | None = None,
        suggestion: str | None = None,
    ) -> None:
        super().__init__(message, hint=hint or suggestion, details=details)
        self.suggestion = suggestion
        if suggestion is not None:
            self.details.setdefault("suggestion", suggestion)


class SqlSyntax(
    ToolError,
    category="sql_syntax",
    hint="Write one SELECT over the opened tables; docs/reference/sql.md lists its functions.",
):
    """The SQL cannot be parsed, or the engine does not accept it."""


class TypeMismatch(ToolError, category="type_mismatch"):
    """A value or column has a type that the operation does not accept."""


class MissingColumn(ToolError, category="missing_column"):
    """The query names a column that none of its tables has."""


class MissingTable(ToolError, category="missing_column"):
    """The query names a table that no open source has."""


class ResourceExhausted(ToolError, category="resource_exhausted"):
    """The call was stopped by a limit on time, rows, memory or output."""


class QueryTimeout(
    ResourceExhausted,
    http_status=504,
    hint="Reduce the work (a filter, fewer groups) or allow more time, up to 180 seconds.",
):
    """The call was stopped when its time ran out."""


class RowLimitExceeded(ResourceExhausted, hint="Aggregate or filter, or raise the row limit, up to 200000."):
    """The result has more rows than allowed."""


class MemoryExceeded(ResourceExhausted):
    """The call was stopped because it used more memory than allowed."""


class OutputExceeded(ResourceExhausted):
    """The call was stopped because it wrote more output than allowed."""


class PlanError(AvermentError, code="PLAN_INVALID", http_status=422):
    """A plan that must not run."""


class PlanInvalid(PlanError):
    """A plan names an unknown tool or task, or repeats a task."""


class PlanCycle(PlanError):
    """The subtasks depend on each other in a cycle."""


class PlanTooCostly(PlanError, hint="Allow more time with --timeout, or ask for fewer deliverables."):
    """The estimated cost of the subtasks exceeds the request's timeout."""


# Refused by policy, or no safe way to do it.


class PolicyError(AvermentError, code="POLICY_REFUSED", exit_code=4, http_status=403):
    """The policy refused the request; nothing was run."""


class SqlRefused(
    PolicyError, hint="Only one SELECT over the opened tables is allowed, with the functions of docs/reference/sql.md."
):
    """The statement is not one read-only query over the open tables with allowed functions."""


class ColumnNotAllowed(PolicyError):
    """A column outside ``policy.allowed_columns`` would reach the result."""


class PatternBlocked(PolicyError):
    """A name or value matches one of ``policy.blocked_patterns``."""


class ConfirmationRequired(PolicyError, http_status=409):
    """The action needs an explicit confirmation."""


class SandboxUnavailable(
    PolicyError,
    http_status=503,
    hint="Install bubblewrap (Debian: apt-get install bubblewrap) or use a kernel with Landlock and seccomp.",
):
    """No sandbox is available on this machine, and code never runs without one."""


class AddressRefused(
    PolicyError, hint="Use an http or https address on the public web, or add a local file by its path."
):
    """The address is not on the public web: it has another scheme, a private network, or an unusual port."""


class RobotsRefused(PolicyError, hint="Open the page yourself, save it, and add the file."):
    """The site's robots.txt disallows automated access to that page."""


# An answer and its proof do not match.


class EvidenceError(AvermentError, http_status=409):
    """An answer and its proof do not match."""


class NotEnoughEvidence(EvidenceError, exit_code=3, http_status=422):
    """The data or sources do not contain enough evidence for an answer."""


class UnboundNumber(EvidenceError, exit_code=5):
    """A text contains a number that no evidence covers."""


class UnboundQuote(EvidenceError, exit_code=5):
    """A text contains a quotation that no evidence covers."""


class UntrueClaim(EvidenceError, exit_code=5):
    """A claim is not supported by its evidence."""


class VerificationFailed(EvidenceError, exit_code=5):
    """A run, artifact or ledger differs from what was sealed."""


# Required data cannot be stored.


class LedgerError(AvermentError):
    """The ledger cannot be used."""


class LedgerCorrupt(
    LedgerError,
    exit_code=5,
    hint="Run `averment verify --ledger FILE` to see the first fault; restore the file from a backup.",
):
    """The ledger's last complete entry is not valid, so nothing is appended."""


class LedgerUnavailable(LedgerError, http_status=503, retryable=True):
    """The ledger file cannot be opened, locked or written."""


class StorageError(AvermentError, http_status=507):
    """Required data cannot be stored."""


class DiskFull(
    StorageError,
    retryable=True,
    hint="Free some space, or move the home with AVERMENT_HOME, then `averment resume RUN`.",
):
    """The disk is full; the partial write was removed."""


class HomeNotWritable(StorageError, exit_code=2, hint="Choose another folder with AVERMENT_HOME or --home."):
    """The home folder is not writable."""


class StoreUnavailable(StorageError, http_status=503, retryable=True):
    """The database or the shared file store cannot be reached."""


class StoreConflict(StorageError, http_status=409):
    """A different record with that key already exists."""


# A model could not help, or the user stopped the run.


class ModelError(AvermentError, http_status=502):
    """A model gave no usable answer; the built-in rules answer instead."""


class ModelUnavailable(ModelError):
    """No model is configured, or it cannot be reached."""


class ModelTimeout(ModelError):
    """The model did not respond in time."""


class ModelNonsense(ModelError):
    """The model's answer failed validation twice."""


class ModelBudgetExceeded(ModelError):
    """The run's budget of calls or tokens is spent."""


class RunCancelled(
    AvermentError, exit_code=130, http_status=409, hint="Ask again, or continue with `averment resume RUN`."
):
    """The user stopped the run; everything sealed so far is kept."""


class RunInterrupted(
    AvermentError, http_status=409, retryable=True, hint="Continue it with `averment resume` and the run's id."
):
    """The process that carried the run out ended before the run did."""


class RunStopped(BaseException):
    """Unwinds a run that is to stop; it leaves the run as ``RunCancelled``.

    Not an ``AvermentError``, as asyncio's own cancellation is not an ``Exception``: whoever tries several readings and
    takes an error for one that does not hold must not take a stop for that, and try the next.
    """


# An HTTP request that is not let in, or that cannot be read. The workbench was not asked.


class WireError(AvermentError, exit_code=2, http_status=400, hint="Correct the request and send it again."):
    """The HTTP request was rejected or could not be parsed; nothing was done."""


class TokenRequired(
    WireError, http_status=401, hint="Send `Authorization: Bearer TOKEN`; the server prints the token when it starts."
):
    """The request does not carry the server's token."""


class OriginRefused(WireError, http_status=403, hint="Only pages that this server sent may call it from a browser."):
    """The request comes from a page of another origin."""


class HostRefused(
    WireError, http_status=421, hint="Use a loopback address, or the host name that the server listens on."
):
    """The request names a host that this server does not serve."""


class RouteNotFound(WireError, http_status=404, hint="See /openapi.json for every route."):
    """There is no route with that path."""


class MethodNotAllowed(
    WireError, http_status=405, hint="See the Allow header, or /openapi.json, for the methods of a path."
):
    """The path does not support that method."""


class MalformedRequest(WireError, hint="Send the fields and files as multipart/form-data."):
    """The body does not match its headers."""


class RequestTooSlow(WireError, http_status=408, retryable=True):
    """The body did not arrive in time."""


class RequestTooLarge(
    WireError, http_status=413, hint="Send fewer or smaller files; connect larger data by path or database URL."
):
    """The request body is larger than the limit."""


class TooManyRequests(
    WireError, http_status=429, retryable=True, hint="Wait a moment, then send requests more slowly."
):
    """One address sends too many requests, or too many wrong tokens."""
