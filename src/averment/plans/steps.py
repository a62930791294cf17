"""The steps of a query: what is computed over the rows of the step below, as text in DuckDB's dialect.

Each function gives a step; those that end in ``_of`` give the text of one new column. Names are quoted, and values are
marked, so that they travel as parameters.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import combinations
from typing import Literal

from averment.plans.expressions import bound
from averment.plans.query import Parameter, Step
from averment.plans.registry import AGGREGATES
from averment.tables.engines.backend import quote

Period = Literal["day", "week", "month", "quarter", "year"]
MOST_CORRELATED = 20
"""More columns at once make a table nobody reads."""

_SO_FAR = "ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW"


def _text(value: Parameter) -> str:
    return bound(value).sql(dialect="duckdb")


def _real(text: str) -> str:
    """A number with a fraction."""
    return f"CAST({text} AS DOUBLE)"


def _columns(columns: Mapping[str, str]) -> str:
    return ", ".join(f"{text} AS {quote(name)}" for name, text in columns.items())


def _over(within: Sequence[str] = (), along: str | None = None, frame: str = "") -> str:
    parts = [f"PARTITION BY {', '.join(map(quote, within))}"] if within else []
    parts += [f"ORDER BY {quote(along)}"] if along is not None else []
    return f"OVER ({' '.join([*parts, *([frame] if frame else [])])})"


def period_number_of(name: str, step: Period) -> str:
    """The number of a period, so that neighbours differ by one."""
    if step in {"day", "week"}:
        number = f"CAST(CAST({quote(name)} AS DATE) - CAST('1970-01-05' AS DATE) AS INTEGER)"
        return number if step == "day" else f"({number}) // 7"
    year, month = (
        f"CAST(EXTRACT({each} FROM CAST({quote(name)} AS TIMESTAMP)) AS INTEGER)" for each in ("YEAR", "MONTH")
    )
    if step == "year":
        return year
    months = f"({year} * 12 + {month} - 1)"
    return months if step == "month" else f"{months} // 3"


def place_of(name: str, within: Sequence[str]) -> str:
    """The place of a row in the order of a column: days are counted by the rows there are."""
    return f"ROW_NUMBER() {_over(within, name)}"


def earlier_of(name: str, along: str, within: Sequence[str], steps: int) -> str:
    """The value so many periods before; nothing where that period has no rows."""
    return f"MAX({quote(name)}) {_over(within, along, f'RANGE BETWEEN {steps} PRECEDING AND {steps} PRECEDING')}"


def difference_of(name: str, other: str) -> str:
    """One column less another."""
    return f"{quote(name)} - {quote(other)}"


def change_of(name: str, other: str) -> str:
    """How many percent a column is above another; nothing where that is not above zero."""
    one, two = quote(name), quote(other)
    return f"CASE WHEN {two} > 0 THEN 100.0 * {_real(f'{one} - {two}')} / {_real(two)} END"


def log_ratio_of(name: str, other: str) -> str:
    """The logarithm of a quotient; nothing where either side is not above zero."""
    one, two = quote(name), quote(other)
    return f"CASE WHEN {one} > 0 AND {two} > 0 THEN LN({_real(one)} / {_real(two)}) END"


COMPARED: Mapping[str, Callable[[str, str], str]] = {
    "difference": difference_of,
    "percent_change": change_of,
    "log_ratio": log_ratio_of,
}
"""What sets a period against an earlier one, by the name that a window's record has for it."""


def moving_of(name: str, along: str, within: Sequence[str], steps: int, *, mean: bool) -> str:
    """A mean or a sum over so many periods; it begins where a whole span of them is known."""
    function, value = ("AVG", _real(quote(name))) if mean else ("SUM", quote(name))
    known = f"{quote(along)} - MIN({quote(along)}) {_over(within)} >= {steps - 1}"
    frame = f"RANGE BETWEEN {steps - 1} PRECEDING AND CURRENT ROW"
    return f"CASE WHEN {known} THEN {function}({value}) {_over(within, along, frame)} END"


def running_of(name: str, along: str, within: Sequence[str]) -> str:
    """The sum so far."""
    return f"SUM({quote(name)}) {_over(within, along, _SO_FAR)}"


def share_of(name: str, within: Sequence[str] = ()) -> str:
    """A value in percent of the sum of all."""
    return f"100.0 * {_real(quote(name))} / {_real(f'NULLIF(SUM({quote(name)}) {_over(within)}, 0)')}"


def percent_of(name: str, other: str) -> str:
    """One column in percent of another."""
    return f"100.0 * {_real(quote(name))} / {_real(f'NULLIF({quote(other)}, 0)')}"


def running_share_of(name: str) -> str:
    """The greatest values so far in percent of the sum of all."""
    value = quote(name)
    part = f"SUM({value}) OVER (ORDER BY {value} DESC NULLS LAST {_SO_FAR})"
    return f"100.0 * {_real(part)} / {_real(f'NULLIF(SUM({value}) OVER (), 0)')}"


def written_of(sql: str, name: str, within: Sequence[str]) -> str:
    """What a window's record writes of a column."""
    parts = f"PARTITION BY {', '.join(map(quote, within))} " if within else ""
    return sql.format(within=parts, value=quote(name))


def quantile_of(name: str, at: float) -> str:
    """The value at a place between the least (0) and the greatest (1), interpolated between neighbours."""
    # As a decimal the value between two neighbours would be cut to their places.
    return f"QUANTILE_CONT({_real(quote(name))}, {at!r})"


def summary_of(function: str, name: str | None, at: float | None = None) -> str:
    """An aggregate of a column over the rows below."""
    record = AGGREGATES[function]
    if function == "rows" or name is None:
        return "COUNT(*)"
    if function == "distinct":
        return f"COUNT(DISTINCT {quote(name)})"
    if record.placed or function == "median":
        return quantile_of(name, at if at is not None else 0.5)
    return f"{record.sql}({quote(name)})"


def adding(columns: Mapping[str, str]) -> Step:
    """Every row, with new columns."""
    return lambda below: f"SELECT *, {_columns(columns)}\nFROM {below}"


def grouping(keys: Sequence[str], columns: Mapping[str, str]) -> Step:
    """One row for each combination of the keys; without keys one row in all."""
    names = ", ".join(map(quote, keys))
    lead, group = (f"{names}, ", f"\nGROUP BY {names}") if keys else ("", "")
    return lambda below: f"SELECT {lead}{_columns(columns)}\nFROM {below}{group}"


def spreading(keys: Sequence[str], column: str, of: str, entries: Mapping[str, str]) -> Step:
    """The values of a column side by side: one row for the keys, one column for each heading and its value."""
    columns = {
        heading: f"MAX(CASE WHEN CAST({quote(column)} AS TEXT) = {_text(value)} THEN {quote(of)} END)"
        for heading, value in entries.items()
    }
    return grouping(keys, columns)


def choosing(column: str, values: Sequence[Parameter]) -> Step:
    """The rows whose column holds one of some values."""
    return lambda below: f"SELECT *\nFROM {below}\nWHERE {quote(column)} IN ({', '.join(map(_text, values))})"


def between_days(column: str, first: str, after: str) -> Step:
    """The rows whose period begins on a day or later, and before another one."""
    start, end = (f"CAST({_text(day)} AS DATE)" for day in (first, after))
    return lambda below: f"SELECT *\nFROM {below}\nWHERE {quote(column)} >= {start} AND {quote(column)} < {end}"


def binning(of: str, count: int) -> Step:
    """Bins of equal width from the least to the greatest value, empty ones too.

    A bin holds its lower end and not its upper one; the last holds both. Missing values are in none.
    """
    value = _real(quote(of))
    place = f"CAST(FLOOR(({value} - e.low) * {count} / (e.high - e.low)) AS INTEGER)"
    inner = f"CASE WHEN e.high = e.low THEN 0 WHEN {value} = e.high THEN {count - 1} ELSE {place} END"
    bins = " UNION ALL ".join(f"SELECT {number} AS bin" for number in range(count))
    width = f"(e.high - e.low) / {count}"
    upper = f"CASE WHEN b.bin = {count - 1} THEN e.high ELSE e.low + (b.bin + 1) * {width} END"

    def write(below: str) -> str:
        ends = f"(SELECT MIN({value}) AS low, MAX({value}) AS high FROM {below}) AS e"
        counts = (
            f"(SELECT bin, COUNT(*) AS n FROM (SELECT {inner} AS bin FROM {below} CROSS JOIN {ends}\n"
            f"WHERE {quote(of)} IS NOT NULL) AS placed GROUP BY bin) AS c"
        )
        return (
            f"SELECT b.bin + 1 AS bin, e.low + b.bin * {width} AS {quote('from')},\n"
            f"{upper} AS {quote('to')}, COALESCE(c.n, 0) AS {quote('rows')}\n"
            f"FROM ({bins}) AS b CROSS JOIN {ends} LEFT JOIN {counts} ON c.bin = b.bin\nWHERE e.low IS NOT NULL"
        )

    return write


def fitting(of: str, along: str) -> Step:
    """One row: the straight line of least squares, from three points on."""
    x, y = _real(quote(along)), _real(quote(of))
    # Deviations from the means, not sums of squares: month numbers are large and would eat the digits.
    means = f"SELECT {x} - AVG({x}) OVER () AS x, {y} - AVG({y}) OVER () AS y"
    slope = "CASE WHEN COUNT(*) > 2 THEN SUM(x * y) / NULLIF(SUM(x * x), 0) END"
    square = "CASE WHEN COUNT(*) > 2 THEN SUM(x * y) * SUM(x * y) / NULLIF(SUM(x * x) * SUM(y * y), 0) END"
    known = f"{quote(of)} IS NOT NULL AND {quote(along)} IS NOT NULL"
    return lambda below: (
        f"SELECT COUNT(*) AS points, {slope} AS slope, {square} AS r_squared\n"
        f"FROM ({means} FROM {below}\nWHERE {known}) AS away"
    )


def correlating(columns: Sequence[str], against: str | None, method: str) -> Step:
    """One row for each pair: ``first``, ``second``, ``correlation``, ``strength`` (without its sign) and ``rows``.

    Deviations from the means are multiplied and added up, over the rows that have both values: no engine needs a
    function for it, and large values lose no digits. Spearman's is Pearson's over ranks, equal values sharing the mean
    of theirs.
    """
    pairs = (
        list(combinations(columns, 2)) if against is None else [(against, name) for name in columns if name != against]
    )
    # The last digit may carry a coefficient past one.
    kept = f"CASE WHEN r > {_real('1')} THEN {_real('1')} WHEN r < {_real('-1')} THEN {_real('-1')} ELSE r END"

    def write(below: str) -> str:
        lead, sources = "", [_ranked(quote(x), quote(y), below) for x, y in pairs]
        if method == "pearson":
            lead, sources = _pearson(pairs, below)
        named = [{"first": f"CAST({_text(x)} AS TEXT)", "second": f"CAST({_text(y)} AS TEXT)"} for x, y in pairs]
        united = "\nUNION ALL\n".join(
            f"SELECT {_columns(names)},\n{source}" for names, source in zip(named, sources, strict=True)
        )
        return (
            f"{lead}SELECT {quote('first')}, {quote('second')}, {kept} AS correlation,\n"
            f"ABS({kept}) AS strength, n AS {quote('rows')}\nFROM (\n{united}\n) AS pairs"
        )

    return write


def _pearson(pairs: Sequence[tuple[str, str]], below: str) -> tuple[str, list[str]]:
    """All pairs in two passes over the rows: the means of each pair, then the sums of products."""
    means: list[str] = []
    sums: list[str] = []
    for place, (left, right) in enumerate(pairs):
        x, y = _real(quote(left)), _real(quote(right))
        both = f"{quote(left)} IS NOT NULL AND {quote(right)} IS NOT NULL"
        means += [f"AVG(CASE WHEN {both} THEN {each} END) AS m{name}{place}" for name, each in (("x", x), ("y", y))]
        # Where either value is missing its deviation is, and so is the product.
        dx, dy = f"({x} - m.mx{place})", f"({y} - m.my{place})"
        sums += [
            f"SUM({dx} * {dy}) AS xy{place}",
            f"SUM(CASE WHEN {both} THEN {dx} * {dx} END) AS xx{place}",
            f"SUM(CASE WHEN {both} THEN {dy} * {dy} END) AS yy{place}",
            f"COUNT(CASE WHEN {both} THEN 1 END) AS n{place}",
        ]
    lead = (
        f"WITH summed AS (\nSELECT {', '.join(sums)}\nFROM {below} CROSS JOIN (\n"
        f"SELECT {', '.join(means)} FROM {below}\n) AS m\n)\n"
    )
    return lead, [
        f"xy{place} / NULLIF(SQRT(xx{place}) * SQRT(yy{place}), {_real('0')}) AS r, n{place} AS n FROM summed"
        for place in range(len(pairs))
    ]


def _ranked(left: str, right: str, below: str) -> str:
    """One pair over ranks, which depend on the rows that have both values."""
    both = f"SELECT {left} AS x, {right} AS y FROM {below} WHERE {left} IS NOT NULL AND {right} IS NOT NULL"
    ranks = ", ".join(
        f"RANK() OVER (ORDER BY {name}) + {_real(f'COUNT(*) OVER (PARTITION BY {name}) - 1')} / 2 AS {name}"
        for name in ("x", "y")
    )
    away = "SELECT x - AVG(x) OVER () AS x, y - AVG(y) OVER () AS y"
    away += f" FROM (SELECT {ranks} FROM ({both}) AS known) AS ranked"
    return f"SUM(x * y) / NULLIF(SQRT(SUM(x * x)) * SQRT(SUM(y * y)), 0) AS r, COUNT(*) AS n\nFROM ({away}) AS away"


def outlying(of: str, method: str, reach: float, within: Sequence[str]) -> Step:
    """The rows whose value lies beyond the bounds of their group, with ``low``, ``high``, ``away`` and ``distance``.

    By ``iqr`` the bounds lie so many interquartile ranges outside the quartiles; by ``z`` so many standard deviations
    (of the population) from the mean. A row without its group is left out.
    """
    value = _real(f"r.{quote(of)}")
    same = " AND ".join(f"r.{quote(key)} = b.{quote(key)}" for key in within)
    # Not by NULLIF alone: an engine may divide before it looks.
    away = f"CASE WHEN b.unit > 0 THEN ({value} - b.centre) / b.unit END"

    def write(below: str) -> str:
        bounds = f"(\n{_bounds(of, method, reach, within, below)}\n) AS b"
        join = f"JOIN {bounds} ON {same}" if same else f"CROSS JOIN {bounds}"
        return (
            f"SELECT r.*, b.low AS low, b.high AS high, {away} AS away,\nABS({value} - b.centre) AS distance\n"
            f"FROM {below} AS r {join}\nWHERE {value} < b.low OR {value} > b.high"
        )

    return write


def _bounds(of: str, method: str, reach: float, within: Sequence[str], below: str) -> str:
    """Between which bounds the values of each group are usual."""
    keys = ", ".join(map(quote, within))
    lead = f"{keys}, " if keys else ""
    if method == "iqr":
        quartiles = {f"q{place}": quantile_of(of, place / 4) for place in (1, 2, 3)}
        inner, unit, centre, low, high = grouping(within, quartiles)(below), "(q3 - q1)", "q2", "q1", "q3"
    else:
        unit, centre, low, high = "deviation", "mean", "mean", "mean"
        # The mean first, so that large values lose no digits.
        value = _real(f"r.{quote(of)}")
        means = grouping(within, {"mean": f"AVG({_real(quote(of))})"})(below)
        same = " AND ".join(f"r.{quote(key)} = m.{quote(key)}" for key in within)
        join = f"JOIN ({means}) AS m ON {same}" if same else f"CROSS JOIN ({means}) AS m"
        group = f" GROUP BY {', '.join(f'r.{quote(key)}' for key in within)}" if within else ""
        inner = (
            f"SELECT {''.join(f'r.{quote(key)} AS {quote(key)}, ' for key in within)}MIN(m.mean) AS mean,\n"
            f"SQRT(AVG(({value} - m.mean) * ({value} - m.mean))) AS deviation\nFROM {below} AS r {join}{group}"
        )
    # What belongs to no group is judged in none.
    known = f"\nWHERE {' AND '.join(f'{quote(key)} IS NOT NULL' for key in within)}" if within else ""
    return (
        f"SELECT {lead}{low} - {reach!r} * {unit} AS low, {high} + {reach!r} * {unit} AS high,\n"
        f"{centre} AS centre, {unit} AS unit\nFROM (\n{inner}\n) AS judged{known}"
    )


def picking(by: str, within: Sequence[str], *, descending: bool, most: int = 1, among: int = 1) -> Step:
    """Within each group the rows with the greatest values (the least where not ``descending``).

    Rows that share the last place are all kept. Rows without a group or a value are left out, and so is a group of
    fewer than ``among`` rows: of one row none is the second.
    """
    value, keys = quote(by), [quote(key) for key in within]
    known = " AND ".join(f"{name} IS NOT NULL" for name in (*keys, value))

    def write(below: str) -> str:
        if most == 1:  # One a group needs no sorting of all rows.
            end = f"{'MAX' if descending else 'MIN'}({value}) AS last_one"
            ends = f"SELECT {', '.join([*keys, end])} FROM {below} WHERE {known}"
            ends += f" GROUP BY {', '.join(keys)}" if keys else ""
            ends += f" HAVING COUNT(*) >= {among}" if among > 1 else ""
            same = " AND ".join([*(f"r.{key} = e.{key}" for key in keys), f"r.{value} = e.last_one"])
            return f"SELECT r.*\nFROM {below} AS r JOIN (\n{ends}\n) AS e ON {same}"
        parts = f"PARTITION BY {', '.join(keys)} " if keys else ""
        place = f"RANK() OVER ({parts}ORDER BY {value} {'DESC' if descending else 'ASC'}) AS {quote('row place')}"
        enough = f" AND {quote('rows there')} >= {among}" if among > 1 else ""
        place += f", COUNT(*) OVER ({parts.rstrip()}) AS {quote('rows there')}" if enough else ""
        ranked = f"SELECT *, {place} FROM {below} WHERE {known}"
        return f"SELECT *\nFROM (\n{ranked}\n) AS ranked\nWHERE {quote('row place')} <= {most}{enough}"

    return write


def tiling(of: str, count: int, columns: Mapping[str, str]) -> Step:
    """Groups of about equal size, cut at the quantiles: ``group`` from one on, ``from``, ``to``, and the summaries.

    A value that equals a cut belongs to the lower group, so that equal values stay together.
    """
    cuts = {f"cut {place}": quantile_of(of, place / count) for place in range(1, count)}
    above = " + ".join(f"CASE WHEN {_real(f'r.{quote(of)}')} > c.{quote(cut)} THEN 1 ELSE 0 END" for cut in cuts)
    all_columns = {"from": f"MIN({quote(of)})", "to": f"MAX({quote(of)})", **columns}

    def write(below: str) -> str:
        placed = (
            f"SELECT r.*, 1 + {above} AS {quote('group')}\nFROM {below} AS r CROSS JOIN (\n"
            f"{grouping((), cuts)(below)}\n) AS c\nWHERE r.{quote(of)} IS NOT NULL"
        )
        return grouping(("group",), all_columns)(f"(\n{placed}\n) AS placed")

    return write


def reaching(share: str, running: str, percent: float) -> Step:
    """The rows, the greatest first, until their running share first comes to so many percent."""
    # What lies within the last digits of the sums counts as reached.
    before = f"{quote(running)} - {quote(share)} < {percent!r} - 0.000000001"
    return lambda below: f"SELECT *\nFROM {below}\nWHERE {before}"


def cohorts(member: str, period: str, start: str | None, step: Period, after: str) -> Step:
    """Each member in each period it is seen in, with its beginning: ``start``, or the first period.

    Added are ``cohort``, how many periods later this is (under the heading ``after``), ``size`` of the cohort, and
    ``new`` or ``returning``. Periods before the beginning are left out.
    """
    who, when, began = quote(member), quote(period), quote(start or period)
    known = " AND ".join(f"{name} IS NOT NULL" for name in dict.fromkeys((who, when, began)))
    now, then = (period_number_of(name, step) for name in (period, "cohort"))
    begins = f"CASE WHEN {when} = cohort THEN 1 ELSE 0 END"
    added = {"new": begins, "returning": f"1 - {begins}", "size": "SUM(opening) OVER (PARTITION BY cohort)"}

    def write(below: str) -> str:
        seen = f"SELECT {who}, {when}, MIN({began}) AS begun FROM {below}\nWHERE {known} GROUP BY {who}, {when}"
        begun = f"SELECT {who}, {when}, MIN(begun) OVER (PARTITION BY {who}) AS cohort FROM (\n{seen}\n) AS seen"
        placed = (
            f"SELECT {who}, {when}, cohort, ({now}) - ({then}) AS {quote(after)},\n"
            f"CASE WHEN ROW_NUMBER() OVER (PARTITION BY {who} ORDER BY {when}) = 1 THEN 1 ELSE 0 END AS opening\n"
            f"FROM (\n{begun}\n) AS begun WHERE {when} >= cohort"
        )
        return f"SELECT {who}, {when}, cohort, {quote(after)}, {_columns(added)}\nFROM (\n{placed}\n) AS placed"

    return write


def overview(table: str, columns: Mapping[str, bool]) -> str:
    """What each column of a table holds; ``columns`` are names with whether they hold numbers."""
    return "\nUNION ALL\n".join(
        f"SELECT {place} AS place, {_text(name)} AS {quote('column')}, COUNT(*) AS {quote('rows')}, "
        f"COUNT(*) - COUNT({quote(name)}) AS missing, COUNT(DISTINCT {quote(name)}) AS different, "
        f"CAST(MIN({quote(name)}) AS TEXT) AS minimum, CAST(MAX({quote(name)}) AS TEXT) AS maximum, "
        f"{f'AVG({_real(quote(name))})' if numeric else _real('NULL')} AS mean FROM {quote(table)}"
        for place, (name, numeric) in enumerate(columns.items(), start=1)
    )
