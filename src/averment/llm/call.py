"""What a run or a model may spend on calls, and the record of each for the ledger and for whoever watches.

Before a call its cost is estimated and set aside, so that calls in several threads cannot overspend together; after it
the provider's own count replaces the estimate. What is recorded is what was asked and answered by hash, what it cost
and how it ended; where a model cannot help, a note says why the rules answered. Whoever asks may watch a model think
and write: how much has come, never a word of it.
"""

from __future__ import annotations

import hashlib
import json
import threading
from collections.abc import Callable, Generator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Literal, TypeVar

from pydantic import Field

from averment.errors import ModelBudgetExceeded, ModelError
from averment.records.base import Record, Sha256

BYTES_PER_TOKEN = 4
MAX_ANSWER_TOKENS = 8_192
MIN_ANSWER_TOKENS = 64


def estimate_tokens(text: str) -> int:
    """About how many tokens a text has; used where the provider's count is not known."""
    return -(-len(text.encode("utf-8", "surrogatepass")) // BYTES_PER_TOKEN)


@dataclass(frozen=True)
class Allowance:
    """What was set aside for one call."""

    prompt_tokens: int
    answer_tokens: int


class Budget:
    """Calls and tokens of one run, shared by its threads. A resumed run starts with what it has spent already."""

    def __init__(self, *, max_calls: int, max_tokens: int, calls: int = 0, tokens: int = 0) -> None:
        self._max_calls = max_calls
        self._max_tokens = max_tokens
        self._calls = calls
        self._tokens = tokens
        self._lock = threading.Lock()

    @property
    def calls(self) -> int:
        """Calls made so far."""
        return self._calls

    @property
    def tokens(self) -> int:
        """Tokens spent or set aside so far, in and out together."""
        return self._tokens

    def reserve(self, prompt_tokens: int) -> Allowance:
        """Set a call aside, with as long an answer as the rest allows.

        Raises:
            ModelBudgetExceeded: no call is left, or the tokens left do not hold the prompt and a short answer.
        """
        with self._lock:
            if self._calls >= self._max_calls:
                raise ModelBudgetExceeded(
                    f"The run has used all of its {self._max_calls} model calls.",
                    hint="Raise model_max_calls to allow more.",
                    details={"calls": self._calls, "max_calls": self._max_calls},
                )
            left = self._max_tokens - self._tokens - prompt_tokens
            if left < MIN_ANSWER_TOKENS:
                raise ModelBudgetExceeded(
                    f"The run's budget of {self._max_tokens} model tokens is too small for another call.",
                    hint="Raise model_max_tokens to allow more.",
                    details={"tokens": self._tokens, "max_tokens": self._max_tokens},
                )
            allowance = Allowance(prompt_tokens, min(left, MAX_ANSWER_TOKENS))
            self._calls += 1
            self._tokens += allowance.prompt_tokens + allowance.answer_tokens
            return allowance

    def finalize(self, allowance: Allowance, tokens: int) -> None:
        """Replace what was set aside for a call by what it really took."""
        with self._lock:
            self._tokens += tokens - allowance.prompt_tokens - allowance.answer_tokens


CallOutcome = Literal[
    "OK",
    "INVALID_ANSWER",
    "MODEL_NONSENSE",
    "MODEL_TIMEOUT",
    "MODEL_UNAVAILABLE",
    "MODEL_BUDGET_EXCEEDED",
    "MODEL_ERROR",
]
"""How a call ended: OK, an answer that is asked for once more, or the code of the error that ended it."""


class ModelCall(Record):
    """One call to a model, good or bad.

    The words themselves are kept beside it for whoever asks what was sent; the ledger takes their hashes alone.
    """

    purpose: str = Field(min_length=1)
    provider: str
    model: str
    prompt_sha256: Sha256
    response_sha256: Sha256 | None = None
    tokens_in: int = Field(default=0, ge=0)
    tokens_out: int = Field(default=0, ge=0)
    seconds: float = Field(ge=0)
    outcome: CallOutcome
    attempt: int = Field(ge=1)
    cost: float | None = Field(default=None, ge=0, description="In US dollars, where the price is known.")
    system: str | None = None
    prompt: str | None = None
    answer: str | None = None
    cached: bool = Field(default=False, description="Whether the answer was kept from before, and nobody was called.")


WORDS = frozenset({"system", "prompt", "answer"})
"""The fields that hold words; no ledger entry has them."""

Journal = Callable[[ModelCall], None]
"""Whoever keeps the records of calls."""


def hash_text(text: str) -> str:
    """The SHA-256 of a text."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def hash_prompt(system: str, prompt: str) -> str:
    """The SHA-256 of all that a model was told, unambiguous where one part ends and the other begins."""
    return hash_text(json.dumps([system, prompt]))


TELL_EVERY = 1.0
"""Seconds between two notes on one answer at least."""


@dataclass(frozen=True, kw_only=True)
class AnswerProgress:
    """How far an answer has come: whether the model thinks or writes, and how many characters there are of it."""

    state: Literal["thinking", "writing"]
    characters: int
    seconds: float


Watcher = Callable[[AnswerProgress], None]
_WATCHER: ContextVar[Watcher | None] = ContextVar("averment_model_watcher", default=None)


@contextmanager
def watching(watcher: Watcher) -> Generator[None]:
    """Whatever is asked of a model inside is told to the watcher as it comes."""
    token = _WATCHER.set(watcher)
    try:
        yield
    finally:
        _WATCHER.reset(token)


def watcher_now() -> Watcher | None:
    """Who watches, if anybody does."""
    return _WATCHER.get()


T = TypeVar("T")


class FallbackNote(Record):
    """Why the rules answered in a model's place."""

    code: str
    purpose: str
    reason: str


def with_fallback(
    attempt: Callable[[], T], rules: Callable[[], T], record: Callable[[FallbackNote], None], *, purpose: str = ""
) -> T:
    """The attempt's answer or, whatever ModelError it raises, the rules' answer after a note of why.

    A caller whose own checks refuse a well-formed answer (a column that is not there, a number without evidence) raises
    ``ModelNonsense`` inside the attempt. Errors of any other kind are not a model's and pass through.
    """
    try:
        return attempt()
    except ModelError as error:
        named = error.details.get("purpose")
        note = FallbackNote(code=error.code, purpose=named if isinstance(named, str) else purpose, reason=error.message)
    record(note)
    return rules()
