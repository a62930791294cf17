"""Questions about a completed investigation: answered in its memory's own sentences, by a new query, or not at all.

An answer from the memory is made of whole passages of it, so that no number can be in an answer that is not in a record
of the session. What the memory does not say is asked of the session's files as a new, proven analysis.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from averment.agents.driller.chat_direct import (
    PEOPLE,
    PERSON,
    answer_directly,
    asks,
    bullets_of,
    cause_line,
    count_line,
    figures_line,
    mover_words,
    sentences_in,
    total_change,
    without_line,
)
from averment.agents.driller.chat_question import passages_for, read_question
from averment.agents.driller.memory import compile_passages, remember
from averment.agents.driller.session_export import Investigation, read_investigation
from averment.claims.frames import AllowedSentences, Frame
from averment.errors import (
    AvermentError,
    InvalidRequest,
    InvestigationNotComplete,
    SourceUnreadable,
    UntrueClaim,
    UsageError,
)
from averment.records.base import is_blank
from averment.records.drilldown.api import ChatRequest
from averment.records.drilldown.results import ChatMessage
from averment.records.refusal import checked
from averment.store.runs.session_tree import HISTORY, SessionTree

if TYPE_CHECKING:
    from averment.runtime.outcome import Run
    from averment.runtime.services import Services
    from averment.store.search.memory import MemoryPassage, MemoryStore


OFFER = (
    "Ask about a segment or a column of the breakdown, the causes, price or volume, what was ruled out and why, how "
    "sure it is, whether the data are complete, or what to do next."
)
BEYOND = "The investigation's records do not answer that"
FRAMES = tuple(
    map(
        Frame,
        (
            f"{BEYOND}: they cover what happened, not what will happen.",
            f"{BEYOND}. {OFFER}",
            f"{BEYOND}, and neither does a new query of the session's files. {OFFER}",
            "From a new query of the session's files: {answer}",
            "It is part of explanation {rank}: {title}.",
            "The metric is a quotient, so it cannot be had without {value} by subtraction.",
            "Explanation {rank} is about the number of rows: {title}.",
            "Explanation {rank} is about the value of each: {title}.",
            "Explanation {rank} is about the mix: {title}.",
            "Explanation {rank} is about the metric itself, not the mix: {title}.",
            "{title}: {found}",
            "{title}: it was ruled out.",
            "Nothing was ruled out.",
            "{rank}. {title} ({likelihood}).",
            "{title}.",
            "No cause is proven.",
            "The largest movers are {movers}.",
            "Beyond their own noise are {beyond}.",
            "No fault of the data was found.",
        ),
    )
)
"""Every frame sentence of a reply."""


def chat_told(found: Investigation, answer: str | None = None) -> AllowedSentences:
    """Everything that a reply may say; ``answer`` is what a run made for the question said, in its own claims."""
    told = found.explanations or ()
    titles = [one.title for one in told] + [one.title.rstrip(".") for one in found.hypotheses]
    movers = sorted(found.breakdown, key=lambda mover: -abs(mover.change))[:3]
    beyond = [mover.value for mover in found.breakdown if mover.verdict == "beyond noise"]
    allowed = {
        "answer": [answer or ""],
        "rank": [str(one.rank) for one in told],
        "title": titles,
        "value": [mover.value for mover in found.breakdown],
        "found": [one.summary for one in found.findings],
        "likelihood": [one.likelihood for one in told],
        "movers": [_listed([mover_words(mover) for mover in movers])] if movers else [],
        "beyond": [_listed(beyond[:most]) for most in range(1, len(beyond) + 1)],
    }
    return AllowedSentences(_lines(found), FRAMES, allowed)


def _lines(found: Investigation) -> Iterator[str]:
    """Every line that stands in the records, or says one row of them."""
    yield from (passage.text for passage in compile_passages(found))
    yield from (one.summary for one in found.findings)
    for one in found.explanations or ():
        yield cause_line(one)
        yield from (one.reasoning, one.causal_story, *sentences_in(one.reasoning))
    total = total_change(found)
    before, after = found.context.side_words("baseline"), found.context.side_words("comparison")
    when = "in" if found.context.groups is not None else "from"
    for mover in found.breakdown:
        yield figures_line(found, mover)
        yield count_line(mover, before, after, when)
        if total is not None:
            yield without_line(mover, total)
    yield from bullets_of(found, "Recommended Next Steps")
    for line in (found.report or "").splitlines():
        yield line.strip("* ").replace("\\", "")
        yield from (part.replace("\\", "").strip("* ") for part in re.findall(r"Unexplained stays [^\n]*", line))


def _listed(parts: list[str]) -> str:
    from averment.language.sentences import join_list

    return join_list(parts)


MOST_PASSAGES_READ = 2_000
ANSWER_LENGTH = 5_000
QUESTION_LENGTH = 2_000
"""A new query takes questions no longer than this."""


@dataclass(frozen=True, kw_only=True)
class QueryAnswer:
    """What a new query over the session's files came back with; ``answer`` is None when it found none."""

    answer: str | None
    run_id: str | None = None
    artifacts: tuple[str, ...] = ()
    reason: str = ""


Ask = Callable[[str, Sequence[str]], QueryAnswer]
"""Answers a question about sources with a run of its own, or says why not; it does not raise for an honest no."""


class Chat:
    """Answers questions about sessions."""

    def __init__(self, services: Services, tree: SessionTree, memory: MemoryStore, ask: Ask | None) -> None:
        self._services = services
        self._tree = tree
        self._memory = memory
        self._ask = ask

    def answer(
        self, session_id: str, message: str, sources: Sequence[str], clock: Callable[[], datetime]
    ) -> tuple[ChatMessage, ChatMessage, tuple[str, ...]]:
        """The question, its answer, and the runs that were made for it; nothing is kept yet.

        Raises:
            InvalidRequest: the message is empty or over 5,000 characters.
            InvestigationNotComplete: the session's tree holds no investigation.
            UntrueClaim: the reply would say what no record says.
        """
        text = checked(ChatRequest, {"message": message}).message
        if is_blank(text):
            raise InvalidRequest("The message is empty.", hint="Ask a question about the report.")
        asked = ChatMessage(session_id=session_id, role="user", content=text, timestamp=clock())
        found = read_investigation(self._tree, session_id)
        if found is None:
            raise InvestigationNotComplete("The session has no investigation.")
        runs: tuple[str, ...] = ()
        answered: str | None = None
        direct = answer_directly(found, text)
        if direct is not None:
            content, artifacts = direct
        elif not asks(text, PERSON) and (passages := self._find(session_id, found, text, clock)):
            content, artifacts = _told(passages)
        else:
            asked_of = () if asks(text, PERSON) and not _has_people(found) else sources
            content, answered, artifacts, runs = self._query(text, asked_of)
        try:
            chat_told(found, answered).check(("reply", line) for line in content.split("\n"))
        except UntrueClaim:  # Words that no record bears out are not said; that there is no answer always holds.
            content, artifacts = f"{BEYOND}. {OFFER}", ()
        reply = ChatMessage(
            session_id=session_id,
            role="assistant",
            content=_clipped(content),
            timestamp=clock(),
            artifacts_referenced=artifacts,
        )
        return asked, reply, runs

    def keep(self, session_id: str, *messages: ChatMessage) -> None:
        """Add messages to the session's history."""
        self._tree.write_json(session_id, HISTORY, (*read_history(self._tree, session_id), *messages))

    def _find(
        self, session_id: str, found: Investigation, text: str, clock: Callable[[], datetime]
    ) -> tuple[MemoryPassage, ...]:
        embedder = self._services.texts.embedder()
        kept = self._memory.get(session_id)
        if kept is None or kept[1] != embedder.name:
            # Lost, or made by another embedder, whose vectors cannot be compared with this one's.
            remember(self._memory, embedder, session_id, found, at=clock())
        question = read_question(text, metric=found.context.metric_sql)
        vector = embedder.embed([text])[0]
        scored = self._memory.search(session_id, vector, MOST_PASSAGES_READ)
        if {passage for passage, _ in scored} - set(compile_passages(found)):
            # The memory says what the session's records do not: it is made anew from them.
            remember(self._memory, embedder, session_id, found, at=clock())
            scored = self._memory.search(session_id, vector, MOST_PASSAGES_READ)
        return passages_for(question, scored)

    def _query(self, text: str, sources: Sequence[str]) -> tuple[str, str | None, tuple[str, ...], tuple[str, ...]]:
        """The reply, what the run made for it said in its own words, its files and its id."""
        if self._ask is None or not sources or len(text) > QUESTION_LENGTH:
            return f"{BEYOND}. {OFFER}", None, (), ()
        asked = self._ask(text, sources)
        runs = () if asked.run_id is None else (asked.run_id,)
        if asked.answer is None:
            return f"{BEYOND}, and neither does a new query of the session's files. {OFFER}", None, (), runs
        said = " ".join(asked.answer.split())
        return f"From a new query of the session's files: {said}", said, asked.artifacts, runs


def read_history(tree: SessionTree, session_id: str) -> tuple[ChatMessage, ...]:
    """The questions and answers of a session so far.

    Raises:
        SourceUnreadable: the file that keeps them is damaged.
    """
    try:
        bodies: Sequence[object] = tree.read_json(session_id, HISTORY) or ()
        return tuple(ChatMessage.model_validate(body) for body in bodies)
    except (TypeError, ValueError) as error:  # No JSON, no list, or no messages.
        raise SourceUnreadable(
            f"The history of the chat of {session_id} is damaged.",
            hint=f"Restore sessions/{session_id}/{HISTORY} from a backup, or delete it to begin a new one.",
        ) from error


def _has_people(found: Investigation) -> bool:
    """Whether the files hold persons, so that a question after one can be asked of them."""
    if found.model is None:
        return True
    names = (*(table.name for table in found.model.tables), *found.model.recommended_dimensions)
    return any(asks(name.replace("_", " "), PEOPLE) for name in names)


def _told(passages: Sequence[MemoryPassage]) -> tuple[str, tuple[str, ...]]:
    """The passages as an answer, as many as fit, and the files they came from."""
    lines: list[str] = []
    artifacts: dict[str, None] = {}
    room = ANSWER_LENGTH
    for passage in passages:
        if len(passage.text) + 1 > room:
            break
        room -= len(passage.text) + 1
        lines.append(passage.text)
        artifacts[passage.artifact] = None
    if not lines:
        return passages[0].text, (passages[0].artifact,)
    return "\n".join(lines), tuple(artifacts)


def _clipped(text: str) -> str:
    return text if len(text) <= ANSWER_LENGTH else text[: ANSWER_LENGTH - 1] + "…"


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
