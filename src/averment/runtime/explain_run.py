"""The way of one run, from its question to its claims, gathered from what was kept: for a person to read."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from averment.runtime.execution.restore import calls_of, conclusion_of
from averment.runtime.outcome import Run

if TYPE_CHECKING:
    from averment.runtime.services import Services
    from averment.store.runs.run_rows import RunRow

QUERY = ("query", "code", "sql")
"""The arguments of a call that hold what was carried out."""


def way_of(services: Services, row: RunRow) -> dict[str, Any]:
    """Every station of a run: words and what else they could mean, readings with gates and odds, plan, calls, claims.

    A station that a run did not pass, such as the readings of a drill, is empty, and so is what was not kept when the
    run was made. Nothing is computed anew.
    """
    reading = row.reading or {}
    judged = reading.get("judged") or {}
    conclusion = conclusion_of(services, row.run_id)
    return {
        "run": row.run_id,
        "kind": row.kind,
        "status": row.status,
        "question": row.intent,
        "words": judged.get("words", []),
        "rivals": judged.get("rivals", []),
        "silent": judged.get("silent", []),
        "candidates": judged.get("candidates", 0),
        "readings": [_with_passed(each, judged.get("gates", {})) for each in judged.get("readings", [])],
        "refused": judged.get("refused", []),
        "not_run": judged.get("not_run"),
        "gates": judged.get("gates", {}),
        "ensemble": judged.get("ensemble"),
        "read_as": reading.get("read_as"),
        "marks": Run(services, row).marks.model_dump(mode="json"),
        "odds": reading.get("odds"),
        "plan": (reading.get("reading") or {}).get("plan"),
        "calls": [
            {
                "task": call.task_id,
                "tool": call.tool_name,
                "attempt": call.attempt_number,
                "carried_out": next((call.arguments[key] for key in QUERY if key in call.arguments), ""),
                "status": observation.status,
                "rows": observation.row_count,
                "error": observation.error_message,
            }
            for call, observation in calls_of(services, row.run_id)
        ],
        "claims": [
            {"relation": claim.relation, "text": claim.text, "values": [value.text for value in claim.values]}
            for claim in (conclusion.claims if conclusion else ())
        ],
        "answer": row.answer,
    }


def _with_passed(reading: dict[str, Any], gates: dict[str, bool]) -> dict[str, Any]:
    """A reading with the gates that it passed, where those that it failed were kept."""
    if "failed" not in reading:
        return reading
    return reading | {"passed": [gate for gate in gates if gate not in reading["failed"]]}
