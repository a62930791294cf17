"""The contrast skill: two periods, or two groups, side by side."""

from __future__ import annotations

from averment.agents.analyst.contrast.skill import ContrastSkill

__all__ = ["ContrastSkill"]
