"""Composing what is judged within groups: bounds and what lies beyond them, the first or last rows, groups of equal
size, the few that make up most, and members by the period they began in."""

from __future__ import annotations

from typing import Protocol

from averment.tables.compose.layer_spec import (
    BoundsLayer,
    CohortLayer,
    GroupLayer,
    OutlierLayer,
    QuantileLayer,
    RunningShareLayer,
    Step,
    SummaryColumn,
    TopLayer,
)
from averment.tables.engines.backend import quote


class GroupWriter(Protocol):
    """What writes layers in one dialect."""

    def real(self, inner: str) -> str:
        """An expression as a number with a fraction."""
        ...

    def group_query(self, layer: GroupLayer, below: str) -> str:
        """A summary of the rows below."""
        ...

    def summary(self, each: SummaryColumn) -> str:
        """One column of a summary."""
        ...

    def period_number(self, one: str, step: Step) -> str:
        """The number of a period, so that neighbours differ by one."""
        ...


def bounded(writer: GroupWriter, layer: BoundsLayer, below: str) -> str:
    """The bounds of each group."""
    keys = ", ".join(map(quote, layer.within))
    lead = f"{keys}, " if keys else ""
    if layer.method == "iqr":
        quartiles = tuple(SummaryColumn(function="quantile", alias=f"q{n}", of=layer.of, at=n / 4) for n in (1, 2, 3))
        count = SummaryColumn(function="count", alias="n", of=layer.of)
        inner = writer.group_query(GroupLayer(keys=layer.within, columns=(*quartiles, count)), below)
        first, middle, third = (writer.real(quote(f"q{n}")) for n in (1, 2, 3))
        unit = f"({third} - {first})"
        low, high = f"{first} - {layer.reach!r} * {unit}", f"{third} + {layer.reach!r} * {unit}"
    else:
        inner = _moments(layer, below, writer, lead, keys)
        unit, middle = "deviation", "mean"
        low, high = f"mean - {layer.reach!r} * deviation", f"mean + {layer.reach!r} * deviation"
    # What belongs to no group is judged in none.
    known = f"\nWHERE {' AND '.join(f'{quote(key)} IS NOT NULL' for key in layer.within)}" if keys else ""
    return (
        f"SELECT {lead}{quote('n')} AS {quote('values')}, {low} AS {quote('low')}, {high} AS {quote('high')},\n"
        f"{middle} AS {quote('centre')}, {unit} AS {quote('unit')}\nFROM (\n{inner}\n) AS judged{known}"
    )


def outlying(writer: GroupWriter, layer: OutlierLayer, below: str) -> str:
    """The rows beyond the bounds of their group."""
    bounds = layer.bounds
    value = writer.real(f"r.{quote(bounds.of)}")
    same = " AND ".join(f"r.{quote(key)} = b.{quote(key)}" for key in bounds.within)
    join = (
        f"JOIN (\n{bounded(writer, bounds, below)}\n) AS b ON {same}"
        if same
        else (f"CROSS JOIN (\n{bounded(writer, bounds, below)}\n) AS b")
    )
    # Not by NULLIF alone: an engine may divide before it looks.
    unit = f"b.{quote('unit')}"
    away = f"CASE WHEN {unit} > 0 THEN ({value} - b.{quote('centre')}) / {unit} END"
    low, high, far, distance = map(quote, layer.headed)
    return (
        f"SELECT r.*, b.{quote('low')} AS {low}, b.{quote('high')} AS {high}, {away} AS {far},\n"
        f"ABS({value} - b.{quote('centre')}) AS {distance}\nFROM {quote(below)} AS r {join}\n"
        f"WHERE {value} < b.{quote('low')} OR {value} > b.{quote('high')}"
    )


def picked(_writer: GroupWriter, layer: TopLayer, below: str) -> str:
    """The first or last rows of each group; one a group needs no sorting of all rows."""
    by, keys = quote(layer.by), [quote(key) for key in layer.within]
    known = " AND ".join(f"{name} IS NOT NULL" for name in (*keys, by))
    if layer.most == 1:
        end = f"{'MAX' if layer.descending else 'MIN'}({by}) AS {quote('end')}"
        ends = f"SELECT {', '.join([*keys, end])} FROM {quote(below)} WHERE {known}"
        ends += f" GROUP BY {', '.join(keys)}" if keys else ""
        ends += f" HAVING COUNT(*) >= {layer.among}" if layer.among > 1 else ""
        same = " AND ".join([*(f"r.{key} = e.{key}" for key in keys), f"r.{by} = e.{quote('end')}"])
        return f"SELECT r.*\nFROM {quote(below)} AS r JOIN (\n{ends}\n) AS e ON {same}"
    parts = f"PARTITION BY {', '.join(keys)} " if keys else ""
    order = f"ORDER BY {by} {'DESC' if layer.descending else 'ASC'}"
    place = f"RANK() OVER ({parts}{order}) AS {quote('row place')}"
    enough = f" AND {quote('rows there')} >= {layer.among}" if layer.among > 1 else ""
    if enough:
        place += f", COUNT(*) OVER ({parts.rstrip()}) AS {quote('rows there')}"
    ranked = f"SELECT *, {place} FROM {quote(below)} WHERE {known}"
    return f"SELECT *\nFROM (\n{ranked}\n) AS ranked\nWHERE {quote('row place')} <= {layer.most}{enough}"


def tiled(writer: GroupWriter, layer: QuantileLayer, below: str) -> str:
    """Groups of about equal size with what is in them."""
    cuts = tuple(
        SummaryColumn(function="quantile", alias=f"cut {n}", of=layer.of, at=n / layer.count)
        for n in range(1, layer.count)
    )
    edges = writer.group_query(GroupLayer(columns=cuts), below)
    value = writer.real(f"r.{quote(layer.of)}")
    above = " + ".join(f"CASE WHEN {value} > {writer.real(f'c.{quote(cut.alias)}')} THEN 1 ELSE 0 END" for cut in cuts)
    placed = (
        f"SELECT r.*, 1 + {above} AS {quote('group')}\nFROM {quote(below)} AS r CROSS JOIN (\n{edges}\n) AS c\n"
        f"WHERE r.{quote(layer.of)} IS NOT NULL"
    )
    columns = [f"MIN({quote(layer.of)}) AS {quote('from')}", f"MAX({quote(layer.of)}) AS {quote('to')}"]
    columns += [f"{writer.summary(each)} AS {quote(each.alias)}" for each in layer.columns]
    return f"SELECT {quote('group')}, {', '.join(columns)}\nFROM (\n{placed}\n) AS placed\nGROUP BY {quote('group')}"


def reached(_writer: GroupWriter, layer: RunningShareLayer, below: str) -> str:
    """The rows before the one that reaches the share, and that one."""
    before = f"{quote(layer.running)} - {quote(layer.share)}"
    # What lies within the last digits of the sums counts as reached.
    return f"SELECT *\nFROM {quote(below)}\nWHERE {before} < {layer.percent!r} - 0.000000001"


def cohorted(writer: GroupWriter, layer: CohortLayer, below: str) -> str:
    """Each member in each period it is seen in, with its beginning."""
    member, period = quote(layer.member), quote(layer.period)
    start = quote(layer.start or layer.period)
    known = " AND ".join(f"{name} IS NOT NULL" for name in dict.fromkeys((member, period, start)))
    seen = (
        f"SELECT {member}, {period}, MIN({start}) AS begun FROM {quote(below)}\nWHERE {known} "
        f"GROUP BY {member}, {period}"
    )
    begun = f"SELECT {member}, {period}, MIN(begun) OVER (PARTITION BY {member}) AS cohort FROM (\n{seen}\n) AS seen"
    now, then = (f"({writer.period_number(name, layer.step)})" for name in (period, "cohort"))
    placed = (
        f"SELECT {member}, {period}, cohort, {now} - {then} AS {quote(layer.after)},\n"
        f"CASE WHEN ROW_NUMBER() OVER (PARTITION BY {member} ORDER BY {period}) = 1 THEN 1 ELSE 0 END AS opening\n"
        f"FROM (\n{begun}\n) AS begun WHERE {period} >= cohort"
    )
    begins = f"CASE WHEN {period} = cohort THEN 1 ELSE 0 END"
    return (
        f"SELECT {member}, {period}, cohort AS {quote('cohort')}, {quote(layer.after)},\n"
        f"{begins} AS {quote('new')}, 1 - {begins} AS {quote('returning')},\n"
        f"SUM(opening) OVER (PARTITION BY cohort) AS {quote('size')}\nFROM (\n{placed}\n) AS placed"
    )


def _moments(layer: BoundsLayer, below: str, writer: GroupWriter, lead: str, keys: str) -> str:
    """Mean and deviation of each group; the mean first, so that large values lose no digits."""
    value = writer.real(f"r.{quote(layer.of)}")
    group = f" GROUP BY {keys}" if keys else ""
    means = f"SELECT {lead}AVG({writer.real(quote(layer.of))}) AS mean FROM {quote(below)}{group}"
    same = " AND ".join(f"r.{quote(key)} = m.{quote(key)}" for key in layer.within)
    join = f"JOIN ({means}) AS m ON {same}" if same else f"CROSS JOIN ({means}) AS m"
    own = "".join(f"r.{quote(key)} AS {quote(key)}, " for key in layer.within)
    again = f" GROUP BY {', '.join(f'r.{quote(key)}' for key in layer.within)}" if keys else ""
    square = f"({value} - m.mean) * ({value} - m.mean)"
    return (
        f"SELECT {own}MIN(m.mean) AS mean, COUNT(r.{quote(layer.of)}) AS {quote('n')},\n"
        f"SQRT(AVG({square})) AS deviation\nFROM {quote(below)} AS r {join}{again}"
    )
