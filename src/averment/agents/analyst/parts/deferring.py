"""Deferring: where a question is of one skill's kind and that skill has doubts, no other skill may answer instead."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from averment.agents.analyst.parts.reading import DOUBTED
from averment.agents.analyst.skill import Candidate, Question, Skill, Told

if TYPE_CHECKING:
    from averment.records.analysis import Subtask
    from averment.spine.work import Work

_SURE = 0.99
_CLAIM = 0.75
"""Below this an owner understood too little of the question to call it one of its kind."""


class Deferring:
    """A skill for all kinds of questions that stands back where an ``owner`` of the question's kind is not sure.

    "Share of the average amount by region" is no question for averages: the share skill asks back, and an average
    that answers it anyway would be wrong with confidence.
    """

    def __init__(self, skill: Skill, owners: Sequence[Skill]) -> None:
        self.name = skill.name
        self._skill = skill
        self._owners = tuple(owners)

    def read(self, question: Question) -> Sequence[Candidate]:
        """The skill's own candidates, none of them sure where an owner has doubts."""
        found = self._skill.read(question)
        if not any(each.score >= _SURE for each in found):
            return found
        claimed = [each for owner in self._owners for each in owner.read(question) if each.score >= _CLAIM]
        if not claimed or any(each.score >= _SURE for each in claimed):
            return found
        return [each.model_copy(update={"score": min(each.score, DOUBTED - 0.1)}) for each in found]

    def tasks(self, work: Work, reading: dict[str, Any]) -> tuple[Subtask, ...]:
        """The skill's own tasks."""
        return self._skill.tasks(work, reading)

    def conclude(self, work: Work, reading: dict[str, Any]) -> Told:
        """The skill's own conclusion."""
        return self._skill.conclude(work, reading)
