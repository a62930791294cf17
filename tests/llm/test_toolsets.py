"""A model answers by one call of one of several tools: the provider's own where it knows tools, else JSON in text."""

from __future__ import annotations

import importlib.util
import json
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, ClassVar, Literal

import pytest
from pydantic import Field, ValidationError

from averment.errors import ModelNonsense, ModelUnavailable
from averment.llm import ModelCall, ModelClient, choose
from averment.llm.toolsets import Form, ToolCall, compact_schema, offered_tools, one_of
from averment.settings import Settings

SPEC = importlib.util.spec_from_file_location("model_server", Path(__file__).with_name("model_server.py"))
assert SPEC is not None and SPEC.loader is not None
model_server = sys.modules.setdefault("model_server", importlib.util.module_from_spec(SPEC))
SPEC.loader.exec_module(model_server)


class Part(Form, frozen=True):
    """A part."""

    title: str = Field(max_length=9, description="What it is called.")
    size: int | None = None


class Build(ToolCall, frozen=True):
    """Build something."""

    OWN: ClassVar[tuple[str, ...]] = ("parts",)

    tool: Literal["build"] = "build"
    parts: list[Part] = Field(default_factory=list[Part], max_length=3)


class Look(ToolCall, frozen=True):
    """Look at a place."""

    tool: Literal["look"] = "look"
    place: str


class Stop(ToolCall, frozen=True):
    """Stop."""

    tool: Literal["stop"] = "stop"


ANSWER = one_of(Build, Look, Stop, otherwise="stop")


def test_an_answer_without_a_name_calls_the_tool_whose_field_it_holds() -> None:
    assert ANSWER.model_validate({"parts": [{"title": "a"}], "mood": 1}).call == Build(parts=[Part(title="a")])
    assert ANSWER.model_validate({"tool": "look", "place": "here"}).call == Look(place="here")
    assert ANSWER.model_validate({}).call == Stop()
    for wrong in ({"tool": "fly"}, {"tool": "look"}, {"parts": [{"title": "far too long"}]}, [], "build"):
        with pytest.raises(ValidationError):
            ANSWER.model_validate(wrong)


def test_a_call_is_written_and_read_back_without_loss() -> None:
    said = ANSWER.model_validate({"thoughts": "hm", "parts": [{"title": "a", "size": 2}]})
    assert ANSWER.model_validate_json(said.model_dump_json(by_alias=True, round_trip=True)) == said
    assert said.call.given() == {"tool": "build", "parts": [{"title": "a", "size": 2}]}
    assert ANSWER.model_validate(said.call.given()).call.given() == said.call.given()


def test_each_tool_is_offered_with_what_it_takes_and_nothing_more() -> None:
    build, look, stop = offered_tools(ANSWER)
    assert (build.name, build.description) == ("build", "Build something.")
    part = {
        "type": "object",
        "properties": {
            "title": {"type": "string", "description": "What it is called."},
            "size": {"type": "integer"},
        },
        "required": ["title"],
    }
    assert build.schema["properties"] == {"thoughts": {"type": "string"}, "parts": {"type": "array", "items": part}}
    assert look.schema == {"type": "object", "properties": {"place": {"type": "string"}}, "required": ["place"]}
    assert stop.schema == {"type": "object", "properties": {}}


def test_a_field_that_may_be_null_and_must_be_there_keeps_its_null() -> None:
    choice = {"anyOf": [{"type": "integer"}, {"type": "null"}]}
    schema = {"type": "object", "properties": {"a": choice, "b": choice}, "required": ["a"]}
    assert compact_schema(schema)["properties"] == {"a": choice, "b": {"type": "integer"}}


Serve = Callable[[Callable[[str], Any], str], Any]


@pytest.fixture
def serve(vendors: None, monkeypatch: pytest.MonkeyPatch) -> Iterator[Serve]:
    opened: list[Any] = []

    def make(reply: Callable[[str], Any], provider: str) -> Any:
        server = model_server.ModelServer(reply)
        opened.append(server)
        for name in ("ANTHROPIC_API_KEY", "OPENAI_API_KEY"):
            monkeypatch.delenv(name, raising=False)
        monkeypatch.setenv(f"{provider.upper()}_API_KEY", "sk-test")
        monkeypatch.setenv(f"{provider.upper()}_BASE_URL", server.url if provider == "openai" else server.root)
        return server

    yield make
    for server in opened:
        server.close()


def ask(calls: list[ModelCall] | None = None, times: int = 1) -> list[ToolCall]:
    settings = Settings(model_timeout_seconds=20)
    choice = choose(settings)
    assert choice is not None
    client = ModelClient(choice, settings, None if calls is None else calls.append)
    asked = [client.propose(ANSWER, purpose="try", system="Do it.", prompt="Now.") for _ in range(times)]
    return [answer.call for answer in asked]


@pytest.mark.parametrize("provider", ["openai", "anthropic"])
def test_every_tool_reaches_the_provider_as_its_own_and_a_call_of_one_comes_back(serve: Serve, provider: str) -> None:
    server = serve(lambda prompt: {"tool": "look", "place": "here"}, provider)
    assert ask() == [Look(place="here")]
    (body,) = server.bodies
    told = [tool.get("function", tool) for tool in body["tools"]]
    assert [tool["name"] for tool in told] == ["build", "look", "stop"]
    assert [tool["description"] for tool in told] == ["Build something.", "Look at a place.", "Stop."]


def test_the_name_of_the_called_tool_says_which_one_is_meant(serve: Serve) -> None:
    # The server calls the first tool of those that are offered.
    serve(lambda prompt: {"parts": [{"title": "a"}]}, "openai")
    assert ask() == [Build(parts=[Part(title="a")])]


def test_json_in_plain_text_is_a_call_too(serve: Serve) -> None:
    serve(lambda prompt: '```json\n{"tool": "look", "place": "here"}\n```', "openai")
    assert ask() == [Look(place="here")]


def test_a_server_that_refuses_tools_is_told_of_them_in_words_from_then_on(serve: Serve) -> None:
    def reply(prompt: str) -> Any:
        return 400 if server.bodies[-1].get("tools") else '{"tool": "look", "place": "here"}'

    server = serve(reply, "openai")
    calls: list[ModelCall] = []
    assert ask(calls, times=2) == [Look(place="here")] * 2
    assert [bool(body.get("tools")) for body in server.bodies] == [True, False, False]
    told = server.bodies[-1]["messages"][0]["content"]
    assert all(f"- {name}: " in told for name in ("build", "look", "stop"))
    assert [call.outcome for call in calls] == ["MODEL_UNAVAILABLE", "OK", "OK"]


def test_a_server_that_refuses_everything_is_asked_twice(serve: Serve) -> None:
    server = serve(lambda prompt: 400, "openai")
    with pytest.raises(ModelUnavailable):
        ask()
    assert len(server.bodies) == 2


def test_a_call_that_no_tool_knows_is_nonsense(serve: Serve) -> None:
    server = serve(lambda prompt: {"tool": "fly", "place": "here"}, "openai")
    with pytest.raises(ModelNonsense):
        ask()
    # The answer came back once, with what was wrong with it.
    assert "fly" in json.dumps(server.bodies[-1]["messages"])
