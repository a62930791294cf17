"""A metric named in words ("conversion rate", "active users", "revenue") becomes SQL over the columns there are.

Each reading says how sure it is. An unsure one is never acted on: it is shown and asked back.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from averment.tables.backend import quote
from averment.tables.names import name_parts

if TYPE_CHECKING:
    from averment.tables.profile import ColumnProfile, TableProfile

SURE = 0.75
"""Below this a reading is asked back."""
LEAD = 0.1
"""By so much the best reading must be ahead of the next."""

_MONEY = ("revenue", "sale", "turnover", "gmv", "amount", "income", "spend", "spent", "value", "total", "price")
_PEOPLE = ("user", "customer", "visitor", "member", "subscriber", "player", "client", "account", "buyer", "people")
_EVENTS = (
    "order",
    "purchase",
    "transaction",
    "event",
    "visit",
    "session",
    "signup",
    "registration",
    "booking",
    "ticket",
)
_OUTCOMES = {
    "conversion": ("converted", "conversion", "purchased", "bought", "ordered", "signed"),
    "churn": ("churned", "churn", "cancelled", "canceled", "left"),
    "return": ("returned", "return", "refunded"),
    "error": ("error", "failed", "failure", "fail"),
    "click": ("clicked", "click"),
    "bounce": ("bounced", "bounce"),
    "retention": ("retained", "active"),
}
_NOISE = frozenset({"the", "of", "our", "a", "an", "in", "for", "metric", "kpi", "daily", "monthly", "weekly", "all"})
_WORD = re.compile(r"[^\W_]+")


@dataclass(frozen=True, kw_only=True)
class WordReading:
    """One way to compute what the words mean, and how sure that is."""

    sql: str
    in_words: str
    confidence: float


@dataclass(frozen=True)
class _Place:
    table: TableProfile
    column: ColumnProfile

    @property
    def sql(self) -> str:
        return f"{quote(self.table.table)}.{quote(self.column.name)}"

    @property
    def words(self) -> set[str]:
        return {_single(word) for word in name_parts(self.column.name)}


def read_words(text: str, profiles: Sequence[TableProfile]) -> list[WordReading]:
    """The readings of a metric's words over these tables, the surest first."""
    words = [_single(word.casefold()) for word in _WORD.findall(text)]
    words = [word for word in words if word not in _NOISE]
    if not words:
        return []
    places = [_Place(table, column) for table in profiles for column in table.columns]
    found = (
        _medians(words, places)
        or _per(text, profiles)
        or [
            *_rates(words, places, profiles),
            *_averages(words, places),
            *_people(words, places),
            *_counts(words, profiles, places),
            *_sums(words, places),
        ]
    )
    best: dict[str, WordReading] = {}
    for reading in found:
        if reading.sql not in best or best[reading.sql].confidence < reading.confidence:
            best[reading.sql] = reading
    return sorted(best.values(), key=lambda reading: (-reading.confidence, reading.sql))


def choose_reading(readings: Sequence[WordReading]) -> WordReading | None:
    """The reading to act on, or None when none is sure or two are as likely."""
    if not readings or readings[0].confidence < SURE:
        return None
    if len(readings) > 1 and readings[0].confidence - readings[1].confidence < LEAD:
        return None
    return readings[0]


def _per(text: str, profiles: Sequence[TableProfile]) -> list[WordReading]:
    """``revenue per user``: one metric divided by another."""
    top, separator, bottom = text.casefold().partition(" per ")
    if not separator:
        return []
    above, below = read_words(top, profiles)[:2], read_words(bottom, profiles)[:1]
    return [
        WordReading(
            sql=f"{one.sql} / {other.sql}",
            in_words=f"{one.in_words} divided by {other.in_words}",
            confidence=min(one.confidence, other.confidence),
        )
        for one in above
        for other in below
        if " / " not in one.sql and " / " not in other.sql and "AVG" not in one.sql + other.sql
    ]


def _rates(words: list[str], places: list[_Place], profiles: Sequence[TableProfile]) -> list[WordReading]:
    if not {"rate", "ratio", "share", "ctr", "conversion", "percentage"} & set(words):
        return []
    found: list[WordReading] = []
    if "ctr" in words or {"click", "through"} <= set(words):
        found += _quotient(places, ("click",), ("impression", "view"))
    for word in words:
        for place in places:
            if not _is_flag(place):
                continue
            if word in place.words:
                found.append(_average(place, 0.95))
            elif place.words & set(_OUTCOMES.get(word, ())):
                found.append(_average(place, 0.9))
    if "conversion" in words and not found:
        found += _table_rate(profiles)
    return found


def _table_rate(profiles: Sequence[TableProfile]) -> list[WordReading]:
    """Orders divided by visits, where each has a table of its own."""
    above = [p for p in profiles if {_single(w) for w in name_parts(p.table)} & {"order", "purchase", "booking"}]
    below = [p for p in profiles if {_single(w) for w in name_parts(p.table)} & {"visit", "session", "visitor"}]
    found: list[WordReading] = []
    for one in above:
        for other in below:
            top, bottom = _key(one), _key(other)
            if top is not None and bottom is not None:
                found.append(
                    WordReading(
                        sql=f"COUNT({top.sql}) / COUNT({bottom.sql})",
                        in_words=f"rows of {one.table} divided by rows of {other.table}",
                        confidence=0.8,
                    )
                )
    return found


def _quotient(places: list[_Place], above: tuple[str, ...], below: tuple[str, ...]) -> list[WordReading]:
    tops = [p for p in places if p.words & set(above) and p.column.inferred_type == "measure"]
    bottoms = [p for p in places if p.words & set(below) and p.column.inferred_type == "measure"]
    return [
        WordReading(
            sql=f"SUM({top.sql}) / SUM({bottom.sql})",
            in_words=f"the sum of {top.column.name} divided by the sum of {bottom.column.name}",
            confidence=0.95,
        )
        for top in tops
        for bottom in bottoms
    ]


def _averages(words: list[str], places: list[_Place]) -> list[WordReading]:
    rest = [word for word in words if word not in {"average", "avg", "mean"}]
    asked = len(rest) < len(words) or "aov" in words
    if not asked:
        return []
    if "aov" in words or {"order", "value"} <= set(rest):
        return [
            WordReading(
                sql=f"SUM({place.sql}) / COUNT(CASE WHEN {place.sql} <> 0 THEN 1 END)",
                in_words=f"{place.column.name} of each row that has one",
                confidence=confidence - 0.02,
            )
            for place, confidence in _measures(["revenue"], places)
        ]
    return [_average(place, confidence) for place, confidence in _measures(rest, places)]


def _medians(words: list[str], places: list[_Place]) -> list[WordReading]:
    if "median" not in words:
        return []
    return [
        WordReading(sql=f"MEDIAN({place.sql})", in_words=f"the median of {place.column.name}", confidence=confidence)
        for place, confidence in _measures([word for word in words if word != "median"], places)
    ]


def _people(words: list[str], places: list[_Place]) -> list[WordReading]:
    asked = [word for word in words if word in _PEOPLE]
    if not asked:
        return []
    found: list[WordReading] = []
    longest = max((place.table.row_count for place in places), default=0)
    for place in places:
        if place.column.inferred_type != "id" or not place.words & {*asked, *_PEOPLE}:
            continue
        exact = bool(place.words & set(asked))
        facts = place.table.row_count == longest
        found.append(
            WordReading(
                sql=f"COUNT(DISTINCT {place.sql})",
                in_words=f"distinct {place.column.name} of {place.table.table}",
                confidence=(0.92 if exact else 0.78) - (0.0 if facts else 0.3),
            )
        )
    return found


def _counts(words: list[str], profiles: Sequence[TableProfile], places: list[_Place]) -> list[WordReading]:
    asked = bool({"number", "count", "many", "volume"} & set(words))
    rest = [word for word in words if word not in {"number", "count", "how", "many", "total", "volume"}]
    found: list[WordReading] = []
    for profile in profiles:
        named = {_single(word) for word in name_parts(profile.table)}
        if rest and set(rest) <= named:
            key = _key(profile)
            sql = f"COUNT({key.sql})" if key is not None else "COUNT(*)"
            found.append(WordReading(sql=sql, in_words=f"rows of {profile.table}", confidence=0.95 if asked else 0.85))
    for place in places:
        if place.column.inferred_type == "id" and rest and place.words - {"id"} == set(rest):
            # Where a table is named so, its rows are counted; its key would say the same again.
            sure = (0.9 if asked else 0.8) - (0.15 if found else 0.0)
            found.append(
                WordReading(
                    sql=f"COUNT(DISTINCT {place.sql})",
                    in_words=f"distinct {place.column.name} of {place.table.table}",
                    confidence=sure if set(rest) & {*_EVENTS, *_PEOPLE} else sure - 0.15,
                )
            )
    return found


def _sums(words: list[str], places: list[_Place]) -> list[WordReading]:
    rest = [word for word in words if word not in {"total", "sum", "net", "gross"}] or words
    return [
        WordReading(
            sql=f"SUM({place.sql})",
            in_words=f"the sum of {place.column.name} of {place.table.table}",
            confidence=confidence,
        )
        for place, confidence in _measures(rest, places)
    ]


def _measures(words: list[str], places: list[_Place]) -> list[tuple[_Place, float]]:
    """Columns of numbers that the words name, or that mean money where the words do."""
    found: list[tuple[_Place, float]] = []
    for place in places:
        if place.column.data_type not in {"integer", "float"} or place.column.inferred_type == "id":
            continue
        if set(words) == place.words:
            found.append((place, 0.97))
        elif set(words) & place.words and place.column.inferred_type == "measure":
            found.append((place, 0.85 if set(words) <= place.words else 0.6))
        elif set(words) & set(_MONEY) and place.words & set(_MONEY) and place.column.inferred_type == "measure":
            # The nearer the front of the list, the surer the word is money that comes in.
            rank = min(_MONEY.index(word) for word in place.words if word in _MONEY)
            found.append((place, 0.88 - 0.02 * rank))
    return found


def _average(place: _Place, confidence: float) -> WordReading:
    return WordReading(
        sql=f"AVG({place.sql})",
        in_words=f"the mean of {place.column.name} of {place.table.table}",
        confidence=confidence,
    )


def _is_flag(place: _Place) -> bool:
    column = place.column
    truth = column.type.upper().startswith("BOOL")
    return truth or (column.data_type == "integer" and column.minimum == 0 and column.maximum == 1)


def _key(profile: TableProfile) -> _Place | None:
    """A column that every row has."""
    return next((_Place(profile, column) for column in profile.columns if not column.nullable), None)


def _single(word: str) -> str:
    if word.endswith("ies") and len(word) > 4:
        return f"{word[:-3]}y"
    return word[:-1] if word.endswith("s") and not word.endswith("ss") and len(word) > 3 else word
