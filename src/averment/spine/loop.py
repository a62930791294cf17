"""The loop: plan, act wave by wave with repair, conclude, report, seal. Each part is a repeatable durable step.

A step first looks for what it kept before an interruption. So a run that is killed anywhere and resumed goes on where
it was and ends with the same bytes.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from averment.errors import AvermentError, RunCancelled
from averment.records.analysis import RunStatus, Subtask, check_artifact, execution_order, validate_plan
from averment.records.base import utc_now
from averment.records.run import MAX_ATTEMPTS, Artifact, Observation, ToolCall
from averment.spine.act import make_call, observe
from averment.spine.agent import Agent, Conclusion, Planned
from averment.spine.journal import digest
from averment.spine.seal import seal, sealed_content
from averment.spine.sources import check_sources
from averment.spine.status import advance

if TYPE_CHECKING:
    from averment.spine.work import Work

CANCEL_POLL_SECONDS = 0.25
_log = logging.getLogger("averment.spine")
T = TypeVar("T")


class Steps(Protocol):
    """Runs a function as a named durable step, in a thread of its own."""

    def do(self, name: str, function: Callable[..., T], *arguments: Any) -> Awaitable[T]:
        """The function's result, the recorded one if the step was done before."""
        ...


async def run_loop(work: Work, agent: Agent, steps: Steps) -> None:
    """Take a run from its submission to its sealed end; an error ends it as failed, and is kept with it."""
    watcher = asyncio.create_task(_watch_for_cancel(work))
    try:
        await _loop(work, agent, steps)
    except RunCancelled as stop:
        await steps.do("cancelled", _end_badly, work, "cancelled", stop)
    except AvermentError as error:
        await steps.do("failed", _end_badly, work, "failed", error)
    except Exception as error:  # noqa: BLE001  # The top of a run: whatever went wrong is kept with it.
        _log.exception("the run %s ended unexpectedly", work.run_id)
        unexpected = AvermentError(f"An unexpected {type(error).__name__} ended the run: {error}")
        await steps.do("failed", _end_badly, work, "failed", unexpected)
    finally:
        watcher.cancel()
        work.close()


async def _loop(work: Work, agent: Agent, steps: Steps) -> None:
    await steps.do("submit", _submit, work)
    planned = Planned.model_validate(await steps.do("plan", _plan, work, agent))
    work.reading = planned.reading
    if planned.outcome != "planned":
        outcome: RunStatus = planned.outcome
        await steps.do("end", _end, work, planned, None, outcome, planned.message)
        return
    if work.waits_for_approval():
        return
    await steps.do("execute", advance, work.services.runs, work.run_id, "executing")
    plan = planned.parsed()
    work.plan = plan
    for wave in execution_order(plan):
        await asyncio.gather(*(_task(work, agent, steps, task) for task in wave))
    conclusion = Conclusion.model_validate(await steps.do("conclude", _conclude, work, agent))
    await steps.do("report", _report, work, agent, conclusion)
    if conclusion.status == "completed":
        await steps.do("learn", _learn, work, agent)
    await steps.do("end", _end, work, planned, conclusion, conclusion.status, conclusion.answer)


def _submit(work: Work) -> None:
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
            "request_sha256": digest(request),
            "sources": sources,
            "constraints": request["constraints"],
            "policy": request["policy"],
        },
    )
    work.events.tell("run_submitted", intent=work.request.intent, sources=[source["label"] for source in sources])


def _plan(work: Work, agent: Agent) -> dict[str, Any]:
    runs = work.services.runs
    kept = runs.record(work.run_id, "planned", "planned")
    if kept is None:
        work.cancel.check()
        advance(runs, work.run_id, "planning")
        planned = agent.plan(work)
        if planned.outcome == "planned":
            limit = work.request.constraints.timeout_seconds
            validate_plan(planned.parsed(), timeout_seconds=limit, known_tools=work.services.registry.names)
        kept = planned.model_dump(mode="json")
        runs.put(work.run_id, "planned", "planned", kept)
    planned = Planned.model_validate(kept)
    runs.update(work.run_id, reading=planned.reading, plan=planned.plan)
    work.journal.write(
        "plan",
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
        work.events.tell("plan_made", reading=planned.reading, plan=planned.plan, reasoner=planned.reasoner)
    else:
        work.events.tell("clarification_asked", outcome=planned.outcome, message=planned.message)
    return kept


async def _task(work: Work, agent: Agent, steps: Steps, task: Subtask) -> None:
    """One subtask, with at most three attempts; a task whose input failed is skipped, and said so."""
    missing = [name for name in task.dependencies if name not in work.answered]
    if missing:
        await steps.do(f"skip:{task.task_id}", _skip, work, task, missing)
        return
    arguments = task.arguments
    for attempt in range(1, MAX_ATTEMPTS + 1):
        call_id = await steps.do(f"call:{task.task_id}:{attempt}", _act, work, task, arguments, attempt)
        if work.answered.get(task.task_id) is not None or _restore(work, call_id):
            return
        if attempt == MAX_ATTEMPTS:
            return
        repaired = await steps.do(f"repair:{task.task_id}:{attempt}", _repair, work, agent, call_id, attempt)
        if repaired is None:
            return
        arguments = repaired


def _act(work: Work, task: Subtask, arguments: dict[str, Any], attempt: int) -> str:
    work.cancel.check()
    check_sources(work.catalog)
    call = make_call(work, task.task_id, task.tool_name, arguments, attempt)
    observe(work, call)
    return call.call_id


def _restore(work: Work, call_id: str) -> bool:
    """Take a recorded answer into this process; true when the call had succeeded."""
    runs = work.services.runs
    call = ToolCall.model_validate(runs.record(work.run_id, "call", call_id))
    return work.take(call, Observation.model_validate(runs.record(work.run_id, "observation", call_id)))


def _repair(work: Work, agent: Agent, call_id: str, attempt: int) -> dict[str, Any] | None:
    runs = work.services.runs
    kept = runs.record(work.run_id, "repair", call_id)
    if kept is None:
        call = ToolCall.model_validate(runs.record(work.run_id, "call", call_id))
        observation = Observation.model_validate(runs.record(work.run_id, "observation", call_id))
        kept = {"arguments": agent.repair(work, call, observation)}
        runs.put(work.run_id, "repair", call_id, kept)
    arguments = kept["arguments"]
    decision = "give_up" if arguments is None else "retry"
    work.journal.decide(
        f"repair/{call_id}", decision=decision, rule="SELF-REPAIR", reason=f"attempt {attempt} failed", call_id=call_id
    )
    work.events.tell("call_repaired", call_id, decision=decision, arguments=arguments, attempt=attempt)
    return arguments


def _skip(work: Work, task: Subtask, missing: list[str]) -> None:
    work.journal.decide(
        f"skip/{task.task_id}", decision="skipped", rule="MISSING-INPUT", reason=f"no result of {', '.join(missing)}"
    )
    work.events.tell("call_skipped", task.task_id, task_id=task.task_id, missing=missing)


def _conclude(work: Work, agent: Agent) -> dict[str, Any]:
    work.cancel.check()
    runs = work.services.runs
    kept = runs.record(work.run_id, "conclusion", "conclusion")
    if kept is None:
        kept = agent.conclude(work).model_dump(mode="json")
        runs.put(work.run_id, "conclusion", "conclusion", kept)
    for finding in Conclusion.model_validate(kept).findings:
        work.events.tell("finding_bound", finding.finding_id, text=finding.text, slots=len(finding.slots))
    return kept


def _report(work: Work, agent: Agent, conclusion: Conclusion) -> None:
    work.cancel.check()
    check_sources(work.catalog)
    for draft in agent.report(work, conclusion):
        artifact = work.services.artifacts.put(
            work.run_id, draft.artifact_type, draft.name, draft.content, draft.metadata, utc_now()
        )
        check_artifact(artifact, work.request)
        work.journal.write(
            f"artifact/{draft.name}",
            "artifact_generated",
            "actor",
            {
                "artifact_id": artifact.artifact_id,
                "artifact_type": artifact.artifact_type,
                "content_ref": artifact.content_ref,
                "content_hash": artifact.content_hash,
                "size_bytes": artifact.size_bytes,
            },
        )
        work.events.tell(
            "artifact_written",
            artifact.artifact_id,
            artifact_type=artifact.artifact_type,
            content_ref=artifact.content_ref,
            content_hash=artifact.content_hash,
        )


def _learn(work: Work, agent: Agent) -> None:
    """At most once: the mark is kept before, so that a repeated step does not count one success twice."""
    if work.services.runs.put(work.run_id, "learned", "learned", {}):
        agent.learn(work)


def _end(work: Work, planned: Planned, conclusion: Conclusion | None, status: RunStatus, answer: str) -> None:
    runs = work.services.runs
    artifacts: list[Artifact] = work.services.artifacts.list(work.run_id)
    content = sealed_content(
        planned=planned,
        findings=conclusion.findings if conclusion else (),
        artifacts=artifacts,
        answer=answer,
        status=status,
    )
    sealed = seal(work, content)
    runs.update(work.run_id, answer=answer, sealed=sealed)
    work.events.tell("run_sealed", sequence_number=sealed["sequence_number"], run_root=sealed["run_root"])
    advance(runs, work.run_id, status)
    work.events.tell("run_finished", status=status, answer=answer)


def _end_badly(work: Work, status: RunStatus, error: AvermentError) -> None:
    runs = work.services.runs
    runs.update(work.run_id, error=error.as_dict())
    advance(runs, work.run_id, status)
    ending = f"{status}/{work.events.last}"  # A resumed run may end badly again, and that is told again.
    work.journal.decide(f"ended/{ending}", decision=status, rule=error.code, reason=error.message)
    work.services.ledger.checkpoint()
    work.events.tell("run_finished", ending, status=status, error=error.as_dict())


async def _watch_for_cancel(work: Work) -> None:
    """A cancel may come from another process, so the store is asked now and then."""
    while not work.cancel.cancelled:
        if await asyncio.to_thread(work.services.runs.cancel_requested, work.run_id):
            work.cancel.cancel()
            return
        await asyncio.sleep(CANCEL_POLL_SECONDS)
