"""The query skill: questions over tables read as typed queries, run, and told with every number bound to a cell."""

from __future__ import annotations

from averment.agents.analyst.query.skill import QuerySkill

__all__ = ["QuerySkill"]
