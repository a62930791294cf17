"""The desk of a drill that is being filled in: its files, what was chosen so far, and what both give."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from starlette.responses import Response

from averment.errors import AvermentError
from averment.faces.web.drill.draft import Draft, Drafts
from averment.faces.web.drill.field_errors import Fault, fault_of
from averment.faces.web.drill.preparation import Model, Preview, preview, read_model
from averment.faces.web.shell.pages import go
from averment.records.drilldown import UploadedFile
from averment.workbench import Workbench

MOST_WORDS = 1_000
"""Taught words that a metric may be said in; the latest come first."""


@dataclass(frozen=True)
class DrillForm:
    """A drill that is being filled in."""

    workbench: Workbench
    session_id: str
    files: tuple[UploadedFile, ...]
    sources: tuple[str, ...]
    draft: Draft

    @property
    def model(self) -> Model:
        """How its tables belong together, as inferred."""
        return read_model(self.workbench.settings, self.files, self.sources)

    @property
    def preview(self) -> Preview:
        """Its metric over all days."""
        taught = self.workbench.home.glossary.list(limit=MOST_WORDS)
        return preview(self.workbench.settings, self.sources, self.model, self.draft, taught)

    def keep(self, **changes: Any) -> DrillForm:
        """The desk with a changed draft, which is kept."""
        draft = Drafts(self.workbench.settings).keep(self.session_id, self.draft.changed(**changes))
        return DrillForm(self.workbench, self.session_id, self.files, self.sources, draft)

    def fault(self, error: AvermentError) -> Fault:
        """An error in plain words."""
        return fault_of(error, self.workbench.settings.home)


def open_desk(workbench: Workbench, session_id: str) -> DrillForm | Response:
    """The desk of a session, or where to go instead: to its files first, or to what has been started."""
    sessions = workbench.sessions
    if sessions.get(session_id).status == "running":
        return go(f"/drill/{session_id}")
    files = sessions.files(session_id)
    if not files:
        return go(f"/drill/{session_id}/files")
    draft = Drafts(workbench.settings).get(session_id)
    return DrillForm(workbench, session_id, files, sessions.sources(session_id), draft)
