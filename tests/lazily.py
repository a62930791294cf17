"""Heavy packages for tests: imported when a test first uses one, so that collecting the tests imports none of them."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import pytest

HEAVY = frozenset(
    "aiohttp boto3 dbos fastapi matplotlib mcp moto nbclient onnxruntime openai openpyxl opentelemetry.sdk pandas "
    "playwright polars pydantic_ai pyspark schemathesis scipy sklearn statsmodels torch typst uvicorn".split()
)
"""Packages that tests import when they use them so that collecting all of them stays quick."""
COLLECTED = pytest.StashKey[tuple[str, ...]]()
"""The heavy packages that collecting the tests has imported."""

_ASKED_BY_PYTEST = frozenset({"_mock_name", "_pytestfixturefunction", "pytestmark"})


class _Later:
    """A module that is imported when something of it is first read or set."""

    __slots__ = ("_name",)

    def __init__(self, name: str) -> None:
        object.__setattr__(self, "_name", name)

    @property
    def __dict__(self) -> dict[str, Any]:  # pyright: ignore[reportIncompatibleVariableOverride]
        """What the module holds: pytest's monkeypatch looks here for what it has to put back."""
        return vars(import_module(object.__getattribute__(self, "_name")))

    def __getattr__(self, attribute: str) -> Any:
        if attribute.startswith("__") or attribute in _ASKED_BY_PYTEST:
            raise AttributeError(attribute)  # pytest looks at every object of a module for marks of its own
        return getattr(import_module(object.__getattribute__(self, "_name")), attribute)

    def __setattr__(self, attribute: str, value: Any) -> None:
        setattr(import_module(object.__getattribute__(self, "_name")), attribute, value)

    def __delattr__(self, attribute: str) -> None:
        delattr(import_module(object.__getattribute__(self, "_name")), attribute)


def lazily(name: str) -> Any:
    """The module of that name, as far as tests can tell."""
    return _Later(name)
