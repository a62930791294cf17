"""Short proofs for one entry or one span of the log, checkable without the log.

An inclusion proof needs the entry's line, the path and a signed checkpoint; a consistency proof shows a witness that a
later checkpoint only added entries.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

from averment.errors import InvalidRequest
from averment.ledger.checkpoint import Checkpoint
from averment.ledger.keys import VerifierKey
from averment.ledger.lines import Snapshot, iter_lines
from averment.ledger.tree import consistency_ranges, inclusion_ranges, leaf_hash, roots_of_ranges, verify_inclusion


@dataclass(frozen=True, slots=True)
class InclusionProof:
    """Entry ``sequence_number`` is among the first ``checkpoint.size`` ones, if the path leads to the signed root."""

    sequence_number: int
    leaf: bytes
    path: tuple[bytes, ...]
    checkpoint: Checkpoint

    def holds(self, line: bytes, key: VerifierKey) -> bool:
        """Whether the line, without its line feed, is that entry of the log that the key signed."""
        return (
            self.checkpoint.signed_by(key)
            and leaf_hash(line) == self.leaf
            and verify_inclusion(
                self.leaf, self.sequence_number - 1, self.checkpoint.size, self.path, self.checkpoint.root
            )
        )

    def as_dict(self) -> dict[str, object]:
        """The proof as JSON, hashes in hex."""
        return {
            "sequence_number": self.sequence_number,
            "leaf": self.leaf.hex(),
            "path": [step.hex() for step in self.path],
            "checkpoint": self.checkpoint.note_text,
        }


def prove_inclusion(view: Snapshot, sequence_number: int, checkpoint: Checkpoint) -> InclusionProof:
    """The proof for one entry under a checkpoint of the log.

    Raises:
        InvalidRequest: the checkpoint covers no such entry.
    """
    if not 1 <= sequence_number <= checkpoint.size:
        raise InvalidRequest(
            f"The ledger has no entry {sequence_number}; it has {checkpoint.size} entries.",
            details={"field": "sequence_number"},
        )
    index = sequence_number - 1
    ranges = inclusion_ranges(index, checkpoint.size)
    # The entry's own leaf is one more range of the same single pass.
    leaf, *path = roots_of_ranges(_leaves(view, checkpoint.size), [(index, index + 1), *ranges])
    return InclusionProof(sequence_number, leaf, tuple(path), checkpoint)


def prove_consistency(view: Snapshot, old_size: int, checkpoint: Checkpoint) -> list[bytes]:
    """The proof that the checkpoint's log begins with its first ``old_size`` entries.

    Raises:
        InvalidRequest: the checkpoint covers fewer entries, or ``old_size`` is not positive.
    """
    if not 1 <= old_size <= checkpoint.size:
        raise InvalidRequest(
            f"The ledger has {checkpoint.size} entries, not {old_size}.", details={"field": "old_size"}
        )
    return roots_of_ranges(_leaves(view, checkpoint.size), consistency_ranges(old_size, checkpoint.size))


def _leaves(view: Snapshot, size: int) -> Iterator[bytes]:
    return (leaf_hash(raw) for _, raw in islice(iter_lines(view.descriptor, 0, view.size), size))
