"""An agent: whatever it is asked, it counts the rows of every table, and proves the counts."""

from __future__ import annotations

from typing import Any, Literal

from averment.claims.relation import finding_of, make_of_rows, told
from averment.claims.sealed import SealedResult
from averment.records.analysis import Plan, Subtask
from averment.records.base import derived_id
from averment.records.run import Observation, ToolCall
from averment.reports.document import Bullets, Document, Heading, Paragraph
from averment.reports.markdown import to_markdown
from averment.runtime.agent import AddedAgent
from averment.runtime.decisions import ArtifactDraft, Conclusion, Planned
from averment.runtime.run_context import RunContext
from averment.runtime.services import Services

SECONDS = 10


class Counter:
    """Counts rows."""

    kind: Literal["analysis", "drilldown", "research", "chat"] = "analysis"

    def __init__(self, services: Services) -> None:
        del services  # Everything it needs comes with the work.

    def plan(self, work: RunContext) -> Planned:
        """One query for each table."""
        tasks = [self._task(table.name, place) for place, table in enumerate(work.catalog.tables, start=1)]
        plan = Plan.of(
            plan_id=derived_id(work.run_id, "plan"),
            request_id=work.run_id,
            subtasks=tasks,
            reasoning="Count the rows of every table.",
        )
        return Planned(
            outcome="planned", reading={"in_words": "rows of every table"}, plan=plan.model_dump(mode="json")
        )

    def _task(self, table: str, place: int) -> Subtask:
        quoted = table.replace('"', '""')
        return Subtask(
            task_id=f"count_{place}",
            description=f"Count the rows of {table}",
            tool_name="sql.run",
            estimated_cost_seconds=0.2,
            arguments={"query": f'SELECT COUNT(*) AS "rows" FROM "{quoted}"', "params": [], "timeout": SECONDS},
        )

    def repair(self, work: RunContext, call: ToolCall, observation: Observation) -> dict[str, Any] | None:
        """Nothing: a count either works or not."""
        del work, call, observation
        return None

    def conclude(self, work: RunContext) -> Conclusion:
        """One claim a table, by the relation ``is`` that Averment has."""
        claims = []
        for place, table in enumerate(work.catalog.tables, start=1):
            task = f"count_{place}"
            if task not in work.state.answered:
                continue
            call, observation = work.state.answered[task]
            sealed = SealedResult(
                table=work.table(task),
                call_id=call.call_id,
                observation_id=observation.observation_id,
                query_hash=str((observation.data or {})["query_hash"]),
            )
            value = told("value", sealed.cell(0, "rows"), "count", heading="rows")
            claims.append(
                make_of_rows(
                    "is",
                    claim_id=task,
                    values=[value],
                    rows=[],
                    sealed=sealed,
                    kinds={"rows": "count"},
                    figure=f"number of rows of {table.name}",
                    method="one query over the open tables",
                )
            )
        held = tuple(claim for claim in claims if claim is not None)
        answer = " ".join(claim.text for claim in held)
        findings = tuple(finding_of(claim) for claim in held)
        return Conclusion(answer=answer, findings=findings, claims=held, status="completed" if held else "failed")

    def report(self, work: RunContext, conclusion: Conclusion) -> tuple[ArtifactDraft, ...]:
        """The document as Markdown."""
        content = to_markdown(self.document(work, conclusion)).encode()
        metadata = {"format": "markdown"}
        return (ArtifactDraft(artifact_type="report", name="report.md", content=content, metadata=metadata),)

    def learn(self, work: RunContext) -> None:
        """Nothing."""

    def document(self, work: RunContext, conclusion: Conclusion) -> Document:
        """The answer and the findings."""
        findings = Bullets(items=tuple(finding.text for finding in conclusion.findings))
        blocks = (Paragraph(text=conclusion.answer, strong=True), Heading(text="Findings"), findings)
        return Document(title=work.request.intent, blocks=blocks)


COUNTER = AddedAgent(name="counter", make=Counter)
