"""The share skill: how a whole is made up of its parts."""

from __future__ import annotations

from averment.agents.analyst.share.skill import ShareSkill

__all__ = ["ShareSkill"]
