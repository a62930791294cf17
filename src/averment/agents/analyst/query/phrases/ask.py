"""What a question asks, in phrases: items to show, what they are split by, how they are ranked and sorted."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Literal

Kind = Literal[
    "dim",
    "count",
    "sum",
    "avg",
    "min",
    "max",
    "median",
    "stddev",
    "grain",
    "rank",
    "change",
    "formula",
    "stamp",
    "span",
]


@dataclass(frozen=True)
class Item:
    """One thing named by a phrase: ``words`` are those of its name, ``places`` where they stand among the tokens.

    ``whole`` is the phrase as it was written; ``of`` says that rows are counted first and the counts are averaged.
    """

    kind: Kind
    words: tuple[str, ...] = ()
    places: tuple[int, ...] = ()
    distinct: bool = False
    grain: str | None = None
    whole: str = ""
    counted: bool = False
    tree: object = None
    """For a formula its operation and the two sides, each an item, a number or a formula; for a span its two dates."""
    by: Item | None = None
    """What is ranked by, or whose change is asked for."""
    unit: str = ""
    relative: bool = False
    narrowed: str = ""
    """Words of a definition that may hold conditions."""
    first: bool = False
    """Whether its noun comes first: "name of the user"."""

    def leaves(self) -> list[Item]:
        """The items that need columns of their own: itself, or what its formula is made of."""
        if self.by is not None:
            return self.by.leaves()
        if self.tree is None:
            return [self] if self.words else []
        found: list[Item] = []
        queue: list[object] = [self.tree]
        while queue:
            one = queue.pop(0)
            if isinstance(one, Item):
                found += one.leaves()
            elif isinstance(one, tuple):
                queue += [*one[1:]]  # pyright: ignore[reportUnknownArgumentType]  # formulas are tuples of an operation and two sides
        return found

    def named(self, words: tuple[str, ...]) -> Item:
        """The same thing with other words."""
        return replace(self, words=words)


@dataclass(frozen=True)
class Rank:
    """The first ``count`` of a ranking by ``by``; without ``by`` the order of rows counted."""

    count: int | None
    down: bool
    by: Item | None


@dataclass(frozen=True)
class Sort:
    """What the answer is sorted by; no item means what is measured, or else the first thing shown."""

    item: Item | None
    down: bool


@dataclass
class Asked:
    """A question taken apart."""

    items: list[Item] = field(default_factory=list[Item])
    splits: list[Item] = field(default_factory=list[Item])
    ranks: list[Rank] = field(default_factory=list[Rank])
    sorts: list[Sort] = field(default_factory=list[Sort])
    head: list[Item] = field(default_factory=list[Item])
    listed: bool = False
    parts: list[tuple[int, int]] = field(default_factory=list[tuple[int, int]])
    """Stretches of text that only narrow the last count: "how many of these were on weekends"."""
    used: set[int] = field(default_factory=set[int])
    distinct: bool = False
