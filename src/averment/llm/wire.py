"""One question over the wire, under one wall clock.

Each call has its own thread, event loop and HTTP client: nothing is shared between threads or survives a fork, and a
call that is given up can hold nobody. The vendor's exceptions end here; what leaves is an answer or a ModelError that
holds no word of the vendor's, since those may repeat a key.
"""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Callable
from concurrent.futures import Future
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from averment.errors import ModelError, ModelNonsense, ModelTimeout
from averment.llm.faults import name_fault

if TYPE_CHECKING:
    from pydantic_ai.messages import ModelResponse
    from pydantic_ai.models import Model

    Line = Callable[[], AbstractAsyncContextManager[Model]]

TOOL_NAME = "answer"
TOOL_DESCRIPTION = "Give the answer in this form."


@dataclass(frozen=True, kw_only=True)
class Question:
    """All that a model is told, and the JSON schema its answer must have."""

    system: str
    prompt: str
    schema: dict[str, Any]
    max_answer_tokens: int
    effort: str | None = None


@dataclass(frozen=True, kw_only=True)
class Answer:
    """What came back, still unchecked: the text that should be JSON, and the provider's token counts (0: not told)."""

    text: str
    tokens_in: int
    tokens_out: int


def ask(line: Line, question: Question, *, seconds: float) -> Answer:
    """The model's answer, or an error, after that many seconds at the latest.

    Raises:
        ModelTimeout: the time is over.
        ModelNonsense: something came back that is no answer at all.
        ModelUnavailable: the model cannot be reached, refuses, or breaks off.
    """
    if seconds <= 0:
        raise ModelTimeout("The time for the model is over.")
    outcome: Future[Answer | ModelError] = Future()

    def work() -> None:
        try:
            outcome.set_result(asyncio.run(_ask(line, question, seconds)))
        except Exception as error:  # noqa: BLE001 - the boundary to the vendors: whatever they raise gets our name
            outcome.set_result(name_fault(error))

    threading.Thread(target=work, name="averment-model-call", daemon=True).start()
    try:
        # The loop inside has the same deadline and closes the connection; this one holds even if the loop itself hangs.
        result = outcome.result(timeout=seconds)
    except TimeoutError:
        result = ModelTimeout(f"The model did not answer within {seconds:.3g} seconds.")
    if isinstance(result, ModelError):
        raise result
    return result


async def _ask(line: Line, question: Question, seconds: float) -> Answer:
    from pydantic_ai.direct import model_request
    from pydantic_ai.messages import ModelRequest, UserPromptPart
    from pydantic_ai.models import ModelRequestParameters
    from pydantic_ai.tools import ToolDefinition

    tool = ToolDefinition(
        name=TOOL_NAME, description=TOOL_DESCRIPTION, parameters_json_schema=question.schema, kind="output"
    )
    async with asyncio.timeout(seconds), line() as model:
        response = await model_request(
            model,
            [ModelRequest(parts=[UserPromptPart(question.prompt)], instructions=question.system)],
            model_settings=_settings(question),
            model_request_parameters=ModelRequestParameters(
                output_mode="tool", output_tools=[tool], allow_text_output=False
            ),
        )
    return Answer(
        text=_text_of(response),
        tokens_in=max(0, response.usage.input_tokens),
        tokens_out=max(0, response.usage.output_tokens),
    )


def _settings(question: Question) -> Any:
    """What the vendors are told beside the words; what a model does not know of is left out by the library."""
    # The vendors' clients would retry by themselves, beyond the budget and unseen by the ledger.
    settings: dict[str, Any] = {"max_tokens": question.max_answer_tokens, "max_retries": 0, "cache": True}
    return settings | ({"thinking": question.effort} if question.effort else {})


def _text_of(response: ModelResponse) -> str:
    """The arguments of the answer tool; else the plain text, for servers that know no tools but do write JSON."""
    for call in response.tool_calls:
        if call.tool_name == TOOL_NAME:
            text = call.args if isinstance(call.args, str) else json.dumps(call.args)
            break
    else:
        text = response.text or ""
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        raise ModelNonsense("The model's answer is not valid Unicode text.") from None
    return text.strip()
