"""The one chart chooser: by plan and result shape, which columns are drawn how, as arguments of ``plot.render``.

Time lies on the horizontal axis, in order. Figures that are no parts of a whole are never stacked. A relation is a
scatter of its points, which need a query of their own. One figure and one bar are no chart.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from averment.plans.chart_kinds import CHART_KINDS, chart_kind
from averment.plans.compile import compile_plan, is_time
from averment.plans.expressions import known_sql, select, value_sql
from averment.plans.names import headings, measure_name, value_name, window_words
from averment.plans.plan import Measure, Plan
from averment.plans.query import Query
from averment.plans.readback import say_test
from averment.plans.registry import AGGREGATES
from averment.plans.statistics import Members

if TYPE_CHECKING:
    import pyarrow as pa

    from averment.plans.compile import CompiledPlan
    from averment.plans.plan import Value


@dataclass(frozen=True)
class Behind:
    """A kind of chart that shows the values behind a result: their query, what that is told as, and how it is drawn."""

    query: Callable[[Plan], CompiledPlan | None]
    told: str
    chart: Callable[[Plan], dict[str, Any] | None]


def behind_values(kind: str) -> Behind | None:
    """How a kind takes the values behind a result; None for kinds that are drawn from the result itself."""
    return {"box": Behind(spread_query, "Compute the quartiles to draw", box_chart)}.get(kind)


def spread_query(plan: Plan) -> CompiledPlan | None:
    """The query for the boxes of a plan: five figures for each group; none where it is about no values of one column.

    A ranking shows some groups alone, and a window or a figure over groups is about figures: those have no box.
    """
    found = _quartiles(plan)
    return None if found is None else compile_plan(found)


def box_chart(plan: Plan) -> dict[str, Any] | None:
    """How the boxes are drawn, as arguments of ``plot.render`` over what ``spread_query`` gives."""
    found = _quartiles(plan)
    if found is None:
        return None
    compiled = compile_plan(found)
    lowest, lower, median, upper, highest = compiled.figures
    key = compiled.keys[0] if compiled.keys else median
    name = _named(found)
    made = {"type": "box", "x_col": key, "y_col": median, "box_cols": [lowest, lower, upper, highest], "y_title": name}
    if found.by:
        return {**made, "x_title": key, "title": f"{name} by {key}: lowest, quartiles and highest"}
    return {**made, "title": f"{name}: lowest, quartiles and highest"}


def _quartiles(plan: Plan) -> Plan | None:
    chosen = (plan.window, plan.across, plan.combine, plan.over_groups, plan.rank, plan.query)
    if any(each is not None for each in chosen) or plan.having or plan.beside or len(plan.by) > 1:
        return None
    value, tests = _value(plan)
    if value is None:
        return None
    points: tuple[tuple[Any, float | None], ...] = (
        *(("min", None), ("quantile", 0.25), ("median", None), ("quantile", 0.75), ("max", None)),
    )
    measures = tuple(Measure(function=name, at=at, of=value, where=tests) for name, at in points)
    return Plan(table=plan.table, joins=plan.joins, where=plan.where, by=plan.by, measures=measures)


def _value(plan: Plan) -> tuple[Value | None, tuple[Any, ...]]:
    """What a plan's figures are taken of, with the conditions of the figure itself."""
    if plan.statistic is not None:
        one = plan.statistic.kind == "distribution" and len(plan.statistic.of) == 1
        return (plan.statistic.of[0] if one else None), ()
    if len(plan.measures) == 1 and not plan.show:
        measure = plan.measures[0]
        plain = (
            AGGREGATES[measure.function].of in {"number", "ordered"} and measure.over is None and measure.weight is None
        )
        return (measure.of if plain else None), measure.where
    one = len(plan.show) == 1 and not plan.measures and not plan.by and not plan.distinct
    return (plan.show[0] if one else None), ()


def _named(plan: Plan) -> str:
    of = plan.measures[0].of
    return "" if of is None else value_name(of)


MOST_BARS = 30

MOST_SERIES = 8

MOST_GROUPED = 40

MOST_CELLS = 900

MOST_SLICES = 12

MOST_FACETS = 9

MOST_POINTS = 50_000

LONG_NAME, MANY_NAMES = 14, 10

LONGEST_TITLE = 200


def choose_chart(
    plan: Plan, compiled: CompiledPlan, table: pa.Table, wanted: str | None = None
) -> dict[str, Any] | None:
    """Arguments of ``plot.render`` for a plan's result, without the task that is drawn; none where no chart helps.

    A chart of points is drawn from what ``points_query`` gives, boxes from what ``behind_values`` names, all else
    from the result itself. More points than ``MOST_POINTS`` are not fetched for a picture. ``wanted`` is the kind that
    was asked for, and is kept to wherever the result can be drawn so.
    """
    if plan.query is not None:
        return None
    words = wanted if wanted is not None else plan.chart
    kind = chart_kind(words)
    own = kind if kind in CHART_KINDS else None
    behind = None if own is None else behind_values(own)
    made = (_spread(plan, compiled, table, behind) if behind is not None else None) or _choose(
        plan, compiled, table, own
    )
    if made is None:
        return None
    if kind is not None and own is None and made["type"] in {"bar", "line"} and "series_col" not in made:
        made["type"] = kind  # A kind that a plugin adds takes the place of bars or a line over the same two columns.
    if (
        "stack" in (words or "").casefold()
        and made["type"] in {"bar", "area"}
        and _is_additive(compiled, made["y_col"])
    ):
        made["stacked"] = True
    made["title"] = _title(plan, made) if "title" not in made else f"{made['title']}{_scope(plan)}"[:LONGEST_TITLE]
    return made


def points_query(plan: Plan) -> Query | None:
    """The query for the points behind a correlation or a trend of two columns; none where the result is drawn."""
    if plan.across is not None and plan.window is None and plan.rank is None and len(plan.by) == 2:
        return replace(compile_plan(plan.model_copy(update={"across": None})).query, order=())
    statistic = plan.statistic
    if statistic is None or statistic.kind not in {"correlation", "trend"} or len(statistic.of) != 2:
        return None
    names = _point_names(plan)
    values = [value_sql(value) for value in statistic.of]
    known = [known_sql(value) for value in statistic.of]
    base = select(plan, dict(zip(names, values, strict=True)), where=known, order=reversed(values))
    return Query(base=base, shown=names)


def _choose(plan: Plan, compiled: CompiledPlan, table: pa.Table, kind: str | None) -> dict[str, Any] | None:
    if plan.statistic is not None:
        return _statistic(plan, compiled, table)
    if table.num_rows < 2:
        return None
    if plan.across is not None:
        if points_query(plan) is None:
            return None
        (down, across), (figure, *_) = headings(plan)
        return {"type": "heatmap", "x_col": down, "y_col": figure, "series_col": across, "y_title": _label(plan)}
    if plan.measures:
        return _figures(plan, compiled, table, kind)
    return _rows(plan, compiled, table, kind)


def _point_names(plan: Plan) -> tuple[str, str]:
    of = plan.statistic.of if plan.statistic is not None else ()
    first, second = (value.column or value_name(value) for value in of)
    return (first, second) if first != second else (first, f"{second} again")


def _spread(plan: Plan, compiled: CompiledPlan, table: pa.Table, behind: Behind) -> dict[str, Any] | None:
    """A chart of the values behind the result, where those are numbers."""
    shown = (*compiled.figures[:1], *(compiled.keys if plan.show else ()))
    if not table.num_rows or (plan.statistic is None and not all(_numeric(table, name) for name in shown)):
        return None
    made = behind.chart(plan)
    if made is None or not plan.by:
        return made
    if not _in_order(plan.by[0], table, made["x_col"]):
        made |= _lying(table, made["x_col"])
    return {**made, "first": MOST_BARS} if table.num_rows > MOST_BARS else made


def _statistic(plan: Plan, compiled: CompiledPlan, table: pa.Table) -> dict[str, Any] | None:
    statistic = plan.statistic
    assert statistic is not None  # only plans with a statistic come here
    named = [value_name(value) for value in statistic.of]
    match statistic.kind:
        case "correlation" | "trend" if len(statistic.of) == 2:
            if not _few_points(table, "points" if statistic.kind == "trend" else "rows"):
                return None
            first, second = _point_names(plan)
            # A trend is of its first value along the second; of a relation the first lies across, as it is named.
            across, up = (second, first) if statistic.kind == "trend" else (first, second)
            title = f"{named[0]} and {named[1]}" if statistic.kind == "correlation" else f"{named[0]} along {named[1]}"
            return {"type": "scatter", "x_col": across, "y_col": up, "fit": True, "zero": False, "title": title}
        case "correlation" if table.num_rows > 1:
            return {"type": "heatmap", "x_col": "first", "y_col": "correlation", "series_col": "second"}
        case "distribution" if table.num_rows > 1:
            low, high = compiled.keys
            return {
                "type": "histogram",
                "x_col": low,
                "until_col": high,
                "y_col": "rows",
                "x_title": named[0],
                "y_title": "number of rows",
            }
        case "difference_test" if table.num_rows > 1:
            key = compiled.keys[0]
            bar = {"type": "bar", "x_col": key, "y_col": compiled.figures[1], "y_title": f"average {named[0]}"}
            return bar | _lying(table, key)
        case "members" if table.num_rows > 2:
            return {"type": "line", "x_col": compiled.keys[0], "y_col": compiled.figures[0], "title": _members(plan)}
        case "retention" if table.num_rows > 2:
            cohort, after = compiled.keys
            title = f"retention of {named[0]} in percent"
            heat = {"type": "heatmap", "x_col": after, "y_col": compiled.figures[-1], "series_col": cohort}
            return {**heat, "title": title} if table.num_rows <= MOST_CELLS else None
        case "equal_groups" if table.num_rows > 1:
            y = compiled.figures[min(1, len(compiled.figures) - 1)]
            return {"type": "bar", "x_col": compiled.keys[0], "y_col": y, "y_title": y}
        case "independence" if 1 < table.num_rows <= MOST_CELLS:
            first, second = compiled.keys
            made = {"type": "heatmap", "x_col": first, "y_col": "rows", "series_col": second}
            return {**made, "y_title": "number of rows"}
        case _:
            return None


def _members(plan: Plan) -> str:
    statistic = plan.statistic
    assert isinstance(statistic, Members)  # only members come here
    return f"{statistic.asked} {value_name(statistic.of[0])} by {statistic.period}"


def _few_points(table: pa.Table, name: str) -> bool:
    """Whether the points can all be fetched to be drawn, and are two at least."""
    counted = table.column(name).to_pylist() if name in table.column_names else []
    return bool(counted) and counted[0] is not None and 2 <= counted[0] <= MOST_POINTS


def _figures(plan: Plan, compiled: CompiledPlan, table: pa.Table, kind: str | None) -> dict[str, Any] | None:
    y = compiled.figures[-1] if plan.window is not None else compiled.figures[0]
    if not _numeric(table, y) or not compiled.keys or table.column(y).null_count == table.num_rows:
        return None
    keys = dict(zip(compiled.keys, _key_values(plan), strict=False))
    base: dict[str, Any] = {"y_col": y, "y_title": _label(plan)}
    drawn = compiled.column(y)
    if drawn is not None and drawn.kind == "percentage":
        base["y_unit"] = "percent"
    if len(keys) == 1:
        return base | _one_key(plan, table, *next(iter(keys.items())), kind, y)
    if len(keys) == 2:
        return _two_keys(table, keys, base, kind)
    if len(keys) == 3:
        return _three_keys(table, keys, base)
    return None


def _key_values(plan: Plan) -> list[Value]:
    if plan.window is not None and plan.window.span is not None:
        return [value for place, value in enumerate(plan.by) if place != plan.window.along]
    return list(plan.by)


def _one_key(plan: Plan, table: pa.Table, name: str, value: Value, kind: str | None, y: str) -> dict[str, Any]:
    made: dict[str, Any] = {"x_col": name, "x_title": _axis(value)}
    negative = any(number < 0 for number in table.column(y).to_pylist() if number is not None)
    parts = plan.window is None or plan.window.kind == "share"
    if kind == "pie" and parts and not negative and table.num_rows <= MOST_SLICES:
        return {"type": "pie", **made}
    along = _in_order(value, table, name)
    if kind in {"line", "area"}:
        return {"type": kind, **made, **_scale(value, table, name)}
    if along and plan.rank is None and kind is None and table.num_rows > 2:
        return {"type": "line", **made, **_scale(value, table, name)}
    bar = {"type": "bar", **made}
    if value.kind == "bucket" or value.part == "hour":
        return {**bar, "x_scale": "number"}
    if not along:
        bar |= _lying(table, name)
    return {**bar, "first": MOST_BARS} if table.num_rows > MOST_BARS else bar


def _two_keys(table: pa.Table, keys: dict[str, Value], base: dict[str, Any], kind: str | None) -> dict[str, Any] | None:
    (first, one), (second, two) = keys.items()
    if _in_order(two, table, second) and not _in_order(one, table, first):
        (first, one), (second, two) = (second, two), (first, one)
    across, series = _different(table, first), _different(table, second)
    made = {"x_col": first, "x_title": _axis(one), "series_col": second, "series_title": _axis(two)}
    heat = {"type": "heatmap", **base, **made} if across * series <= MOST_CELLS else None
    if kind == "heatmap":
        return heat
    if _in_order(one, table, first):
        if series <= MOST_SERIES:
            line = kind if kind in {"line", "area", "bar"} else "line"
            return {"type": line, **base, **made, **(_scale(one, table, first) if line != "bar" else {})}
        return heat
    if across < series and kind != "line":
        made = {"x_col": second, "x_title": _axis(two), "series_col": first, "series_title": _axis(one)}
        across, series = series, across
    if across * series <= MOST_GROUPED and series <= MOST_SERIES:
        return {"type": "line" if kind == "line" else "bar", **base, **made}
    return heat


def _three_keys(table: pa.Table, keys: dict[str, Value], base: dict[str, Any]) -> dict[str, Any] | None:
    """Small charts side by side, one for each value of the key that has the fewest."""
    unordered = [name for name, value in keys.items() if not _in_order(value, table, name)]
    if not unordered:
        return None
    facet = min(unordered, key=lambda name: _different(table, name))
    if _different(table, facet) > MOST_FACETS:
        return None
    rest = {name: value for name, value in keys.items() if name != facet}
    made = _two_keys(table, rest, base, None)
    return None if made is None or made["type"] == "heatmap" else {**made, "facet_col": facet}


def _rows(plan: Plan, compiled: CompiledPlan, table: pa.Table, kind: str | None) -> dict[str, Any] | None:
    """Rows are drawn where they are a ranking by a number, or where a chart of them was asked for."""
    numbers = [name for name in table.column_names if _numeric(table, name)]
    names = [name for name in table.column_names if name not in numbers]
    if kind == "scatter" and len(numbers) >= 2:
        return {"type": "scatter", "x_col": numbers[0], "y_col": numbers[1], "zero": False}
    if kind == "histogram" and numbers:
        return {"type": "histogram", "x_col": numbers[0]}
    ranked = plan.rank is not None and compiled.figures and len(compiled.keys) == 1
    x, y = (compiled.keys[0], compiled.figures[0]) if ranked else (next(iter(names or numbers[:1]), ""), "")
    y = y or next((name for name in numbers if name != x), "")
    if not x or not y or not _numeric(table, y) or (kind is None and not ranked) or _different(table, x) < 2:
        return None
    if _different(table, x) < table.num_rows:
        return None  # Two rows of one name would be drawn over each other.
    made: dict[str, Any] = {"x_col": x, "y_col": y, "x_title": x, "y_title": y}
    if ranked and plan.rank is not None:
        made["title"] = f"{'Highest' if plan.rank.descending else 'Lowest'} {y} by {x}"
    if table.num_rows > MOST_BARS:
        made["first"] = MOST_BARS
    kind = kind if kind in {"line", "area", "pie"} else "bar"
    return {"type": kind, **made, **(_lying(table, x) if kind == "bar" else {})}


def _scale(value: Value, table: pa.Table, name: str) -> dict[str, Any]:
    if not _numeric(table, name):
        return {}
    return {"x_scale": "year"} if is_time(value) else {"x_scale": "number"}


def _in_order(value: Value, table: pa.Table, name: str) -> bool:
    """Whether a key is a time that runs on: days, months, years, but not weekdays or the months of every year."""
    import pyarrow.types as pat

    if value.part in {"month_of_year", "weekday", "weekend", "day_of_month", "hour"}:
        return False
    kind = table.schema.field(name).type
    if pat.is_date(kind) or pat.is_timestamp(kind):
        return True
    return is_time(value) and _numeric(table, name)


def _lying(table: pa.Table, name: str) -> dict[str, Any]:
    """Many or long names are read from the side."""
    names = {str(each) for each in table.column(name).to_pylist()}
    lies = not _numeric(table, name) and (len(names) > MANY_NAMES or any(len(each) > LONG_NAME for each in names))
    return {"horizontal": True} if lies else {}


def _different(table: pa.Table, name: str) -> int:
    return len(set(table.column(name).to_pylist()))


def _numeric(table: pa.Table, name: str) -> bool:
    import pyarrow.types as pat

    kind = table.schema.field(name).type
    return pat.is_integer(kind) or pat.is_floating(kind) or pat.is_decimal(kind)


def _is_additive(compiled: CompiledPlan, name: str) -> bool:
    column = compiled.column(name)
    return column is not None and column.additive


def _axis(value: Value) -> str:
    return (
        value.column
        if value.part in {"year", "month", "day", "week", "quarter"} and value.column
        else value_name(value)
    )


def _figure(measure: Measure) -> str:
    tests = " and ".join(say_test(each) for each in measure.where)
    if measure.function == "rate":
        return f"share of rows where {tests}" if tests else "share of rows"
    named = f"{measure_name(measure)} where {tests}" if tests else measure_name(measure)
    if measure.over is None:
        return named
    return f"{named} {'in percent of' if measure.percent else 'divided by'} {_figure(measure.over)}"


def _label(plan: Plan) -> str:
    figure = _figure(plan.measures[0])
    if plan.window is not None:
        figure = f"{window_words(plan.window.kind)} of {figure}"
    return figure if len(figure) <= LONGEST_TITLE else f"{figure[: LONGEST_TITLE - 1]}…"


def _title(plan: Plan, made: dict[str, Any]) -> str:
    what = _label(plan) if plan.measures else str(made.get("y_title") or made.get("y_col") or made["x_col"])
    if plan.statistic is not None:
        what = f"distribution of {value_name(plan.statistic.of[0])}" if made["type"] == "histogram" else what
    keys = [str(made[part]) for part in ("x_title", "series_title", "facet_col") if made.get(part)]
    said = " and ".join(keys) if len(keys) < 3 else f"{', '.join(keys[:-1])} and {keys[-1]}"
    by = f" by {said}" if keys and made["type"] != "histogram" else ""
    rest = ", first rows only" if made.get("first") else ""
    text = f"{what}{by}{_scope(plan)}{rest}"
    text = text if len(text) <= LONGEST_TITLE else f"{text[: LONGEST_TITLE - 1]}…"
    return text[:1].upper() + text[1:]


def _scope(plan: Plan) -> str:
    return f", where {' and '.join(say_test(each) for each in plan.where)}" if plan.where else ""
