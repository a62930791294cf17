"""The Merkle tree of RFC 6962 over the ledger's lines: roots, inclusion proofs, consistency proofs.

Pure functions over hashes. A proof is described first as the ranges of leaves whose roots it consists of; one pass over
the leaves then computes all of them, so that a proof over a long file needs memory for its logarithm only.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence

Range = tuple[int, int]
"""Leaves from the first (counted from 0) up to, not including, the second."""

EMPTY_ROOT = hashlib.sha256(b"").digest()


def leaf_hash(line: bytes) -> bytes:
    """The hash of a leaf: the line without its line feed."""
    return hashlib.sha256(b"\x00" + line).digest()


def node_hash(left: bytes, right: bytes) -> bytes:
    """The hash of an inner node."""
    return hashlib.sha256(b"\x01" + left + right).digest()


class CompactRange:
    """The roots of the perfect subtrees that make up a growing tree: all that is needed to go on."""

    __slots__ = ("hashes", "size")

    def __init__(self, size: int = 0, hashes: Iterable[bytes] = ()) -> None:
        self.size = size
        self.hashes: list[bytes] = list(hashes)
        if len(self.hashes) != size.bit_count():
            raise ValueError(f"a tree of {size} leaves has {size.bit_count()} perfect subtrees")

    def add(self, leaf: bytes) -> None:
        """Grow by one leaf hash."""
        carry = self.size
        while carry & 1:
            leaf = node_hash(self.hashes.pop(), leaf)
            carry >>= 1
        self.hashes.append(leaf)
        self.size += 1

    def copy(self) -> CompactRange:
        """The same tree, to grow apart from this one."""
        return CompactRange(self.size, self.hashes)

    def root(self) -> bytes:
        """The root of the tree as it is now."""
        if not self.hashes:
            return EMPTY_ROOT
        found = self.hashes[-1]
        for left in reversed(self.hashes[:-1]):
            found = node_hash(left, found)
        return found


def root_of(leaves: Iterable[bytes]) -> bytes:
    """The root over leaf hashes."""
    tree = CompactRange()
    for leaf in leaves:
        tree.add(leaf)
    return tree.root()


def inclusion_ranges(index: int, size: int) -> list[Range]:
    """The ranges whose roots prove that leaf ``index`` is in a tree of ``size``, in the proof's order."""
    if not 0 <= index < size:
        raise ValueError(f"a tree of {size} leaves has no leaf {index}")
    found: list[Range] = []
    low, high = 0, size
    while high - low > 1:
        middle = low + _split(high - low)
        if index < middle:
            found.append((middle, high))
            high = middle
        else:
            found.append((low, middle))
            low = middle
    return found[::-1]


def consistency_ranges(old_size: int, new_size: int) -> list[Range]:
    """The ranges whose roots prove that the tree of ``new_size`` begins with the tree of ``old_size``."""
    if not 0 < old_size <= new_size:
        raise ValueError(f"there is no proof from a tree of {old_size} to a tree of {new_size} leaves")
    found: list[Range] = []
    low, high = 0, new_size
    while high != old_size:
        middle = low + _split(high - low)
        if old_size <= middle:
            found.append((middle, high))
            high = middle
        else:
            found.append((low, middle))
            low = middle
    if low > 0:
        # The old tree is not a left subtree of the new one, so its last part must be given too.
        found.append((low, high))
    return found[::-1]


def roots_of_ranges(leaves: Iterable[bytes], ranges: Sequence[Range]) -> list[bytes]:
    """The root of each range, in the order given, from one pass over the leaf hashes; ranges must not overlap."""
    trees = [CompactRange() for _ in ranges]
    order = sorted(range(len(ranges)), key=lambda position: ranges[position])
    stream = enumerate(leaves)
    for position in order:
        low, high = ranges[position]
        for index, leaf in stream:
            if index >= low:
                trees[position].add(leaf)
            if index + 1 == high:
                break
        if trees[position].size != high - low:
            raise ValueError(f"the leaves end before leaf {high}")
    return [tree.root() for tree in trees]


def verify_inclusion(leaf: bytes, index: int, size: int, proof: Sequence[bytes], root: bytes) -> bool:
    """Whether the proof leads from the leaf hash at ``index`` to the root of a tree of ``size``."""
    if not 0 <= index < size:
        return False
    climbed = _climb(leaf, index, size - 1, proof)
    return climbed is not None and climbed[1] == root


def verify_consistency(old_size: int, new_size: int, old_root: bytes, new_root: bytes, proof: Sequence[bytes]) -> bool:
    """Whether the proof shows that the tree with the new root begins with the tree with the old root."""
    if not 0 <= old_size <= new_size:
        return False
    if old_size == new_size:
        return not proof and old_root == new_root
    if old_size == 0:
        return not proof and old_root == EMPTY_ROOT
    path = list(proof)
    if old_size & (old_size - 1) == 0:
        path.insert(0, old_root)
    if not path:
        return False
    place, last = old_size - 1, new_size - 1
    while place & 1:
        place >>= 1
        last >>= 1
    return _climb(path[0], place, last, path[1:]) == (old_root, new_root)


def _climb(start: bytes, place: int, last: int, path: Sequence[bytes]) -> tuple[bytes, bytes] | None:
    """The roots of all that lies up to the start and of the whole tree; None where the path ends beside the root."""
    left = whole = start
    for sibling in path:
        if last == 0:
            return None
        if place & 1 or place == last:
            left, whole = node_hash(sibling, left), node_hash(sibling, whole)
            while place and not place & 1:
                place >>= 1
                last >>= 1
        else:
            whole = node_hash(whole, sibling)
        place >>= 1
        last >>= 1
    return (left, whole) if last == 0 else None


def _split(size: int) -> int:
    """The largest power of two smaller than ``size``."""
    return 1 << ((size - 1).bit_length() - 1)
