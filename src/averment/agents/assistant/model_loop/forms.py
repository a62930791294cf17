"""The form of one step that a model takes about a message: it looks at the tasks, wants acts done, or only speaks."""

from __future__ import annotations

from typing import ClassVar, Literal

from pydantic import Field

from averment.llm.forms import Form, ToolForm

ActTool = Literal[
    "add_task", "update_task", "complete_task", "reopen_task", "delete_task", "analyze", "drill", "research"
]
MOST_ACTS = 8


class WantedAct(Form):
    """One thing that the message asks for; nobody has done it."""

    tool: ActTool
    task_id: int | None = Field(default=None, description="For acts on a task: the id that look gave.")
    title: str | None = Field(default=None, max_length=255, description="For add_task and update_task.")
    description: str | None = Field(default=None, max_length=1_000)
    question: str | None = Field(
        default=None, max_length=1_000, description="For analyze, drill, research: the whole question, by itself."
    )


class MessageStep(ToolForm):
    """What a model does next about a message."""

    HOLDS: ClassVar[dict[str, str]] = {"acts": "act"}
    ELSE: ClassVar[str] = "reply"

    tool: Literal["look", "act", "reply"] = Field(description="What to do now.")
    acts: list[WantedAct] = Field(default_factory=list[WantedAct], max_length=MOST_ACTS, description="For act.")
    text: str = Field(default="", max_length=2_000, description="For reply: short, without facts and deeds.")
