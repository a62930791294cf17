"""A question that the memory does not answer, asked of the session's files as an analysis of its own."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from averment.agents.driller.chat import Ask, QueryAnswer
from averment.errors import AvermentError, UsageError

if TYPE_CHECKING:
    from averment.runtime.outcome import Run

MANY_ROWS = "The result has "
ANSWERED = frozenset({"completed", "partial_success"})


def ask_with(analyze: Callable[..., Run]) -> Ask:
    """How a session asks, given the workbench's way to answer a question about tables."""

    def ask(question: str, sources: Sequence[str]) -> QueryAnswer:
        try:
            run = analyze(question, sources, deliverables=("tables", "summary"))
        except AvermentError as error:
            run_id = error.details.get("run_id")
            # Only what is wrong with the question is told; other messages may name places on this machine.
            reason = error.message if isinstance(error, UsageError) else ""
            return QueryAnswer(answer=None, run_id=None if run_id is None else str(run_id), reason=reason)
        if run.status not in ANSWERED:
            return QueryAnswer(answer=None, run_id=run.id, reason=run.answer or "")
        if run.answer is not None and run.answer.startswith(MANY_ROWS):
            # A table that nobody asked for in so many words is no answer to a question in a conversation.
            return QueryAnswer(answer=None, run_id=run.id)
        return QueryAnswer(answer=run.answer, run_id=run.id, artifacts=tuple(one.content_ref for one in run.artifacts))

    return ask
