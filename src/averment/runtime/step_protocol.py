"""What runs the steps of a run durably."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any, Protocol, TypeVar

T = TypeVar("T")


class Steps(Protocol):
    """Runs a function as a named durable step, in a thread of its own."""

    def do(self, name: str, function: Callable[..., T], *arguments: Any) -> Awaitable[T]:
        """The function's result, the recorded one if the step was done before."""
        ...
