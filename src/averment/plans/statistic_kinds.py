"""The names of a plan's statistics: those that Averment has itself, and those that plugins add."""

from __future__ import annotations

from typing import Annotated, Literal, get_args

from pydantic import AfterValidator, ValidationInfo, WithJsonSchema

from averment import plugins
from averment.records.base import is_stored

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


def _known(kind: str, info: ValidationInfo) -> str:
    own = get_args(BuiltInStatistic)
    if kind not in own and not is_stored(info) and kind not in plugins.names("operations", own):
        raise ValueError(f"there is no statistic {kind}; there are {', '.join(own)}, and what plugins add")
    return kind


StatisticKind = Annotated[
    str, AfterValidator(_known), WithJsonSchema({"type": "string", "enum": list(get_args(BuiltInStatistic))})
]
"""The name of a statistic; the schema lists those that are always there."""
