"""Everything a run shows, in every face, as lines of plain text."""

from __future__ import annotations

import html
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from averment import Run, Workbench

_CODE = re.compile(r"<(pre|script|style|title)\b.*?</\1>", re.DOTALL)
_TAG = re.compile(r"<[^>]+>")
_FENCE = re.compile(r"```.*?```", re.DOTALL)


def plain(page: str) -> str:
    """The words of a page, without code: a query is shown letter by letter and says nothing by itself."""
    spaced = re.sub(r"</?(?:p|li|td|th|tr|h\d|div|section|dt|dd|summary|button|br|article|header)\b[^>]*>", "\n", page)
    return html.unescape(_TAG.sub("", _CODE.sub("", spaced)))


def shown(bench: Workbench, run: Run, client: Any, folder: Path) -> Iterator[tuple[str, str]]:
    """Each face with its text."""
    yield "answer", run.answer or ""
    yield "read-back", run.read_back or ""
    yield "message", str(getattr(run, "message", "") or "")
    yield "findings", "\n".join(finding.text for finding in run.findings)
    yield "claims", "\n".join(claim.text for claim in run.claims)
    if run.status not in {"completed", "partial_success", "abstained"}:
        return
    table = run.table
    if table is not None:
        rows = [", ".join(f"{name} {value}" for name, value in row.items()) for row in table.slice(0, 50).to_pylist()]
        yield "table", "\n".join([" | ".join(table.column_names), *rows])
    for artifact in run.artifacts:
        path = run.path_of(artifact)
        if path.suffix in {".md", ".txt", ".csv", ".json"}:
            yield f"artifact {path.name}", _FENCE.sub("", path.read_text(encoding="utf-8").replace("\\", ""))
    exported = {form: bench.runs.export(run.id, form, folder / f"{run.id}.{form}") for form in ("html", "ipynb")}
    yield "HTML export", plain(exported["html"].read_text(encoding="utf-8"))
    yield "notebook", "\n".join(_cells(exported["ipynb"].read_bytes()))
    yield "page", plain(client.get(f"/runs/{run.id}").text)


def _cells(notebook: bytes) -> Iterator[str]:
    for cell in json.loads(notebook)["cells"]:
        if cell["cell_type"] == "markdown":
            yield _FENCE.sub("", "".join(cell["source"]).replace("\\", ""))


def session_files(home: Path, session_id: str) -> Iterator[tuple[str, str]]:
    """Every file of an investigation's session that holds words."""
    for path in sorted((home / "sessions" / session_id).rglob("*")):
        if path.is_file() and path.suffix in {".md", ".json", ".txt", ".jsonl"}:
            yield f"session {path.name}", path.read_text(encoding="utf-8").replace("\\", "")
