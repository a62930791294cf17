"""How personal values enter the ledger: by reference and salted hash, never as themselves.

An entry is kept for ever, a personal value is not. The value and its random salt are kept in the store under ``ref``;
the entry holds only ``ref`` and ``sha256``. As long as both are kept, anyone who has them can show that this value was
meant. Once they are deleted nothing in the ledger leads back to the value, not even by trying likely ones, and no hash
of the chain changes.
"""

from __future__ import annotations

import hashlib
import hmac
import secrets
from typing import Any

from averment.errors import InvalidRequest
from averment.ledger.entry import canonical

SALT_BYTES = 16


def new_salt() -> bytes:
    """A salt for one value; never used for another, lest equal values be seen to be equal."""
    return secrets.token_bytes(SALT_BYTES)


def salted(value: Any, salt: bytes) -> dict[str, str]:
    """What an entry holds in place of a JSON value: ``{"ref": …, "sha256": …}``.

    ``sha256`` is the HMAC-SHA-256 of the value's canonical JSON under the salt; ``ref`` names it in the store.

    Raises:
        InvalidRequest: the salt is too short, or the value is not JSON.
    """
    if len(salt) < SALT_BYTES:
        raise InvalidRequest(f"A salt must have at least {SALT_BYTES} bytes.", details={"field": "salt"})
    try:
        text = canonical(value)
    except (TypeError, ValueError) as error:
        raise InvalidRequest("Only a JSON value can be redacted.", details={"field": "value"}) from error
    digest = hmac.new(salt, text.encode("ascii"), hashlib.sha256).hexdigest()
    return {"ref": f"personal:{digest[:32]}", "sha256": digest}


def matches(value: Any, salt: bytes, held: dict[str, str]) -> bool:
    """Whether an entry's reference was made from this value and salt."""
    return hmac.compare_digest(salted(value, salt)["sha256"], held.get("sha256", ""))
