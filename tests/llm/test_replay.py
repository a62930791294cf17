from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from pydantic import BaseModel, ConfigDict, Field, computed_field

from averment.errors import ModelError, ModelNonsense, ModelUnavailable, VerificationFailed
from averment.llm import ModelCall, ModelClient, Proposer, Recorder, Replayer, tell_calls

NewClient = Callable[..., ModelClient]


class Step(BaseModel):
    model_config = ConfigDict(extra="forbid", populate_by_name=True)

    tool: str = Field(alias="toolName")
    weight: float

    @computed_field
    @property
    def shout(self) -> str:
        return self.tool.upper()


class Other(BaseModel):
    something_else: int


def ask(proposer: Proposer, prompt: str = "What next?", *, purpose: str = "choose_next") -> Step:
    return proposer.propose(Step, purpose=purpose, system="You choose.", prompt=prompt)


def stored(tape: dict[str, Any]) -> dict[str, Any]:
    """The tape as it comes back from wherever it was kept."""
    return json.loads(json.dumps(tape))


def test_a_recorded_run_is_replayed_with_the_server_down(endpoint: Any, new_client: NewClient) -> None:
    recorder = Recorder(new_client(endpoint))
    made = [ask(recorder), ask(recorder, "And then?"), ask(recorder, purpose="repair")]
    endpoint.close()
    replayer = Replayer(stored(recorder.tape))
    assert [ask(replayer), ask(replayer, "And then?"), ask(replayer, purpose="repair")] == made


def test_the_same_question_asked_again_has_its_own_answer(vendors: None) -> None:
    answers = iter([Step(toolName="first", weight=0.1), Step(toolName="second", weight=1e-17)])

    class Scripted:
        def propose(self, output_type: Any, **told: Any) -> Any:
            return next(answers)

    recorder = Recorder(Scripted())
    made = [ask(recorder), ask(recorder)]
    assert made[0] != made[1]
    replayer = Replayer(stored(recorder.tape))
    assert [ask(replayer), ask(replayer)] == made


@pytest.mark.timeout(60)
@pytest.mark.parametrize(
    ("mode", "code"),
    [("500", "MODEL_UNAVAILABLE"), ("nonsense", "MODEL_NONSENSE"), ("stalls", "MODEL_TIMEOUT")],
)
def test_a_failure_is_replayed_as_the_same_failure(mode: str, code: str, endpoint: Any, new_client: NewClient) -> None:
    endpoint.script = [mode]
    recorder = Recorder(new_client(endpoint, model_timeout_seconds=1.0 if mode == "stalls" else 20.0))
    with pytest.raises(ModelError) as recorded:
        ask(recorder)
    endpoint.close()
    with pytest.raises(ModelError) as replayed:
        ask(Replayer(stored(recorder.tape)))
    assert recorded.value.code == replayed.value.code == code


def test_a_question_that_was_not_recorded_has_no_answer(endpoint: Any, new_client: NewClient) -> None:
    recorder = Recorder(new_client(endpoint))
    ask(recorder)
    replayer = Replayer(recorder.tape)
    with pytest.raises(ModelUnavailable):
        ask(replayer, "Something new?")
    ask(replayer)
    with pytest.raises(ModelUnavailable):
        ask(replayer)


def test_a_recorded_answer_is_checked_again(endpoint: Any, new_client: NewClient) -> None:
    recorder = Recorder(new_client(endpoint))
    ask(recorder)
    with pytest.raises(ModelNonsense):
        Replayer(recorder.tape).propose(Other, purpose="choose_next", system="You choose.", prompt="What next?")
    tampered = stored(recorder.tape)
    for exchange in tampered.values():
        exchange["answer"] = '{"toolName": "sql.run", "weight": "heavy"}'
    with pytest.raises(ModelNonsense):
        ask(Replayer(tampered))


@pytest.mark.parametrize("tape", [{"k": 1}, {"k": {"answer": "{}"}}, {"k": {"outcome": "OK", "more": 1}}])
def test_a_tape_that_is_no_tape_is_refused(tape: dict[str, Any]) -> None:
    with pytest.raises(VerificationFailed):
        Replayer(tape)


def test_a_resumed_recording_asks_only_what_is_new(endpoint: Any, new_client: NewClient) -> None:
    recorder = Recorder(new_client(endpoint))
    ask(recorder)
    resumed = Recorder(new_client(endpoint), stored(recorder.tape))
    ask(resumed)
    assert len(endpoint.requests) == 1
    ask(resumed, "And then?")
    assert len(endpoint.requests) == 2
    assert recorder.tape.items() < resumed.tape.items()


def test_a_tape_holds_no_key_and_no_prompt(endpoint: Any, new_client: NewClient, key: str) -> None:
    recorder = Recorder(new_client(endpoint))
    ask(recorder, "The salary of Ada?")
    text = json.dumps(recorder.tape)
    assert key not in text
    assert "salary" not in text


def test_an_answer_from_the_tape_is_told_to_the_journal_as_kept_with_what_it_cost(
    endpoint: Any, new_client: NewClient
) -> None:
    first: list[ModelCall] = []
    recorder = Recorder(new_client(endpoint), journal=first.append)
    ask(recorder)
    assert [(call.cached, call.outcome) for call in first] == [(False, "OK")]
    for again in (Recorder(new_client(endpoint), stored(recorder.tape)), Replayer(stored(recorder.tape))):
        told: list[ModelCall] = []
        ask(tell_calls(again, told.append))
        (call,) = told
        assert (call.cached, call.outcome) == (True, "OK")
        assert (call.tokens_in, call.tokens_out) == (first[0].tokens_in, first[0].tokens_out)
        assert call.prompt_sha256 == first[0].prompt_sha256


def test_a_client_heard_by_a_run_shares_its_budget(endpoint: Any, new_client: NewClient) -> None:
    client = new_client(endpoint)
    told: list[ModelCall] = []
    ask(tell_calls(client, told.append))
    assert client.budget.calls == 1
    assert [call.purpose for call in told] == ["choose_next"]
