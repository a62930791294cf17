"""Answers that are streamed: the same answer, with how far it has come on the way, and a stall is noticed."""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from pydantic import BaseModel

from averment import Workbench
from averment.errors import ModelTimeout
from averment.llm import ModelClient, choose
from averment.llm import wire as wire_module
from averment.llm.call import AnswerProgress, watching
from averment.settings import Settings

SPEC = importlib.util.spec_from_file_location("model_server", Path(__file__).with_name("model_server.py"))
assert SPEC is not None and SPEC.loader is not None
model_server = sys.modules.setdefault("model_server", importlib.util.module_from_spec(SPEC))
SPEC.loader.exec_module(model_server)

LONG = "a long thought " * 20


class Word(BaseModel):
    word: str
    thoughts: str = ""


@pytest.fixture
def server(vendors: None) -> Iterator[Any]:
    opened = model_server.ModelServer(lambda _: {"thoughts": LONG, "word": "ready"})
    yield opened
    opened.close()


def client(server: Any, provider: str = "openai", **values: Any) -> ModelClient:
    settings = Settings.model_validate({"model_stream": "always", "model_timeout_seconds": 30.0, **values})
    address = server.url if provider == "openai" else server.root
    choice = choose(settings, {f"{provider.upper()}_API_KEY": "sk", f"{provider.upper()}_BASE_URL": address})
    assert choice is not None
    environment = {f"{provider.upper()}_API_KEY": "sk", f"{provider.upper()}_BASE_URL": address}
    return ModelClient(choice, settings, environment=environment)


def ask(line: ModelClient) -> Word:
    return line.propose(Word, purpose="check", system="s", prompt="p")


@pytest.mark.parametrize("provider", ["openai", "anthropic"])
def test_a_streamed_answer_is_the_answer_and_its_coming_is_told_without_a_word_of_it(
    server: Any, provider: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(wire_module, "TELL_EVERY", 0.0)
    told: list[AnswerProgress] = []
    line = client(server, provider)
    with watching(told.append):
        assert ask(line).word == "ready"
    assert server.bodies[-1]["stream"] is True
    assert {one.state for one in told} <= {"thinking", "writing"}
    counts = [one.characters for one in told]
    assert counts == sorted(counts)
    assert counts[-1] >= len(LONG)
    assert "thought" not in repr(told)
    assert line.budget.tokens < 1_000


@pytest.mark.parametrize("provider", ["openai", "anthropic"])
def test_a_model_that_falls_silent_in_its_answer_is_given_up_before_its_time_is_over(
    server: Any, provider: str
) -> None:
    server.stalls = True
    with pytest.raises(ModelTimeout, match=r"\b1\b") as caught:  # the seconds of the stall, not of the whole call
        ask(client(server, provider, model_stall_seconds=1.0))
    assert caught.value.code == "MODEL_TIMEOUT"


def test_a_model_that_is_slow_and_never_silent_is_waited_for(server: Any) -> None:
    server.pause = 0.2
    assert ask(client(server, model_stall_seconds=5.0)).word == "ready"


def test_an_address_that_is_not_a_vendors_own_is_not_asked_to_stream_unless_told(server: Any) -> None:
    ask(client(server, model_stream="auto"))
    assert not server.bodies[-1].get("stream")
    ask(client(server, model_stream="never"))
    assert not server.bodies[-1].get("stream")


def test_a_run_tells_how_its_model_is_coming_along(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], vendors: None
) -> None:
    path = tmp_path / "sales.csv"
    path.write_text("region,amount\nWest,10\nEast,7\nNorth,8\n")
    monkeypatch.setattr(wire_module, "TELL_EVERY", 0.0)
    answer = {"thoughts": LONG, "tool": "submit", "sql": "SELECT region, sum(amount) FROM sales GROUP BY region"}
    server = model_server.ModelServer(lambda prompt: answer)
    monkeypatch.delenv("ANTHROPIC_API_KEY", raising=False)
    monkeypatch.setenv("OPENAI_API_KEY", "sk-test")
    monkeypatch.setenv("OPENAI_BASE_URL", server.url)
    try:
        with Workbench(settings=Settings(home=tmp_path / "home", model_stream="always")) as bench:
            run = bench.analyze("total amount by region", [path])
            events = [event for event in bench.runs.events(run.id) if event.type == "model_progressed"]
            assert run.status == "completed"
            assert events[-1].data["characters"] > events[0].data["characters"]
            from averment.faces.cli.output import progress
            from averment.faces.web.runs.run_view import follow

            listener = progress(quiet=False)
            assert listener is not None
            listener(events[-1])
            assert "model, step 1: writing, " in capsys.readouterr().err
            (note,) = follow(None, events).notes
            assert note.startswith("The model writes, step 1: ")
    finally:
        server.close()
