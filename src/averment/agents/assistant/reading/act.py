"""What a clause asks for, as data."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from averment.agents.assistant.reading.titles import NewTask

Verb = Literal["add", "complete", "reopen", "delete", "update", "list", "find", "look", "undo"]

State = Literal["there", "open", "done"]


@dataclass(frozen=True, slots=True)
class ActCondition:
    """On what an act hangs: whether a task that the words name is there, open or done; ``holds`` turned round is not.

    Without words it hangs on something that the list does not know.
    """

    words: str | None
    state: State = "there"
    holds: bool = True


@dataclass(frozen=True, slots=True)
class Act:
    """One act: what is to be done, to which tasks, and what they are to be given.

    ``target`` holds the words that name the tasks. ``fields`` are new values; None takes one away. ``sure`` is False
    where the clause only may ask for it.
    """

    verb: Verb
    target: str = ""
    tasks: tuple[NewTask, ...] = ()
    other: tuple[NewTask, ...] = ()
    fields: dict[str, str | None] = field(default_factory=dict)
    wanted: dict[str, str | None] = field(default_factory=dict)
    """For lists: status, priority, a span of due days, counts, words to search for; for looks: what is asked."""
    condition: ActCondition | None = None
    negated: bool = False
    sure: bool = True
    told: bool = False
    """Read from what happened ("I walked the dog"), and only an act where it names a task."""
