"""What a person has chosen for a drill before it starts, kept in the session's own tree so that no window loses it."""

from __future__ import annotations

import json

from pydantic import Field, ValidationError

from averment.records.base import Record
from averment.records.drilldown.files import Column, ColumnRole
from averment.records.drilldown.investigation import InvestigationContext
from averment.settings import Settings
from averment.store.runs.session_tree import CONTEXT, SessionTree
from averment.store.storage.configured import open_files

DRAFT = "draft.json"


class KeyLink(Record):
    """One column that holds the values of another table's key."""

    left: str = Field(max_length=300)
    left_column: str = Field(max_length=300)
    right: str = Field(max_length=300)
    right_column: str = Field(max_length=300)

    @property
    def words(self) -> str:
        """The link in words."""
        return f"{self.left}.{self.left_column} refers to {self.right}.{self.right_column}"


class DrillDraft(Record):
    """The choices so far; ``links`` is None until somebody has confirmed how the tables belong together."""

    links: tuple[KeyLink, ...] | None = None
    focus: tuple[str, ...] = ()
    roles: dict[str, ColumnRole] = Field(default_factory=dict)
    """What somebody says of columns that were read otherwise, by ``table.column``."""
    metric: str = ""
    baseline: tuple[str, str] = ("", "")
    comparison: tuple[str, str] = ("", "")
    flag: str = ""
    """The column whose values are compared instead of two periods, as ``table.column``; empty for periods."""
    control: str = ""
    test: str = ""
    background: str = ""
    prompt: str = ""

    def role(self, table: str, column: Column) -> ColumnRole:
        """What a column counts as: as somebody said, else as it was read."""
        return self.roles.get(f"{table}.{column.name}", column.inferred_type)


class Drafts:
    """The drafts of the sessions of one home."""

    def __init__(self, settings: Settings) -> None:
        self._tree = SessionTree(open_files(settings))

    def get(self, session_id: str) -> DrillDraft:
        """The session's draft; an empty one where there is none, or none that can be read."""
        content = self._tree.read(session_id, DRAFT)
        try:
            return DrillDraft() if content is None else DrillDraft.model_validate_json(content)
        except ValidationError:
            return DrillDraft()

    def started_with(self, session_id: str) -> InvestigationContext | None:
        """What the session's investigation was started with, whoever started it; None before that."""
        body = self._tree.read_json(session_id, CONTEXT)
        return None if body is None else InvestigationContext.model_validate(body)

    def keep(self, session_id: str, draft: DrillDraft) -> DrillDraft:
        """Keep the draft of a session that is there."""
        self._tree.write(session_id, DRAFT, json.dumps(draft.model_dump(mode="json"), ensure_ascii=False).encode())
        return draft
