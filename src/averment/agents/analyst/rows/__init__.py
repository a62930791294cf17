"""The row skill: questions over the rows of one table, each reading run in memory, weighed, answered by a query."""

from __future__ import annotations

from averment.agents.analyst.rows.skill import RowSkill

__all__ = ["RowSkill"]
