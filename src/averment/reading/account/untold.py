"""What a question asks to be told and a plan does not tell: how old, both ends, how many days, the number one."""

from __future__ import annotations

import re
from itertools import pairwise
from typing import TYPE_CHECKING

from averment.plans.registry import COUNTS
from averment.reading.schema.repeats import is_period_of
from averment.reading.words import abbreviations, adjectives, name_words

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from averment.plans.plan import Plan, Value
    from averment.reading.lattice.spans import Span
    from averment.reading.schema.schema_view import Schema

_LENGTHS = frozenset({"days", "hours", "minutes", "seconds"})
_BODILY = frozenset({"old", "tall", "heavy", "deep"})
"""What only a column of its own says; how big or how long something is may be counted."""
_UNTIL = frozenset({"to", "till", "until", "through", "thru"})


def untold(plan: Plan, schema: Schema, spans: Sequence[Span], whole: Sequence[Span]) -> list[str]:
    """The words that ask for what a plan does not tell; ``whole`` has the filler of the question, too."""
    return [
        *_one_end_of_two(plan, spans),
        *_another_size(plan, spans),
        *_uncounted(plan, spans),
        *_the_one(plan, whole),
        *_ends_for_a_span(plan, whole),
        *_not_listed(plan, spans),
        *_counted_for_itself(plan, spans),
        *_number_of_a_name(plan, spans),
        *_periods_as_things(plan, schema, spans),
        *_ordinal_of_a_name(plan, spans),
        *_two_counts_as_one(plan, spans),
    ]


def _one_end_of_two(plan: Plan, spans: Sequence[Span]) -> list[str]:
    """ "The highest and the lowest pulse" are two figures."""
    if plan.statistic is not None or plan.combine is not None:
        return []
    ends = {m.function for m in plan.measures} & {"min", "max"}
    if len(ends) > 1 or (plan.rank is None and not ends):
        return []
    told = "max" if plan.rank is not None and plan.rank.descending else "min"
    for one, two in pairwise(s for s in spans if s.type not in {"STOP", "AND", "ROW"} and not s.cue("which")):
        if two.start == one.end:
            continue  # The highest minimum is one figure.
        if {one.extreme, two.extreme} == {"max", "min"}:
            return [(two if one.extreme == told else one).text]
        if _are_opposite(one, two):
            return [two.text]
    return []


def _are_opposite(one: Span, two: Span) -> bool:
    """Whether two superlatives are the two ends of one thing: the youngest and the oldest."""
    if not all(span.type == "GRADE" and span.data[1] in {"most", "least"} for span in (one, two)):
        return False
    ways = [adjectives()[span.data[0]][0] for span in (one, two)]
    turned = [greater == (span.data[1] == "most") for (greater, _), span in zip(ways, (one, two), strict=True)]
    return turned[0] != turned[1] and bool(set(ways[0][1]) & set(ways[1][1]))


def _another_size(plan: Plan, spans: Sequence[Span]) -> list[str]:
    """ "How old is the lightest": what the adjective measures is told, which only a column of its own says."""
    said = [s.text for s in spans if s.cue("much") and s.text.startswith("how ") and s.text[4:] in _BODILY]
    if not said or plan.statistic is not None:
        return []
    names = [set(name.split("_")) for _, ways in adjectives()[said[0][4:]] for name in ways]
    ranked = plan.rank.by if plan.rank is not None and not plan.measures else None
    told = [value for value in (*plan.by, *plan.show, *(m.of for m in plan.measures), ranked) if value is not None]
    return [] if _tell(told, names) else said


def _tell(values: Iterable[Value], names: Sequence[set[str]]) -> bool:
    def measures(value: Value) -> bool:
        parts = [word for _, column in value.columns() for word in name_words(column)]
        words = {spelt for word in parts for spelt in (word, *abbreviations().get(word, ()))}
        return value.kind in _LENGTHS | {"arithmetic"} or any(name <= words for name in names)

    return any(measures(value) for value in values)


def _uncounted(plan: Plan, spans: Sequence[Span]) -> list[str]:
    """ "How many days did it snow": the days are counted, and not what fell on each of them."""
    counts = any(m.function in COUNTS | {"rate"} for m in plan.measures) or plan.over_groups is not None
    lasts = any(m.of is not None and m.of.kind in _LENGTHS for m in plan.measures)
    if counts or lasts or not plan.measures or plan.statistic is not None:
        return []
    return [
        after.text
        for span, after in pairwise(spans)
        if span.cue("count") and after.type == "PART" and span.end == after.start
    ]


def _the_one(plan: Plan, whole: Sequence[Span]) -> list[str]:
    """ "Number one", "a one bedroom": a number that is written out counts as one."""
    ones = any(1 in test.to or "1" in test.to for test in plan.tests()) or (plan.rank is not None)
    found: list[str] = []
    for n, span in enumerate(whole):
        if span.text != "one" or span.type == "NUMBER":
            continue
        before, after = whole[n - 1] if n else None, whole[n + 1] if n + 1 < len(whole) else None
        first = before is not None and before.text in {"number", "nr", "no"}
        single = before is not None and before.text in {"a", "with"} and after is not None and after.type == "COLUMN"
        found += [span.text] if (first or single) and not ones else []
    return found


def _ends_for_a_span(plan: Plan, whole: Sequence[Span]) -> list[str]:
    """ "1875 to 1884": all the years from one to the other, and not the two."""
    picked = {to for test in plan.tests() if test.operator in {"=", "in"} for to in test.to}
    return [
        word.text
        for one, word, two in zip(whole, whole[1:], whole[2:], strict=False)
        if word.text in _UNTIL and one.type == two.type == "TIME" and {_year(one), _year(two)} <= picked
    ]


def _year(span: Span) -> int | None:
    period = getattr(span.data, "period", None)
    return period.start.year if period is not None and period.start is not None and period.grain == "year" else None


def _not_listed(plan: Plan, spans: Sequence[Span]) -> list[str]:
    """ "List the houses with their number of lifts" is a number for each of them."""
    listed = [s.text for s in spans[:1] if s.cue("list") and s.text.split()[0] == "list"]
    alone = plan.measures and not plan.by and plan.statistic is None
    nouns = [s for s in spans if s.type in {"ROW", "COLUMN"}]
    return listed if alone and len(nouns) > 1 and any(s.cue("count") for s in spans) else []


def _counted_for_itself(plan: Plan, spans: Sequence[Span]) -> list[str]:
    """ "The average number of teams per night": the teams are counted, and the nights are what it is averaged over."""
    if plan.over_groups is None:
        return []
    keys = {(value.table, value.column) for value in plan.by}
    return [
        per.text
        for count, thing, per in zip(spans, spans[1:], spans[2:], strict=False)
        if count.cue("count") and thing.type == "COLUMN" and per.cue("by")
        and (thing.data.table, thing.data.name) in keys
    ]  # fmt: skip


def _number_of_a_name(plan: Plan, spans: Sequence[Span]) -> list[str]:
    """ "Progression after 1 year", where the column is called so: the number is its name's, and no condition."""
    tested = {(t.value.column, str(to)) for t in plan.tests() if t.value is not None for to in t.to}
    return [
        number.text
        for name, number in pairwise(spans)
        if name.type == "COLUMN" and number.type == "NUMBER" and name.end == number.start
        and _digits(number) in {char for word in name.data.words for char in _numbers(word)}
        and any(to in {_digits(number), f"{_digits(number)}.0"} for column, to in tested if column != name.data.name)
    ]  # fmt: skip


def _ordinal_of_a_name(plan: Plan, spans: Sequence[Span]) -> list[str]:
    """ "Visits in the first trimester", where a column is called so: all its values count, and not the one."""
    tested = {(t.value.table, t.value.column, to) for t in plan.tests() if t.value is not None for to in t.to}
    return [
        number.text
        for one, two in pairwise(spans)
        for number, name in ((one, two), (two, one))
        if number.type == "NUMBER" and name.type == "COLUMN" and one.end == two.start
        and _digits(number) in {digits for word in name.data.words for digits in _numbers(word)}
        and (name.data.table, name.data.name, number.data[0]) in tested
    ]  # fmt: skip


def _two_counts_as_one(plan: Plan, spans: Sequence[Span]) -> list[str]:
    """ "How many were passed and how many rejected" are two numbers."""
    said = [span.text for span in spans if span.cue("count") and span.text.startswith("how many")]
    one = len(plan.measures) == 1 and plan.measures[0].over is None and not plan.by and plan.statistic is None
    return said[1:] if one and len(said) > 1 else []


def _digits(span: Span) -> str:
    return f"{span.data[0]:g}"


def _numbers(word: str) -> list[str]:
    return re.findall(r"\d+", word)


def _periods_as_things(plan: Plan, schema: Schema, spans: Sequence[Span]) -> list[str]:
    """ "How many washers do we have", where each row is one month of one of them: rows are no washers."""
    table = schema.tables.get(plan.table)
    if table is None or plan.joins or plan.by or not any(m.function == "rows" for m in plan.measures):
        return []
    things = [column for column in table.columns if column.has("key", "label") and not column.is_unique]
    if not any(is_period_of(table, column) for column in things):
        return []
    return [kind.text for count, kind in pairwise(spans) if count.cue("count") and kind.type == "VALUE"]
