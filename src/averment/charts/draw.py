"""Drawing: a table and a ChartSpec become Vega-Lite JSON (through Altair) and PNG or SVG bytes (through vl-convert).

Altair and vl-convert are imported here alone and only when a chart is drawn. Nothing is fetched: the renderer is inside
its wheel.
"""

from __future__ import annotations

import datetime as dt
import decimal
import json
import re
from typing import TYPE_CHECKING, Any

from averment.charts.spec import MAX_POINTS, ChartSpec
from averment.errors import MissingColumn, ResourceExhausted, TypeMismatch

if TYPE_CHECKING:
    import pyarrow as pa

WIDTH, HEIGHT = 560, 320
LEVEL_NAMES, LEVEL_LETTERS = 10, 60
BLUE, PALE = "#2458a6", "#b9c7dd"


_UNDRAWABLE = re.compile("[\\x00-\\x08\\x0b\\x0c\\x0e-\\x1f\\x7f-\\x9f\\ud800-\\udfff\\ufffe\\uffff]")


def vega_lite(table: pa.Table, spec: ChartSpec) -> dict[str, Any]:
    """The chart as a self-contained Vega-Lite document, data inside.

    Raises:
        MissingColumn: the spec names a column the table does not have.
        TypeMismatch: the vertical axis needs numbers and the column has none.
        ResourceExhausted: the table has more than ``MAX_POINTS`` rows.
    """
    # Altair looks at whatever of pandas is there, even while another thread is still loading it; this waits for that.
    import pandas  # noqa: F401  # pyright: ignore[reportUnusedImport]

    import altair as alt  # isort: skip

    _check(table, spec)
    columns = list(dict.fromkeys(_named(spec)))
    values = [{_key(columns, name): _plain(row[name]) for name in columns} for row in table.select(columns).to_pylist()]
    encoding = _encodings(alt, table, spec, columns)
    mark = _mark(alt.Chart(alt.Data(values=values)), spec)
    chart = mark.encode(**encoding)
    if spec.beside_col is not None and spec.type == "line":
        chart = _beside(alt, chart, spec, columns) + chart
    chart = chart.properties(width=WIDTH, height=HEIGHT, title=spec.title)
    document: dict[str, Any] = chart.to_dict()
    return json.loads(json.dumps(document, sort_keys=True))


def to_png(document: dict[str, Any], *, scale: float = 2.0) -> bytes:
    """The Vega-Lite document as PNG bytes."""
    import vl_convert

    return bytes(vl_convert.vegalite_to_png(_drawable(document), scale=scale))


def to_svg(document: dict[str, Any]) -> str:
    """The Vega-Lite document as SVG text."""
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
    every = (spec.x_col, spec.y_col, spec.series_col, spec.until_col, spec.beside_col)
    return [name for name in every if name is not None]


def _beside(alt: Any, chart: Any, spec: ChartSpec, columns: list[str]) -> Any:
    """The second column as a pale line behind the first, on the same axes."""
    other = alt.Y(f"{_key(columns, spec.beside_col or '')}:Q", title=f"{spec.y_col}; pale: {spec.beside_col}")
    return alt.Chart(chart.data).mark_line(color=PALE, point={"color": PALE}).encode(x=chart.encoding.x, y=other)


def _check(table: pa.Table, spec: ChartSpec) -> None:
    import pyarrow.types as pat

    for name in _named(spec):
        if name not in table.column_names:
            raise MissingColumn(
                f"The chart needs a column {name}, and the table has none of that name.",
                suggestion=f"Choose among: {', '.join(table.column_names)}.",
            )
    if table.num_rows > MAX_POINTS:
        raise ResourceExhausted(
            f"The chart would have {table.num_rows} points; at most {MAX_POINTS} are drawn.",
            suggestion="Group or filter the table first.",
        )
    numeric = {
        name: pat.is_integer(kind) or pat.is_floating(kind) or pat.is_decimal(kind)
        for name, kind in zip(table.column_names, table.schema.types, strict=True)
    }
    needs_number = spec.x_col if spec.type == "histogram" else spec.y_col
    if spec.type != "histogram" and needs_number is None:
        raise MissingColumn(f"A {spec.type} chart needs a y_col.", suggestion="Name a numeric column as y_col.")
    if needs_number is not None and not numeric[needs_number]:
        raise TypeMismatch(
            f"The column {needs_number} is not numeric and cannot be measured on an axis.",
            suggestion=f"Choose among: {', '.join(n for n, ok in numeric.items() if ok) or 'no numeric column'}.",
        )


def _key(columns: list[str], name: str) -> str:
    """Field names inside the document: dots, brackets and quotes in a header would be read as paths by Vega."""
    return f"c{columns.index(name)}"


def _encodings(alt: Any, table: pa.Table, spec: ChartSpec, columns: list[str]) -> dict[str, Any]:
    def field(name: str, kind: str) -> str:
        return f"{_key(columns, name)}:{kind}"

    x_kind = _kind(table, spec.x_col)
    encodings: dict[str, Any] = {}
    if spec.type == "pie" and spec.y_col is not None:
        encodings["theta"] = alt.Theta(field(spec.y_col, "Q"), title=spec.y_col)
        encodings["color"] = alt.Color(field(spec.x_col, "N"), title=spec.x_col, sort=None)
        return encodings
    if spec.type == "histogram" and spec.until_col is not None and spec.y_col is not None:
        encodings["x"] = alt.X(field(spec.x_col, "Q"), bin="binned", title=f"{spec.x_col} … {spec.until_col}")
        encodings["x2"] = alt.X2(_key(columns, spec.until_col))
        encodings["y"] = alt.Y(field(spec.y_col, "Q"), title=spec.y_col)
        return encodings
    if spec.type == "histogram":
        encodings["x"] = alt.X(field(spec.x_col, "Q"), bin=alt.Bin(maxbins=30), title=spec.x_col)
        encodings["y"] = alt.Y("count():Q", title="rows")
        return encodings
    kind = "N" if spec.type == "bar" and x_kind == "Q" else x_kind
    # The table's own order is the order the answer gives; sorting again here would tell another story.
    plain: dict[str, Any] = {"sort": None, **_level_labels(alt, table, spec.x_col)} if kind == "N" else {}
    encodings["x"] = alt.X(field(spec.x_col, kind), title=spec.x_col, **plain)
    y_name = spec.y_col or spec.x_col
    if spec.type == "heatmap" and spec.series_col is not None:
        # Cells stand side by side, so dates and numbers name rows and columns here, in their own order.
        across, down = _cell_order(table, spec.x_col), _cell_order(table, spec.series_col)
        if across and down and set(across) == set(down):
            down = across
        level = _level_labels(alt, table, spec.x_col)
        encodings["x"] = alt.X(
            field(spec.x_col, "O"), title=spec.x_col, **({"sort": across} if across else {}), **level
        )
        order: dict[str, Any] = {"sort": down} if down else {}
        encodings["y"] = alt.Y(field(spec.series_col, "O"), title=spec.series_col, **order)
        encodings["color"] = alt.Color(field(y_name, "Q"), title=y_name, **_two_sided(alt, table, y_name))
        return encodings
    encodings["y"] = alt.Y(field(y_name, "Q"), title=y_name)
    if spec.series_col is not None:
        encodings["color"] = alt.Color(field(spec.series_col, "N"), title=spec.series_col, sort=None)
    return encodings


def _two_sided(alt: Any, table: pa.Table, name: str) -> dict[str, Any]:
    """Values on both sides of zero get two colours, equally strong where they are equally far from it."""
    values = [float(value) for value in table.column(name).to_pylist() if value is not None]
    if not values or min(values) >= 0 or max(values) <= 0:
        return {}
    far = max(map(abs, values))
    return {"scale": alt.Scale(scheme="redblue", domain=[-far, far])}


def _cell_order(table: pa.Table, name: str) -> list[str]:
    """Names of rows or columns in the table's order; nothing where they are numbers or dates, which have their own."""
    if _kind(table, name) != "N":
        return []
    return [str(_plain(value)) for value in dict.fromkeys(table.column(name).to_pylist()) if value is not None]


def _level_labels(alt: Any, table: pa.Table, name: str) -> dict[str, Any]:
    """Few short names are set level, which is easier to read; many or long ones stay upright."""
    names = {str(value) for value in table.column(name).to_pylist()}
    level = len(names) <= LEVEL_NAMES and sum(len(each) for each in names) <= LEVEL_LETTERS
    return {"axis": alt.Axis(labelAngle=0)} if level else {}


def _mark(chart: Any, spec: ChartSpec) -> Any:
    plain = {"color": BLUE} if spec.series_col is None else {}
    match spec.type:
        case "bar" | "histogram":
            return chart.mark_bar(**plain)
        case "line":
            return chart.mark_line(point=True, **plain)
        case "area":
            return chart.mark_area(**plain)
        case "scatter":
            return chart.mark_circle(**plain)
        case "pie":
            return chart.mark_arc()
        case "heatmap":
            return chart.mark_rect()
        case "box":
            return chart.mark_boxplot(**plain)


def _kind(table: pa.Table, name: str) -> str:
    import pyarrow.types as pat

    kind = table.schema.field(name).type
    if pat.is_temporal(kind) and not pat.is_duration(kind) and not pat.is_time(kind):
        return "T"
    if pat.is_integer(kind) or pat.is_floating(kind) or pat.is_decimal(kind):
        return "Q"
    return "N"


def _plain(value: object) -> object:
    """A cell as JSON; exact decimals become floats here because a pixel needs no more."""
    if isinstance(value, decimal.Decimal):
        return float(value)
    if isinstance(value, dt.datetime | dt.date | dt.time):
        return value.isoformat()
    if value is None or isinstance(value, bool | int | float | str):
        return value
    return str(value)
