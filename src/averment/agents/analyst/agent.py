"""The analyst as the runtime sees it: plans through its reasoner, concludes and tells by its own rules."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, Protocol

from averment.agents.analyst.conclude import conclude
from averment.agents.analyst.report import tell, write_document
from averment.agents.analyst.rules import RuleReasoner
from averment.agents.analyst.sql_text import plan_sql
from averment.records.run import Observation, ToolCall
from averment.runtime.decisions import ArtifactDraft, Conclusion, Planned

if TYPE_CHECKING:
    from averment.reports.document import Document
    from averment.runtime.run_context import RunContext


class Reasoner(Protocol):
    """The analyst's decisions; rules and models answer the same protocol."""

    name: str

    def plan(self, work: RunContext) -> Planned:
        """Read the question and plan it, ask back, or abstain."""
        ...

    def repair(self, work: RunContext, call: ToolCall, observation: Observation) -> dict[str, Any] | None:
        """New arguments for a failed call, or None."""
        ...

    def phrase(self, work: RunContext, conclusion: Conclusion) -> Conclusion:
        """The conclusion in the words its reader shall see; its findings stay what they are."""
        ...

    def learn(self, work: RunContext) -> None:
        """Keep what worked for the next question of its kind."""
        ...


class Analyst:
    """Answers questions about tables."""

    kind: Literal["analysis", "drilldown", "research", "chat"] = "analysis"

    def __init__(self, reasoner: Reasoner | None = None) -> None:
        self._reasoner: Reasoner = reasoner or RuleReasoner()

    def plan(self, work: RunContext) -> Planned:
        """Read the question and plan it, ask back, or abstain; a query that was given is planned as it is."""
        given = work.state.meaning.get("sql")
        return (
            self._reasoner.plan(work)
            if given is None
            else plan_sql(work, str(given), grade=str(work.state.meaning.get("grade", "sql")))
        )

    def repair(self, work: RunContext, call: ToolCall, observation: Observation) -> dict[str, Any] | None:
        """New arguments for a failed call, or None; what a person wrote is not rewritten."""
        return None if "sql" in work.state.meaning else self._reasoner.repair(work, call, observation)

    def conclude(self, work: RunContext) -> Conclusion:
        """Findings from the result, and the answer made of them."""
        return self._reasoner.phrase(work, conclude(work))

    def report(self, work: RunContext, conclusion: Conclusion) -> tuple[ArtifactDraft, ...]:
        """Table, chart, report and summary, as far as they were asked for."""
        return tell(work, conclusion)

    def learn(self, work: RunContext) -> None:
        """Keep the analysis as a recipe."""
        self._reasoner.learn(work)

    def document(self, work: RunContext, conclusion: Conclusion) -> Document:
        """The report before it has a format, for exports."""
        return write_document(work, conclusion)
