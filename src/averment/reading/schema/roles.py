"""Roles of columns: flags, keys, years, months, categories, amounts, and which column names a row."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from averment.reading.schema.total_rows import is_called_total, is_total
from averment.reading.words import DAYS, MONTHS, lexicon, name_words, singular, word_list

if TYPE_CHECKING:
    from averment.reading.schema.schema_column import Column

_YES = ({"yes", "no"}, {"y", "n"}, {"true", "false"}, {"t", "f"}, {"1", "0"}, {"1.0", "0.0"})
_TRUE = frozenset({"yes", "y", "true", "t", "1", "1.0"})
_GENERATED = frozenset({"unnamed", "index", "column", "field"})


def holds_numbers(col: Column) -> bool:
    """Whether a text column holds numbers but for a few words such as "Unknown"."""
    shown = [str(value).strip() for value in col.values]
    numbers = [value for value in shown if re.fullmatch(r"-?\d+(\.\d+)?", value)]
    whole = len(numbers) == len(shown) and len(numbers) >= 3
    if not whole and (len(numbers) < 8 or len(numbers) < 0.9 * len(shown)):
        return False
    col.whole = all(value.lstrip("-").isdigit() for value in numbers)
    col.low, col.high = min(map(float, numbers)), max(map(float, numbers))
    return not any(len(value) > 1 and value[0] == "0" and value.isdigit() for value in numbers)


def find_roles(col: Column, *, leads: bool = False) -> None:
    """What the column is for, from its name, kind and values; ``leads`` says that it is the first of its table."""
    last = col.words[-1] if col.words else ""
    shown = {str(value).strip().lower() for value in col.values[:60]}
    few = len(shown) == 2 and col.distinct == 2
    if col.kind == "bool" or (few and any(shown <= pair for pair in _YES) and col.kind in {"text", "number"}):
        col.roles.add("flag")
        _truth(col)
    if _is_key(col, last, leads):
        col.roles.add("key")
    if col.kind == "date":
        col.roles.add("date")
    if col.kind == "number" and col.whole and _is_year(col, last):
        col.roles.add("year")
    months = {name[:n] for name in MONTHS for n in (3, 4, 9)}
    days = {name[:n] for name in DAYS for n in (3, 4, 5, 9)}
    if "month" in col.words or last in {"mon", "mo"}:
        numbered = col.kind == "number" and _within(col, 1, 12) and col.whole
        if numbered or (shown and shown <= months):
            col.roles.add("month")
    elif shown and col.kind == "text" and len(shown) >= 3 and shown <= months:
        col.roles.add("month")
    if last in {"quarter", "qtr", "q"} and col.kind in {"number", "text"}:
        numbered = col.kind == "number" and col.whole and _within(col, 1, 4)
        if numbered or (shown and all(value.lstrip("q") in {"1", "2", "3", "4"} for value in shown)):
            col.roles.add("quarter")
    if (shown and col.kind == "text" and len(shown) >= 2 and shown <= days) or (
        col.kind == "number"
        and _within(col, 0, 7)
        and ({"day", "week"} <= set(col.words) or last in {"weekday", "dow"})
    ):
        col.roles.add("weekday")
    if (
        col.kind == "number"
        and col.whole
        and _within(col, 1, 31)
        and {"day", "date"} & set(col.words)
        and col.high == 31
    ):
        col.roles.add("month_day")
    if col.kind == "number" and not col.has("key", "year", "month", "quarter", "weekday", "month_day", "flag"):
        col.roles.add("measure")
        col.additive = _is_additive(col)
    if col.kind == "text" and not col.has("flag", "key") and col.distinct < max(30, 0.5 * col.filled):
        col.roles.add("category")
    if col.kind == "number" and col.has("measure") and col.whole and 0 < col.distinct <= 12 and col.rows >= 40:
        col.roles.add("category")
    if col.kind == "text" and not col.has("flag"):
        # Among names a total is called so and no more: "All about Eve" is a film.
        wanted = is_total if col.has("category") else is_called_total
        col.totals = tuple(str(v) for v in col.values if wanted(str(v)))[:2]


def _truth(col: Column) -> None:
    if col.kind == "bool":
        col.true_value, col.false_value = True, False
        return
    for value in col.values:
        if str(value).strip().lower() in _TRUE:
            col.true_value = value
        else:
            col.false_value = value
    if col.true_value is None:
        col.true_value = 1 if col.kind == "number" else "yes"


def _within(col: Column, low: float, high: float) -> bool:
    return isinstance(col.low, int | float) and isinstance(col.high, int | float) and low <= col.low <= col.high <= high


_COUNTED = frozenset("week day month quarter period hour minute step time round rank position place".split())
RUNNING = 30
"""From so many rows on numbers without a gap are no accident."""
_FROM_ONE = 10
"""The same of the first column, where they begin with one and the name is a single word: man 1 to man 20."""


def _is_running(col: Column, last: str) -> bool:
    """Whether a column only numbers its rows: each number between the least and the greatest, just once."""
    if col.kind != "number" or not col.whole or not col.is_unique or _is_year(col, last) or _COUNTED & set(col.words):
        return False
    low, high = col.low, col.high
    return isinstance(low, int | float) and isinstance(high, int | float) and high - low + 1 == col.rows


def _is_key(col: Column, last: str, leads: bool) -> bool:
    if col.kind not in {"number", "text"} or not col.words:
        return False
    keyish = word_list("keyish")
    if (
        last in keyish
        or col.words[:1] in {("fk",), ("pk",)}
        or (last.isdigit() and len(col.words) > 1 and col.words[-2] in {"id"})
    ):
        return True
    if _GENERATED & set(col.words[:1]) and col.is_unique and col.kind == "number":
        return True
    if last == "by" and col.kind == "number" and col.whole and len(col.words) > 1:
        return True  # raised_by 1205: who did it
    if last in {"number", "no", "num", "nr"} and col.is_unique and col.rows > 5:
        return True
    own = {singular(word) for word in name_words(col.table)}
    if last in {"num", "number", "nbr"} and len(col.words) == 2 and singular(col.words[0]) in own and col.whole:
        return True  # "match_num" numbers the matches, within a tournament perhaps.
    # "patient" in a table of patients numbers them, and so does what has every number just once.
    numbers = len(col.words) == 1 and (singular(last) in own or (leads and col.low == 1 and col.rows >= _FROM_ONE))
    if _is_running(col, last) and (col.rows >= RUNNING or numbers):
        return True
    if last in {"no", "nr"} and len(col.words) > 1 and (col.kind == "text" or col.whole):
        return True  # "patient_no" numbers patients wherever they stand.
    # A compound such as "customerid", but no word that only happens to end so.
    return (
        len(col.words) == 1
        and len(last) > 4
        and last.endswith("id")
        and col.whole
        and last not in {"paid", "covid", "rapid", "valid"}
    )


def _is_year(col: Column, last: str) -> bool:
    if not isinstance(col.low, int | float) or not isinstance(col.high, int | float):
        return False
    says = last in {"year", "yr", "years", "yrs", "yearid"} or bool({"year", "yr"} & set(col.words))
    if col.words and col.words[0] in word_list("time_verb") and _within(col, 1400, 2200):
        return True
    if says and not {"since", "experience", "age", "per", "old"} & set(col.words):
        return _within(col, 1000, 2200) or (_within(col, 0, 99) and col.distinct < 60 and "model" in col.words)
    return False


def name_seasons(columns: list[Column]) -> None:
    """A season that is told as a year is one, where nothing else of a table says when."""
    if any(col.has("date", "year") for col in columns):
        return
    for col in columns:
        if col.words[-1:] == ("season",) and col.kind == "number" and col.whole and _within(col, 1800, 2200):
            col.roles = {"year"}


def _is_additive(col: Column) -> bool:
    """Whether one adds the numbers up: said by their name, or else no by a rate's, a level's or a size's name."""
    words = {singular(word) for word in col.words} | set(col.words)
    if words & {"per", "avg", "average", "mean", "median", "rate", "ratio", "pct", "percent", "percentage", "share"}:
        return False
    if words & {singular(w) for w in word_list("additive")}:
        return True
    if words & word_list("not_additive"):
        return False
    # Of a few small numbers that nobody calls an amount one takes the average: a satisfaction from 1 to 5.
    marks = col.rows >= 40 and 2 < col.distinct <= 11 and _within(col, 0, 10)
    return bool(col.whole) and not marks


def name_rows(columns: list[Column], rows: int, nouns: tuple[str, ...]) -> None:
    """Find the column that names a row: a text without repeats, best one that says so."""

    def plain(col: Column) -> bool:
        first = str(col.values[0]) if col.values else ""
        dull = {
            "address",
            "description",
            "notes",
            "note",
            "comment",
            "comments",
            "url",
            "link",
            "text",
            "summary",
            "email",
        }
        return (
            not dull & set(col.words)
            and col.words[:1] != ("other",)
            and "://" not in first
            and "@" not in first
            and len(first) <= 80
        )

    first_last = [c for c in columns if c.kind == "text" and _is_part_of_name(c, nouns)]
    if len(first_last) == 2:
        for col in first_last:
            col.roles.add("label")
        return
    texts = [c for c in columns if c.kind == "text" and not c.has("key", "flag") and c.filled and plain(c)]
    unique = [c for c in texts if c.distinct >= 0.95 * c.filled and c.filled >= 0.4 * rows]
    named = [c for c in texts if says_name(c) and c.distinct >= 0.5 * max(1, c.filled)]

    def own(col: Column) -> bool:
        """Whether a name is the row's own: a player's name, and not its sponsor's."""
        return says_name(col) and all(w in {"name", "title", "full"} or singular(w) in nouns for w in col.words)

    ranked = sorted(unique, key=lambda c: (not own(c), not says_name(c), columns.index(c)))
    if named and not (ranked and says_name(ranked[0])):
        ranked = sorted(named, key=lambda c: (not own(c), columns.index(c)))
    if not ranked:  # A house without a name is known by where it stands.
        placed = [c for c in columns if c.kind == "text" and c.words in {("address",), ("street", "address")}]
        ranked = [c for c in placed if c.filled and c.distinct >= 0.95 * c.filled and not c.has("key")]
    for col in ranked[:1]:
        col.roles.add("label")


def says_name(col: Column) -> bool:
    """Whether a column's name says that it holds names."""
    return bool({"name", "title"} & set(col.words)) or any(w.endswith("name") for w in col.words)


def _is_part_of_name(col: Column, nouns: tuple[str, ...]) -> bool:
    joined = "".join(word for word in col.words if singular(word) not in nouns)
    return joined in {"firstname", "lastname", "fname", "lname", "forename", "surname", "givenname", "familyname"}


CLOCK = re.compile(r"([01]\d|2[0-3]):[0-5]\d(:[0-5]\d(\.\d+)?)?")
_FEWEST_HOURS = "06:00"
"""Times that all lie before this are lengths of time, as of a race."""


def is_clock(column: Column, engine_type: str) -> bool:
    """Whether a column holds times of the day, in a type of its own or as texts that sort by them."""
    if set(column.words) & set(lexicon("words")["clock"]["no_time"].split()):
        return False
    typed = engine_type.upper().startswith("TIME")
    shown = [str(value) for value in column.values] or ([str(column.low), str(column.high)] if typed else [])
    if not shown or not all(CLOCK.fullmatch(value) for value in shown):
        return False
    lengths = {len(value) for value in shown}
    return (len(lengths) == 1 or min(lengths) >= len("00:00:00")) and max(shown) >= _FEWEST_HOURS
