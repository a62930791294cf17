"""Pins: the public key that each ledger was first seen with, remembered outside every home.

Whoever can write to a home can put another key beside its ledger and sign everything anew. They cannot change what the
user's own configuration remembers. A pin is set when a ledger is made, or first seen; a change of keys that the pinned
key signed itself is followed. Where nothing can be remembered, such as in a throw-away container, nothing is pinned.
"""

from __future__ import annotations

import hashlib
import json
import secrets
from contextlib import suppress
from pathlib import Path

from averment.ledger.keys import BadKey, VerifierKey


class Pins:
    """The pinned keys of one user, a small file for each ledger."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def get(self, log: Path) -> VerifierKey | None:
        """The key that the ledger in that file was first seen with, or None when it was never seen from here."""
        with suppress(OSError, ValueError, KeyError, TypeError, BadKey):
            return VerifierKey.parse(str(json.loads(self.place(log).read_text(encoding="utf-8"))["key"]))
        return None

    def put(self, log: Path, key: VerifierKey, *, anew: bool = False) -> None:
        """Remember a ledger's key; one that is remembered stays, unless the ledger is made ``anew``."""
        place = self.place(log)
        if not anew and place.exists():
            return
        draft = place.with_name(f".{secrets.token_hex(8)}")
        body = json.dumps({"ledger": str(log.resolve()), "key": key.text}, indent=2)
        with suppress(OSError):
            place.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            draft.write_text(f"{body}\n", encoding="utf-8")
            draft.replace(place)

    def place(self, log: Path) -> Path:
        """The file of a ledger's pin."""
        return self._folder / f"{hashlib.sha256(str(log.resolve()).encode()).hexdigest()[:32]}.json"
