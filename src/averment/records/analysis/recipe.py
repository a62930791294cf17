"""A recipe: the shape of an analysis that worked, kept so that a like question over like data can reuse it."""

from __future__ import annotations

import string
from datetime import datetime
from typing import Any

from pydantic import ConfigDict, Field, field_validator, model_validator

from averment.records.base import Record, Sha256, UtcDatetime, UuidText, new_id, utc_now


def placeholders(template: str) -> tuple[str, ...]:
    """The names in ``{braces}`` of a template, each once, in order.

    Raises:
        ValueError: a brace is not closed, or what stands between two braces is not a name.
    """
    names: dict[str, None] = {}
    for _, name, format_spec, conversion in string.Formatter().parse(template):
        if name is None:
            continue
        if not name.isidentifier() or format_spec or conversion:
            raise ValueError(f"a placeholder is a name in braces, like {{time_range}}, not {{{name}}}")
        names[name] = None
    return tuple(names)


class Recipe(Record):
    """A successful analysis made general: its intent and arguments with ``{placeholders}`` for what changes, if any."""

    # The vector is bytes; in JSON it travels as base64.
    model_config = ConfigDict(ser_json_bytes="base64", val_json_bytes="base64")

    recipe_id: UuidText = Field(default_factory=new_id)
    schema_fingerprint: Sha256
    intent_template: str = Field(min_length=1)
    intent_embedding: bytes = Field(min_length=1)
    plan_structure: dict[str, Any]
    tool_argument_templates: tuple[dict[str, Any], ...]
    success_count: int = Field(default=1, ge=1)
    created_at: UtcDatetime = Field(default_factory=utc_now)
    last_used_at: UtcDatetime = Field(default_factory=lambda made: made.get("created_at") or utc_now())

    @field_validator("intent_template")
    @classmethod
    def _template_has_proper_placeholders(cls, template: str) -> str:
        placeholders(template)
        return template

    @field_validator("plan_structure")
    @classmethod
    def _structure_has_subtasks(cls, structure: dict[str, Any]) -> dict[str, Any]:
        subtasks = structure.get("subtasks")
        if not isinstance(subtasks, list | tuple) or not subtasks:
            raise ValueError("a plan structure needs a list of subtasks")
        for subtask in subtasks:
            if not isinstance(subtask, dict) or not {"task_id", "tool_name"} <= subtask.keys():
                raise ValueError("each subtask of a plan structure needs a task_id and a tool_name")
        return structure

    @model_validator(mode="after")
    def _used_after_it_was_made(self) -> Recipe:
        if self.last_used_at < self.created_at:
            raise ValueError("a recipe cannot be used before it is created")
        return self

    @property
    def confirmed(self) -> str:
        """Who confirmed its reading: a ``person`` or two ``readings``; empty where an earlier version kept it."""
        return str(self.plan_structure.get("confirmed", ""))

    def reused(self, at: datetime) -> Recipe:
        """The recipe after one more success at that moment."""
        return self.changed(success_count=self.success_count + 1, last_used_at=max(at, self.last_used_at))
