"""Understanding questions with several sides: three or more periods or groups, ranges of a number, fiscal years."""

from __future__ import annotations

import re
from datetime import date

from averment.agents.analyst.parts.arithmetic import Named, read_formula
from averment.agents.analyst.parts.draft import Draft, Unclear, day_of
from averment.agents.analyst.parts.gather import Parts, gather, measure_named, which_measure
from averment.agents.analyst.parts.nouns import Between, Filter
from averment.agents.analyst.several.ranges import read_ranges
from averment.agents.analyst.several.reading import Kind, SeveralReading, Side
from averment.language.periods import PeriodMatch, find_periods

_COMPARE = (
    r"\b(?:compar(?:e[ds]?|ing|isons?)(?: (?:of|between|to|with|against))?|versus|vs\b\.?|side by side|against|"
    r"contrast)\b"
)
_FISCAL = r"\b(?:by|per|each|every|for each|across)\s+(?:the\s+)?(?:fiscal|financial)\s+years?\b"
_OTHERS = re.compile(
    r"\b(?:correlat\w*|significan\w*|test|anova|p-?values?|why|forecast\w*|predict\w*|growth|moving|rolling|cumulative|"
    r"share|percent\w*|proportion|outliers?|trend\w*|median of|impute\w*)\b"
)
_CHART = re.compile(r"\b(?:bar|pie|line|scatter|x-axis|y-axis|histograms?)\b")
MOST_SIDES = 60


def read_several(draft: Draft) -> SeveralReading | Unclear | None:
    """The sides a question asks about; None when it asks for fewer than three."""
    if _OTHERS.search(draft.folded) or _CHART.search(draft.folded):
        return None
    named = read_formula(draft)
    if isinstance(named, Unclear):
        return None
    ranged = read_ranges(draft)
    if isinstance(ranged, Unclear):
        return ranged
    fiscal = ranged is None and draft.take(_FISCAL) is not None
    compared = ranged is None and not fiscal and draft.take(_COMPARE) is not None
    while compared and draft.take(_COMPARE) is not None:
        pass
    if ranged is None and not fiscal and not compared:
        return None
    parts = gather(draft)
    if ranged is not None:
        found = _made(draft, parts, named, "ranges", ranged[0], ranged[1])
    elif fiscal:
        found = _fiscal(draft, parts, named)
    else:
        found = _compared(draft, parts, named)
    # What is not clear is asked about only where all else is.
    return None if isinstance(found, Unclear) and draft.unread() else found


def _compared(draft: Draft, parts: Parts, named: Named | None) -> SeveralReading | Unclear | None:
    periods = parts.times.periods
    if len(periods) > 2:
        ordered = sorted(periods, key=lambda each: (each.start or date.min, each.end or date.max))
        sides = tuple(Side(words=_period_words(each), period=parts.times.between(each)) for each in ordered)
        parts.times.periods = []
        return _made(draft, parts, named, "periods", "period", sides)
    plain = [value for value in parts.values if not value.negated]
    by_column = {value.column for value in plain}
    if len({value.value for value in plain}) < 3 or len(by_column) != 1 or len(plain) != len(parts.values):
        return None
    values = {value.value: value for value in plain}
    sides = tuple(
        Side(
            words=each.value,
            tests=(Filter(column=each.column, operator="=", value=each.value, words=each.words),),
        )
        for each in values.values()
    )
    parts.values = []
    return _made(draft, parts, named, "groups", next(iter(by_column)), sides)


def _period_words(match: PeriodMatch) -> str:
    """A period as it was said, with its year where that was said of a list: "Q1, Q2 and Q3 2021"."""
    if match.anchor is None and match.start is not None and not re.search(r"\d{2}", match.text):
        return f"{match.text} {match.start.year}"
    return match.text


def _fiscal(draft: Draft, parts: Parts, named: Named | None) -> SeveralReading | Unclear:
    if parts.times.column is None:
        return Unclear(f"The table {draft.profile.table} has no date to tell fiscal years apart by.")
    start = parts.times.fiscal
    if start is None:
        return Unclear("In which month does your fiscal year begin?")
    column = draft.column(parts.times.column)
    first, last = day_of(column.minimum), day_of(column.maximum)
    if first is None or last is None:
        return Unclear(f"{column.name} holds no dates to tell fiscal years apart by.")
    sides: list[Side] = []
    for year in range(first.year, last.year + 2):
        (match,) = find_periods(f"FY{year}", anchor=None, fiscal_start_month=start)
        if match.start is None or match.end is None or match.end < first or match.start > last:
            continue
        period = Between(column=column.name, start=match.start, end=match.end, words=match.text)
        sides.append(Side(words=match.text, period=period))
    if len(sides) > MOST_SIDES:
        return Unclear("These are too many fiscal years. For which ones?")
    return _made(draft, parts, named, "periods", "fiscal year", tuple(sides))


def _made(
    draft: Draft, parts: Parts, named: Named | None, kind: Kind, axis: str, sides: tuple[Side, ...]
) -> SeveralReading | Unclear:
    own = {test.column for side in sides for test in side.tests}
    splits = [each for each in parts.splits if each.column not in own]
    parts.loose = [name for name in parts.loose if name not in own]
    if kind == "ranges" and parts.columns == [] and named is None and not parts.aggregate:
        parts.counted = True
    measure = measure_named(draft, parts, named)
    if measure is None:
        return Unclear(which_measure(draft, parts))
    if len(splits) > 1 or parts.loose or len(parts.times.periods) > 1:
        return Unclear("The sides can be told apart by one more column. Which one do you mean?")
    return SeveralReading(
        kind=kind,
        table=draft.profile.table,
        measure=measure,
        axis=axis,
        sides=sides,
        split=splits[0] if splits else None,
        filters=parts.filters,
        period=parts.times.period,
    )
