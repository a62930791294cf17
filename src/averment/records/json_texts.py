"""The texts inside a JSON-like value."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any


def texts_in(value: Any) -> Iterator[str]:
    """Every text in a JSON-like value."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for each in value.values():
            yield from texts_in(each)
    elif isinstance(value, list | tuple):
        for each in value:
            yield from texts_in(each)
