"""The overview skill: open requests, answered by the strongest facts that tests can prove."""

from __future__ import annotations

from averment.agents.analyst.overview.skill import OverviewSkill

__all__ = ["OverviewSkill"]
