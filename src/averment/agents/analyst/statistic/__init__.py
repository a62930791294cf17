"""Statistics as a skill: summaries, correlation, outliers, tests and models over one table, prepared as asked."""

from __future__ import annotations

from averment.agents.analyst.statistic.skill import StatisticSkill

__all__ = ["StatisticSkill"]
