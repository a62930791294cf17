"""What a plan is made in and of: the dialogue with the tasks as they are, and one act made ready."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from averment.agents.assistant.decision import Decision
from averment.agents.assistant.dialogue import Dialogue, ShownItem
from averment.agents.assistant.reading.act import Act

MAX_TITLE = 255
MAX_DESCRIPTION = 1000


@dataclass(frozen=True, slots=True)
class ActScene:
    """What a plan is made in: the dialogue, the user's tasks as they are, and the time."""

    dialogue: Dialogue
    tasks: Sequence[ShownItem]
    now: datetime

    @property
    def wall(self) -> datetime:
        """The time on the wall."""
        return self.now.astimezone().replace(tzinfo=None)


@dataclass(frozen=True, slots=True)
class PreparedAct:
    """One act made ready: its calls and what they do in words; or why it cannot be done."""

    calls: tuple[dict[str, Any], ...] = ()
    does: str = ""
    asks: bool = False
    focus: tuple[int, ...] = ()
    instead: Decision | None = None
    lists: dict[str, Any] | None = None
    says: str = ""
    denied: bool = False
    """What is said is that nothing is done."""


def kept(act: Act) -> dict[str, Any]:
    """An act as a question or the dialogue keeps it, without what it was on."""
    return {"verb": act.verb, "fields": act.fields, "wanted": act.wanted}


def act_of(kept_act: dict[str, Any], target: str = "") -> Act:
    """The act that was kept, on another target."""
    return Act(kept_act["verb"], target, fields=dict(kept_act["fields"]), wanted=dict(kept_act["wanted"]))


def current(line: ShownItem, scene: ActScene) -> ShownItem:
    """The task as it is now; as it was shown where it is gone."""
    return next((task for task in scene.tasks if task.task_id == line.task_id), line)


def ask_again(reason: str) -> Decision:
    """A plea for other words."""
    return Decision("say", words=f"{reason} Try 'show my tasks' to see what's current.", more={"asked_back": True})


def too_long(title: str) -> Decision:
    """A title that no task can have: nothing is cut to fit."""
    words = (
        f"A task's title has at most {MAX_TITLE} characters, and this one has {len(title)}. Nothing was "
        "added; please say it shorter."
    )
    return Decision("say", words=words, more={"asked_back": True})
