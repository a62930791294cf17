"""Concluding: the skill that read the question says what its results mean; what failed is never filled in."""

from __future__ import annotations

from typing import TYPE_CHECKING

from averment.agents.analyst.caveats import repair_notes, told_apart
from averment.agents.analyst.skill import QUERY
from averment.agents.analyst.skills import skill_named
from averment.runtime.decisions import Conclusion

if TYPE_CHECKING:
    from averment.runtime.run_context import RunContext


FAILURES = {
    "sql_syntax": "the engine does not accept it",
    "type_mismatch": "a column or value has another type than it takes",
    "missing_column": "it names a column or table that is not there",
    "resource_exhausted": "it takes more time, memory or room than is allowed",
    "PLAN_INVALID": "a check refused it, because it does not keep to its plan or to the data",
}
"""Why a query failed, by code or category, in words of our own: an engine's message may quote the data."""


def conclude(work: RunContext) -> Conclusion:
    """The findings, the answer, and whether all, some or nothing of the plan succeeded."""
    if QUERY not in work.state.answered:
        failure = work.state.failed.get(QUERY)
        code = (failure.data or {}).get("code") if failure is not None else None
        reason = FAILURES.get(str(code)) or (failure and FAILURES.get(str(failure.error_category)))
        said = f"The query failed: {reason}." if reason else "The query failed."
        return Conclusion(answer=said, findings=(), status="failed")
    reading = work.state.reading
    told = skill_named(str(reading.get("skill"))).conclude(work, reading.get("reading", {}))
    if not told.findings:
        nothing = "No row matches the question, so there is nothing to compute."
        return Conclusion(answer=told.answer or nothing, findings=(), status="abstained")
    missing = [
        task.task_id
        for task in (work.state.plan.subtasks if work.state.plan else ())
        if task.task_id not in work.state.answered
    ]
    answer = " ".join([told.answer, *repair_notes(work), *told_apart(work)])
    status = "partial_success" if missing else "completed"
    return Conclusion(answer=answer, findings=told.findings, status=status, claims=told.claims)
