"""The record of one model call, for the ledger: what was asked and answered by hash, what it cost, how it ended."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from typing import Literal

from pydantic import Field

from averment.records.base import Record, Sha256

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
