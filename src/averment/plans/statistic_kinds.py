"""The names of a plan's statistics: those that Averment has itself, and those that plugins add."""

from __future__ import annotations

from typing import Annotated, Literal, get_args

from averment.plugins import OneOf

BuiltInStatistic = Literal[
    "correlation",
    "difference_test",
    "independence",
    "distribution",
    "outliers",
    "trend",
    "equal_groups",
    "retention",
    "members",
    "overview",
    "duplicates",
    "model",
    "normality",
    "shape",
]


StatisticKind = Annotated[str, OneOf("operations", get_args(BuiltInStatistic))]
"""The name of a statistic."""
