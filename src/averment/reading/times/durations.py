"""Durations: the time from one moment of a row to another, as a number that nobody stored.

Two columns of one table are a pair where their names say that the one begins what the other ends (the lexicon's
``duration``): check-in and check-out, started and ended, ordered and delivered. The pair is a computed column in the
unit that suits its data, and whatever can be asked of a number can be asked of it.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import TYPE_CHECKING, Literal

from averment.plans.plan import Value
from averment.reading.schema.schema_view import computed
from averment.reading.told_units import turned, units_said
from averment.reading.words import DERIVED, kinship, lexicon, name_words, singular, word_list

if TYPE_CHECKING:
    from collections.abc import Sequence

    from averment.reading.lattice.spans import Lattice
    from averment.reading.schema.schema_column import Column
    from averment.reading.schema.schema_view import Schema, Table

Unit = Literal["seconds", "minutes", "hours", "days"]
SECONDS: dict[str, float] = {"second": 1, "minute": 60, "hour": 3600, "day": 86_400, "night": 86_400, "week": 604_800}
UNITS: dict[str, Unit] = {"second": "seconds", "minute": "minutes", "hour": "hours", "day": "days"}
InOrder = Callable[["Column", "Column"], bool]
"""Whether in no row the second moment comes before the first."""

_NOISE = frozenset("at on time date datetime timestamp stamp ts dt utc actual".split())
_STORED = frozenset(
    "duration minutes hours seconds days nights elapsed tenure length runtime mins milliseconds".split()
)
_HEADS = frozenset("duration durations length lengths time times".split())
_LASTING = frozenset("last lasts lasted lasting take takes took taken".split())
_FILLER = frozenset("a an the each all their every one his her its our your my actual".split())
_PASSIVE = _FILLER | {"being", "be", "been", "get", "getting", "they", "it", "he", "she", "are", "is", "was", "were"}
_BEING = (["is"], ["are"], ["was"], ["were"])
_AMOUNTS = {"a": 1.0, "an": 1.0, "half a": 0.5, "half an": 0.5, "two": 2.0, "three": 3.0, "four": 4.0, "five": 5.0}
_MEASURING = frozenset("than over under least most exactly about around within to above below".split())


def add_durations(table: Table, in_order: InOrder) -> None:
    """The time between each pair of moments as a column of its own, unless the table stores one.

    Names say which moments are a pair; of the only two of a table the data do (``in_order``).
    """
    if any(_STORED & set(column.words) for column in table.measures):
        return
    dates = [c for c in table.columns if c.kind == "date" and c.expression is None and c.low is not None]
    for pair in lexicon("words")["duration"]:
        for first, last in _moments(dates, pair):
            name = f"time from {first.name} to {last.name}"
            if table.find(name) is None:
                table.columns.append(between(table, name, first, last))
    if not durations(table):
        _add_in_order(table, dates, in_order)


def _moments(dates: Sequence[Column], pair: dict[str, str]) -> list[tuple[Column, Column]]:
    """The moments that such a pair is of: called alike but for that, or the only two where one is called no more."""
    firsts = [(c, rest) for c in dates if (rest := _rest(c, pair["from"])) is not None]
    lasts = [(c, rest) for c in dates if (rest := _rest(c, pair["to"])) is not None]
    both = [(one, two, a, b) for one, a in firsts for two, b in lasts if one is not two and _is_pair(one, two)]
    alike = [(one, two) for one, two, a, b in both if a == b]
    loose = [(one, two) for one, two, a, b in both if not (a and b)]
    return alike or (loose if len(loose) == 1 else [])


def _add_in_order(table: Table, dates: Sequence[Column], in_order: InOrder) -> None:
    """The time between the only two moments of a table, where the one never comes before the other."""
    plain = [c for c in dates if not word_list("birth") & set(c.words)]
    if len(plain) != 2 or plain[0].has("stamp") != plain[1].has("stamp"):
        return
    for first, last in (plain, plain[::-1]):
        if in_order(first, last):
            table.columns.append(between(table, f"time from {first.name} to {last.name}", first, last))
            return


def _rest(column: Column, names: str) -> frozenset[str] | None:
    """What a column's name says beside one of these words; None where it has none of them."""
    words = [word for word in column.words if word not in _NOISE] or list(column.words)
    for name in names.split():
        parts = name.split("_")
        if all(part in words for part in parts):
            return frozenset(words) - set(parts)
    return None


def _is_pair(first: Column, last: Column) -> bool:
    """Whether the one kind of moment can begin what the other ends."""
    early, late = str(first.low) <= str(last.low), str(first.high) <= str(last.high)
    return first.has("stamp") == last.has("stamp") and (early or late)


def _called(column: Column, table: Table) -> set[str]:
    """What the time between two moments is called by what happens in it: a stay, a delivery."""
    return {word for pair in pairs_of(column, table) for word in pair.get("called", "").split()}


def pairs_of(column: Column, table: Table) -> list[dict[str, str]]:
    """What the lexicon says of two such moments."""
    assert column.expression is not None  # a computed column
    first, last = (table.find(each.column or "") for each in column.expression.operands)
    if first is None or last is None:
        return []
    pairs = lexicon("words")["duration"]
    return [p for p in pairs if None not in (_rest(first, p["from"]), _rest(last, p["to"]))]


def is_called(column: Column, table: Table, word: str) -> bool:
    """Whether a verb says what goes on between the two moments, or what ends it: they stayed, it was paid."""
    assert column.expression is not None  # a computed column
    known = [name for pair in pairs_of(column, table) for name in pair["to"].split()]
    ends = [*_called(column, table), *known, *spoken(column.expression.operands[1])[:1]]
    return any(kinship(word, each) >= DERIVED for each in ends)


def between(table: Table, name: str, first: Column, last: Column) -> Column:
    """The time from one moment of a row to another, as a column."""
    value = Value(kind=_unit(first, last), operands=(first.value, last.value))
    filled = min(first.filled, last.filled)
    of = (first, last)
    return computed(table.name, name, value, of, rows=table.rows, filled=filled, additive=False, words=("duration",))


def _unit(first: Column, last: Column) -> Unit:
    """The unit in which the time between two moments is a handy number; days only where no clock says more."""
    if not first.has("stamp"):
        return "days"
    try:
        gaps = [
            abs((datetime.fromisoformat(str(b)) - datetime.fromisoformat(str(a))).total_seconds())
            for a, b in ((first.low, last.low), (first.high, last.high))
        ]
    except (ValueError, TypeError):
        return "minutes"
    return "minutes" if max(gaps) < 8 * 3600 else "hours"


def durations(table: Table) -> list[Column]:
    """The table's computed spans of time."""
    return [c for c in table.columns if c.expression is not None and c.expression.kind in UNITS.values()]


def in_own_unit(column: Column, number: float, unit: str) -> float | None:
    """A length of time in the unit of a computed duration; None where it is no length of time."""
    kind = column.expression.kind if column.expression is not None else ""
    if kind not in UNITS.values() or (unit and unit not in SECONDS):
        return None
    made = number * SECONDS[unit] / SECONDS[kind.removesuffix("s")] if unit else number
    return int(made) if float(made).is_integer() else made


def duration_spans(lattice: Lattice, schema: Schema) -> None:
    """Hypotheses that some words mean a duration, and lengths of time written in words."""
    words = lattice.words
    _amounts(lattice)
    lasting = bool(_LASTING & set(words))
    timed = [t for t in schema.tables.values() if durations(t)]
    for place in range(len(words) - 1):
        if words[place : place + 2] != ["how", "long"]:
            continue
        if lasting:
            lattice.add(place, place + 2, "CUE", 0.97, ("much", "lasting"))
        elif words[place + 2 : place + 3] in (["is"], ["are"], ["was"], ["were"]):
            for column in (c for table in timed for c in durations(table)):
                lattice.add(place, place + 3, "COLUMN", 0.97, column)  # "How long is the average visit?"
    asked = lasting and any(w in {"long", "longer", "longest", "shorter", "shortest", "than"} for w in words)
    for place, word in enumerate(words):
        if word in _LASTING and (asked or (timed and lasting)):
            lattice.add(place, place + 1, "STOP", 0.3)
    if timed:
        for place in range(len(words) - 2):
            amount = words[place + 1].isdigit() or words[place + 1] in _AMOUNTS
            if words[place] == "within" and amount and singular(words[place + 2]) in SECONDS:
                lattice.add(place, place + 1, "CUE", 0.95, ("le",))  # "within 48 hours"
    for table in timed:
        for column in durations(table):
            _named(lattice, table, column)
            _acting(lattice, table, column)


def _amounts(lattice: Lattice) -> None:
    """ "half an hour", "an hour", "two days" as a number with its unit."""
    words = lattice.words
    for place in range(len(words)):
        for size in (2, 1):
            amount = _AMOUNTS.get(" ".join(words[place : place + size]))
            after = place + size
            if amount is None or after >= len(words) or singular(words[after]) not in SECONDS:
                continue
            if words[place] in {"a", "an"} and not (place and words[place - 1] in _MEASURING):
                continue  # "how many rides a day"
            lattice.add(place, after + 1, "NUMBER", 0.93, (amount, singular(words[after])))


def _named(lattice: Lattice, table: Table, column: Column) -> None:
    """ "visit duration", "length of a stay", "time between check-in and check-out", "delivery time"."""
    words = lattice.words
    called = _called(column, table)
    rows = set(table.nouns) | word_list("episode") | called
    for place, word in enumerate(words):
        if word not in _HEADS:
            continue
        if place and singular(words[place - 1]) in rows:
            lattice.add(place - 1, place + 1, "COLUMN", 1.0, column)
        if word.startswith("len"):
            lattice.add(place, place + 1, "COLUMN", 0.85, column)
        end = place + 1
        if words[end : end + 1] == ["of"]:
            end += 1
            while end < len(words) and words[end] in _FILLER:
                end += 1
            if end < len(words) and singular(words[end]) in rows:
                lattice.add(place, end + 1, "COLUMN", 1.02, column)
        elif words[place + 1 : place + 2] in (["spent"], ["taken"], ["elapsed"]):
            lattice.add(place, place + 2, "COLUMN", 0.97, column)
    for place, word in enumerate(words):
        unit = UNITS.get(singular(word))
        if word not in {"time", "gap", "delay", "interval"} and unit is None:
            continue
        if unit is not None and place and (words[place - 1] in _AMOUNTS or words[place - 1].isdigit()):
            continue  # "more than an hour to be seen" has its number
        end = _to_the_end(words, place + 1, column)
        if end is not None:
            lattice.add(place, end, "COLUMN", 1.04, column if unit is None else in_unit_of(column, unit))


def _to_the_end(words: list[str], place: int, column: Column) -> int | None:
    """Where "between check-in and check-out", "from order to delivery" or "to ship" ends, None where it is not said."""
    assert column.expression is not None  # a computed column
    first, last = (spoken(each) for each in column.expression.operands)
    while place < len(words) and words[place] in {"elapsed", "it", "takes", "passed", "that", "passes"}:
        place += 1
    opening = words[place] if place < len(words) else ""
    if opening in {"between", "from"}:
        after = said(words, place + 1, first)
        if after is None or after >= len(words) or words[after] not in {"and", "to", "until", "till"}:
            return None
        return said(words, after + 1, last)
    return said(words, place + 1, last) if opening in {"to", "until", "before"} else None


def spoken(value: Value) -> list[str]:
    """What a moment's name says, without that it is one."""
    return [word for word in name_words(value.column or "") if word not in _NOISE] or [*name_words(value.column or "")]


def said(words: list[str], place: int, names: list[str], *, part: bool = False) -> int | None:
    """The place after the words of a moment's name, each in any form; None where something else stands there.

    With ``part`` its first word is enough: until they are seen, where the moment is "seen by doctor".
    """
    if words[place : place + 1] and words[place] in {"a", "an", "the"} and words[place + 2 : place + 3] in _BEING:
        place += 3  # "until a book is returned"
    while place < len(words) and words[place] in _PASSIVE:
        place += 1
    for number, name in enumerate(names):
        at = place
        while number and at < len(words) and words[at] in _FILLER:
            at += 1
        if at >= len(words) or (words[at] != name and kinship(words[at], name) < 0.8):
            return place if part and number else None
        place = at + 1
    return place


def _acting(lattice: Lattice, table: Table, column: Column) -> None:
    """Verbs that say when something began or ended: "started before nine", "those who left"."""
    assert column.expression is not None  # a computed column
    for value, words in zip(column.expression.operands, _verbs(column, table), strict=True):
        moment = table.find(value.column or "")
        for place, word in enumerate(lattice.words):
            if word in words and moment is not None and word not in moment.words:
                lattice.add(place, place + 1, "COLUMN", 0.84, moment)
    for value, verbs in zip(column.expression.operands, ("begin_verb", "end_verb"), strict=True):
        moment = table.find(value.column or "")
        for place, word in enumerate(lattice.words):
            if word in word_list(verbs) and moment is not None:
                lattice.add(place, place + 1, "COLUMN", 0.84, moment)


def _verbs(column: Column, table: Table) -> tuple[set[str], set[str]]:
    """The verbs in the past that the lexicon has for both moments."""
    found: tuple[set[str], set[str]] = set(), set()
    for pair in pairs_of(column, table):
        for words, names in zip(found, (pair["from"], pair["to"]), strict=True):
            words |= {name for name in names.split() if name == "left" or name.endswith("ed")}
    return found


def in_unit_of(column: Column, unit: Unit) -> Column:
    """The same span of time counted in another unit."""
    assert column.expression is not None  # a computed column
    value = turned(column.expression, units_said(unit))
    return computed(
        column.table,
        column.name,
        value,
        (column,),
        rows=column.rows,
        filled=column.filled,
        additive=column.additive,
        words=column.words,
    )
