"""Acting: one tool call becomes one observation, exactly once, whatever happens in between.

A call's id depends only on run, task and attempt. Its observation is kept before the step counts as done; a resumed run
that finds the observation takes it and does not run the tool again.
"""

from __future__ import annotations

import re
import time
from typing import TYPE_CHECKING, Any

from averment.errors import (
    AvermentError,
    PolicyError,
    QueryTimeout,
    ResourceExhausted,
    SourceError,
    StorageError,
    ToolError,
)
from averment.records.base import derived_id, picked
from averment.records.run import Observation, ObservationStatus, ToolCall, ToolName
from averment.runtime.decisions import RULES
from averment.runtime.journal import brief, digest

if TYPE_CHECKING:
    from collections.abc import Sequence

    from averment.runtime.run_context import RunContext

SHORTEST = 1e-6
_WORDS = re.compile(r"[\w.,%-]*\w")


def make_call(work: RunContext, task_id: str, tool_name: ToolName, arguments: dict[str, Any], attempt: int) -> ToolCall:
    """The call of that attempt, the one that was kept before if there is one."""
    call_id = derived_id(work.run_id, "call", task_id, attempt)
    kept = work.services.store.runs.record(work.run_id, "call", call_id)
    if kept is not None:
        return ToolCall.model_validate(kept)
    call = ToolCall(call_id=call_id, task_id=task_id, tool_name=tool_name, arguments=arguments, attempt_number=attempt)
    work.services.store.runs.put(work.run_id, "call", call_id, call.model_dump(mode="json"))
    return call


def observe(work: RunContext, call: ToolCall) -> Observation:
    """Run the call and keep what it came back with.

    Raises:
        PolicyError: policy refuses the call; it is written down and not tried again.
        SourceError: a source vanished or changed under the run.
        StorageError: the result cannot be kept; the run can be resumed once it can.
        RunStopped: the user stopped the run.
    """
    kept = work.services.store.runs.record(work.run_id, "observation", call.call_id)
    if kept is not None:
        observation = Observation.model_validate(kept)
    else:
        work.cancel.check()
        called = picked(call, "call_id", "tool_name", "task_id", "attempt_number")
        called["arguments"] = brief(call.arguments)
        work.journal.write(f"call/{call.call_id}", "tool_called", "actor", called)
        work.events.tell("call_started", call.call_id, **_told(call))
        observation = _execute(work, call)
        work.flush()
        work.services.store.runs.put(work.run_id, "observation", call.call_id, observation.model_dump(mode="json"))
    observed = picked(observation, "observation_id", "status", "row_count", "error_category")
    observed |= {"call_id": call.call_id, "observation_sha256": digest(observation.model_dump(mode="json"))}
    work.journal.write(f"observation/{call.call_id}", "observation_recorded", "actor", observed)
    work.events.tell(
        "call_observed",
        call.call_id,
        **_told(call),
        status=observation.status,
        row_count=observation.row_count,
        error=observation.error_message,
        seconds=round(observation.execution_time_seconds, 3),
    )
    work.take(call, observation)
    return observation


def _told(call: ToolCall) -> dict[str, Any]:
    """What events say of a call."""
    return {"task_id": call.task_id, "tool_name": call.tool_name, "attempt": call.attempt_number}


def _execute(work: RunContext, call: ToolCall) -> Observation:
    started = time.perf_counter()
    try:
        arguments = work.services.tools.registry.validate(call.tool_name, call.arguments)
        tool = work.services.tools.registry.get(call.tool_name)
        _keep_invariants(work, call)
        with work.services.tools.slots.taken(call.tool_name, work.clock.seconds_left):
            output = tool.run(arguments, work.tool_context(call.call_id))
        data: dict[str, Any] = output.model_dump(mode="json")
    except PolicyError as refusal:
        work.journal.decide(
            f"refused/{call.call_id}",
            decision="refused",
            rule=refusal.code,
            reason=refusal.message,
            call_id=call.call_id,
        )
        work.events.tell("policy_decided", call.call_id, decision="refused", rule=refusal.code, reason=refusal.message)
        raise
    except (StorageError, SourceError):
        raise
    except AvermentError as error:
        work.cancel.check()
        if isinstance(error, QueryTimeout) and "spent" not in error.details and work.clock.account:
            error = QueryTimeout(f"{error.message} Before that, {work.clock.account}.", details=error.details)
        return _failed(call, error, time.perf_counter() - started)
    table = data.get("table")
    row_count = table.get("row_count") if isinstance(table, dict) else None
    return Observation(
        observation_id=derived_id(call.call_id, "observation"),
        call_id=call.call_id,
        status="success",
        data=data,
        execution_time_seconds=max(time.perf_counter() - started, SHORTEST),
        row_count=row_count,
    )


def _keep_invariants(work: RunContext, call: ToolCall) -> None:
    """Refuse a query that breaks what the plan demands of its task, or one of a model's that makes up a column."""
    demands = work.state.invariants(call.task_id)
    if demands and call.tool_name == "sql.run":
        from averment.tables.guard.invariants import check_invariants

        check_invariants(str(call.arguments.get("query", "")), demands, work.catalog.dialect)
    if work.state.reasoner != RULES and call.tool_name == "sql.run":
        refuse_made_up(work, str(call.arguments.get("query", "")), call.arguments.get("params") or ())


def refuse_made_up(work: RunContext, sql: str, params: Sequence[object] = ()) -> None:
    """Pass a query of a model's whose result is made of the sources and of words and numbers of the question.

    A submission is held to it when it is tried, so that a model can correct it, and again when the run acts.

    Raises:
        PlanInvalid: a column of its result is made up.
    """
    from averment.tables.guard.cell_origins import check_origins

    check_origins(sql, work.catalog.dialect, params=params, own=askers_words(work))


def askers_words(work: RunContext) -> list[str]:
    """The words and numbers of the question."""
    return _WORDS.findall(work.request.intent)


def _failed(call: ToolCall, error: AvermentError, seconds: float) -> Observation:
    status: ObservationStatus = "error"
    if isinstance(error, QueryTimeout):
        status = "timeout"
    elif isinstance(error, ResourceExhausted):
        status = "resource_limit"
    data: dict[str, Any] = {"code": error.code, "hint": error.hint, "retryable": error.retryable}
    if isinstance(error, ToolError) and error.suggestion is not None:
        data["suggestion"] = error.suggestion
    return Observation(
        observation_id=derived_id(call.call_id, "observation"),
        call_id=call.call_id,
        status=status,
        data=data,
        error_message=error.message,
        error_category=error.category or "type_mismatch",
        execution_time_seconds=max(seconds, SHORTEST),
    )
