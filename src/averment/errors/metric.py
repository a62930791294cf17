"""A metric cannot be followed from one period to the other: usage errors, all exit 2."""

from __future__ import annotations

from averment.errors.request import UsageError


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
