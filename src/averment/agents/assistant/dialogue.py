"""What a conversation remembers between turns: the list the user saw, what was last spoken of, and the files at hand.

It is kept in the conversation's metadata as the contract draws them; what the contract has no field for lies in its
``agent_context``.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Any

from averment.records.chat import AgentContext, ConversationMetadata

FRESH = timedelta(minutes=30)
"""How long a shown list can be pointed at."""


@dataclass(frozen=True, slots=True)
class ShownItem:
    """One line of a list as the user saw it."""

    task_id: int
    version: int
    title: str
    status: str = "pending"
    due: str | None = None
    priority: str | None = None
    repeat: str | None = None
    description: str | None = None


def shown_line(data: dict[str, Any]) -> ShownItem:
    """A task as the tools give it, as a line of a list."""
    more = {name: data.get(name) for name in ("due", "priority", "repeat", "description")}
    return ShownItem(int(data["id"]), int(data["version"]), str(data["title"]), str(data["status"]), **more)


@dataclass(frozen=True, slots=True)
class Dialogue:
    """The state of one conversation between two turns."""

    shown: tuple[ShownItem, ...] = ()
    shown_at: datetime | None = None
    focus: tuple[int, ...] = ()
    sources: tuple[str, ...] = ()
    last_run: str | None = None
    last_kind: str | None = None
    last_result: str | None = None
    """The last analysis that gave a result: what a follow-up changes, and whose series a why is about."""
    leans_on: str | None = None
    """The last analysis that a follow-up can change: one with rows, or with readings to choose from."""
    leans_shape: str | None = None
    """What that analysis measures of which groups: another one of the same that names one row only picks from it."""
    began_with: str | None = None
    """The run that the conversation was opened about, which was asked before it."""
    documents: tuple[str, ...] = ()
    """The documents that were given to the conversation, by name; the corpus has them."""
    awaited: dict[str, Any] | None = None
    last_act: dict[str, Any] | None = None
    """What the turn before did to tasks: its verb and what it gave them; None where it did nothing."""
    asked_again: str | None = None
    """The question that was repeated once already."""
    last_tool: str | None = None
    last_parameters: dict[str, Any] | None = None
    context: AgentContext = field(default_factory=AgentContext)

    @classmethod
    def of(cls, metadata: ConversationMetadata | None) -> Dialogue:
        """The state that the metadata hold."""
        if metadata is None:
            return cls()
        kept = dict(metadata.agent_context or {})
        known = {name: kept[name] for name in AgentContext.model_fields if name in kept}
        return cls(
            shown=tuple(ShownItem(**line) for line in kept.get("shown", ())),
            shown_at=metadata.referenced_at,
            focus=tuple(kept.get("focus", ())),
            sources=tuple(kept.get("sources", ())),
            last_run=kept.get("last_run"),
            last_kind=kept.get("last_kind"),
            last_result=kept.get("last_result"),
            leans_on=kept.get("leans_on"),
            leans_shape=kept.get("leans_shape"),
            began_with=kept.get("began_with"),
            documents=tuple(kept.get("documents", ())),
            awaited=kept.get("awaited"),
            last_act=kept.get("last_act"),
            asked_again=kept.get("asked_again"),
            last_tool=metadata.last_tool_used,
            last_parameters=metadata.last_tool_parameters,
            context=AgentContext.model_validate(known),
        )

    def metadata(self) -> ConversationMetadata:
        """The state as the contract's metadata."""
        references = {str(position): line.task_id for position, line in enumerate(self.shown, start=1)}
        return ConversationMetadata(
            task_references=references or None,
            referenced_at=self.shown_at,
            last_tool_used=self.last_tool,
            last_tool_parameters=self.last_parameters,
            agent_context={
                **self.context.model_dump(mode="json"),
                "shown": [
                    {"task_id": line.task_id, "version": line.version, "title": line.title, "status": line.status}
                    for line in self.shown
                ],
                "focus": list(self.focus),
                "sources": list(self.sources),
                "last_run": self.last_run,
                "last_kind": self.last_kind,
                "last_result": self.last_result,
                "leans_on": self.leans_on,
                "leans_shape": self.leans_shape,
                "began_with": self.began_with,
                "documents": list(self.documents),
                "awaited": self.awaited,
                "last_act": self.last_act,
                "asked_again": self.asked_again,
            },
        )

    def is_fresh(self, now: datetime) -> bool:
        """Whether the list was shown lately enough to be pointed at."""
        return self.shown_at is not None and now - self.shown_at <= FRESH

    def showing(self, lines: Sequence[ShownItem], now: datetime) -> Dialogue:
        """The state after a list was shown."""
        return replace(self, shown=tuple(lines), shown_at=now, focus=())

    def speaking_of(self, task_ids: Sequence[int]) -> Dialogue:
        """The state after these tasks were spoken of."""
        return replace(self, focus=tuple(task_ids))

    def after_run(self, ran: dict[str, Any]) -> Dialogue:
        """The state after a run came back; one that only asked leaves the last result where it was."""
        kind, run_id = str(ran.get("kind") or ""), str(ran["run_id"])
        after = replace(self, last_run=run_id, last_kind=kind)
        plan = ran.get("meaning") or {}
        shape = _shape(plan)
        if kind != "analysis" or (plan.get("expects") == "row" and shape is not None and shape == self.leans_shape):
            # "Which was highest?" picks from the result before it: that one is still what the talk is about.
            return after
        if ran.get("row_count"):
            after = replace(after, last_result=run_id)
        if ran.get("row_count") or ran.get("offers"):
            after = replace(after, leans_on=run_id, leans_shape=None if plan.get("expects") == "row" else shape)
        return after

    def with_documents(self, names: Sequence[str]) -> Dialogue:
        """The state with documents at hand, by their names alone."""
        bare = (name.rsplit(":", 1)[-1].rsplit("/", 1)[-1] for name in names)
        return replace(self, documents=tuple(dict.fromkeys((*self.documents, *bare))))

    def heard(self, confidence: float, *, asked_back: bool) -> Dialogue:
        """The state after a message was understood so surely, and perhaps asked back about."""
        context = self.context.remembered(round(confidence, 4))
        if asked_back:
            context = context.changed(clarification_count=context.clarification_count + 1)
        return replace(self, context=context)


def _shape(plan: Mapping[str, Any]) -> str | None:
    """A plan without how its rows are ranked and shown; None where there is no plan."""
    if not plan.get("by"):
        return None
    body = {name: part for name, part in plan.items() if name not in {"rank", "expects", "chart"}}
    return hashlib.sha256(json.dumps(body, sort_keys=True).encode()).hexdigest()[:16]
