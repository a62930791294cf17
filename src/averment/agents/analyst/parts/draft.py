"""A question on its way to a reading: its words over one table, and which of them have found a place."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from datetime import date
from functools import cached_property

from averment.agents.analyst.parts.words import NEUTRAL, ORDINARY, SPLITTERS
from averment.language.linking import Link, Linker, Target, select_links
from averment.language.tokens import Span, Token, fold, split_words
from averment.tables.profile import ColumnProfile, TableProfile

_LEAST = 0.75
_SAME = 0.03


@dataclass(frozen=True)
class Unclear:
    """The question is of this kind and cannot be read with confidence; ``question`` is what to ask back."""

    question: str
    unread: tuple[str, ...] = ()


@dataclass
class Draft:
    """The words of one question over one table; ``used`` are the places of those that have been understood."""

    text: str
    profile: TableProfile
    names: frozenset[str] = frozenset()
    """Names of columns, of this table and of others."""
    used: set[int] = field(default_factory=set[int])
    doubts: list[str] = field(default_factory=list[str])

    @cached_property
    def tokens(self) -> list[Token]:
        """The words in order."""
        return split_words(self.text)

    @cached_property
    def folded(self) -> str:
        """The text patterns run over; positions are those of the text."""
        return fold(self.text)

    def take(self, pattern: str | re.Pattern[str]) -> re.Match[str] | None:
        """The first find of a pattern none of whose words is used or names a column; its words count as understood."""
        for found in re.finditer(pattern, self.folded):
            places = self.places(found.span())
            named = any(self.tokens[place].stem in self.named for place in places)
            if places and not named and not self.used & set(places):
                self.used.update(places)
                return found
        return None

    @cached_property
    def named(self) -> frozenset[str]:
        """Words of column names that might else ask for something: a column called rank asks for no ranking."""
        every = {*self.names, *(column.name for column in self.profile.columns)}
        words = {word.stem for name in every for word in split_words(name)}
        return frozenset(words - ORDINARY)

    def says(self, pattern: str) -> bool:
        """Whether the question says it, understood already or not."""
        return re.search(pattern, self.folded) is not None

    def places(self, span: Span) -> list[int]:
        """The places of the words that begin inside a stretch of the text."""
        return [place for place, token in enumerate(self.tokens) if span[0] <= token.start < span[1]]

    def free(self, places: list[int] | tuple[int, ...]) -> bool:
        """Whether none of the words has been understood yet."""
        return not self.used & set(places)

    def normal(self, place: int) -> str:
        """The word at a place, nothing outside."""
        return self.tokens[place].normal if 0 <= place < len(self.tokens) else ""

    def column(self, name: str) -> ColumnProfile:
        """The column of that name."""
        found = self.profile.column(name)
        assert found is not None  # names come from the profile
        return found

    @property
    def timestamps(self) -> list[ColumnProfile]:
        """The columns that say when."""
        return [column for column in self.profile.columns if column.inferred_type == "timestamp"]

    @property
    def measures(self) -> list[ColumnProfile]:
        """The columns that say how much."""
        return [column for column in self.profile.columns if column.inferred_type == "measure"]

    @property
    def dimensions(self) -> list[ColumnProfile]:
        """The columns rows can be parted by."""
        return [column for column in self.profile.columns if column.inferred_type == "dimension"]

    @property
    def last_day(self) -> date | None:
        """The latest day in the data, which relative periods count from."""
        days = [day_of(column.maximum) for column in self.timestamps]
        return max((day for day in days if day is not None), default=None)

    def links(self) -> list[Link]:
        """The columns named by words not yet understood, in the order of the text.

        Words that name two columns equally well are a doubt.
        """
        linker = Linker([Target(column.name, (column.name,)) for column in self.profile.columns])
        found = [link for link in linker.link(self.tokens, minimum=_LEAST) if self.free(link.words)]
        found = [link for link in found if self._says_something(link)]
        chosen = select_links(found)
        # The table's own name is what a row is called, and no doubt about which of its columns is meant.
        own = {word.stem for word in split_words(self.profile.table)}
        for link in chosen:
            rivals = [
                other.target
                for other in found
                if other.words == link.words and other.target != link.target and other.score > link.score - _SAME
            ]
            if rivals and not own.issuperset(self.tokens[place].stem for place in link.words):
                words = " ".join(self.tokens[place].text for place in link.words)
                self.doubts.append(f"Does “{words}” mean {' or '.join([link.target, *rivals])}?")
        return chosen

    def _says_something(self, link: Link) -> bool:
        """Whether a name is more than words that stand in any question; "by group" names a column of that name."""
        if not all(self.normal(place) in NEUTRAL for place in link.words):
            return True
        first = min(link.words)
        return first > 0 and self.normal(first - 1) in SPLITTERS and self.normal(first) not in SPLITTERS

    def unread(self) -> tuple[str, ...]:
        """The words that carry meaning and found no place."""
        named = {word.stem for word in split_words(self.profile.table)}
        return tuple(
            token.text
            for place, token in enumerate(self.tokens)
            if place not in self.used and token.normal not in NEUTRAL and token.stem not in named
        )


def day_of(value: object) -> date | None:
    """A profile's extreme as a day."""
    try:
        return date.fromisoformat(str(value)[:10])
    except ValueError:
        return None
