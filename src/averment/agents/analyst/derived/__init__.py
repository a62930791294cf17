"""The derived skill: columns made of other columns, and what is computed from them."""

from __future__ import annotations

from averment.agents.analyst.derived.skill import DerivedSkill

__all__ = ["DerivedSkill"]
