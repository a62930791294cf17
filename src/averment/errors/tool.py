"""A tool call failed; a reasoner may repair it."""

from __future__ import annotations

from averment.errors.base import AvermentError


class ToolError(AvermentError):
    """A tool call failed; ``suggestion`` is a fix that an agent can apply."""

    code = "TOOL_FAILED"
    http_status = 422
    retryable = True

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


class SqlSyntax(ToolError):
    """The SQL cannot be parsed, or the engine does not accept it."""

    code = "SQL_SYNTAX"
    default_hint = "Write one SELECT over the opened tables; docs/reference/sql.md lists its functions."
    category = "sql_syntax"


class TypeMismatch(ToolError):
    """A value or column has a type that the operation does not accept."""

    code = "TYPE_MISMATCH"
    category = "type_mismatch"


class MissingColumn(ToolError):
    """The query names a column that none of its tables has."""

    code = "MISSING_COLUMN"
    category = "missing_column"


class MissingTable(ToolError):
    """The query names a table that no open source has."""

    code = "MISSING_TABLE"
    category = "missing_column"


class ResourceExhausted(ToolError):
    """The call was stopped by a limit on time, rows, memory or output."""

    code = "RESOURCE_EXHAUSTED"
    category = "resource_exhausted"


class QueryTimeout(ResourceExhausted):
    """The call was stopped when its time ran out."""

    code = "QUERY_TIMEOUT"
    http_status = 504
    default_hint = "Reduce the work (a filter, fewer groups) or allow more time, up to 180 seconds."


class RowLimitExceeded(ResourceExhausted):
    """The result has more rows than allowed."""

    code = "ROW_LIMIT_EXCEEDED"
    default_hint = "Aggregate or filter, or raise the row limit, up to 200000."


class MemoryExceeded(ResourceExhausted):
    """The call was stopped because it used more memory than allowed."""

    code = "MEMORY_EXCEEDED"


class OutputExceeded(ResourceExhausted):
    """The call was stopped because it wrote more output than allowed."""

    code = "OUTPUT_EXCEEDED"
