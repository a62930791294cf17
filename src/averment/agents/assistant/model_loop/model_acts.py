"""A model's acts as acts of a plan: each unsure, so that all of them together are asked about before any happens."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from averment.agents.assistant.reading.act import Act
from averment.agents.assistant.reading.titles import NewTask

if TYPE_CHECKING:
    from averment.agents.assistant.understand import ParsedMessage

ACTS = "acts"
"""The intent of a message in which a model heard acts on tasks."""

_VERBS: dict[str, Any] = {
    "complete_task": "complete",
    "reopen_task": "reopen",
    "delete_task": "delete",
    "update_task": "update",
}


def wanted_acts(heard: ParsedMessage) -> list[Act]:
    """The acts that a model heard in a message, in its order."""
    found: list[Act] = []
    for act in heard.entities.get("acts", ()):
        if act["tool"] == "add_task":
            found.append(Act("add", tasks=(NewTask(str(act["title"]).strip(), act.get("description")),), sure=False))
            continue
        fields = {name: act[name] for name in ("title", "description") if act.get(name)}
        verb = _VERBS[act["tool"]]
        found.append(Act(verb, str(act["named"]), fields=fields if verb == "update" else {}, sure=False))
    return found
