"""Placing: which column a mention means, told by the tables and words around it, and where sorting is spoken of."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from averment.agents.analyst.query.draft import Draft
from averment.agents.analyst.query.mentions import Choice, Marked, Mention
from averment.agents.analyst.query.vocabulary import Place, Vocabulary
from averment.agents.analyst.query.words import COUNTS, DOWN, ORDERS, PASSED, RELATIVES, UP
from averment.language.stems import stem
from averment.language.tokens import split_identifier

if TYPE_CHECKING:
    from datetime import date

_QUALIFIED = 0.35
_SEEN = 0.12
_HOME = 0.5
_PREFERRED = 0.4
_AS_GOOD = 0.12


class Placer:
    """Knows one marked question and finds the columns its mentions mean."""

    def __init__(
        self,
        marked: Marked,
        vocabulary: Vocabulary,
        anchor: date | None = None,
        *,
        settled: bool = True,
        preferred: frozenset[str] = frozenset(),
    ) -> None:
        self.anchor = anchor
        self.marked = marked
        self.vocabulary = vocabulary
        self.draft = Draft()
        self.anchors = _anchors(marked, vocabulary)
        self.home = _home(marked, vocabulary, {a.table for a in self.anchors if not a.named}) if settled else None
        self.preferred = preferred
        self.margins: list[float] = []
        self.sorted_from, self.sort_down = self._sorting()
        self._pending: list[tuple[Mention, str]] = []

    def resolve(self, mention: Mention, *, back: bool = False, number: bool = False) -> Place | None:
        """The column a mention means: the nearest table decides among namesakes; a ``number`` can be summed."""
        choices = [one for one in mention.columns() if not number or self._adds_up(one.place)]
        if not choices:
            return None
        near = self.nearest_table(mention, back=back)
        word = self.marked.normal(mention.first)
        if mention.kind == "column" and len(mention.words) == 1 and near is not None:
            if word in {"name", "names"} and not any(one.table == near and one.score > 0.7 for one in choices):
                return Place(near, self.vocabulary.label(near)[0])
            if word in {"id", "ids"} and near in self.vocabulary.keys:
                return Place(near, self.vocabulary.keys[near])

        def weigh(one: Choice) -> float:
            return (
                one.score
                + (_QUALIFIED if one.table == near else 0)
                + (_SEEN if one.table in self.draft.tables else 0)
                + (_HOME if one.table == self.home else 0)
                + (_PREFERRED if one.table in self.preferred else 0)
                + (0.5 if self.in_sorting(mention) and one.place in self.draft.outputs else 0)
                + (0.05 if self.draft.outputs and one.table == self.draft.outputs[-1].table else 0)
                + (0.45 if self._says_table(mention, one.table) else 0)
                + min(0.1, 0.03 * self._company(mention, one.table))
                - (0.03 if self._is_reference(one.place) else 0)
            )

        best = max(choices, key=weigh)
        rivals = [weigh(one) for one in choices if one.place != best.place and not self._same(one.place, best.place)]
        self.margins.append(weigh(best) - max(rivals) if rivals else 1.0)
        return best.place

    def _same(self, one: Place, two: Place) -> bool:
        """Whether two columns hold the same thing: a key and what refers to it."""
        return any(
            {(each.left, each.left_column), (each.right, each.right_column)}
            == {(one.table, one.column), (two.table, two.column)}
            for each in self.vocabulary.relations
        )

    def _adds_up(self, place: Place) -> bool:
        """Whether a column holds amounts: numbers that are no keys, or numbers written as text."""
        profile = self.vocabulary.column(place)
        if profile.data_type in {"integer", "float"}:
            return True
        samples = [value for value in profile.sample_values if value]
        return profile.data_type == "string" and bool(samples) and all(map(_is_number, samples))

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
        before = [one for one in self.anchors if one.last < mention.first]
        after = [one for one in self.anchors if one.first > mention.last]
        if before and before[-1].last == mention.first - 1 and before[-1].named:
            return before[-1].table
        listed = self._listed_after(mention)
        if listed is not None:
            return listed
        lead = [self.marked.normal(place) for place in range(max(0, mention.first - 3), mention.first)]
        if before and (back or any(word in RELATIVES or word in {"their", "his", "her", "its"} for word in lead)):
            return before[-1].table
        if after and not any(mention.last < place <= after[0].first for place in self.marked.breaks):
            between = [self.marked.normal(p) for p in range(mention.last + 1, after[0].first)]
            if not any(word in RELATIVES for word in between):
                return after[0].table
        return before[-1].table if before else (after[0].table if after else None)

    def _listed_after(self, mention: Mention) -> str | None:
        """The table of the column right before in a list: "document ids, names and dates"."""
        earlier = [m for m in self.marked.mentions if m.last < mention.first]
        if not earlier or earlier[-1].kind != "column" or not self.draft.outputs or mention.first in self.marked.breaks:
            return None
        gap = [self.marked.normal(place) for place in range(earlier[-1].last + 1, mention.first)]
        if any(word not in {"and", "the", "or"} for word in gap) or not set(earlier[-1].words) <= self.draft.used:
            return None
        table = self.draft.outputs[-1].table
        return table if any(choice.table == table for choice in mention.columns()) else None

    def lead(self, place: int) -> tuple[str, int]:
        """The first word before a place that is more than a little word."""
        owner = self.marked.at(place - 1)
        if owner is not None and owner.kind == "table" and owner.last == place - 1 and self._holds(place, owner):
            # "how many different store locations": the owner stands between.
            at = self._back(owner.first - 1)
            if self.marked.normal(at) in COUNTS:
                return self.marked.normal(at), at
        at = self._back(place - 1)
        return self.marked.normal(at), at

    def _back(self, at: int) -> int:
        while at >= 0 and self.marked.normal(at) in PASSED and at + 1 not in self.marked.breaks:
            at -= 1
        return at

    def _holds(self, place: int, owner: Mention) -> bool:
        """Whether the mention at a place may be a column of the table named before it."""
        mention = self.marked.at(place)
        if mention is None or mention.kind != "column" or owner.first == 0:
            return False
        return any(choice.table == owner.choices[0].table for choice in mention.columns())

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
        if any(self.sorted_from < place <= mention.first for place in self.marked.breaks):
            return False
        words = [self.marked.normal(place) for place in range(self.sorted_from + 1, mention.first)]
        if any(word in {"return", "show", "list", "give", "display", "report", "tell", "find"} for word in words):
            return False
        later = [self.marked.normal(place) for place in range(mention.last + 1, len(self.marked.tokens))]
        # "sort the names by age": what is sorted stands before "by", what it is sorted by after it.
        return "by" in words or "of" in words or "by" not in later or not words or words[-1] == "and"


def _is_number(text: str) -> bool:
    try:
        float(text.replace(",", ""))
    except ValueError:
        return False
    return True


@dataclass(frozen=True)
class Anchor:
    """Where a question speaks of a table: by its name, or within a column's ("names of documents")."""

    table: str
    first: int
    last: int
    named: bool


def _anchors(marked: Marked, vocabulary: Vocabulary) -> list[Anchor]:
    names: dict[str, str] = {}
    for profile in vocabulary.profiles:
        words = [word for word in split_identifier(profile.table) if word not in {"ref", "tbl", "table"}]
        if len(words) == 1:
            names.setdefault(stem(words[0]), profile.table)
    found: list[Anchor] = []
    for mention in marked.mentions:
        if mention.kind == "table":
            found.append(Anchor(mention.choices[0].table, mention.first, mention.last, named=True))
        elif mention.kind == "column" and mention.words[-1] - mention.words[0] >= len(mention.words):
            for place in mention.words:
                table = names.get(marked.tokens[place].stem)
                if table is not None and any(choice.table == table for choice in mention.choices):
                    found.append(Anchor(table, place, place, named=False))
                    break
    return found


def _home(marked: Marked, vocabulary: Vocabulary, anchored: set[str]) -> str | None:
    """The one table that everything the question names may lie in; it needs no other then."""
    named = [m for m in marked.mentions if m.kind in {"table", "column", "value"} and not m.implied and m.choices]
    if not named:
        return None
    weights: dict[str, float] = {}
    for table in {choice.table for mention in named for choice in mention.choices}:
        scores = [max((c.score for c in m.choices if c.table == table), default=0.0) for m in named]
        bests = [max(c.score for c in m.choices) for m in named]
        if all(score and score >= best - _AS_GOOD for score, best in zip(scores, bests, strict=True)):
            weights[table] = sum(scores)
    weights = {table: weight for table, weight in weights.items() if anchored <= {table}}
    if not weights:
        return None
    said = {c.table for m in named if m.kind == "table" for c in m.tables()[:1]}
    keys = {
        table: sum(any(c.column == vocabulary.keys.get(table) for c in m.choices if c.table == table) for m in named)
        for table in weights
    }
    # Of equals the one that holds records rather than the list of its keys.
    return max(sorted(weights), key=lambda table: (table in said, round(weights[table], 2), -keys[table]))
