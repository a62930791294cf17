"""What a user asks of the driller: a metric, two periods, the files, and what may be taken for granted about them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from pydantic import Field

from averment.errors import MaxFilesExceeded, NoFilesUploaded
from averment.records.analysis.request import (
    ALL_DELIVERABLES,
    LIMIT_REFUSALS,
    MAX_INTENT_LENGTH,
    MAX_ROW_LIMIT,
    MAX_TIMEOUT_SECONDS,
    Constraints,
    Deliverables,
    Policy,
    as_list,
    as_source,
)
from averment.records.analysis.source import DataSource
from averment.records.base import Record, UtcDatetime, UuidText, new_id, utc_now
from averment.records.drilldown.investigation import (
    REFUSALS,
    ColumnRoles,
    InvestigationContext,
    InvestigationInputs,
    Relations,
)
from averment.records.drilldown.session import MAX_FILES
from averment.records.refusal import Refusals, checked

_REFUSALS: Refusals = {
    **LIMIT_REFUSALS,
    **{f"context.{place}": error for place, error in REFUSALS.items()},
    "data_sources:missing": NoFilesUploaded,
    "data_sources:too_short": NoFilesUploaded,
    "data_sources:too_long": MaxFilesExceeded,
}


class SourceFile(Record):
    """What the user says of one file: its name, what it holds, and its id in the session where it was uploaded."""

    name: str = Field(max_length=255)
    description: str = Field(default="", max_length=2000)
    file_id: UuidText | None = None


class DrillRequest(Record):
    """Why did this metric move between these periods, asked of these files.

    ``files`` stands in the order of ``data_sources``; it may be shorter, and says what the user said of each file.
    ``column_roles`` holds what the user says of columns that were read otherwise, by ``column`` or ``table.column``;
    ``relations`` how tables belong together where it is not to be found out, as ``orders.customer=customers.id``.
    """

    request_id: UuidText = Field(default_factory=new_id)
    session_id: UuidText
    intent: str = Field(min_length=1, max_length=MAX_INTENT_LENGTH)
    data_sources: tuple[DataSource, ...] = Field(min_length=1, max_length=MAX_FILES)
    files: tuple[SourceFile, ...] = ()
    context: InvestigationContext
    column_roles: ColumnRoles = Field(default_factory=dict)
    relations: Relations = ()
    constraints: Constraints = Field(default_factory=lambda: Constraints(timeout_seconds=MAX_TIMEOUT_SECONDS))
    deliverables: Deliverables = ALL_DELIVERABLES
    policy: Policy = Field(default_factory=Policy)
    timestamp: UtcDatetime = Field(default_factory=utc_now)

    @classmethod
    def checked(
        cls,
        *,
        data_sources: Iterable[Any] | None,
        metric_sql: Any,
        baseline_period: Any,
        comparison_period: Any,
        business_context: Any = None,
        investigation_prompt: Any = None,
        groups: Any = None,
        metric_name: Any = None,
        metric_unit: Any = None,
        column_roles: Mapping[str, Any] | None = None,
        relations: Iterable[str] = (),
        files: Iterable[Any] = (),
        session_id: str | None = None,
        request_id: str | None = None,
        submitted_at: Any = None,
        row_limit: Any = MAX_ROW_LIMIT,
        timeout_seconds: Any = MAX_TIMEOUT_SECONDS,
        deliverables: Iterable[Any] = ALL_DELIVERABLES,
        policy: Any = None,
    ) -> DrillRequest:
        """A request from raw values.

        A text among the sources is taken as a path or URL, a pair of dates as a period. Without a session the request
        is its own.

        Raises:
            MetricSqlRequired, NoFilesUploaded, MaxFilesExceeded, InvalidDateRange, UnsupportedSource,
            RowLimitOutOfRange, TimeoutOutOfRange, UnknownDeliverable: that rule is broken.
            InvalidRequest: any other.
        """
        own = request_id or new_id()
        context: dict[str, Any] = {
            "session_id": session_id or own,
            "business_context": business_context,
            "metric_sql": metric_sql,
            "baseline_period": _as_period(baseline_period),
            "comparison_period": _as_period(comparison_period),
            "investigation_prompt": investigation_prompt,
            "groups": groups,
            "metric_name": metric_name,
            "metric_unit": metric_unit,
        }
        if submitted_at is not None:
            context["submitted_at"] = submitted_at
        values: dict[str, Any] = {
            "request_id": own,
            "session_id": session_id or own,
            "data_sources": [as_source(source) for source in as_list(data_sources)],
            "files": list(files),
            "context": context,
            "column_roles": dict(column_roles or {}),
            "relations": list(relations),
            "constraints": {"row_limit": row_limit, "timeout_seconds": timeout_seconds},
            "deliverables": as_list(deliverables),
            "policy": {} if policy is None else policy,
        }
        # The context is checked first: its refusals are clearer than those of an intent made from bad parts.
        read = checked(InvestigationContext, context, REFUSALS)
        # A period in words is read once: what is kept are its days.
        context |= {"baseline_period": read.baseline_period, "comparison_period": read.comparison_period}
        values["intent"] = intent_of(read)
        return checked(cls, values, _REFUSALS)


def intent_of(context: InvestigationInputs) -> str:
    """The question in words: the metric and both periods or groups, at most as long as a question may be."""
    groups = context.groups
    if groups is not None:
        before, after = groups.words("baseline"), groups.words("comparison")
        question = f"Why does {{metric}} differ between {before} and {after}?"
    else:
        periods = (context.baseline_period, context.comparison_period)
        before, after = (f"{period.start} – {period.end}" for period in periods)
        question = f"Why did {{metric}} change from {before} to {after}?"
    metric = " ".join((context.metric_name or context.metric_sql).split())
    room = MAX_INTENT_LENGTH - len(question) + len("{metric}")
    return question.replace("{metric}", metric if len(metric) <= room else metric[: room - 1] + "…")


def _as_period(period: Any) -> Any:
    if isinstance(period, list | tuple) and len(period) == 2:  # pyright: ignore[reportUnknownArgumentType] - raw input
        start, end = period  # pyright: ignore[reportUnknownVariableType] - raw input
        return {"start": start, "end": end}
    return period
