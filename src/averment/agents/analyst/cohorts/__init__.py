"""The cohorts skill: who came when, who came back, and who is new."""

from __future__ import annotations

from averment.agents.analyst.cohorts.skill import CohortsSkill

__all__ = ["CohortsSkill"]
