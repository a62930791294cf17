"""Absence as a claim: what was searched, how much of it, whether time ran out, and why nothing was told.

Not searched, searched without a find, and denied by the sources are three different things.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from averment.agents.researcher.questions import MAIN, asked_questions, planned_questions, request_of
from averment.claims.relation import make, told
from averment.evidence.bind import result
from averment.records.base import Record
from averment.records.claim import Claim, ClaimValue

if TYPE_CHECKING:
    from averment.agents.researcher.answered import Reply
    from averment.runtime.run_context import RunContext

METHOD = "What was searched, as the plan and the reading call recorded it."

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
    def where(self) -> str:
        """What was searched, in words."""
        return f"{self.documents:,} archived documents ({', '.join(self.providers)})"


def absent_claim(work: RunContext, reply: Reply | None) -> Claim:
    """That there is no answer, as a claim: what was read of the documents is what the reading call counted."""
    absent = absent_of(work, reply)
    reason = absent.reason
    if reason == "not searched" and absent.timed_out:
        reason = "out of time"
    words = {"reason": reason, "where": absent.where, "notes": " ".join(absent.notes)}
    if absent.timed_out:
        words["cut"] = "yes"
    values: list[ClaimValue] = []
    if reply is not None and reply.opened and reason in {"denied", "nothing passed"}:
        values = [
            told("sentences", result(reply.call_id, "sentences", reply.sentences), "count"),
            told("opened", result(reply.call_id, "documents", reply.opened), "count"),
        ]
    return make("absent", claim_id="absent", values=values, sealed=None, words=words, method=METHOD)


def absent_of(work: RunContext, reply: Reply | None) -> Absent:
    """What a research without an answer, or without one to a part, can say of what it searched."""
    held = work.state.reading.get("corpus", {})
    asked = asked_questions(work)
    waiting = [one for one in planned_questions(work) if one.id not in {each.id for each in asked}]
    unasked = any(one.facet == MAIN for one in waiting)
    timed_out = bool(waiting) or any(failure.status == "timeout" for failure in work.state.failed.values())
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
