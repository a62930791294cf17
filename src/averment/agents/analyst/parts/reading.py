"""From a question to candidates: every table is tried, every word must find a place, every doubt is asked back."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Protocol

from averment.agents.analyst.parts.draft import Draft, Unclear
from averment.agents.analyst.parts.gather import unknown_words
from averment.agents.analyst.skill import Candidate

if TYPE_CHECKING:
    from averment.agents.analyst.skill import Question

UNSURE = 0.97
"""What is of a skill's kind and not clear stands above what others half understand, and is asked back."""

DOUBTED = 0.9

MOST_WORDS = 40
"""A longer text is a task of several steps, and no question of one kind."""


class Readable(Protocol):
    """A reading that can be kept and shown."""

    def in_words(self) -> str:
        """What will be computed, in words."""
        ...

    def model_dump(self, *, mode: str) -> dict[str, Any]:
        """The reading as it travels with the plan."""
        ...


def read_each(name: str, question: Question, read: Callable[[Draft], Readable | Unclear | None]) -> list[Candidate]:
    """The candidates of one skill over all tables, the best first; of two tables that fit alike neither is sure."""
    found: list[Candidate] = []
    if len(question.text.split()) > MOST_WORDS:
        return found
    names = frozenset(column.name for profile in question.profiles for column in profile.columns)
    unclear: list[tuple[int, Candidate]] = []
    for profile in question.profiles:
        draft = Draft(question.text, profile, names)
        reading = read(draft)
        if isinstance(reading, Unclear):
            unclear.append((len(draft.unread()), _candidate(name, draft, reading)))
        elif reading is not None:
            found.append(_candidate(name, draft, reading))
    if not found and unclear:
        # The table that knows most of the question's words is the one to ask about.
        found = [min(unclear, key=lambda pair: pair[0])[1]]
    sure = [each for each in found if each.score == 1.0]
    if len(sure) > 1:
        tables = " or ".join(str(each.reading.get("table", "")) for each in sure)
        ask = f"Which table do you mean: {tables}?"
        found = [each.model_copy(update={"score": DOUBTED, "question_back": ask}) for each in sure]
    if question.catalog.dialect == "sqlite":
        found = [_able(each) for each in found]
    return sorted(found, key=lambda each: -each.score)


def _able(candidate: Candidate) -> Candidate:
    """The candidate, or a question back where SQLite has no way to compute it."""
    measure = candidate.reading.get("measure") or {}
    if measure.get("aggregate") == "median":
        lacking = "SQLite has no median. Do you mean the average, or shall the table come from a CSV file?"
    elif candidate.reading.get("pattern") is not None:
        lacking = "SQLite cannot search texts by pattern. Please open the table from a CSV file instead."
    else:
        return candidate
    return candidate.model_copy(update={"score": UNSURE, "in_words": "", "unread": (), "question_back": lacking})


def _candidate(name: str, draft: Draft, reading: Readable | Unclear) -> Candidate:
    if isinstance(reading, Unclear):
        unread = draft.unread() if reading.unread else ()
        return Candidate(
            skill=name, reading={}, in_words="", score=UNSURE, unread=unread, question_back=reading.question
        )
    unread, doubts = draft.unread(), draft.doubts
    words = len([token for token in draft.tokens if token.normal.isalpha()])
    if unread:
        score = min(DOUBTED, 1 - len(unread) / max(1, words))
        back = unknown_words(draft, unread)
    elif doubts:
        score, back = DOUBTED, doubts[0]
    else:
        score, back = 1.0, None
    return Candidate(
        skill=name,
        reading=reading.model_dump(mode="json"),
        in_words=reading.in_words() if back is None or unread else "",
        score=score,
        unread=unread,
        question_back=back,
    )
