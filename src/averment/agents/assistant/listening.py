"""One message thought through: the open question first, then what was waited for, corrections, acts, and the rest.

An awaited answer is read as a message first. A question that is not answered is repeated once and stays open; what
speaks of something else closes it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import cached_property
from typing import TYPE_CHECKING, Any

from averment.agents.assistant.answers import answer_to, still_asked
from averment.agents.assistant.corrections import correct
from averment.agents.assistant.data_questions import goes_on, questions_in, worded
from averment.agents.assistant.decide import decide
from averment.agents.assistant.decision import Decision
from averment.agents.assistant.dialogue import Dialogue, ShownItem
from averment.agents.assistant.plan import plan
from averment.agents.assistant.pointing import point
from averment.agents.assistant.reading.act import Act
from averment.agents.assistant.reading.message import MessageReading, read_message
from averment.agents.assistant.reading.task_splitting import VERBS
from averment.agents.assistant.reading.titles import NewTask, new_tasks
from averment.agents.assistant.reading.when import take_when, value_of
from averment.agents.assistant.reading.words import bare, put_right
from averment.agents.assistant.reading.yes_no import verdict_of
from averment.agents.assistant.scene import ActScene, act_of
from averment.agents.assistant.understand import GUESS, SURE, ParsedMessage
from averment.language.intents.vocabulary import MOVE
from averment.language.periods import find_periods
from averment.language.word_lists import patterns
from averment.records.base import utc_now

if TYPE_CHECKING:
    from averment.store.chat.questions import PendingQuestion


RUN_TOOLS = frozenset({"analyze", "drill", "research", "ask_run", "show"})
"""After these the talk is about a run."""

SHORT = 3
"""A message of so few words may name only what is to be different."""

_ABOUT_TASKS = frozenset({"create", "list", "update", "complete", "delete", "undo", "acts"})
_ABOUT_RUN_PATTERNS = patterns("about_run", "averment.agents.assistant")
_RUN = re.compile(_ABOUT_RUN_PATTERNS["run"], re.IGNORECASE)
_SESSION = re.compile(r"\bsession\s+([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\b", re.IGNORECASE)
_ABOUT = re.compile(_ABOUT_RUN_PATTERNS["about"], re.IGNORECASE)
_LEANS = re.compile(_ABOUT_RUN_PATTERNS["leans"], re.IGNORECASE)
_OF_ROWS = re.compile(_ABOUT_RUN_PATTERNS["of_rows"], re.IGNORECASE)
_ABOUT_RUN_POINTS_BACK = re.compile(r"\b(?:it|they|them|that|this|those|these)\b", re.IGNORECASE)
_GOES_ON = re.compile(r"^(?:and |but |so |ok(?:ay)?,? )*(?:what|how) about\b", re.IGNORECASE)
_ASKS = re.compile(_ABOUT_RUN_PATTERNS["asks"], re.IGNORECASE)


def followed_up(heard: ParsedMessage, dialogue: Dialogue) -> ParsedMessage:
    """The message as a question about a run, where it is one; else as it was heard."""
    named = _RUN.search(heard.text)
    session = _SESSION.search(heard.text)
    if named is not None or session is not None:
        if heard.intent in _ABOUT_TASKS and heard.confidence >= SURE:
            return heard
        about = {} if named is None else {"run_id": named.group(1)}
        more = {} if session is None else {"session_id": session.group(1)}
        return _asking(heard, {**about, **more}, surely=True)
    if dialogue.last_run is None:
        return heard
    about = {"run_id": dialogue.last_run}
    leaning = _leaning(heard, dialogue)
    if heard.intent in _ABOUT_TASKS and heard.confidence >= GUESS:
        return heard if leaning is None else _asking(heard, {**about, **leaning}, surely=False)
    if _ABOUT.search(heard.text):
        return _asking(heard, about, surely=True)
    if heard.intent == "drill" and dialogue.last_kind == "drilldown" and not _names_time(heard.text):
        return _asking(heard, about, surely=True)
    if heard.intent == "research" and dialogue.last_kind == "research" and _ABOUT_RUN_POINTS_BACK.search(heard.text):
        return _asking(heard, about, surely=True)
    if leaning is not None:
        return _asking(heard, {**about, **leaning}, surely=False)
    unclear = heard.intent == "other" or heard.confidence < GUESS
    if unclear and dialogue.last_tool in RUN_TOOLS and _ASKS.search(heard.text):
        return _asking(heard, about, surely=bool(_GOES_ON.match(heard.text)))
    return heard


def _leaning(heard: ParsedMessage, dialogue: Dialogue) -> dict[str, Any] | None:
    """How a message that may lean on the analysis before it is asked of that run; None where it does not.

    One that is for the tasks must begin as only such a message does, and not be surely theirs: asking changes nothing.
    """
    if dialogue.last_kind != "analysis" or not dialogue.sources or dialogue.last_tool not in RUN_TOOLS:
        return None
    begins = bool(_LEANS.match(heard.text))
    if heard.intent in _ABOUT_TASKS and heard.confidence >= GUESS:
        surely_theirs = heard.confidence >= SURE or heard.by == "plain words"
        return {"leans": True} if begins and not surely_theirs else None
    if heard.intent == "analyze" and heard.confidence >= GUESS:
        hangs = begins or bool(_OF_ROWS.search(heard.text)) or len(heard.text.split()) <= SHORT
        return {"leans": True, "after": True} if hangs else None
    unclear = heard.intent == "other" or heard.confidence < GUESS
    if unclear and (begins or _ASKS.search(heard.text) or len(heard.text.split()) <= SHORT):
        return {"leans": True}
    return None


def _asking(heard: ParsedMessage, about: dict[str, Any], *, surely: bool) -> ParsedMessage:
    others = ((heard.intent, heard.confidence), *heard.alternatives)
    return ParsedMessage(
        "ask", max(heard.confidence, SURE), heard.text, {**about, "surely": surely}, others, "dialogue"
    )


def _names_time(text: str) -> bool:
    return any(found.start and found.end for found in find_periods(text, anchor=utc_now().date()))


SHORTEST = 10
"""A question for documents has at least so many characters."""
_POINTS_BACK = re.compile(r"\b(?:it|they|them|that|this|those|these|sure|certain|evidence|sources?)\b", re.IGNORECASE)
_TALK = frozenset({"greeting", "thanks", "bye", "help", "affirm", "deny", "cancel"})
_HANDOVER_PATTERNS = patterns("handover", "averment.agents.assistant")
_ASKS_WHY = re.compile(_HANDOVER_PATTERNS["asks_why"], re.IGNORECASE)
_EXTREME = re.compile(_HANDOVER_PATTERNS["extreme"], re.IGNORECASE)
_OTHER_SUBJECT = re.compile(r"\b(?:you|your|I|my|we|our)\b", re.IGNORECASE)


def offered(heard: ParsedMessage, dialogue: Dialogue) -> bool:
    """Whether a message that asks for nothing of the tasks is offered to the analyst first."""
    if heard.intent == "acts":  # A model heard what is to be done to the tasks.
        return False
    if not (dialogue.sources or dialogue.documents) or (heard.by == "plain words" and heard.intent in _TALK):
        return False
    return heard.intent not in {"drill", "research"} or heard.confidence < GUESS


def hand_over(heard: ParsedMessage, dialogue: Dialogue) -> Decision:
    """The question for the analyst; after a run of it, as one that may lean on that run."""
    if not dialogue.sources:
        return _to_documents(heard, dialogue)
    first, *others = questions_in(heard.text)
    asked: dict[str, Any] = {
        "question": worded(first, follows=dialogue.last_kind == "analysis"),
        "sources": list(dialogue.sources),
    }
    if others:
        asked["then_ask"] = [worded(each, follows=True) for each in others]
    if dialogue.documents and len(heard.text) >= SHORTEST:
        asked["documents"] = True
    if dialogue.last_run is None or (others and not goes_on(first)):
        return Decision("route", more={"tool": "analyze", **asked})
    if dialogue.last_kind == "analysis":
        return Decision("route", more={"tool": "analyze", "after": dialogue.leans_on or dialogue.last_run, **asked})
    return Decision("route", more={"tool": "ask_run", "run_id": dialogue.last_run, "instead": True, **asked})


def _to_documents(heard: ParsedMessage, dialogue: Dialogue) -> Decision:
    """A question where only documents are at hand: for the researcher, after the research before it was asked."""
    asked: dict[str, Any] = {"question": heard.text}
    if len(heard.text) < SHORTEST:
        return Decision("say", words="Please ask that as a whole question.", more={"asked_back": True})
    if dialogue.last_run is not None and dialogue.last_kind == "research" and _POINTS_BACK.search(heard.text):
        return Decision("route", more={"tool": "ask_run", "run_id": dialogue.last_run, "documents": True, **asked})
    return Decision("route", more={"tool": "research", **asked})


def starts_drill(heard: ParsedMessage, dialogue: Dialogue) -> bool:
    """Whether a message asks why the last result moved: it asks for a cause, and names a move or a time."""
    if not dialogue.sources or dialogue.last_result is None:
        return False
    if not _ASKS_WHY.match(heard.text) or _OTHER_SUBJECT.search(heard.text):
        return False
    return bool(
        MOVE.search(heard.text) or _EXTREME.search(heard.text) or find_periods(heard.text, anchor=utc_now().date())
    )


def drill_into(heard: ParsedMessage, dialogue: Dialogue) -> Decision:
    """The question for the driller, with the series that it speaks of."""
    asked = {"question": heard.text, "sources": list(dialogue.sources), "after": dialogue.last_result}
    return Decision("route", more={"tool": "drill", **asked})


READ = 0.97
"""As sure as a message is that reads as acts whole."""
MOST_WORDS = 12
MOST_MORE = 6
_PATTERNS = patterns("listening", "averment.agents.assistant")
_AND_MORE = re.compile(_PATTERNS["and_more"], re.IGNORECASE)
_TO_ASSISTANT = frozenset("show tell help stop wait drop delete remove erase scrap cancel let ask say give see".split())
"""Verbs that speak to the assistant: what begins with them is nothing to be kept."""


@dataclass(frozen=True, slots=True)
class Interpretation:
    """What was decided, how surely it was understood, and what that does to the open question."""

    decision: Decision
    intent: str
    confidence: float
    by: str
    answers: bool = False
    answer: Any = None
    closes: bool = True
    alternatives: tuple[tuple[str, float], ...] = ()

    def as_dict(self) -> dict[str, Any]:
        """The decision as the turn keeps it."""
        how = {"confidence": self.confidence, "intent": self.intent, "by": self.by}
        return {**self.decision.as_dict(), **how, "alternatives": [list(each) for each in self.alternatives]}


@dataclass
class Listening:
    """Everything a message is understood with."""

    dialogue: Dialogue
    tasks: Callable[[], Sequence[ShownItem]]
    understand: Callable[[str], ParsedMessage]
    undoable: Callable[[], list[str]]
    now: datetime
    _resolved: str | None = field(default=None)

    @cached_property
    def scene(self) -> ActScene:
        """The dialogue with the tasks as they are, read once."""
        return ActScene(self.dialogue, tuple(self.tasks()), self.now)

    def think(self, said: str, waiting: PendingQuestion | None) -> Interpretation:
        """What to do about a message; ``waiting`` is the question that is open."""
        reading = read_message(said, self.scene.wall, self._names)
        if waiting is not None:
            answer = answer_to(waiting, said, reading, self.scene)
            if answer is not None:
                return Interpretation(
                    answer.decision, "affirm", 1.0, "open question", True, answer.value, not answer.stays
                )
        thought = self._asked_as(self._anew(said, reading))
        if waiting is None:
            return thought
        return self._beside(thought, waiting)

    def _asked_as(self, thought: Interpretation) -> Interpretation:
        """A question that a model made whole is told with its answer: it is not the user's own wording."""
        decision = thought.decision
        if decision.kind != "route" or self._resolved is None or decision.more.get("question") != self._resolved:
            return thought
        return replace(thought, decision=replace(decision, more={**decision.more, "asked_as": self._resolved}))

    def _beside(self, thought: Interpretation, waiting: PendingQuestion) -> Interpretation:
        """A message that does not answer: talk leaves the question open, once said again; an act closes it."""
        decision = thought.decision
        harmless = decision.kind == "say" and not decision.more.get("awaits")
        if not harmless or self.dialogue.asked_again == waiting.question_id:
            return thought
        more = {**decision.more, "asked_again": waiting.question_id, "still": f"Still open: {still_asked(waiting)}"}
        more |= {"asked": waiting.kind}
        return replace(thought, decision=replace(decision, more=more), closes=False)

    def _anew(self, said: str, reading: MessageReading) -> Interpretation:
        awaited = self._awaited(said, reading)
        if awaited is not None:
            return Interpretation(awaited, "update", SURE, "asked for")
        more = self._one_more(said, reading)
        if more is not None:
            return Interpretation(more, "create", READ, "dialogue")
        if reading.meant is not None or reading.takes_back:
            decision = correct(reading, self.scene, self.undoable())
            if decision is not None:
                return self._aimed(Interpretation(decision, "update", READ, "correction"))
            if reading.takes_back and not reading.acts and self.dialogue.last_act is not None and not reading.meant:
                return Interpretation(
                    Decision(
                        "say",
                        words="Shall I take that back? Then say 'undo'.",
                        more={"asked_back": True, "keeps_act": True},
                    ),
                    "undo",
                    SURE,
                    "correction",
                )
        if reading.acts and not self._of_files(reading):
            first, rest = reading.acts[0], reading.acts[1:]
            if first.verb == "undo" and not first.target and rest:
                decision = plan(rest, self.scene, undoes=self.undoable())
            else:
                decision = plan(reading.acts, self.scene)
            if decision is not None and not self._doubtful(reading, decision):
                return self._aimed(Interpretation(decision, _INTENTS[reading.acts[0].verb], READ, "clauses"))
        alone = self._heard(said, reading)
        if starts_drill(alone, self.dialogue):
            return Interpretation(drill_into(alone, self.dialogue), "drill", max(alone.confidence, GUESS), "front door")
        heard = followed_up(alone, self.dialogue)
        if offered(alone, self.dialogue) and not (heard.intent == "ask" and heard.entities.get("surely")):
            return Interpretation(
                hand_over(alone, self.dialogue), "analyze", max(alone.confidence, GUESS), "front door"
            )
        decision = decide(heard, self.scene)
        return self._aimed(
            Interpretation(decision, heard.intent, heard.confidence, heard.by, alternatives=heard.alternatives[:3])
        )

    def _heard(self, said: str, reading: MessageReading) -> ParsedMessage:
        """The message as it stands by itself; something to do, said as such, is offered to be kept."""
        verdict = verdict_of(said)
        if verdict.verdict in {"yes", "no"} and not verdict.rest:
            return ParsedMessage("affirm" if verdict.verdict == "yes" else "deny", READ, said, by="plain words")
        heard = self.understand(said)
        self._resolved = heard.text if heard.entities.get("resolved") else None
        return self._to_do(heard, reading) or heard

    def _of_files(self, reading: MessageReading) -> bool:
        """Whether a question that looks for a task names none, and there are files that it can be about."""
        if not (self.dialogue.sources or self.dialogue.documents) or not reading.is_question:
            return False
        looks = all(act.verb in {"look", "find"} and not act.negated for act in reading.acts)
        return looks and not any(self._names(act.target) for act in reading.acts)

    def _doubtful(self, reading: MessageReading, decision: Decision) -> bool:
        """Whether acts that found no task may be something else: a question for a file, or no act at all."""
        unclear = (
            decision.kind == "say"
            and bool(decision.more.get("awaits"))
            and decision.more["awaits"]["intent"] == "target"
        )
        if not unclear:
            return False
        heard = self.understand(reading.said)
        return heard.intent in {"other", "analyze", "drill", "research", "ask", "acts"} and heard.confidence >= GUESS

    def _aimed(self, thought: Interpretation) -> Interpretation:
        """An undo with the acts it takes back."""
        if thought.decision.kind != "undo":
            return thought
        return replace(thought, decision=replace(thought.decision, more={"keys": self.undoable()}))

    def _names(self, words: str) -> bool:
        found = point(words, "look", self.dialogue, self.scene.tasks, self.now)
        return found.outcome in {"tasks", "choose"} and not found.unseen

    def _one_more(self, said: str, reading: MessageReading) -> Decision | None:
        """Another task right after one was added: "and bread", "also call mum"."""
        last = self.dialogue.last_act
        found = _AND_MORE.match(said.strip())
        if last is None or last["verb"] != "add" or found is None or reading.is_question:
            return None
        if any(act.verb != "complete" or not act.told for act in reading.acts):
            return None
        writing = put_right(said.strip()[found.end() :])
        made = new_tasks(bare(writing.text), None, writing, self.scene.wall)
        short = all(len(task.title.split()) <= MOST_MORE for task in made.tasks)
        return plan([Act("add", tasks=made.tasks)], self.scene) if made.tasks and short else None

    def _awaited(self, said: str, reading: MessageReading) -> Decision | None:
        """The words that were asked for; what reads as something else is not taken for them."""
        wanted = self.dialogue.awaited
        if wanted is None or reading.acts or reading.is_question or verdict_of(said).verdict is not None:
            return None
        writing = put_right(said)
        words = writing.whole(bare(writing.text))
        if wanted["intent"] == "target":
            found = point(reading.meant or words, str(wanted["act"]["verb"]), self.dialogue, self.scene.tasks, self.now)
            return (
                plan([act_of(wanted["act"], reading.meant or words)], self.scene)
                if found.outcome in {"tasks", "choose"}
                else None
            )
        if reading.takes_back or len(words.split()) > 3 * MOST_WORDS:
            return None
        if wanted["intent"] == "create":
            made = new_tasks(bare(writing.text), None, writing, self.scene.wall)
            return plan([Act("add", tasks=made.tasks, other=made.other)], self.scene) if made.tasks else None
        task = next((task for task in self.scene.tasks if task.task_id in wanted["task_ids"]), None)
        if task is None:
            return None
        if value_of(words, self.scene.wall, due=task.due):
            return plan([Act("update", task.title, wanted={"value": words})], self.scene)
        heard = self.understand(said)
        if heard.by == "plain words" or (
            heard.intent in {"list", "undo", "help", "delete", "analyze"} and heard.confidence >= SURE
        ):
            return None
        return plan([Act("update", task.title, fields={"title": words.strip("'\"").strip()})], self.scene)

    def _to_do(self, heard: ParsedMessage, reading: MessageReading) -> ParsedMessage | None:
        """Something to do, said as such; whether it is to be kept is for the user to say."""
        said = bare(put_right(heard.text).text)
        if heard.intent not in {"other", "create"} and heard.confidence >= GUESS:
            return None
        if (
            reading.is_question
            or reading.takes_back
            or any(not act.told for act in reading.acts)
            or len(said.split()) > MOST_WORDS
            or heard.words
            or not said
        ):
            return None
        first = re.findall(r"[\w'-]+", said.casefold())[:1]
        if not first or first[0] not in VERBS - _TO_ASSISTANT:
            return None
        writing = put_right(heard.text)
        timed = take_when(said, self.scene.wall)
        task = NewTask(writing.whole(timed.words), None, timed.fields)
        return replace(
            heard,
            intent="create",
            confidence=0.89,
            entities={"tasks": [{"title": task.title, "description": None}]},
            by=f"{heard.by}, to do",
        )


_INTENTS = {
    "add": "create",
    "complete": "complete",
    "reopen": "update",
    "delete": "delete",
    "update": "update",
    "list": "list",
    "find": "list",
    "look": "list",
    "undo": "undo",
}
