"""The sets skill: who is among some rows and not among others: both, either, neither, never."""

from __future__ import annotations

from averment.agents.analyst.sets.skill import SetSkill

__all__ = ["SetSkill"]
