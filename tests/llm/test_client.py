from __future__ import annotations

import json
import logging
import sys
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Literal

import pytest
from pydantic import BaseModel, ConfigDict, Field, ValidationInfo, field_validator

from averment.errors import ModelError, ModelNonsense, ModelTimeout, ModelUnavailable
from averment.llm import ModelCall, ModelChoice, ModelClient
from averment.llm.call import hash_prompt
from averment.llm.client import MOST_WAITS, bare_json
from averment.llm.transport import MAX_BODY_BYTES
from averment.settings import Settings

NewClient = Callable[..., ModelClient]


class Filter(BaseModel):
    column: str
    operator: Literal["=", "<", ">"]
    value: str | float


class Reading(BaseModel):
    """How the question is read."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    measure: str = Field(description="The column that is summed.")
    group_by: list[str]
    filters: list[Filter]
    limit: int | None

    @field_validator("measure")
    @classmethod
    def _known(cls, value: str, info: ValidationInfo) -> str:
        if info.context is not None and value not in info.context["columns"]:
            raise ValueError(f"there is no column {value}")
        return value


def ask(client: ModelClient, **more: Any) -> Reading:
    return client.propose(
        Reading, purpose="plan_analysis", system="You read questions.", prompt="total by region", **more
    )


def test_a_good_answer_comes_back_typed(endpoint: Any, new_client: NewClient, calls: list[ModelCall]) -> None:
    reading = ask(new_client(endpoint))
    assert isinstance(reading, Reading)
    assert reading.filters[0].operator == "="
    (call,) = calls
    assert (call.purpose, call.provider, call.outcome, call.attempt) == ("plan_analysis", "openai", "OK", 1)
    assert (call.tokens_in, call.tokens_out) == (120, 30)
    assert call.prompt_sha256 == hash_prompt("You read questions.", "total by region")
    assert call.response_sha256 is not None


def test_the_question_its_schema_and_the_key_reach_the_endpoint(endpoint: Any, new_client: NewClient, key: str) -> None:
    ask(new_client(endpoint, model_name="local-model"))
    (request,) = endpoint.requests
    assert request["model"] == "local-model"
    assert [message["role"] for message in request["messages"]] == ["system", "user"]
    assert request["messages"][1]["content"] == "total by region"
    assert set(request["tools"][0]["function"]["parameters"]["properties"]) == set(Reading.model_fields)
    assert endpoint.headers[0]["authorization"] == f"Bearer {key}"


def test_an_anthropic_endpoint_is_spoken_to_in_its_own_protocol(
    endpoint: Any, new_client: NewClient, calls: list[ModelCall], key: str
) -> None:
    assert isinstance(ask(new_client(endpoint, provider="anthropic")), Reading)
    assert key in endpoint.headers[0].get("x-api-key", endpoint.headers[0].get("authorization", ""))
    assert endpoint.requests[0]["system"]
    assert (calls[0].provider, calls[0].tokens_in, calls[0].tokens_out) == ("anthropic", 77, 11)


def test_nonsense_of_an_anthropic_endpoint_is_refused(endpoint: Any, new_client: NewClient) -> None:
    endpoint.script = ["nonsense"]
    with pytest.raises(ModelNonsense):
        ask(new_client(endpoint, provider="anthropic"))


def test_json_written_as_plain_text_is_an_answer_too(endpoint: Any, new_client: NewClient) -> None:
    endpoint.script = ["plain json"]
    assert isinstance(ask(new_client(endpoint)), Reading)


@pytest.mark.parametrize(
    "mode",
    ["nonsense", "broken json", "wrong schema", "deep json", "lone surrogate", "nothing", "html", "no envelope"],
)
def test_an_answer_that_is_wrong_twice_is_nonsense(
    mode: str, endpoint: Any, new_client: NewClient, calls: list[ModelCall]
) -> None:
    endpoint.script = [mode]
    with pytest.raises(ModelError) as caught:
        ask(new_client(endpoint))
    assert caught.value.code == "MODEL_NONSENSE"
    assert caught.value.details["purpose"] == "plan_analysis"
    assert [call.outcome for call in calls] == ["INVALID_ANSWER", "MODEL_NONSENSE"]
    assert [call.attempt for call in calls] == [1, 2]
    assert len(endpoint.requests) == 2


def test_a_wrong_answer_is_sent_back_once_with_what_is_wrong(
    endpoint: Any, new_client: NewClient, calls: list[ModelCall]
) -> None:
    endpoint.script = ["wrong schema", "good"]
    assert isinstance(ask(new_client(endpoint)), Reading)
    first, second = (request["messages"][-1]["content"] for request in endpoint.requests)
    assert second.startswith(first)
    assert "group_by" in second and "colour" in second
    assert [call.outcome for call in calls] == ["INVALID_ANSWER", "OK"]
    assert calls[0].prompt_sha256 != calls[1].prompt_sha256


def test_a_validator_with_context_can_refuse_what_the_schema_allows(endpoint: Any, new_client: NewClient) -> None:
    client = new_client(endpoint)
    assert ask(client, context={"columns": ["region"]}).measure == "region"
    with pytest.raises(ModelNonsense):
        ask(client, context={"columns": ["amount"]})
    assert "there is no column region" in endpoint.requests[-1]["messages"][-1]["content"]


@pytest.mark.timeout(60)
@pytest.mark.parametrize("mode", ["stalls", "stalls in the body", "drips"])
def test_a_server_that_never_ends_its_answer_is_given_up(
    mode: str, endpoint: Any, new_client: NewClient, calls: list[ModelCall]
) -> None:
    endpoint.script = [mode]
    with pytest.raises(ModelError) as caught:
        ask(new_client(endpoint, model_timeout_seconds=1.0))
    # The server would go on for ever: that we are here at all is the bound.
    assert not endpoint.closing.is_set()
    assert endpoint.arrived.is_set()
    assert caught.value.code == "MODEL_TIMEOUT"
    assert [call.outcome for call in calls] == ["MODEL_TIMEOUT"]


@pytest.mark.timeout(60)
def test_both_attempts_share_one_clock(endpoint: Any, new_client: NewClient, calls: list[ModelCall]) -> None:
    endpoint.script = ["nonsense", "stalls"]
    with pytest.raises(ModelTimeout):
        ask(new_client(endpoint, model_timeout_seconds=3.0))
    assert [call.outcome for call in calls] == ["INVALID_ANSWER", "MODEL_TIMEOUT"]


@pytest.mark.timeout(20)
def test_a_model_that_blocks_its_own_event_loop_is_given_up(vendors: None) -> None:
    from pydantic_ai.models.function import FunctionModel

    release = threading.Event()

    async def block(messages: Any, info: Any) -> Any:
        release.wait()

    settings = Settings(model_timeout_seconds=0.3)
    choice = ModelChoice(provider="openai", model="scripted", has_key=True)
    with pytest.raises(ModelTimeout):
        ask(ModelClient(choice, settings, model=FunctionModel(block)))
    release.set()


@pytest.mark.parametrize("mode", ["cuts off", "hangs up", "401", "403", "404"])
def test_an_endpoint_that_breaks_off_or_refuses_is_unavailable(
    mode: str, endpoint: Any, new_client: NewClient, calls: list[ModelCall]
) -> None:
    endpoint.script = [mode]
    with pytest.raises(ModelError) as caught:
        ask(new_client(endpoint))
    assert caught.value.code == "MODEL_UNAVAILABLE"
    assert caught.value.details.get("status") == (int(mode) if mode.isdigit() else None)
    assert [call.outcome for call in calls] == ["MODEL_UNAVAILABLE"]
    assert len(endpoint.requests) == 1


@pytest.mark.parametrize("mode", ["429", "500", "503", "529"])
def test_an_endpoint_without_room_is_asked_again_inside_the_time(
    mode: str, endpoint: Any, new_client: NewClient, calls: list[ModelCall], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("averment.llm.client.FIRST_WAIT", 0.01)
    endpoint.script = [mode, mode, "good"]
    ask(new_client(endpoint))
    assert [call.outcome for call in calls] == ["MODEL_UNAVAILABLE", "MODEL_UNAVAILABLE", "OK"]
    assert len(endpoint.requests) == 3


def test_an_endpoint_that_never_has_room_is_unavailable(
    endpoint: Any, new_client: NewClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("averment.llm.client.FIRST_WAIT", 0.01)
    endpoint.script = ["429"]
    with pytest.raises(ModelUnavailable) as caught:
        ask(new_client(endpoint))
    assert caught.value.details.get("status") == 429
    assert len(endpoint.requests) == MOST_WAITS + 1


@pytest.mark.parametrize(
    "text",
    [
        '```json\n{"word": "x"}\n```',
        'Here it is:\n```\n{"word": "x"}\n```\nI hope that helps.',
        '<think>Is it {y}?</think>{"word": "x"}',
        'The answer: {"word": "x"}',
    ],
)
def test_json_is_found_inside_what_models_write_around_it(text: str) -> None:
    assert json.loads(bare_json(text)) == {"word": "x"}


def test_an_endpoint_that_is_not_there_is_unavailable(endpoint: Any, new_client: NewClient) -> None:
    client = new_client(endpoint)
    endpoint.close()
    with pytest.raises(ModelUnavailable):
        ask(client)


@pytest.mark.timeout(60)
def test_a_flood_is_cut_off(endpoint: Any, new_client: NewClient) -> None:
    endpoint.script = ["floods"]
    with pytest.raises(ModelError) as caught:
        ask(new_client(endpoint))
    assert caught.value.code == "MODEL_UNAVAILABLE"
    # What the sockets buffer comes on top of what was read.
    assert endpoint.bytes_sent < 4 * MAX_BODY_BYTES


def test_a_body_that_would_unpack_to_far_more_is_refused(endpoint: Any, new_client: NewClient) -> None:
    endpoint.script = ["bomb"]
    with pytest.raises(ModelUnavailable):
        ask(new_client(endpoint))


@pytest.mark.parametrize("provider", ["openai", "anthropic"])
def test_a_redirect_does_not_carry_the_key_to_another_host(
    provider: str, new_endpoint: Callable[[], Any], new_client: NewClient
) -> None:
    honest, thief = new_endpoint(), new_endpoint()
    honest.script, honest.redirect_to = ["redirects"], f"{thief.url}/chat/completions"
    with pytest.raises(ModelError):
        ask(new_client(honest, provider=provider))
    assert honest.requests
    assert not thief.requests


@pytest.mark.parametrize("provider", ["openai", "anthropic"])
@pytest.mark.parametrize("mode", ["good", "401", "500", "nonsense", "cuts off", "redirects"])
def test_the_key_is_in_no_log_error_or_repr(
    provider: str,
    mode: str,
    endpoint: Any,
    new_client: NewClient,
    calls: list[ModelCall],
    key: str,
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level(logging.DEBUG)
    endpoint.script = [mode]
    client = new_client(endpoint, provider=provider)
    said: list[object] = [client, client.choice, calls]
    try:
        ask(client)
    except ModelError as error:
        assert error.__cause__ is None and error.__context__ is None
        said += [error, error.args, error.as_dict()]
    assert key in str(endpoint.headers)
    assert key not in repr(said) + str(said)
    assert key not in caplog.text
    assert all(key not in repr(record.__dict__) for record in caplog.records)


def test_a_provider_without_its_key_is_unavailable_and_says_which_is_missing(
    vendors: None, calls: list[ModelCall]
) -> None:
    choice = ModelChoice(provider="anthropic", model="any")
    with pytest.raises(ModelUnavailable) as caught:
        ask(ModelClient(choice, Settings(), calls.append, environment={}))
    assert "ANTHROPIC_API_KEY" in caught.value.hint
    assert [call.outcome for call in calls] == ["MODEL_UNAVAILABLE"]


def test_without_the_model_packages_the_error_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch, calls: list[ModelCall]
) -> None:
    for name in [name for name in sys.modules if name.split(".")[0] == "pydantic_ai"]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "pydantic_ai", None)
    choice = ModelChoice(provider="openai", model="any", has_key=True)
    with pytest.raises(ModelUnavailable) as caught:
        ask(ModelClient(choice, Settings(), calls.append, environment={}))
    assert "averment[models]" in caught.value.hint
    assert [call.outcome for call in calls] == ["MODEL_UNAVAILABLE"]


def test_whatever_a_vendor_raises_gets_a_model_error(vendors: None, calls: list[ModelCall]) -> None:
    from pydantic_ai.models.function import FunctionModel

    class Surprise(Exception):
        pass

    def surprise(messages: Any, info: Any) -> Any:
        raise Surprise("sk-something")

    choice = ModelChoice(provider="openai", model="scripted", has_key=True)
    with pytest.raises(ModelError) as caught:
        ask(ModelClient(choice, Settings(), calls.append, model=FunctionModel(surprise)))
    assert caught.value.code == "MODEL_ERROR"
    assert caught.value.details["fault"] == "Surprise"
    assert "sk-something" not in repr(caught.value.as_dict())
    assert [call.outcome for call in calls] == ["MODEL_ERROR"]


def test_a_scripted_model_answers_by_the_schema(vendors: None) -> None:
    from pydantic_ai.models.test import TestModel

    choice = ModelChoice(provider="openai", model="scripted", has_key=True)
    assert isinstance(ask(ModelClient(choice, Settings(), model=TestModel())), Reading)


def test_one_client_serves_many_threads(endpoint: Any, new_client: NewClient, calls: list[ModelCall]) -> None:
    client = new_client(endpoint, model_max_tokens=1_000_000)
    with ThreadPoolExecutor(6) as pool:
        readings = list(pool.map(lambda _: ask(client), range(12)))
    assert all(reading == readings[0] for reading in readings)
    assert len(calls) == client.budget.calls == 12
    assert client.budget.tokens == 12 * 150
