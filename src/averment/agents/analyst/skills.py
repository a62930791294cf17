"""How the analyst runs what was meant: a plan, a query that somebody wrote, or SQL text."""

from __future__ import annotations

from averment.agents.analyst.model_loop.skill import SubmittedSkill
from averment.agents.analyst.plan_skill import PlanSkill
from averment.agents.analyst.skill import Skill
from averment.agents.analyst.sql_text import SqlTextSkill
from averment.agents.analyst.written import WrittenSkill


def standard_skills() -> tuple[Skill, ...]:
    """All ways there are."""
    return (PlanSkill(), WrittenSkill(), SqlTextSkill(), SubmittedSkill())


def skill_named(name: str) -> Skill:
    """The way of that name."""
    return next(skill for skill in standard_skills() if skill.name == name)
