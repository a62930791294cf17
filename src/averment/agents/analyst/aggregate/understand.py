"""Understanding a question over tables by rules: its words are linked to columns, values, periods and operations.

Every content word must find its place. What does not is shown, and when it could have carried the meaning the analyst
asks back instead of guessing.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from datetime import date
from typing import TYPE_CHECKING, Literal

from averment.agents.analyst.aggregate.reading import Reading
from averment.agents.analyst.parts.gather import usual_aggregate
from averment.agents.analyst.parts.nouns import Between, Dimension, Filter, Measure
from averment.agents.analyst.parts.times import beginning, event_words, is_other_event
from averment.language.periods import find_grain, find_periods
from averment.language.tokens import Token, split_words

if TYPE_CHECKING:
    from averment.agents.analyst.parts.nouns import Aggregate, Grain
    from averment.tables.profile import ColumnProfile, TableProfile

AGGREGATES: dict[str, Aggregate] = {
    "total": "sum",
    "sum": "sum",
    "overall": "sum",
    "average": "avg",
    "mean": "avg",
    "avg": "avg",
    "median": "median",
    "minimum": "min",
    "min": "min",
    "lowest": "min",
    "smallest": "min",
    "maximum": "max",
    "max": "max",
    "highest": "max",
    "largest": "max",
    "count": "count",
    "number": "count",
}
SPLITTERS = frozenset({"by", "per", "each", "every", "across"})
ASKING = frozenset(
    """
    show give what is are was were the of for in on a an and me please how many much list chart plot table report
    trend analyze analyse with data all from to between during over its their row record entry
    """.split()
)
GRAINS: tuple[Grain, ...] = ("day", "week", "month", "quarter", "year")
SURE = 0.99
ENDS: dict[str, Literal["value_desc", "value_asc"]] = {
    "highest": "value_desc",
    "largest": "value_desc",
    "greatest": "value_desc",
    "biggest": "value_desc",
    "most": "value_desc",
    "lowest": "value_asc",
    "smallest": "value_asc",
    "least": "value_asc",
}
LISTED_ENDS: dict[str, Literal["value_desc", "value_asc"]] = {"top": "value_desc", "bottom": "value_asc"}
TOP_ROWS, MOST_RANKED = 10, 1_000
_OF_TOTALS = re.compile(r"\b(?:average|mean) (?:daily|weekly|monthly|quarterly|yearly|annual)\b")
_FISCAL = re.compile(r"\b(?:fiscal|financial) (?:year|quarter|half)|\bfy ?\d{2}")
AMOUNTS = frozenset({"amount", "revenue", "sale", "turnover", "total"})


@dataclass(frozen=True)
class Unclear:
    """The question cannot be read with confidence; ``question`` is what to ask back."""

    question: str
    unread: tuple[str, ...] = ()


@dataclass
class _Draft:
    """What has been understood so far of one question over one table."""

    profile: TableProfile
    words: list[Token]
    used: set[int] = field(default_factory=set)

    def phrase(self, start: int, length: int) -> tuple[str, ...]:
        return tuple(word.stem for word in self.words[start : start + length])

    def free(self, start: int, length: int) -> bool:
        return not any(index in self.used for index in range(start, start + length))

    def take(self, start: int, length: int) -> None:
        self.used.update(range(start, start + length))


def read_question(intent: str, profiles: list[TableProfile], *, anchor: date | None = None) -> Reading | Unclear:
    """The best reading of the question over the tables, or what to ask back."""
    readings = [_read_over(intent, profile, anchor) for profile in profiles]
    found = [reading for reading in readings if isinstance(reading, Reading)]
    if not found:
        first = readings[0]
        return first if isinstance(first, Unclear) else Unclear("Which table do you mean?")
    best = max(found, key=lambda reading: reading.score)
    if best.score < SURE:
        names = ", ".join(column.name for profile in profiles for column in profile.columns)
        return Unclear(
            f"I do not know what {_quoted(best.unread)} means here. Please say it with these columns: {names}.",
            best.unread,
        )
    return best


def _read_over(intent: str, profile: TableProfile, anchor: date | None) -> Reading | Unclear:
    draft = _Draft(profile=profile, words=split_words(intent))
    if _OF_TOTALS.search(intent.casefold()):
        return Unclear("The average of the rows in each period, or the average of the totals of the periods?")
    if _FISCAL.search(intent.casefold()):
        return Unclear("In which month does your fiscal year begin?")
    each_row = _each_row(draft)
    ranking = _ranking(draft)
    period = _period(intent, draft, anchor)
    grain: Grain | None = next((known for known in GRAINS if known == find_grain(intent)), None)
    opening = _is_open_request(draft)
    if opening and grain is None:
        grain = "month"
    if (grain is not None or find_periods(intent, anchor=anchor)) and _when(draft) is None and _dates(profile):
        return Unclear(f"By which date: {' or '.join(_dates(profile))}?")
    dimensions = _dimensions(draft, grain, ranked=ranking is not None)
    filters = _filters(draft)
    aggregate = _aggregate(draft)
    if each_row and aggregate not in {None, "avg"}:
        return Unclear(f"Each row of {profile.table} is one of these. Do you mean the average?")
    aggregate = "avg" if each_row else aggregate
    column = _measure_column(draft) or (_plain_amount(profile) if opening and aggregate is None else None)
    if aggregate is None and column is None and dimensions and _names_rows(draft):
        aggregate = "count"
    if aggregate is None and column is None and not _asks_for_count(intent):
        return Unclear(_which_measure(profile))
    if aggregate is None and column is not None and _asks_for_count(intent):
        return Unclear(f"Do you mean the number of rows in which {column} is given, or the total {column}?")
    found = profile.column(column) if column is not None else None
    measure = Measure(aggregate=aggregate or ("count" if found is None else usual_aggregate(found)), column=column)
    said = {word.stem for word in draft.words}
    dated = [each.column for each in dimensions if each.grain is not None]
    if measure.column is None and any(is_other_event(profile, name, said) for name in dated):
        return Unclear(f"Each row of {profile.table} is not one of these. What shall I count?")
    if measure.column is None and measure.aggregate != "count":
        return Unclear(_which_measure(profile))
    if ranking is not None and (len(dimensions) != 1 or (aggregate is None and not ranking.listed)):
        return Unclear(_which_ranking(profile, measure, dimensions))
    unread = tuple(
        word.text
        for index, word in enumerate(draft.words)
        if index not in draft.used
        and word.normal not in ASKING
        and word.stem not in ASKING
        and not _is_name(draft, word)
    )
    content = [word for word in draft.words if word.normal not in ASKING]
    return Reading(
        table=profile.table,
        measure=measure,
        dimensions=dimensions,
        filters=filters,
        period=period,
        order=ranking.order
        if ranking
        else "group"
        if any(d.grain for d in dimensions) or not dimensions
        else "value_desc",
        limit=ranking.limit if ranking else None,
        unread=unread,
        score=1.0 - len(unread) / max(1, len(content)),
    )


def _row_words(draft: _Draft) -> set[str]:
    """What one row is called, where it is called after the table; words for money mean an amount."""
    return {each.stem for each in split_words(draft.profile.table)} - AMOUNTS


def _each_row(draft: _Draft) -> bool:
    """``amount per order``, where a row is an order: the average."""
    for index, word in enumerate(draft.words[1:], start=1):
        if draft.words[index - 1].normal == "per" and word.stem in _row_words(draft):
            draft.take(index - 1, 2)
            return True
    return False


def _names_rows(draft: _Draft) -> bool:
    """``orders by day``, where a row is an order: how many."""
    return any(word.stem in _row_words(draft) and index not in draft.used for index, word in enumerate(draft.words))


def _is_name(draft: _Draft, word: Token) -> bool:
    """The table's own name in the question says nothing more."""
    return word.stem in {each.stem for each in split_words(draft.profile.table)}


def _period(intent: str, draft: _Draft, anchor: date | None) -> Between | None:
    column = _when(draft)
    if column is None:
        return None
    for match in find_periods(intent, anchor=anchor):
        if match.period is None or match.excluded:
            continue
        start, end = match.span
        draft.used.update(i for i, word in enumerate(draft.words) if start <= word.start < end)
        return Between(column=column.name, start=match.start, end=match.end, words=match.text)
    return None


def _when(draft: _Draft) -> ColumnProfile | None:
    """The one date there is, or of several the one that the question or the table is called after."""
    columns = [column for column in draft.profile.columns if column.inferred_type == "timestamp"]
    if len(columns) < 2:
        return columns[0] if columns else None
    for stems in ({word.stem for word in draft.words}, {word.stem for word in split_words(draft.profile.table)}):
        fitting = [column for column in columns if event_words(column.name) & stems]
        if len(fitting) == 1:
            return fitting[0]
    first = beginning(draft.profile)
    return draft.profile.column(first) if first is not None else None


def _matches(draft: _Draft, column: ColumnProfile) -> list[tuple[int, int]]:
    """Places where the question says the column's name, whole or by its last word."""
    stems = tuple(word.stem for word in split_words(column.name))
    found: list[tuple[int, int]] = []
    for wanted in dict.fromkeys((stems, stems[-1:])):
        length = len(wanted)
        for start in range(len(draft.words) - length + 1):
            if wanted and draft.free(start, length) and draft.phrase(start, length) == wanted:
                found.append((start, length))
        if found:
            break
    return found


@dataclass(frozen=True)
class _Ranking:
    """Which end of the groups is asked for, and how many of them; ``listed`` says that several are."""

    order: Literal["value_desc", "value_asc"]
    limit: int
    listed: bool


def _ranking(draft: _Draft) -> _Ranking | None:
    """``top 3 products by …``, or ``which region has the highest average …``."""
    words = [word.normal for word in draft.words]
    for index, word in enumerate(words):
        if word in LISTED_ENDS and index + 1 < len(words):
            said = words[index + 1]
            limit = int(said) if said.isdigit() and 0 < int(said) <= MOST_RANKED else TOP_ROWS
            draft.take(index, 2 if said.isdigit() else 1)
            return _Ranking(LISTED_ENDS[word], limit, listed=True)
    asked = next((index for index, word in enumerate(words) if word in {"which", "what"}), None)
    end = next((index for index, word in enumerate(words) if word in ENDS), None)
    verb = next((index for index, word in enumerate(words) if word in {"has", "had", "have", "with"}), None)
    if asked is None or end is None or verb is None or not asked < verb < end:
        return None
    for index in (asked, verb, end):
        draft.take(index, 1)
    return _Ranking(ENDS[words[end]], 1, listed=False)


def _dimensions(draft: _Draft, grain: Grain | None, *, ranked: bool = False) -> tuple[Dimension, ...]:
    found: list[tuple[int, Dimension]] = []
    timestamp = _when(draft)
    if grain is not None and timestamp is not None:
        for index, word in enumerate(draft.words):
            if word.stem == grain or word.normal in {f"{grain}ly", "daily"}:
                draft.take(index, 1)
        found.append((len(draft.words), Dimension(column=timestamp.name, grain=grain)))
    for column in draft.profile.columns:
        if column.inferred_type == "measure":
            continue
        for start, length in _matches(draft, column):
            if ranked or _is_split(draft, start):
                draft.take(start, length)
                found.append((start, Dimension(column=column.name)))
                break
    for index, word in enumerate(draft.words):
        if word.normal in SPLITTERS:
            draft.take(index, 1)
    return tuple(dimension for _, dimension in sorted(found, key=lambda pair: pair[0]))


def _is_split(draft: _Draft, start: int) -> bool:
    before = [word.normal for word in draft.words[max(0, start - 3) : start]]
    return any(word in SPLITTERS for word in before)


def _filters(draft: _Draft) -> tuple[Filter, ...]:
    found: list[Filter] = []
    for column in draft.profile.columns:
        for value, _ in column.values or ():
            wanted = tuple(word.normal for word in split_words(str(value)))
            length = len(wanted)
            for start in range(len(draft.words) - length + 1) if wanted else ():
                said = tuple(word.normal for word in draft.words[start : start + length])
                if said == wanted and draft.free(start, length) and _is_value(draft, column, start, wanted):
                    draft.take(start, length)
                    words = " ".join(word.text for word in draft.words[start : start + length])
                    found.append(Filter(column=column.name, operator="=", value=str(value), words=words))
                    break
    return tuple(found)


def _is_value(draft: _Draft, column: ColumnProfile, start: int, wanted: tuple[str, ...]) -> bool:
    """A bare number is a column's value only behind its name: "over 50" is no age of 50."""
    if not all(word.replace(".", "").isdigit() for word in wanted):
        return True
    before = [word for word in draft.words[max(0, start - 2) : start] if word.normal not in {"is", "equals", "of"}]
    return bool(before) and before[-1].stem in {word.stem for word in split_words(column.name)}


def _aggregate(draft: _Draft) -> Aggregate | None:
    for index, word in enumerate(draft.words):
        if index not in draft.used and word.normal in AGGREGATES:
            draft.take(index, 1)
            return AGGREGATES[word.normal]
    return None


def _measure_column(draft: _Draft) -> str | None:
    """The measure that most of the question's words name: "net amount" is no other amount."""
    best: tuple[int, str, list[tuple[int, int]]] | None = None
    for column in draft.profile.columns:
        if column.inferred_type != "measure":
            continue
        places = _matches(draft, column)
        longest = max((length for _, length in places), default=0)
        if longest and (best is None or longest > best[0]):
            best = (longest, column.name, places)
    if best is None:
        return None
    for start, length in best[2]:
        draft.take(start, length)
    return best[1]


def _dates(profile: TableProfile) -> list[str]:
    return [column.name for column in profile.columns if column.inferred_type == "timestamp"]


def _is_open_request(draft: _Draft) -> bool:
    """``Analyze …; trends``: how the table's amount went over time, for want of anything more exact."""
    said = {word.normal for word in draft.words} | {word.stem for word in draft.words}
    return bool(said & {"analyze", "analyse"}) and "trend" in said


def _plain_amount(profile: TableProfile) -> str | None:
    """The one measure that is an amount of money by its name; two would be a guess."""
    named = [
        column.name
        for column in profile.columns
        if column.inferred_type == "measure" and {w.stem for w in split_words(column.name)} & AMOUNTS
    ]
    return named[0] if len(named) == 1 else None


def _asks_for_count(intent: str) -> bool:
    return "how many" in intent.casefold()


def _which_measure(profile: TableProfile) -> str:
    measures = [column.name for column in profile.columns if column.inferred_type == "measure"]
    if not measures:
        return f"The table {profile.table} has no number to compute with. What shall I count?"
    return f"Which number do you mean? {profile.table} has: {', '.join(measures)}."


def _which_ranking(profile: TableProfile, measure: Measure, dimensions: tuple[Dimension, ...]) -> str:
    if len(dimensions) == 1:
        return f"The highest total {measure.column}, or the highest average {measure.column}, by {dimensions[0].label}?"
    names = [column.name for column in profile.columns if column.inferred_type == "dimension"]
    return f"Ranked by what? {profile.table} can be split by: {', '.join(names) or 'nothing'}."


def _quoted(words: tuple[str, ...]) -> str:
    return ", ".join(f"“{word}”" for word in words) or "that"
