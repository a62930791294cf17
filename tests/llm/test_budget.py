from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel

from averment.errors import ModelBudgetExceeded, ModelError, ModelNonsense
from averment.llm import Budget, ModelCall, ModelClient
from averment.llm.call import MAX_ANSWER_TOKENS, MIN_ANSWER_TOKENS, estimate_tokens


class Word(BaseModel):
    word: str


def ask(client: ModelClient) -> Word:
    return client.propose(Word, purpose="say", system="Say a word.", prompt="Which?")


def test_calls_over_the_budget_are_refused_before_they_are_made(
    endpoint: Any, new_client: Callable[..., ModelClient], calls: list[ModelCall]
) -> None:
    client = new_client(endpoint, model_max_calls=2)
    ask(client)
    ask(client)
    with pytest.raises(ModelBudgetExceeded):
        ask(client)
    assert len(endpoint.requests) == 2
    assert [call.outcome for call in calls] == ["OK", "OK", "MODEL_BUDGET_EXCEEDED"]
    assert (calls[-1].tokens_in, calls[-1].response_sha256) == (0, None)


def test_the_second_attempt_counts_as_a_call(endpoint: Any, new_client: Callable[..., ModelClient]) -> None:
    endpoint.script = ["nonsense"]
    with pytest.raises(ModelBudgetExceeded):
        ask(new_client(endpoint, model_max_calls=1))
    assert len(endpoint.requests) == 1


def test_tokens_over_the_budget_are_refused(endpoint: Any, new_client: Callable[..., ModelClient]) -> None:
    client = new_client(endpoint, model_max_tokens=400)
    spent = 0
    with pytest.raises(ModelBudgetExceeded):
        for _ in range(20):
            ask(client)
            spent += 150
    assert client.budget.tokens == spent
    assert 0 < len(endpoint.requests) < 20


def test_an_answer_may_be_no_longer_than_what_is_left(endpoint: Any, new_client: Callable[..., ModelClient]) -> None:
    ask(new_client(endpoint, model_max_tokens=500))
    request = endpoint.requests[0]
    assert 0 < request.get("max_completion_tokens", request.get("max_tokens")) < 500


def test_no_budget_means_no_call(endpoint: Any, new_client: Callable[..., ModelClient]) -> None:
    for settings in ({"model_max_calls": 0}, {"model_max_tokens": 0}):
        with pytest.raises(ModelBudgetExceeded):
            ask(new_client(endpoint, **settings))
    assert not endpoint.requests


def test_a_failed_call_costs_its_prompt(endpoint: Any, new_client: Callable[..., ModelClient]) -> None:
    endpoint.script = ["403"]
    client = new_client(endpoint)
    with pytest.raises(ModelError):
        ask(client)
    assert client.budget.calls == 1
    assert 0 < client.budget.tokens < MAX_ANSWER_TOKENS


def test_refused_answers_cost_as_much_as_good_ones(endpoint: Any, new_client: Callable[..., ModelClient]) -> None:
    endpoint.script = ["nonsense"]
    client = new_client(endpoint)
    with pytest.raises(ModelNonsense):
        ask(client)
    assert (client.budget.calls, client.budget.tokens) == (2, 300)


def test_threads_together_cannot_overspend() -> None:
    budget = Budget(max_calls=50, max_tokens=10 * (MAX_ANSWER_TOKENS + 100))

    def reserve(_: int) -> bool:
        try:
            budget.reserve(100)
        except ModelBudgetExceeded:
            return False
        return True

    with ThreadPoolExecutor(8) as pool:
        assert sum(pool.map(reserve, range(200))) == 10
    assert budget.tokens == 10 * (MAX_ANSWER_TOKENS + 100)


@given(st.lists(st.tuples(st.integers(0, 5_000), st.integers(0, 20_000))), st.integers(0, 30), st.integers(0, 60_000))
def test_a_call_starts_only_within_the_budget(wishes: list[tuple[int, int]], max_calls: int, max_tokens: int) -> None:
    budget = Budget(max_calls=max_calls, max_tokens=max_tokens)
    total = made = 0
    for prompt, real in wishes:
        try:
            allowance = budget.reserve(prompt)
        except ModelBudgetExceeded:
            assert made >= max_calls or total + prompt + MIN_ANSWER_TOKENS > max_tokens
            continue
        assert budget.tokens <= max_tokens
        assert MIN_ANSWER_TOKENS <= allowance.answer_tokens <= MAX_ANSWER_TOKENS
        budget.finalize(allowance, real)
        made, total = made + 1, total + real
        assert (budget.calls, budget.tokens) == (made, total)
    assert made <= max_calls


def test_a_resumed_run_goes_on_with_what_it_has_spent() -> None:
    budget = Budget(max_calls=3, max_tokens=10_000, calls=2, tokens=400)
    budget.reserve(10)
    with pytest.raises(ModelBudgetExceeded):
        budget.reserve(10)


def test_tokens_are_estimated_from_bytes() -> None:
    assert (estimate_tokens(""), estimate_tokens("a"), estimate_tokens("abcd"), estimate_tokens("数据")) == (0, 1, 1, 2)
