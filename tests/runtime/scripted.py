"""An agent that follows a script, and the smallest way to run the loop without durability."""

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any, Literal, TypeVar

from averment.records.analysis import AnalysisRequest, Plan, Subtask
from averment.records.run import Observation, ToolCall
from averment.runtime.decisions import ArtifactDraft, Conclusion, Planned
from averment.runtime.execution.restore import calls_of, open_work
from averment.runtime.loop import run_loop
from averment.runtime.services import Services
from averment.settings import Settings
from averment.store.runs.run_store import RunRow
from averment.tables.sources.opening import open_sources

T = TypeVar("T")


class Steps:
    """Each step in a thread, nothing remembered."""

    async def do(self, name: str, function: Callable[..., T], *arguments: Any) -> T:
        return await asyncio.to_thread(function, *arguments)


class Scripted:
    """Plans what it is given, repairs by the next entry of its list, concludes by what was answered."""

    kind: Literal["analysis", "drilldown", "research", "chat"] = "analysis"

    def __init__(self, tasks: list[Subtask], repairs: list[dict[str, Any] | None] | None = None) -> None:
        self.tasks = tasks
        self.repairs = list(repairs or [])
        self.told: list[tuple[ToolCall, Observation]] = []

    def plan(self, work: Any) -> Planned:
        plan = Plan.of(request_id=work.run_id, subtasks=self.tasks, reasoning="script")
        return Planned(outcome="planned", plan=plan.model_dump(mode="json"))

    def repair(self, work: Any, call: ToolCall, observation: Observation) -> dict[str, Any] | None:
        self.told.append((call, observation))
        return self.repairs.pop(0) if self.repairs else None

    def conclude(self, work: Any) -> Conclusion:
        done = sorted(work.state.answered)
        status = "completed" if len(done) == len(self.tasks) else "partial_success" if done else "failed"
        return Conclusion(answer=", ".join(done), findings=(), status=status)

    def learn(self, work: Any) -> None:
        pass

    def report(self, work: Any, conclusion: Conclusion) -> tuple[ArtifactDraft, ...]:
        return (ArtifactDraft(artifact_type="summary", name="s.txt", content=conclusion.answer.encode()),)


def sql(task_id: str, query: str, **more: Any) -> Subtask:
    return Subtask(
        task_id=task_id,
        description=task_id,
        tool_name="sql.run",
        estimated_cost_seconds=0.1,
        dependencies=tuple(more.pop("after", ())),
        arguments={"query": query, **more},
    )


class Stage:
    """One home with one small table."""

    def __init__(self, folder: Path, settings: Settings | None = None) -> None:
        self.settings = settings or Settings(home=folder / "home")
        self.services = Services(self.settings)
        self.source = folder / "t.csv"
        self.source.write_text("region,amount\nWest,1.50\nEast,2.25\nWest,3.00\n")
        self.run_id = ""

    def play(self, agent: Any, **request: Any) -> RunRow:
        asked = AnalysisRequest.checked(intent="q", data_sources=[str(self.source)], **request)
        catalog = open_sources(
            [str(self.source)], settings=self.settings, cache_dir=self.services.store.cache_dir / "tables"
        )
        self.run_id = asked.request_id
        body = {"request": asked.model_dump(mode="json"), "catalog": catalog.to_json(), "since_sequence": 1}
        self.services.store.runs.create(
            RunRow(run_id=self.run_id, kind="analysis", status="submitted", intent="q", request=body)
        )
        return self.again(agent)

    def again(self, agent: Any) -> RunRow:
        work = open_work(self.services, self.services.store.runs.get(self.run_id))
        asyncio.run(run_loop(work, lambda: agent, Steps()))
        return self.services.store.runs.get(self.run_id)

    def calls(self) -> list[tuple[ToolCall, Observation]]:
        return calls_of(self.services, self.run_id)

    def entries(self) -> list[Any]:
        return list(self.services.ledgers.own.entries(request_id=self.run_id))
