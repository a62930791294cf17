"""One question over the wire, under one wall clock.

Each call has its own thread, event loop and HTTP client: nothing is shared between threads or survives a fork, and a
call that is given up can hold nobody. The vendor's exceptions end here; what leaves is an answer or a ModelError that
holds no word of the vendor's, since those may repeat a key.
"""

from __future__ import annotations

import asyncio
import json
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from averment.errors import ModelError, ModelNonsense, ModelTimeout
from averment.llm.call import TELL_EVERY, AnswerProgress, Watcher
from averment.llm.faults import name_fault
from averment.llm.toolsets import OfferedTool, as_answer, in_words

if TYPE_CHECKING:
    from pydantic_ai.messages import ModelResponse
    from pydantic_ai.models import Model

    Line = Callable[[], AbstractAsyncContextManager[Model]]


@dataclass(frozen=True, kw_only=True)
class ModelQuestion:
    """All that a model is told, and the tools that it answers by."""

    system: str
    prompt: str
    tools: tuple[OfferedTool, ...]
    max_answer_tokens: int
    native: bool = True
    """Whether the tools are offered as the provider's own; else the model is told to write JSON."""
    effort: str | None = None
    stall_seconds: float | None = None
    """Where it is given the answer is streamed, and a model that sends nothing for so long is given up."""


@dataclass(frozen=True, kw_only=True)
class ModelAnswer:
    """What came back, still unchecked: the text that should be JSON, and the provider's token counts (0: not told)."""

    text: str
    tokens_in: int
    tokens_out: int


def ask(line: Line, question: ModelQuestion, *, seconds: float, watcher: Watcher | None = None) -> ModelAnswer:
    """The model's answer, or an error, after that many seconds at the latest.

    Raises:
        ModelTimeout: the time is over.
        ModelNonsense: something came back that is no answer at all.
        ModelUnavailable: the model cannot be reached, refuses, or breaks off.
    """
    if seconds <= 0:
        raise ModelTimeout("The model ran out of time.")
    outcome: Future[ModelAnswer | ModelError] = Future()

    def work() -> None:
        try:
            outcome.set_result(asyncio.run(_ask(line, question, seconds, watcher)))
        except Exception as error:  # noqa: BLE001 - the boundary to the vendors: whatever they raise gets our name
            outcome.set_result(name_fault(error))

    threading.Thread(target=work, name="averment-model-call", daemon=True).start()
    try:
        # The loop inside has the same deadline and closes the connection; this one holds even if the loop itself hangs.
        result = outcome.result(timeout=seconds)
    except TimeoutError:
        result = ModelTimeout(f"The model did not respond within {seconds:.3g} seconds.")
    if isinstance(result, ModelError):
        raise result
    return result


async def _ask(line: Line, question: ModelQuestion, seconds: float, watcher: Watcher | None) -> ModelAnswer:
    from pydantic_ai.messages import ModelRequest, UserPromptPart
    from pydantic_ai.models import ModelRequestParameters
    from pydantic_ai.tools import ToolDefinition

    tools = [
        ToolDefinition(name=one.name, description=one.description, parameters_json_schema=one.schema, kind="output")
        for one in question.tools
    ]
    async with asyncio.timeout(seconds), line() as model:
        native = question.native and model.profile.get("supports_tools", True)
        told = question.system if native else f"{question.system}\n\n{in_words(question.tools)}"
        response = await _response(
            model,
            [ModelRequest(parts=[UserPromptPart(question.prompt)], instructions=told)],
            question,
            ModelRequestParameters(output_mode="tool", output_tools=tools, allow_text_output=False)
            if native
            else ModelRequestParameters(output_mode="text", allow_text_output=True),
            watcher,
        )
    return ModelAnswer(
        text=_text_of(response, question.tools),
        tokens_in=max(0, response.usage.input_tokens),
        tokens_out=max(0, response.usage.output_tokens),
    )


async def _response(
    model: Model, messages: list[Any], question: ModelQuestion, parameters: Any, watcher: Watcher | None
) -> ModelResponse:
    """The whole response: at once, or streamed where a stall is to be noticed before the time is over."""
    from pydantic_ai.direct import model_request, model_request_stream

    settings = _settings(question)
    if question.stall_seconds is None:
        return await model_request(model, messages, model_settings=settings, model_request_parameters=parameters)
    began, told, characters = time.monotonic(), 0.0, 0
    try:
        async with asyncio.timeout(question.stall_seconds) as silence:
            opened = model_request_stream(model, messages, model_settings=settings, model_request_parameters=parameters)
            async with opened as stream:
                async for event in stream:
                    now = time.monotonic()
                    silence.reschedule(asyncio.get_running_loop().time() + question.stall_seconds)
                    delta = getattr(event, "delta", None) or getattr(event, "part", None)
                    characters += _length(delta)
                    if watcher is not None and now - told >= TELL_EVERY:
                        told = now
                        thinks = "Thinking" in type(delta).__name__
                        state = "thinking" if thinks else "writing"
                        watcher(AnswerProgress(state=state, characters=characters, seconds=now - began))
                return stream.get()
    except TimeoutError:
        if time.monotonic() - began < question.stall_seconds:
            raise  # The time for the whole call is over.
        raise ModelTimeout(f"The model fell silent for {question.stall_seconds:.3g} seconds.") from None


def _length(delta: object) -> int:
    """How many characters a piece of an answer has."""
    for name in ("content_delta", "args_delta", "content", "args"):
        piece = getattr(delta, name, None)
        if piece:
            return len(piece if isinstance(piece, str) else json.dumps(piece, default=str))
    return 0


def _settings(question: ModelQuestion) -> Any:
    """What the vendors are told beside the words; what a model does not know of is left out by the library."""
    # The vendors' clients would retry by themselves, beyond the budget and unseen by the ledger.
    settings: dict[str, Any] = {"max_tokens": question.max_answer_tokens, "max_retries": 0, "cache": True}
    return settings | ({"thinking": question.effort} if question.effort else {})


def _text_of(response: ModelResponse, tools: tuple[OfferedTool, ...]) -> str:
    """The first call of a tool as JSON; else the plain text, for servers that know no tools but do write JSON."""
    names = {tool.name for tool in tools}
    calls = (call for call in response.tool_calls if call.tool_name in names)
    text = next((as_answer(tools, call.tool_name, call.args) for call in calls), response.text or "")
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        raise ModelNonsense("The model's answer is not valid Unicode text.") from None
    return text.strip()
