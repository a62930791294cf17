"""Words meant by what stands near them in meaning: "ladies" for female, "automobiles" for car, "wages" for salary.

A sentence model proposes the value of a small column, or the column, that an unplaced word comes nearest to. It is a
guess and marked as one: a reading that rests on it is offered, never answered.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from averment.reading.lattice.value_spans import SMALL
from averment.reading.words import word_list

if TYPE_CHECKING:
    from averment.reading.lattice.spans import Lattice
    from averment.reading.schema.schema_column import Column
    from averment.reading.schema.schema_view import Schema

Embed = Callable[[Sequence[str]], Any]
"""Texts to unit vectors, a row each."""

NEAR, APART = 0.5, 0.1
"""How near a word must come to what it may mean, and how much farther the next one must lie."""

GUESSED = 0.62
MOST_COLUMNS, MOST_TEXTS = 40, 600


def near_spans(lattice: Lattice, schema: Schema, embed: Embed) -> None:
    """Guesses for the words that nothing names."""
    places = [place for place in range(len(lattice.words)) if is_open(lattice, place)]
    if not places:
        return
    texts = [c for c in schema.columns if c.kind == "text" and c.values and not c.has("flag", "key")]
    small = [c for c in texts if 1 < c.distinct <= SMALL][:MOST_COLUMNS]
    meant: list[tuple[Column, Any]] = [(c, value) for c in small for value in c.values][:MOST_TEXTS]
    named = [c for c in schema.columns if not c.has("key") and c.words][:MOST_TEXTS]
    said = [lattice.words[place] for place in places]
    vectors = embed([*said, *(str(value) for _, value in meant), *(" ".join(c.words) for c in named)])
    likeness = vectors[len(said) :] @ vectors[: len(said)].T
    for n, place in enumerate(places):
        values, names = likeness[: len(meant), n], likeness[len(meant) :, n]
        found = _nearest([float(each) for each in values], [str(value) for _, value in meant])
        if found is not None:
            lattice.add(place, place + 1, "VALUE", GUESSED, meant[found], guessed=True)
        found = _nearest([float(each) for each in names], [c.name for c in named])
        if found is not None:
            lattice.add(place, place + 1, "COLUMN", GUESSED, named[found], guessed=True)


def _nearest(likeness: Sequence[float], texts: Sequence[str]) -> int | None:
    """The place of the one text that is near, where no other text is about as near."""
    order = sorted(range(len(likeness)), key=lambda n: -likeness[n])
    if not order or likeness[order[0]] < NEAR:
        return None
    first = texts[order[0]].casefold()
    rival = next((n for n in order[1:] if texts[n].casefold() != first), None)
    return order[0] if rival is None or likeness[rival] <= likeness[order[0]] - APART else None


def is_open(lattice: Lattice, place: int) -> bool:
    """Whether a word is known by nothing but as some noun for a row."""
    word = lattice.words[place]
    verbs = word_list("event_verb") | word_list("relation_verb") | word_list("time_verb")
    if len(word) < 4 or not word.isalpha() or word in verbs | word_list("stop") | word_list("light"):
        return False
    over = [s for s in lattice.spans if s.start <= place < s.end]
    return all(s.type == "ROW" and s.data is None and word not in word_list("row") for s in over)
