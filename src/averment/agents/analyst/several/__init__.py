"""The several skill: a measure for three or more sides, be they periods, groups or ranges of a number."""

from __future__ import annotations

from averment.agents.analyst.several.skill import SeveralSkill

__all__ = ["SeveralSkill"]
