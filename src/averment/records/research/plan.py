"""The plan of a research: sub-questions, the questions that grow from them, and the checks on both."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Literal
from uuid import UUID, uuid4

from pydantic import Field, model_validator

from averment.errors import PlanCycle, PlanInvalid
from averment.records.base import Record, UtcDatetime, utc_now
from averment.records.research.request import DEPTH_LIMITS, DepthLevel
from averment.records.research.sources import SearchResult

MAX_DEPTH = 3
"""How deep questions may grow from questions, whatever the depth level; 0 is the root."""

QuestionStatus = Literal["pending", "searching", "completed", "failed"]


class SubQuestion(Record):
    """One question of a plan; priority 1 comes first, depth 0 is the root."""

    id: UUID = Field(default_factory=uuid4)
    plan_id: UUID
    text: str = Field(min_length=10, max_length=200)
    priority: int = Field(ge=1, le=10)
    parent_question_id: UUID | None = None
    depth: int = Field(default=0, ge=0, le=MAX_DEPTH)
    status: QuestionStatus = "pending"
    search_results: tuple[SearchResult, ...] = Field(default=(), max_length=10)


class ResearchPlan(Record):
    """The sub-questions a request was broken into."""

    id: UUID = Field(default_factory=uuid4)
    request_id: UUID
    sub_questions: tuple[SubQuestion, ...] = Field(min_length=3, max_length=10)
    created_at: UtcDatetime = Field(default_factory=utc_now)
    estimated_time_seconds: int | None = Field(default=None, ge=0)

    @model_validator(mode="after")
    def _priorities_are_unique(self) -> ResearchPlan:
        priorities = [question.priority for question in self.sub_questions]
        if len(set(priorities)) != len(priorities):
            raise ValueError("each sub-question must have its own priority")
        return self

    @model_validator(mode="after")
    def _questions_are_its_own(self) -> ResearchPlan:
        if any(question.plan_id != self.id for question in self.sub_questions):
            raise ValueError("each sub-question's plan_id must be the plan's id")
        return self


class QuestionTree:
    """The questions of one research and what grew from them; every insertion is checked.

    A tree is never changed: ``insert`` gives a new one, so that a refused question leaves no trace.
    """

    def __init__(self, questions: Iterable[SubQuestion] = ()) -> None:
        """A tree of these questions, in any order.

        Raises:
            PlanCycle: questions descend from each other in a circle.
            PlanInvalid: a question is there twice, names a parent that is not there, or is not one deeper than it.
        """
        self._questions: dict[UUID, SubQuestion] = {}
        for question in questions:
            if question.id in self._questions:
                raise PlanInvalid(f"Question {question.id} appears twice.")
            self._questions[question.id] = question
        for question in self._questions.values():
            self._check(question)

    def insert(self, question: SubQuestion) -> QuestionTree:
        """A tree with one question more.

        Raises:
            PlanCycle: the question would be its own ancestor.
            PlanInvalid: it is there already, its parent is not, or it is not one level deeper than its parent.
        """
        return QuestionTree((*self, question))

    def children(self, parent: SubQuestion) -> tuple[SubQuestion, ...]:
        """The questions that grew from that one, the most urgent first."""
        found = [question for question in self if question.parent_question_id == parent.id]
        return tuple(sorted(found, key=lambda question: question.priority))

    def __iter__(self) -> Iterator[SubQuestion]:
        return iter(self._questions.values())

    def __len__(self) -> int:
        return len(self._questions)

    def __contains__(self, question: SubQuestion) -> bool:
        return question.id in self._questions

    def _check(self, question: SubQuestion) -> None:
        self._check_circle(question)
        parent_id = question.parent_question_id
        if parent_id is None:
            if question.depth != 0:
                raise PlanInvalid(f"Question {question.id} has depth {question.depth} but no parent.")
            return
        parent = self._questions.get(parent_id)
        if parent is None:
            raise PlanInvalid(f"Question {question.id} has a parent that does not exist: {parent_id}.")
        if question.depth != parent.depth + 1:
            raise PlanInvalid(f"Question {question.id} must be one level deeper than its parent.")

    def _check_circle(self, question: SubQuestion) -> None:
        seen = {question.id}
        parent_id = question.parent_question_id
        while parent_id is not None:
            if parent_id in seen:
                raise PlanCycle(f"Question {question.id} would be its own ancestor.")
            seen.add(parent_id)
            parent = self._questions.get(parent_id)
            parent_id = parent.parent_question_id if parent is not None else None


def check_plan(plan: ResearchPlan, depth_level: DepthLevel) -> QuestionTree:
    """The plan's questions as a tree, if their number and depth fit the level.

    Raises:
        PlanInvalid: too few or too many questions at the root, one too deep, or one with a wrong parent.
        PlanCycle: questions descend from each other in a circle.
    """
    limits = DEPTH_LIMITS[depth_level]
    tree = QuestionTree(plan.sub_questions)
    roots = sum(question.depth == 0 for question in tree)
    if not limits.min_questions <= roots <= limits.max_questions:
        raise PlanInvalid(
            f"A {depth_level} plan must have {limits.min_questions} to {limits.max_questions} questions, not {roots}."
        )
    if any(question.depth > limits.max_depth for question in tree):
        raise PlanInvalid(f"A {depth_level} plan may go at most {limits.max_depth} levels deep.")
    return tree
