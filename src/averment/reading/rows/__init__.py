"""The learned reader of small tables: every program over the rows is run in memory, weighed, and said as a query."""

from __future__ import annotations

from averment.reading.rows.opinion import RowOpinion, opinions

__all__ = ["RowOpinion", "opinions"]
