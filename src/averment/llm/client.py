"""Structured calls to a model: a typed answer or a ModelError, always in bounded time and within the budget.

The model proposes; Pydantic checks. An answer that fails is sent back once with what was wrong; a second failure is
final. Every call, good or bad, is handed to the journal.
"""

from __future__ import annotations

import os
import re
import time
from collections.abc import AsyncGenerator, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from copy import copy
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NotRequired, Protocol, Self, TypedDict, TypeVar, Unpack

from pydantic import BaseModel, ValidationError

from averment.errors import ModelError, ModelNonsense, ModelUnavailable
from averment.llm.call import (
    Budget,
    CallOutcome,
    Journal,
    ModelCall,
    estimate_tokens,
    hash_prompt,
    hash_text,
    watcher_now,
)
from averment.llm.prompts import render
from averment.llm.provider import OWN, ModelChoice, connect, price_of, require_packages
from averment.llm.toolsets import OfferedTool, in_words, offered_tools
from averment.llm.wire import ModelAnswer, ModelQuestion, ask
from averment.settings import Settings

if TYPE_CHECKING:
    from pydantic_ai.models import Model

T = TypeVar("T", bound=BaseModel)

_THOUGHTS = re.compile(r"<think(?:ing)?>.*?</think(?:ing)?>", re.DOTALL)
_FENCE = re.compile(r"```(?:json)?\s*\n?(\{.*?\})\s*```", re.DOTALL)

BUSY = frozenset({408, 409, 425, 429, 500, 502, 503, 504, 529})
"""HTTP statuses of an endpoint that may have room a moment later."""

WITHOUT_TOOLS = 400
"""The HTTP status of an endpoint that may not know tools."""

FIRST_WAIT, MOST_WAITS = 0.5, 4
"""Seconds before an endpoint without room is asked again, doubled each time, and how often."""

MAX_PROBLEMS_SHOWN = 20
MAX_ANSWER_SHOWN = 4_000

OUTCOMES: dict[str, CallOutcome] = {
    "MODEL_NONSENSE": "MODEL_NONSENSE",
    "MODEL_TIMEOUT": "MODEL_TIMEOUT",
    "MODEL_UNAVAILABLE": "MODEL_UNAVAILABLE",
    "MODEL_BUDGET_EXCEEDED": "MODEL_BUDGET_EXCEEDED",
}


class ProposalArguments(TypedDict):
    """What a proposal is asked with; ``context`` reaches the answer type's own validators."""

    purpose: str
    system: str
    prompt: str
    context: NotRequired[Mapping[str, Any] | None]


class Proposer(Protocol):
    """Whoever proposes typed answers: a live model, one that is recorded, or a recording."""

    def propose(self, output_type: type[T], **asked: Unpack[ProposalArguments]) -> T:
        """A valid answer of that type, or a ModelError."""
        ...


class JournaledProposer:
    """A proposer whose calls go to a journal."""

    _journal: Journal | None

    def heard_by(self, journal: Journal) -> Self:
        """The same proposer in all else, whose calls go to that journal; those answered from a tape marked as such."""
        heard = copy(self)
        heard._journal = journal
        return heard


class ModelClient(JournaledProposer):
    """One run's line to its model; safe to use from several threads.

    Heard by another journal it is the same line within the same budget.
    """

    def __init__(
        self,
        choice: ModelChoice,
        settings: Settings,
        journal: Journal | None = None,
        *,
        budget: Budget | None = None,
        environment: Mapping[str, str] | None = None,
        model: Model | None = None,
    ) -> None:
        """Nothing is imported or called yet. A ``model`` given here answers in place of the one the choice names."""
        self.choice = choice
        self.budget = budget or Budget(max_calls=settings.model_max_calls, max_tokens=settings.model_max_tokens)
        self._timeout = settings.model_timeout_seconds
        self._effort = settings.model_effort
        at_vendor = choice.base_url is None and model is None and choice.provider in OWN
        streams = settings.model_stream == "always" or (settings.model_stream == "auto" and at_vendor)
        self._stall = settings.model_stall_seconds if streams else None
        self._native = True
        self._journal = journal
        self._environment = os.environ if environment is None else environment
        self._model = model

    def __repr__(self) -> str:
        return f"ModelClient({self.choice!r})"

    def propose(self, output_type: type[T], **asked: Unpack[ProposalArguments]) -> T:
        """A valid answer of that type, within ``model_timeout_seconds`` for both attempts together.

        ``context`` reaches the type's own validators, so that they can check names against a live schema.

        Raises:
            ModelNonsense: two answers failed validation.
            ModelTimeout: the time is over.
            ModelBudgetExceeded: the run's calls or tokens are spent.
            ModelUnavailable: the model cannot be reached, refuses, or its packages are not installed.
        """
        purpose, system, prompt = asked["purpose"], asked["system"], asked["prompt"]
        context = asked.get("context")
        tools = offered_tools(output_type)
        told = prompt
        deadline: float | None = None
        for attempt in (1, 2):
            entry = _Entry(purpose, system, told, attempt)
            try:
                if deadline is None:
                    # Importing the vendors' packages takes seconds once; that is not the model's time.
                    require_packages(None if self._model is not None else self.choice.provider)
                    deadline = time.monotonic() + self._timeout
                answer = self._ask_patiently(entry, tools, deadline)
                value = _validate(output_type, answer.text, context)
            except _Refusal as refusal:
                self._record(entry, "MODEL_NONSENSE" if attempt == 2 else "INVALID_ANSWER")
                told = _complain(prompt, refusal)
            except ModelNonsense as error:
                self._record(entry, "MODEL_NONSENSE" if attempt == 2 else "INVALID_ANSWER")
                told = _complain(prompt, _Refusal("", [{"at": "", "problem": error.message}]))
            except ModelError as error:
                self._record(entry, OUTCOMES.get(error.code, "MODEL_ERROR"))
                error.details.update(self._place(purpose))
                raise
            else:
                self._record(entry, "OK")
                return value
        raise ModelNonsense(
            "The model's answer failed validation twice.",
            hint="The built-in rules answer instead. A larger model may do better.",
            details=self._place(purpose),
        )

    def _ask_patiently(self, entry: _Entry, tools: tuple[OfferedTool, ...], deadline: float) -> ModelAnswer:
        """The answer; where the endpoint has no room just now it is asked again after a while, inside the time.

        One that refuses a request with tools is asked to write JSON, then and from then on.
        """
        wait = FIRST_WAIT
        for again in range(MOST_WAITS + 1):
            try:
                return self._ask(entry, tools, deadline)
            except ModelUnavailable as error:
                status = error.details.get("status")
                if status == WITHOUT_TOOLS and self._native and again < MOST_WAITS:
                    self._native = False
                    self._record(entry, "MODEL_UNAVAILABLE")
                    continue
                later = time.monotonic() + wait
                if status not in BUSY or again == MOST_WAITS or later >= deadline:
                    raise
                self._record(entry, "MODEL_UNAVAILABLE")
            time.sleep(wait)
            wait *= 2
        raise AssertionError("the last attempt must return or raise")

    def _ask(self, entry: _Entry, tools: tuple[OfferedTool, ...], deadline: float) -> ModelAnswer:
        expected = estimate_tokens(entry.system + entry.prompt + in_words(tools))
        allowance = self.budget.reserve(expected)
        # Until the provider counts, the prompt is taken as read: a call that breaks off may have cost as much.
        entry.tokens_in = expected
        try:
            question = ModelQuestion(
                system=entry.system,
                prompt=entry.prompt,
                tools=tools,
                native=self._native,
                max_answer_tokens=allowance.answer_tokens,
                effort=self._effort,
                stall_seconds=self._stall,
            )
            answer = ask(self._line, question, seconds=deadline - time.monotonic(), watcher=watcher_now())
            entry.response_sha256, entry.answer = hash_text(answer.text), answer.text
            entry.tokens_in = answer.tokens_in or expected
            entry.tokens_out = answer.tokens_out or estimate_tokens(answer.text)
            return answer
        finally:
            self.budget.finalize(allowance, entry.tokens_in + entry.tokens_out)

    def _line(self) -> AbstractAsyncContextManager[Model]:
        return connect(self.choice, self._environment) if self._model is None else _ready(self._model)

    def _place(self, purpose: str) -> dict[str, object]:
        return {"purpose": purpose, "provider": self.choice.provider, "model": self.choice.model}

    def _record(self, entry: _Entry, outcome: CallOutcome) -> None:
        if self._journal is None:
            return
        self._journal(
            ModelCall(
                **{name: value for name, value in vars(entry).items() if name != "started"},
                provider=self.choice.provider,
                model=self.choice.model,
                prompt_sha256=hash_prompt(entry.system, entry.prompt),
                seconds=time.monotonic() - entry.started,
                outcome=outcome,
                cost=price_of(self.choice, entry.tokens_in, entry.tokens_out),
            )
        )


@dataclass
class _Entry:
    """What is known of one call while it is under way: fields of its record, and when it started."""

    purpose: str
    system: str
    prompt: str
    attempt: int
    started: float = field(default_factory=time.monotonic)
    response_sha256: str | None = None
    answer: str | None = None
    tokens_in: int = 0
    tokens_out: int = 0


class _Refusal(Exception):
    """An answer that does not fit its type, with what is wrong in it."""

    def __init__(self, answer: str, problems: list[dict[str, str]]) -> None:
        super().__init__("the answer does not fit")
        self.answer, self.problems = answer, problems


@asynccontextmanager
async def _ready(model: Model) -> AsyncGenerator[Model]:
    yield model


def _validate(output_type: type[T], text: str, context: Mapping[str, Any] | None) -> T:
    try:
        return output_type.model_validate_json(bare_json(text), context=context)
    except ValidationError as error:
        problems = [
            {"at": ".".join(str(part) for part in one["loc"]), "problem": one["msg"]}
            for one in error.errors(include_url=False, include_context=False, include_input=False)
        ]
        raise _Refusal(text, problems) from None


def bare_json(text: str) -> str:
    """The JSON of an answer without what models put around it: thoughts before it, a Markdown fence, words after it."""
    bare = _THOUGHTS.sub("", text).strip()
    fenced = _FENCE.search(bare)
    if fenced is not None:
        return fenced.group(1).strip()
    start, end = bare.find("{"), bare.rfind("}")
    return bare[start : end + 1] if 0 <= start < end else bare


def _complain(prompt: str, refusal: _Refusal) -> str:
    """The prompt once more, with the refused answer and its problems as data below it."""
    complaint = render(
        "refused_answer", answer=refusal.answer[:MAX_ANSWER_SHOWN], problems=refusal.problems[:MAX_PROBLEMS_SHOWN]
    )
    return f"{prompt}\n\n{complaint.prompt}"
