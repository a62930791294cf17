"""How the page says what the records name."""

from __future__ import annotations

WORDS: dict[str, str] = {
    "submitted": "waiting",
    "planning": "planning",
    "executing": "running",
    "completed": "done",
    "partial_success": "done in part",
    "failed": "failed",
    "abstained": "no answer",
    "clarification_needed": "asks back",
    "cancelled": "stopped",
    "waiting": "waiting",
    "running": "running",
    "done": "done",
    "skipped": "left out",
    "analysis": "Analysis",
    "drilldown": "Drill-down",
    "research": "Research",
    "chat": "Chat",
    "sql.run": "query",
    "df.transform": "transformation",
    "plot.render": "chart",
    "profiler.analyze": "profile",
    "python.run": "Python",
    "metric.attribute": "attribution",
    "search.corpus": "search",
    "search.web": "web search",
    "page.read": "reading",
}
