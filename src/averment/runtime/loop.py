"""The loop: plan, act with repair, go on round by round, conclude, report, seal; each part a repeatable durable step.

A step first looks for what it kept before an interruption. So a run that is killed anywhere and resumed goes on where
it was and ends with the same bytes.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import Callable
from datetime import datetime
from typing import TYPE_CHECKING, Any

from averment.errors import AvermentError, RunCancelled, RunStopped, StoreUnavailable
from averment.llm import FallbackNote
from averment.records.analysis import RunStatus, check_artifact, execution_order, validate_plan
from averment.records.base import picked, utc_now
from averment.runtime.agent import Agent, EndingAgent, RoundAgent
from averment.runtime.decisions import MAIN_TASK, Conclusion, Planned
from averment.runtime.execution.restore import planned_of
from averment.runtime.journal import digest
from averment.runtime.rounds import run_rounds
from averment.runtime.seal import seal, sealed_content
from averment.runtime.sources import check_sources
from averment.runtime.status import advance
from averment.runtime.step_protocol import Steps
from averment.runtime.tasks import run_waves
from averment.version import VERSION

if TYPE_CHECKING:
    from averment.runtime.run_context import RunContext

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
