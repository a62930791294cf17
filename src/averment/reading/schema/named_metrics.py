"""Figures with names of their own (AOV, conversion rate, active users), as meanings over the tables there are.

What they are called and made of is data (``lexicon/metrics.toml``); a name that the tables do not allow, or that two
columns could be meant by, has no meaning.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from averment.plans.meaning import Meaning
from averment.plans.plan import Measure, Test
from averment.reading.schema.usual_figures import truth
from averment.reading.words import lexicon, name_words, singular, word_list

if TYPE_CHECKING:
    from averment.reading.schema.schema_column import Column
    from averment.reading.schema.schema_view import Schema

NEAR = 5
"""Two columns whose names stand this near in a list of names are as likely the one as the other."""


def named_metrics(schema: Schema) -> tuple[Meaning, ...]:
    """Every named figure that the tables allow, the longest names first."""
    found: list[Meaning] = []
    for metric, names in lexicon("metrics")["names"].items():
        ways = (_way(way, schema) for way in lexicon("metrics")["ways"][metric])
        measure = next((each for each in ways if each is not None), None)
        if measure is not None:
            found += [_meaning(name, measure, schema) for name in names]
    return tuple(sorted(found, key=lambda each: (-len(each.word.split()), each.word)))


def _meaning(name: str, measure: Measure, schema: Schema) -> Meaning:
    own = next((c for c in schema.columns if c.expression is None and c.value == measure.of), None)
    if measure.function == "sum" and measure.over is None and own is not None and _adds_up(own):
        return Meaning(word=name, kind="column", value=measure.of)  # so that its average can be asked for as well
    return Meaning(word=name, kind="formula", measure=measure)


def _way(way: str, schema: Schema) -> Measure | None:
    above, _, below = way.partition(" / ")
    measure = _figure(above, schema)
    if not below or measure is None:
        return measure
    other = _figure(below, schema)
    return measure.model_copy(update={"over": other}) if other is not None else None


def _figure(way: str, schema: Schema) -> Measure | None:
    kind, *names = way.split()
    match kind:
        case "rows":
            tables = [t for t in schema.tables.values() if {singular(w) for w in name_words(t.name)} & set(names)]
            return Measure(function="rows", table=tables[0].name) if len(tables) == 1 else None
        case "rate":
            flags = _best(names, (c for c in schema.columns if c.has("flag")))
            return Measure(function="rate", where=(truth(flags, True),)) if flags is not None else None
        case "distinct":
            # In the tables with the most rows first: an event's user is active, one that is only listed is not.
            tables = sorted(schema.tables.values(), key=lambda table: -table.rows)
            keys = (_best(names, (c for c in table.columns if c.has("key"))) for table in tables)
            key = next((each for each in keys if each is not None), None)
            return Measure(function="distinct", of=key.value) if key is not None else None
        case _:
            numbers = [c for c in schema.columns if c.has("measure") and c.expression is None]
            # What the tables make of a price and a quantity comes first, then what is added up, then a bare price.
            made = next((c for c in schema.columns if c.expression is not None and c.name in names), None)
            number = made or _best(names, (c for c in numbers if _adds_up(c))) or _best(names, numbers)
            if number is None:
                return None
            total = Measure(function="sum", of=number.value)
            if kind == "sum":
                return total
            there = Test(value=number.value, operator="!=", to=(0,))
            return total.model_copy(update={"over": Measure(function="rows", where=(there,))})


def _adds_up(column: Column) -> bool:
    """Whether the sum of a column is a figure; a unit's price is named like one and is none."""
    return column.additive and not set(column.words) & word_list("not_additive")


def _best(names: Sequence[str], columns: Iterable[Column]) -> Column | None:
    """The column whose name stands first in the list, where no other comes near it."""
    ranked: list[tuple[int, Column]] = []
    for column in columns:
        words = {singular(word) for word in column.words} | set(column.words)
        places = [place for place, name in enumerate(names) if name in words]
        if places:
            ranked.append((min(places), column))
    ranked.sort(key=lambda each: each[0])
    if not ranked or (len(ranked) > 1 and ranked[1][0] - ranked[0][0] < NEAR):
        return None
    return ranked[0][1]
