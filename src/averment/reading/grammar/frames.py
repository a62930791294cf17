"""Frames: what each mention of a covering does — what is measured, for which groups, what is asked about."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from averment.plans.plan import Measure, Plan, Test, Value
from averment.plans.registry import AGGREGATES
from averment.reading.grammar.conditions import Choice, choices, measured
from averment.reading.grammar.cues import measures, plain
from averment.reading.grammar.times import time_key
from averment.reading.words import speaks_of_bad

if TYPE_CHECKING:
    from averment.reading.grammar.conditions import Condition
    from averment.reading.grammar.coverings import Covering
    from averment.reading.grammar.mentions import Mention, Words
    from averment.reading.schema.schema_column import Column
    from averment.reading.schema.schema_view import Schema, Table

_FUNCTIONS = frozenset(AGGREGATES)
FEW = 20
"""Whole numbers of at most so many kinds may tell groups apart."""
ASSUMED = 0.3
"""What it costs to measure a column that no word names."""
_QUARTILES = {"quartile_low": 0.25, "quartile_high": 0.75}


@dataclass(slots=True)
class Figure:
    """A column that is measured, with the function that a word before or behind it asks for."""

    column: Column
    at: frozenset[int]
    function: str | None = None
    place: float | None = None


@dataclass(slots=True)
class Key:
    """What groups are told apart by."""

    value: Value
    at: frozenset[int]
    column: Column | None = None
    part: str | None = None
    beside: bool = False
    """Whether it may only say of what steps the rows are: "average monthly bill"."""


@dataclass(slots=True)
class Order:
    """A superlative: which end of what it ranks by, and the measures that an adjective names."""

    descending: bool
    at: int
    counts: bool = False
    measures: list[tuple[Column, bool, float]] = field(default_factory=list[tuple["Column", bool, float]])
    graded: bool = False
    upward: bool = True
    """Whether more of what an adjective measures is the greater number."""

    judges: bool = False
    """Whether it says best or worst, which is the other end where a column speaks of something bad."""

    def goes_down(self, column: Column) -> bool:
        """Whether the greatest numbers of a column come first."""
        if self.judges:
            down = self.descending == self.upward if self.graded else self.descending
            return down != speaks_of_bad(column.words)
        more = next((more for each, more, _ in self.measures if each is column), self.upward)
        return self.descending == more if self.graded else self.descending


@dataclass(slots=True)
class Frame:
    """What a covering says, with one choice of how its conditions are attached."""

    schema: Schema
    home: Table
    covering: Covering
    words: Words
    conditions: Choice
    cost: float
    figures: list[Figure] = field(default_factory=list[Figure])
    keys: list[Key] = field(default_factory=list[Key])
    named: list[Key] = field(default_factory=list[Key])
    """Columns, steps of time and rows that are neither measured nor grouped by outright."""
    asked: set[int] = field(default_factory=set[int])
    """What stands right behind a word that asks: which, list, how many."""
    rows: list[int] = field(default_factory=list[int])
    order: Order | None = None
    functions: list[tuple[str, int]] = field(default_factory=list[tuple[str, int]])
    """Functions that no column stands beside."""

    @property
    def items(self) -> tuple[Mention, ...]:
        """The mentions that say something."""
        return self.covering.items

    @property
    def where(self) -> tuple[Test, ...]:
        """The conditions on rows."""
        return tuple(each.test for each in self.conditions if each.test is not None)

    @property
    def bars(self) -> list[Condition]:
        """The bars on figures of groups."""
        return [each for each in self.conditions if each.bar is not None]

    @property
    def limit(self) -> int | None:
        """How many first places are asked for."""
        return next((each.limit for each in self.conditions if each.limit is not None), None)

    @property
    def used(self) -> frozenset[int]:
        """The mentions that conditions take."""
        return frozenset(at for each in self.conditions for at in each.used)

    @property
    def answered(self) -> frozenset[int]:
        """The mentions that the conditions on rows answer to, which every plan holds."""
        return frozenset(at for each in self.conditions if each.bar is None and each.limit is None for at in each.used)

    def cue(self, *names: str) -> int | None:
        """Where the first cue of these names stands that no condition takes."""
        return next((n for n, item in enumerate(self.items) if item.cue(*names) and n not in self.used), None)

    def cues(self, *names: str) -> frozenset[int]:
        """Where all cues of these names stand that no condition takes."""
        return frozenset(n for n, item in enumerate(self.items) if item.cue(*names) and n not in self.used)

    def table_of_rows(self) -> Table:
        """The table whose rows the question names, else the home table."""
        for at in self.rows:
            if isinstance(self.items[at].data, str):
                return self.schema.tables[self.items[at].data]
        return self.home


def frames(covering: Covering, words: Words, schema: Schema, home: Table) -> Iterator[Frame]:
    """Every frame of a covering over a home table."""
    for cost, choice in choices(covering.items, schema, home):
        yield _filled(Frame(schema, home, covering, words, choice, cost))


def _filled(frame: Frame) -> Frame:
    grouping: int | None = None
    asking: int | None = None
    pending: tuple[str, int] | None = None
    ranked_by = False
    for at, item in enumerate(frame.items):
        near = at > 0 and item.start - frame.items[at - 1].end <= 2
        if at in frame.used and not item.cue("by"):
            # A condition before a noun leaves its word for asking in force: "which German accounts".
            grouping = grouping if item.type != "COLUMN" else None
            continue
        match item.type:
            case "CUE":
                if item.cue("by"):
                    grouping = at
                    asking = None
                    continue
                if item.cue("sorted"):
                    ranked_by = True
                if item.cue("which", "list", "count", "distinct", "when"):
                    asking = at
                if item.cue("more", "less") and near and frame.items[at - 1].cue("count", "much"):
                    continue
                pending = _function(item, at) or pending
                _take_order(frame, item, at)
                if not item.cue("distinct", "versus", "both", "count"):
                    grouping = None
            case "GRADE":
                _take_order(frame, item, at)
            case "ROW" if grouping is not None and _is_part_of_name(frame, at):
                frame.rows.append(at)
            case "PART" | "COLUMN" | "ROW":
                pending = _take_noun(frame, at, grouping, asking, pending, ranked_by)
                joined = at + 1 < len(frame.items) and _is_joined(frame, at, at + 1)
                grouping = grouping if grouping is not None and joined else None
                asking = asking if joined or item.type == "ROW" else None
            case _:
                pass
    much = frame.cue("much")
    if pending is None and not frame.figures and frame.order is None and much is not None:
        _assume_amount(frame, None)
    if frame.order is not None and not (frame.figures or frame.order.measures or frame.order.counts or frame.named):
        _assume_amount(frame, pending)
    if pending is not None:
        if not frame.figures and frame.cue("count") is None:
            _assume_amount(frame, pending)
        open_figure = next((each for each in reversed(frame.figures) if each.function is None), None)
        if open_figure is not None:
            for each in frame.figures:
                if each.function is None:
                    each.function, each.at = pending[0], each.at | {pending[1]}
        else:
            frame.functions.append(pending)
    if much is not None and frame.figures:
        frame.figures[0].at |= {much}
    return frame


def _assume_amount(frame: Frame, pending: tuple[str, int] | None) -> None:
    """What is measured where no column is named: the one amount of the rows, or their first one."""
    table = frame.table_of_rows()
    able = [c for c in table.measures if c.expression is None]
    money = sorted((c for c in able if measures("money") & set(c.words)), key=lambda c: not c.additive)
    chosen = able if len(able) == 1 else money
    if chosen:
        at = frozenset() if pending is None else frozenset({pending[1]})
        frame.figures.append(Figure(chosen[0], at))
        frame.cost += ASSUMED if len(chosen) == 1 else ASSUMED + 0.15


def _is_part_of_name(frame: Frame, at: int) -> bool:
    """Whether a noun of rows only says whose column comes next: by property type."""
    after = frame.items[at + 1] if at + 1 < len(frame.items) else None
    beside = after is not None and after.type == "COLUMN" and after.start == frame.items[at].end
    return beside and after is not None and frame.items[at].data in {None, after.data.table}


def _is_joined(frame: Frame, one: int, two: int) -> bool:
    """Whether a comma or an "and" and nothing else stands between two mentions."""
    first, second = frame.items[one], frame.items[two]
    between = frame.words.words[first.end : second.start]
    if not between:
        return frame.words.comma_before(second.start)
    return set(between) <= {"and", "or", "the", "&", "whether", "also"} or (between[0] == "and" and len(between) <= 2)


def _function(item: Mention, at: int) -> tuple[str, int] | None:
    if item.cue("quantile"):
        return f"quantile {item.data[-1] if item.data[-1].isdigit() else 50}", at
    for name in item.data:
        if name in _FUNCTIONS and name != "distinct":
            return (name, at) if name != "count" else None
        if name in _QUARTILES:
            return name, at
    return None


def _take_order(frame: Frame, item: Mention, at: int) -> None:
    if item.type == "GRADE":
        degree, ways = item.data
        found = measured(ways, frame.schema, frame.home)
        if degree in {"most", "least"} and (frame.order is None or not frame.order.graded):
            down = degree == "most"
            frame.order = Order(down, at, measures=found, graded=True, upward=ways[0][0])
            frame.order.judges = item.text in {"best", "worst"}
        elif degree == "how" and found:
            column = found[0][0]
            if not any(figure.column is column for figure in frame.figures):
                frame.figures.append(Figure(column, frozenset({at})))
        return
    if frame.order is not None and not item.cue("descending", "ascending"):
        return
    if item.cue("common", "rare"):
        frame.order = Order(item.cue("common"), at, counts=True)
    elif item.cue("most", "least", "top", "bottom") and not item.cue("first_time", "last_time"):
        frame.order = Order(item.cue("most", "top"), at, judges=item.text in {"best", "worst"})
    elif item.cue("more", "less") and frame.cue("versus") is not None:
        frame.order = Order(item.cue("more"), at)


def _take_noun(
    frame: Frame,
    at: int,
    grouping: int | None,
    asking: int | None,
    pending: tuple[str, int] | None,
    ranked_by: bool,
) -> tuple[str, int] | None:
    """A column, a step of time or a noun of rows into its slot; gives the function that still waits for a column."""
    item = frame.items[at]
    if item.type == "ROW":
        if grouping is not None and isinstance(item.data, str):
            table = frame.schema.tables[item.data]
            labels = table.labels or [column for column in table.columns if column.has("key") and column.is_unique][:1]
            if labels:
                frame.keys += [Key(c.value, frozenset({at, grouping}), c) for c in labels]
                return pending
        frame.rows.append(at)
        if asking is not None:
            frame.asked.add(at)
        return pending
    if item.type == "PART":
        value = time_key(frame.home, item.data)
        if value is None:
            value = next((v for t in frame.schema.tables.values() if (v := time_key(t, item.data)) is not None), None)
        if value is None:
            return pending
        adjective = item.text.endswith("ly") or item.text.startswith(("by ", "each ", "a ")) or " by " in item.text
        by = frozenset({at}) | ({grouping} if grouping is not None else set())
        made = Key(value, by, part=item.data, beside=grouping is None and item.text.endswith("ly"))
        (frame.keys if grouping is not None or adjective else frame.named).append(made)
        if asking is not None:
            frame.asked.add(at)
        return pending
    column: Column = item.data
    is_figure = column.kind == "number" and not column.has("key", "year", "month", "quarter", "weekday", "month_day")
    is_figure = is_figure or column.figure is not None
    few = column.has("category", "flag") or (column.whole and column.distinct <= FEW and frame.order is None)
    if grouping is not None and (not is_figure or few) and not ranked_by:
        part = "month" if column.kind == "date" else None
        value = column.value
        frame.keys.append(Key(value, frozenset({at, grouping}), column, part))
        return pending
    if is_figure or (pending is not None and pending[0] in {"min", "max"}) or (pending and column.has("flag")):
        figure = Figure(column, frozenset({at}) | ({grouping} if grouping is not None else set()))
        before = frame.figures[-1] if frame.figures else None
        if pending is not None:
            figure.function, figure.at = pending[0], figure.at | {pending[1]}
        elif before is not None and before.function is not None and _is_joined(frame, at - 1, at):
            figure.function = before.function
        if figure.function in _QUARTILES:
            figure.function, figure.place = "quantile", _QUARTILES[figure.function]
        elif figure.function is not None and figure.function.startswith("quantile "):
            figure.function, figure.place = "quantile", int(figure.function.split()[1]) / 100
        frame.figures.append(figure)
        if asking is not None:
            frame.asked.add(at)
        return None
    frame.named.append(Key(column.value, frozenset({at}), column))
    if asking is not None:
        frame.asked.add(at)
    return pending


def measures_of(frame: Frame, figure: Figure) -> list[tuple[float, Measure]]:
    """The measures that a figure may mean, the cheapest first."""
    column, value = figure.column, figure.column.value
    if column.figure is not None:
        return [(0.0, column.figure)]
    if column.has("flag") and column.true_value is not None:
        rate = Measure(function="rate", where=(Test(value=value, to=(column.true_value,)),))
        count = Measure(function="rows", where=rate.where)
        return [(0.0, count)] if figure.function == "sum" else [(0.1, rate), (0.3, count)]
    if figure.function == "quantile":
        return [(0.0, Measure(function="quantile", of=value, at=figure.place or 0.5))]
    if figure.function is not None:
        return [(0.0, Measure(function=figure.function, of=value))]
    if {"avg", "average", "mean", "rate"} & set(column.words):
        return [(0.02, Measure(function="mean", of=value))]
    total, mean = Measure(function="sum", of=value), Measure(function="mean", of=value)
    counted = frame.cue("count", "much") is not None
    if column.additive or (counted and frame.cue("count") is not None):
        return [(0.05 if counted else 0.12, total), (0.35, mean)]
    return [(0.12, mean), (0.4 if not counted else 0.25, total)]


@dataclass(frozen=True, slots=True)
class Draft:
    """A plan before its joins, what it costs to read the frame so, and the mentions it answers to."""

    cost: float
    plan: Plan
    used: frozenset[int]


def mentions_of(*parts: Any) -> frozenset[int]:
    """All mentions of keys, figures and cues together."""
    found: set[int] = set()
    for part in parts:
        if isinstance(part, Key | Figure):
            found |= part.at
        elif isinstance(part, int):
            found.add(part)
        elif part is not None:
            for each in part:
                found |= mentions_of(each)
    return frozenset(found)


def values_of(keys: list[Key]) -> tuple[Value, ...]:
    """What keys group by, each once."""
    return tuple(dict.fromkeys(key.value for key in keys))


def row_count() -> Measure:
    """How many rows there are."""
    return Measure(function="rows")


def entities(frame: Frame) -> list[Key]:
    """What a question asks about where it groups by nothing outright: named columns, else the names of its rows."""
    named = [key for key in frame.named if key.part is not None or (key.column and key.column.kind != "date")]
    asked = [key for key in named if key.at & frame.asked]
    if asked or named:
        return asked or named
    for at in frame.rows:
        name = frame.items[at].data
        if isinstance(name, str) and frame.schema.tables[name].labels:
            return [Key(c.value, frozenset({at}), c) for c in frame.schema.tables[name].labels]
    return persons(frame)


def persons(frame: Frame) -> list[Key]:
    """Whom "who" asks about: the names of the rows, or the column of the table that holds persons."""
    asking = next((n for n, item in enumerate(frame.items) if item.cue("which") and item.text.startswith("who")), None)
    if asking is None:
        return []
    reached = [frame.home, *(frame.schema.tables[name] for name in frame.schema.routes[frame.home.name])]
    for table in reached:
        able = [c for c in table.columns if c.kind == "text" and plain("persons") & set(c.words)]
        if able:
            return [Key(c.value, frozenset({asking}), c) for c in ([*table.labels] or able[:1])]
    return []


def labels_of(frame: Frame, column: Column | None = None) -> list[Value]:
    """What names the rows."""
    table = frame.schema.tables[column.table] if column is not None and column.expression is None else frame.home
    for at in frame.rows:
        if isinstance(frame.items[at].data, str) and column is None:
            table = frame.schema.tables[frame.items[at].data]
    return [c.value for c in table.identity[:4]]


def tells_rows(frame: Frame, key: Key) -> bool:
    """Whether a key names single rows."""
    column = key.column
    if column is None or (column.kind == "date" and not column.is_unique):
        return False
    return column.has("label") or column.distinct > 0.9 * column.rows


def is_time_key(key: Key) -> bool:
    """Whether a key is a step of time or a date."""
    return key.part is not None or (key.column is not None and key.column.kind == "date")
