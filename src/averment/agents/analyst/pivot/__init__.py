"""The pivot skill: one column's values down, another's across."""

from __future__ import annotations

from averment.agents.analyst.pivot.skill import PivotSkill

__all__ = ["PivotSkill"]
