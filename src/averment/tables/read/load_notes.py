"""The sentences of notes about columns: what was read out of the written form, and what was left as text."""

from __future__ import annotations

from averment.tables.catalog import Note

_PROBLEMS = {
    "mixed_values": "Most values are numbers but not all; kept as text.",
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


def problem_note(code: str, column: str, rows: list[int], examples: list[str] | None = None) -> Note:
    """A note that the column stayed text, and why."""
    shown = f" For example: {', '.join(repr(text[:30]) for text in examples)}." if examples else ""
    return Note(code=code, message=_PROBLEMS[code] + shown, column=column, rows=tuple(rows))


def column_note(code: str, column: str) -> Note:
    """A note that the column was read out of its written form."""
    return Note(code=code, message=_NOTES[code], column=column)
