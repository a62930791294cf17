"""The written skill: a query that a model wrote, run under the same guard and told with the same proof."""

from __future__ import annotations

from averment.agents.analyst.written.skill import WrittenSkill

__all__ = ["WrittenSkill"]
