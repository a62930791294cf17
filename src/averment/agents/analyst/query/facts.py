"""Facts about a question over one table: the cells, columns and amounts it names, and which column answers it.

Web tables seldom say a column's name in full. What answers a question is told by its question word, by the noun after
it, and by which columns its cells leave over.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

from averment.agents.analyst.query.mentions import Marked, Mention
from averment.agents.analyst.query.vocabulary import Vocabulary
from averment.agents.analyst.query.words import NEUTRAL
from averment.language.tokens import split_identifier
from averment.tables.select_spec import Condition, Term, column

if TYPE_CHECKING:
    from averment.tables.profile import ColumnProfile, TableProfile

_WHO = frozenset(
    """
    name player driver rider winner athlete person candidate director author actor artist swimmer skier
    cyclist coach manager member president champion nominee incumbent opponent leader wrestler singer team
    """.split()
)
_WHERE = frozenset(
    "location venue city country place town state site stadium circuit county region nation address".split()
)
_WHEN = frozenset("year date season day month time period released opened founded".split())
_NUMERIC = re.compile(r"^[\s$€£(~]*[-+−]?\d[\d,]*(?:\.\d+)?")
_MONTH_NAMES = frozenset(
    "january february march april may june july august september october november december".split()
)
_MONTHS = frozenset(name[:3] for name in _MONTH_NAMES)
_RANKS = frozenset("rank pos position no number place # seed pick round".split())


@dataclass(frozen=True)
class Cell:
    """Cells a question names: values of one column, with the words that name them."""

    column: str
    values: tuple[str | int | float, ...]
    words: tuple[int, ...]
    score: float
    contains: str | None = None

    def condition(self, table: str, *, negated: bool = False) -> Condition:
        """The rows that hold one of the values."""
        term = column(table, self.column)
        if self.contains == "month":
            term = Term(kind="part", part="month_name", arguments=(term,))
        if len(self.values) == 1:
            return Condition(term=term, operator="<>" if negated else "=", values=self.values)
        return Condition(term=term, operator="not in" if negated else "in", values=self.values)


@dataclass
class Facts:
    """What a question over one table names."""

    marked: Marked
    vocabulary: Vocabulary
    profile: TableProfile
    used: set[int] = field(default_factory=set[int])

    @property
    def table(self) -> str:
        """The table's name."""
        return self.profile.table

    @cached_property
    def words(self) -> list[str]:
        """The question's words in normal form."""
        return [token.normal for token in self.marked.tokens]

    @cached_property
    def text(self) -> str:
        """The question in small letters."""
        return self.marked.text.casefold()

    def numeric(self, profile: ColumnProfile) -> bool:
        """Whether a column's cells can be read as numbers."""
        if profile.data_type in {"integer", "float"}:
            return True
        if profile.data_type != "string":
            return False
        listed = [str(v) for v, _ in profile.values or () if v is not None] or list(profile.sample_values)
        known = [value for value in listed if value.strip() not in {"", "-", "–", "—", "n/a", "N/A"}]
        return bool(known) and sum(bool(_NUMERIC.match(value)) for value in known) >= 0.8 * len(known)

    def number(self, name: str) -> Term:
        """A column's cells as numbers."""
        profile = self.profile.column(name)
        term = column(self.table, name)
        if profile is not None and profile.data_type == "string":
            return Term(kind="number", arguments=(term,))
        return term

    @cached_property
    def columns(self) -> list[tuple[Mention, list[ColumnProfile]]]:
        """Mentions of columns with what they may mean, best first."""
        found: list[tuple[Mention, list[ColumnProfile]]] = []
        for mention in self.marked.mentions:
            names = [self.profile.column(choice.column) for choice in mention.columns()]
            known = [profile for profile in names if profile is not None]
            if known and mention.kind in {"column", "table"}:
                found.append((mention, known))
        return found

    @cached_property
    def cells(self) -> list[Cell]:
        """Cells named by words, then by numbers, none sharing words."""
        found: list[Cell] = []
        for mention in self.marked.mentions:
            if mention.kind == "value":
                by_column: dict[str, list[str]] = {}
                for choice in mention.choices:
                    by_column.setdefault(choice.column, []).append(choice.value or "")
                best = max(
                    by_column,
                    key=lambda name: (self._said_near(name, mention), self._top(mention, name), -len(by_column[name])),
                )
                found.append(Cell(best, tuple(dict.fromkeys(by_column[best])), mention.words, mention.choices[0].score))
            elif mention.kind == "number" and mention.number is not None:
                cell = self._number_cell(mention)
                if cell is not None:
                    found.append(cell)
        taken = {place for m in self.marked.mentions if not m.implied for place in m.words}
        for place, token in enumerate(self.marked.tokens):
            if (
                place in taken
                or token.is_stop
                or token.normal in NEUTRAL
                or token.stem in NEUTRAL
                or len(token.normal) < 3
            ):
                continue
            cell = self._part_cell(place, token.normal)
            if cell is not None:
                found.append(cell)
        return sorted(found, key=lambda cell: cell.words)

    def _part_cell(self, place: int, word: str) -> Cell | None:
        """Cells that hold a word the question says: "Forward" for forwards, "January 3" for january, "W 3-1" not."""
        stem_ = re.escape(word.removesuffix("s").removesuffix("ed"))
        pattern = re.compile(rf"(?<!\w){stem_}(?:s|es|ed|d)?(?!\w)", re.IGNORECASE)
        best: Cell | None = None
        for profile in self.profile.columns:
            if profile.inferred_type == "timestamp" and word[:3] in _MONTHS and word in _MONTH_NAMES:
                return Cell(profile.name, (word[:3].title(),), (place,), 0.8, contains="month")
            if profile.data_type != "string":
                continue
            hits = [value for value in self.texts.get(profile.name, ()) if pattern.search(value)]
            if hits and (best is None or len(hits) > len(best.values)):
                best = Cell(profile.name, tuple(hits), (place,), 0.7)
        return best

    @cached_property
    def texts(self) -> dict[str, tuple[str, ...]]:
        """The different texts of each column of texts."""
        return {name: values for (table, name), values in self.vocabulary.texts.items() if table == self.table}

    def _top(self, mention: Mention, name: str) -> float:
        return max(choice.score for choice in mention.choices if choice.column == name)

    def _said_near(self, name: str, mention: Mention) -> bool:
        return any(known[0].name == name and abs(other.first - mention.first) <= 3 for other, known in self.columns)

    def _number_cell(self, mention: Mention) -> Cell | None:
        """A bare number as a cell: of the column named beside it, or of a column of years."""
        assert mention.number is not None  # only numbers come here
        value = int(mention.number) if mention.number == int(mention.number) else mention.number
        near = [
            profile
            for other, known in self.columns
            if 0 < mention.first - other.last <= 3 or 0 < other.first - mention.last <= 2
            for profile in known[:2]
        ]
        years = [
            profile
            for profile in self.profile.columns
            if 1000 <= value <= 2100
            and set(split_identifier(profile.name)) & {"year", "season", "date", "years", "edition"}
        ]
        for profile in (*near, *years):
            if profile.data_type in {"integer", "float"} and _holds(profile, value):
                return Cell(profile.name, (value,), mention.words, 0.9)
            if profile.data_type == "string":
                hits = [
                    str(v)
                    for v, _ in profile.values or ()
                    if v is not None and re.search(rf"(?<!\d){value}(?!\d)", str(v))
                ]
                if hits:
                    return Cell(profile.name, tuple(hits), mention.words, 0.8)
        return None

    @cached_property
    def subject(self) -> str:
        """The column that says what each row is about: the first of many different texts, ranks left out."""
        ranked: list[tuple[float, int, str]] = []
        rows = max(1, self.profile.row_count)
        for place, profile in enumerate(self.profile.columns):
            words = set(split_identifier(profile.name))
            if profile.data_type != "string" or self.numeric(profile) or words & _RANKS:
                continue
            bonus = 0.3 if words & (_WHO | {"title"}) else 0
            ranked.append((-(profile.cardinality / rows) - bonus + 0.08 * place, place, profile.name))
        return min(ranked)[2] if ranked else self.profile.columns[0].name

    def asked(self) -> tuple[str, float]:
        """The column that answers, and how surely it is known."""
        words = self.words
        taken = {name for cell in self.cells for name in [cell.column]}
        for place, word in enumerate(words):
            if word not in {"what", "which", "who", "whom", "where", "when", "name", "whose", "list", "tell"}:
                continue
            for mention, known in self.columns:
                if mention.implied or mention.first < place or mention.first > place + 6:
                    continue
                between = words[place + 1 : mention.first]
                if all(w in _BRIDGE for w in between):
                    self.used.update(mention.words)
                    return known[0].name, 1.0
            hints = {"who": _WHO, "whom": _WHO, "where": _WHERE, "when": _WHEN}.get(word)
            if (
                word in {"what", "which"}
                and place + 1 < len(words)
                and words[place + 1] in {"year", "date", "day", "month", "season"}
            ):
                hints = frozenset({words[place + 1], "year", "date", "season"})
            if (
                word in {"what", "which"}
                and place + 1 < len(words)
                and words[place + 1] in {"country", "nation", "city", "place", "location", "state"}
            ):
                hints = frozenset({words[place + 1], *_WHERE})
            if hints is not None:
                name = self._by_hint(hints, taken if word != "who" else set())
                if name is not None:
                    return name, 0.85
            if word in {"who", "whom"}:
                return self.subject, 0.7
            break
        loose = [known[0].name for mention, known in self.columns if not mention.implied and known[0].name not in taken]
        if loose and len(set(loose)) == 1 and not self.numeric_name(loose[0]):
            return loose[0], 0.75
        return self.subject, 0.6 if self.subject not in taken else 0.3

    def numeric_name(self, name: str) -> bool:
        """Whether the column of that name can be read as numbers."""
        profile = self.profile.column(name)
        return profile is not None and self.numeric(profile)

    def _by_hint(self, hints: frozenset[str], taken: set[str]) -> str | None:
        for profile in self.profile.columns:
            words = {word.removesuffix("s") for word in split_identifier(profile.name)}
            if words & hints and profile.name not in taken:
                return profile.name
        return None

    def measure(self, *, beyond: set[str] | None = None) -> tuple[str, Mention] | None:
        """The numeric column the question names, left of others that are already spoken for."""
        for mention, known in self.columns:
            for profile in known[:3]:
                if self.numeric(profile) and profile.name not in (beyond or set()):
                    return profile.name, mention
        return None


_BRIDGE = frozenset(
    """
    is are was were the a an of did does do has had have in which what name s same only other total first last
    next
    """.split()
)


def _holds(profile: ColumnProfile, value: float) -> bool:
    if profile.values is not None:
        return any(isinstance(v, int | float) and v == value for v, _ in profile.values)
    low, high = profile.minimum, profile.maximum
    return isinstance(low, int | float) and isinstance(high, int | float) and low <= value <= high
