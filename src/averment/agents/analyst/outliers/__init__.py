"""The outliers skill: which rows hold unusual values."""

from __future__ import annotations

from averment.agents.analyst.outliers.skill import OutliersSkill

__all__ = ["OutliersSkill"]
