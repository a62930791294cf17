"""Placing: which column a mention means, told by the tables and words around it, and where sorting is spoken of."""

from __future__ import annotations

from typing import TYPE_CHECKING

from averment.agents.analyst.query.draft import Draft
from averment.agents.analyst.query.mentions import Marked, Mention
from averment.agents.analyst.query.vocabulary import Place, Vocabulary
from averment.agents.analyst.query.words import DOWN, ORDERS, PASSED, RELATIVES, UP
from averment.language.stems import stem
from averment.language.tokens import split_identifier

if TYPE_CHECKING:
    from datetime import date

_QUALIFIED = 0.35
_SEEN = 0.12


class Placer:
    """Knows one marked question and finds the columns its mentions mean."""

    def __init__(self, marked: Marked, vocabulary: Vocabulary, anchor: date | None = None) -> None:
        self.anchor = anchor
        self.marked = marked
        self.vocabulary = vocabulary
        self.draft = Draft()
        self.sorted_from, self.sort_down = self._sorting()
        self._pending: list[tuple[Mention, str]] = []

    def resolve(self, mention: Mention, *, back: bool = False) -> Place | None:
        """The column a mention means: the nearest table decides among namesakes."""
        choices = mention.columns()
        if not choices:
            return None
        near = self.nearest_table(mention, back=back)
        word = self.marked.normal(mention.first)
        if mention.kind == "column" and len(mention.words) == 1 and near is not None:
            if word in {"name", "names"} and not any(one.table == near and one.score > 0.7 for one in choices):
                return Place(near, self.vocabulary.label(near)[0])
            if word in {"id", "ids"} and near in self.vocabulary.keys:
                return Place(near, self.vocabulary.keys[near])
        best = max(
            choices,
            key=lambda one: (
                one.score
                + (_QUALIFIED if one.table == near else 0)
                + (_SEEN if one.table in self.draft.tables else 0)
                + (0.5 if self.in_sorting(mention) and one.place in self.draft.outputs else 0)
                + (0.05 if self.draft.outputs and one.table == self.draft.outputs[-1].table else 0)
                + (0.45 if self._says_table(mention, one.table) else 0)
                + min(0.1, 0.03 * self._company(mention, one.table))
                - (0.03 if self._is_reference(one.place) else 0)
            ),
        )
        return best.place

    def _company(self, mention: Mention, table: str) -> int:
        """How many other mentions name columns of a table for sure."""
        return sum(
            any(one.table == table and one.score >= 0.9 for one in other.columns())
            for other in self.marked.mentions
            if other is not mention and other.kind == "column"
        )

    def _says_table(self, mention: Mention, table: str) -> bool:
        """Whether a column's words name its table too: "template ids"."""
        words = {self.marked.tokens[place].stem for place in mention.words}
        return len(mention.words) > 1 and {stem(word) for word in split_identifier(table)} <= words

    def _is_reference(self, place: Place) -> bool:
        return any(one.left == place.table and one.left_column == place.column for one in self.vocabulary.relations)

    def nearest_table(self, mention: Mention, *, back: bool = False) -> str | None:
        """The table whose column a mention most likely is: "dog's name", "names of dogs", "teachers whose age"."""
        tables = [m for m in self.marked.mentions if m.kind == "table" and m is not mention]
        before = [m for m in tables if m.last < mention.first]
        after = [m for m in tables if m.first > mention.last]
        if before and before[-1].last == mention.first - 1:
            return before[-1].choices[0].table
        listed = self._listed_after(mention)
        if listed is not None:
            return listed
        lead = [self.marked.normal(place) for place in range(max(0, mention.first - 3), mention.first)]
        if before and (back or any(word in RELATIVES or word in {"their", "his", "her", "its"} for word in lead)):
            return before[-1].choices[0].table
        if after and not any(mention.last < place <= after[0].first for place in self.marked.breaks):
            between = [self.marked.normal(p) for p in range(mention.last + 1, after[0].first)]
            if not any(word in RELATIVES for word in between):
                return after[0].choices[0].table
        return before[-1].choices[0].table if before else (after[0].choices[0].table if after else None)

    def _listed_after(self, mention: Mention) -> str | None:
        """The table of the column right before in a list: "document ids, names and dates"."""
        earlier = [m for m in self.marked.mentions if m.last < mention.first]
        if not earlier or earlier[-1].kind != "column" or not self.draft.outputs or mention.first in self.marked.breaks:
            return None
        gap = [self.marked.normal(place) for place in range(earlier[-1].last + 1, mention.first)]
        if any(word not in {"and", "the", "or"} for word in gap) or not set(earlier[-1].words) <= self.draft.used:
            return None
        return self.draft.outputs[-1].table

    def lead(self, place: int) -> tuple[str, int]:
        """The first word before a place that is more than a little word."""
        at = place - 1
        while at >= 0 and self.marked.normal(at) in PASSED and at + 1 not in self.marked.breaks:
            at -= 1
        return self.marked.normal(at), at

    def _sorting(self) -> tuple[int | None, bool]:
        """Where the words about sorting begin, and whether they count down."""
        words = [token.normal for token in self.marked.tokens]
        down = any(word in DOWN for word in words)
        text = self.marked.text.casefold()
        if any(
            said in text
            for said in (
                "high to low",
                "highest to lowest",
                "most to least",
                "largest to smallest",
                "oldest to youngest",
                "longest to shortest",
                "latest to earliest",
                "z to a",
            )
        ):
            down = True
        for place, word in enumerate(words):
            nearby = words[place : place + 5]
            if word in ORDERS and ("by" in nearby or "of" in nearby[:2] or word in {"order", "ordered", "sorted"}):
                if word == "rank" or (
                    word == "order"
                    and "in" not in words[max(0, place - 4) : place]
                    and "by" not in nearby[:2]
                    and "of" not in nearby[:2]
                ):
                    continue
                return place, down
        for place, word in enumerate(words):
            if word in DOWN or word in UP or word.startswith("alphabetical"):
                return place, down
        return None, down

    def in_sorting(self, mention: Mention) -> bool:
        """Whether a mention stands among the words about sorting."""
        if self.sorted_from is None or mention.first < self.sorted_from:
            return False
        return not any(self.sorted_from < place <= mention.first for place in self.marked.breaks) and not any(
            self.marked.normal(place) in {"return", "show", "list", "give", "and"} and place + 1 == mention.first
            for place in range(self.sorted_from, mention.first)
        )
