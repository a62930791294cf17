"""One turn of the assistant: take the message in once, decide, act through MCP tools, answer, remember.

What was decided is kept before anything is done, and every act has a key made of the conversation and the message. So a
message that comes again, or a process that dies at any point, changes nothing twice and answers the same.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING, Any

from averment.agents.assistant.decide import Decision, choice_made, decide
from averment.agents.assistant.dialogue import Dialogue, Shown
from averment.agents.assistant.replies import reply_to
from averment.agents.assistant.understand import Heard, understand, yes_or_no
from averment.errors import InvalidRequest, QuestionClosed
from averment.language.references import Listed, resolve
from averment.records.base import derived_id, new_id, utc_now
from averment.records.chat import AgentResponse, Message, ToolCall
from averment.tools.mcp_client import Call, LocalClient, Outcome

if TYPE_CHECKING:
    from averment.language.intents.classify import SentenceVectors
    from averment.store.conversations import ConversationStore, Turn
    from averment.store.questions import Question, QuestionStore
    from averment.store.tasks import TaskStore

MAX_MESSAGE = 5_000
NAMESPACE = "5f0c7f6e-6a0e-4c55-9d9a-3b1f0e8a7c21"
"""Under which the ids of replies and questions are derived; a conversation's own id may be any text."""


class Assistant:
    """Answers messages; holds nothing between two of them but its tools."""

    def __init__(
        self,
        *,
        conversations: ConversationStore,
        questions: QuestionStore,
        tasks: TaskStore,
        client: LocalClient,
        vectors: Callable[[], SentenceVectors],
        user_id: str,
        clock: Callable[[], datetime] = utc_now,
    ) -> None:
        self._conversations = conversations
        self._questions = questions
        self._tasks = tasks
        self._client = client
        self._vectors = vectors
        self._user_id = user_id
        self._clock = clock

    def turn(self, text: str, *, conversation_id: str | None = None, message_id: str | None = None) -> AgentResponse:
        """Answer a message; the same message id again gives the same answer and does nothing twice.

        Raises:
            InvalidRequest: the message is empty or too long.
            ConversationNotFound, MessageReused: the ids do not fit.
        """
        said = text.strip()
        if not said or len(said) > MAX_MESSAGE:
            raise InvalidRequest(f"A message has between 1 and {MAX_MESSAGE} characters.")
        conversation = self._conversations.open(conversation_id, user_id=self._user_id)
        message = Message(id=message_id or new_id(), role="user", content=said)
        turn = self._conversations.begin_turn(conversation.id, message, user_id=self._user_id)
        return self._finish(turn, said)

    def attach(self, sources: Sequence[str], *, conversation_id: str | None = None) -> str:
        """Give a conversation files to be asked about, and return its id."""
        conversation = self._conversations.open(conversation_id, user_id=self._user_id)
        dialogue = Dialogue.of(conversation.metadata)
        known = tuple(dict.fromkeys((*dialogue.sources, *sources)))
        self._conversations.remember(conversation.id, replace(dialogue, sources=known).metadata())
        return conversation.id

    def recover(self) -> int:
        """Answer the messages that a process died over; returns how many."""
        turns = list(self._conversations.unfinished())
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
            raise QuestionClosed("No such question was asked here.")
        words = ("yes" if answer else "no") if asked.kind == "confirm" else str(answer)
        message = Message(id=message_id, role="user", content=words)
        turn = self._conversations.begin_turn(conversation_id, message, user_id=self._user_id)
        if turn.response is None and turn.decision is None:
            waiting = self._questions.open_in(conversation_id, now=self._clock())
            if waiting is None or waiting.question_id != question_id:
                raise QuestionClosed("That question is no longer open.")
        return self._finish(turn, words)

    def _finish(self, turn: Turn, said: str) -> AgentResponse:
        if turn.response is not None:
            return AgentResponse.model_validate(turn.response)
        conversation = self._conversations.get(turn.conversation_id, user_id=self._user_id)
        dialogue = Dialogue.of(conversation.metadata)
        if turn.decision is None:
            decision, heard = self._decide(turn, said, dialogue)
            kept = {**decision.as_dict(), "confidence": heard.confidence, "intent": heard.intent, "by": heard.by}
            turn = self._conversations.decide(turn, kept)
        assert turn.decision is not None  # It was there, or has just been kept.
        return self._carry_out(turn, Decision.of(turn.decision), dialogue, turn.decision)

    def _decide(self, turn: Turn, said: str, dialogue: Dialogue) -> tuple[Decision, Heard]:
        waiting = self._questions.open_in(turn.conversation_id, now=self._clock())
        if waiting is not None:
            answered = self._answered(turn, waiting, said)
            if answered is not None:
                return answered, Heard("affirm", 1.0, said, by="open question")
            # The user speaks of something else: the question is over, so that a later yes cannot reach it.
            self._questions.answer(waiting.question_id, turn.conversation_id, None, by=turn.key, now=self._clock())
        heard = understand(said, self._vectors())
        tasks = [_shown(kept.as_dict()) for kept in self._tasks.list(user_id=self._user_id)]
        return decide(heard, dialogue, tasks, self._clock()), heard

    def _answered(self, turn: Turn, waiting: Question, said: str) -> Decision | None:
        """What an answer to the open question asks for; None when the message is no answer to it."""
        if waiting.kind == "confirm":
            yes = yes_or_no(said)
            if yes is None:
                return None
            self._questions.answer(waiting.question_id, turn.conversation_id, yes, by=turn.key, now=self._clock())
            if not yes:
                return Decision("say", words="All right, nothing was changed.")
            calls = tuple({**call, "question": waiting.question_id} for call in waiting.body["calls"])
            return Decision("call", calls=calls, focus=tuple(waiting.body["focus"]))
        if yes_or_no(said) is False:
            self._questions.answer(waiting.question_id, turn.conversation_id, None, by=turn.key, now=self._clock())
            return Decision("say", words="All right, nothing was changed.")
        options = waiting.body["options"]
        found = resolve(said, [Listed(at, str(option["title"])) for at, option in enumerate(options, start=1)])
        if found.outcome != "resolved" or len(found.positions) != 1:
            return None
        chosen = options[found.positions[0] - 1]
        self._questions.answer(waiting.question_id, turn.conversation_id, chosen, by=turn.key, now=self._clock())
        return choice_made(waiting.body["heard"], chosen)

    def _carry_out(self, turn: Turn, decision: Decision, dialogue: Dialogue, kept: dict[str, Any]) -> AgentResponse:
        calls = self._calls(turn, decision)
        self._conversations.tell(turn.conversation_id, "RUN_STARTED", {"runId": turn.message_id})
        outcomes = self._client.call(calls, told=self._teller(turn)) if calls else []
        if decision.kind in {"confirm", "choose"}:
            self._ask(turn, decision)
        now = self._clock()
        words, status, shown = reply_to(decision, outcomes)
        dialogue = _after(dialogue, decision, outcomes, shown, now).heard(
            float(kept["confidence"]), asked_back=status == "clarification_needed"
        )
        made = tuple(_record(outcome, now) for outcome in outcomes)
        response = AgentResponse(
            conversation_id=turn.conversation_id,
            response=words,
            status=status,
            tool_calls=made,
            reasoning_trace=f"{kept['intent']} at {float(kept['confidence']):.2f} by {kept['by']}",
        )
        reply_id = derived_id(NAMESPACE, turn.conversation_id, "reply", turn.message_id)
        reply = Message(id=reply_id, role="assistant", content=words, tool_calls=made, created_at=now)
        ended = self._conversations.end_turn(turn, reply, response.model_dump(mode="json"), dialogue.metadata())
        self._tell_reply(turn, reply_id, response)
        return AgentResponse.model_validate(ended.response)

    def _calls(self, turn: Turn, decision: Decision) -> list[Call]:
        """The tool calls of a decision, each under a key of its own that any retry finds again."""
        if decision.kind == "list":
            status = decision.more.get("status")
            return [Call("list_tasks", {"status": status} if status else {}, f"{turn.key}/list")]
        if decision.kind == "undo":
            last = self._tasks.last_act(prefix=f"{turn.conversation_id}/", user_id=self._user_id)
            return [] if last is None else [Call("undo", {"key": last}, f"{turn.key}/undo")]
        if decision.kind == "route":
            tool, question = str(decision.more["tool"]), decision.more["question"]
            sources = {} if tool == "research" else {"sources": list(decision.more.get("sources", ()))}
            return [Call(tool, {"question": question, **sources}, f"{turn.key}/run")]
        if decision.kind != "call":
            return []
        return [
            Call(str(call["tool"]), dict(call["parameters"]), f"{turn.key}/{at}", call.get("question"))
            for at, call in enumerate(decision.calls)
        ]

    def _ask(self, turn: Turn, decision: Decision) -> None:
        body: dict[str, Any] = {
            "words": decision.words,
            "calls": list(decision.calls),
            "options": list(decision.options),
            "focus": list(decision.focus),
            **decision.more,
        }
        question_id = derived_id(NAMESPACE, turn.conversation_id, "question", turn.message_id)
        self._questions.ask(question_id, turn.conversation_id, decision.kind, body, now=self._clock())

    def _teller(self, turn: Turn) -> Callable[[float, float | None, str | None], None]:
        def told(done: float, total: float | None, message: str | None) -> None:
            body = {"activityType": "progress", "content": {"done": done, "total": total, "message": message}}
            self._conversations.tell(turn.conversation_id, "ACTIVITY_SNAPSHOT", body)

        return told

    def _tell_reply(self, turn: Turn, reply_id: str, response: AgentResponse) -> None:
        """The reply as AG-UI events, kept, so that a page that comes later sees the same."""
        tell = self._conversations.tell
        for at, call in enumerate(response.tool_calls):
            call_id = f"{reply_id}/{at}"
            tell(turn.conversation_id, "TOOL_CALL_START", {"toolCallId": call_id, "toolCallName": call.tool_name})
            tell(turn.conversation_id, "TOOL_CALL_ARGS", {"toolCallId": call_id, "delta": call.parameters})
            tell(turn.conversation_id, "TOOL_CALL_END", {"toolCallId": call_id})
            tell(
                turn.conversation_id,
                "TOOL_CALL_RESULT",
                {"toolCallId": call_id, "content": call.result if call.error is None else {"error": call.error}},
            )
        tell(turn.conversation_id, "TEXT_MESSAGE_START", {"messageId": reply_id, "role": "assistant"})
        tell(turn.conversation_id, "TEXT_MESSAGE_CONTENT", {"messageId": reply_id, "delta": response.response})
        tell(turn.conversation_id, "TEXT_MESSAGE_END", {"messageId": reply_id})
        tell(turn.conversation_id, "RUN_FINISHED", {"runId": turn.message_id, "result": {"status": response.status}})


def allows(questions: QuestionStore, question_id: str, tool_name: str, arguments: dict[str, Any]) -> bool:
    """Whether that question was answered with a yes and names that very call."""
    asked = questions.get(question_id)
    if asked is None or asked.kind != "confirm" or asked.answer is not True:
        return False
    return any(
        call["tool"] == tool_name and all(call["parameters"].get(name) == value for name, value in arguments.items())
        for call in asked.body["calls"]
    )


def _shown(data: dict[str, Any]) -> Shown:
    return Shown(task_id=int(data["id"]), version=int(data["version"]), title=str(data["title"]))


def _after(
    dialogue: Dialogue, decision: Decision, outcomes: list[Outcome], shown: list[dict[str, Any]] | None, now: datetime
) -> Dialogue:
    """What the conversation remembers after the turn."""
    if shown is not None:
        dialogue = dialogue.showing([_shown(task) for task in shown], now)
    touched = [
        outcome.result["data"] for outcome in outcomes if outcome.result and _is_task(outcome.result.get("data"))
    ]
    if touched:
        newer = {int(task["id"]): _shown(task) for task in touched}
        # The user knows what they have just changed: their list stays good for it.
        dialogue = replace(dialogue, shown=tuple(newer.get(line.task_id, line) for line in dialogue.shown))
        dialogue = dialogue.speaking_of(sorted(newer))
    elif decision.focus:
        dialogue = dialogue.speaking_of(decision.focus)
    if outcomes:
        last = outcomes[-1].call
        dialogue = replace(dialogue, last_tool=last.tool_name, last_parameters=last.parameters)
        run = next((str(o.result["run_id"]) for o in outcomes if o.result and o.result.get("run_id")), None)
        dialogue = replace(dialogue, last_run=run or dialogue.last_run)
    return dialogue


def _is_task(data: Any) -> bool:
    return isinstance(data, dict) and "id" in data and "version" in data


def _record(outcome: Outcome, now: datetime) -> ToolCall:
    return ToolCall(
        tool_name=outcome.call.tool_name,
        parameters=outcome.call.parameters,
        result=outcome.result,
        error=outcome.error,
        invoked_at=now,
    )
