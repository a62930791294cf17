from __future__ import annotations

import hashlib

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from averment.ledger.tree import (
    EMPTY_ROOT,
    CompactRange,
    consistency_ranges,
    inclusion_ranges,
    leaf_hash,
    node_hash,
    root_of,
    roots_of_ranges,
    verify_consistency,
    verify_inclusion,
)


def leaves(count: int) -> list[bytes]:
    return [leaf_hash(str(number).encode()) for number in range(count)]


def root_by_definition(hashes: list[bytes]) -> bytes:
    """MTH of RFC 6962, section 2.1, as it is written there."""
    if not hashes:
        return hashlib.sha256(b"").digest()
    if len(hashes) == 1:
        return hashes[0]
    split = 1
    while split * 2 < len(hashes):
        split *= 2
    return node_hash(root_by_definition(hashes[:split]), root_by_definition(hashes[split:]))


# The reference tree of the certificate-transparency implementations: eight leaves and their roots.
KNOWN_LEAVES = [
    b"",
    b"\x00",
    b"\x10",
    b"\x20\x21",
    b"\x30\x31",
    b"\x40\x41\x42\x43",
    bytes(range(0x50, 0x58)),
    bytes(range(0x60, 0x70)),
]
KNOWN_ROOT = "5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328"


def test_the_root_of_the_known_tree_is_the_published_one():
    assert root_of(leaf_hash(data) for data in KNOWN_LEAVES).hex() == KNOWN_ROOT
    assert root_of([]) == EMPTY_ROOT


@pytest.mark.parametrize("count", range(70))
def test_a_growing_tree_has_the_root_of_the_definition(count):
    assert root_of(leaves(count)) == root_by_definition(leaves(count))


def test_a_compact_range_with_the_wrong_number_of_subtrees_is_refused():
    with pytest.raises(ValueError):
        CompactRange(3, [b"x"])


sizes = st.integers(1, 200)


@settings(deadline=None)
@given(sizes, st.data())
def test_every_leaf_has_an_inclusion_proof_that_holds_for_it_alone(size, data):
    hashes = leaves(size)
    index = data.draw(st.integers(0, size - 1))
    proof = roots_of_ranges(hashes, inclusion_ranges(index, size))
    root = root_of(hashes)
    assert verify_inclusion(hashes[index], index, size, proof, root)
    other = data.draw(st.integers(0, size + 3).filter(lambda place: place != index))
    assert not verify_inclusion(hashes[index], other, size, proof, root)
    assert not verify_inclusion(leaf_hash(b"forged"), index, size, proof, root)
    assert not verify_inclusion(hashes[index], index, size, proof, leaf_hash(b"other root"))


@settings(deadline=None)
@given(sizes, st.data())
def test_an_inclusion_proof_with_any_step_changed_removed_or_added_fails(size, data):
    hashes = leaves(size)
    index = data.draw(st.integers(0, size - 1))
    proof = roots_of_ranges(hashes, inclusion_ranges(index, size))
    root = root_of(hashes)
    assert not verify_inclusion(hashes[index], index, size, [*proof, leaf_hash(b"more")], root)
    for place in range(len(proof)):
        changed = [*proof[:place], leaf_hash(b"changed"), *proof[place + 1 :]]
        assert not verify_inclusion(hashes[index], index, size, changed, root)
        assert not verify_inclusion(hashes[index], index, size, proof[:place] + proof[place + 1 :], root)


@settings(deadline=None)
@given(sizes, st.data())
def test_a_longer_tree_is_proved_to_begin_with_a_shorter_one(new_size, data):
    old_size = data.draw(st.integers(1, new_size))
    hashes = leaves(new_size)
    old_root, new_root = root_of(hashes[:old_size]), root_of(hashes)
    proof = roots_of_ranges(hashes, consistency_ranges(old_size, new_size))
    assert verify_consistency(old_size, new_size, old_root, new_root, proof)
    forged = leaf_hash(b"forged")
    assert not verify_consistency(old_size, new_size, forged, new_root, proof)
    assert not verify_consistency(old_size, new_size, old_root, forged, proof)
    assert not verify_consistency(old_size, new_size, old_root, new_root, [*proof, forged])
    for place in range(len(proof)):
        changed = [*proof[:place], forged, *proof[place + 1 :]]
        assert not verify_consistency(old_size, new_size, old_root, new_root, changed)


@settings(deadline=None)
@given(st.integers(2, 120), st.data())
def test_a_rewritten_beginning_is_not_consistent(new_size, data):
    old_size = data.draw(st.integers(1, new_size - 1))
    changed = data.draw(st.integers(0, old_size - 1))
    hashes = leaves(new_size)
    old_root = root_of(hashes[:old_size])
    hashes[changed] = leaf_hash(b"rewritten")
    proof = roots_of_ranges(hashes, consistency_ranges(old_size, new_size))
    assert not verify_consistency(old_size, new_size, old_root, root_of(hashes), proof)


def test_the_empty_tree_is_the_beginning_of_every_tree():
    assert verify_consistency(0, 3, EMPTY_ROOT, root_of(leaves(3)), [])
    assert not verify_consistency(0, 3, leaf_hash(b"x"), root_of(leaves(3)), [])
    assert not verify_consistency(3, 2, EMPTY_ROOT, EMPTY_ROOT, [])


@pytest.mark.parametrize(("index", "size"), [(-1, 3), (3, 3), (0, 0)])
def test_a_leaf_outside_the_tree_has_no_proof(index, size):
    with pytest.raises(ValueError, match="leaf"):
        inclusion_ranges(index, size)
    assert not verify_inclusion(leaf_hash(b""), index, size, [], leaf_hash(b""))


@pytest.mark.parametrize(("old_size", "new_size"), [(0, 3), (4, 3)])
def test_there_is_no_consistency_proof_backwards_or_from_nothing(old_size, new_size):
    with pytest.raises(ValueError, match="proof"):
        consistency_ranges(old_size, new_size)


def test_leaves_that_end_too_early_give_no_roots():
    with pytest.raises(ValueError, match="end before"):
        roots_of_ranges(leaves(3), [(0, 5)])
