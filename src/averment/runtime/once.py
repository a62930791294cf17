"""Parts that are opened when they are first needed, once, in whichever thread that is, and closed together."""

from __future__ import annotations

import threading
from collections.abc import Callable
from functools import wraps
from typing import Any, ClassVar, TypeVar

Part = TypeVar("Part")


class LazyParts:
    """Holds what ``once`` opened; after ``close``, what is needed is opened again."""

    _LASTING: ClassVar[frozenset[str]] = frozenset()
    """The parts that hold nothing open, and stay."""

    def __init__(self) -> None:
        self._lock = threading.RLock()
        self._opened: dict[str, Any] = {}

    def _first(self, name: str, make: Callable[[], Part]) -> Part:
        with self._lock:
            if name not in self._opened:
                self._opened[name] = make()
            return self._opened[name]

    def close(self) -> None:
        """Close what was opened, in that order."""
        with self._lock:
            for name in [name for name in self._opened if name not in self._LASTING]:
                part = self._opened.pop(name)
                if hasattr(part, "close"):
                    part.close()


Holder = TypeVar("Holder", bound=LazyParts)


def once(make: Callable[[Holder], Part]) -> Callable[[Holder], Part]:
    """The part that a method makes, made at its first use and kept until the holder is closed."""
    name = make.__name__

    @wraps(make)
    def part(holder: Holder) -> Part:
        return holder._first(name, lambda: make(holder))  # pyright: ignore[reportPrivateUsage]

    return part
