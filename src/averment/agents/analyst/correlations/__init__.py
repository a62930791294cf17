"""The correlations skill: how several numbers go together."""

from __future__ import annotations

from averment.agents.analyst.correlations.skill import CorrelationsSkill

__all__ = ["CorrelationsSkill"]
