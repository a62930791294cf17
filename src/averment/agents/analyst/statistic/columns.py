"""Columns as a question names them: quoted, word for word, abbreviated, or by a name it has just given."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from averment.language.linking import Link, Linker, Target, select_links
from averment.language.tokens import STOP_WORDS, tokenise

if TYPE_CHECKING:
    from averment.tables.engine import Engine
    from averment.tables.profile import ColumnProfile, TableProfile

SURE = 0.8
"""From this on a link counts as a mention; weaker ones are asked for only where nothing else is named."""

_NOT_COLUMNS = frozenset(
    """
    mean median mode std standard deviation variance correlation coefficient p-value value values column columns row
    rows data dataset table feature features number test index level type name score missing outlier outliers result
    results range count percentage set group distribution average total sum method case new
    """.split()
)
"""Words of the trade: alone and in small letters they name no column unless they are its whole name."""


_MOST_LOOKUPS = 30
"""Queries for values that one reading may cost."""


@dataclass(frozen=True)
class Mention:
    """A column named in a text, where, and how surely."""

    column: str
    start: int
    end: int
    score: float


class Columns:
    """The columns of one table and the features a question adds to them."""

    def __init__(
        self, profile: TableProfile, originals: dict[str, str] | None = None, engine: Engine | None = None
    ) -> None:
        self._engine = engine
        self._lookups = 0
        self._held: dict[tuple[str, str], str | None] = {}
        self.profile = profile
        self.derived: list[str] = []
        self._originals = originals or {}
        self._called: dict[str, list[str]] = {}
        self.spelled: set[str] = set()
        self._linker = self._make()

    def _make(self) -> Linker:
        targets = [
            Target(c.name, (c.name, self._originals.get(c.name) or c.name, *self._called.get(c.name, [])))
            for c in self.profile.columns
            if self._originals.get(c.name, c.name)
        ]
        return Linker([*targets, *(Target(name, (name,)) for name in self.derived)])

    def add(self, name: str) -> None:
        """Know a feature that the question defines."""
        if name not in self.derived and self.profile.column(name) is None:
            self.derived.append(name)
            self._linker = self._make()

    def call(self, name: str, also: str) -> None:
        """Know another name the question gives a column: ``air pressure (BARO)``."""
        if also and also not in self._called.get(name, []):
            self._called.setdefault(name, []).append(also)
            self._linker = self._make()

    def spell(self, text: str) -> None:
        """Know which columns a text spells as the table does; their names are then theirs in small letters too."""
        self.spelled = {one.column for one in self._exact(text)}

    def large_texts(self) -> list[str]:
        """Columns of texts with too many values to be listed in the profile."""
        return [
            c.name for c in self.profile.columns if c.data_type == "string" and c.values is None and c.cardinality > 0
        ]

    def holds(self, name: str, said: str) -> str | None:
        """The value of a column that is said, letter case and outer blanks ignored; asked of the data once."""
        if self._engine is None or self._lookups >= _MOST_LOOKUPS:
            return None
        key = (name, said.casefold())
        if key not in self._held:
            self._lookups += 1
            quoted = name.replace('"', '""')
            sql = f'SELECT "{quoted}" AS v FROM "{self.profile.table}" WHERE lower(trim("{quoted}")) = ? LIMIT 1'
            rows = self._engine.run(sql, (said.casefold().strip(),), timeout=5.0).table.to_pylist()
            self._held[key] = str(rows[0]["v"]) if rows else None
        return self._held[key]

    def of(self, name: str) -> ColumnProfile | None:
        """The profile of a column of the table; None for an added feature."""
        return self.profile.column(name)

    def is_number(self, name: str) -> bool:
        """Whether the column holds numbers; an added feature counts as such."""
        found = self.of(name)
        return found is None or found.data_type in ("integer", "float")

    def mentions(self, text: str, *, minimum: float = SURE) -> list[Mention]:
        """The columns a text names, in its order."""
        exact = self._exact(text)
        masked = list(text)
        for one in exact:
            masked[one.start : one.end] = "·" * (one.end - one.start)
        rest = "".join(masked)
        links = select_links(
            [one for one in self._linker.link(tokenise(rest), minimum=minimum) if self._fair(one, rest)]
        )
        found = exact + [Mention(one.target, one.span[0], one.span[1], one.score) for one in links]
        return sorted(found, key=lambda one: one.start)

    def named(self, text: str, *, minimum: float = SURE) -> list[str]:
        """The different columns a text names, in its order."""
        return list(dict.fromkeys(one.column for one in self.mentions(text, minimum=minimum)))

    def _exact(self, text: str) -> list[Mention]:
        """Names that stand in the text letter for letter, the longest first; quoted ones in any case."""
        taken: list[Mention] = []
        names = [column.name for column in self.profile.columns] + self.derived
        for name in sorted(names, key=len, reverse=True):
            quoted = re.compile(rf"(?<=[\"'“‘`]){re.escape(name)}(?=[\"'”’`])", re.IGNORECASE)
            plain = re.compile(rf"(?<![\w.]){re.escape(name)}(?!\w)")
            common = name.casefold() in STOP_WORDS | _NOT_COLUMNS and name.islower()
            for pattern in (quoted,) if common else (quoted, plain):
                for found in pattern.finditer(text):
                    if not any(found.start() < one.end and one.start < found.end() for one in taken):
                        taken.append(Mention(name, found.start(), found.end(), 1.0))
        return taken

    def _fair(self, link: Link, text: str) -> bool:
        said = text[link.span[0] : link.span[1]]
        short = len(link.target) <= 2 or link.target.casefold() in STOP_WORDS
        if short and link.name not in self._called.get(link.target, []):
            return said == link.target
        if said.casefold() in _NOT_COLUMNS:
            whole = link.how == "exact" and link.coverage == 1.0
            return whole and (said == link.target or link.target in self.spelled)
        return "·" not in said
