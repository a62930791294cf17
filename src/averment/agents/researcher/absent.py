"""Absence as a claim: what was searched, how much of it, whether time ran out, and why nothing was told.

Not searched, searched without a find, and denied by the sources are three different things.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from averment.agents.researcher.questions import MAIN, asked_questions, planned_questions, request_of
from averment.records.base import Record

if TYPE_CHECKING:
    from averment.agents.researcher.answered import Reply
    from averment.spine.work import Work

Reason = Literal["not searched", "nothing passed", "denied"]


class Absent(Record):
    """That a question, or a part of it, has no answer in what was searched."""

    reason: Reason
    timed_out: bool
    documents: int
    opened: int
    sentences: int
    providers: tuple[str, ...]
    notes: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        """The claim in words."""
        where = f"{self.documents:,} archived documents ({', '.join(self.providers)})"
        if self.reason == "not searched":
            why = "the time ran out before" if self.timed_out else "the search failed before"
            return f"Not answered: {why} {where} were searched."
        read = f" {self.sentences:,} sentences of the {self.opened:,} most likely were read." if self.opened else ""
        cut = " The time ran out before all questions were asked." if self.timed_out else ""
        if self.reason == "denied":
            return (
                f"The sources do not answer this as it is asked. {' '.join(self.notes)} Searched: {where}.{read}{cut}"
            )
        notes = f" {' '.join(self.notes)}" if self.notes else ""
        return f"No answer was found.{notes} Searched: {where}.{read}{cut}"


def absent_of(work: Work, reply: Reply | None) -> Absent:
    """What a research without an answer, or without one to a part, can say of what it searched."""
    held = work.reading.get("corpus", {})
    asked = asked_questions(work)
    waiting = [one for one in planned_questions(work) if one.id not in {each.id for each in asked}]
    unasked = any(one.facet == MAIN for one in waiting)
    timed_out = bool(waiting) or any(failure.status == "timeout" for failure in work.failed.values())
    notes = tuple(dict.fromkeys(part.note for part in reply.missing if part.note)) if reply is not None else ()
    denied = reply is not None and any("status" in note for note in notes)
    empty = not held.get("documents", 0)
    reason: Reason = (
        "not searched" if reply is None and unasked and not empty else "denied" if denied else "nothing passed"
    )
    return Absent(
        reason=reason,
        timed_out=timed_out,
        documents=int(held.get("documents", 0)),
        opened=reply.opened if reply is not None else 0,
        sentences=reply.sentences if reply is not None else 0,
        providers=request_of(work).providers,
        notes=notes,
    )
