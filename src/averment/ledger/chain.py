"""Reading a log strictly from its first line on: every line an entry, every entry the follower of the one before."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from averment.ledger.entry import GENESIS, BadLine, CheckedLine, check_line
from averment.ledger.keychain import SYSTEM_REQUEST_ID, Rotation, rotation_of
from averment.ledger.lines import iter_lines
from averment.ledger.report import LedgerFault
from averment.ledger.tree import CompactRange, leaf_hash


@dataclass(slots=True)
class ChainResult:
    """How far the chain holds, its root there, its roots at the sizes asked for, and the changes of keys in it."""

    fault: LedgerFault | None = None
    tree: CompactRange = field(default_factory=CompactRange)
    roots: dict[int, bytes] = field(default_factory=dict[int, bytes])
    rotations: list[Rotation] = field(default_factory=list[Rotation])


def check_chain(descriptor: int, size: int, root_sizes: Iterable[int]) -> ChainResult:
    """Check a file line after line until one does not hold; memory does not grow with the file."""
    end = 0

    def lines() -> Iterator[bytes]:
        nonlocal end
        for offset, raw in iter_lines(descriptor, 0, size):
            yield raw
            # Only a line that was found sound is followed by another.
            end = offset + len(raw) + 1

    result = check_lines(lines(), root_sizes)
    if result.fault is None and end < size:
        result.fault = LedgerFault(
            result.tree.size + 1, "torn", f"The last {size - end} bytes are not a complete line."
        )
    return result


def check_lines(lines: Iterable[bytes], root_sizes: Iterable[int]) -> ChainResult:
    """Check lines, wherever they come from, until one does not hold."""
    result = ChainResult()
    tree, wanted = result.tree, frozenset(root_sizes)
    if 0 in wanted:
        result.roots[0] = tree.root()
    parent, timestamp = GENESIS, ""
    for raw in lines:
        number = tree.size + 1
        try:
            line = check_line(raw)
        except BadLine as error:
            result.fault = LedgerFault(number, error.reason, error.detail)
            return result
        result.fault = _misplaced(line, number, parent, timestamp)
        if result.fault is not None:
            return result
        parent, timestamp = line.hash, line.timestamp
        tree.add(leaf_hash(raw))
        if line.request_id == SYSTEM_REQUEST_ID:
            rotation = rotation_of(number, line.request_id, line.event_type, line.event_data)
            if rotation is not None:
                result.rotations.append(rotation)
        if number in wanted:
            result.roots[number] = tree.root()
    return result


def _misplaced(line: CheckedLine, number: int, parent: str, timestamp: str) -> LedgerFault | None:
    if line.sequence_number != number:
        return LedgerFault(number, "sequence", f"The entry has the number {line.sequence_number}, not {number}.")
    if line.parent_hash != parent:
        return LedgerFault(number, "parent", "The parent_hash is not the hash of the line before.")
    if line.timestamp < timestamp:
        return LedgerFault(number, "timestamp", "The entry is older than the line before.")
    return None
