"""The readings that a run offers, as a question in the conversation: numbered, each with what it gives.

A choice by number, ordinal, button or words carries the reading out through the ``choose`` tool, which remembers it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from averment.agents.assistant.decision import Decision
from averment.agents.assistant.run_rows import said
from averment.language.references.resolve import ListedItem, resolve
from averment.tools.local_calls import Outcome

MOST_SHOWN = 3
"""Rows of an offer that its preview names."""
MOST_CELLS = 3
MOST_WORDS = 6
"""A choice that is named by its words is short; a longer message is a question of its own."""
_OPENS = re.compile(r"^(?:and|but|what|how|why|when|who|where|only|just|also|now|then|instead)\b", re.IGNORECASE)
_FIRST = re.compile(r"^1\. ", re.MULTILINE)


def offered_readings(outcomes: Sequence[Outcome]) -> Decision | None:
    """The question that the last run leaves open, or None where it asks for no choice."""
    result = (outcomes[-1].result or {}) if outcomes else {}
    offers: list[dict[str, Any]] = result.get("offers") or []
    if not offers or result.get("status") != "clarification_needed":
        return None
    options = tuple(
        {
            "title": f"{offer['read_back']}{preview(offer)}",
            "names": str(offer["read_back"]),
            "run": {"run_id": str(result["run_id"]), "number": at},
        }
        for at, offer in enumerate(offers, start=1)
    )
    return Decision("choose", words=_lead(str(result.get("answer") or "")), options=options)


def preview(offer: dict[str, Any]) -> str:
    """What a reading gives, in a few cells; nothing where it was not run."""
    rows: list[list[Any]] = offer.get("rows") or []
    if not rows:
        return " \u2192 none" if offer.get("columns") else ""
    shown = [" ".join(_cells(row)) for row in rows[:MOST_SHOWN]]
    total = int(offer.get("row_count") or len(rows))
    more = f", \u2026 ({total} rows)" if total > len(shown) else ""
    return f" \u2192 {', '.join(shown)}{more}"


def _cells(row: Sequence[Any]) -> list[str]:
    chosen = row if len(row) <= MOST_CELLS else [row[0], row[-1]]
    return [said(value, first=at == 0 and len(chosen) > 1) for at, value in enumerate(chosen)]


def _lead(answer: str) -> str:
    """What the run asks, without its own list of the readings."""
    found = _FIRST.search(answer)
    return (answer if found is None else answer[: found.start()]).strip() or "Which of these do you mean?"


def reading_meant(options: Sequence[dict[str, Any]], words: str, *, agrees: bool) -> int | None:
    """Which of the readings a message chooses, counted from 0; None where it chooses none of them."""
    if agrees:
        return 0 if len(options) == 1 else None
    if len(words.split()) > MOST_WORDS or words.rstrip().endswith("?"):
        return None
    found = resolve(words, [ListedItem(at, str(option["names"])) for at, option in enumerate(options, start=1)])
    if found.outcome != "resolved" or len(found.positions) != 1:
        return None
    # Words may also change the plan ("only for women"); a place in the list says nothing else.
    return None if found.by == "name" and _OPENS.match(words) else found.positions[0] - 1
