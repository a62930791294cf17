"""Encodings: which channel of a Vega-Lite mark shows which column, with scales and axes that a reader expects."""

from __future__ import annotations

import datetime as dt
import decimal
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from averment.charts.kinds import kind_named
from averment.charts.spec import ChartSpec

if TYPE_CHECKING:
    import pyarrow as pa

MISSING = "no value"
BLUE, PALE, GREY = "#2458a6", "#b9c7dd", "#a3a3a3"
PALETTE = ("#2458a6", "#d9822b", "#2a9d70", "#b5475d", "#7a5bb0", "#8a6d3b", "#3aa0b8", "#c4a000", "#6b7280", "#a35bb0")
LEVEL_NAMES, LEVEL_LETTERS = 10, 60
MILLION = 1_000_000
_MONTHS = (
    *("january", "february", "march", "april", "may", "june"),
    *("july", "august", "september", "october", "november", "december"),
)
_WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
NARROW = 0.6
"""A line whose lowest value is above this part of its highest is drawn close up, not from zero."""


@dataclass(frozen=True, kw_only=True)
class ChartRows:
    """The rows that are drawn, with the columns they come from."""

    table: pa.Table
    spec: ChartSpec
    columns: list[str]

    def field(self, name: str) -> str:
        """A column's name inside the document: dots, brackets and quotes in a header would be read as paths by Vega."""
        return f"c{self.columns.index(name)}"

    def values(self, name: str) -> list[object]:
        """A column's cells as the document holds them: names where the column names things, else values."""
        cells = self.table.column(name).to_pylist()
        return [named(value) for value in cells] if name in self.naming else [plain(value) for value in cells]

    @property
    def naming(self) -> frozenset[str]:
        """The columns whose values are names here, numbers among them."""
        spec = self.spec
        columns = {name for name in (spec.series_col, spec.facet_col) if name is not None and spec.type != "heatmap"}
        columns |= {name for name in self.columns if kind_of(self.table, name) == "nominal"}
        if kind_named(spec.type).names and spec.x_col != spec.y_col and kind_of(self.table, spec.x_col) != "temporal":
            columns.add(spec.x_col)
        return frozenset(columns)

    def has_missing(self, name: str) -> bool:
        """Whether a cell of a column is empty."""
        return self.table.column(name).null_count > 0


def encode(drawn: ChartRows) -> dict[str, Any]:
    """The channels of a chart."""
    match drawn.spec.type:
        case "pie":
            return _pie(drawn)
        case "histogram":
            return _histogram(drawn)
        case "heatmap" if drawn.spec.series_col is not None:
            return _heatmap(drawn)
        case _:
            return _plane(drawn)


def _plane(drawn: ChartRows) -> dict[str, Any]:
    """Charts with a horizontal and a vertical axis."""
    spec = drawn.spec
    down = _down(drawn, spec.y_col or spec.x_col)
    if spec.box_cols is not None and spec.x_col == spec.y_col:
        return {"y": down}
    across = _across(drawn)
    found: dict[str, Any] = {"y": across, "x": down} if spec.horizontal else {"x": across, "y": down}
    if spec.series_col is not None:
        found["color"] = _series(drawn, spec.series_col)
        if spec.type == "bar":
            if spec.stacked:
                down["stack"] = "zero"
            else:
                offset = {"field": drawn.field(spec.series_col), "type": "nominal", "sort": None}
                found["yOffset" if spec.horizontal else "xOffset"] = offset
        elif spec.type == "area":
            down["stack"] = "zero" if spec.stacked else None
    elif spec.x_col in drawn.naming and drawn.has_missing(spec.x_col):
        test = f"datum[{drawn.field(spec.x_col)!r}] === {MISSING!r}"
        found["color"] = {"condition": {"test": test, "value": GREY}, "value": BLUE}
    if spec.facet_col is not None:
        found["facet"] = {"field": drawn.field(spec.facet_col), "type": "nominal", "sort": None, "columns": 3}
        found["facet"]["title"] = spec.facet_col
    return found


def _across(drawn: ChartRows) -> dict[str, Any]:
    spec = drawn.spec
    kind = kind_of(drawn.table, spec.x_col)
    scale = spec.x_scale
    made: dict[str, Any] = {"field": drawn.field(spec.x_col), "title": spec.x_title or spec.x_col}
    if spec.x_col in drawn.naming:
        # The table's own order is the order the answer gives; sorting again here would tell another story.
        order = _ascending(drawn, spec.x_col) if scale == "number" else calendar(drawn.values(spec.x_col))
        return {**made, "type": "nominal", "sort": order, **_labels(drawn, spec)}
    if kind == "temporal":
        if kind_named(spec.type).bands:
            return {
                **made,
                "type": "ordinal",
                "timeUnit": "utcyearmonthdate",
                "axis": {"format": _dates(drawn, spec.x_col)},
            }
        return {
            **made,
            "type": "temporal",
            "scale": {"type": "utc"},
            "axis": {"format": _dates(drawn, spec.x_col), "labelOverlap": True},
        }
    if scale == "year":
        return {
            **made,
            "type": "quantitative",
            "scale": {"zero": False, "nice": False},
            "axis": {"format": "d", "tickMinStep": 1},
        }
    near = spec.zero if spec.zero is not None else spec.type not in {"scatter", "line", "area"}
    return {**made, "type": "quantitative", "scale": {"zero": near}}


def _down(drawn: ChartRows, name: str) -> dict[str, Any]:
    spec = drawn.spec
    made: dict[str, Any] = {"field": drawn.field(name), "type": "quantitative", "title": spec.y_title or name}
    zero = _from_zero(drawn, name)
    if zero is not None:
        made["scale"] = {"zero": zero}
    return {**made, **value_axis(drawn, name)}


def _from_zero(drawn: ChartRows, name: str) -> bool | None:
    """Bars and areas begin at zero, since their length is the value; points do not; a line does unless far off."""
    spec = drawn.spec
    zero = kind_named(spec.type).zero
    if zero == "always":
        return None
    if spec.zero is not None:
        return spec.zero
    if zero == "never":
        return False
    numbers = numbers_of(drawn, name)
    return not (numbers and min(numbers) > NARROW * max(numbers) > 0)


def numbers_of(drawn: ChartRows, name: str) -> list[float]:
    """A column's numbers."""
    return [float(value) for value in drawn.table.column(name).to_pylist() if value is not None]


def value_axis(drawn: ChartRows, name: str, *, channel: str = "axis") -> dict[str, Any]:
    """An axis of values: percent with its sign, millions as M, everything else with separators."""
    if drawn.spec.y_unit == "percent":
        return {channel: {"labelExpr": "datum.label + ' %'"}}
    numbers = numbers_of(drawn, name)
    if numbers and max(abs(number) for number in numbers) >= MILLION:
        return {channel: {"format": "~s", "labelExpr": "replace(datum.label, 'G', 'B')"}}
    return {}


def _series(drawn: ChartRows, name: str) -> dict[str, Any]:
    names = list(dict.fromkeys(drawn.values(name)))
    names = calendar(names) or sorted(names, key=lambda each: each == MISSING)
    made: dict[str, Any] = {"field": drawn.field(name), "type": "nominal", "sort": None}
    made["title"] = drawn.spec.series_title or name
    colours = [PALETTE[place % len(PALETTE)] for place in range(len(names))]
    if MISSING in names:
        colours[names.index(MISSING)] = GREY
    made["scale"] = {"domain": names, "range": colours}
    return made


def calendar(names: Sequence[object]) -> list[object] | None:
    """Months or weekdays in the order of the year or the week; nothing where the names are something else."""
    for every in (_MONTHS, _WEEKDAYS):
        places = {name: next((n for n, full in enumerate(every) if _is_short_for(name, full)), -1) for name in names}
        if len(places) > 2 and all(place >= 0 for name, place in places.items() if name != MISSING):
            return sorted(places, key=lambda name: (name == MISSING, places[name]))
    return None


def _is_short_for(name: object, full: str) -> bool:
    text = str(name).casefold().rstrip(".")
    return len(text) >= 3 and full.startswith(text)


def _ascending(drawn: ChartRows, name: str) -> list[object]:
    known = sorted({value for value in drawn.table.column(name).to_pylist() if value is not None})
    return [*map(named, known), *([MISSING] if drawn.has_missing(name) else [])]


def _pie(drawn: ChartRows) -> dict[str, Any]:
    spec = drawn.spec
    value = spec.y_col or spec.x_col
    return {
        "theta": {"field": drawn.field(value), "type": "quantitative", "title": spec.y_title or value, "stack": True},
        "color": {**_series(drawn, spec.x_col), "title": spec.x_title or spec.x_col},
        "order": {"field": "place", "type": "quantitative"},
    }


def _histogram(drawn: ChartRows) -> dict[str, Any]:
    spec = drawn.spec
    title = spec.x_title or (f"{spec.x_col} … {spec.until_col}" if spec.until_col else spec.x_col)
    if spec.until_col is not None and spec.y_col is not None:
        return {
            "x": {"field": drawn.field(spec.x_col), "type": "quantitative", "bin": "binned", "title": title},
            "x2": {"field": drawn.field(spec.until_col)},
            "y": {"field": drawn.field(spec.y_col), "type": "quantitative", "title": spec.y_title or spec.y_col},
        }
    return {
        "x": {"field": drawn.field(spec.x_col), "type": "quantitative", "bin": {"maxbins": 30}, "title": title},
        "y": {"aggregate": "count", "type": "quantitative", "title": spec.y_title or "rows"},
    }


def _heatmap(drawn: ChartRows) -> dict[str, Any]:
    """Cells stand side by side, so dates and numbers name rows and columns here, in their own order."""
    spec = drawn.spec
    series, value = spec.series_col or spec.x_col, spec.y_col or spec.x_col
    across, down = _cell_order(drawn, spec.x_col), _cell_order(drawn, series)
    if across and down and set(across) == set(down):
        down = across
    x: dict[str, Any] = {"field": drawn.field(spec.x_col), "type": "ordinal", "title": spec.x_title or spec.x_col}
    y: dict[str, Any] = {"field": drawn.field(series), "type": "ordinal", "title": spec.series_title or series}
    if across:
        x["sort"] = across
    if down:
        y["sort"] = down
    x |= _labels(drawn, spec)
    colour: dict[str, Any] = {"field": drawn.field(value), "type": "quantitative", "title": spec.y_title or value}
    colour |= value_axis(drawn, value, channel="legend")
    return {"x": x, "y": y, "color": colour | _two_sided(drawn, value)}


def _two_sided(drawn: ChartRows, name: str) -> dict[str, Any]:
    """Values on both sides of zero get two colours, equally strong where they are equally far from it."""
    numbers = numbers_of(drawn, name)
    if not numbers or min(numbers) >= 0 or max(numbers) <= 0:
        return {}
    far = max(map(abs, numbers))
    return {"scale": {"scheme": "redblue", "domain": [-far, far]}}


def _cell_order(drawn: ChartRows, name: str) -> list[str]:
    """Names of rows or columns in the table's order; nothing where they are numbers or dates, which have their own."""
    if kind_of(drawn.table, name) != "nominal":
        return []
    names = list(dict.fromkeys(drawn.values(name)))
    return [str(value) for value in calendar(names) or names if value != MISSING]


def _labels(drawn: ChartRows, spec: ChartSpec) -> dict[str, Any]:
    """Few short names are set level, which is easier to read; many or long ones stay upright."""
    names = {str(value) for value in drawn.values(spec.x_col)}
    level = len(names) <= LEVEL_NAMES and sum(len(each) for each in names) <= LEVEL_LETTERS
    axis: dict[str, Any] = {"labelAngle": 0} if level and not spec.horizontal else {}
    if spec.horizontal:
        axis["labelLimit"] = 260
    return {"axis": axis} if axis else {}


def _dates(drawn: ChartRows, name: str) -> str:
    """Months as months, years as years, days as days."""
    days = [value for value in drawn.table.column(name).to_pylist() if isinstance(value, dt.date)]
    if days and all(day.day == 1 and _midnight(day) for day in days):
        return "%Y" if all(day.month == 1 for day in days) else "%b %Y"
    return "%Y-%m-%d" if all(_midnight(day) for day in days) else "%Y-%m-%d %H:%M"


def _midnight(day: dt.date) -> bool:
    return not isinstance(day, dt.datetime) or day.time() == dt.time(0)


def kind_of(table: pa.Table, name: str) -> str:
    """Whether a column holds moments, numbers or names."""
    import pyarrow.types as pat

    kind = table.schema.field(name).type
    if pat.is_temporal(kind) and not pat.is_duration(kind) and not pat.is_time(kind):
        return "temporal"
    if pat.is_integer(kind) or pat.is_floating(kind) or pat.is_decimal(kind):
        return "quantitative"
    return "nominal"


def plain(value: object) -> object:
    """A cell as JSON; exact decimals become floats here because a pixel needs no more, moments are in UTC."""
    if isinstance(value, decimal.Decimal):
        return float(value)
    if isinstance(value, dt.datetime):
        return value.isoformat() if value.tzinfo is not None else f"{value.isoformat()}Z"
    if isinstance(value, dt.date | dt.time):
        return value.isoformat()
    if value is None or isinstance(value, bool | int | float | str):
        return value
    return str(value)


def named(value: object) -> str:
    """A cell as the name of a bar, a colour or a small chart; years and other whole numbers without commas."""
    if value is None:
        return MISSING
    if isinstance(value, bool):
        return "true" if value else "false"
    made = plain(value)
    return f"{made:.12g}" if isinstance(made, float) else str(made)


def labelled(drawn: ChartRows) -> list[dict[str, object]]:
    """The rows of the document: rows whose name is missing come last and are called so."""
    cells = {drawn.field(name): drawn.values(name) for name in drawn.columns}
    rows: list[dict[str, object]] = [
        {field: values[row] for field, values in cells.items()} for row in range(drawn.table.num_rows)
    ]
    if drawn.spec.type == "pie":
        rows = [{**row, "place": place} for place, row in enumerate(rows)]
    lead = drawn.field(drawn.spec.x_col)
    return sorted(rows, key=lambda row: row[lead] == MISSING)
