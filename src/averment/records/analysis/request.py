"""What a user asks of the analyst: the question, its sources, its limits, what to deliver, and what is forbidden."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Annotated, Any, TypedDict

from pydantic import AfterValidator, Field, field_validator

from averment.errors import (
    IntentEmpty,
    IntentTooLong,
    NoSources,
    RowLimitOutOfRange,
    TimeoutOutOfRange,
    UnknownDeliverable,
    UnsupportedSource,
)
from averment.records.analysis.source import DataSource
from averment.records.base import Record, UtcDatetime, UuidText, is_blank, new_id, utc_now
from averment.records.refusal import Refusals, broken, checked
from averment.records.run import Deliverable

MAX_INTENT_LENGTH = 2_000
MAX_ROW_LIMIT = 200_000
MAX_TIMEOUT_SECONDS = 180
Deliverables = Annotated[tuple[Deliverable, ...], AfterValidator(lambda given: tuple(dict.fromkeys(given)))]
"""What is to be delivered, each once."""

ALL_DELIVERABLES: tuple[Deliverable, ...] = ("tables", "charts", "reports", "summary")

LIMIT_REFUSALS: Refusals = {
    "data_sources.*.type:literal_error": UnsupportedSource,
    "constraints.row_limit": RowLimitOutOfRange,
    "constraints.timeout_seconds": TimeoutOutOfRange,
    "deliverables": UnknownDeliverable,
    "deliverables.*": UnknownDeliverable,
}
"""What is said of sources, limits and deliverables, whoever is asked."""

_REFUSALS: Refusals = {
    **LIMIT_REFUSALS,
    "intent:missing": IntentEmpty,
    "intent:string_too_short": IntentEmpty,
    "intent:string_too_long": IntentTooLong,
    "data_sources:missing": NoSources,
    "data_sources:too_short": NoSources,
}


class Constraints(Record):
    """The limits a user sets: rows a query may return and seconds the whole analysis may take."""

    # Strict, so that neither True nor "12" passes for a number.
    row_limit: int = Field(default=MAX_ROW_LIMIT, ge=1, le=MAX_ROW_LIMIT, strict=True)
    timeout_seconds: int = Field(default=30, ge=1, le=MAX_TIMEOUT_SECONDS, strict=True)


class PolicyFields(TypedDict, total=False):
    """A ``Policy`` as plain values, as a caller writes it; any other field is refused by its name."""

    allowed_columns: Sequence[str] | None
    """The columns that may be read; None for all."""
    blocked_patterns: Sequence[str]
    """Regular expressions, or names such as ``email``, that no name or value may match."""


class Policy(Record):
    """What may not happen: columns outside the list, names or values that match a pattern.

    ``allowed_columns`` of None means that there is no list; an empty list allows no column at all. The patterns are
    regular expressions.
    """

    allowed_columns: tuple[str, ...] | None = None
    blocked_patterns: tuple[str, ...] = ()

    @field_validator("blocked_patterns")
    @classmethod
    def _patterns_compile(cls, patterns: tuple[str, ...]) -> tuple[str, ...]:
        for pattern in patterns:
            if not pattern:
                raise ValueError("an empty pattern would block everything")
            try:
                re.compile(pattern)
            except re.error as error:
                raise ValueError(f"the pattern {pattern!r} is not a regular expression: {error}") from error
        return patterns


class AnalysisRequest(Record):
    """A question in plain words with its sources, limits, deliverables and policy."""

    request_id: UuidText = Field(default_factory=new_id)
    intent: str = Field(min_length=1, max_length=MAX_INTENT_LENGTH)
    data_sources: tuple[DataSource, ...] = Field(min_length=1)
    constraints: Constraints = Field(default_factory=Constraints)
    deliverables: Deliverables = ALL_DELIVERABLES
    policy: Policy = Field(default_factory=Policy)
    timestamp: UtcDatetime = Field(default_factory=utc_now)

    @field_validator("intent")
    @classmethod
    def _intent_says_something(cls, intent: str) -> str:
        if is_blank(intent):
            raise broken(IntentEmpty, "the question is empty")
        return intent

    @classmethod
    def checked(
        cls,
        *,
        intent: Any,
        data_sources: Iterable[Any] | None,
        row_limit: Any = MAX_ROW_LIMIT,
        timeout_seconds: Any = 30,
        deliverables: Iterable[Any] = ALL_DELIVERABLES,
        policy: Any = None,
        request_id: str | None = None,
    ) -> AnalysisRequest:
        """A request from raw values; a text among the sources is taken as a path or URL.

        Raises:
            IntentEmpty, IntentTooLong, NoSources, UnsupportedSource, RowLimitOutOfRange, TimeoutOutOfRange,
            UnknownDeliverable: that rule is broken.
            InvalidRequest: any other.
        """
        values: dict[str, Any] = {
            "intent": "" if intent is None else intent,
            "data_sources": [as_source(source) for source in as_list(data_sources)],
            "constraints": {"row_limit": row_limit, "timeout_seconds": timeout_seconds},
            "deliverables": as_list(deliverables),
            "policy": {} if policy is None else policy,
        }
        if request_id is not None:
            values["request_id"] = request_id
        return checked(cls, values, _REFUSALS)


def as_list(values: Iterable[Any] | None) -> list[Any]:
    """Raw values as a list; nothing is an empty one."""
    # One text is one value, not a row of letters.
    return [values] if isinstance(values, str) else list(values or ())


def as_source(source: Any) -> Any:
    """A text that names a source as that source; anything else as it is."""
    return DataSource.of(source) if isinstance(source, str) and source.strip() else source
