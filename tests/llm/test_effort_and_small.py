"""How long a model may think reaches the vendor, and the cheap model is asked where it is meant to be."""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from pydantic import BaseModel

from averment import Workbench
from averment.llm import ModelClient, choose
from averment.settings import Settings

SPEC = importlib.util.spec_from_file_location("model_server", Path(__file__).with_name("model_server.py"))
assert SPEC is not None and SPEC.loader is not None
model_server = sys.modules.setdefault("model_server", importlib.util.module_from_spec(SPEC))
SPEC.loader.exec_module(model_server)


class Word(BaseModel):
    word: str


@pytest.fixture
def server(vendors: None) -> Iterator[Any]:
    opened = model_server.ModelServer(lambda _: {"word": "ready", "tool": "reply", "text": "Hello there!"})
    yield opened
    opened.close()


@pytest.mark.parametrize("effort", [None, "low", "high"])
def test_the_effort_that_is_set_is_what_the_vendor_is_told(server: Any, effort: str | None) -> None:
    settings = Settings.model_validate({"model_effort": effort, "model_name": "gpt-5.5"})
    environment = {"OPENAI_API_KEY": "sk", "OPENAI_BASE_URL": server.url}
    choice = choose(settings, environment)
    assert choice is not None
    line = ModelClient(choice, settings, environment=environment)
    assert line.propose(Word, purpose="check", system="s", prompt="p").word == "ready"
    assert server.bodies[-1].get("reasoning_effort") == effort


def test_messages_are_heard_by_the_small_model(server: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("ANTHROPIC_API_KEY", raising=False)
    monkeypatch.setenv("OPENAI_API_KEY", "sk-test")
    monkeypatch.setenv("OPENAI_BASE_URL", server.url)
    settings = Settings(home=tmp_path / "home", model_name="strong", model_small="cheap")
    with Workbench(settings=settings) as bench:
        assert "Hello there!" in bench.chat("how was your weekend").response
    assert {body["model"] for body in server.bodies} == {"cheap"}
