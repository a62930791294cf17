"""The assistant itself as a tool: another program's agent says something to it, and gets what it did and asks."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from pydantic import Field

from averment.agents.assistant.agui_events import question_card
from averment.records.chat import ResponseStatus
from averment.tools.public import Caller, PublicTool
from averment.tools.tool import Annotations, Args, Output

if TYPE_CHECKING:
    from averment.agents.assistant.agent import Assistant

LONG = 60.0


class Say(Args):
    """A message to the assistant."""

    message: str = Field(min_length=1, max_length=5_000, description="What the user says, in their own words.")
    conversation_id: str | None = Field(
        default=None, max_length=128, description="Where it is said; a new conversation without one."
    )
    sources: list[str] = Field(
        default_factory=list, max_length=10, description="Tables or documents to look into from now on."
    )


class AskedBack(Output):
    """The question that waits for the user; the next message answers it."""

    question_id: str
    kind: str
    words: str
    options: list[str]


class ChatReply(Output):
    """What the assistant answered; ``question`` is for the user, never for the client to answer by itself."""

    conversation_id: str
    response: str
    status: ResponseStatus
    tools: list[str] = Field(description="The tools it called, in their order.")
    run_ids: list[str] = Field(description="The runs that the answer rests on.")
    question: AskedBack | None


def chat_tool(assistant: Callable[[], Assistant], locate: Callable[[list[str]], list[str]]) -> PublicTool[Any, Any]:
    """The tool over one user's assistant; ``locate`` decides which sources a caller may name."""

    def chat(args: Say, caller: Caller) -> ChatReply:
        speaking = assistant()
        message_id = caller.key.replace("/", ":")[:128]
        conversation = args.conversation_id or speaking.conversation_id_for(message_id)
        if args.sources:
            locate(args.sources)  # What the caller may not name is refused here.
            speaking.attach(args.sources, conversation_id=conversation)
        reply = speaking.turn(args.message, conversation_id=conversation, message_id=message_id)
        waiting = speaking.question(reply.conversation_id)
        runs = [str((call.result or {}).get("run_id") or "") for call in reply.tool_calls]
        return ChatReply(
            conversation_id=reply.conversation_id,
            response=reply.response,
            status=reply.status,
            tools=[call.tool_name for call in reply.tool_calls],
            run_ids=[run for run in dict.fromkeys(runs) if run],
            question=None if waiting is None else AskedBack.model_validate(question_card(waiting)),
        )

    return PublicTool(
        name="chat",
        title="Say something to the assistant",
        description=(
            "Say something to the assistant, which keeps the tasks and asks the analyst, driller and researcher. "
            "What it asks back is for the user; their answer is the next message of the conversation."
        ),
        args=Say,
        output=ChatReply,
        run=chat,
        annotations=Annotations(read_only=False, destructive=False, idempotent=True, cost_seconds=LONG),
    )
