"""The analyst's nouns: the request and its sources, the plan and its subtasks, the recipe, their states."""

from __future__ import annotations

from averment.records.analysis.plan import (
    Plan,
    Subtask,
    execution_order,
    validate_plan,
)
from averment.records.analysis.recipe import Recipe, placeholders
from averment.records.analysis.request import (
    MAX_INTENT_LENGTH,
    MAX_ROW_LIMIT,
    MAX_TIMEOUT_SECONDS,
    AnalysisRequest,
    Constraints,
    Policy,
    PolicyFields,
)
from averment.records.analysis.source import DataSource, SourceFormat, SourceType
from averment.records.analysis.status import (
    ENDED,
    RUN_STATES,
    RunStatus,
)
from averment.records.asked import check_artifact

__all__ = [
    "ENDED",
    "MAX_INTENT_LENGTH",
    "MAX_ROW_LIMIT",
    "MAX_TIMEOUT_SECONDS",
    "RUN_STATES",
    "AnalysisRequest",
    "Constraints",
    "DataSource",
    "Plan",
    "Policy",
    "PolicyFields",
    "Recipe",
    "RunStatus",
    "SourceFormat",
    "SourceType",
    "Subtask",
    "check_artifact",
    "execution_order",
    "placeholders",
    "validate_plan",
]
