"""The desk of a drill that is being filled in: its files, what was chosen so far, and what both give."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any

from fastapi import Depends

from averment.errors import AvermentError
from averment.faces.web.drill.draft import Drafts, DrillDraft
from averment.faces.web.drill.drills import SessionId
from averment.faces.web.drill.field_errors import FieldFault, fault_of
from averment.faces.web.drill.preparation import Model, Preview, preview, read_model
from averment.faces.web.shell.page_access import Bench
from averment.faces.web.shell.pages import Elsewhere
from averment.records.drilldown.files import UploadedFile
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
    draft: DrillDraft

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

    def fault(self, error: AvermentError) -> FieldFault:
        """An error in plain words."""
        return fault_of(error, self.workbench.settings.home)


def open_form(workbench: Bench, session_id: SessionId) -> DrillForm:
    """The form of a session.

    Raises:
        Elsewhere: its files come first, or it has been started.
    """
    sessions, name = workbench.sessions, str(session_id)
    if sessions.get(name).status == "running":
        raise Elsewhere(f"/drill/{name}")
    files = sessions.files(name)
    if not files:
        raise Elsewhere(f"/drill/{name}/files")
    return DrillForm(workbench, name, files, sessions.sources(name), Drafts(workbench.settings).get(name))


Form = Annotated[DrillForm, Depends(open_form)]
