"""Words that a plan uses for what they do not speak of: a frequency read as a size, a bar put on the wrong thing."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from averment.plans.registry import COUNTS
from averment.plans.statistics import Members
from averment.reading.lattice.nouns import PARTS
from averment.reading.words import adjectives, singular, speaks_of_bad, word_list

if TYPE_CHECKING:
    from collections.abc import Sequence

    from averment.plans.plan import Plan
    from averment.reading.lattice.spans import Span
    from averment.reading.schema.schema_view import Schema

_FREQUENCY = frozenset({"common", "frequent", "popular", "usual", "typical", "rare"})
_TALLIES = frozenset({"n", "num", "no", "nr", "number", "count", "total", "cnt"})
_MANY, _FAR = 1_000, 10
"""A number of rows that no group can reach is not meant: over so many, and so many times those that there are."""
_APART = ("separately", "each of", "respectively")
_OVER = ("gt", "ge", "lt", "le")
_BETWEEN = 4
"""How many words may stand between "more" and "than"."""
_PARTS = frozenset({"pct", "percent", "percentage", "share", "ratio"})
_TYPES = frozenset({"type", "kind", "category", "class", "group", "status"})
_BARS = frozenset({">", ">=", "<", "<="})
_OWN_NAME = 0.95
"""From this strength on a word is a column's own name."""


def misplaced(plan: Plan, schema: Schema, spans: Sequence[Span], whole: Sequence[Span]) -> list[str]:
    """The words of a question that a plan takes for something else; ``whole`` has its filler, too."""
    return [
        *_frequency_as_size(plan, spans),
        *_bar_of_the_counted(plan, spans),
        *_bar_out_of_reach(plan, schema, spans),
        *_bar_of_counted_rows(plan, spans),
        *_both_sides_at_once(plan, spans),
        *_number_as_thing(plan, spans),
        *_part_of_a_date(plan, spans),
        *_worst_turned(plan, schema, spans),
        *_each_of_several(plan, whole),
        *_no_bar(plan, spans),
        *_rows_as_new_kinds(plan, schema, spans),
        *_one_thing_as_two(plan, spans),
        *_each_as_one(plan, spans),
        *_either_way(plan, schema, spans),
        *_ratio_and_more(plan, spans),
        *_denied_twice(plan, spans),
        *_value_said_twice(spans),
        *_number_of_something(plan, spans),
        *_out_of(plan, whole),
        *_things_as_types(plan, spans),
    ]


def _frequency_as_size(plan: Plan, spans: Sequence[Span]) -> list[str]:
    """ "The most common age" is the one that most rows have, not the highest; a frequency of its own may be told."""
    said = [s.text for s in spans if s.type == "GRADE" and s.data[0] in _FREQUENCY and s.data[1] != "plain"]
    if not said or (plan.rank is None and not any(m.function in {"min", "max"} for m in plan.measures)):
        return []
    counted = any(m.function in COUNTS for m in plan.measures)
    named = any(s.type == "COLUMN" and set(s.data.words) & {"frequency", "popularity", "count"} for s in spans)
    return [] if counted or named else said


def _bar_of_the_counted(plan: Plan, spans: Sequence[Span]) -> list[str]:
    """ "How many wards had more than 10 complaints": the bar is the complaints', not the wards'."""
    found: list[str] = []
    told = [s for s in spans if s.type not in {"STOP", "AND"}]
    for n, (count, thing) in enumerate(pairwise(told)):
        after = told[n + 2 : n + 5]
        if not count.cue("count") or thing.type != "COLUMN" or len(after) < 3:
            continue
        bar, number, other = after
        if not bar.cue(*_OVER) or number.type != "NUMBER" or other.type not in {"VALUE", "COLUMN", "ROW"}:
            continue
        own = [test for test in plan.where if test.value is not None and test.value.column == thing.data.name]
        if other.start == number.end and any(test.operator in {">", ">=", "<", "<="} for test in own):
            found.append(number.text)
    return found


def _bar_out_of_reach(plan: Plan, schema: Schema, spans: Sequence[Span]) -> list[str]:
    """ "Over half a million people" is no number of rows where the table has a hundred."""
    table = schema.tables.get(plan.table)
    bars = [
        test.to[0]
        for test in plan.having
        if test.operator in {">", ">="} and test.measure.function in COUNTS and len(test.to) == 1
    ]
    most = max(_MANY, _FAR * table.rows) if table is not None else 0
    numbers = [bar for bar in bars if bar > most > 0]
    if not numbers or plan.joins:
        return []
    return [s.text for s in spans if s.type == "NUMBER" and float(s.data[0]) in numbers]


def _bar_of_counted_rows(plan: Plan, spans: Sequence[Span]) -> list[str]:
    """ "More than 80 rainy days" is a number of days, and no amount of rain."""
    held = {(t.value.table, t.value.column) for t in plan.tests() if t.value is not None and t.operator in _BARS}
    held |= {(t.measure.of.table, t.measure.of.column) for t in plan.having if t.measure.of is not None}
    return [
        number.text
        for number, kind, noun in zip(spans, spans[1:], spans[2:], strict=False)
        if number.type == "NUMBER" and not number.data[1]
        and kind.type == "COLUMN" and kind.strength < _OWN_NAME and kind.data.has("measure")
        and noun.type in {"ROW", "PART", "COLUMN"} and noun.text != singular(noun.text)
        and number.end == kind.start and kind.end == noun.start
        and (kind.data.table, kind.data.name) in held
    ]  # fmt: skip


def _both_sides_at_once(plan: Plan, spans: Sequence[Span]) -> list[str]:
    """ "The ratio of men to women" is not that of both to all."""
    said = [s.text for s in spans if s.cue("ratio")]
    values = [s.data for s in spans if s.type == "VALUE"]
    pairs = {(one.name, str(a)) for one, a in values}
    for measure in plan.measures if said else ():
        for test in measure.where if measure.over is not None else ():
            column = test.value.column if test.value is not None else None
            if test.operator == "in" and sum((column, str(each)) in pairs for each in test.to) > 1:
                return said
    return []


def _number_as_thing(plan: Plan, spans: Sequence[Span]) -> list[str]:
    """ "Which investor": a column that says how many investors there are names none."""
    found: list[str] = []
    for which, thing in pairwise(spans):
        if not which.cue("which") or which.text not in {"which", "what"} or thing.type != "COLUMN":
            continue
        words = thing.data.words
        tally = len(words) > 1 and words[0] in _TALLIES and thing.data.has("measure")
        if tally and not set(thing.text.split()) & _TALLIES and which.end == thing.start:
            found.append(thing.text)
    return found


def _part_of_a_date(plan: Plan, spans: Sequence[Span]) -> list[str]:
    """ "The busiest check-in month" is one of months, not of days."""
    plain = {(v.table, v.column) for v in (*plan.by, *plan.show) if v.kind == "column"}
    found: list[str] = []
    for n, span in enumerate(spans):
        if span.type != "COLUMN" or span.data.kind != "date" or (span.data.table, span.data.name) not in plain:
            continue
        own = [word for word in span.text.split() if word in PARTS and word not in span.data.words]
        after = spans[n + 1] if n + 1 < len(spans) else None
        if after is not None and after.start == span.end and after.text in PARTS:
            own.append(after.text)
        found += [word for word in own if PARTS[word] != "day"]
    return found


def _worst_turned(plan: Plan, schema: Schema, spans: Sequence[Span]) -> list[str]:
    """The worst year for deaths has the most of them; what is worst of good things has the least."""
    said = [span.text for span in spans if span.text in {"worst", "best"} and span.cue("most", "least")]
    measure = plan.measures[0].of if plan.measures else plan.rank.by if plan.rank is not None else None
    if not said or plan.rank is None or measure is None or measure.column is None:
        return []
    column = schema.column(measure.table or plan.table, measure.column)
    if column is None or not speaks_of_bad(column.words):
        return []
    return [word for word in said if plan.rank.descending != (word == "worst")]


def _each_of_several(plan: Plan, spans: Sequence[Span]) -> list[str]:
    """ "Of each of A and B", "separately for A and B": what is told must tell them apart."""
    asked = f" {' '.join(span.text for span in spans)} "
    said = [words for words in _APART if f" {words} " in asked]
    sides = [test.value for test in plan.where if test.operator == "in" and len(test.to) > 1 and not test.negated]
    return said if sides and not any(side in plan.by for side in sides) else []


def _no_bar(plan: Plan, spans: Sequence[Span]) -> list[str]:
    """ "Higher than average", or "above" it, sets a bar, which a plan must have."""
    found = [
        f"{one.text} {two.text}"
        for one, two, three in zip(spans, spans[1:], [*spans[2:], *spans[-1:]], strict=False)
        if (one.cue("gt", "lt") or (one.cue("more", "less", "comparative")
            and (two.cue("than") or one.text.endswith("than"))))
        and (three if two.cue("than") else two).cue("mean", "median")
    ]  # fmt: skip
    for n, (than, bar) in enumerate(pairwise(spans)):
        more = any(span.cue("more", "less") for span in spans[max(0, n - _BETWEEN) : n])
        if than.cue("than") and bar.cue("mean", "median") and more and not found:
            found = [f"{than.text} {bar.text}"]  # "more violent crime than the average state"
    bars = plan.having or any(test.inner is not None for test in plan.tests())
    told = plan.asks is not None or plan.window is not None or plan.statistic is not None
    return [] if bars or told else found


def _rows_as_new_kinds(plan: Plan, schema: Schema, spans: Sequence[Span]) -> list[str]:
    """ "New requests by priority": each request is new when it is made; no priority is."""
    table = schema.tables.get(plan.table)
    statistic = plan.statistic
    if not isinstance(statistic, Members) or statistic.method != "new" or table is None:
        return []
    nouns = {*table.nouns, *table.called}
    news = [(one.text, two) for one, two in pairwise(spans) if one.text == "new"]
    return [text for text, two in news if {singular(word) for word in two.text.split()} & nouns]


def _one_thing_as_two(plan: Plan, spans: Sequence[Span]) -> list[str]:
    """ "Fuel price" is not the fuel's tank and the price: two words side by side name one thing."""
    told = {(m.of.table, m.of.column) for m in plan.measures if m.of is not None}
    lost: list[str] = []
    for one, two in pairwise(spans):
        columns = one.type == two.type == "COLUMN" and one.end == two.start and not two.listed
        if not columns or one.data is two.data or len(told) < 2:
            continue
        pairs = {(each.data.table, each.data.name) for each in (one, two)}
        part = len(one.text.split()) < len(one.data.words)
        lost += [one.text] if part and pairs <= told else []
    return lost


def _each_as_one(plan: Plan, spans: Sequence[Span]) -> list[str]:
    """ "The latest order of each customer" is one for every customer, not that of one of them."""
    if plan.rank is None or plan.rank.within or plan.rank.limit != 1 or plan.rank.until:
        return []
    keys = {(value.table, value.column) for value in plan.by}
    return [
        one.text
        for one, two in pairwise(spans)
        if one.cue("by") and "each" in one.text.split() and two.type == "COLUMN" and one.end == two.start
        and keys == {(two.data.table, two.data.name)}
    ]  # fmt: skip


def _either_way(plan: Plan, schema: Schema, spans: Sequence[Span]) -> list[str]:
    """ "The fastest in the hurdles": a time or a speed, and nothing says which; nor is a percentage a price."""
    by = plan.rank.by if plan.rank is not None and plan.rank.by is not None else None
    value = by or next((m.of for m in plan.measures if m.of is not None), None)
    column = schema.column(value.table or plan.table, value.column) if value is not None and value.column else None
    if column is None or (plan.rank is None and not any(m.function in {"min", "max"} for m in plan.measures)):
        return []
    words = {*column.words, *column.described}
    lost: list[str] = []
    for span in spans:
        if span.type != "GRADE" or span.data[1] not in {"most", "least"}:
            continue
        ways = adjectives().get(span.data[0], ())
        meant = any(set(name.split("_")) <= words for _, names in ways for name in names)
        both = len({greater for greater, _ in ways}) > 1 and span.data[0] in word_list("two_way")
        priced = span.data[0] in word_list("money_adjective") and words & _PARTS
        lost += [span.text] if (both and not meant) or priced else []
    return lost


def _ratio_and_more(plan: Plan, spans: Sequence[Span]) -> list[str]:
    """ "Average price per size and speed" is by both, and not the price of a size beside a speed."""
    ratios = [s for s in spans if s.type == "COLUMN" and s.data.expression is not None and "per" in s.text.split()]
    told = {(m.of.table, m.of.column) for m in plan.measures if m.of is not None}
    return [
        after.text
        for one in ratios
        for after in spans
        if len(plan.measures) > 1 and after.type == "COLUMN" and after.start > one.end and not after.listed
        and (after.data.table, after.data.name) in told
    ]  # fmt: skip


def _denied_twice(plan: Plan, spans: Sequence[Span]) -> list[str]:
    """ "No unpaid fees" are not the unpaid ones: what is denied twice is ruled out, or is a yes."""
    rules_out = any(test.operator == "not in" for test in plan.tests())
    yes = {(t.value.table, t.value.column) for t in plan.tests() if t.value is not None and _is_yes(t.to)}
    return [
        one.text
        for one, two in pairwise(spans)
        if one.cue("no", "not") and two.type == "DENY" and one.end == two.start
        and not rules_out and (two.data.table, two.data.name) not in yes
    ]  # fmt: skip


def _value_said_twice(spans: Sequence[Span]) -> list[str]:
    """ "Electricity usage": a relative of the value beside it means something else."""
    return [
        min((one, two), key=lambda span: span.strength).text
        for one, two in pairwise(spans)
        if one.type == two.type == "VALUE" and one.data == two.data and one.end == two.start and one.text != two.text
    ]


def _number_of_something(plan: Plan, spans: Sequence[Span]) -> list[str]:
    """ "The phone number of Northwind" is one of a phone, and no number of rows."""
    counts = any(m.function in COUNTS for m in plan.measures)
    return [
        f"{one.text} {two.text}"
        for one, two in pairwise(spans)
        if counts and one.type in {"VALUE", "COLUMN"} and two.cue("count") and one.end == two.start
        and two.text.split()[0] == "number"
    ]  # fmt: skip


def _out_of(plan: Plan, whole: Sequence[Span]) -> list[str]:
    """ "Items that are out of stock": what there is none of is a condition, and no name of the rows."""
    texts = [span.text for span in whole]
    return [
        "out of"
        for n, span in enumerate(whole)
        if span.type == "ROW" and n > 1 and texts[n - 2 : n] == ["out", "of"] and not plan.where and not plan.having
        and not any(measure.where for measure in plan.measures)
    ]  # fmt: skip


def _things_as_types(plan: Plan, spans: Sequence[Span]) -> list[str]:
    """ "Which vehicles": a vehicle type is no vehicle."""
    told = {(v.table, v.column) for v in plan.show}
    told |= {(m.of.table, m.of.column) for m in plan.measures if m.function == "distinct" and m.of is not None}
    return [
        span.text
        for span in spans
        if span.type == "COLUMN" and (span.data.table, span.data.name) in told and len(span.data.words) > 1
        and span.data.words[-1] in _TYPES and not _TYPES & set(map(singular, span.text.split()))
        and not span.data.is_unique
    ]  # fmt: skip


def _is_yes(to: Sequence[object]) -> bool:
    return len(to) == 1 and str(to[0]).casefold() in {"true", "yes", "y", "1"}
