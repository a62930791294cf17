"""Plans that nobody asks for: they tell what the question says, add up dates or averages, or rank names."""

from __future__ import annotations

from typing import TYPE_CHECKING

from averment.reading.words import name_words, word_list

if TYPE_CHECKING:
    from collections.abc import Sequence

    from averment.plans.plan import Plan, Value
    from averment.reading.lattice.spans import Span
    from averment.reading.schema.schema_view import Schema

_CALENDAR = frozenset({"day", "date", "month", "week", "weekday", "quarter", "season", "year", "decade"})
_ASKED = frozenset({"what", "what is", "what are", "what was", "whats"})
_AVERAGED = frozenset({"avg", "average", "mean", "median"})


def meaningless(plan: Plan, schema: Schema, spans: Sequence[Span], whole: Sequence[Span]) -> list[str]:
    """The words whose use in a plan makes no sense; ``whole`` has the filler of the question, too."""
    return [
        *_tells_what_is_said(plan, spans),
        *_adds_up_dates(plan, schema, spans),
        *_adds_up_averages(plan, spans),
        *_dated_by_births(plan, spans),
        *_ranks_names(plan, schema, spans),
        *_holds_apart_nothing(plan, whole),
        *_bar_of_single_rows(plan, schema, spans),
        *_bar_behind_a_bar(plan, spans),
        *_bar_before_its_column(plan, spans),
        *_figure_of_single_rows(plan, schema, spans),
    ]


def _tells_what_is_said(plan: Plan, spans: Sequence[Span]) -> list[str]:
    """A list of nothing but what its conditions pin: the country, where the country is South Korea."""
    if plan.measures or plan.statistic is not None or plan.combine is not None or plan.query is not None:
        return []
    shown = plan.show or plan.by
    pinned = [test.value for test in plan.where if test.operator == "=" and not test.negated and len(test.to) == 1]
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
    if said & (word_list("birth") | {"births", "birthdays", "aged", "older", "younger", "oldest", "youngest"}):
        return []
    dated = any(
        test.value is not None and set(name_words(test.value.column or "")) & word_list("birth")
        for each in plan.where
        for test in each.parts()
    )
    return [s.text for s in spans if s.type == "TIME"] if dated else []


def _adds_up_averages(plan: Plan, spans: Sequence[Span]) -> list[str]:
    """A total of what is an average in each row, unless the average itself is spoken of."""
    summed = [m.of.column for m in plan.measures if m.function == "sum" and m.of is not None and m.of.kind == "column"]
    averaged = {column for column in summed if column is not None and set(name_words(column)) & _AVERAGED}
    return [
        s.text for s in spans if s.type == "COLUMN" and s.data.name in averaged and not _AVERAGED & set(s.text.split())
    ]


def _ranks_names(plan: Plan, schema: Schema, spans: Sequence[Span]) -> list[str]:
    """The five safest states are not the last five of the alphabet."""
    by = plan.rank.by if plan.rank is not None else None
    ends = [m.of for m in plan.measures if m.function in {"min", "max"}]
    values = [value for value in (by, *ends) if value is not None and value.kind == "column" and value.column]
    columns = [schema.column(value.table or plan.table, value.column or "") for value in values]
    named = [column for column in columns if column is not None and column.kind == "text" and not column.has("date")]
    plain = [column for column in named if not column.numeric_text and not column.has("year", "month", "quarter")]
    return [s.text for s in spans if s.type == "GRADE" and s.data[1] in {"most", "least"}] if plain else []


def _holds_apart_nothing(plan: Plan, spans: Sequence[Span]) -> list[str]:
    """ "Does spending more bring more votes": two numbers are held against each other only by "than" or "or"."""
    if plan.asks not in {"more", "less"} or len(plan.measures) < 2 or plan.by:
        return []
    held = any(s.cue("than", "versus", "between", "difference") or (s.type == "AND" and s.data == "or") for s in spans)
    return [] if held else [s.text for s in spans if s.cue("more", "less") or s.type == "GRADE"][:1]


def _bar_of_single_rows(plan: Plan, schema: Schema, spans: Sequence[Span]) -> list[str]:
    """A bar on the median of each patient, who has one row: it is one on rows, and of something else."""
    keys = [schema.column(value.table or plan.table, value.column or "") for value in plan.by if value.part is None]
    single = any(key is not None and key.is_unique for key in keys)
    if not single or plan.joins:
        return []
    figured = [test for test in plan.having if test.measure.function in {"mean", "median", "sum"}]
    bars = {to for test in figured for to in test.to} if any(s.cue("median", "mean") for s in spans) else set[float]()
    return [s.text for s in spans if s.type == "NUMBER" and float(s.data[0]) in bars]


def _bar_behind_a_bar(plan: Plan, spans: Sequence[Span]) -> list[str]:
    """Over 60 and over 30 of one column: the second number is one of something else, and so is one over an average."""
    bars: dict[tuple[object, str], set[object]] = {}
    for test in plan.where:
        if test.value is not None and test.operator[0] in "<>" and test.other is None and not test.negated:
            key = (test.value.model_dump_json(), test.operator[0])
            bars.setdefault(key, set()).add(test.to[0] if test.to else None)
    twice = [bar for found in bars.values() if len(found) > 1 for bar in found]
    numbers = [s.text for s in spans if s.type == "NUMBER" and s.data[0] in twice]
    return numbers if None in twice else numbers[1:]


def _bar_before_its_column(plan: Plan, spans: Sequence[Span]) -> list[str]:
    """ "Horses under 12 with a weight above average": a number before the column is one of something else."""
    bars = [test for test in plan.where if test.operator[0] in "<>" and test.other is None]
    left: list[str] = []
    for bar in (test for test in bars if test.to):
        averaged = any(test.value == bar.value and test.operator[0] != bar.operator[0] and not test.to for test in bars)
        named = [span.start for span in spans if span.type == "COLUMN" and span.data.value == bar.value]
        numbers = [span for span in spans if span.type == "NUMBER" and span.data[0] == bar.to[0]]
        left += [span.text for span in numbers if averaged and named and min(named) > span.end]
    return left


def _figure_of_single_rows(plan: Plan, schema: Schema, spans: Sequence[Span]) -> list[str]:
    """ "The average weight of the members", each of whom has one row: an average for each is no average."""
    means = bool(plan.measures) and all(m.function in {"mean", "median"} and m.over is None for m in plan.measures)
    if not means or len(plan.by) != 1 or plan.joins or plan.having or plan.rank is not None:
        return []
    key = schema.column(plan.by[0].table or plan.table, plan.by[0].column or "")
    told = any(s.cue("by", "which", "list", "apart", "versus") and s.text not in _ASKED for s in spans)
    single = key is not None and key.is_unique and plan.by[0].kind == "column"
    return [s.text for s in spans if s.type == "COLUMN" and s.data is key] if single and not told else []
