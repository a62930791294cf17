"""The root of the error tree and the contracts' four categories."""

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
