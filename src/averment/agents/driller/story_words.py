"""The words around an explanation: its title, what it means, and what to do next; its sentence is a claim.

What a segment did is said by the figure that moved; why it did so the data do not tell.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from averment.agents.driller.group_words import group_meaning, group_step, group_title
from averment.agents.driller.wording import factor_words, segment_words

if TYPE_CHECKING:
    from averment.agents.driller.cause import Cause
    from averment.agents.driller.reading import Reading

CLAIMS = "The data show where the metric moved, not why: what happened there has to be asked of those who know."
_FAULTY = "The data themselves are at fault here, so this part of the change did not happen in the world."


def fault_of(cause: Cause) -> str | None:
    """The name of the fault a cause is, if it is one."""
    name = cause.details.get("fault")
    return str(name) if name else None


def title_of(cause: Cause, reading: Reading) -> str:
    """An explanation's title; without numbers."""
    if reading.groups is not None:
        return group_title(cause, reading.groups, figure_words(cause, reading), lower=moved_down(cause))
    place = segment_words(cause.segment)
    where = f" in {place}" if cause.segment else ""
    match cause.kind:
        case "data_fault" | "outlier":
            return _fault_title(cause, where)
        case "seasonal":
            return "As in other years: the season"
        case "calendar":
            return "The calendar: the periods have other days"
        case "trend":
            return "The trend goes on"
        case "noise":
            return "The rest of the change, without a named cause"
        case "mix":
            return f"The weight of {place} shifted"
        case "new_or_gone":
            return f"{place} is {'new' if cause.state == 'new' else 'gone'}"
        case _:
            verb = "fell" if moved_down(cause) else "rose"
            what = figure_words(cause, reading)
            return (
                f"{what.capitalize()} {verb} in {place}" if cause.segment else f"{what.capitalize()} {verb} everywhere"
            )


_SHORT = {
    "unit_factor": "values in another unit",
    "missing_rows": "missing rows",
    "late_rows": "late rows",
    "duplicates": "repeated rows",
    "nulls": "empty values",
    "negative_sign": "values below zero",
    "rename": "a renamed value",
    "definition": "another definition of the metric",
    "key_format": "keys that stopped matching",
    "timezone": "shifted hours",
    "summed_level": "a level that must not be summed",
    "outlier": "one row that makes most of the change",
}


def kind_words(cause: Cause) -> str:
    """A fault or an expectation in a few words, without names or numbers of the data."""
    fault = fault_of(cause)
    if fault:
        return _SHORT[fault]
    return {"seasonal": "the season", "calendar": "the calendar", "trend": "the trend"}.get(cause.kind, cause.kind)


def moved_down(cause: Cause) -> bool:
    """Whether the figure that the cause speaks of went down."""
    if cause.before is None or cause.after is None:
        return cause.contribution < 0
    return cause.after < cause.before


def figure_words(cause: Cause, reading: Reading) -> str:
    """The figure that a located cause speaks of."""
    if cause.kind == "segment":
        return "the metric"
    if cause.kind == "rate" and reading.metric.kind == "sum":
        return factor_words("value", reading.metric)
    return factor_words(cause.kind, reading.metric)


def _fault_title(cause: Cause, where: str) -> str:
    details = cause.details
    match fault_of(cause):
        case "unit_factor":
            return f"Values{where} are in another unit"
        case "missing_rows":
            return f"Rows are missing{where}"
        case "late_rows":
            return "The last days have not fully arrived"
        case "duplicates":
            return "Rows are there more than once"
        case "nulls":
            return f"Values are empty{where}"
        case "negative_sign":
            return f"Values below zero{where}: refunds or a flipped sign"
        case "rename":
            return f"{details.get('column')}: {details.get('old')} was renamed to {details.get('new')}"
        case "definition":
            return f"The metric's definition changed: {details.get('column')} has other values"
        case "key_format":
            return f"Keys of {details.get('table')} stopped matching"
        case "timezone":
            return f"The hours are shifted{where}: another time zone"
        case "summed_level":
            return "A level was summed over different numbers of dates"
        case _:
            return "One row makes most of the change: an outlier"


def meaning_of(cause: Cause, reading: Reading) -> str:
    """What the data show of a cause, and no more."""
    if reading.groups is not None:
        return group_meaning(cause, reading.groups, figure_words(cause, reading), lower=moved_down(cause))
    place = segment_words(cause.segment)
    match cause.kind:
        case "data_fault":
            return f"{_FAULTY} Correct it before anything else is concluded."
        case "outlier":
            return "One record decides the comparison. Look at it before anything else is concluded."
        case "seasonal" | "calendar" | "trend":
            return "The change was to be expected; it needs no cause of its own."
        case "noise":
            return "What is left after the named parts. The breakdown shows where it lies."
        case "mix":
            return (
                f"{place} makes up another part of the whole than before. Its level differs from the others', so the "
                f"total moves even where no level does. {CLAIMS}"
            )
        case "new_or_gone":
            came = "appeared" if cause.state == "new" else "disappeared"
            return f"{place} {came} between the periods. {CLAIMS}"
        case _:
            what = figure_words(cause, reading)
            verb = "fell" if moved_down(cause) else "rose"
            if not cause.segment:
                return f"{what.capitalize()} {verb} in all segments together. {CLAIMS}"
            return f"In {place} {what} {verb} by more than its own scatter. {CLAIMS}"


def step_of(cause: Cause, onset: str | None, reading: Reading) -> str:
    """What to do about a cause."""
    if reading.groups is not None:
        return group_step(cause, reading.groups)
    place = segment_words(cause.segment)
    since = f" around {onset}" if onset else ""
    match cause.kind:
        case "data_fault":
            return _fault_step(cause)
        case "outlier":
            return "Check the one row that makes most of the change; compare again without it if it is wrong."
        case "seasonal":
            return "Compare with the same dates of an earlier year instead."
        case "calendar":
            return "Compare periods of the same length and weekdays, or the metric per day."
        case "trend":
            return "Compare with the trend: ask what changes it, not what keeps it."
        case "noise":
            return "Look at the breakdown for where the rest of the change lies."
        case "mix":
            return f"Find out why {place} weighs otherwise than before{since}."
        case "new_or_gone":
            went = "came" if cause.state == "new" else "went"
            return f"Find out why {place} {went}{since}: launch, closure or tracking?"
        case "rate":
            where = f"in {place}" if cause.segment else "everywhere"
            return f"Check prices, discounts and definitions {where}{since}."
        case "volume":
            where = f"in {place}" if cause.segment else "everywhere"
            return f"Check traffic, stock and tracking {where}{since}."
        case _:
            return f"Ask those who look after {place} what changed there{since}."


def _fault_step(cause: Cause) -> str:
    match fault_of(cause):
        case "unit_factor":
            return "Bring the values back to one unit, then investigate once more."
        case "missing_rows" | "nulls":
            return "Load what is missing, then investigate once more."
        case "late_rows":
            return "Wait until the last days are complete, or leave them out."
        case "duplicates":
            return "Remove the repeated rows, then investigate once more."
        case "negative_sign":
            return "Ask whether the values below zero are refunds or a flipped sign."
        case "rename" | "definition":
            return "Map the old name to the new one, then investigate once more."
        case "key_format":
            return f"Bring the keys of {cause.details.get('table')} to one format, then investigate once more."
        case "timezone":
            return "Bring the timestamps to one time zone, then investigate once more."
        case _:
            return "Average the level over its dates instead of summing it."
