"""How the drill pages say what went wrong, at the field where it can be put right."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from averment.errors import AvermentError

PLAIN: dict[str, str] = {
    "MAX_FILES_EXCEEDED": "A drill takes ten files at most. Take one out before you add another.",
    "FILE_TOO_LARGE": "The file is larger than 50 MB. Cut it by time, or leave out columns that are not needed.",
    "INVALID_FILE_TYPE": "This is not a CSV file. Save the table as CSV and add that.",
    "NO_HEADERS": "The first line holds no column names. Add a header line and send the file again.",
    "NO_ROWS": "The file has column names, but no rows below them.",
    "METRIC_SQL_REQUIRED": "Say which number moved, for example SUM(amount).",
    "NO_FILES_UPLOADED": "There is no file yet. Add at least one CSV file first.",
    "INVALID_DATE_RANGE": "A period needs a first and a last day, and the last does not come before the first.",
    "INVESTIGATION_NOT_COMPLETE": "Questions can be asked once the investigation is over.",
    "PERIOD_WITHOUT_DATA": "One of the periods has no data. Choose days inside the chart.",
    "ILLEGAL_TRANSITION": "This drill has been started already; it can no longer be changed.",
    "SESSION_EXPIRED": "The time of this drill is over, and its files are deleted.",
}
"""A sentence for each refusal that a person meets while filling in."""


@dataclass(frozen=True)
class FieldFault:
    """One refusal: what is wrong, what helps, its code, and what it is about where that is not the field itself."""

    code: str
    sentence: str
    hint: str = ""
    about: str = ""


def fault_of(error: AvermentError, home: Path, *, about: str = "") -> FieldFault:
    """An error in plain words, without any place on this machine."""
    plain = PLAIN.get(error.code)
    message, hint = (bare(text, home) for text in (error.message, error.hint))
    # With details, the hint knows something of this very case, as which days there are.
    return FieldFault(error.code, plain or message, "" if plain and not error.details else hint, about)


def bare(text: str, home: Path) -> str:
    """The text without the place of this home: a reader knows files by their names alone."""
    for place in {str(home.absolute()), str(home.resolve())}:
        text = text.replace(f"{place}/", "")
    return text
