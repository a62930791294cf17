"""What the learned reader sees: a card of the tables, the question, and the values of the data found in it.

The same card is made when the reader is fitted and when it reads, so a change here asks for a new fit.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any

from averment.plans.real_names import named, quoted, words_of

if TYPE_CHECKING:
    from averment.tables.profile.profiler import ColumnProfile, TableProfile
    from averment.tables.profile.relationships import TableRelation

NOTHING = "NONE"
"""What the reader writes where the data cannot answer."""

WIDE, VERY_WIDE = 60, 120
"""Columns of all tables from which on a card shows fewer values, and from which on it shows none."""

MOST_FOUND = 10
_LISTED, _SOME = 8, 3
_FEW = 14
_LONG = 28
_LONGEST_VALUE = 40
_MOST_NEAR = 4_000
_NEAR = 0.84
_SHORT = {"VARCHAR": "text", "DOUBLE": "num", "FLOAT": "num", "BOOLEAN": "bool", "DATE": "date", "TIME": "clock"}

Texts = Mapping[tuple[str, str], Sequence[str]]
"""The different texts of columns, by table and column, the most frequent first."""


@dataclass(frozen=True, slots=True)
class Card:
    """Tables as the reader sees them, and where their values stand."""

    text: str
    values: dict[str, list[tuple[str, str]]] = field(default_factory=dict[str, list[tuple[str, str]]])
    """Column and value of each text, by its words."""
    words: dict[str, list[tuple[str, str]]] = field(default_factory=dict[str, list[tuple[str, str]]])
    """Column and value of longer texts, by one of their words."""

    @property
    def beginning(self) -> str:
        """What all questions about these tables begin with."""
        return f"### Tables\n{self.text}\n### Question\n"

    def asked(self, question: str) -> str:
        """The rest: the question, and what it says that stands in the data."""
        found = self.found(question)
        return "\n".join([" ".join(question.split()), *(["### Found", "; ".join(found)] if found else []), "### SQL\n"])

    def found(self, question: str) -> list[str]:
        """Values that the question names: whole ones first, then those it names a word of, then those spelt alike."""
        said = words_of(question)
        hits: list[tuple[int, int, str]] = []
        placed: set[str] = set()
        for length in range(6, 0, -1):
            for at in range(len(said) - length + 1):
                phrase = " ".join(said[at : at + length])
                for form in (phrase, f"{phrase}s", phrase[:-1] if phrase.endswith("s") else ""):
                    for column, value in self.values.get(form, ()):
                        hits.append((-length, at, f"{column} = {quoted(value)}"))
                        placed.update(said[at : at + length])
        for at, word in enumerate(said):
            if len(word) > 3 and word not in placed:
                for column, value in self.words.get(word, ())[:3]:
                    hits.append((0, at, f"{column} = {quoted(value)}"))
                    placed.add(word)
        hits += [(1, at, text) for at, text in self._alike(said, placed)]
        return list(dict.fromkeys(text for _, _, text in sorted(hits)))[:MOST_FOUND]

    def _alike(self, said: Sequence[str], placed: set[str]) -> list[tuple[int, str]]:
        if len(self.values) > _MOST_NEAR:
            return []
        long = [value for value in self.values if len(value) > 4]
        found: list[tuple[int, str]] = []
        for at, word in enumerate(said):
            if len(word) > 4 and word not in placed:
                for near in get_close_matches(word, long, n=1, cutoff=_NEAR):
                    found += [(at, f"{column} = {quoted(value)}") for column, value in self.values[near][:2]]
        return found


def card_of(profiles: Sequence[TableProfile], relations: Sequence[TableRelation], texts: Texts) -> Card:
    """The card of some tables."""
    wide = sum(len(profile.columns) for profile in profiles)
    lines = [_line(profile, texts, wide) for profile in profiles]
    lines += list(
        dict.fromkeys(
            f"{named(one.left)}.{named(one.left_column)} = {named(one.right)}.{named(one.right_column)}"
            for one in relations
        )
    )[:20]
    made = Card("\n".join(lines))
    for profile in profiles:
        for column in profile.columns:
            called = f"{named(profile.table)}.{named(column.name)}"
            for value in _texts(profile, column, texts):
                words = words_of(value)
                whole = " ".join(words)
                if not 1 < len(whole) <= _LONGEST_VALUE:
                    continue
                made.values.setdefault(whole, []).append((called, value))
                for word in set(words) if len(words) > 1 else ():
                    if len(word) > 3:
                        made.words.setdefault(word, []).append((called, value))
    return made


def _line(profile: TableProfile, texts: Texts, wide: int) -> str:
    columns = "; ".join(_column(profile, column, texts, wide) for column in profile.columns)
    return f"{named(profile.table)} [{profile.row_count} rows]: {columns}"


def _column(profile: TableProfile, column: ColumnProfile, texts: Texts, wide: int) -> str:
    parts = [named(column.name), _kind(column.type)]
    if wide <= VERY_WIDE:
        parts.append(_holds(profile, column, texts, few=wide > WIDE))
    if column.nulls:
        parts.append(f"{column.nulls} missing")
    return " ".join(part for part in parts if part)


def _kind(engine_type: str) -> str:
    kind = engine_type.split("(")[0].upper()
    if kind in _SHORT:
        return _SHORT[kind]
    if kind.startswith("TIMESTAMP"):
        return "time"
    if "INT" in kind:
        return "int"
    return "num" if kind in {"DECIMAL", "NUMERIC", "REAL"} else kind.casefold()


def _holds(profile: TableProfile, column: ColumnProfile, texts: Texts, *, few: bool) -> str:
    if column.data_type == "string":
        values = _texts(profile, column, texts)
        short = column.cardinality <= _FEW and not few
        shown = [quoted(value[:_LONG]) for value in values[: _LISTED if short else 2 if few else _SOME]]
        more = column.cardinality > len(shown)
        return "|".join(shown) + ("|..." if more and shown else "")
    unique = (
        " unique" if profile.row_count > 3 and column.cardinality == profile.row_count and "INT" in column.type else ""
    )
    if column.type == "BOOLEAN":
        return ""
    if column.values is not None and column.cardinality <= 4:
        return "|".join(sorted((_short(value) for value, _ in column.values), key=_as_number))
    if column.minimum is None:
        return ""
    return f"{_short(column.minimum)}..{_short(column.maximum)}{unique}"


def _texts(profile: TableProfile, column: ColumnProfile, texts: Texts) -> Sequence[str]:
    if column.data_type != "string":
        return ()
    if column.values is not None:
        return [str(value) for value, _ in column.values]
    return texts.get((profile.table, column.name)) or column.sample_values


def _short(value: Any) -> str:
    if isinstance(value, float):
        return f"{value:.6g}"
    return str(value).removesuffix(" 00:00:00").removesuffix("T00:00:00")


def _as_number(text: str) -> tuple[float, str]:
    try:
        return float(text), text
    except ValueError:
        return 0.0, text
