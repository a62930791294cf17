"""What forms that a model fills in share: loose keys, a place to think, and a tool named by what an answer holds."""

from __future__ import annotations

from typing import Any, ClassVar

from pydantic import BaseModel, ConfigDict, Field, model_validator


class Form(BaseModel):
    """What a model fills in; keys it adds of its own are passed over."""

    model_config = ConfigDict(extra="ignore")


class ThoughtForm(Form):
    """A form whose first field is for thinking."""

    thoughts: str = Field(default="", max_length=20_000, description="Think here first; nobody keeps it.")


class ToolForm(ThoughtForm):
    """A step by one of several tools; an answer without one is what it holds, the first of ``HOLDS`` that is there."""

    HOLDS: ClassVar[dict[str, str]]
    ELSE: ClassVar[str]

    @model_validator(mode="before")
    @classmethod
    def _a_bare_answer_names_its_tool(cls, body: Any) -> Any:
        if not isinstance(body, dict) or body.get("tool"):
            return body
        return {**body, "tool": next((tool for key, tool in cls.HOLDS.items() if body.get(key)), cls.ELSE)}
