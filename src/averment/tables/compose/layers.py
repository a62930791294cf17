"""Composing layers: a select and the calculations on it become one text, each layer a named step of a WITH.

Names are quoted and values travel as parameters, in the order in which the text names them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from averment.tables.compose.composed_query import ComposedQuery, Parameter
from averment.tables.compose.groups import bounded, cohorted, outlying, picked, reached, tiled
from averment.tables.compose.layer_spec import (
    BinLayer,
    BoundsLayer,
    Calculation,
    CalculationLayer,
    ChosenLayer,
    CohortLayer,
    CorrelationLayer,
    GroupLayer,
    Layered,
    LineLayer,
    OutlierLayer,
    PeriodLayer,
    QuantileLayer,
    RunningShareLayer,
    Sorting,
    Spread,
    Step,
    SummaryColumn,
    TopLayer,
)
from averment.tables.compose.pairs import correlated
from averment.tables.compose.select import compose_select
from averment.tables.engines.backend import quote

if TYPE_CHECKING:
    from averment.tables.catalog import Dialect

_PLACE, _LAST = "value place", "last place"
_BIN = "bin"


def compose_layers(spec: Layered, dialect: Dialect) -> ComposedQuery:
    """The specification as one SELECT; rows come in the order asked for."""
    base = compose_select(spec.base, dialect)
    writer = _LayerWriter(dialect, list(base.params))
    steps = [("base", base.sql)]
    for number, layer in enumerate(spec.layers, start=1):
        below = steps[-1][0]
        steps.append((f"step_{number}", _WRITTEN[type(layer)](writer, layer, below)))
    named = ",\n".join(f"{quote(name)} AS (\n{_indented(text)}\n)" for name, text in steps)
    shown = ", ".join(map(quote, spec.shown))
    query = f"WITH {named}\nSELECT {shown}\nFROM {quote(steps[-1][0])}"
    if spec.order:
        query += f"\nORDER BY {', '.join(map(_sorted, spec.order))}"
    if spec.limit is not None:
        query += f"\nLIMIT {spec.limit}"
    return ComposedQuery(sql=query, params=tuple(writer.params))


def _indented(text: str) -> str:
    return "\n".join(f"  {line}" for line in text.splitlines())


def _sorted(sorting: Sorting) -> str:
    return f"{quote(sorting.alias)} {'DESC' if sorting.descending else 'ASC'} NULLS LAST"


class _LayerWriter:
    """Writes layers in one dialect; ``params`` grows as placeholders are written."""

    def __init__(self, dialect: Dialect, params: list[Parameter]) -> None:
        self.dialect: Dialect = dialect
        self.params = params

    def calculated(self, layer: CalculationLayer, below: str) -> str:
        columns = ", ".join(f"{self._expression(each)} AS {quote(each.alias)}" for each in layer.columns)
        return f"SELECT *, {columns}\nFROM {quote(below)}"

    def group_query(self, layer: GroupLayer, below: str) -> str:
        """A summary of the rows below."""
        keys = [quote(key) for key in layer.keys]
        columns = [*keys, *(f"{self.summary(each)} AS {quote(each.alias)}" for each in layer.columns)]
        source = quote(below)
        placed = next((each.of for each in layer.columns if each.function == "quantile"), None)
        if placed is not None and self.dialect == "sqlite":
            source = self._placed(placed, keys, below)
        group = f"\nGROUP BY {', '.join(keys)}" if keys else ""
        return f"SELECT {', '.join(columns)}\nFROM {source}{group}"

    def spread(self, layer: Spread, below: str) -> str:
        columns = [quote(key) for key in layer.keys]
        for entry in layer.entries:
            self.params.append(entry.value)
            test = f"CAST({quote(layer.column)} AS {self._text}) = ?"
            columns.append(f"MAX(CASE WHEN {test} THEN {quote(layer.of)} END) AS {quote(entry.alias)}")
        group = f"\nGROUP BY {', '.join(map(quote, layer.keys))}" if layer.keys else ""
        return f"SELECT {', '.join(columns)}\nFROM {quote(below)}{group}"

    def binned(self, layer: BinLayer, below: str) -> str:
        value, count, source = self.real(quote(layer.of)), layer.count, quote(below)
        place = f"({value} - e.low) * {count} / (e.high - e.low)"
        floor = f"CAST({place} AS INTEGER)" if self.dialect == "sqlite" else f"CAST(FLOOR({place}) AS INTEGER)"
        inner = f"CASE WHEN e.high = e.low THEN 0 WHEN {value} = e.high THEN {count - 1} ELSE {floor} END"
        ends = f"(SELECT MIN({value}) AS low, MAX({value}) AS high FROM {source}) AS e"
        counts = (
            f"(SELECT {_BIN}, COUNT(*) AS n FROM (SELECT {inner} AS {_BIN} FROM {source} CROSS JOIN {ends}\n"
            f"WHERE {quote(layer.of)} IS NOT NULL) AS placed GROUP BY {_BIN}) AS c"
        )
        bins = " UNION ALL ".join(f"SELECT {number} AS {_BIN}" for number in range(count))
        width = f"(e.high - e.low) / {count}"
        upper = f"CASE WHEN b.{_BIN} = {count - 1} THEN e.high ELSE e.low + (b.{_BIN} + 1) * {width} END"
        return (
            f"SELECT b.{_BIN} + 1 AS {quote(_BIN)}, e.low + b.{_BIN} * {width} AS {quote(layer.lower)},\n"
            f"{upper} AS {quote(layer.upper)}, COALESCE(c.n, 0) AS {quote(layer.rows)}\n"
            f"FROM ({bins}) AS b CROSS JOIN {ends} LEFT JOIN {counts} ON c.{_BIN} = b.{_BIN}\n"
            f"WHERE e.low IS NOT NULL"
        )

    def kept(self, layer: PeriodLayer, below: str) -> str:
        self.params.append(layer.start)
        date = "?" if self.dialect == "sqlite" else "CAST(? AS DATE)"
        until = ""
        if layer.end is not None:
            self.params.append(layer.end)
            until = f" AND {quote(layer.column)} < {date}"
        return f"SELECT *\nFROM {quote(below)}\nWHERE {quote(layer.column)} >= {date}{until}"

    def chosen(self, layer: ChosenLayer, below: str) -> str:
        self.params += layer.values
        marks = ", ".join("?" for _ in layer.values)
        return f"SELECT *\nFROM {quote(below)}\nWHERE {quote(layer.column)} IN ({marks})"

    def fitted(self, layer: LineLayer, below: str) -> str:
        x, y = self.real(quote(layer.along)), self.real(quote(layer.of))
        # Deviations from the means, not sums of squares: month numbers are large and would eat the digits.
        means = f"SELECT {x} - AVG({x}) OVER () AS x, {y} - AVG({y}) OVER () AS y FROM {quote(below)}"
        slope = "CASE WHEN COUNT(*) > 2 THEN SUM(x * y) / NULLIF(SUM(x * x), 0) END"
        square = "CASE WHEN COUNT(*) > 2 THEN SUM(x * y) * SUM(x * y) / NULLIF(SUM(x * x) * SUM(y * y), 0) END"
        return (
            f"SELECT COUNT(*) AS {quote('points')}, {slope} AS {quote('slope')}, {square} AS {quote('r_squared')}\n"
            f"FROM ({means}\nWHERE {quote(layer.of)} IS NOT NULL AND {quote(layer.along)} IS NOT NULL) AS away"
        )

    @property
    def _whole(self) -> str:
        """The sign that divides whole numbers by whole numbers."""
        return "//" if self.dialect == "duckdb" else "/"

    @property
    def _text(self) -> str:
        return "TEXT" if self.dialect != "duckdb" else "VARCHAR"

    def real(self, inner: str) -> str:
        """An expression as a number with a fraction."""
        kind = {"duckdb": "DOUBLE", "postgres": "DOUBLE PRECISION", "sqlite": "REAL"}[self.dialect]
        return f"CAST({inner} AS {kind})"

    def _over(self, each: Calculation, *, frame: str = "", ordered: bool = True) -> str:
        parts = [f"PARTITION BY {', '.join(map(quote, each.within))}"] if each.within else []
        if ordered and each.along is not None:
            parts.append(f"ORDER BY {quote(each.along)}")
        if frame:
            parts.append(frame)
        return f"OVER ({' '.join(parts)})"

    def _expression(self, each: Calculation) -> str:
        one = quote(each.of[0])
        two = quote(each.of[1]) if len(each.of) > 1 else one
        so_far = "ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW"
        match each.kind:
            case "period_number":
                return self._period_number(each, one)
            case "earlier":
                back = f"RANGE BETWEEN {each.steps} PRECEDING AND {each.steps} PRECEDING"
                return f"MAX({one}) {self._over(each, frame=back)}"
            case "difference":
                return f"{one} - {two}"
            case "percent_change":
                return f"CASE WHEN {two} > 0 THEN 100.0 * {self.real(f'{one} - {two}')} / {self.real(two)} END"
            case "moving_average" | "moving_sum":
                return self._moving(each, one)
            case "running_total":
                return f"SUM({one}) {self._over(each, frame=so_far)}"
            case "share":
                whole = f"NULLIF(SUM({one}) {self._over(each, ordered=False)}, 0)"
                return f"100.0 * {self.real(one)} / {self.real(whole)}"
            case "rank":
                within = f"PARTITION BY {', '.join(map(quote, each.within))} " if each.within else ""
                return each.sql.format(within=within, value=one)
            case "running_share":
                tie = f", {quote(each.along)}" if each.along is not None else ""
                part = f"SUM({one}) OVER (ORDER BY {one} DESC NULLS LAST{tie} {so_far})"
                return f"100.0 * {self.real(part)} / {self.real(f'NULLIF(SUM({one}) OVER (), 0)')}"
            case "log_ratio":
                quotient = f"{self.real(one)} / {self.real(two)}"
                return f"CASE WHEN {one} > 0 AND {two} > 0 THEN LN({quotient}) END"
            case "share_of":
                return f"100.0 * {self.real(one)} / {self.real(f'NULLIF({two}, 0)')}"

    def _moving(self, each: Calculation, one: str) -> str:
        frame = f"RANGE BETWEEN {each.steps - 1} PRECEDING AND CURRENT ROW"
        function, value = ("AVG", self.real(one)) if each.kind == "moving_average" else ("SUM", one)
        along = quote(each.along or "")
        known = f"{along} - MIN({along}) {self._over(each, ordered=False)} >= {each.steps - 1}"
        return f"CASE WHEN {known} THEN {function}({value}) {self._over(each, frame=frame)} END"

    def _period_number(self, each: Calculation, one: str) -> str:
        if each.step == "day":
            parts = f"PARTITION BY {', '.join(map(quote, each.within))} " if each.within else ""
            return f"ROW_NUMBER() OVER ({parts}ORDER BY {one})"
        return self.period_number(one, each.step or "quarter")

    def period_number(self, one: str, step: Step) -> str:
        """The number of a period, so that neighbours differ by one."""
        if step in {"day", "week"}:
            # A day begins at midnight, half a day after that of Julian days.
            sqlite = (
                f"CAST(julianday({one}) + 0.5 AS INTEGER)" if step == "day" else f"CAST(julianday({one}) AS INTEGER)"
            )
            other = f"CAST(CAST({one} AS DATE) - CAST('1970-01-05' AS DATE) AS INTEGER)"
            number = sqlite if self.dialect == "sqlite" else other
            return number if step == "day" else f"{number} {'/' if self.dialect == 'sqlite' else self._whole} 7"
        year = self._part(one, "%Y", "YEAR")
        if step == "year":
            return year
        month = self._part(one, "%m", "MONTH")
        months = f"{year} * 12 + {month} - 1"
        if step == "month":
            return months
        return f"({months}) {self._whole} 3"

    def _part(self, one: str, pattern: str, name: str) -> str:
        if self.dialect == "sqlite":
            return f"CAST(strftime('{pattern}', {one}) AS INTEGER)"
        return f"CAST(EXTRACT({name} FROM CAST({one} AS TIMESTAMP)) AS INTEGER)"

    def summary(self, each: SummaryColumn) -> str:
        """One column of a summary."""
        column = quote(each.of or "")
        if each.function == "quantile":
            return self._quantile(column, each.at if each.at is not None else 0.5)
        of = {"rows": "*", "distinct": f"DISTINCT {column}"}.get(each.function, column)
        return f"{'COUNT' if each.function in {'rows', 'distinct'} else each.function.upper()}({of})"

    def _quantile(self, column: str, at: float) -> str:
        if self.dialect == "sqlite":
            # Between its two neighbours the weight of a value falls from one to nothing, which is the interpolation.
            away = f"ABS({quote(_PLACE)} - {at!r} * {quote(_LAST)})"
            return f"SUM(CASE WHEN {column} IS NOT NULL AND {away} < 1 THEN {column} * (1 - {away}) END)"
        if self.dialect == "postgres":
            return f"PERCENTILE_CONT({at!r}) WITHIN GROUP (ORDER BY {column})"
        # As a decimal the value between two neighbours would be cut to their places.
        return f"QUANTILE_CONT({self.real(column)}, {at!r})"

    def _placed(self, column: str, keys: list[str], below: str) -> str:
        """Rows that know the place of their value among the known ones, and the last place there is."""
        name = quote(column)
        parts = ", ".join([*keys, f"{name} IS NULL"])
        groups = f"PARTITION BY {', '.join(keys)}" if keys else ""
        return (
            f"(SELECT *, ROW_NUMBER() OVER (PARTITION BY {parts} ORDER BY {name}) - 1 AS {quote(_PLACE)},\n"
            f"COUNT({name}) OVER ({groups}) - 1 AS {quote(_LAST)} FROM {quote(below)}) AS placed"
        )


_WRITTEN: dict[type, Callable[[_LayerWriter, Any, str], str]] = {
    CalculationLayer: _LayerWriter.calculated,
    GroupLayer: _LayerWriter.group_query,
    Spread: _LayerWriter.spread,
    BinLayer: _LayerWriter.binned,
    PeriodLayer: _LayerWriter.kept,
    ChosenLayer: _LayerWriter.chosen,
    LineLayer: _LayerWriter.fitted,
    CorrelationLayer: correlated,
    BoundsLayer: bounded,
    OutlierLayer: outlying,
    TopLayer: picked,
    QuantileLayer: tiled,
    RunningShareLayer: reached,
    CohortLayer: cohorted,
}
"""How each kind of layer is written."""
