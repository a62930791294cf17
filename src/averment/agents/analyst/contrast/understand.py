"""Understanding questions that set two sides against each other: which sides, in what."""

from __future__ import annotations

import re
from datetime import date

from averment.agents.analyst.contrast.reading import ContrastReading, Side
from averment.agents.analyst.parts.draft import Draft, Unclear, day_of
from averment.agents.analyst.parts.gather import Parts, gather, measure_of, which_measure
from averment.agents.analyst.parts.nouns import Between, Filter, Measure
from averment.language.periods import PeriodMatch, find_periods

_VERSUS = r"\b(?:versus|vs\b\.?|(?:as )?compared? (?:to|with|against)|in comparison (?:to|with)|against|relative to)"
_COMPARE = r"\b(?:compar(?:e[ds]?|ing|isons?)|contrast(?:s|ed|ing)?)\b(?: of| between)?"
_APART = (
    r"\b(?:differences?|differ(?:s|ed)?|gap|changes?|changed|growth|grew|grow|increase[sd]?|decrease[sd]?|declined?|"
    r"drop(?:ped)?|rise|rose|fall|fell)\b(?: rate)?"
)
_THAN = r"\b(?:how )?(?:much )?(?:higher|lower|more|less|larger|smaller|bigger|greater)\b(?=.*\bthan\b)"
_BEFORE_AFTER = r"\bbefore (?:and|vs\.?|versus|or)\b(?= after\b)"
_OTHERS = re.compile(
    r"\b(?:significan\w*|t-?test|mann|anova|test|correlat\w*|p-?values?|why|forecast\w*|predict\w*|hypothes\w*|caus\w*)\b"
)
_ENDS = re.compile(r"^(?:from|between)?\s*(?P<one>.+?)\s*(?:\bto\b|\band\b|\buntil\b|-|–|through)\s*(?P<two>.+)$")
_BETWEEN = r"\bbetween\b"
_SAME_PERIOD = (
    r"\b(?:the )?(?:same|corresponding|equivalent) (?:period|time(?: (?:frame|span|period))?|span|dates?|days) "
    r"(?:of |in |from |a )?(?:the )?(?:(?:last|previous|prior|preceding) year|year (?:ago|before|earlier|prior))\b"
    r"|\bthis time last year\b"
)


def read_contrast(draft: Draft) -> ContrastReading | Unclear | None:
    """The two sides a question asks about; None when it asks for no contrast."""
    if _OTHERS.search(draft.folded):
        return None
    same = draft.take(_SAME_PERIOD) is not None
    around = draft.take(_BEFORE_AFTER) is not None
    versus = draft.take(_VERSUS) is not None
    compare = draft.take(_COMPARE) is not None
    apart = draft.take(_APART) is not None
    than = not apart and draft.take(_THAN) is not None
    if apart or than:
        draft.take(r"\b(?:percent(?:age)?|pct|relative|absolute)\b(?: (?:change|difference|growth))?")
        draft.take(r"\bthan\b")
    if not (around or versus or compare or apart or than or same):
        return None
    found = _contrast(draft, around=around, named=versus or compare, same=same)
    # "More than" compares in many ways; only a clear pair of sides makes it one of these.
    weak = than and not (around or versus or compare)
    return None if weak and isinstance(found, Unclear) else found


def _contrast(draft: Draft, *, around: bool, named: bool, same: bool) -> ContrastReading | Unclear | None:
    parts = gather(draft)
    if same and parts.times.grain is not None and not parts.times.periods:
        return None  # "by month, against the same time last year" is a series
    if same:
        sides = _year_before(draft, parts)
    else:
        sides = _around(draft, parts) if around else _sides(draft, parts, named=named)
    if sides is None:
        return None
    if isinstance(sides, Unclear):
        return sides
    draft.take(_BETWEEN)
    first, second = sides
    measure = measure_of(draft, parts)
    if measure is None:
        return Unclear(which_measure(draft, parts))
    return _made(draft, parts, measure, first, second)


def _made(draft: Draft, parts: Parts, measure: Measure, first: Side, second: Side) -> ContrastReading | Unclear:
    own = {side.value.column for side in (first, second) if side.value is not None}
    splits = [split for split in parts.splits if split.column not in own]
    parts.loose = [name for name in parts.loose if name not in own]
    if len(splits) > 1 or parts.loose:
        return Unclear("Two sides can be told apart by one more column. Which one do you mean?")
    sided = {first.value.value, second.value.value} if first.value is not None and second.value is not None else set()
    rest = tuple(each for each in parts.filters if not (each.column in own and each.value in sided))
    single = first.value is not None and len(parts.times.periods) == 1
    return ContrastReading(
        table=draft.profile.table,
        measure=measure,
        first=first,
        second=second,
        split=splits[0] if splits else None,
        filters=rest,
        period=parts.times.between(parts.times.periods[0]) if single else None,
    )


def _sides(draft: Draft, parts: Parts, *, named: bool) -> tuple[Side, Side] | Unclear | None:
    periods = parts.times.periods
    if len(periods) == 2:
        return _two_periods(draft, parts, periods)
    if len(periods) == 1 and periods[0].bound == "range" and parts.times.grain is None and len(parts.values) != 2:
        ends = _range_ends(draft, periods[0])
        if ends is not None:
            return _two_periods(draft, parts, ends)
    columns = {value.column for value in parts.values}
    plain = [value for value in parts.values if not value.negated]
    if len(plain) == 2 and len(columns) == 1 and len(periods) <= 1:
        return _two_groups(draft, parts)
    if named and (len(periods) > 2 or (len(plain) > 2 and len(columns) == 1)):
        return None  # three or more sides are another skill's
    if len(plain) == 2 and named:
        return Unclear(f"{plain[0].words} and {plain[1].words} are values of different columns and cannot be compared.")
    return None


def _two_periods(draft: Draft, parts: Parts, periods: list[PeriodMatch]) -> tuple[Side, Side] | Unclear:
    if parts.times.column is None:
        return Unclear(f"The table {draft.profile.table} has no date to tell periods apart by.")
    for period in periods:
        outside = _outside(draft, parts, period.start, period.end, period.text)
        if outside is not None:
            return outside
    one, two = sorted(periods, key=lambda each: (each.start or date.min, each.end or date.max))
    if one.period == two.period:
        return Unclear("Both sides name the same period. Which two do you mean?")
    sides = [Side(words=each.text, period=parts.times.between(each)) for each in (one, two)]
    return sides[0], sides[1]


def _year_before(draft: Draft, parts: Parts) -> tuple[Side, Side] | Unclear:
    """A period and the same days a year before; one that is under way ends with the last day there is."""
    column, periods = parts.times.column, parts.times.periods
    if column is None or len(periods) != 1 or periods[0].start is None or periods[0].end is None:
        return Unclear("Which period shall be set against the same period of the year before? For example: this year.")
    match, last = periods[0], draft.last_day
    start, end = periods[0].start, periods[0].end
    if match.anchor is not None and last is not None and start <= last < end:
        end = last
    sides: list[Side] = []
    for years, words in ((1, f"{match.text} a year before"), (0, match.text)):
        first, until = _years_back(start, years), _years_back(end, years)
        outside = _outside(draft, parts, first, until, words)
        if outside is not None:
            return outside
        sides.append(Side(words=words, period=Between(column=column, start=first, end=until, words=words)))
    return sides[0], sides[1]


def _years_back(day: date, years: int) -> date:
    leap = (day.month, day.day) == (2, 29) and years > 0
    return day.replace(year=day.year - years, day=28 if leap else day.day)


def _outside(draft: Draft, parts: Parts, start: date | None, end: date | None, words: str) -> Unclear | None:
    column = draft.column(parts.times.column or "")
    low, high = day_of(column.minimum), day_of(column.maximum)
    if low is None or high is None:
        return None
    if (start is not None and start > high) or (end is not None and end < low):
        return Unclear(f"{column.name} goes from {low} to {high}, so there is nothing for {words} to compare.")
    return None


def _range_ends(draft: Draft, ranged: PeriodMatch) -> list[PeriodMatch] | None:
    """Both ends of "from 2023 to 2024" as periods of their own, where they are of one kind."""
    found = _ENDS.match(ranged.text.strip())
    if found is None:
        return None
    text = f"{found['one']} versus {found['two']}"
    ends = [each for each in find_periods(text, anchor=draft.last_day) if each.period is not None and not each.context]
    if len(ends) != 2 or ends[0].grain != ends[1].grain or any(each.bound != "within" for each in ends):
        return None
    return ends


def _two_groups(draft: Draft, parts: Parts) -> tuple[Side, Side] | Unclear | None:
    one, two = parts.values
    column = draft.column(one.column)
    if column.cardinality >= draft.profile.row_count:
        return None  # each value has one row: that is a look-up, and another skill's
    if one.value == two.value:
        return Unclear("Both sides are the same. Which two do you mean?")
    sides = [
        Side(
            words=each.value,
            value=Filter(column=each.column, operator="=", value=each.value, words=each.words),
        )
        for each in (two, one)
    ]
    return sides[0], sides[1]


def _around(draft: Draft, parts: Parts) -> tuple[Side, Side] | Unclear:
    """Before and after a named time, which itself belongs to neither side."""
    name = parts.times.column
    if name is None or len(parts.times.periods) != 1:
        return Unclear("Before and after when? Please name one day, month or year.")
    match = parts.times.periods[0]
    start, end = match.start, match.end
    if match.bound == "after" and match.start is not None:
        inner = find_periods(re.sub(r"^\s*after\s+", "", match.text, flags=re.IGNORECASE), anchor=draft.last_day)
        start, end = (inner[0].start, inner[0].end) if inner else (match.start, match.start)
    if start is None or end is None:
        return Unclear("Before and after when? Please name one day, month or year.")
    words = re.sub(r"^\s*(?:before|after)\s+", "", match.text, flags=re.IGNORECASE)
    before = Between(column=name, start=None, end=date.fromordinal(start.toordinal() - 1), words=f"before {words}")
    after = Between(column=name, start=date.fromordinal(end.toordinal() + 1), end=None, words=f"after {words}")
    for each in (before, after):
        outside = _outside(draft, parts, each.start, each.end, each.words)
        if outside is not None:
            return outside
    return Side(words=before.words, period=before), Side(words=after.words, period=after)
