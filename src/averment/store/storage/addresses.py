"""Addresses of stored files that are the same on every host: ``stored://uploads/…?name=orders.csv&sha256=…``.

Requests and catalogs hold such an address where the files lie in a shared store. It says which file, by which name its
table is called, and which bytes it must have; where it is fetched from is a setting of each host.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from urllib.parse import parse_qs, urlencode

from averment.errors import InvalidRequest
from averment.store.storage.base import is_name, parts_of

SCHEME = "stored://"
OPEN_FOLDERS = frozenset({"sessions", "uploads"})
"""Only what a user brought is a source; results and artifacts are not."""

_SHA256 = re.compile(r"[0-9a-f]{64}")


@dataclass(frozen=True, kw_only=True)
class StoredAddress:
    """A stored file as a source."""

    relative: str
    name: str
    sha256: str | None = None

    def __str__(self) -> str:
        known = {"name": self.name} if self.sha256 is None else {"name": self.name, "sha256": self.sha256}
        return f"{SCHEME}{self.relative}?{urlencode(known)}"


def is_stored(text: str) -> bool:
    """Whether the text is the address of a stored file."""
    return text.startswith(SCHEME)


def parse_address(text: str) -> StoredAddress:
    """The parts of an address.

    Raises:
        InvalidRequest: it is none, or names a file that is no source.
    """
    relative, _, options = text.removeprefix(SCHEME).partition("?")
    parts = parts_of(relative)
    try:
        given = parse_qs(options, strict_parsing=bool(options), max_num_fields=2)
    except ValueError:
        given = {"": [""]}
    name, sha256 = given.pop("name", [parts[-1]])[0], given.pop("sha256", [None])[0]
    fits = is_name(name) and (sha256 is None or _SHA256.fullmatch(sha256))
    if not is_stored(text) or given or not fits or parts[0] not in OPEN_FOLDERS or len(parts) < 2:
        raise InvalidRequest("That is not the address of a stored source.", hint="Upload the file again.")
    return StoredAddress(relative=relative, name=name, sha256=sha256)
