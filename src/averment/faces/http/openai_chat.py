"""``/v1/chat/completions`` and ``/v1/models``: the assistant for programs that speak OpenAI's chat protocol.

A conversation of theirs is one of ours: which, is told by how it begins, so that their growing list of messages goes on
where it was. Only the last message of the user is said; what a client says the assistant had answered is not believed.
The tools stay inside.
"""

from __future__ import annotations

import asyncio
import base64
import binascii
import json
from collections.abc import AsyncIterator, Sequence
from typing import Annotated, Any, Literal

from fastapi import Header
from pydantic import BaseModel, ConfigDict, Field
from starlette.concurrency import run_in_threadpool
from starlette.responses import Response, StreamingResponse

from averment.agents.assistant.sources import reference_to, sent_suffixes, uploads_only
from averment.errors import InvalidRequest, RequestTooLarge
from averment.faces.http.access import Bench, Routes, UploadLimits
from averment.faces.http.chat_documents import Id
from averment.faces.http.failures import json_response
from averment.faces.http.limits import Limits
from averment.faces.http.uploads import UploadFolder
from averment.records.base import derived_id, new_id, utc_now
from averment.records.chat import AgentResponse
from averment.store.storage.configured import open_files
from averment.store.storage.uploads import published
from averment.workbench import Workbench


def keep_files(workbench: Workbench, given: Sequence[dict[str, Any]], limits: Limits) -> list[str]:
    """The references of a message's files: those of uploads by ``file_id``, others by their ``file_data``.

    Raises:
        InvalidRequest: a file has neither, or is no base64.
        RequestTooLarge: there are too many, or one is too large.
    """
    if len(given) > limits.max_files:
        raise RequestTooLarge(f"A message may have at most {limits.max_files} files.")
    named = [str(file["file_id"]) for file in given if file.get("file_id")]
    if named:
        files = open_files(workbench.settings)
        uploads_only(workbench.settings.home, files=files, owns=workbench.home.owns_upload)(named)
    sent = [file for file in given if not file.get("file_id")]
    return [*named, *_written(workbench, sent, limits)] if sent else named


def _written(workbench: Workbench, sent: Sequence[dict[str, Any]], limits: Limits) -> list[str]:
    folder = UploadFolder(workbench.settings.home, endings=sent_suffixes())
    with folder.unless_failed():
        pieces = [(folder.claim(str(file.get("filename") or "file")), _content(file, limits)) for file in sent]
        folder.append(pieces)
        with published(open_files(workbench.settings), workbench.settings.home, [str(place) for place in folder.files]):
            pass
        workbench.home.claim_upload(folder.path.name)
    return [reference_to(place) for place in folder.files]


def _content(file: dict[str, Any], limits: Limits) -> bytes:
    """What a file holds; a data URL's head is not needed."""
    data = file.get("file_data")
    if not isinstance(data, str):
        raise InvalidRequest("A file needs file_data or file_id.", hint="Send its content as base64, or upload it.")
    try:
        content = base64.b64decode(data.rpartition(",")[2], validate=True)
    except (binascii.Error, ValueError) as error:
        raise InvalidRequest("The file_data of a file must be base64.") from error
    if len(content) > limits.max_file_bytes:
        raise RequestTooLarge(f"A file may have at most {limits.max_file_bytes} bytes.")
    return content


router = Routes(tags=["openai"])

MODEL = "averment"
NAMESPACE = "0c9e1c8e-7a55-4f0e-9d0b-5d0f4f1c2b77"
PIECE = 80
"""How many characters a piece of a streamed answer has."""


class Part(BaseModel):
    """A part of a message: its text, or a file that it is about."""

    model_config = ConfigDict(extra="allow")

    type: str = "text"
    text: str | None = None
    file: dict[str, Any] | None = None


class ChatMessage(BaseModel):
    """A message as OpenAI's clients send it."""

    model_config = ConfigDict(extra="allow")

    role: Literal["system", "developer", "user", "assistant", "tool", "function"]
    content: str | list[Part] | None = None

    @property
    def words(self) -> str:
        """The text of the message."""
        if isinstance(self.content, list):
            return "\n".join(part.text or "" for part in self.content if part.type == "text").strip()
        return (self.content or "").strip()

    @property
    def files(self) -> list[dict[str, Any]]:
        """The files that came with the message."""
        parts = self.content if isinstance(self.content, list) else []
        return [part.file for part in parts if part.type == "file" and part.file is not None]


class CompletionRequest(BaseModel):
    """A completion request; fields that only concern a model are accepted and ignored."""

    model_config = ConfigDict(extra="allow")

    model: str = MODEL
    messages: list[ChatMessage] = Field(min_length=1, max_length=2_000)
    stream: bool = False


class Completion(BaseModel):
    """The answer in OpenAI's format."""

    model_config = ConfigDict(extra="allow")

    id: str
    object: Literal["chat.completion"] = "chat.completion"
    created: int
    model: str
    choices: list[dict[str, Any]]


STREAMED = {200: {"content": {"text/event-stream": {}}}}


@router.looks("/v1/models")
def list_models() -> Response:
    """List the only model: the assistant."""
    return json_response(
        {"object": "list", "data": [{"id": MODEL, "object": "model", "created": 0, "owned_by": "averment"}]}
    )


@router.acts("post", "/v1/chat/completions", Completion, 400, 404, 413, 415, responses=STREAMED)
async def chat_completions(
    workbench: Bench,
    limits: UploadLimits,
    asked: CompletionRequest,
    key: Annotated[
        Id | None, Header(alias="Idempotency-Key", description="Sending the same key again has no further effect.")
    ] = None,
) -> Response:
    """Send the last message to the assistant and return the answer as a completion."""
    said = [message.words for message in asked.messages if message.role == "user" and message.words]
    if not said or asked.messages[-1].role != "user":
        raise InvalidRequest(
            "The last message must be from the user.", hint="End the list with the user's latest message."
        )
    message_id = key or new_id()
    conversation = await run_in_threadpool(_opened, workbench, asked, limits)
    completion = f"chatcmpl-{message_id}"
    turn = run_in_threadpool(_turn, workbench, said[-1], conversation, message_id)
    if not asked.stream:
        return json_response(_whole(completion, await turn))
    return StreamingResponse(_pieces(completion, asyncio.ensure_future(turn)), media_type="text/event-stream")


def _opened(workbench: Workbench, asked: CompletionRequest, limits: Limits) -> str:
    """The user's own conversation that the messages go on, with the files of the last of them."""
    conversation = workbench.assistant.conversation_id_for(_conversation(asked))
    files = keep_files(workbench, asked.messages[-1].files, limits)
    if files:
        workbench.assistant.attach(files, conversation_id=conversation)
    return conversation


def _conversation(asked: CompletionRequest) -> str:
    """The conversation that the messages go on.

    A client names it by ``metadata.conversation_id``; one that does not is known by its ``user``, its system prompt and
    the first message, with which every later request of the same conversation begins.
    """
    named = (asked.model_extra or {}).get("metadata") or {}
    if isinstance(named, dict) and isinstance(named.get("conversation_id"), str):
        return derived_id(NAMESPACE, "named", named["conversation_id"])
    first = next(message.words for message in asked.messages if message.role == "user" and message.words)
    system = next((message.words for message in asked.messages if message.role in {"system", "developer"}), "")
    chat = str((asked.model_extra or {}).get("user") or "")
    return derived_id(NAMESPACE, "begun", chat, system, first)


def _turn(workbench: Workbench, words: str, conversation_id: str, message_id: str) -> AgentResponse:
    return workbench.assistant.turn(words, conversation_id=conversation_id, message_id=message_id)


def _whole(completion: str, reply: AgentResponse) -> dict[str, Any]:
    message = {"role": "assistant", "content": reply.response}
    return {
        "id": completion,
        "object": "chat.completion",
        "created": int(utc_now().timestamp()),
        "model": MODEL,
        "choices": [{"index": 0, "message": message, "finish_reason": "stop"}],
        "usage": {"prompt_tokens": 0, "completion_tokens": 0, "total_tokens": 0},
    }


async def _pieces(completion: str, turn: asyncio.Future[AgentResponse]) -> AsyncIterator[str]:
    """The answer in pieces; the proof stands whole before the first of them is sent."""
    created = int(utc_now().timestamp())

    def piece(delta: dict[str, Any], finish: str | None = None) -> str:
        choice = {"index": 0, "delta": delta, "finish_reason": finish}
        chunk = {"id": completion, "object": "chat.completion.chunk", "created": created, "model": MODEL}
        return f"data: {json.dumps({**chunk, 'choices': [choice]})}\n\n"

    yield piece({"role": "assistant", "content": ""})
    words = (await turn).response
    for at in range(0, len(words), PIECE):
        yield piece({"content": words[at : at + PIECE]})
    yield piece({}, "stop")
    yield "data: [DONE]\n\n"
