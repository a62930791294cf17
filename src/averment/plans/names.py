"""What the parts of a plan are called: in a read-back, in headings, in sentences."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from averment.plans.registry import AGGREGATES, WINDOWS
from averment.tables.guard.names import name_parts

if TYPE_CHECKING:
    from averment.plans.plan import Join, Measure, Plan, Value

MODELS_LABEL = "the model's label"
"""What the heading of a column begins with whose texts a model's query gives, by a condition on the data."""

COMPARISONS = {
    "=": "is",
    "!=": "is not",
    "<": "is under",
    "<=": "is at most",
    ">": "is over",
    ">=": "is at least",
}
PARTS = {
    "year": "year",
    "quarter": "quarter",
    "month": "month",
    "week": "week",
    "day": "day",
    "hour": "hour of day",
    "decade": "decade",
    "month_of_year": "month of the year",
    "weekday": "day of the week",
    "weekend": "weekday or weekend",
    "day_of_month": "day of the month",
}


def window_words(kind: str) -> str:
    """What a figure over other rows is called beside the figure: a share of it, its moving total."""
    return WINDOWS[kind].spoken or WINDOWS[kind].words


_MONTHS = "January February March April May June July August September October November December".split()
_GENERIC = frozenset({"name", "title", "id", "type", "code", "description"})
_SIGNS = {"+": "plus", "-": "minus", "*": "times", "/": "divided by"}


def sets_apart(plan: Plan) -> bool:
    """Whether a plan sets one thing against another, rather than one time against another."""
    window = plan.window
    if window is None or window.span is None or window.along is None:
        return False
    timed = all(isinstance(each, int | float) and not isinstance(each, bool) for each in window.span)
    dated = all(isinstance(each, str) and each[:4].isdigit() for each in window.span)
    return not timed and not dated and plan.by[window.along].part in {None, "weekend"}


def value_name(value: Value, *, qualified: bool = False) -> str:
    """A value in words; a bare "name" says whose it is, and so does every column where ``qualified``."""
    match value.kind:
        case "column" | "as_number":
            return column_name(value.table, value.column, qualified=qualified)
        case "part" if value.part == "year" and value.number is not None:
            month = _MONTHS[int(value.number) - 1]
            return f"fiscal year from {month} of {column_name(value.table, value.column, qualified=qualified)}"
        case "part":
            return f"{PARTS[value.part or 'year']} of {column_name(value.table, value.column, qualified=qualified)}"
        case "arithmetic":
            left, right = (_operand(each, qualified=qualified) for each in value.operands)
            return f"{left} {_SIGNS[value.operation or '+']} {right}"
        case "number":
            return plain_number(value.number or 0)
        case "minutes" if is_time_of_day(value):
            return f"time of day of {value_name(value.operands[1], qualified=qualified)}"
        case "days" | "hours" | "minutes" | "seconds":
            first, last = (value_name(each, qualified=qualified) for each in value.operands)
            return f"{value.kind} from {first} to {last}"
        case "length":
            return f"length of {column_name(value.table, value.column, qualified=qualified)}"
        case "bucket":
            named = column_name(value.table, value.column, qualified=qualified)
            return f"{named} in steps of {plain_number(value.width or 1)}"
        case "place":
            return "place in the table"
        case "piece":
            named = column_name(value.table, value.column, qualified=qualified)
            return f"{(value.piece or 'first_word').replace('_', ' ')} of {named}"


def is_time_of_day(value: Value) -> bool:
    """Whether minutes are counted from the beginning of a moment's own day."""
    if value.kind != "minutes" or len(value.operands) != 2 or value.operands[1].kind != "column":
        return False
    day, moment = value.operands
    return day.part == "day" and (day.table, day.column) == (moment.table, moment.column)


def clock_time(minutes: float) -> str:
    """Minutes since midnight as a clock shows them, with what is left of a minute."""
    whole = int(minutes)
    left = f" and {plain_number((minutes - whole) * 60)} seconds" if minutes != whole else ""
    return f"{whole // 60:02d}:{whole % 60:02d}{left}"


def _operand(value: Value, *, qualified: bool) -> str:
    said = value_name(value, qualified=qualified)
    return f"({said})" if value.kind == "arithmetic" else said


def column_name(table: str | None, name: str | None, *, qualified: bool = False) -> str:
    """A column in words."""
    plain = name or ""
    return f"{table}.{plain}" if table and (qualified or plain.casefold() in _GENERIC) else plain


def measure_name(measure: Measure, *, qualified: bool = False) -> str:
    """A figure in words, without its own conditions."""
    of = value_name(measure.of, qualified=qualified) if measure.of is not None else ""
    match measure.function:
        case "rows":
            named = f"number of rows of {measure.table}" if measure.table else "number of rows"
        case "quantile":
            named = f"{ordinal((measure.at or 0) * 100)} percentile of {of}"
        case "rate":
            named = AGGREGATES[measure.function].words
        case "mean" if measure.weight is not None:
            named = f"average {of} weighted by {value_name(measure.weight, qualified=qualified)}"
        case _:
            named = f"{AGGREGATES[measure.function].words} {of}"
    return named


def ordinal(number: float) -> str:
    """A number in order: 1st, 22nd, 95th."""
    said = plain_number(round(number, 6))
    ending = "th" if said[-2:] in {"11", "12", "13"} else {"1": "st", "2": "nd", "3": "rd"}.get(said[-1], "th")
    return f"{said}{ending}"


def plain_number(number: float) -> str:
    """A number as a question would write it."""
    return str(int(number)) if float(number).is_integer() and abs(number) < 1e15 else repr(float(number))


def headings(plan: Plan) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The headings of the keys and of the figures in a plan's result, no two alike."""
    keys = [_short(value) for value in (plan.by or plan.show)]
    figures = [_figure(measure) for measure in plan.measures]
    used: list[str] = []
    for name in (*keys, *figures):
        used.append(_free(name, used))
    return tuple(used[: len(keys)]), tuple(used[len(keys) :])


def _short(value: Value) -> str:
    if value.kind == "part":
        return f"{PARTS[value.part or 'year'].split(' of ')[0].replace('day of the', 'day')} of {value.column}"
    if value.kind in {"piece", "length"}:
        return value_name(value)
    if value.kind == "bucket":
        return f"{value.column} from"
    return value.column or value_name(value)


def _figure(measure: Measure) -> str:
    match measure.function:
        case "rows":
            base = "rows"
        case "rate":
            shown = next((each.value for test in measure.where for each in test.parts()), None)
            base = f"percent {shown.column}" if shown is not None and shown.column else "percent"
        case "quantile":
            of = _short(measure.of) if measure.of else ""
            base = f"percentile {plain_number(round((measure.at or 0) * 100, 6))} of {of}"
        case _:
            of = _short(measure.of) if measure.of is not None else "rows"
            base = f"{AGGREGATES[measure.function].called} {of}"
    if measure.function != "rate" and measure.over is None:
        base = f"{base}{_of_period(measure)}"
    if measure.over is not None:
        base = f"{base} per {_figure(measure.over)}" if not measure.percent else f"percent {base}"
    return base.strip()


def _of_period(measure: Measure) -> str:
    """The period a figure is of, where it is of one of several."""
    test = measure.where[-1] if measure.where else None
    if test is None or test.value is None or test.negated or not test.to:
        return ""
    dated = test.value.part == "year" or all(isinstance(each, str) and each[:4].isdigit() for each in test.to)
    if not dated or test.operator not in {"=", "between", "<=", ">="}:
        return ""
    said = " to ".join(str(each) for each in test.to)
    return {"<=": f" until {said}", ">=": f" from {said}"}.get(test.operator, f" {said}")


def _free(name: str, used: Iterable[str]) -> str:
    taken = {each.casefold() for each in used}
    tried, number = name, 2
    while tried.casefold() in taken:
        tried, number = f"{name} {number}", number + 1
    return tried


def way_of(join: Join) -> str:
    """By which column a table is joined, where its name tells no more than that it is: " by destination"."""
    known = {_stem(word) for name in (join.right, join.right_column) for word in name_parts(name)} | _KEYS
    own = [_stem(word) for word in name_parts(join.left_column)]
    said = all(any(part.startswith(word) for part in known) for word in own)
    return "" if said else f" by {join.left_column}"


def _stem(word: str) -> str:
    return word.casefold().removesuffix("s")


_KEYS = frozenset({"id", "code", "key", "no", "number", "fk"})
