"""A model with tools: it may look, and it may wish; what it wishes is handed back and never done here.

A tool that only looks is called while the model thinks, and its result goes back to the model fenced as data. A call of
any other tool waits for an approval that is not given here: the loop ends with it, and whoever asked decides under
their own rules. Calls, requests, tokens and time are bounded; the vendor's exceptions end here.
"""

from __future__ import annotations

import asyncio
import json
import os
import threading
import time
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from concurrent.futures import Future
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from copy import copy
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from averment.errors import ModelBudgetExceeded, ModelError, ModelNonsense, ModelTimeout
from averment.llm.budget import Budget, estimate_tokens
from averment.llm.call import CallOutcome, Journal, ModelCall, hash_prompt, hash_text
from averment.llm.client import OUTCOMES
from averment.llm.faults import name_fault
from averment.llm.prompts.fence import fence
from averment.llm.provider import ModelChoice, connect, require_packages
from averment.settings import Settings

if TYPE_CHECKING:
    from pydantic_ai import Tool
    from pydantic_ai.messages import ToolCallPart
    from pydantic_ai.models import Model

MOST_CALLS = 8
MOST_REQUESTS = 5
MOST_WISHES = 20
MOST_TEXT = 2_000
PURPOSE = "understand"
_ENDED_BADLY: CallOutcome = "MODEL_ERROR"

Look = Callable[[str, dict[str, Any]], Any]
"""Calls a tool that only looks, by name and arguments, and gives its result as JSON values."""


@dataclass(frozen=True, kw_only=True)
class OfferedTool:
    """A tool as a model sees it; only one that ``looks`` is called in the loop."""

    name: str
    description: str
    schema: dict[str, Any]
    looks: bool = False


@dataclass(frozen=True, kw_only=True)
class Wish:
    """A call that the model wants made; nobody has made it."""

    tool_name: str
    arguments: dict[str, Any]


@dataclass(frozen=True, kw_only=True)
class Wished:
    """How the loop ended: with words, or with calls that wait; and the looks that were taken on the way."""

    text: str = ""
    wishes: tuple[Wish, ...] = ()
    looks: tuple[Wish, ...] = ()


class ToolLoop:
    """One message's line to a model that has tools."""

    def __init__(
        self,
        choice: ModelChoice,
        settings: Settings,
        *,
        budget: Budget | None = None,
        environment: Mapping[str, str] | None = None,
        model: Model | None = None,
        journal: Journal | None = None,
    ) -> None:
        """Nothing is imported or called yet. A ``model`` given here answers in place of the one the choice names."""
        self.choice = choice
        self._journal = journal
        self.budget = budget or Budget(max_calls=settings.model_max_calls, max_tokens=settings.model_max_tokens)
        self._seconds = settings.model_timeout_seconds
        self._environment = os.environ if environment is None else environment
        self._model = model

    def heard_by(self, journal: Journal) -> ToolLoop:
        """The same line within the same budget, whose loop goes to that journal as one call, good or bad."""
        heard = copy(self)
        heard._journal = journal
        return heard

    def run(self, *, system: str, prompt: str, tools: Sequence[OfferedTool], look: Look) -> Wished:
        """What the model wants done about the prompt, within ``model_timeout_seconds`` in all.

        Raises:
            ModelNonsense: it calls what is not there, or sends something that is no answer.
            ModelTimeout: the time is over.
            ModelBudgetExceeded: it calls too often, or the tokens are spent.
            ModelUnavailable: it cannot be reached, refuses, or its packages are not installed.
        """
        started, told = time.monotonic(), _ENDED_BADLY
        wished, usage = Wished(), (0, 0)
        try:
            wished, usage = self._asked(system, prompt, tools, look)
            told = "OK"
            return wished
        except ModelError as error:
            told = OUTCOMES.get(error.code, _ENDED_BADLY)
            raise
        finally:
            self._record(system, prompt, wished, usage, time.monotonic() - started, told)

    def _record(
        self, system: str, prompt: str, wished: Wished, usage: tuple[int, int], seconds: float, outcome: CallOutcome
    ) -> None:
        if self._journal is None:
            return
        answer = json.dumps([wished.text, [[wish.tool_name, wish.arguments] for wish in wished.wishes]], default=str)
        self._journal(
            ModelCall(
                purpose=PURPOSE,
                provider=self.choice.provider,
                model=self.choice.model,
                prompt_sha256=hash_prompt(system, prompt),
                response_sha256=hash_text(answer) if outcome == "OK" else None,
                tokens_in=usage[0],
                tokens_out=usage[1],
                seconds=seconds,
                outcome=outcome,
                attempt=1,
            )
        )

    def _asked(
        self, system: str, prompt: str, tools: Sequence[OfferedTool], look: Look
    ) -> tuple[Wished, tuple[int, int]]:
        """How the loop ended, and the tokens that went in and came out."""
        require_packages(None if self._model is not None else self.choice.provider)
        expected = estimate_tokens(system + prompt + "".join(f"{tool.description}{tool.schema}" for tool in tools))
        allowance = self.budget.reserve(expected)
        spent = expected
        outcome: Future[tuple[Wished, tuple[int, int]] | ModelError] = Future()

        def work() -> None:
            try:
                outcome.set_result(asyncio.run(self._run(system, prompt, tools, look)))
            except Exception as error:  # noqa: BLE001 - the boundary to the vendors: whatever they raise gets our name
                outcome.set_result(_named(error))

        threading.Thread(target=work, name="averment-tool-loop", daemon=True).start()
        try:
            result = outcome.result(timeout=self._seconds)
        except TimeoutError:
            result = ModelTimeout(f"The model did not come to an end within {self._seconds:.3g} seconds.")
        try:
            if isinstance(result, ModelError):
                raise result
            wished, usage = result
            spent = sum(usage) or expected
            return wished, usage
        finally:
            self.budget.settle(allowance, spent)

    async def _run(
        self, system: str, prompt: str, tools: Sequence[OfferedTool], look: Look
    ) -> tuple[Wished, tuple[int, int]]:
        from pydantic_ai import Agent, DeferredToolRequests
        from pydantic_ai.usage import UsageLimits

        looks: list[Wish] = []
        limits = UsageLimits(
            request_limit=MOST_REQUESTS, tool_calls_limit=MOST_CALLS, output_tokens_limit=4 * MOST_TEXT
        )
        # The vendors' clients would retry by themselves, beyond the budget.
        settings: Any = {"max_tokens": MOST_TEXT, "max_retries": 0}
        async with asyncio.timeout(self._seconds), self._line() as model:
            agent = Agent(
                model,
                instructions=system,
                output_type=[str, DeferredToolRequests],
                tools=[_tool(offered, look, looks) for offered in tools],
                retries=1,
                model_settings=settings,
            )
            ended = await agent.run(prompt, usage_limits=limits)
        usage = ended.usage
        spent = (max(0, usage.input_tokens), max(0, usage.output_tokens))
        if isinstance(ended.output, str):
            return Wished(text=ended.output.strip()[:MOST_TEXT], looks=tuple(looks)), spent
        waiting = [*ended.output.approvals, *ended.output.calls]
        if len(waiting) > MOST_WISHES:
            raise ModelBudgetExceeded(f"The model wants {len(waiting)} things done at once.")
        return Wished(wishes=tuple(_wish(call) for call in waiting), looks=tuple(looks)), spent

    def _line(self) -> AbstractAsyncContextManager[Model]:
        return connect(self.choice, self._environment) if self._model is None else _ready(self._model)


def _tool(offered: OfferedTool, look: Look, looks: list[Wish]) -> Tool[Any]:
    """The tool as the vendor has it; one that does not only look needs an approval, and is never called."""
    from pydantic_ai import Tool

    async def called(**arguments: Any) -> str:
        looks.append(Wish(tool_name=offered.name, arguments=arguments))
        return fence(offered.name, await asyncio.to_thread(look, offered.name, arguments))

    made: Tool[Any] = Tool.from_schema(called, offered.name, offered.description, offered.schema)
    made.requires_approval = not offered.looks
    return made


def _wish(call: ToolCallPart) -> Wish:
    try:
        arguments = call.args_as_dict(raise_if_invalid=True)
    except (ValueError, AssertionError):
        raise ModelNonsense("The model's arguments are no JSON object.") from None
    return Wish(tool_name=call.tool_name, arguments=arguments)


def _named(error: Exception) -> ModelError:
    from pydantic_ai.exceptions import UsageLimitExceeded

    if isinstance(error, UsageLimitExceeded):
        return ModelBudgetExceeded("The model called its tools too often.")
    return name_fault(error)


@asynccontextmanager
async def _ready(model: Model) -> AsyncGenerator[Model]:
    yield model
