"""The distribution skill: how the values of a column are spread."""

from __future__ import annotations

from averment.agents.analyst.distribution.skill import DistributionSkill

__all__ = ["DistributionSkill"]
