"""Plans that nobody asks for: they tell what the question says, add up dates, or date what happened by births."""

from __future__ import annotations

from typing import TYPE_CHECKING

from averment.reading.words import name_words

if TYPE_CHECKING:
    from collections.abc import Sequence

    from averment.plans.plan import Plan, Value
    from averment.reading.lattice.spans import Span
    from averment.reading.schema.schema_view import Schema

_CALENDAR = frozenset({"day", "date", "month", "week", "weekday", "quarter", "season", "year", "decade"})
_BIRTH = frozenset({"birth", "birthday", "birthdate", "dob", "born"})


def meaningless(plan: Plan, schema: Schema, spans: Sequence[Span]) -> list[str]:
    """The words whose use in a plan makes no sense."""
    return [*_tells_what_is_said(plan, spans), *_adds_up_dates(plan, schema, spans), *_dated_by_births(plan, spans)]


def _tells_what_is_said(plan: Plan, spans: Sequence[Span]) -> list[str]:
    """A list of nothing but what its conditions pin: the country, where the country is South Korea."""
    if plan.measures or plan.statistic is not None or plan.combine is not None or plan.query is not None:
        return []
    shown = plan.show or plan.by
    pinned = [
        test.value
        for test in plan.where
        if test.operator == "=" and not test.negated and len(test.to) == 1 and test.inner is None
    ]
    if (
        not shown
        or plan.rank is not None
        or plan.asks is not None
        or not all(_is_pinned(value, pinned) for value in shown)
    ):
        return []
    values = [s.text for s in spans if s.type in {"VALUE", "TIME"}]
    return values[:1]


def _is_pinned(value: Value, pinned: Sequence[Value | None]) -> bool:
    same = [each for each in pinned if each is not None and each.table == value.table and each.column == value.column]
    return any(each == value or each.part == "year" for each in same)


def _adds_up_dates(plan: Plan, schema: Schema, spans: Sequence[Span]) -> list[str]:
    """A sum of days of the month, of years or of seasons: those are numbered, not amounts."""
    lost: list[str] = []
    for measure in plan.measures:
        value = measure.of
        if measure.function != "sum" or value is None or value.kind != "column" or value.column is None:
            continue
        column = schema.column(value.table or plan.table, value.column)
        words = name_words(value.column)
        numbered = column is not None and (column.has("year", "month", "weekday", "quarter") or words[-1] in _CALENDAR)
        if numbered:
            lost += [s.text for s in spans if s.type == "COLUMN" and s.data is column]
    return lost


def _dated_by_births(plan: Plan, spans: Sequence[Span]) -> list[str]:
    """Goals in December are not those of players born in December, unless births are spoken of."""
    said = {word for span in spans for word in span.text.split()}
    if said & (_BIRTH | {"births", "birthdays", "aged", "older", "younger", "oldest", "youngest"}):
        return []
    dated = any(
        test.value is not None and set(name_words(test.value.column or "")) & _BIRTH
        for each in plan.where
        for test in each.parts()
    )
    return [s.text for s in spans if s.type == "TIME"] if dated else []
