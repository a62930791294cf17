"""A tool call failed; a reasoner may repair it."""

from __future__ import annotations

from averment.errors.base import AvermentError


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
