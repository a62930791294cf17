"""Tables as text inside the engine, before their columns get types, and the sentences of notes about their columns."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from averment.tables.catalog import Note

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

Hint = Literal["number", "boolean", "string", "json", "date", "datetime", "time"]

"""What a source that has types of its own says about a column; a CSV file says nothing."""


@dataclass
class StagedTable:
    """A temporary table of text columns c0, c1 …, with the names its source gave them and what was noticed so far.

    A name is None where the header has no cell for a column that the rows have.
    """

    name: str
    relation: str
    originals: list[str | None]
    notes: list[Note] = field(default_factory=list[Note])
    hints: list[Hint | None] = field(default_factory=list["Hint | None"])
    delimiter: str | None = None
    odd_characters: bool = False

    @property
    def width(self) -> int:
        """How many columns it has."""
        return len(self.originals)


def count_rows(connection: DuckDBPyConnection, relation: str) -> int:
    """How many rows the relation has."""
    row = connection.execute(f"SELECT count(*) FROM {relation}").fetchone()
    return int(row[0]) if row else 0


def rows_note(code: str, text: str, rows: list[int], count: int) -> Note:
    """A note about some rows: how many, and which come first."""
    shown = ", ".join(str(row) for row in rows[:5])
    more = " …" if count > 5 else ""
    return Note(code=code, message=f"{count} row(s) {text} Rows: {shown}{more}.", rows=tuple(rows[:20]))


_PROBLEMS = {
    "mixed_values": "Most values are numbers but not all; kept as text.",
    "marks_missing": "Some values are not numbers or dates and count as missing.",
    "ambiguous_dates": "Day and month cannot be told apart; kept as text. Say which comes first with --day-first.",
    "mixed_dates": "Dates are written in more than one way, and none says if the day comes first; kept as text.",
    "two_digit_years": "Years may have two digits, so that day, month, year or century is not certain; kept as text.",
    "year_spans": "Values such as 2000-01 may be a month or a span of two years; kept as text.",
    "mixed_time_zones": "Some times have a time zone and some have none; kept as text.",
    "leading_zeros": "Values with leading zeros, such as codes; kept as text.",
    "ambiguous_numbers": "A comma may separate thousands or decimals; kept as text. Say which with --decimal.",
    "mixed_currencies": "Amounts in several currencies; kept as text.",
    "mixed_percent": "Some values have a percent sign and some have none; kept as text.",
    "excel_scientific": "Numbers like 1.23E+15 look like ids that a spreadsheet cut short; kept as text.",
    "long_numbers": "Whole numbers with more than 38 digits; kept as text.",
    "invalid_values": "Some values have the form but are not valid (such as 30 February); kept as text.",
}

_NOTES = {
    "currency": "The currency sign was taken off; values are plain numbers.",
    "percent": "The percent sign was taken off; 12.5% is 12.5.",
    "decimal_comma": "The comma was read as decimal mark.",
    "thousands_separator": "The marks between thousands were taken off.",
    "converted_to_utc": "Times with a zone were converted to UTC.",
    "day_first": "Dates were read as day, month, year.",
    "month_first": "Dates were read as month, day, year.",
    "mixed_dates_read": "Dates in several spellings were read.",
    "dates_read": "Dates with month names were read.",
    "months_read": "Months of a year were read as their first day.",
    "quarters_read": "Quarters were read as their first day.",
    "weeks_read": "ISO weeks were read as their Monday.",
    "spreadsheet_months": "Values such as 10-May beside Sep-63 were read as months too: May 2010, not the 10th of May.",
    "short_years": "Years of two digits were read as 1930 to 2029.",
    "short_years_past": "Years of two digits were read as 19xx, as all of them would lie in the future otherwise.",
    "dates_as_midnight": "Values without a time were read as midnight.",
    "compact_dates": "Eight-digit numbers were read as year, month, day.",
    "rounded_numbers": "Some values have more digits than a double holds; they were rounded.",
}


MISSING = "marks_missing"

"""The code of a note that some values of a column count as missing."""

_KEPT = "; kept as text."

_AMOUNT = re.compile(r"[-+]?\d[\d.,\s]*([^\W\d]{1,4}|[%°€$£])|([^\W\d]{1,4}|[€$£])\s*[-+]?\d[\d.,\s]*")

_SHOWN = 3


def problem_note(
    code: str,
    column: str,
    rows: list[int],
    examples: Sequence[str] = (),
    share: tuple[int, int] | None = None,
    kind: str = "number",
) -> Note:
    """A note that the column stayed text, and why, or that some of its values count as missing.

    ``share`` says how many of how many values the examples are among, ``kind`` what they are not.
    """
    message, shown = _PROBLEMS[code], [f"“{text[:30]}”" for text in examples[:_SHOWN]]
    if share is not None and shown:
        odd, every = share
        named = f"{', '.join(shown)}{' and others' if len(examples) > _SHOWN else ''}"
        what = f"is not a {kind}" if odd == 1 else f"are not {kind}s"
        if code == MISSING:
            ends = "counts as missing" if odd == 1 else "count as missing"
            message = f"{odd:,} of {every:,} values of {column}, {named}, {what} and {ends}."
        elif code == "mixed_values":
            message = f"{odd:,} of {every:,} values, {named}, {what}{_KEPT}"
    return Note(code=code, message=message, column=column, rows=tuple(rows))


def why_text(note: Note) -> str | None:
    """Why a column stayed text, to be said behind "is text:"; None where a note does not say so."""
    if note.code not in _PROBLEMS or _KEPT not in note.message:
        return None
    said = note.message.partition(_KEPT)[0]
    return said[:1].lower() + said[1:]


def several_units(samples: Sequence[str]) -> str | None:
    """Why amounts in several units are text, to be said behind "is text:"; None for any other values."""
    found = [match for value in samples if (match := _AMOUNT.fullmatch(value.strip()))]
    units = list(dict.fromkeys(match[1] or match[2] for match in found))
    if len(found) < len(samples) or not 1 < len(units) < len(samples):
        return None
    return f"amounts in several units ({', '.join(units[:_SHOWN])})"


def column_note(code: str, column: str) -> Note:
    """A note that the column was read out of its written form."""
    return Note(code=code, message=_NOTES[code], column=column)
