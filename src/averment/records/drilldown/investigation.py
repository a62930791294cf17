"""What is investigated: the metric, two periods, the tables and how they relate, and the plan."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import date, timedelta
from typing import Annotated, Any, Literal

from pydantic import (
    BeforeValidator,
    Field,
    ModelWrapValidatorHandler,
    SerializerFunctionWrapHandler,
    ValidationError,
    field_validator,
    model_serializer,
    model_validator,
)

from averment.errors import InvalidDateRange, InvalidRequest, MetricSqlRequired
from averment.records.base import Record, Share, UtcDatetime, UuidText, is_blank, utc_now
from averment.records.drilldown.files import ColumnRole
from averment.records.refusal import Refusals, broken, checked

_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_MONTH = "|".join(f"{name}[a-z]*" for name in _MONTHS)
Span = tuple[date, date]


def read_period(text: str, today: date) -> Span | None:
    """The first and last day of the period that a text names, or None where it names none."""
    said = " ".join(text.casefold().replace(",", " ").split())
    for mark in ("..", " to ", " until "):
        left, found, right = said.partition(mark)
        if found:
            first, last = _one(left.strip(), today), _one(right.strip(), today)
            return None if first is None or last is None else (first[0], last[1])
    return _one(said, today)


def _one(said: str, today: date) -> Span | None:
    try:
        return _absolute(said) or _relative(said, today)
    except ValueError:
        return None


def _absolute(said: str) -> Span | None:
    if re.fullmatch(r"\d{4}-\d{2}-\d{2}", said):
        day = date.fromisoformat(said)
        return day, day
    if found := re.fullmatch(r"(\d{4})[-/](\d{1,2})", said):
        return _month(int(found[1]), int(found[2]))
    if re.fullmatch(r"(?:1[7-9]|20|21)\d{2}", said):
        return _year(int(said))
    if found := re.fullmatch(r"(\d{4})[- ]?q([1-4])", said):
        return _quarter(int(found[1]), int(found[2]))
    if found := re.fullmatch(r"q([1-4])[- ]?(\d{4})", said):
        return _quarter(int(found[2]), int(found[1]))
    if found := re.fullmatch(rf"({_MONTH}) (\d{{4}})", said):
        return _month(int(found[2]), _number(found[1]))
    if found := re.fullmatch(rf"(\d{{4}}) ({_MONTH})", said):
        return _month(int(found[1]), _number(found[2]))
    if found := re.fullmatch(r"(\d{4})-?w(\d{1,2})", said):
        first = date.fromisocalendar(int(found[1]), int(found[2]), 1)
        return first, first + timedelta(days=6)
    return None


def _relative(said: str, today: date) -> Span | None:
    back = {"this": 0, "last": 1, "previous": 1}
    if said == "yesterday":
        return today - timedelta(days=1), today - timedelta(days=1)
    if said in {"year to date", "ytd"}:
        return date(today.year, 1, 1), today
    if found := re.fullmatch(r"(this|last|previous) (week|month|quarter|year)", said):
        return _calendar(found[2], back[found[1]], today)
    if found := re.fullmatch(r"(?:the )?(?:last|past) (\d{1,3}) (day|week|month)s?", said):
        days = int(found[1]) * {"day": 1, "week": 7, "month": 30}[found[2]]
        return today - timedelta(days=days), today - timedelta(days=1)
    if found := re.fullmatch(r"q([1-4])(?: (?:of )?(this|last|previous) year)?", said):
        return _quarter(today.year - back.get(found[2] or "this", 0), int(found[1]))
    if found := re.fullmatch(rf"({_MONTH}) (?:of )?(this|last|previous) year", said):
        return _month(today.year - back[found[2]], _number(found[1]))
    return None


def _calendar(unit: str, back: int, today: date) -> Span:
    match unit:
        case "week":
            first = today - timedelta(days=today.weekday() + 7 * back)
            return first, first + timedelta(days=6)
        case "month":
            number = today.year * 12 + today.month - 1 - back
            return _month(number // 12, number % 12 + 1)
        case "quarter":
            number = today.year * 4 + (today.month - 1) // 3 - back
            return _quarter(number // 4, number % 4 + 1)
        case _:
            return _year(today.year - back)


def _number(name: str) -> int:
    return _MONTHS.index(name[:3]) + 1


def _month(year: int, month: int) -> Span:
    first = date(year, month, 1)
    following = date(year + month // 12, month % 12 + 1, 1)
    return first, following - timedelta(days=1)


def _quarter(year: int, quarter: int) -> Span:
    return _month(year, 3 * quarter - 2)[0], _month(year, 3 * quarter)[1]


def _year(year: int) -> Span:
    return date(year, 1, 1), date(year, 12, 31)


MAX_ROLES = 2_000
"""More columns than ten files of two hundred have."""

REFUSALS: Refusals = {
    "metric_sql:missing": MetricSqlRequired,
    "baseline_period:missing": InvalidDateRange,
    "comparison_period:missing": InvalidDateRange,
}
"""Which error an absent input means."""


def _role(value: object) -> object:
    return "timestamp" if value == "time" else value


ColumnRoles = Annotated[dict[str, Annotated[ColumnRole, BeforeValidator(_role)]], Field(max_length=MAX_ROLES)]
Relations = Annotated[tuple[Annotated[str, Field(min_length=7, max_length=500)], ...], Field(max_length=20)]
"""How tables belong together, as ``orders.customer=customers.id``."""
"""Roles that a user gave to columns, by their names; ``time`` is another word for a timestamp."""


class DateRange(Record):
    """A period from its first to its last day, both included. Whatever is no such period is an invalid date range."""

    start: date
    end: date

    @model_validator(mode="wrap")
    @classmethod
    def _is_a_period(cls, value: Any, handler: ModelWrapValidatorHandler[DateRange]) -> DateRange:
        if isinstance(value, str) and (named := read_period(value, utc_now().date())) is not None:
            value = {"start": named[0], "end": named[1]}
        try:
            period = handler(value)
        except ValidationError as error:
            raise broken(
                InvalidDateRange,
                "a period has a start and an end, each a date like 2024-01-31, or is written as "
                "2024-01-01..2024-01-31, 2024-01, 2024-Q1, 2024 or last month",
            ) from error
        if period.end < period.start:
            raise broken(InvalidDateRange, f"the period ends on {period.end}, before it starts on {period.start}")
        return period

    @property
    def days(self) -> int:
        """How many days the period has."""
        return (self.end - self.start).days + 1


ALWAYS = {"start": "0001-01-01", "end": "9999-12-31"}
"""The period of groups that are compared over all their rows."""


class Groups(Record):
    """Two groups of rows by the value of a flag: the control (``baseline``) and the test (``comparison``)."""

    column: str = Field(min_length=1, max_length=300)
    baseline: str = Field(max_length=300)
    comparison: str = Field(max_length=300)

    @model_validator(mode="after")
    def _are_two(self) -> Groups:
        if self.baseline == self.comparison:
            raise broken(
                InvalidRequest, f"a group must be compared with another group, not with itself ({self.baseline!a})"
            )
        return self

    def words(self, side: Literal["baseline", "comparison"]) -> str:
        """One of the groups as a reader sees it."""
        return f"{self.column} = {self.baseline if side == 'baseline' else self.comparison}"


class InvestigationInputs(Record):
    """What a user gives for an investigation. The two periods may lie in any order, and may overlap.

    With ``groups`` two groups of rows are compared instead, over the same period or, without one, over all rows.
    """

    business_context: str | None = Field(default=None, max_length=5000)
    metric_sql: str = Field(max_length=2000)
    baseline_period: DateRange
    comparison_period: DateRange
    investigation_prompt: str | None = Field(default=None, max_length=2000)
    groups: Groups | None = None
    metric_name: str | None = Field(default=None, max_length=100)
    """What the metric is called in the report, such as Revenue."""
    metric_unit: str | None = Field(default=None, max_length=20)

    @model_validator(mode="before")
    @classmethod
    def _groups_need_no_periods(cls, values: Any) -> Any:
        if not isinstance(values, Mapping) or not values.get("groups"):  # pyright: ignore[reportUnknownMemberType] - raw
            return values  # pyright: ignore[reportUnknownVariableType] - raw input
        given: dict[str, Any] = dict(values)  # pyright: ignore[reportUnknownArgumentType] - raw input
        before, after = given.get("baseline_period"), given.get("comparison_period")
        given["baseline_period"] = before or after or ALWAYS
        given["comparison_period"] = after or before or ALWAYS
        return given

    @model_validator(mode="after")
    def _groups_share_their_time(self) -> InvestigationInputs:
        if self.groups is not None and self.baseline_period != self.comparison_period:
            raise broken(InvalidRequest, "two groups are compared over one period; give the same period twice, or none")
        return self

    @model_serializer(mode="wrap")
    def _without_what_is_absent(self, handler: SerializerFunctionWrapHandler) -> dict[str, Any]:
        """Without groups and a name the record is what it was before there were any, to the byte."""
        dumped: dict[str, Any] = handler(self)
        absent = [name for name in ("groups", "metric_name", "metric_unit") if dumped.get(name) is None]
        return {name: value for name, value in dumped.items() if name not in absent}

    @property
    def limits_time(self) -> bool:
        """Whether rows outside of some days take no part."""
        return self.groups is None or self.baseline_period.end != date.max or self.baseline_period.start != date.min

    def side_words(self, side: Literal["baseline", "comparison"]) -> str:
        """One side of the comparison as a reader sees it: its days, or its group."""
        if self.groups is not None:
            return self.groups.words(side)
        period = self.baseline_period if side == "baseline" else self.comparison_period
        return f"{period.start} to {period.end}"

    @field_validator("metric_sql", mode="before")
    @classmethod
    def _names_a_metric(cls, metric_sql: Any) -> Any:
        if metric_sql is None or (isinstance(metric_sql, str) and is_blank(metric_sql)):
            raise broken(MetricSqlRequired, "an investigation needs a metric, for example SUM(amount)")
        return metric_sql


class InvestigationContext(InvestigationInputs):
    """The inputs of a session's investigation, as they were submitted."""

    session_id: UuidText
    submitted_at: UtcDatetime = Field(default_factory=utc_now)

    @classmethod
    def checked(cls, values: Mapping[str, Any]) -> InvestigationContext:
        """A context from raw values.

        Raises:
            MetricSqlRequired: there is no metric.
            InvalidDateRange: a period is missing, is no period, or ends before it starts.
            InvalidRequest: any other rule is broken.
        """
        return checked(cls, values, REFUSALS)


class TableInfo(Record):
    """A table's summary; its name comes from the file's."""

    file_id: UuidText
    name: str
    row_count: int = Field(ge=0)
    column_count: int = Field(ge=0)


class Relationship(Record):
    """A detected link between two tables' columns."""

    from_table: str
    from_column: str
    to_table: str
    to_column: str
    relationship_type: Literal["foreign_key", "similar_values"]
    confidence: Share


class DataModel(Record):
    """The tables of a session and how they relate."""

    session_id: UuidText
    tables: tuple[TableInfo, ...]
    relationships: tuple[Relationship, ...] = ()
    recommended_dimensions: tuple[str, ...]
    inferred_at: UtcDatetime = Field(default_factory=utc_now)


class PlanStep(Record):
    """One step of an investigation's plan."""

    step_number: int = Field(ge=1)
    phase: Literal["exploration", "hypothesis_generation", "validation"]
    description: str
    tables_involved: tuple[str, ...]
    dimensions_to_check: tuple[str, ...]


class AnalysisPlan(Record):
    """The steps of an investigation in the order of their execution."""

    session_id: UuidText
    steps: tuple[PlanStep, ...]
    created_at: UtcDatetime = Field(default_factory=utc_now)

    @model_validator(mode="after")
    def _steps_are_in_order(self) -> AnalysisPlan:
        numbers = [step.step_number for step in self.steps]
        if numbers != sorted(set(numbers)):
            raise ValueError("the steps must be in the order of step_number, each number once")
        return self
