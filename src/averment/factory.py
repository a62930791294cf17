"""Who answers a run: the agent of its kind, by the rules, or with a model beside them where one is chosen."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from averment.runtime.agent import TellingAgent, added_agent, agent_named
from averment.runtime.execution.restore import planned_of

if TYPE_CHECKING:
    from averment.agents.analyst.agent import Analyst
    from averment.agents.driller.agent import Driller
    from averment.agents.researcher.agent import Researcher
    from averment.llm import Proposer
    from averment.runtime.services import Services
    from averment.store.runs.run_rows import RunRow


class AgentFactory:
    """The agents of one home."""

    def __init__(self, services: Services) -> None:
        self._services = services

    def agent_for_run(self, row: RunRow) -> TellingAgent:
        """Who carries a run out: a replayed one is answered by its own record."""
        replay_of = row.request.get("replay_of")
        planned = planned_of(self._services, str(replay_of)) if replay_of else None
        return self.agent_for_report(row) if planned is None else self.analyst(planned)

    def agent_for_report(self, row: RunRow) -> TellingAgent:
        """Who tells a run again, for verifying and exporting.

        Raises:
            PluginFailed: the run asks for an agent that a plugin adds, and it cannot be loaded.
        """
        name = agent_named(row)
        if name is not None:
            return added_agent(name).make(self._services)
        if row.kind == "drilldown":
            return self.driller()
        if row.kind == "research":
            return self.researcher()
        return self.analyst()

    def analyst(self, recorded: Any = None) -> Analyst:
        """The analyst; with a recorded plan, one that follows it."""
        from averment.agents.analyst.agent import Analyst
        from averment.agents.analyst.recorded import RecordedReasoner

        if recorded is not None:
            return Analyst(RecordedReasoner(recorded))
        client = self._model()
        if client is None:
            return Analyst()
        from averment.agents.analyst.model import ModelReasoner
        from averment.llm import open_proposer

        settings = self._services.settings
        small = None if settings.model_small is None else open_proposer(settings, small=True)
        loop = ModelReasoner(
            client, use=settings.model_use, candidates=settings.model_candidates, small=small, **self._bounds()
        )
        return Analyst(loop)

    def driller(self) -> Driller:
        """The driller; where there is a model, it proposes hypotheses."""
        from averment.agents.driller.agent import Driller

        client = self._model()
        if client is None:
            return Driller()
        from averment.agents.driller.model_loop.loop import HypothesisLoop

        return Driller(HypothesisLoop(client, **self._bounds()))

    def researcher(self) -> Researcher:
        """The researcher; where there is a model, it reads along."""
        from averment.agents.researcher.agent import Researcher

        client = self._model()
        if client is None:
            return Researcher()
        from averment.agents.researcher.model_loop.loop import ReadingLoop

        settings = self._services.settings
        texts = settings.model_privacy in {"values", "rows"}
        return Researcher(ReadingLoop(client, texts=texts, seconds=settings.model_run_seconds))

    def _bounds(self) -> dict[str, Any]:
        """What a model may see of the data, and how long it may take."""
        settings = self._services.settings
        return {
            "privacy": settings.model_privacy,
            "exceptions": settings.model_privacy_of,
            "seconds": settings.model_run_seconds,
        }

    def _model(self) -> Proposer | None:
        from averment.llm import open_proposer

        settings = self._services.settings
        return None if settings.model_use == "never" else open_proposer(settings)
