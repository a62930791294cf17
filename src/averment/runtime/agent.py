"""What the runtime asks of an agent: plan, repair, conclude, report; rules or a model may stand behind it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, Protocol, runtime_checkable

from averment import plugins
from averment.records.run import Observation, ToolCall
from averment.version import TELLERS, UNNUMBERED

if TYPE_CHECKING:
    from averment.runtime.decisions import ArtifactDraft, Conclusion, Planned, Round
    from averment.runtime.run_context import RunContext
    from averment.runtime.run_json import KeptRound
    from averment.runtime.services import Services
    from averment.store.runs.run_rows import RunRow


OWN = ("analyst", "driller", "researcher", "assistant")
"""The agents that Averment has itself."""


class Agent(Protocol):
    """The decisions of one agent."""

    kind: Literal["analysis", "drilldown", "research", "chat"]

    def plan(self, work: RunContext) -> Planned:
        """Read the request and plan it, ask back, or abstain."""
        ...

    def repair(self, work: RunContext, call: ToolCall, observation: Observation) -> dict[str, Any] | None:
        """New arguments for a failed call, or None when nothing sensible is left to try."""
        ...

    def conclude(self, work: RunContext) -> Conclusion:
        """Bind what was observed into findings."""
        ...

    def report(self, work: RunContext, conclusion: Conclusion) -> tuple[ArtifactDraft, ...]:
        """Tell it: tables, charts, report, as far as the request asks for them."""
        ...

    def learn(self, work: RunContext) -> None:
        """Keep what worked for the next question of its kind; called once, after a run that completed."""
        ...


@runtime_checkable
class RoundAgent(Protocol):
    """An agent that goes on from what it found: after the plan's tasks it is asked, round by round, what comes next."""

    def next_round(self, work: RunContext, number: int) -> Round | None:
        """What to do in that round, or None when there is nothing more to do; decided by what the work holds."""
        ...

    def take_round(self, work: RunContext, round_: Round) -> KeptRound:
        """What the round's results mean, to be kept; made of the results up to that round and nothing later."""
        ...


@runtime_checkable
class EndingAgent(Protocol):
    """An agent that keeps records of its own, which end with a run that failed, was cancelled or interrupted."""

    def ended_badly(self, services: Services, run_id: str) -> None:
        """Note in them that the run ended; may be called again for the same run."""
        ...


@runtime_checkable
class MirroringAgent(Protocol):
    """An agent that writes what a run found into further files, for people and programs to read."""

    def mirrored(self, services: Services, run: RunRow) -> dict[str, bytes]:
        """What those files must hold by the run's own records, by their place among the files of the home."""
        ...


class TellingAgent(Agent, Protocol):
    """An agent whose report can be had before it has a format."""

    def document(self, work: RunContext, conclusion: Conclusion) -> Any:
        """The report as blocks, for exports."""
        ...


@dataclass(frozen=True, kw_only=True)
class AddedAgent:
    """An agent that a plugin adds. It answers requests over tables that name it, as runs like any other.

    ``teller`` is the number of its wording: whoever changes how it words the same results raises it, and runs that
    were told before are verified by their evidence instead of word by word.
    """

    name: str
    make: Callable[[Services], TellingAgent]
    teller: int = 1


def agent_named(row: RunRow) -> str | None:
    """The added agent that a run asks for by name; None where Averment's own answers."""
    name = (row.request.get("meaning") or {}).get("agent")
    return None if name is None else str(name)


def added_agent(name: str) -> AddedAgent:
    """The agent that a plugin adds under that name.

    Raises:
        PluginFailed: none does, or it cannot be loaded.
    """
    return plugins.load("agents", name, AddedAgent, OWN)


def teller_of(row: RunRow) -> int:
    """The number of the wording by which a run is told here now; 0 where its agent is not installed."""
    name = agent_named(row)
    if name is None:
        return TELLERS[row.kind]
    return added_agent(name).teller if name in plugins.names("agents", OWN) else UNNUMBERED
