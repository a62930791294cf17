from __future__ import annotations

import importlib.util
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from averment.llm import ModelCall, ModelClient, choose
from averment.llm.provider import require_packages
from averment.settings import Settings

KEY = "sk-test-5ecret-0f-the-h0use"


def _load_endpoint() -> Any:
    # Test folders are no packages, so a neighbour is loaded by its path.
    name = "averment_test_endpoint"
    if name not in sys.modules:
        spec = importlib.util.spec_from_file_location(name, Path(__file__).with_name("endpoint.py"))
        assert spec is not None and spec.loader is not None
        sys.modules[name] = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(sys.modules[name])
    return sys.modules[name]


@pytest.fixture(scope="session")
def vendors() -> None:
    """The vendors' packages, imported once and outside every clock."""
    require_packages("openai")
    require_packages("anthropic")


@pytest.fixture
def new_endpoint(vendors: None, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[], Any]]:
    for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.lower(), raising=False)
    opened: list[Any] = []

    def make() -> Any:
        opened.append(_load_endpoint().Endpoint())
        return opened[-1]

    yield make
    for endpoint in opened:
        endpoint.close()


@pytest.fixture
def endpoint(new_endpoint: Callable[[], Any]) -> Any:
    return new_endpoint()


@pytest.fixture
def key() -> str:
    return KEY


@pytest.fixture
def calls() -> list[ModelCall]:
    """Where the clients of a test write their journal."""
    return []


@pytest.fixture
def new_client(calls: list[ModelCall]) -> Callable[..., ModelClient]:
    """A client of an endpoint, with a key and short patience; keyword arguments are settings."""

    def make(endpoint: Any, *, provider: str = "openai", **values: Any) -> ModelClient:
        environment = (
            {"ANTHROPIC_API_KEY": KEY, "ANTHROPIC_BASE_URL": endpoint.root}
            if provider == "anthropic"
            else {"OPENAI_API_KEY": KEY, "OPENAI_BASE_URL": endpoint.url}
        )
        settings = Settings.model_validate({"model_timeout_seconds": 20.0} | values)
        choice = choose(settings, environment)
        assert choice is not None and choice.provider == provider
        return ModelClient(choice, settings, calls.append, environment=environment)

    return make
