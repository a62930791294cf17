from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from pydantic import BaseModel

from averment.errors import (
    LedgerUnavailable,
    ModelBudgetExceeded,
    ModelError,
    ModelNonsense,
    ModelTimeout,
    ModelUnavailable,
)
from averment.llm import FallbackNote, ModelClient, with_fallback


class Word(BaseModel):
    word: str


RULES = Word(word="by the rules")


@pytest.mark.timeout(60)
@pytest.mark.parametrize(
    ("mode", "code"),
    [
        ("nonsense", "MODEL_NONSENSE"),
        ("wrong schema", "MODEL_NONSENSE"),
        ("stalls", "MODEL_TIMEOUT"),
        ("cuts off", "MODEL_UNAVAILABLE"),
        ("500", "MODEL_UNAVAILABLE"),
    ],
)
def test_when_a_model_fails_the_rules_answer_and_the_note_says_why(
    mode: str, code: str, endpoint: Any, new_client: Callable[..., ModelClient]
) -> None:
    endpoint.script = [mode]
    client = new_client(endpoint, model_timeout_seconds=1.0 if mode == "stalls" else 20.0)
    notes: list[FallbackNote] = []
    answer = with_fallback(
        lambda: client.propose(Word, purpose="say_word", system="s", prompt="p"), lambda: RULES, notes.append
    )
    assert answer is RULES
    assert [(note.code, note.purpose) for note in notes] == [(code, "say_word")]


def test_a_good_answer_leaves_no_note(endpoint: Any, new_client: Callable[..., ModelClient]) -> None:
    client = new_client(endpoint)
    notes: list[FallbackNote] = []
    answer = with_fallback(
        lambda: client.propose(Word, purpose="say_word", system="s", prompt="p"), lambda: RULES, notes.append
    )
    assert answer != RULES
    assert not notes


@pytest.mark.parametrize("kind", [ModelError, ModelUnavailable, ModelTimeout, ModelNonsense, ModelBudgetExceeded])
def test_every_model_error_falls_back(kind: type[ModelError]) -> None:
    notes: list[FallbackNote] = []

    def attempt() -> str:
        raise kind("no")

    assert with_fallback(attempt, lambda: "rules", notes.append, purpose="repair") == "rules"
    assert notes == [FallbackNote(code=kind.code, purpose="repair", reason="no")]


@pytest.mark.parametrize("error", [LedgerUnavailable("no ledger"), KeyError("a mistake of ours"), KeyboardInterrupt()])
def test_other_errors_are_not_hidden(error: BaseException) -> None:
    notes: list[FallbackNote] = []

    def attempt() -> str:
        raise error

    with pytest.raises(type(error)):
        with_fallback(attempt, lambda: "rules", notes.append)
    assert not notes


def test_a_note_that_cannot_be_kept_stops_the_rules() -> None:
    def attempt() -> str:
        raise ModelTimeout("late")

    def record(note: FallbackNote) -> None:
        raise LedgerUnavailable("no ledger")

    with pytest.raises(LedgerUnavailable):
        with_fallback(attempt, lambda: "rules", record)
