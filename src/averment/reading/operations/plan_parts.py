"""What operations build plans of: conditions, sides of a comparison, keys, the usual figure of a number."""

from __future__ import annotations

from datetime import date
from functools import cached_property
from typing import TYPE_CHECKING, Any

from averment.plans.plan import GroupTest, Measure, Plan, Test, Value
from averment.reading.lattice.amounts import money_of
from averment.reading.schema.parties import parties
from averment.reading.schema.roles import says_name
from averment.reading.schema.usual_figures import label_values, number_measure, truth
from averment.reading.times.time_conditions import excludes, step_of, time_columns, time_key
from averment.reading.words import kinship

if TYPE_CHECKING:
    from averment.reading.schema.schema_column import Column
    from averment.reading.slots.state import State


class TimeParts:
    """The slots of one state as far as they say when."""

    def __init__(self, state: State) -> None:
        self.state = state
        self.home = state.home.name
        self.table = state.home

    def column_of(self, value: Value) -> Column | None:
        """The column behind a value."""
        return self.state.schema.column(value.table or "", value.column or "")

    def is_time(self, value: Value) -> bool:
        """Whether a value says when."""
        if value.kind == "part":
            return True
        column = self.column_of(value)
        return column is not None and column.has("date", "year", "month", "quarter", "weekday", "month_day")

    def time_key(self, part: str) -> Value | None:
        """The home table's key for a step of time, or that of a table it points at."""
        named = next((v for v in (*self.state.groups, *self.state.targets) if self.is_time(v)), None)
        if named is not None and self.state.span is None:
            return named
        key = time_key(self.table, part)
        if key is not None:
            return key
        for name in self.state.schema.routes.get(self.home, {}):
            key = time_key(self.state.schema.tables[name], part)
            if key is not None:
                return key
        return None

    def key_of(self, part: str) -> Value | None:
        """The home table's own key for a step of time, whatever else was named."""
        return time_key(self.table, part)

    @cached_property
    def grain(self) -> str:
        """The step that suits the length of the data: years where there are several, else months or days."""
        columns = time_columns(self.table)
        return _step(columns[0], 1200) if columns else "year"

    @cached_property
    def fine_grain(self) -> str:
        """The step of what adds up along time, which says little in a handful of years."""
        dates = [column for column in time_columns(self.table) if column.kind == "date"]
        return _step(dates[0], 3650) if dates else self.grain

    @cached_property
    def whole_span(self) -> tuple[int, int] | None:
        """The first and the last year of the data."""
        columns = time_columns(self.table)
        if not columns:
            return None
        column = next((c for c in columns if c.has("year")), columns[0])
        try:
            low, high = int(str(column.low)[:4]), int(str(column.high)[:4])
        except ValueError:
            return None
        return (low, high) if low < high else None


def _step(column: Column, most: int) -> str:
    """Years if there are more than so many days, else months or days."""
    low, high = str(column.low)[:10], str(column.high)[:10]
    try:
        days = (date.fromisoformat(high) - date.fromisoformat(low)).days if column.kind == "date" else most + 1
    except ValueError:
        return "year"
    return "year" if days > most else "month" if days > 62 else "day"


PEOPLE = frozenset("people person persons folks individuals who".split())
"""Words for whoever took part, whatever the table calls them."""

Proposal = tuple[float, Plan]
"""A plan with its cost."""


def rows_measure(parts: Parts) -> Measure:
    """How many rows: of the table that was named, or of the home table."""
    named = parts.counted or next((name for name in parts.state.rows if name is not None), None)
    if named is not None and named != parts.home:
        return Measure(function="rows", table=named)
    return Measure(function="rows")


def _figure(function: str, of: Column | tuple[Test, ...]) -> Measure:
    """A figure of a group: of a number, or of those of its rows that meet conditions: how many, or their share."""
    if isinstance(of, tuple):
        return Measure(function=function, where=of)  # pyright: ignore[reportArgumentType]
    return number_measure(of, function, None)


def _limit(number: float | Plan | Value) -> dict[str, Any]:
    if isinstance(number, Value):
        return {"other": number}
    return {"inner": number} if isinstance(number, Plan) else {"to": (number,)}


class Parts(TimeParts):
    """The slots of one state, put together for building plans."""

    @cached_property
    def yes_no(self) -> bool:
        """Whether the question wants a yes or a no."""
        return self.state.has("yes_no")

    @cached_property
    def numbers(self) -> list[Column]:
        """The numbers that were named, the ranked one last."""
        ranked = [self.state.ranked] if self.state.ranked is not None else []
        # What is computed may be named twice, and is one number all the same.
        found = {column.expression or column: column for column in reversed([*self.state.measures, *ranked])}
        return list(reversed(found.values()))

    @cached_property
    def counted(self) -> str | None:
        """The table whose rows are counted, where the question says so."""
        state = self.state
        if state.counted_table is not None:
            return state.counted_table
        for place, item in enumerate(state.items):
            if item.cue("count"):
                near = [i for i in state.items[place + 1 : place + 3] if i.type in {"ROW", "COLUMN"}]
                if near and near[0].type == "ROW":
                    return near[0].data
        return None

    @cached_property
    def after_count(self) -> Value | None:
        """The value that stands right after the word that counts."""
        state = self.state
        counting = next((n for n, item in enumerate(state.items) if item.cue("count")), None)
        places = {place: at for at, place in state.target_at.items() if at < len(state.targets)}
        near = [n for n in (counting + 1, counting + 2) if n in places] if counting is not None else []
        return state.targets[places[near[0]]] if near else None

    @cached_property
    def implied(self) -> Column | None:
        """The number a table is about: its only one, or the one it is named after."""
        measures = self.table.measures
        if len(measures) == 1:
            return measures[0]
        named = [
            c for c in measures if all(w.isdigit() or any(w == n or w in n for n in self.table.nouns) for w in c.words)
        ]
        spoken = [i.text for i in self.state.items if i.type == "ROW" and i.data == self.home]
        if spoken and named and not any(kinship(said, word) for said in spoken for word in named[0].words):
            named = []  # The army's deaths are not the army.
        return named[0] if len(named) == 1 else money_of(self.table) if self.state.aggregates == ["sum"] else None

    @cached_property
    def merged(self) -> list[Test]:
        """The conditions; several values of one column are one set."""
        found: list[Test] = []
        for test in self._either:
            same = next(
                (
                    o
                    for o in found
                    if test.value is not None
                    and test.value == o.value
                    and {test.operator, o.operator} <= {"=", "in"}
                    and test.inner is None
                    and o.inner is None
                    and not (test.negated or o.negated)
                ),
                None,
            )
            if same is not None and test not in found:
                found[found.index(same)] = Test(
                    value=test.value, operator="in", to=tuple(dict.fromkeys((*same.to, *test.to)))
                )
            elif test not in found:
                found.append(test)
        return found

    @property
    def _either(self) -> list[Test]:
        """The conditions, those on the two sides of an "or" as one choice."""
        tests = list(self.state.tests)
        for place in reversed(self.state.ors):
            if not 0 < place < len(tests):
                continue
            first, second = tests[place - 1], tests[place]
            plain = first.value == second.value and {first.operator, second.operator} <= {"=", "in"}
            plain = plain or (first.value == second.value and first.operator == second.operator == "!=")
            if not plain and not first.any_of:
                tests[place - 1 : place + 1] = [Test(any_of=(first, second))]
        return tests

    @cached_property
    def both_ways(self) -> Column | None:
        """A yes/no column that was named both ways: smokers and non-smokers."""
        for column, _ in self.state.flags:
            if len({positive for other, positive in self.state.flags if other is column}) == 2:
                return column
        if len(self.state.flags) == 1 and self.state.has("other"):
            return self.state.flags[0][0]
        return None

    @cached_property
    def flag_tests(self) -> list[Test]:
        """Yes/no columns as conditions."""
        return [truth(c, positive) for c, positive in self.state.flags if c is not self.both_ways]

    @cached_property
    def tests_only(self) -> tuple[Test, ...]:
        """The conditions without yes/no columns."""
        return tuple(self.merged)

    @cached_property
    def where(self) -> tuple[Test, ...]:
        """All conditions, with total rows of the data left out unless they are asked for."""
        return (*self.merged, *(test for test in self.flag_tests if test not in self.merged))

    def where_without_flag(self, column: Column) -> tuple[Test, ...]:
        """All conditions but those on one yes/no column."""
        return tuple(t for t in self.where if t.value is None or t.value.column != column.name)

    @property
    def is_compared(self) -> bool:
        """Whether the words set things against each other."""
        return self.state.has("versus", "than", "comparative", "difference", "both", "test", "apart")

    @cached_property
    def sides(self) -> Value | None:
        """The column whose named values are compared, where values are compared."""
        if self.both_ways is not None:
            return self.both_ways.value
        if self.state.has("either", "pooled"):
            return None  # one of them, whichever: they are taken together
        sets = [t for t in self.merged if t.operator == "in" and t.value is not None]
        compared = self.is_compared
        tests = self.state.tests
        either = [tests[p].value for p in self.state.ors if 0 < p < len(tests) and tests[p - 1].value == tests[p].value]
        for test in sets:
            if compared or (len(test.to) == 2 and test.value not in (*either, *self.state.together)):
                return test.value
        return None

    @cached_property
    def plain_groups(self) -> tuple[Value, ...]:
        """What was split by beside the sides of a comparison."""
        return () if self.yes_no else tuple(v for v in dict.fromkeys(self.state.groups) if v != self.sides)

    @cached_property
    def period_sides(self) -> tuple[tuple[Test, ...], ...]:
        """The periods that are set beside each other: several that no row can lie in at once."""
        periods = list(dict.fromkeys(self.state.periods))
        if len(periods) < 2 or any(len(tests) != 1 for tests in periods):
            return ()
        apart = all(excludes(one[0], other[0]) for n, one in enumerate(periods) for other in periods[n + 1 :])
        return tuple(periods) if apart else ()

    @cached_property
    def where_of_sides(self) -> tuple[Test, ...]:
        """The conditions that hold for every side of a comparison of periods."""
        sides = [test for tests in self.period_sides for test in tests]
        plain = Parts(self.state.without_tests(sides))
        return plain.where

    @cached_property
    def split(self) -> tuple[Value, ...]:
        """What figures are split by: the groups, and the sides of a comparison."""
        groups = tuple(dict.fromkeys(self.state.groups))
        return (*groups, self.sides) if self.sides is not None and self.sides not in groups else groups

    @property
    def without_last_test(self) -> list[tuple[float, tuple[Test, ...], tuple[Test, ...]]]:
        """Ways to part the conditions into what is shared out and what the whole is made of."""
        tests = self.where
        if not tests:
            return []
        # "Returned late" is told of moments, but is no period.
        told = [t for t in tests if t.operator != "null" and t.other is None]
        timed = [t for t in told if t.value is not None and self.is_time(t.value)]
        plain = [t for t in tests if t not in timed]
        if not plain:
            return [(0.1, tuple(tests), ())]
        found: list[tuple[float, tuple[Test, ...], tuple[Test, ...]]] = [(0.0, (plain[-1],), (*plain[:-1], *timed))]
        if len(plain) > 1:
            found.append((0.15, (plain[0],), (*plain[1:], *timed)))
            found.append((0.2, tuple(plain), tuple(timed)))
        return found

    @cached_property
    def having(self) -> tuple[GroupTest, ...]:
        """Conditions on the number of rows of a group, or on a figure of it."""
        counts = [
            GroupTest(measure=rows_measure(self), operator=operator, to=(number,))  # pyright: ignore[reportArgumentType]
            for operator, number in self.state.having
        ]
        return (*counts, *self.having_figures)

    @cached_property
    def having_figures(self) -> tuple[GroupTest, ...]:
        """Conditions on a figure of a group."""
        return tuple(
            GroupTest(measure=_figure(function, column), operator=operator, **_limit(number))  # pyright: ignore[reportArgumentType]
            for function, column, operator, number in self.state.having_of
        )

    @cached_property
    def asked_rows(self) -> list[str | None]:
        """What rows were named, without those that only count for others: the loans of "most borrowed books"."""
        counted = self.state.counted_table if self.state.descending is None else self.counted
        others = [name for name in self.state.rows if name != counted]
        return others if counted is not None and any(others) else self.state.rows

    @cached_property
    def row_labels(self) -> tuple[Value, ...]:
        """What names the rows that are asked for."""
        named = next((name for name in self.asked_rows if name is not None), None)
        table = self.state.schema.tables.get(named or self.home, self.table)
        labels = label_values(table)
        if labels:
            return labels
        if step_of(table) is not None and (self.state.has("step_row") or not table.labels):
            date = next((c for c in table.columns if c.kind == "date" and c.is_unique), None)
            if date is not None:
                return (date.value,)
        dated = [c for c in table.columns if c.has("year", "month", "quarter", "month_day")]
        if self.state.has("step_row") and dated:
            return tuple(c.value for c in dated)
        return ()

    @cached_property
    def row_identity(self) -> tuple[Value, ...]:
        """What tells rows apart where nothing names them."""
        named = next((name for name in self.asked_rows if name is not None), None)
        table = self.state.schema.tables.get(named or self.home, self.table)
        return self.row_labels or tuple(column.value for column in table.identity)

    @cached_property
    def entities(self) -> tuple[Value, ...]:
        """Things that were asked for, as what rows repeat: countries, stocks, stores."""
        found = [v for v in self.state.targets if not self.is_time(v)]
        for name in self.asked_rows:
            table = self.state.schema.tables.get(name or self.home, self.table)
            categories = [c for c in table.columns if c.has("category") and c.kind == "text"]
            if not table.labels and len(categories) == 1:
                found.append(categories[0].value)
        return tuple(dict.fromkeys(found))

    @cached_property
    def keys(self) -> list[tuple[float, tuple[Value, ...]]]:
        """What a ranking may be over, with costs: what was asked for, what it was split by, the rows' own names."""
        state = self.state
        found: list[tuple[float, tuple[Value, ...]]] = []
        plain = [v for v in state.targets if not self.is_label(v)]
        labels = [v for v in state.targets if self.is_label(v)]
        if labels:
            found.append((0.0, tuple(labels)))
        for number, value in enumerate(plain[:3]):
            found.append((0.25 * number, (value,)))
        if state.has("common") and not state.targets and len(state.measures) == 1:
            found.append((0.0, (state.measures[0].value,)))  # the age that most rows have
        elif not plain and not labels:
            found += [(0.02 + 0.2 * order, (value,)) for order, value in enumerate(self.people[:2])]
            if state.groups and (state.limit is not None or state.ranked_rows or state.has("count")):
                found.append((0.05, tuple(state.groups)))
            if state.rows and self.row_labels:
                found.append((0.05, self.row_labels))
            elif state.rows and self.entities:
                found.append((0.1, self.entities[:1]))
            if state.groups and not found:
                found.append((0.2, tuple(state.groups)))
        if not found and self.sides is not None:
            found.append((0.1, (self.sides,)))
        if not found and self.row_labels:
            found.append((0.3, self.row_labels))
        return found

    def is_label(self, value: Value) -> bool:
        """Whether a value names rows one by one."""
        column = self.column_of(value)
        if column is None or not column.has("label") or value.kind != "column":
            return False
        return column.distinct >= 0.9 * column.filled or len(self.state.schema.tables[column.table].labels) > 1

    def names_rows(self, key: tuple[Value, ...]) -> bool:
        """Whether a key is what rows of the home table are called by."""
        if not key:
            return False
        if all(self.is_label(v) and v.table == self.home for v in key):
            return True
        column = self.column_of(key[0])
        return column is not None and column.is_unique and key[0].kind == "column" and column.table == self.home

    def is_unique(self, key: tuple[Value, ...]) -> bool:
        """Whether no two rows share the key."""
        column = self.column_of(key[0]) if len(key) == 1 else None
        return column is not None and column.is_unique and key[0].kind == "column"

    def distinct_of(self, value: Value) -> int:
        """How many different values there are."""
        column = self.column_of(value)
        return column.distinct if column is not None else 0

    def kind_of(self, value: Value) -> str:
        """The kind of the column behind a value."""
        column = self.column_of(value)
        return column.kind if column is not None else "number"

    def where_of(self, time: Value) -> tuple[Test, ...]:
        """The conditions without those on one time."""
        return tuple(
            t for t in self.where if t.value is None or (t.value.table, t.value.column) != (time.table, time.column)
        )

    @cached_property
    def people(self) -> tuple[Value, ...]:
        """Who took part in the rows, where the question only speaks of people and no row is one."""
        asked = any(item.type == "ROW" and item.data is None and item.text in PEOPLE for item in self.state.items)
        asked = asked or any(item.cue("which") and item.text in {"who", "whom"} for item in self.state.items)
        if not asked or (self.row_labels and any(says_name(c) for c in self.table.labels)):
            return ()
        return tuple(column.value for column in parties(self.table, self.state.schema))
