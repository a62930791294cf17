"""What a run may spend on models: so many calls, so many tokens.

Before a call its cost is estimated and set aside, so that calls in several threads cannot overspend together; after it
the provider's own count replaces the estimate.
"""

from __future__ import annotations

import threading
from dataclasses import dataclass

from averment.errors import ModelBudgetExceeded

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
