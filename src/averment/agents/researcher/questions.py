"""The questions of a research: the one that was asked, its facets, and what grew from the answers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast
from uuid import UUID

from averment.records.base import Record, derived_id
from averment.records.research.plan import ResearchPlan, SubQuestion

if TYPE_CHECKING:
    from averment.records.research.run import ResearchRun
    from averment.runtime.run_context import RunContext

SURVEY = "survey"
"""The task that looks at the whole question before it is divided."""
MAIN = "main"
"""The facet of the question as it was asked."""
HEADING = "heading"
"""The facet of a question about what sources say under one heading."""
OTHERS = "others"
"""The facet of what further sources say on a topic: those that the question itself did not quote."""
PROPOSED = "proposed"
"""The facet of a question that a model proposed."""
_LONGEST = 200


class ResearchQuestion(Record):
    """One sub-question: its place in the tree, the facet it stands for, and the words sources are read with."""

    id: str
    text: str
    facet: str
    title: str
    reading: str
    priority: int
    depth: int = 0
    parent_id: str | None = None

    @property
    def task_id(self) -> str:
        """The id of its search."""
        return f"search_{self.id[:8]}"

    def as_seed(self, plan_id: str, **more: Any) -> SubQuestion:
        """The sub-question as the researcher contract draws it."""
        return SubQuestion.model_validate(
            {
                "id": self.id,
                "plan_id": plan_id,
                "text": self.text,
                "priority": self.priority,
                "parent_question_id": self.parent_id,
                "depth": self.depth,
                **more,
            }
        )


def make_question(
    run_id: str,
    text: str,
    *,
    facet: str,
    title: str,
    reading: str,
    priority: int,
    parent: ResearchQuestion | None = None,
) -> ResearchQuestion:
    """A question with an id that depends on the run, its parent and its words alone."""
    clipped = clip(text)
    return ResearchQuestion(
        id=derived_id(run_id, "question", parent.id if parent else "", clipped),
        text=clipped,
        facet=facet,
        title=title,
        reading=reading,
        priority=priority,
        depth=parent.depth + 1 if parent else 0,
        parent_id=parent.id if parent else None,
    )


def clip(text: str, longest: int = _LONGEST) -> str:
    """A text of at most so many characters, cut between words."""
    whole = " ".join(text.split())
    if len(whole) <= longest:
        return whole
    cut = whole[: longest - 1].rpartition(" ")[0] or whole[: longest - 1]
    return f"{cut}…"


def plan_record(request: ResearchRun, questions: tuple[ResearchQuestion, ...], seconds: int) -> ResearchPlan:
    """The plan as the researcher contract draws it; its time is the request's, so that it can be made again."""
    plan_id = plan_id_of(request.request_id)
    return ResearchPlan(
        id=UUID(plan_id),
        request_id=UUID(request.request_id),
        sub_questions=tuple(question.as_seed(plan_id) for question in questions),
        created_at=request.timestamp,
        estimated_time_seconds=seconds,
    )


def plan_id_of(run_id: str) -> str:
    """The id of a run's plan."""
    return derived_id(run_id, "plan")


def request_of(work: RunContext) -> ResearchRun:
    """The run's request as what it is."""
    return cast("ResearchRun", work.request)


def planned_questions(work: RunContext) -> tuple[ResearchQuestion, ...]:
    """The plan's questions in the order of their priority."""
    found = [ResearchQuestion.model_validate(one) for one in work.state.reading.get("questions", ())]
    return tuple(sorted(found, key=lambda question: question.priority))


def picked_for(work: RunContext, question_id: str) -> list[dict[str, Any]]:
    """The places of sentences that a model pointed to for a question, as its round keeps them."""
    return [place for round_ in work.state.rounds for place in round_.state.get("picked", {}).get(question_id, ())]


def asked_questions(work: RunContext) -> tuple[ResearchQuestion, ...]:
    """The questions whose rounds are over, in their order."""
    return tuple(
        ResearchQuestion.model_validate(round_.state["question"])
        for round_ in work.state.rounds
        if "question" in round_.state
    )
