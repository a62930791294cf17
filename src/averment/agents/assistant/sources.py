"""Which files a caller may name: anything on their own machine, or, from afar, only what was uploaded before."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from pathlib import Path

from averment.errors import InvalidRequest, SourceNotFound

PREFIX = "upload:"
Locate = Callable[[Sequence[str]], list[str]]
"""From the names a caller gave to the places they stand for."""

_REFERENCE = re.compile(r"upload:([0-9a-f-]{36})/([A-Za-z0-9_-]{1,80}\.[a-z]{1,10})")


def reference_to(place: Path) -> str:
    """The name under which an uploaded file is spoken of."""
    return f"{PREFIX}{place.parent.name}/{place.name}"


def uploads_only(home: Path) -> Locate:
    """For callers from afar: a path or an address that they name never reaches the file system."""

    def locate(names: Sequence[str]) -> list[str]:
        return [_uploaded(name, home) for name in names]

    return locate


def anything(home: Path) -> Locate:
    """For callers on this machine: uploads by reference, everything else as it is."""

    def locate(names: Sequence[str]) -> list[str]:
        return [_uploaded(name, home) if name.startswith(PREFIX) else name for name in names]

    return locate


def _uploaded(name: str, home: Path) -> str:
    found = _REFERENCE.fullmatch(name)
    if found is None:
        raise InvalidRequest(
            "A source that is asked from afar must have been uploaded.", hint="Upload it and give its reference."
        )
    place = home.resolve() / "uploads" / found.group(1) / found.group(2)
    if not place.is_file():
        raise SourceNotFound("There is no such upload.", hint="Upload the file again.")
    return str(place)
