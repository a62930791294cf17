"""Deprecation: what will go keeps working for a while, and says what takes its place and when it goes.

The policy is docs/reference/deprecation.md. ``registered`` lists every deprecated name that was imported, so that a
test can see that none outlives the version that was to remove it.
"""

from __future__ import annotations

import functools
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from operator import attrgetter
from typing import Any, ParamSpec, TypeVar

P = ParamSpec("P")
R = TypeVar("R")


@dataclass(frozen=True, kw_only=True)
class Deprecated:
    """A name that will go: since when that is said, in which version it goes, and what takes its place."""

    name: str
    instead: str
    since: str
    gone_in: str

    @property
    def message(self) -> str:
        """What whoever uses it is told."""
        return f"{self.name} is deprecated since Averment {self.since} and goes in {self.gone_in}. {self.instead}"


_registered: dict[str, Deprecated] = {}


def deprecated(instead: str, *, since: str, gone_in: str) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Mark a function or method that will go; calling it warns at the caller's line, and works as before.

    ``instead`` is a sentence that says what to use. ``since`` and ``gone_in`` are versions, the second at least one
    minor version later.

    Raises:
        ValueError: it would go in the same minor version, or in an earlier one.
    """
    if not _is_later(since, gone_in):
        raise ValueError(f"what is deprecated in {since} stays until the next minor version at least, not {gone_in}")

    def mark(function: Callable[P, R]) -> Callable[P, R]:
        name = f"{function.__module__}.{function.__qualname__}"
        told = Deprecated(name=name, instead=instead, since=since, gone_in=gone_in)
        _registered[name] = told

        @functools.wraps(function)
        def call(*args: P.args, **kwargs: P.kwargs) -> R:
            warnings.warn(told.message, DeprecationWarning, stacklevel=2)
            return function(*args, **kwargs)

        return call

    return mark


def moved(names: Mapping[str, str], *, owner: str, since: str, gone_in: str) -> Callable[[object, str], Any]:
    """A ``__getattr__`` for a class whose members have moved: an old name warns, and gives what is at its new place.

    ``names`` says for each old name its new place, with dots, as seen from the same object; ``owner`` is the class as
    its users know it.

    Raises:
        ValueError: they would go in the same minor version, or in an earlier one.
    """
    if not _is_later(since, gone_in):
        raise ValueError(f"what is deprecated in {since} stays until the next minor version at least, not {gone_in}")
    told = {
        old: Deprecated(name=f"{owner}.{old}", instead=f"Use {new}.", since=since, gone_in=gone_in)
        for old, new in names.items()
    }
    _registered.update({one.name: one for one in told.values()})

    def look_up(self: object, name: str) -> Any:
        if name not in told:
            raise AttributeError(f"{owner} has no attribute {name!r}", name=name, obj=self)
        warnings.warn(told[name].message, DeprecationWarning, stacklevel=2)
        return attrgetter(names[name])(self)

    return look_up


def registered() -> tuple[Deprecated, ...]:
    """Every deprecated name of the modules that were imported, by name."""
    return tuple(_registered[name] for name in sorted(_registered))


def is_overdue(one: Deprecated, version: str) -> bool:
    """Whether it should be gone in that version."""
    return _parts(one.gone_in) <= _parts(version)


def _is_later(since: str, gone_in: str) -> bool:
    return _parts(since)[:2] < _parts(gone_in)[:2]


def _parts(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in version.split("."))
