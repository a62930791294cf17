"""The picks skill: the first, last, highest or lowest of each group."""

from __future__ import annotations

from averment.agents.analyst.picks.skill import PicksSkill

__all__ = ["PicksSkill"]
