"""A metric cannot be followed from one period to the other: usage errors, all exit 2."""

from __future__ import annotations

from averment.errors.request import UsageError


class MetricUnreadable(UsageError):
    """The metric is not a sum, count, mean or ratio of these over the given files."""

    code = "METRIC_UNREADABLE"
    http_status = 422
    default_hint = "Give SUM, COUNT, COUNT(DISTINCT …), AVG or a ratio of these, for example SUM(amount) / COUNT(*)."


class MetricUndefined(UsageError):
    """The metric divides by zero in one of the periods, so it has no change to explain."""

    code = "METRIC_UNDEFINED"
    http_status = 422
    default_hint = "Choose periods in which the denominator is not zero, or investigate the numerator alone."


class NoDateColumn(UsageError):
    """Neither the metric's file nor a related file has dates, so its rows cannot be assigned to a period."""

    code = "NO_DATE_COLUMN"
    http_status = 422
    default_hint = "Add a date column to the metric's file, or a file with dates that shares a key with it."


class PeriodWithoutData(UsageError):
    """A period has no rows for the metric."""

    code = "PERIOD_WITHOUT_DATA"
    http_status = 422
    default_hint = "Choose periods within the dates of the data."


class JoinFansOut(UsageError):
    """A join would repeat rows and so multiply the metric."""

    code = "JOIN_FANS_OUT"
    http_status = 422
    default_hint = "Join tables that have one row for each key, or aggregate the other table by that key first."


class GroupNotFound(UsageError):
    """A group to compare is not one of the flag's values."""

    code = "GROUP_NOT_FOUND"
    http_status = 422
    default_hint = "Name two of the flag's values exactly as they appear in the data."


class MetricUnclear(UsageError):
    """The metric's description is ambiguous or not understood; the message asks what it means."""

    code = "METRIC_UNCLEAR"
    http_status = 422
    default_hint = "Give the metric as SQL, for example SUM(amount) or SUM(orders) / SUM(visits)."
