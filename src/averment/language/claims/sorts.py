"""What sort of thing a name names, told by its likeness to examples: a person, a place, an organisation, or a thing.

The examples are common and of our own choice; none is taken from a set that is measured.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from averment.language.claims.vectors import Similarity
from averment.language.word_lists import word_lists

EXAMPLES: dict[str, tuple[str, ...]] = {
    sort: tuple(names.splitlines()) for sort, names in word_lists("claims.sorts").items()
}
_SHARPNESS = 15.0


def sort_names(names: Sequence[str], similarity: Similarity) -> list[dict[str, float]]:
    """For each name how much it is like each sort, summing to 1; nothing without an embedder."""
    if not similarity.is_there:
        return [{} for _ in names]
    near = {sort: similarity.to_all(examples, names) for sort, examples in EXAMPLES.items()}
    found: list[dict[str, float]] = []
    for place in range(len(names)):
        parts = {sort: math.exp(_SHARPNESS * rows[place]) for sort, rows in near.items()}
        total = sum(parts.values())
        found.append({f"like a {sort}": part / total for sort, part in parts.items()})
    return found
