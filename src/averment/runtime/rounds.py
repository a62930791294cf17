"""Rounds: an agent that goes on from what it found decides, acts and takes stock, until nothing is left to do.

What was decided and what was made of it are kept before the next round begins, so a resumed run decides nothing twice.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol, cast

from averment.records.analysis import Plan, Subtask, execution_order
from averment.runtime.agent import Agent, RoundAgent
from averment.runtime.decisions import Round
from averment.runtime.step_protocol import Steps
from averment.runtime.tasks import run_waves

if TYPE_CHECKING:
    from averment.runtime.run_context import RunContext
    from averment.runtime.run_json import KeptRound


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
