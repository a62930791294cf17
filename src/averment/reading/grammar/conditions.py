"""Conditions: values, numbers with a bar, periods, flags and what is missing, each attached to a column.

Where the words leave open what a number is held against, each way is an option with its cost, so that readings with
different attachments stand side by side and are told apart by their scores.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from typing import TYPE_CHECKING, Any

from averment.language.numbers import NumberComparison
from averment.plans.plan import Test
from averment.reading.grammar.cues import grades, spellings_of_unit
from averment.reading.grammar.index import index_of
from averment.reading.grammar.times import period_tests, time_columns
from averment.reading.words import ABBREVIATED, kinship

if TYPE_CHECKING:
    from averment.plans.plan import Operator
    from averment.reading.grammar.mentions import Mention
    from averment.reading.schema.schema_column import Column
    from averment.reading.schema.schema_view import Schema, Table

MOST_CHOICES = 5
REACH = 3
"""How many words may stand between a condition's parts."""

_OPERATORS: dict[str, Operator] = {"eq": "=", "ne": "!=", "lt": "<", "le": "<=", "gt": ">", "ge": ">="}
_SECONDS = {"second": 1, "minute": 60, "hour": 3600, "day": 86400, "week": 604800}


@dataclass(frozen=True, slots=True)
class Condition:
    """What rows, or groups of rows, must meet, with the mentions that say so and how dear that reading is."""

    test: Test | None
    used: frozenset[int]
    cost: float = 0.0
    bar: NumberComparison | None = None
    """A bar on a figure of groups, where there is no test of rows."""
    limit: int | None = None
    """So many first places, where a number says no more."""
    value_of: Column | None = None
    """The column that a value was found in."""
    timed: bool = False


Choice = tuple[Condition, ...]


def choices(items: Sequence[Mention], schema: Schema, home: Table) -> list[tuple[float, Choice]]:
    """The ways to attach all conditions among the mentions, the cheapest first."""
    slots: list[list[Condition]] = []
    taken: set[int] = set()
    for at, item in enumerate(items):
        if at in taken:
            continue
        if item.type == "TIME" and at and any(_next_period(n, items) == at for n in range(max(0, at - 3), at)):
            continue
        options = list(_options(at, items, schema, home, taken))
        if options:
            slots.append(sorted(options, key=lambda option: option.cost)[:3])
            if len(slots[-1]) == 1:
                taken |= slots[-1][0].used
    made: list[tuple[float, Choice]] = []
    for combined in product(*slots):
        combined = _without_contradictions(combined)
        used = [at for condition in combined for at in condition.used]
        # Two conditions may lean on one column: over 5 and under 9.
        doubled = len(used) - len(set(used))
        made.append((sum(condition.cost for condition in combined) + 0.05 * doubled, combined))
        if len(made) > 60:
            break
    return sorted(made, key=lambda one: one[0])[:MOST_CHOICES]


def _without_contradictions(combined: Choice) -> Choice:
    """Two values of one column are a choice of both: is Mexican food quicker to cook than Indian?"""
    found: list[Condition] = []
    for condition in combined:
        test = condition.test
        place = next((n for n, each in enumerate(found) if _excludes(each, condition)), None)
        if place is None or test is None:
            found.append(condition)
            continue
        first = found[place].test
        assert first is not None  # it excludes another
        both = Test(value=test.value, operator="in", to=tuple(dict.fromkeys((*first.to, *test.to))))
        used = found[place].used | condition.used
        found[place] = Condition(both, used, found[place].cost + condition.cost, value_of=condition.value_of)
    return tuple(found)


def _excludes(one: Condition, other: Condition) -> bool:
    if one.test is None or other.test is None or one.value_of is None or one.value_of is not other.value_of:
        return False
    return {one.test.operator, other.test.operator} <= {"=", "in"} and not one.value_of.has("flag")


def _options(at: int, items: Sequence[Mention], schema: Schema, home: Table, taken: set[int]) -> Iterator[Condition]:
    item = items[at]
    match item.type:
        case "VALUE":
            yield _of_values(at, items, taken)
        case "TEST":
            negated = _negation(at, items)
            for test in item.data.where:
                flipped = test.model_copy(update={"negated": test.negated != bool(negated)})
                yield Condition(flipped, frozenset({at}) | negated)
        case "TIME":
            yield from _of_period(at, items, schema, home)
        case "BAR" | "NUMBER":
            yield from _of_number(at, items, schema, home)
        case "COLUMN" if item.data.has("flag"):
            yield from _of_flag(at, items)
        case "CUE" if item.cue("more", "less"):
            yield from _of_columns(at, items)
        case "CUE" if item.cue("missing", "known"):
            yield from _of_missing(at, items)
        case "COLUMN" if _negation(at, items) and item.data.filled < item.data.rows:
            missing = Test(value=item.data.value, operator="null")
            yield Condition(missing, frozenset({at}) | _negation(at, items), 0.1)
        case "COLUMN" if _negation(at, items) and item.data.kind == "number" and item.data.low == 0:
            yield Condition(Test(value=item.data.value, to=(0,)), frozenset({at}) | _negation(at, items), 0.1)
        case _:
            pass


def _negation(at: int, items: Sequence[Mention]) -> frozenset[int]:
    """The word right before that denies a mention, unless the mention's own reading takes it in."""
    if at and items[at - 1].cue("not") and items[at].start - items[at - 1].end <= 2:
        return frozenset({at - 1})
    return frozenset()


def _of_values(at: int, items: Sequence[Mention], taken: set[int]) -> Condition:
    """A value, with the further values of the same column that follow it: "Oslo, Bergen or Moss"."""
    column, values = items[at].data
    wanted, used, last = list(values), {at}, at
    for n in range(at + 1, len(items)):
        if items[n].cue("versus", "both") and n == last + 1:
            continue
        if items[n].type != "VALUE" or items[n].data[0] is not column or items[n].start - items[last].end > REACH:
            break
        if any(each.cue("versus") for each in items[last + 1 : n]):
            used |= set(range(last + 1, n))
        wanted += [value for value in items[n].data[1] if value not in wanted]
        used.add(n)
        last = n
    negated = _negation(at, items)
    # The column's own name beside its value says nothing further: "the category Bath", "Bath category".
    for beside in (at - 1, last + 1):
        if 0 <= beside < len(items) and items[beside].type == "COLUMN" and items[beside].data is column:
            near = items[beside].end <= items[at].start <= items[beside].end + 1
            near = near or 0 <= items[beside].start - items[last].end <= 1
            opened = beside > 0 and items[beside - 1].cue("by", "which")
            if near and not opened:
                used.add(beside)
    taken |= used
    test = Test(value=column.value, operator="=" if len(wanted) == 1 else "in", to=tuple(wanted))
    if negated:
        operator = "!=" if len(wanted) == 1 else "not in"
        test = test.model_copy(update={"operator": operator})
    return Condition(test, frozenset(used) | negated, value_of=column)


def _of_period(at: int, items: Sequence[Mention], schema: Schema, home: Table) -> Iterator[Condition]:
    match = items[at].data
    joined = _next_period(at, items)
    beside = [n for n in (at - 1, at - 2, at + 1) if 0 <= n < len(items) and _says_when(items[n])]
    using = [(items[n].data, frozenset({at, n}), 0.0) for n in beside]
    tables = [home, *(schema.tables[name] for name in schema.routes[home.name] if name != home.name)]
    tables += [table for table in schema.tables.values() if table not in tables]
    for table in tables:
        for n, column in enumerate(time_columns(table)[:2]):
            using.append((column, frozenset({at}), 0.12 * n + 0.15 * (table is not home)))
    best: set[str] = set()
    for column, used, cost in using:
        if len(best) >= 2 or repr(column) in best:
            continue
        table = schema.tables[column.table]
        plain = cost == 0.0 and len(used) == 1
        tests = period_tests(table, match, None if plain else column)
        if tests:
            best.add(repr(column))
            whole = tests[0] if len(tests) == 1 else Test(all_of=tuple(tests))
            more = period_tests(table, items[joined].data, None if plain else column) if joined is not None else None
            if joined is not None and more and len(more) == len(tests) == 1:
                both = _either(tests[0], more[0])
                yield Condition(both, used | frozenset(range(at, joined + 1)), cost, timed=True)
                continue
            denied = match.excluded or bool(_negation(at, items))
            test = whole.model_copy(update={"negated": True}) if denied else whole
            yield Condition(test, used | _negation(at, items), cost, timed=True)


def _next_period(at: int, items: Sequence[Mention]) -> int | None:
    """The period that an "and", an "or" or a "versus" joins to this one."""
    if items[at].type != "TIME":
        return None
    n = at + 1
    while n < len(items) and items[n].cue("versus", "both"):
        n += 1
    near = n < len(items) and items[n].type == "TIME" and items[n].start - items[n - 1].end <= 2
    return n if near else None


def _either(one: Test, other: Test) -> Test:
    """That one of two periods holds."""
    if one.value == other.value and {one.operator, other.operator} <= {"=", "in"}:
        return Test(value=one.value, operator="in", to=tuple(dict.fromkeys((*one.to, *other.to))))
    return Test(any_of=(one, other))


def _says_when(item: Mention) -> bool:
    return item.type == "COLUMN" and (item.data.kind == "date" or item.data.has("year"))


def _of_number(at: int, items: Sequence[Mention], schema: Schema, home: Table) -> Iterator[Condition]:
    """What a number may be held against: a column named beside it, one of its unit, a figure of groups, a limit."""
    item, bar = items[at], items[at].data
    plain = item.type == "NUMBER"
    found: dict[str, Condition] = {}
    for n in (at - 1, at + 1, at + 2, at - 2):
        if not 0 <= n < len(items) or _apart(items[n], item) > REACH:
            continue
        other = items[n]
        between = items[min(at, n) + 1 : max(at, n)]
        barred = {"COLUMN", "BAR", "NUMBER"} if n == at + 2 else {"COLUMN", "VALUE", "BAR", "NUMBER"}
        if any(each.type in barred for each in between):
            continue
        cost = 0.0 if abs(n - at) == 1 else 0.1 if n > at else 0.15
        able = other.type == "COLUMN" and other.data.kind == "number" and (plain or not other.data.has("key"))
        if able and not plain and other.data.has("year", "month", "quarter", "weekday"):
            able = _reaches(other.data, bar)
        if able and (not plain or _apart(other, item) <= 1):
            apart = n == at + 1 and not plain and _apart(other, item) > 1
            found.setdefault(repr(other.data), _bar(other.data, bar, {at, n}, cost + 0.3 * apart))
        if other.type == "GRADE" and not plain:
            for column, _, dear in measured(other.data[1], schema, home)[:2]:
                found.setdefault(repr(column), _bar(column, bar, {at, n}, cost + dear))
        if other.type == "ROW" and n == at + 1 and not plain:
            yield Condition(None, frozenset({at, n}), 0.05, bar=bar)
    if plain:
        if bar.low is not None and bar.low == int(bar.low) and 0 < bar.low <= 100:
            near = [n for n in (at - 1, at + 1) if 0 <= n < len(items) and _ranks(items[n])]
            opens = at == 0 or items[at - 1].cue("which", "list")
            if near or (opens and any(map(_ranks, items))):
                yield Condition(None, frozenset({at}), 0.0, limit=int(bar.low))
        yield from found.values()
        return
    if bar.quality is not None and not found:
        for column, cost in measured_by(bar.quality, schema, home)[:2]:
            found.setdefault(repr(column), _bar(column, bar, {at}, cost))
    if bar.unit is not None and not found:
        for column in _of_unit(bar.unit, schema, home):
            found.setdefault(repr(column), _bar(column, bar, {at}, 0.1))
    yield from found.values()
    if not found:
        able = [c for c in home.measures if c.expression is None and _reaches(c, bar)]
        for n, column in enumerate(able[:2]):
            yield _bar(column, bar, {at}, 0.5 + 0.15 * n)
    yield Condition(None, frozenset({at}), 0.35 if not found else 0.6, bar=bar)


def _apart(one: Mention, two: Mention) -> int:
    return max(one.start, two.start) - min(one.end, two.end)


def _ranks(item: Mention) -> bool:
    return item.cue("top", "bottom", "most", "least", "common", "rare", "first_time", "last_time") or (
        item.type == "GRADE" and item.data[0] in {"most", "least"}
    )


def _reaches(column: Column, bar: NumberComparison) -> bool:
    """Whether a bar lies between the least and the greatest of a column."""
    ends = [float(end) for end in (bar.low, bar.high) if end is not None]
    if not isinstance(column.low, int | float) or not isinstance(column.high, int | float):
        return False
    return all(column.low <= end <= column.high for end in ends)


def _of_unit(unit: str, schema: Schema, home: Table) -> list[Column]:
    """The columns that hold numbers of a unit, those of the home table first."""
    units = spellings_of_unit(unit) | {unit}
    named = [each for each in index_of(schema).columns if each.column.kind == "number"]
    found = [each.column for each in named if units & set(each.column.words)]
    if unit in _SECONDS:
        found += [each.column for each in named if {"duration", "time"} & set(each.column.words)]
    if not found and unit in {"usd", "eur", "gbp", "chf", "EUR", "USD", "GBP"}:
        wanted = _MONEY
        found = [each.column for each in named if wanted & set(each.column.words)]
    return sorted(found, key=lambda column: column.table != home.name)[:2]


_MONEY = frozenset("price cost amount fee total value paid revenue salary rent fare bill eur usd gbp chf".split())


def _bar(column: Column, bar: NumberComparison, used: set[int], cost: float) -> Condition:
    factor = _factor(column, bar.unit)
    low, high = (_number(end, factor) for end in (bar.low, bar.high))
    if bar.op in {"between", "outside"}:
        test = Test(value=column.value, operator="between", to=(low, high), negated=bar.op == "outside")
    else:
        end = high if bar.op in {"lt", "le"} else low
        test = Test(value=column.value, operator=_OPERATORS[bar.op], to=(end,))
    out = 0.0 if _reaches(column, bar) or factor != 1 else 0.3
    return Condition(test, frozenset(used), cost + out)


def _number(end: Any, factor: float) -> int | float:
    if end is None:
        return 0
    number = float(end) * factor
    return int(number) if number.is_integer() else round(number, 9)


def _factor(column: Column, unit: str | None) -> float:
    """What a number in a unit is multiplied by to be in the column's own."""
    if unit == "percent":
        return 0.01 if isinstance(column.high, int | float) and column.high <= 1.0 else 1.0
    if unit in _SECONDS:
        own = next((name for name in _SECONDS if spellings_of_unit(name) & set(column.words)), None)
        if column.expression is not None:
            own = column.expression.kind.removesuffix("s")
        return _SECONDS[unit] / _SECONDS[own] if own in _SECONDS else 1.0
    return 1.0


def _of_flag(at: int, items: Sequence[Mention]) -> Iterator[Condition]:
    """A yes/no column that is named as a condition; grouped by and asked for it is none."""
    column, negated = items[at].data, _negation(at, items)
    if at and items[at - 1].cue("by"):
        return
    wanted = column.false_value if negated else column.true_value
    if wanted is None:
        return
    listed = at > 1 and items[at - 1].type in {"COLUMN", "PART"} and items[at - 2].cue("by")
    yield Condition(Test(value=column.value, to=(wanted,)), frozenset({at}) | negated, 0.3 * listed, value_of=column)
    if not negated:
        yield Condition(None, frozenset(), 0.0 if listed else 0.45)


def _of_columns(at: int, items: Sequence[Mention]) -> Iterator[Condition]:
    """One number of a row held against another: paid more than the list price."""
    later = [n for n in (at + 1, at + 2) if n < len(items) and items[n].type == "COLUMN"]
    if not at or items[at - 1].type != "COLUMN" or not later:
        return
    one, other = items[at - 1].data, items[later[0]].data
    if one.kind != other.kind or one is other or one.kind not in {"number", "date"} or one.table != other.table:
        return
    sign: Operator = ">" if items[at].cue("more") else "<"
    used = frozenset(range(at - 1, later[0] + 1))
    yield Condition(Test(value=one.value, operator=sign, other=other.value), used, 0.05)
    yield Condition(None, frozenset(), 0.3)


def _of_missing(at: int, items: Sequence[Mention]) -> Iterator[Condition]:
    """Rows in which something is not known."""
    known = items[at].cue("known") and not items[at].cue("missing")
    if known and any(each.cue("missing", "not") for each in items[max(0, at - 3) : at]):
        return
    for n in (at + 1, at - 1, at - 2):
        if 0 <= n < len(items) and items[n].type == "COLUMN" and _apart(items[n], items[at]) <= REACH:
            column = items[n].data
            if known and column.filled == column.rows:
                return
            bare = 0.0 if column.filled < column.rows or known else 1.0
            test = Test(value=column.value, operator="null", negated=known)
            yield Condition(test, frozenset({at, n}), bare + 0.05 * (n != at + 1))
            return


def measured(ways: Any, schema: Schema, home: Table) -> list[tuple[Column, bool, float]]:
    """The columns that ways of measuring fit: whether more is the greater number, and the cost."""
    found: dict[str, tuple[Column, bool, float]] = {}
    for place, (more, names) in enumerate(ways):
        for n, name in enumerate(names):
            for named in index_of(schema).columns:
                column = named.column
                if column.kind not in {"number", "date"} or column.has("key", "flag"):
                    continue
                fit = max((kinship(name, word) for word in (*named.names, *named.units)), default=0.0)
                if fit < ABBREVIATED:
                    continue
                far = 0.25 * (column.table != home.name)
                cost = 0.05 + 0.06 * n + 0.1 * place + far + 0.04 * (len(named.names) - 1)
                if repr(column) not in found or found[repr(column)][2] > cost:
                    found[repr(column)] = (column, more, cost)
    return sorted(found.values(), key=lambda each: each[2])


def measured_by(quality: str, schema: Schema, home: Table) -> list[tuple[Column, float]]:
    """The columns that a compared adjective measures: "older than 30"."""
    known = grades().get((quality,))
    return [(column, cost) for column, _, cost in measured(known[1], schema, home)] if known is not None else []
