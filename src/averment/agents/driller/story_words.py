"""How each kind of explanation is said: its title, its sentence, what it means, and what to do next.

A sentence's numbers are cells of the attribution's table. What a segment did is said by the figure that moved; why it
did so the data do not tell.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from averment.agents.driller.wording import factor_words, segment_words
from averment.evidence.bind import literal

if TYPE_CHECKING:
    from averment.agents.driller.cells import Cells
    from averment.agents.driller.hypotheses import Cause
    from averment.agents.driller.reading import Reading
    from averment.records.run import Slot

Sentence = tuple[str, "dict[str, Slot]"]

CLAIMS = "The data show where the metric moved, not why: what happened there has to be asked of those who know."
_FAULTY = "The data themselves are at fault here, so this part of the change did not happen in the world."
LEAST_SHARE, MOST_SHARE = 0.0005, 10.0


def fault_of(cause: Cause) -> str | None:
    """The name of the fault a cause is, if it is one."""
    name = cause.details.get("fault")
    return str(name) if name else None


def title_of(cause: Cause, reading: Reading) -> str:
    """An explanation's title; without numbers."""
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


def sentence_of(cause: Cause, reading: Reading, table: Cells) -> Sentence:
    """What a cause did, with its part of the change."""
    template, slots = _body(cause, reading, table)
    row = cause.row
    if cause.kind == "noise":
        return template, slots
    if cause.sized and cause.contribution:
        slots["part"] = table.slot(row, "contribution")
        lead = "That alone moves the metric by" if cause.kind in {"data_fault", "outlier"} else "That is"
        template += f" {lead} {{part}}"
        if table.has(row, "share") and LEAST_SHARE < abs(table.number(row, "share")) < MOST_SHARE:
            slots["share"] = table.slot(row, "share", percent=True)
            template += ", {share} of the change"
        template += "."
    return template, slots


def _body(cause: Cause, reading: Reading, table: Cells) -> Sentence:
    row = cause.row
    slots: dict[str, Slot] = {}
    place = "all rows"
    if cause.segment:
        slots["segment"] = table.slot(row, "segment")
        place = "{segment}"
    match cause.kind:
        case "data_fault" | "outlier":
            return _fault_body(cause, table, place, slots)
        case "seasonal":
            return _season_body(cause, table, slots)
        case "trend":
            if not cause.details.get("count"):
                return "The line through the time before the comparison goes on.", slots
            slots["steps"] = table.slot(row, "count", decimals=0)
            return "The metric goes on as before: the {steps} steps of this length before it were alike.", slots
        case "calendar":
            slots |= {"days0": table.slot(row, "before", decimals=0), "days1": table.slot(row, "after", decimals=0)}
            return "The comparison has {days1} days and the baseline {days0}, with other weekdays.", slots
        case "noise":
            slots["part"] = table.slot(row, "contribution")
            return (
                "Without what is named above, the metric would have moved by {part}; no cause is named for that.",
                slots,
            )
        case "mix":
            slots |= {
                "w0": table.slot(row, "before", percent=True),
                "w1": table.slot(row, "after", percent=True),
            }
            return "{segment} went from {w0} to {w1} of the whole, and its level is not the others'.", slots
        case "new_or_gone":
            came = "was not there before" if cause.state == "new" else "is no longer there"
            return f"{{segment}} {came}.", slots
        case _:
            return _moved_body(cause, reading, table, place, slots)


def _moved_body(cause: Cause, reading: Reading, table: Cells, place: str, slots: dict[str, Slot]) -> Sentence:
    what = figure_words(cause, reading)
    verb = "fell" if moved_down(cause) else "rose"
    if cause.before is None or cause.after is None:
        return f"In {place} {what} {verb}.", slots
    row = cause.row
    counted = cause.kind == "volume"
    slots["v0"] = table.slot(row, "before", decimals=0 if counted else None)
    slots["v1"] = table.slot(row, "after", decimals=0 if counted else None)
    template = f"In {place} {what} {verb} from {{v0}} to {{v1}}"
    if cause.before and abs(cause.effect) < MOST_SHARE:
        slots["by"] = table.slot(row, "effect", percent=True)
        template += " ({by})"
    return f"{template}.", slots


def _season_body(cause: Cause, table: Cells, slots: dict[str, Slot]) -> Sentence:
    row = cause.row
    if not cause.details.get("count"):
        return (
            "A slow drift between two times of the year, alike in all segments; no other year is at hand to compare.",
            slots,
        )
    slots["years"] = table.slot(row, "count", decimals=0)
    template = "The same dates of {years} other year(s) moved alike"
    if table.has(row, "low") and table.has(row, "high"):
        slots |= {"low": table.slot(row, "low"), "high": table.slot(row, "high")}
        template += ", usually by {low} to {high}"
    return f"{template}.", slots


def _fault_body(cause: Cause, table: Cells, place: str, slots: dict[str, Slot]) -> Sentence:
    row = cause.row

    def put(*names: str, percent: bool = False, decimals: int | None = None) -> None:
        for name in names:
            slots[name] = table.slot(row, name, percent=percent, decimals=decimals)

    period = cause.details.get("side") or "comparison"
    match fault_of(cause):
        case "unit_factor":
            put("multiple", "since")
            return (
                f"From {{since}} on the values of {place} are {{multiple}} times what they were, with the same shape: "
                "another unit or currency.",
                slots,
            )
        case "missing_rows":
            put("days")
            put("count", decimals=0)
            whose = f"{place} has" if cause.segment else "There are"
            ends = ", where the data end" if cause.details.get("new") == "ends" else ""
            return f"{whose} no rows on {{count}} date(s) of the {period} ({{days}}){ends}: rows are missing.", slots
        case "late_rows":
            put("days")
            put("multiple", percent=True)
            return "The last days ({days}) hold {multiple} of the usual rows: late rows are still to come.", slots
        case "duplicates":
            put("days")
            put("count", decimals=0)
            return f"{{count}} rows of the {period} are duplicates, there more than once ({{days}}).", slots
        case "nulls":
            put("before", "after", percent=True)
            put("since")
            whose = "of the rows" if not cause.segment else "of the rows, those of {segment},"
            return f"{{after}} {whose} have no value, {{before}} in the other period; nulls since {{since}}.", slots
        case "negative_sign":
            put("count", "other_count", decimals=0)
            return (
                f"{{count}} rows of {place} are below zero, {{other_count}} were before: refunds or a flipped sign.",
                slots,
            )
        case "rename" | "definition":
            put("column", "old", "new", "since")
            slots.pop("segment", None)
            tail = " The metric's definition rests on it." if fault_of(cause) == "definition" else ""
            return (
                "In {column} the value {old} goes on as {new} from {since}: renamed, nothing came or went." + tail,
                slots,
            )
        case "key_format":
            put("before", "after", percent=True)
            put("column", "table", "since")
            return (
                "{before} of the rows found their partner in {table} by {column} before, {after} now (from {since}): "
                "the key's format changed. Figures by its columns cannot be compared.",
                slots,
            )
        case "timezone":
            put("multiple", decimals=0)
            return f"The hours of {place} are shifted by {{multiple}} hours: another time zone or clock.", slots
        case "summed_level":
            put("before", "after", decimals=0)
            return (
                "The number is a level, one snapshot for each date: {before} dates against {after} cannot be summed; "
                "their means are compared.",
                slots,
            )
        case _:
            put("after", "before", "since")
            extra = f" ({literal(str(cause.details['new']))})" if cause.details.get("new") else ""
            slots.pop("segment", None)
            return (
                f"One row of {{since}}{extra} holds {{after}}, where the next largest holds {{before}}: an outlier.",
                slots,
            )


def meaning_of(cause: Cause, reading: Reading) -> str:
    """What the data show of a cause, and no more."""
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


def step_of(cause: Cause, onset: str | None) -> str:
    """What to do about a cause."""
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
