"""How the analyst runs what was meant: a plan, SQL text, or what a model submitted."""

from __future__ import annotations

from averment.agents.analyst.model_loop.submitted_skill import SubmittedSkill
from averment.agents.analyst.plan_skill import PlanSkill
from averment.agents.analyst.skill import Skill
from averment.agents.analyst.sql_text import SqlTextSkill


def standard_skills() -> tuple[Skill, ...]:
    """All ways there are."""
    return (PlanSkill(), SqlTextSkill(), SubmittedSkill())


def skill_named(name: str) -> Skill:
    """The way of that name."""
    return next(skill for skill in standard_skills() if skill.name == name)
