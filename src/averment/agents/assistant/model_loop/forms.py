"""The form of one step that a model takes about a message: it looks at the tasks, wants acts done, or only speaks."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator

ActTool = Literal[
    "add_task", "update_task", "complete_task", "reopen_task", "delete_task", "analyze", "drill", "research"
]
MOST_ACTS = 8


class _Form(BaseModel):
    """What a model fills in; keys it adds of its own are passed over."""

    model_config = ConfigDict(extra="ignore")


class WantedAct(_Form):
    """One thing that the message asks for; nobody has done it."""

    tool: ActTool
    task_id: int | None = Field(default=None, description="For acts on a task: the id that look gave.")
    title: str | None = Field(default=None, max_length=255, description="For add_task and update_task.")
    description: str | None = Field(default=None, max_length=1_000)
    question: str | None = Field(
        default=None, max_length=1_000, description="For analyze, drill, research: the whole question, by itself."
    )


class MessageStep(_Form):
    """What a model does next about a message."""

    thoughts: str = Field(default="", max_length=20_000, description="Think here first; nobody keeps it.")
    tool: Literal["look", "act", "reply"] = Field(description="What to do now.")
    acts: list[WantedAct] = Field(default_factory=list[WantedAct], max_length=MOST_ACTS, description="For act.")
    text: str = Field(default="", max_length=2_000, description="For reply: short, without facts and deeds.")

    @model_validator(mode="before")
    @classmethod
    def _a_bare_answer_names_its_tool(cls, body: Any) -> Any:
        """An answer without a tool is what it holds."""
        if not isinstance(body, dict) or body.get("tool"):
            return body
        return {**body, "tool": "act" if body.get("acts") else "reply"}
