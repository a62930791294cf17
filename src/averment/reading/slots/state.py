"""What a question was found to say so far: measures, groups, conditions, rankings, by role.

A state is copied whenever a word can be attached in more than one way, so that every way stays a rival until the judge
has seen the results.
"""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING, Any

from averment.reading.words import word_list, word_phrases

if TYPE_CHECKING:
    from collections.abc import Sequence

    from averment.plans.plan import Plan, Test, Value
    from averment.reading.lattice.spans import Span
    from averment.reading.schema.schema_column import Column
    from averment.reading.schema.schema_view import Schema, Table


@dataclass(slots=True)
class State:
    """Slots filled from the spans of one tiling; ``cost`` is what the attachments so far were worth less than sure."""

    schema: Schema
    home: Table
    items: tuple[Span, ...]
    aggregates: list[str] = field(default_factory=list[str])
    measures: list[Column] = field(default_factory=list)
    flags: list[tuple[Any, bool]] = field(default_factory=list)
    groups: list[Value] = field(default_factory=list)
    tests: list[Test] = field(default_factory=list)
    targets: list[Value] = field(default_factory=list)
    rows: list[str | None] = field(default_factory=list)
    cues: set[str] = field(default_factory=set[str])
    descending: bool | None = None
    ranked: Column | None = None
    ranked_rows: bool = False
    counts_most: bool = False
    counted_table: str | None = None
    ranked_flag: bool = False
    ranked_distinct: Column | None = None
    rated: Test | None = None
    adjective: str | None = None
    limit: int | None = None
    skip: int = 0
    per: Column | None = None
    quantile: float | None = None
    span: tuple[Any, Any] | None = None
    span_part: str = "year"
    having: list[tuple[str, float]] = field(default_factory=list)
    having_of: list[tuple[str, Any, str, float | Plan | Value]] = field(default_factory=list)
    absent: list[Test] = field(default_factory=list)
    """What no row of a group may meet, all of it together: hospitals without neurology."""
    adverb: Value | None = None
    periods: list[tuple[Test, ...]] = field(default_factory=list)
    within: Value | None = None
    wide: int | None = None
    step: str | None = None
    asks: str | None = None
    counted: str = ""
    unknown: list[str] = field(default_factory=list[str])
    used: set[int] = field(default_factory=set[int])
    together: list[Value] = field(default_factory=list)
    """What a taught list of values is of: they stand for one thing, not for sides."""
    ors: list[int] = field(default_factory=list[int])
    sort: str | None = None
    sorted_by: Column | None = None
    axis: str | None = None
    chart: str | None = None
    target_at: dict[int, int] = field(default_factory=dict[int, int])
    columns_at: list[tuple[int, Any]] = field(default_factory=list)
    said: dict[str, tuple[float, ...]] = field(default_factory=dict[str, tuple[float, ...]])
    cost: float = 0.0

    def copy(self, cost: float = 0.0) -> State:
        """The same state to go another way with."""
        made = object.__new__(State)
        for each in fields(State):
            value = getattr(self, each.name)
            if isinstance(value, list):
                value = list(value)
            elif isinstance(value, set):
                value = set(value)
            elif isinstance(value, dict):
                value = dict(value)
            setattr(made, each.name, value)
        made.cost = self.cost + cost
        return made

    def without_tests(self, tests: Sequence[Test]) -> State:
        """The same state without some conditions."""
        made = self.copy()
        made.tests = [test for test in self.tests if test not in tests]
        made.ors = []
        return made

    def has(self, *names: str) -> bool:
        """Whether one of these was asked for."""
        return not self.cues.isdisjoint(names)

    def item(self, place: int) -> Span | None:
        """The span at a place, or None outside."""
        return self.items[place] if 0 <= place < len(self.items) else None

    def drop_measure(self, column: Column) -> None:
        """A column turned out to be what a condition looks at."""
        if column in self.measures:
            self.measures.remove(column)
        self.targets = [v for v in self.targets if (v.table, v.column) != (column.table, column.name)]


def negated(state: State, place: int, column: Column | None = None) -> bool:
    """Whether a "not" stands right before, before its own column, or before what is joined to it by "or"."""
    before = state.item(place - 1)
    if before is None:
        return False
    if _rules_out(state, place - 1) or (before.text == "without" and state.items[place].type == "VALUE"):
        return True
    valued = state.items[place].type == "VALUE"
    if valued and before.cue("any") and (verb := state.item(place - 2)) is not None and verb.type == "UNKNOWN":
        return _is_aux(state.item(place - 3))  # "not written any poetry"
    if before.type == "UNKNOWN" and (
        before.text in word_list("event_verb") or (valued and _is_aux(state.item(place - 2)))
    ):
        return negated(state, place - 1)  # "never bought a lamp", "don't offer neurology"
    if _is_denied_behind(state, place):
        return True
    if column is not None and before.type == "COLUMN" and before.data is column:
        return _rules_out(state, place - 2)
    joined = before.type == "AND" and before.data != "but"
    earlier = state.item(place - 2 if joined else place - 1)
    if joined and before.data in {"or", "nor"} and earlier is not None and earlier.cue("not"):
        return True
    # "neither Texas nor Utah", "excluding Texas, Utah and Ohio": values of one column share what stands before them.
    here = state.items[place]
    alike = earlier is not None and here.type == earlier.type == "VALUE" and here.data[0] is earlier.data[0]
    return alike and (joined or here.listed) and negated(state, place - 2 if joined else place - 1, here.data[0])


def _is_aux(item: Span | None) -> bool:
    """Whether a word denies the verb behind it: "didn't", "never"."""
    return item is not None and item.cue("not") and item.text in word_phrases("denying")


def _is_denied_behind(state: State, place: int) -> bool:
    """Whether what a value did is denied right behind it, and nothing else is: "where the green party didn't run"."""
    after = state.item(place + 1)
    if state.items[place].type != "VALUE" or after is None or not _is_aux(after):
        return False
    close = after.start == state.items[place].end
    rest = state.items[place + 2 :]
    return close and all(item.type in {"UNKNOWN", "TIME"} or item.cue("any") for item in rest)


def _rules_out(state: State, place: int) -> bool:
    """Whether a "not" stands here, or what leaves out rows that are named first: "except members who left"."""
    at = place
    while (span := state.item(at)) is not None and at > place - 3 and (span.type == "ROW" or span.text == "who"):
        at -= 1
    return span is not None and span.cue("not") and (at == place or span.text in word_phrases("exclusion"))


def reached(state: State) -> list[Table]:
    """The tables that each row of the home table points at."""
    return [
        state.schema.tables[name] for name in state.schema.routes.get(state.home.name, {}) if name != state.home.name
    ]
