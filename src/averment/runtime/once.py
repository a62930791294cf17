"""Parts that are opened when they are first needed, once, in whichever thread that is, and closed together."""

from __future__ import annotations

import threading
from collections.abc import Callable
from functools import wraps
from typing import Any, ClassVar, TypeVar


class Parts:
    """Holds what ``once`` opened; after ``close``, what is needed is opened again."""

    LASTING: ClassVar[frozenset[str]] = frozenset()
    """The parts that hold nothing open, and stay."""

    def __init__(self) -> None:
        self.lock = threading.RLock()
        self.opened: dict[str, Any] = {}

    def close(self) -> None:
        """Close what was opened, in that order."""
        with self.lock:
            for name in [name for name in self.opened if name not in self.LASTING]:
                part = self.opened.pop(name)
                if hasattr(part, "close"):
                    part.close()


Holder = TypeVar("Holder", bound=Parts)
Part = TypeVar("Part")


def once(make: Callable[[Holder], Part]) -> Callable[[Holder], Part]:
    """The part that a method makes, made at its first use and kept until the holder is closed."""
    name = make.__name__

    @wraps(make)
    def part(holder: Holder) -> Part:
        with holder.lock:
            if name not in holder.opened:
                holder.opened[name] = make(holder)
            return holder.opened[name]

    return part
