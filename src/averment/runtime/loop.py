"""The loop: plan, act with repair, go on round by round, conclude, report, seal; each part a repeatable durable step.

A step first looks for what it kept before an interruption. So a run that is killed anywhere and resumed goes on where
it was and ends with the same bytes.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import Callable, Iterable, Mapping
from datetime import datetime
from typing import TYPE_CHECKING, Any, Protocol, TypeVar, cast

from averment.errors import AvermentError, RunCancelled, RunStopped, StoreUnavailable
from averment.llm import FallbackNote
from averment.records.analysis import Plan, RunStatus, Subtask, check_artifact, execution_order, validate_plan
from averment.records.base import picked, utc_now
from averment.records.run import MAX_ATTEMPTS, Observation, ToolCall
from averment.runtime.act import make_call, observe
from averment.runtime.agent import Agent, EndingAgent, RoundAgent
from averment.runtime.decisions import MAIN_TASK, Conclusion, Planned, Round
from averment.runtime.execution.restore import planned_of
from averment.runtime.journal import digest
from averment.runtime.seal import seal, sealed_content
from averment.runtime.sources import check_sources
from averment.runtime.status import advance
from averment.runtime.step_protocol import Steps
from averment.version import VERSION

if TYPE_CHECKING:
    from averment.runtime.run_context import RunContext
    from averment.runtime.run_json import KeptRound


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


class PlanningRoundAgent(Agent, RoundAgent, Protocol):
    """An agent that plans as well as goes on."""


async def run_rounds(work: RunContext, agent: PlanningRoundAgent, steps: Steps) -> None:
    """Ask for the next round, run its tasks and take stock, until the agent has nothing more or the time is up."""
    number = 1
    while True:
        kept = await steps.do(f"round:{number}", _decide, work, agent, number)
        if kept is None:
            return
        decided = Round.model_validate(kept)
        await run_waves(work, agent, steps, waves_of(work.run_id, decided.tasks))
        work.state.rounds.append(decided)
        taken = await steps.do(f"taken:{number}", _take, work, agent, decided)
        work.state.taken.append(taken)
        number += 1


def waves_of(run_id: str, tasks: tuple[Subtask, ...]) -> list[tuple[Subtask, ...]]:
    """A round's tasks in waves; what a task takes from earlier rounds is there already and orders nothing."""
    inside = {task.task_id: task for task in tasks}
    ordered = [
        task.model_copy(update={"dependencies": tuple(name for name in task.dependencies if name in inside)})
        for task in tasks
    ]
    order = execution_order(Plan.of(request_id=run_id, subtasks=ordered, reasoning="", plan_id=run_id))
    return [tuple(inside[task.task_id] for task in wave) for wave in order]


def _decide(work: RunContext, agent: PlanningRoundAgent, number: int) -> dict[str, Any] | None:
    runs, key = work.services.store.runs, f"{number:03d}"
    kept = runs.record(work.run_id, "round", key)
    if kept is None:
        work.cancel.check()
        decided = agent.next_round(work, number) if work.clock.has_time else None
        if not work.clock.has_time:
            _stop_for_time(work, key)
        work.write_probes(f"round/{key}")
        if decided is None:
            return None
        kept = decided.model_dump(mode="json")
        work.flush()
        runs.put(work.run_id, "round", key, kept)
    decided = Round.model_validate(kept)
    work.journal.decide(f"round/{key}", decision=decided.decision, rule="NEXT-ROUND", reason=decided.reason)
    work.events.tell(
        "round_begun",
        key,
        number=number,
        decision=decided.decision,
        reason=decided.reason,
        state=decided.state,
        tasks=[task.task_id for task in decided.tasks],
    )
    return kept


def _stop_for_time(work: RunContext, key: str) -> None:
    work.journal.decide(f"stop/{key}", decision="stop", rule="TIME-LIMIT", reason="the time allowed is used up")
    work.events.tell("policy_decided", f"time/{key}", decision="stop", rule="TIME-LIMIT", reason="no time is left")


def _take(work: RunContext, agent: PlanningRoundAgent, decided: Round) -> KeptRound:
    runs, key = work.services.store.runs, f"{decided.number:03d}"
    kept = runs.record(work.run_id, "taken", key)
    if kept is None:
        work.cancel.check()
        kept = dict(agent.take_round(work, decided))
        work.write_probes(f"taken/{key}")
        work.flush()
        runs.put(work.run_id, "taken", key, kept)
    work.events.tell("round_taken", key, number=decided.number, **kept)
    return cast("KeptRound", kept)


CANCEL_POLL_SECONDS = 0.25
_log = logging.getLogger("averment.runtime")


async def run_loop(work: RunContext, agent: Callable[[], Agent], steps: Steps) -> None:
    """Take a run from its submission to its sealed end; an error ends it as failed, and is kept with it."""
    watcher = asyncio.create_task(_watch_for_cancel(work))
    answers: Agent | None = None
    try:
        answers = agent()
        await _loop(work, answers, steps)
    except (RunCancelled, RunStopped):
        await steps.do("cancelled", _end_badly, work, answers, "cancelled", RunCancelled("The run was cancelled."))
    except AvermentError as error:
        await steps.do("failed", _end_badly, work, answers, "failed", error)
    except Exception as error:  # noqa: BLE001  # The top of a run: whatever went wrong is kept with it.
        _log.exception("the run %s ended unexpectedly", work.run_id)
        unexpected = AvermentError(f"An unexpected {type(error).__name__} ended the run: {error}")
        await steps.do("failed", _end_badly, work, answers, "failed", unexpected)
    finally:
        watcher.cancel()
        work.close()


async def _loop(work: RunContext, agent: Agent, steps: Steps) -> None:
    await steps.do("submit", _submit, work)
    planned = Planned.model_validate(await steps.do("plan", _plan, work, agent))
    work.state.reading, work.state.reasoner = planned.reading, planned.reasoner
    if planned.outcome != "planned":
        outcome: RunStatus = planned.outcome
        await steps.do("end", _end, work, outcome, planned.message)
        return
    if work.waits_for_approval():
        return
    await steps.do("execute", advance, work.services.store.runs, work.run_id, "executing")
    plan = planned.parsed()
    work.state.plan = plan
    made = await run_waves(work, agent, steps, execution_order(plan))
    if planned.instead is not None and MAIN_TASK in work.state.failed and MAIN_TASK not in work.state.answered:
        await _run_instead(work, agent, steps, planned.instead, made)
    if isinstance(agent, RoundAgent):
        await run_rounds(work, agent, steps)
    conclusion = Conclusion.model_validate(await steps.do("conclude", _conclude, work, agent))
    await steps.do("report", _report, work, agent, conclusion)
    if conclusion.status == "completed":
        await steps.do("learn", _learn, work, agent)
    await steps.do("end", _end, work, conclusion.status, conclusion.answer)


async def _run_instead(
    work: RunContext, agent: Agent, steps: Steps, kept: dict[str, Any], made: dict[str, int]
) -> None:
    """Carry out what was planned for when the main task fails; each attempt is one more of its task's."""
    await steps.do("instead", _take_instead, work, kept)
    planned = Planned.model_validate(kept)
    plan = planned.parsed()
    work.state.reading, work.state.reasoner, work.state.plan = planned.reading, planned.reasoner, plan
    for task in plan.subtasks:
        work.state.answered.pop(task.task_id, None)
    await run_waves(work, agent, steps, execution_order(plan), made)
    await steps.do("in force", _show_in_force, work)


def _take_instead(work: RunContext, kept: dict[str, Any]) -> None:
    failed = work.state.failed[MAIN_TASK]
    code = str((failed.data or {}).get("code", ""))
    work.model_log.tell_fallback(FallbackNote(code=code, purpose="plan", reason=str(failed.error_message)))
    _write_plan(work, "plan/instead", kept)


def _show_in_force(work: RunContext) -> None:
    standing = planned_of(work.services, work.run_id)
    assert standing is not None  # the run was planned
    work.state.reading, work.state.plan = standing.reading, standing.parsed()
    work.services.store.runs.update(work.run_id, reading=standing.reading, plan=standing.plan)


def _submit(work: RunContext) -> None:
    request = work.request.model_dump(mode="json")
    sources = [
        {
            "label": source.label,
            "format": source.format,
            "content_sha256": source.content_sha256,
            "schema_fingerprint": source.fingerprint,
        }
        for source in work.catalog.sources
    ]
    work.journal.write(
        "request",
        "request_submitted",
        "system",
        {
            "intent": work.request.intent,
            "version": VERSION,
            "request_sha256": digest(request),
            "sources": sources,
            "constraints": request["constraints"],
            "policy": request["policy"],
        },
    )
    work.events.tell("run_submitted", intent=work.request.intent, sources=[source["label"] for source in sources])


def _plan(work: RunContext, agent: Agent) -> dict[str, Any]:
    runs = work.services.store.runs
    kept = runs.record(work.run_id, "planned", "planned")
    if kept is None:
        work.cancel.check()
        advance(runs, work.run_id, "planning")
        planned = agent.plan(work)
        work.cancel.check()
        if planned.outcome == "planned":
            limit = work.request.constraints.timeout_seconds
            validate_plan(planned.parsed(), timeout_seconds=limit, known_tools=work.services.tools.registry.names)
        work.write_probes("plan")
        kept = planned.model_dump(mode="json")
        work.flush()
        runs.put(work.run_id, "planned", "planned", kept)
    planned = Planned.model_validate(kept)
    runs.update(work.run_id, reading=planned.reading, plan=planned.plan)
    _write_plan(work, "plan", kept)
    return kept


def _write_plan(work: RunContext, step: str, kept: dict[str, Any]) -> None:
    planned = Planned.model_validate(kept)
    work.journal.write(
        step,
        "plan_created",
        "planner",
        {
            "outcome": planned.outcome,
            "reasoner": planned.reasoner,
            "plan_sha256": digest(kept),
            "tasks": [task.task_id for task in planned.parsed().subtasks] if planned.plan else [],
        },
    )
    if planned.outcome == "planned":
        told = {"reading": planned.reading, "plan": planned.plan, "reasoner": planned.reasoner}
        work.events.tell("plan_made", "" if step == "plan" else step, **told)
    else:
        work.events.tell("clarification_asked", outcome=planned.outcome, message=planned.message)


def _conclude(work: RunContext, agent: Agent) -> dict[str, Any]:
    work.cancel.check()
    runs = work.services.store.runs
    kept = runs.record(work.run_id, "conclusion", "conclusion")
    if kept is None:
        kept = agent.conclude(work).model_dump(mode="json")
        work.cancel.check()
        work.write_probes("conclude")
        work.flush()
        runs.put(work.run_id, "conclusion", "conclusion", kept)
    for finding in Conclusion.model_validate(kept).findings:
        work.events.tell("finding_bound", finding.finding_id, text=finding.text, slots=len(finding.slots))
    return kept


def _report(work: RunContext, agent: Agent, conclusion: Conclusion) -> None:
    work.cancel.check()
    check_sources(work.catalog, work.services.store.files)
    for draft in agent.report(work, conclusion):
        work.cancel.check()
        artifact = work.services.store.artifacts.put(
            work.run_id, draft.artifact_type, draft.name, draft.content, draft.metadata, utc_now()
        )
        check_artifact(artifact, work.request)
        told = picked(artifact, "artifact_type", "content_ref", "content_hash")
        kept = {**told, "artifact_id": artifact.artifact_id, "size_bytes": artifact.size_bytes}
        work.journal.write(f"artifact/{draft.name}", "artifact_generated", "actor", kept)
        work.events.tell("artifact_written", artifact.artifact_id, **told)
    work.write_probes("report")


def _learn(work: RunContext, agent: Agent) -> None:
    """At most once: the mark is kept before, so that a repeated step does not count one success twice."""
    if work.services.store.runs.put(work.run_id, "learned", "learned", {}):
        agent.learn(work)


def _end(work: RunContext, status: RunStatus, answer: str) -> None:
    runs = work.services.store.runs
    row = runs.get(work.run_id)
    if row.status in {"failed", "cancelled"}:
        advance(runs, work.run_id, "executing")  # It was interrupted before, and has been taken over.
    content = sealed_content(work.services, row, answer=answer, status=status, events_to=work.events.last)
    sealed = seal(work, row, content)
    runs.update(work.run_id, answer=answer, sealed=sealed, error=None)  # It may have been interrupted before.
    work.events.tell("run_sealed", sequence_number=sealed["sequence_number"], run_root=sealed["run_root"])
    advance(runs, work.run_id, status, at=datetime.fromisoformat(sealed["sealed_at"]))
    work.events.tell("run_finished", status=status, answer=answer)


def _end_badly(work: RunContext, agent: Agent | None, status: RunStatus, error: AvermentError) -> None:
    runs = work.services.store.runs
    runs.update(work.run_id, error=error.as_dict())
    advance(runs, work.run_id, status)
    if isinstance(agent, EndingAgent):
        agent.ended_badly(work.services, work.run_id)
    ending = f"{status}/{work.events.last}"  # A resumed run may end badly again, and that is told again.
    work.write_probes(ending)
    work.journal.decide(f"ended/{ending}", decision=status, rule=error.code, reason=error.message)
    work.services.ledgers.own.checkpoint()
    work.events.tell("run_finished", ending, status=status, error=error.as_dict())


async def _watch_for_cancel(work: RunContext) -> None:
    """A cancel may come from another process, so the store is asked now and then."""
    while not work.cancel.cancelled:
        with contextlib.suppress(StoreUnavailable):  # It may be back the next time.
            if await asyncio.to_thread(work.services.store.runs.cancel_requested, work.run_id):
                work.cancel.cancel()
                return
        await asyncio.sleep(CANCEL_POLL_SECONDS)
