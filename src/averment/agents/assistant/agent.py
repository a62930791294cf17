"""One turn of the assistant: take the message in once, decide, act through the public tools, answer, remember.

What was decided is kept before anything is done, and every act has a key made of the conversation and the message. So a
message that comes again, or a process that dies at any point, changes nothing twice and answers the same.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import datetime
from functools import cache
from typing import TYPE_CHECKING, Any, get_args

from averment.agents.assistant.agui_events import progress_event, reply_events, run_started
from averment.agents.assistant.decision import Decision
from averment.agents.assistant.dialogue import Dialogue, ShownItem, shown_line
from averment.agents.assistant.frames import UNWORDED, check_decision, check_reply
from averment.agents.assistant.listening import Listening
from averment.agents.assistant.offers import offered_readings
from averment.agents.assistant.own_conversations import OwnConversations
from averment.agents.assistant.replies import reply_to
from averment.agents.assistant.run_ids import run_of_call
from averment.agents.assistant.sources import is_document
from averment.agents.assistant.tool_calls import acts_to_undo, calls_after, calls_of
from averment.agents.assistant.understand import ParsedMessage, understand
from averment.errors import InvalidRequest, QuestionClosed, SourceUnreadable, StorageError, UntrueClaim
from averment.records.base import derived_id, new_id, utc_now
from averment.records.chat import (
    AgentResponse,
    Clarification,
    IntentResult,
    IntentType,
    Message,
    ResponseStatus,
    ToolCall,
    ToolSelectionResult,
)
from averment.store.chat.tasks import LOCAL_USER
from averment.tools.local_calls import Call, LocalTools, Outcome

if TYPE_CHECKING:
    from averment.agents.assistant.model_loop.loop import MessageLoop
    from averment.language.intents.classify import SentenceVectors
    from averment.store.chat.conversations import ConversationStore, Turn
    from averment.store.chat.questions import PendingQuestion, QuestionStore
    from averment.tools.public import OnProgress


def after_turn(
    dialogue: Dialogue, decision: Decision, outcomes: list[Outcome], shown: list[dict[str, Any]] | None, now: datetime
) -> Dialogue:
    """What the conversation remembers after the turn."""
    if shown is not None:
        dialogue = dialogue.showing([shown_line(task) for task in shown], now)
    done = [outcome for outcome in outcomes if outcome.result and outcome.call.tool_name != "list_tasks"]
    acted = decision.more.get("act") if decision.kind == "call" and done else None
    dialogue = replace(
        dialogue,
        awaited=decision.more.get("awaits"),
        last_act=dialogue.last_act
        if decision.more.get("keeps_act")
        else acted or ({"verb": "other", "fields": {}, "wanted": {}} if decision.kind == "call" and done else None),
        asked_again=decision.more.get("asked_again"),
    )
    touched = [task for outcome in done for task in _tasks_in(outcome.result or {})]
    if touched:
        newer = {int(task["id"]): shown_line(task) for task in touched}
        # The user knows what they have just changed: their list stays good for it.
        dialogue = replace(dialogue, shown=tuple(newer.get(line.task_id, line) for line in dialogue.shown))
        dialogue = _with_added(dialogue, [outcome for outcome in done if outcome.call.tool_name == "add_task"], now)
        if shown is None:
            dialogue = dialogue.speaking_of(sorted(newer))
    elif decision.focus:
        dialogue = dialogue.speaking_of(decision.focus)
    if outcomes:
        last = outcomes[-1].call
        dialogue = replace(dialogue, last_tool=last.tool_name, last_parameters=last.parameters)
        results = [outcome.result for outcome in reversed(outcomes) if outcome.result]
        ran = next((result for result in results if result.get("run_id")), None)
        if ran is not None:
            dialogue = dialogue.after_run(ran)
    return dialogue


def _with_added(dialogue: Dialogue, added: list[Outcome], now: datetime) -> Dialogue:
    """New tasks stand at the end of the list the user saw; several without one are the list."""
    new = [shown_line(task) for outcome in added for task in _tasks_in(outcome.result or {})]
    there = {line.task_id for line in dialogue.shown}
    new = [line for line in new if line.task_id not in there]
    if not new:
        return dialogue
    if dialogue.shown and dialogue.is_fresh(now):
        return replace(dialogue, shown=(*dialogue.shown, *new))
    return replace(dialogue, shown=tuple(new), shown_at=now) if len(new) > 1 else dialogue


def _tasks_in(result: dict[str, Any]) -> list[dict[str, Any]]:
    """The tasks that an act changed, as they are now."""
    data = result.get("data")
    return [
        task for task in (data if isinstance(data, list) else [data]) if isinstance(task, dict) and "version" in task
    ]


DESTROYS = frozenset({"delete_task"})
"""Tools that are never called without a yes."""


def intent_of(kept: dict[str, Any]) -> IntentResult | None:
    """How the message was understood; None for what the contract has no intent for, such as a greeting."""
    if kept["intent"] not in get_args(IntentType):
        return None
    entities = {name: kept["more"][name] for name in ("question", "about") if kept["more"].get(name)}
    act = kept["more"].get("act") or {}
    entities |= {name: act[name] for name in ("target", "fields") if act.get(name)}
    return IntentResult(
        intent_type=kept["intent"],
        confidence=min(1.0, float(kept["confidence"])),
        entities=entities,
        alternatives=tuple((str(name), float(share)) for name, share in kept.get("alternatives", ())),
        reasoning=str(kept["by"]),
    )


def selections_of(
    decision: Decision, outcomes: Sequence[Outcome], confidence: float
) -> tuple[ToolSelectionResult, ...]:
    """The tools that were chosen: those that were called, and those that wait for a yes."""
    called = [(outcome.call.tool_name, outcome.call.parameters, False) for outcome in outcomes]
    waiting = [
        (str(call["tool"]), dict(call["parameters"]), True) for call in decision.calls if decision.kind == "confirm"
    ]
    return tuple(
        ToolSelectionResult(
            tool_name=name,
            confidence=min(1.0, confidence),
            parameters=parameters,
            requires_confirmation=waits or name in DESTROYS,
        )
        for name, parameters, waits in (*called, *waiting)
    )


def clarification_of(status: ResponseStatus, words: str, asked: PendingQuestion | None) -> Clarification | None:
    """What is asked back, where something is."""
    if status != "clarification_needed":
        return None
    if asked is None:
        return Clarification(question=words)
    options = tuple(str(option["title"]) for option in asked.body["options"])
    return Clarification(question=str(asked.body["words"]), options=options)


class KeyedLocks:
    """Any number of locks, by key."""

    def __init__(self) -> None:
        self._guard = threading.Lock()
        self._held: dict[str, tuple[threading.Lock, int]] = {}

    @contextmanager
    def held(self, key: str) -> Generator[None]:
        """Hold the lock of a key."""
        with self._guard:
            lock, waiting = self._held.get(key, (threading.Lock(), 0))
            self._held[key] = (lock, waiting + 1)
        try:
            with lock:
                yield
        finally:
            with self._guard:
                lock, waiting = self._held.pop(key)
                if waiting > 1:
                    self._held[key] = (lock, waiting - 1)


MAX_MESSAGE = 5_000
NAMESPACE = "5f0c7f6e-6a0e-4c55-9d9a-3b1f0e8a7c21"
"""Under which the ids of replies and questions are derived; a conversation's own id may be any text."""
_TOOL_OF = {"analysis": "analyze", "drilldown": "drill", "research": "research"}


class Assistant:
    """Answers messages; holds nothing between two of them but its tools."""

    def __init__(
        self,
        *,
        conversations: ConversationStore,
        questions: QuestionStore,
        tools: LocalTools,
        vectors: Callable[[], SentenceVectors],
        user_id: str,
        listener: MessageLoop | None = None,
        clock: Callable[[], datetime] = utc_now,
    ) -> None:
        self._conversations = conversations
        self._questions = questions
        self._tools = tools
        self._vectors = vectors
        self._user_id = user_id
        self._listener = listener
        self._clock = clock
        self._turns = KeyedLocks()

    @property
    def conversations(self) -> OwnConversations:
        """What this user said: ``list``, ``get``, ``delete``, ``events``."""
        return OwnConversations(self._conversations, self._user_id)

    def call(self, tool_name: str, parameters: dict[str, Any], *, key: str) -> Outcome:
        """Call a tool as the user's own explicit act, outside any conversation; the same key again acts once."""
        # Two users may send the same key; each acts under their own.
        own = key if self._user_id == LOCAL_USER else f"{self._user_id}/{key}"
        return self._tools.call([Call(tool_name, parameters, f"direct/{own}", confirmed=True)])[0]

    def turn(self, text: str, *, conversation_id: str | None = None, message_id: str | None = None) -> AgentResponse:
        """Answer a message; the same message id again gives the same answer and does nothing twice.

        Raises:
            InvalidRequest: the message is empty or too long.
            ConversationNotFound, MessageReused: the ids do not fit.
        """
        said = text.strip()
        if not said or len(said) > MAX_MESSAGE:
            raise InvalidRequest(f"A message must have between 1 and {MAX_MESSAGE} characters.")
        wanted = conversation_id or (None if message_id is None else self.conversation_id_for(message_id))
        conversation = self._conversations.open(wanted, user_id=self._user_id)
        message = Message(id=message_id or new_id(), role="user", content=said)
        return self._finish(self._begin(conversation.id, message), said)

    def conversation_id_for(self, message_id: str) -> str:
        """The conversation that a message of that id begins: the same each time it is sent, so that it begins one."""
        return derived_id(NAMESPACE, self._user_id, "begun by", message_id)

    def attach(self, sources: Sequence[str], *, conversation_id: str | None = None) -> str:
        """Give a conversation files to be asked about, and return its id; documents are read into the corpus.

        Raises:
            SourceUnreadable: a document cannot be read.
        """
        conversation = self._conversations.open(conversation_id, user_id=self._user_id)
        dialogue = Dialogue.of(conversation.metadata)
        documents = [source for source in sources if is_document(source)]
        if documents:
            read = self._tools.call([Call("add_documents", {"sources": documents}, f"{conversation.id}/attach")])[0]
            if read.error is not None:
                raise SourceUnreadable(f"The documents could not be read: {read.error}")
        tables = (source for source in sources if source not in documents)
        dialogue = replace(dialogue, sources=tuple(dict.fromkeys((*dialogue.sources, *tables))))
        self._conversations.remember(conversation.id, dialogue.with_documents(documents).metadata())
        return conversation.id

    def note_documents(self, names: Sequence[str], *, conversation_id: str | None = None) -> str:
        """Note that the corpus was given documents in a conversation, and return its id."""
        conversation = self._conversations.open(conversation_id, user_id=self._user_id)
        dialogue = Dialogue.of(conversation.metadata)
        self._conversations.remember(conversation.id, dialogue.with_documents(names).metadata())
        return conversation.id

    def lean_on(self, ran: dict[str, Any], sources: Sequence[str], *, conversation_id: str | None = None) -> str:
        """Let what is said next be about a run, given as its tool gives it; returns the conversation's id.

        A conversation in which nothing was said yet begins with that run.
        """
        conversation = self._conversations.open(conversation_id, user_id=self._user_id)
        dialogue = Dialogue.of(conversation.metadata).after_run(ran)
        begun = dialogue.began_with
        if begun is None and not self._conversations.get(conversation.id, user_id=self._user_id).messages:
            begun = str(ran["run_id"])
        tool = _TOOL_OF.get(str(ran["kind"]), "analyze")
        known = tuple(dict.fromkeys((*dialogue.sources, *sources)))
        dialogue = replace(dialogue, sources=known, began_with=begun, last_tool=tool)
        self._conversations.remember(conversation.id, dialogue.metadata())
        return conversation.id

    def under_way(self, conversation_id: str) -> tuple[str, ...]:
        """The runs that messages without an answer yet have begun or are about to begin, by their ids."""
        turns = [turn for turn in self._conversations.unfinished() if turn.conversation_id == conversation_id]
        decided = [(turn, Decision.of(turn.decision)) for turn in turns if turn.decision is not None]
        return tuple(
            run_id
            for turn, decision in decided
            for call in calls_of(turn, decision)
            if (run_id := run_of_call(call.tool_name, call.parameters, self._user_id, call.key)) is not None
        )

    def recover(self) -> int:
        """Answer the messages that a process died over; returns how many."""
        turns = [turn for turn in self._conversations.unfinished() if self.conversations.holds(turn.conversation_id)]
        for turn in turns:
            kept = self._conversations.get(turn.conversation_id, user_id=self._user_id)
            said = next(message.content for message in kept.messages if message.id == turn.message_id)
            self._finish(turn, said)
        return len(turns)

    def answer(self, question_id: str, answer: Any, *, conversation_id: str, message_id: str) -> AgentResponse:
        """Answer an open question by its id, as a button does.

        Raises:
            QuestionClosed: no such question is open in that conversation; nothing was changed.
        """
        asked = self._questions.get(question_id)
        if asked is None or asked.conversation_id != conversation_id:
            raise QuestionClosed("This conversation has no such question.")
        self._conversations.get(conversation_id, user_id=self._user_id)
        words, value = _said(asked, answer)
        # The question is closed before the message is kept: a refused answer must leave no "yes" behind that a later
        # recovery could take for the answer to another question.
        by = f"{conversation_id}/{message_id}"
        self._questions.answer(question_id, conversation_id, value, by=by, now=self._clock())
        return self._finish(self._begin(conversation_id, Message(id=message_id, role="user", content=words)), words)

    def question(self, conversation_id: str) -> PendingQuestion | None:
        """The question that waits for an answer in a conversation, or None.

        Raises:
            ConversationNotFound: the user has no such conversation.
        """
        self._conversations.get(conversation_id, user_id=self._user_id)
        return self._questions.pending_question(conversation_id, now=self._clock())

    def _begin(self, conversation_id: str, message: Message) -> Turn:
        started = run_started(conversation_id, message)
        return self._conversations.begin_turn(conversation_id, message, user_id=self._user_id, events=started)

    def _finish(self, turn: Turn, said: str) -> AgentResponse:
        if turn.response is not None:
            return AgentResponse.model_validate(turn.response)
        # The same message at the same time waits here, so that no run is begun twice; tasks have their keys besides.
        with self._turns.held(turn.key):
            conversation = self._conversations.get(turn.conversation_id, user_id=self._user_id)
            dialogue = Dialogue.of(conversation.metadata)
            kept = turn.decision or self._thought(turn, said, dialogue)
            turn = self._conversations.decide(turn, kept)
            if turn.response is not None:
                return AgentResponse.model_validate(turn.response)
            assert turn.decision is not None  # It was there, or has just been kept.
            return self._carry_out(turn, Decision.of(turn.decision), dialogue, turn.decision)

    def _thought(self, turn: Turn, said: str, dialogue: Dialogue) -> dict[str, Any]:
        waiting = self._waiting(turn)
        listening = Listening(
            dialogue=dialogue,
            tasks=lambda: self._tasks_now(turn),
            understand=cache(lambda text: self._understand(turn, text)),
            undoable=lambda: self._undoable(turn),
            now=self._clock(),
        )
        thought = listening.think(said, waiting)
        check_decision(thought.decision, listening.scene, said, waiting)
        if waiting is not None and thought.closes:
            try:
                self._questions.answer(
                    waiting.question_id, turn.conversation_id, thought.answer, by=turn.key, now=self._clock()
                )
            except QuestionClosed:
                # Another message was faster: this one is no answer any more.
                thought = listening.think(said, None) if thought.answers else thought
        return thought.as_dict()

    def _understand(self, turn: Turn, said: str) -> ParsedMessage:
        heard = understand(said, self._vectors())
        if self._listener is None:
            return heard
        # What was said before is the home's own record; what a client may send along of it is never looked at.
        kept = self._conversations.get(turn.conversation_id, user_id=self._user_id).messages
        here = next((at for at, message in enumerate(kept) if message.id == turn.message_id), len(kept))
        return self._listener.hear(said, heard, key=turn.key, before=kept[:here])

    def _tasks_now(self, turn: Turn) -> Sequence[ShownItem]:
        """The user's tasks as they are, through the tool that lists them."""
        return tasks_through(self._tools, f"{turn.key}/look")

    def _undoable(self, turn: Turn) -> list[str]:
        """The acts that an undo takes back, fixed when it is decided: a retry must not reach further back."""
        return acts_to_undo(self._conversations.get(turn.conversation_id, user_id=self._user_id).messages)

    def _waiting(self, turn: Turn) -> PendingQuestion | None:
        """The question this turn can answer: the one it answered before it died, or the open one asked before it."""
        mine = self._questions.answered_by(turn.conversation_id, turn.key)
        if mine is not None:
            return mine
        waiting = self._questions.pending_question(turn.conversation_id, now=self._clock())
        return waiting if waiting is not None and int(waiting.body.get("position", 0)) < turn.position else None

    def _carry_out(self, turn: Turn, decision: Decision, dialogue: Dialogue, kept: dict[str, Any]) -> AgentResponse:
        calls = calls_of(turn, decision)
        outcomes = self._tools.call(calls, on_progress=self._on_progress(turn)) if calls else []
        while further := calls_after(turn, decision, outcomes):
            outcomes = [*outcomes, *self._tools.call(further, on_progress=self._on_progress(turn))]
        now = self._clock()
        asking = offered_readings(outcomes) if decision.kind == "route" else decision
        asked = self._ask(turn, asking) if asking is not None and asking.kind in {"confirm", "choose"} else None
        words, status, shown = reply_to(decision, outcomes, asking)
        try:
            check_reply(words, decision, outcomes, asking)
        except UntrueClaim:  # What was done is done; only words that nothing bears out are not said.
            words = UNWORDED
        if decision.more.get("still"):
            words = f"{words}\n\n{decision.more['still']}"
        dialogue = after_turn(dialogue, decision, outcomes, shown, now).heard(
            float(kept["confidence"]), asked_back=status == "clarification_needed"
        )
        made = tuple(_record(outcome) for outcome in outcomes)
        response = AgentResponse(
            conversation_id=turn.conversation_id,
            response=words,
            status=status,
            tool_calls=made,
            reasoning_trace=f"{kept['intent']} at {float(kept['confidence']):.2f} by {kept['by']}",
            clarification=clarification_of(status, words, asked),
            intent=intent_of(kept),
            selections=selections_of(decision, outcomes, float(kept["confidence"])),
        )
        reply_id = derived_id(NAMESPACE, turn.conversation_id, "reply", turn.message_id)
        reply = Message(id=reply_id, role="assistant", content=words, tool_calls=made, created_at=now)
        told = reply_events(turn, reply_id, response, asked)
        kept_response = response.model_dump(mode="json")
        ended = self._conversations.end_turn(turn, reply, kept_response, dialogue.metadata(), events=told)
        return AgentResponse.model_validate(ended.response)

    def _ask(self, turn: Turn, decision: Decision) -> PendingQuestion:
        body: dict[str, Any] = {
            "words": decision.words,
            "calls": list(decision.calls),
            "options": list(decision.options),
            "focus": list(decision.focus),
            "position": turn.position,
            **decision.more,
        }
        question_id = derived_id(NAMESPACE, turn.conversation_id, "question", turn.message_id)
        return self._questions.ask(question_id, turn.conversation_id, decision.kind, body, now=self._clock())

    def _on_progress(self, turn: Turn) -> OnProgress:
        def told(done: float, total: float | None, message: str) -> None:
            self._conversations.tell(turn.conversation_id, *progress_event(turn, done, total, message))

        return told


def allows(questions: QuestionStore, question_id: str, tool_name: str, arguments: dict[str, Any]) -> bool:
    """Whether that question was answered with a yes and names that very call."""
    asked = questions.get(question_id)
    if asked is None or asked.kind != "confirm" or asked.answer is not True:
        return False
    return any(
        call["tool"] == tool_name and all(call["parameters"].get(name) == value for name, value in arguments.items())
        for call in asked.body["calls"]
    )


def tasks_through(tools: LocalTools, key: str) -> Sequence[ShownItem]:
    """The user's tasks as the tool lists them.

    Raises:
        StorageError: they cannot be read.
    """
    looked = tools.call([Call("list_tasks", {}, key)])[0]
    if looked.result is None:
        raise StorageError(f"The tasks could not be read: {looked.error}")
    return [shown_line(task) for task in looked.result["data"]]


def _said(asked: PendingQuestion, answer: Any) -> tuple[str, Any]:
    """A button's answer in words, and as it is kept.

    Raises:
        InvalidRequest: the question cannot be answered so.
    """
    if asked.kind == "confirm":
        if not isinstance(answer, bool):
            raise InvalidRequest("Answer this question with true or false.")
        return ("yes" if answer else "no"), answer
    options = asked.body["options"]
    if answer is None or answer is False:
        return "cancel", None
    if isinstance(answer, bool) or not isinstance(answer, int) or not 1 <= answer <= len(options):
        raise InvalidRequest(f"Answer this question with a number from 1 to {len(options)}, or null for none.")
    return str(answer), options[answer - 1]


def _record(outcome: Outcome) -> ToolCall:
    return ToolCall(
        tool_name=outcome.call.tool_name,
        parameters=outcome.call.parameters,
        result=outcome.result,
        error=outcome.error,
        invoked_at=outcome.began,
    )
