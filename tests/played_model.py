"""A model played over loopback: a real server of the protocol, whose answers a test writes."""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Callable, Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

_SPEC = importlib.util.spec_from_file_location("model_server", Path(__file__).parent / "llm" / "model_server.py")
assert _SPEC is not None and _SPEC.loader is not None
SERVING = importlib.util.module_from_spec(_SPEC)
sys.modules[_SPEC.name] = SERVING
_SPEC.loader.exec_module(SERVING)

Reply = Callable[[str], "dict[str, Any] | str | int"]


@contextmanager
def model_saying(reply: Reply, monkeypatch: pytest.MonkeyPatch) -> Generator[Any]:
    """A model that a workbench of this process finds; ``reply`` gets each whole prompt."""
    for name in ("ANTHROPIC_API_KEY", "OPENAI_API_KEY", "OPENAI_BASE_URL", "ANTHROPIC_BASE_URL"):
        monkeypatch.delenv(name, raising=False)
    server = SERVING.ModelServer(reply)
    monkeypatch.setenv("OPENAI_API_KEY", "sk-test")
    monkeypatch.setenv("OPENAI_BASE_URL", server.url)
    try:
        yield server
    finally:
        server.close()


def submitting(*steps: dict[str, Any]) -> Reply:
    """A model that takes these steps one after the other, the last one again and again, and chooses no findings."""
    left = list(steps)

    def reply(prompt: str) -> dict[str, Any] | str | int:
        if SERVING.data_of(prompt, "steps_left") is None:
            return 400
        return left.pop(0) if len(left) > 1 else left[0]

    return reply


def observations(prompt: str) -> list[dict[str, Any]]:
    """What came of the steps before, as the prompt tells the model."""
    return [each["observation"] for each in SERVING.data_of(prompt, "steps") or []]
