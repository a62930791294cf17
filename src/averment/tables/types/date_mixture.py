"""Dates of one column in several spellings: 03/04/2023 beside 4 Mar 2023 and 2023-03-05.

Each spelling becomes a format of the engine's parser. Where digits leave day and month open, the values that can be
read in one way only decide for the others: 23/04/2023 says that 03/04/2023 has the day first. Without such a value the
column stays text.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from averment.tables.engines.backend import quote_text
from averment.tables.types.date_words import MAX_FORMATS, read_date_words

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

_ISO = re.compile(r"9999(?P<mark>[-/.])9{1,2}(?P=mark)9{1,2}")
_NUMERIC = re.compile(r"9{1,2}(?P<mark>[/.-])9{1,2}(?P=mark)9999")


@dataclass(frozen=True)
class DateMixture:
    """The spellings of a column: formats that leave nothing open, what is cleaned first, and marks between digits."""

    formats: tuple[str, ...]
    cleaning: tuple[tuple[str, str], ...]
    marks: tuple[str, ...]


def read_date_mixture(shapes: Iterable[str]) -> DateMixture | None:
    """The spellings of dates with these shapes, or None where one of them is no whole date or all are spelt alike."""
    formats: dict[str, None] = {}
    cleaning: dict[tuple[str, str], None] = {}
    marks: dict[str, None] = {}
    for shape in shapes:
        if (match := _ISO.fullmatch(shape)) is not None:
            formats[match["mark"].join(("%Y", "%m", "%d"))] = None
        elif (match := _NUMERIC.fullmatch(shape)) is not None:
            marks[match["mark"]] = None
        else:
            words = read_date_words((shape,))
            if words is None or words.unit != "day" or words.short or words.timed != "none":
                return None
            formats |= dict.fromkeys(words.formats)
            cleaning |= dict.fromkeys(words.cleaning)
    spellings = len(formats) + len(marks)
    if not 1 < spellings <= MAX_FORMATS:
        return None
    return DateMixture(tuple(formats), tuple(cleaning), tuple(marks))


def order_of_days(connection: DuckDBPyConnection, relation: str, value: str, mixture: DateMixture) -> dict[str, bool]:
    """For each mark between digits whether the day comes first, as far as the values say so; empty where they disagree.

    A mark whose values leave it open is as the others are, where these agree.
    """
    found: dict[str, bool] = {}
    for mark in mixture.marks:
        text = quote_text(mark)
        pattern = quote_text(rf"[0-9]{{1,2}}\{mark}[0-9]{{1,2}}\{mark}[0-9]{{4}}")
        row = connection.execute(
            f"SELECT max(CAST(split_part(v, {text}, 1) AS INTEGER)), max(CAST(split_part(v, {text}, 2) AS INTEGER)) "
            f"FROM (SELECT {value} AS v FROM {relation}) WHERE regexp_full_match(v, {pattern})"
        ).fetchone()
        first, second = (int(row[0] or 0), int(row[1] or 0)) if row else (0, 0)
        if first > 12 and second > 12:
            return {}
        if first > 12 or second > 12:
            found[mark] = first > 12
    known = set(found.values())
    if len(known) == 1:
        found |= {mark: next(iter(known)) for mark in mixture.marks}
    return found


def mixture_formats(mixture: DateMixture, order: dict[str, bool]) -> list[str]:
    """The parser's formats of all spellings."""
    numeric = [mark.join(("%d", "%m", "%Y") if order[mark] else ("%m", "%d", "%Y")) for mark in mixture.marks]
    return [*mixture.formats, *numeric]
