"""Drawing: a table and a ChartSpec become a Vega-Lite document, and that PNG or SVG bytes (through vl-convert).

vl-convert is imported here alone and only when a picture is drawn. Nothing is fetched: the renderer is inside its
wheel.
"""

from __future__ import annotations

import json
import re
import textwrap
from typing import TYPE_CHECKING, Any

from averment.charts.added import added_marks
from averment.charts.encode import BLUE, MILLION, PALE, ChartRows, encode, kind_of, labelled, numbers_of
from averment.charts.spec import MAX_POINTS, ChartSpec
from averment.errors import MissingColumn, ResourceExhausted, TypeMismatch
from averment.errors.extras import is_installed, needs

if TYPE_CHECKING:
    import pyarrow as pa

SCHEMA = "https://vega.github.io/schema/vega-lite/v6.4.1.json"
WIDTH, HEIGHT, SMALL = 560, 320, 180
STEP = 24
BOX = 60
TITLE_WIDTH = 78
DOTS = 200
INK = "#3c4048"
VALUE_LABELS = 14
"""Up to so many bars carry their value."""

_UNDRAWABLE = re.compile("[\\x00-\\x08\\x0b\\x0c\\x0e-\\x1f\\x7f-\\x9f\\ud800-\\udfff\\ufffe\\uffff]")
_LOOK: dict[str, Any] = {
    "axis": {"gridColor": "#e6e8ec", "labelColor": INK, "titleColor": INK, "titleFontWeight": "normal"},
    "legend": {"labelColor": INK, "titleColor": INK, "titleFontWeight": "normal"},
    "title": {"anchor": "start", "color": "#1f2329", "fontSize": 14, "offset": 12},
    "view": {"stroke": None},
}


def vega_lite(table: pa.Table, spec: ChartSpec) -> dict[str, Any]:
    """The chart as a self-contained Vega-Lite document, data inside.

    Raises:
        MissingColumn: the spec names a column the table does not have.
        TypeMismatch: the vertical axis needs numbers and the column has none.
        ResourceExhausted: the table has more than ``MAX_POINTS`` rows and is no scatter.
    """
    _check(table, spec)
    table = _thinned(table, spec)
    columns = list(dict.fromkeys(_named(spec)))
    drawn = ChartRows(table=table, spec=spec, columns=columns)
    encoding = encode(drawn)
    document: dict[str, Any] = {
        "$schema": SCHEMA,
        "config": _LOOK,
        "data": {"values": labelled(drawn)},
        "encoding": encoding,
        **_marks(drawn, encoding),
    }
    lines = textwrap.wrap(spec.title, TITLE_WIDTH)
    document["title"] = lines if len(lines) > 1 else spec.title
    if spec.facet_col is not None:
        document |= {"width": SMALL, "height": SMALL * 2 // 3}
    elif spec.horizontal:
        document |= {"width": WIDTH, "height": {"step": STEP}}
    else:
        document |= {"width": WIDTH, "height": HEIGHT}
    return json.loads(json.dumps(document, sort_keys=True))


def can_draw() -> bool:
    """Whether what draws pictures is installed."""
    return is_installed("charts")


def to_png(document: dict[str, Any], *, scale: float = 2.0) -> bytes:
    """The Vega-Lite document as PNG bytes.

    Raises:
        MissingExtra: what draws pictures is not installed.
    """
    with needs("charts"):
        import vl_convert

    return bytes(vl_convert.vegalite_to_png(_drawable(document), scale=scale))


def to_svg(document: dict[str, Any]) -> str:
    """The Vega-Lite document as SVG text.

    Raises:
        MissingExtra: what draws pictures is not installed.
    """
    with needs("charts"):
        import vl_convert

    return str(vl_convert.vegalite_to_svg(_drawable(document)))


def _drawable(value: Any) -> Any:
    """The document without characters that no drawing can hold: at one of them the library would end the process."""
    if isinstance(value, str):
        return _UNDRAWABLE.sub("\ufffd", value)
    if isinstance(value, dict):
        return {_drawable(key): _drawable(each) for key, each in value.items()}
    if isinstance(value, list):
        return [_drawable(each) for each in value]
    return value


def _named(spec: ChartSpec) -> list[str]:
    every = (spec.x_col, spec.y_col, spec.series_col, spec.facet_col, spec.until_col, spec.beside_col)
    return [name for name in (*every, *(spec.box_cols or ())) if name is not None]


def _thinned(table: pa.Table, spec: ChartSpec) -> pa.Table:
    """Only the first rows where the spec says so; of too many points every n-th."""
    if spec.first is not None:
        return table.slice(0, spec.first)
    if spec.type == "scatter" and table.num_rows > MAX_POINTS:
        step = -(-table.num_rows // MAX_POINTS)
        return table.take(list(range(0, table.num_rows, step)))
    return table


def _check(table: pa.Table, spec: ChartSpec) -> None:
    for name in _named(spec):
        if name not in table.column_names:
            raise MissingColumn(
                f"The chart needs the column {name}, but the table does not have it.",
                suggestion=f"Choose among: {', '.join(table.column_names)}.",
            )
    if table.num_rows > MAX_POINTS and spec.first is None and spec.type != "scatter":
        raise ResourceExhausted(
            f"The chart would have {table.num_rows} points; the limit is {MAX_POINTS}.",
            suggestion="Group or filter the table first.",
        )
    numeric = {name: kind_of(table, name) == "quantitative" for name in table.column_names}
    needs_number = spec.x_col if spec.type == "histogram" else spec.y_col
    if spec.type != "histogram" and needs_number is None:
        raise MissingColumn(f"A {spec.type} chart needs a y_col.", suggestion="Name a numeric column as y_col.")
    if needs_number is not None and not numeric[needs_number]:
        raise TypeMismatch(
            f"The column {needs_number} is not numeric, so it cannot be drawn on a value axis.",
            suggestion=f"Choose among: {', '.join(n for n, ok in numeric.items() if ok) or 'no numeric column'}.",
        )


def _marks(drawn: ChartRows, encoding: dict[str, Any]) -> dict[str, Any]:
    """The mark, or the layers of marks, that show the encoding."""
    spec = drawn.spec
    plain: dict[str, Any] = {"color": BLUE} if spec.series_col is None and "color" not in encoding else {}
    match spec.type:
        case "bar":
            bar = {"mark": {"type": "bar", "tooltip": True, **plain}}
            return _with_values(drawn, bar) if _carries_values(drawn) else bar
        case "histogram":
            return {"mark": {"type": "bar", "tooltip": True, **plain}}
        case "line":
            line = {"mark": {"type": "line", "point": _points(drawn), "tooltip": True, **plain}}
            return (
                line
                if spec.beside_col is None
                else _beside(drawn, line | {"encoding": {"y": encoding["y"]}}, spec.beside_col)
            )
        case "area":
            return {"mark": {"type": "area", "tooltip": True, **plain, **({} if spec.stacked else {"opacity": 0.6})}}
        case "scatter":
            points = {"mark": {"type": "circle", "opacity": 0.5, "size": 36, "tooltip": True, **plain}}
            return _fitted(drawn, points) if spec.fit else points
        case "pie":
            return _slices(drawn)
        case "heatmap":
            return {"mark": {"type": "rect", "tooltip": True}}
        case "box" if spec.box_cols is not None:
            return _boxes(drawn, encoding, spec.box_cols)
        case "box":
            return {"mark": {"type": "boxplot", **plain}}
        case _:
            return added_marks(drawn, encoding)


def _boxes(drawn: ChartRows, encoding: dict[str, Any], columns: tuple[str, str, str, str]) -> dict[str, Any]:
    """Boxes between the quartiles, with a line at the median and one from the lowest value to the highest."""
    spec = drawn.spec
    lowest, lower, upper, highest = columns
    median = spec.y_col or spec.x_col
    up, up2 = ("x", "x2") if spec.horizontal else ("y", "y2")
    size = STEP * 2 // 3 if spec.horizontal else max(6, min(BOX, WIDTH * 3 // (5 * max(1, drawn.table.num_rows))))
    told = [
        {"field": drawn.field(name), "type": "quantitative", "title": name}
        for name in (lowest, lower, median, upper, highest)
    ]

    def reach(mark: dict[str, Any], start: str, end: str | None) -> dict[str, Any]:
        across: dict[str, Any] = {up: {**encoding[up], "field": drawn.field(start)}, "tooltip": told}
        if end is not None:
            across[up2] = {"field": drawn.field(end)}
        return {"mark": mark, "encoding": across}

    return {
        "layer": [
            reach({"type": "rule", "color": INK}, lowest, highest),
            reach({"type": "bar", "size": size, "color": PALE, "stroke": BLUE}, lower, upper),
            reach({"type": "tick", "size": size, "thickness": 2, "color": BLUE, "opacity": 1}, median, None),
        ]
    }


def _points(drawn: ChartRows) -> bool | dict[str, str]:
    """Dots on a line while they can be told apart."""
    if drawn.table.num_rows > DOTS:
        return False
    return True if drawn.spec.series_col is not None else {"color": BLUE}


def _carries_values(drawn: ChartRows) -> bool:
    return drawn.table.num_rows <= VALUE_LABELS and drawn.spec.series_col is None and drawn.spec.facet_col is None


def _with_values(drawn: ChartRows, bar: dict[str, Any]) -> dict[str, Any]:
    """Each bar with its value above it, or beside it where it lies."""
    place = {"dx": 4, "align": "left"} if drawn.spec.horizontal else {"dy": -7}
    ink = {"value": INK}
    return {"layer": [bar, {"mark": {"type": "text", **place}, "encoding": {"text": _figure(drawn), "color": ink}}]}


def _figure(drawn: ChartRows) -> dict[str, Any]:
    """The value as text: whole numbers whole, others with as many decimals as say enough."""
    spec = drawn.spec
    value = spec.y_col or spec.x_col
    numbers = numbers_of(drawn, value)
    most = max((abs(number) for number in numbers), default=0.0)
    if most >= MILLION:
        form = ",.3~s"
    elif all(number.is_integer() for number in numbers):
        form = ",d"
    else:
        form = ",.0f" if most >= 1000 else ",.1f" if most >= 100 or spec.y_unit else ",.2f" if most >= 1 else ",.3~r"
    return {"field": drawn.field(value), "type": "quantitative", "format": form}


def _slices(drawn: ChartRows) -> dict[str, Any]:
    """Slices with their values around them."""
    arc = {"mark": {"type": "arc", "tooltip": True, "stroke": "#ffffff", "outerRadius": HEIGHT // 2 - 24}}
    told = {"text": _figure(drawn), "color": {"value": INK}}
    text = {"mark": {"type": "text", "radius": HEIGHT // 2 - 8}, "encoding": told}
    return {"layer": [arc, text]} if drawn.table.num_rows <= VALUE_LABELS else arc


def _beside(drawn: ChartRows, line: dict[str, Any], name: str) -> dict[str, Any]:
    """The second column as a pale line behind the first, on the same axes."""
    spec = drawn.spec
    title = f"{spec.y_title or spec.y_col}; pale: {name}"
    other = {"field": drawn.field(name), "type": "quantitative", "title": title}
    return {
        "layer": [{"mark": {"type": "line", "color": PALE, "point": {"color": PALE}}, "encoding": {"y": other}}, line]
    }


def _fitted(drawn: ChartRows, points: dict[str, Any]) -> dict[str, Any]:
    """A straight line through the points, by least squares."""
    spec = drawn.spec
    x, y = drawn.field(spec.x_col), drawn.field(spec.y_col or spec.x_col)
    line = {"mark": {"type": "line", "color": "#d9822b", "strokeWidth": 2}, "transform": [{"regression": y, "on": x}]}
    return {"layer": [points, line]}
