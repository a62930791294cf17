"""How a task's fields are said."""

from __future__ import annotations

from datetime import datetime
from typing import Any


def fields_of(task: dict[str, Any]) -> str:
    """When a task is due, how urgent it is and how it repeats, in words; empty where it says nothing of that."""
    parts = (
        f"due {said_when(str(task['due']))}" if task.get("due") else "",
        f"{task['priority']} priority" if task.get("priority") else "",
        f"repeats {task['repeat']}" if task.get("repeat") else "",
    )
    return ", ".join(part for part in parts if part)


def said_when(due: str) -> str:
    """A day, or a day and a time, as people say them."""
    at = datetime.fromisoformat(due)
    clock = f" at {at:%H:%M}" if "T" in due else ""
    return f"{at:%A} {at.day} {at:%B %Y}{clock}"
