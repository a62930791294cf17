"""What words that nothing names may mean: columns, and values of small columns, that the question does not name.

A learned reader (``link_reader``) says how likely the question means each of them. Every run of open words may stand
for the likeliest, and a reading that rests on one is marked as resting on a guess of that probability.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from averment.reading.lattice.value_spans import SMALL
from averment.reading.words import name_words, word_list

if TYPE_CHECKING:
    from averment.reading.lattice.spans import Lattice
    from averment.reading.schema.schema_column import Column
    from averment.reading.schema.schema_view import Schema

NAMED = 0.6
"""From this strength on a span names what it stands for."""
MOST_COLUMNS, MOST_VALUES, MOST_SHOWN = 60, 160, 3
LONGEST = 4
"""So many words one guess may cover."""
_LEAST, _MORE = 0.55, 0.35
"""How strong a guess is at least, and how much stronger a certain one."""
_SURE = 0.6
"""How likely a word that may be one for the rows must mean something else."""
LIKELY, MOST_LINKS = 0.25, 4
"""How likely something must be meant to be tried, and how much of it is."""


@dataclass(frozen=True, slots=True)
class LinkTarget:
    """A column, or one value of it, that the question may mean."""

    column: Column
    value: Any = None

    def text(self, several: bool) -> str:
        """How it is told to the learned reader; where there are several tables, with its own."""
        name = " ".join(name_words(self.column.name))
        if several:
            name = f"{name}, {' '.join(name_words(self.column.table))}"
        if self.value is not None:
            return f"{self.value} ({name})"
        shown = ", ".join(str(value) for value in self.column.values[:MOST_SHOWN])
        return f"{name}: {shown}" if shown and self.column.kind != "number" else f"{name}: {self.column.kind}"


Link = Callable[[str, Sequence[str], Sequence[str]], Sequence[float]]
"""A question, its open words, and texts: how likely the open words mean each."""


def link_spans(lattice: Lattice, schema: Schema, link: Link) -> None:
    """Hypotheses for the words that nothing names: what they likely mean, each with its probability."""
    places = [place for place in range(len(lattice.words)) if is_open(lattice, place) and not _owns(lattice, place)]
    meant = unnamed(lattice, schema) if places else []
    if not meant:
        return
    several = len(schema.tables) > 1
    probabilities = link(lattice.question, [lattice.words[n] for n in places], [each.text(several) for each in meant])
    order = sorted((n for n in range(len(meant)) if probabilities[n] >= LIKELY), key=lambda n: -probabilities[n])[
        :MOST_LINKS
    ]
    nouns = {s.start for s in lattice.spans if s.type == "ROW" and s.end == s.start + 1}
    for start, end in runs_of(lattice, places):
        for n in order:
            one, probability = meant[n], probabilities[n]
            if one.value is None and lattice.words[start] in lattice.capital:
                continue  # A name is no column.
            if probability < _SURE and end == start + 1 and start in nouns:
                continue  # "Animals" are the rows rather than one of their columns.
            data = one.column if one.value is None else (one.column, one.value)
            kind = "COLUMN" if one.value is None else "VALUE"
            lattice.add(start, end, kind, _LEAST + _MORE * probability, data, probability=probability)


def _owns(lattice: Lattice, place: int) -> bool:
    """Whether a word stands in the genitive: the teacher's class is one of a teacher, who must be known."""
    start, end = lattice.places[place]
    return "'s" in lattice.question[start : end + 2]


def is_open(lattice: Lattice, place: int) -> bool:
    """Whether a word is known by nothing but as some noun for a row."""
    word = lattice.words[place]
    verbs = word_list("event_verb") | word_list("relation_verb") | word_list("time_verb")
    if len(word) < 4 or not word.isalpha() or word in verbs | word_list("stop") | word_list("light"):
        return False
    over = [s for s in lattice.spans if s.start <= place < s.end]
    return all(s.type == "ROW" and s.data is None and word not in word_list("row") for s in over)


def unnamed(lattice: Lattice, schema: Schema) -> list[LinkTarget]:
    """What the question may mean and does not name: columns that are no keys, and the values of small text columns."""
    columns = {s.data for s in lattice.spans if s.type in {"COLUMN", "DENY"} and s.strength >= NAMED}
    values = {(s.data[0], str(s.data[1])) for s in lattice.spans if s.type == "VALUE" and s.strength >= NAMED}
    columns |= {column for column, _ in values}
    plain = [c for c in schema.columns if c.expression is None and c.figure is None and not c.has("key")]
    small = [c for c in plain if c.kind in {"text", "bool"} and 1 < c.distinct <= SMALL]
    found = [LinkTarget(c) for c in plain if c not in columns][:MOST_COLUMNS]
    told = [LinkTarget(c, value) for c in small for value in c.values if (c, str(value)) not in values]
    return [*found, *told[:MOST_VALUES]]


def runs_of(lattice: Lattice, places: Sequence[int]) -> Iterator[tuple[int, int]]:
    """Every run of words that begins and ends with an open one, with nothing but small words between."""
    soft = word_list("stop") | word_list("light")
    known = set(places)
    for start in places:
        for end in range(start + 1, min(len(lattice.words), start + LONGEST) + 1):
            if end - 1 in known and all(n in known or lattice.words[n] in soft for n in range(start, end)):
                yield start, end
