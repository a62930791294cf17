"""One task of a run: its call, at most three attempts with repair between them, or the note that it was skipped."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, TypeVar

from averment.records.analysis import Subtask
from averment.records.run import MAX_ATTEMPTS, Observation, ToolCall
from averment.runtime.act import make_call, observe
from averment.runtime.agent import Agent
from averment.runtime.sources import check_sources

if TYPE_CHECKING:
    from averment.runtime.run_context import RunContext
    from averment.runtime.step_protocol import Steps

T = TypeVar("T")


async def run_waves(
    work: RunContext,
    agent: Agent,
    steps: Steps,
    waves: Iterable[tuple[Subtask, ...]],
    made: Mapping[str, int] | None = None,
) -> dict[str, int]:
    """Run tasks wave by wave, those of one wave side by side; all of them rest before the first fault is raised.

    ``made`` are the attempts that an earlier plan made under the same names. Gives back those made here.
    """
    attempts: dict[str, int] = {}
    for wave in waves:
        # A run that is resumed while a task of its failed attempt is still under way would do that task twice.
        before = [(made or {}).get(task.task_id, 0) for task in wave]
        tasks = (_task(work, agent, steps, task, n) for task, n in zip(wave, before, strict=True))
        ended = await asyncio.gather(*tasks, return_exceptions=True)
        for task, last in zip(wave, ended, strict=True):
            if isinstance(last, BaseException):
                raise last
            attempts[task.task_id] = last
    return attempts


async def _task(work: RunContext, agent: Agent, steps: Steps, task: Subtask, made: int) -> int:
    """One subtask, with at most three attempts; a task whose input failed is skipped, and said so. The last attempt."""
    missing = [name for name in task.dependencies if name not in work.state.answered]
    if missing:
        await steps.do(f"skip:{task.task_id}", _skip, work, task, missing)
        return made
    arguments = task.arguments
    for attempt in range(made + 1, MAX_ATTEMPTS + 1):
        call_id = await steps.do(f"call:{task.task_id}:{attempt}", _act, work, task, arguments, attempt)
        if work.state.answered.get(task.task_id) is not None or _restore(work, call_id):
            return attempt
        if attempt == MAX_ATTEMPTS:
            return attempt
        repaired = await steps.do(f"repair:{task.task_id}:{attempt}", _repair, work, agent, call_id, attempt)
        if repaired is None:
            return attempt
        arguments = repaired
    return made


def _act(work: RunContext, task: Subtask, arguments: dict[str, Any], attempt: int) -> str:
    work.cancel.check()
    check_sources(work.catalog, work.services.store.files)
    call = make_call(work, task.task_id, task.tool_name, arguments, attempt)
    observe(work, call)
    return call.call_id


def _restore(work: RunContext, call_id: str) -> bool:
    """Take a recorded answer into this process; true when the call had succeeded."""
    runs = work.services.store.runs
    call = ToolCall.model_validate(runs.record(work.run_id, "call", call_id))
    return work.take(call, Observation.model_validate(runs.record(work.run_id, "observation", call_id)))


def _repair(work: RunContext, agent: Agent, call_id: str, attempt: int) -> dict[str, Any] | None:
    runs = work.services.store.runs
    kept = runs.record(work.run_id, "repair", call_id)
    if kept is None:
        call = ToolCall.model_validate(runs.record(work.run_id, "call", call_id))
        observation = Observation.model_validate(runs.record(work.run_id, "observation", call_id))
        kept = {"arguments": agent.repair(work, call, observation)}
        work.write_probes(f"repair/{call_id}")
        work.flush()
        runs.put(work.run_id, "repair", call_id, kept)
    arguments = kept["arguments"]
    decision = "give_up" if arguments is None else "retry"
    work.journal.decide(
        f"repair/{call_id}", decision=decision, rule="SELF-REPAIR", reason=f"attempt {attempt} failed", call_id=call_id
    )
    work.events.tell("call_repaired", call_id, decision=decision, arguments=arguments, attempt=attempt)
    return arguments


def _skip(work: RunContext, task: Subtask, missing: list[str]) -> None:
    work.journal.decide(
        f"skip/{task.task_id}", decision="skipped", rule="MISSING-INPUT", reason=f"no result of {', '.join(missing)}"
    )
    work.events.tell("call_skipped", task.task_id, task_id=task.task_id, missing=missing)
