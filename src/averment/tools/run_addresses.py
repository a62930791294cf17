"""Under which addresses the report and the files of a run are read over MCP, and of what type each is."""

from __future__ import annotations

REPORT = "averment://runs/{run_id}/report"
ARTIFACT = "averment://runs/{run_id}/artifacts/{name}"
MARKDOWN = "text/markdown"
UNKNOWN = "application/octet-stream"
TYPES = {
    ".csv": "text/csv",
    ".html": "text/html",
    ".json": "application/json",
    ".md": MARKDOWN,
    ".parquet": "application/vnd.apache.parquet",
    ".png": "image/png",
    ".svg": "image/svg+xml",
    ".txt": "text/plain",
}
"""The type of a file by the ending of its name."""
