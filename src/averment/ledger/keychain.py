"""Which key was in force when: read from the entries that change keys.

A change of keys is a ``policy_decision`` of the ledger about itself that names the old and the new key. It takes effect
only with a checkpoint by the old key that ends exactly at that entry; without it the old key stays in force.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from averment.ledger.keys import BadKey, VerifierKey

ROTATION_RULE = "LEDGER-KEY-ROTATION"
SYSTEM_REQUEST_ID = "00000000-0000-0000-0000-000000000000"
"""The request of entries that the ledger makes about itself."""


@dataclass(frozen=True, slots=True)
class Rotation:
    """An entry that says which key follows which."""

    sequence_number: int
    old: VerifierKey
    new: VerifierKey


@dataclass(frozen=True, slots=True)
class KeyValidity:
    """A key and the sizes for which its checkpoints count; ``last`` is None for the key now in force."""

    key: VerifierKey
    first: int
    last: int | None

    def covers(self, size: int) -> bool:
        """Whether a checkpoint of that size may be signed by this key."""
        return self.first <= size and (self.last is None or size <= self.last)


def rotation_of(sequence_number: int, request_id: str, event_type: str, event_data: dict[str, Any]) -> Rotation | None:
    """The change of keys that an entry records, if it records one."""
    if event_type != "policy_decision" or request_id != SYSTEM_REQUEST_ID or event_data.get("rule") != ROTATION_RULE:
        return None
    try:
        old, new = VerifierKey.parse(str(event_data.get("old_key"))), VerifierKey.parse(str(event_data.get("new_key")))
    except BadKey:
        return None
    return Rotation(sequence_number, old, new)


def reigns(
    trusted: VerifierKey, rotations: Sequence[Rotation], sealed_by: Callable[[VerifierKey, int], bool]
) -> list[KeyValidity]:
    """The keys that a reader who trusts one key may trust, oldest first.

    ``sealed_by`` says whether a key signed a checkpoint that ends exactly at an entry. Keys before the trusted one are
    named by the log that the trusted key signed; keys after it by the changes that it and its followers signed. If the
    trusted key is not among them, it alone is the answer.
    """
    key = rotations[0].old if rotations else trusted
    found: list[KeyValidity] = []
    first = 0
    for rotation in rotations:
        if rotation.old == key and sealed_by(key, rotation.sequence_number):
            found.append(KeyValidity(key, first, rotation.sequence_number))
            key, first = rotation.new, rotation.sequence_number
    found.append(KeyValidity(key, first, None))
    if all(reign.key != trusted for reign in found):
        return [KeyValidity(trusted, 0, None)]
    return found
