"""The tiles skill: quartiles, deciles and other groups of equal size, and what is in them."""

from __future__ import annotations

from averment.agents.analyst.tiles.skill import TilesSkill

__all__ = ["TilesSkill"]
