"""A metric cannot be followed from one period to the other: usage errors, all exit 2."""

from __future__ import annotations

from averment.errors.request import UsageError


class MetricUnreadable(UsageError):
    """The metric is no sum, count, mean or ratio of such over the given files."""

    code = "METRIC_UNREADABLE"
    http_status = 422
    default_hint = "Give SUM, COUNT, COUNT(DISTINCT …), AVG or a ratio of these, for example SUM(amount) / COUNT(*)."


class MetricUndefined(UsageError):
    """The metric divides by zero in one of the periods, so it has no change to explain."""

    code = "METRIC_UNDEFINED"
    http_status = 422
    default_hint = "Choose periods in which the denominator is not zero, or investigate the numerator alone."


class NoDateColumn(UsageError):
    """Neither the metric's file nor a file it refers to has a date, so its rows belong to no period."""

    code = "NO_DATE_COLUMN"
    http_status = 422
    default_hint = "Add a date column to the metric's file, or a file with dates that it refers to by a key."


class PeriodWithoutData(UsageError):
    """A period holds no row of the metric."""

    code = "PERIOD_WITHOUT_DATA"
    http_status = 422
    default_hint = "Choose periods inside the dates that the data hold."


class JoinFansOut(UsageError):
    """A join would repeat rows and so multiply the metric."""

    code = "JOIN_FANS_OUT"
    http_status = 422
    default_hint = "Join tables that have one row for each key, or aggregate the other table by that key first."


class GroupNotFound(UsageError):
    """A group to be compared is none of the flag's values."""

    code = "GROUP_NOT_FOUND"
    http_status = 422
    default_hint = "Name two of the flag's values, as they stand in the data."


class MetricUnclear(UsageError):
    """The metric's words can be read in several ways, or in none; the message asks which is meant."""

    code = "METRIC_UNCLEAR"
    http_status = 422
    default_hint = "Give the metric as SQL, for example SUM(amount) or SUM(orders) / SUM(visits)."
