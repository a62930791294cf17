"""The series skill: how a number goes through time."""

from __future__ import annotations

from averment.agents.analyst.series.skill import SeriesSkill

__all__ = ["SeriesSkill"]
