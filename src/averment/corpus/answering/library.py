"""The documents a question is asked of: their cards, what each is about, and, where they are open, their sentences.

A key of a question is covered by a sentence to a degree: in the sentence itself, beside it (its neighbour, the lead of
its list), in its headings, in its section, in the title, in the fields, or only because the whole document is about it.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import log
from typing import Literal

import numpy as np
import numpy.typing as npt

from averment.corpus.answering.card import DocumentCard
from averment.corpus.answering.words import STOP, keys, tokens
from averment.corpus.structure.shape import Block, Structure, TextUnit

OWN, BESIDE, HEAD, TITLE, FIELD, ABOUT, SECTION, SOMEWHERE = 1.0, 0.75, 0.8, 0.7, 0.5, 0.5, 0.45, 0.15
_LONG_SECTION = 40
_PROFILE = ((10, 1.0), (25, 0.8), (60, 0.5))
_LONG_ITEM = 45
_FEW = 3
_LONG_BEFORE = 40
_LEANS = re.compile(
    r"(?:It|He|She|They|Its|His|Her|Their|This|These|That|Those|Both|Such)\b|"
    r"(?:In|For|With|By|On) (?:this|that|these|those|such) \w+\b|"
    r"(?:Because of (?:this|that|these|those)|As a (?:result|consequence)|For this reason|Doing so)\b|"
    r"(?:Otherwise|Instead|Therefore|Thus|Then|Hence)\b|"
    r"The [a-z]+ (?:[a-z]+ )?(?:is|are|was|were|has|had|have|became|began|opened|closed|won|lost|ran|runs|took|takes|"
    r"also|now|later|received|moved|includes?|included|made|makes)\b"
)


@dataclass(frozen=True, slots=True)
class TextLine:
    """A sentence, item or row: which document and block it stands in, and its neighbours there."""

    document: int
    block: int
    unit: TextUnit
    before: TextUnit | None
    after: TextUnit | None
    size: int

    @property
    def leans(self) -> bool:
        """Whether it speaks of what the sentence before it names: it opens with a pronoun, or a plain noun."""
        return self.before is not None and bool(_LEANS.match(self.unit.text))

    @property
    def whole(self) -> str:
        """Its words, after those of the sentence it leans on."""
        if self.before is None or not self.leans or len(self.before.text.split()) > _LONG_BEFORE:
            return self.unit.text
        return f"{self.before.text} {self.unit.text}"


@dataclass(frozen=True, slots=True)
class KeyCounts:
    """How many documents there are in all, and how many hold each key of the question."""

    documents: int
    holding: Mapping[str, int]


class Library:
    """Some documents, as far as they are open."""

    def __init__(
        self, cards: Sequence[DocumentCard], seen: KeyCounts | None = None, bodies: Sequence[Structure] = ()
    ) -> None:
        self.cards = list(cards)
        self.bodies = list(bodies)
        self._seen = seen
        numbered = Counter(card.kind for card in self.cards if card.kind and card.number)
        said = {
            card.kind for card in self.cards if card.number and any(f.key.startswith(card.kind) for f in card.fields)
        }
        self.kinds = {kind for kind, count in numbered.items() if kind and (count > 1 or kind in said)}

    @cached_property
    def holding(self) -> Counter[str]:
        """How many cards hold each key."""
        found: Counter[str] = Counter()
        for card in self.cards:
            found.update({*card.title_keys, *card.opening_keys, *card.counts, *card.name_keys})
        return found

    def telling(self, key: str) -> float:
        """How telling a key is among documents."""
        if self._seen is not None and key in self._seen.holding:
            return log(1 + self._seen.documents / (1 + self._seen.holding[key]))
        documents = len(self.cards) if self._seen is None else self._seen.documents
        return log(1 + documents / (1 + self.holding[key]))

    def is_common(self, key: str, share: float = 0.5) -> bool:
        """Whether more than such a share of all documents holds a key."""
        if self._seen is not None and key in self._seen.holding:
            return self._seen.holding[key] > share * self._seen.documents > 1.5
        return self.holding[key] > share * len(self.cards) > 1.5

    @cached_property
    def profiles(self) -> list[dict[str, float]]:
        """For each document how much a key is what it is about, from 0 to 1."""
        found: list[dict[str, float]] = []
        for card in self.cards:
            weight = {one: (1 + log(count)) * self._plain_telling(one) for one, count in card.counts.items()}
            order = sorted(weight, key=lambda one: (-weight[one], one))
            levels = {one: level for most, level in reversed(_PROFILE) for one in order[:most]}
            found.append(levels)
        return found

    def _plain_telling(self, key: str) -> float:
        return log(1 + len(self.cards) / (1 + self.holding[key])) + 0.1

    @cached_property
    def lines(self) -> list[TextLine]:
        """Every sentence of the open documents in order."""
        found: list[TextLine] = []
        for number, body in enumerate(self.bodies):
            for place, block in enumerate(body.blocks):
                units = units_told(block)
                above = _above(body.blocks, place)
                for at, unit in enumerate(units):
                    before = units[at - 1] if at else above if _LEANS.match(unit.text) else None
                    after = units[at + 1] if at + 1 < len(units) else None
                    found.append(TextLine(number, place, unit, before, after, len(unit.text.split())))
        return found

    @cached_property
    def ranges(self) -> list[tuple[int, int]]:
        """For each document its first line and the one behind its last."""
        counts = Counter(line.document for line in self.lines)
        found: list[tuple[int, int]] = []
        at = 0
        for number in range(len(self.bodies)):
            found.append((at, at + counts[number]))
            at += counts[number]
        return found

    @cached_property
    def _postings(
        self,
    ) -> tuple[
        dict[str, list[int]], dict[str, list[int]], dict[str, list[int]], dict[str, list[int]], dict[str, set[int]]
    ]:
        own: dict[str, list[int]] = defaultdict(list)
        beside: dict[str, list[int]] = defaultdict(list)
        head: dict[str, list[int]] = defaultdict(list)
        around: dict[str, list[int]] = defaultdict(list)
        somewhere: dict[str, set[int]] = defaultdict(set)
        sections: dict[tuple[int, tuple[str, ...]], list[int]] = defaultdict(list)
        for place, line in enumerate(self.lines):
            block = self.block_of(line)
            sections[line.document, block.path].append(place)
            said = set(keys(line.whole))
            near = set(keys(block.lead.text)) if block.lead is not None else set[str]()
            for other in (line.before, line.after):
                near.update(keys(other.text) if other is not None else ())
            for one in said:
                own[one].append(place)
                somewhere[one].add(line.document)
            for one in near - said:
                beside[one].append(place)
            for one in {each for title in block.path for each in keys(title)}:
                head[one].append(place)
        for places in sections.values():
            if len(places) <= _LONG_SECTION:
                for one in {each for place in places for each in keys(self.lines[place].unit.text)}:
                    around[one] += places
        return own, beside, head, around, somewhere

    @cached_property
    def small_words(self) -> frozenset[str]:
        """Words that the open documents write small more than twice: no names."""
        counts: Counter[str] = Counter()
        for line in self.lines:
            counts.update(token for token in tokens(line.unit.text) if token.islower())
        return frozenset(word for word, count in counts.items() if count > 2)

    @cached_property
    def _titles(self) -> frozenset[str]:
        single = (card.title_keys for card in self.cards)
        return frozenset(next(iter(title)) for title in single if len(title) == 1)

    @cached_property
    def _called(self) -> dict[str, frozenset[int]]:
        found: dict[str, set[int]] = defaultdict(set)
        for number, card in enumerate(self.cards):
            for one in (*card.name_keys, *(card.title_keys if len(card.title_keys) == 1 else ())):
                found[one].add(number)
        return {one: frozenset(numbers) for one, numbers in found.items()}

    def called(self, key: str) -> frozenset[int]:
        """The documents that are called so, by the name of their file or by a title of one word."""
        return self._called.get(key, frozenset())

    def is_title(self, key: str) -> bool:
        """Whether a key is the whole title of a document and few others hold it: the name of what it is about."""
        return key in self._titles and self.holding[key] <= max(_FEW, len(self.cards) // 40)

    def spoken(self, key: str) -> int:
        """In how many sentences a key stands."""
        return len(self._postings[0].get(key, ()))

    def holds(self, key: str) -> bool:
        """Whether a key stands anywhere: in a sentence, a heading, a title or a field."""
        own, _, head, _, _ = self._postings
        return (
            key in own
            or key in head
            or any(key in card.title_keys or key in card.field_keys or key in card.name_keys for card in self.cards)
        )

    def cover(self, key: str) -> npt.NDArray[np.float32]:
        """How far each sentence covers a key, from 0 to 1."""
        own, beside, head, around, somewhere = self._postings
        found = np.zeros(len(self.lines), np.float32)
        for number, card in enumerate(self.cards[: len(self.bodies)]):
            level = (
                TITLE if key in card.title_keys or key in card.name_keys else FIELD if key in card.field_keys else 0.0
            )
            about = ABOUT * self.profiles[number].get(key, 0.0)
            level = max(level, about, SOMEWHERE if number in somewhere.get(key, ()) else 0.0)
            first, last = self.ranges[number]
            found[first:last] = level
        for table, level in ((around, SECTION), (beside, BESIDE), (head, HEAD), (own, OWN)):
            places = table.get(key)
            if places:
                found[places] = np.maximum(found[places], level)
        return found

    def block_of(self, line: TextLine) -> Block:
        """The block a line stands in."""
        return self.bodies[line.document].blocks[line.block]

    def paragraph_beside(self, line: TextLine, step: Literal[-1, 1]) -> TextUnit | None:
        """The nearest sentence of the paragraph before or after a line's own, where both are of one section."""
        blocks, at = self.bodies[line.document].blocks, line.block + step
        if not 0 <= at < len(blocks) or {blocks[at].kind, blocks[line.block].kind} != {"para"}:
            return None
        units = blocks[at].units if blocks[at].path == blocks[line.block].path else ()
        return (units[0] if step > 0 else units[-1]) if units else None

    def example_after(self, line: TextLine) -> TextUnit | None:
        """The command or piece of code that a sentence ends in: what stands right behind its colon."""
        if not line.unit.text.endswith(":"):
            return None
        body = self.bodies[line.document]
        examples = body.examples
        at = bisect_left(examples, line.unit.end, key=lambda one: one.start)
        after = body.blocks[line.block + 1] if line.block + 1 < len(body.blocks) else None
        if at < len(examples) and (after is None or examples[at].start < after.units[0].start):
            return examples[at]
        # In plain text what is shown stands deeper than the paragraph above it.
        shown = after is not None and after.kind == "quote" and body.blocks[line.block].kind == "para"
        return after.units[0] if after is not None and shown and len(after.units) == 1 else None

    def items_after(self, line: TextLine) -> list[Block]:
        """The items of the list or the rows of the table that a line opens."""
        blocks = self.bodies[line.document].blocks
        after = blocks[line.block + 1] if line.block + 1 < len(blocks) else None
        if after is None or after.kind not in ("item", "row") or after.lead != line.unit:
            return []
        return [block for block in blocks if block.kind == after.kind and block.group == after.group]


def _above(blocks: Sequence[Block], place: int) -> TextUnit | None:
    """The last sentence of the paragraph before this one in its section: what its first sentence may lean on."""
    if not place or blocks[place].kind != "para":
        return None
    before = blocks[place - 1]
    return before.units[-1] if before.kind == "para" and before.path == blocks[place].path and before.units else None


def units_told(block: Block) -> tuple[TextUnit, ...]:
    """What is told of a block: its sentences; a short item is told whole."""
    if block.kind != "item" or len(block.units) < 2 or sum(len(u.text.split()) for u in block.units) > _LONG_ITEM:
        return block.units
    code = tuple(word for unit in block.units for word in unit.code)
    return (TextUnit(block.text, block.units[0].start, block.units[-1].end, code),)


def content_keys(text: str) -> list[str]:
    """The keys of a text that say something, each once."""
    return [one for one in dict.fromkeys(keys(text)) if one not in STOP]
