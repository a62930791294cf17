"""The aggregate skill: one number, or one number by something, from one table."""

from __future__ import annotations

from averment.agents.analyst.aggregate.skill import AggregateSkill

__all__ = ["AggregateSkill"]
