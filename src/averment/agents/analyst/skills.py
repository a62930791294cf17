"""Which skills the analyst has, in the order in which equals are preferred."""

from __future__ import annotations

from averment.agents.analyst.aggregate import AggregateSkill
from averment.agents.analyst.query import QuerySkill
from averment.agents.analyst.skill import Skill
from averment.agents.analyst.statistic import StatisticSkill
from averment.agents.analyst.written import WrittenSkill


def standard_skills() -> tuple[Skill, ...]:
    """All skills there are."""
    return (AggregateSkill(), QuerySkill(), StatisticSkill(), WrittenSkill())


def skill_named(name: str) -> Skill:
    """The skill of that name."""
    return next(skill for skill in standard_skills() if skill.name == name)
