"""How a question about several sides was read: each side by itself, in their own order."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from averment.agents.analyst.parts.nouns import Between, Dimension, Either, Filter, Measure, conditions
from averment.records.base import Record
from averment.tables.backend import quote
from averment.tables.select_spec import Output, Select, Term

if TYPE_CHECKING:
    from averment.tables.catalog import Dialect

PLACE = "place"
Kind = Literal["periods", "groups", "ranges"]


class Side(Record):
    """One side: the rows of a period, of a value, or of a range; ``words`` is what it is called."""

    words: str
    period: Between | None = None
    tests: tuple[Filter, ...] = ()


class SeveralReading(Record):
    """A measure for each of several sides, perhaps by a column.

    Periods come in the order of time, each with its change against the one before; groups as they were named, each with
    its difference from the first; ranges from the lowest on.
    """

    kind: Kind
    table: str
    measure: Measure
    axis: str
    sides: tuple[Side, ...]
    split: Dimension | None = None
    filters: tuple[Filter | Either, ...] = ()
    period: Between | None = None

    @property
    def apart(self) -> str | None:
        """The heading of how far a side is from the one it is set against; None where none is."""
        match self.kind:
            case "periods":
                return "change"
            case "groups":
                return f"difference from {self.sides[0].words}"
            case "ranges":
                return None

    @property
    def percent(self) -> str:
        """The heading of how far a side is from the other in percent."""
        return f"{self.apart} %"

    def in_words(self) -> str:
        """The reading as one sentence."""
        parts = [f"{self.measure.words} by {self.axis}"]
        if self.measure.method is not None:
            parts[0] += f" ({self.measure.method})"
        if self.kind == "periods":
            parts += [f"{each.words} = {each.period.said}" for each in self.sides if each.period is not None]
        else:
            parts.append("; ".join(each.words for each in self.sides))
        parts += [each.said for each in self.filters]
        if self.period is not None:
            parts.append(self.period.said)
        if self.split is not None:
            parts.append(f"by {self.split.label}")
        return f"{', '.join(parts)}, in {self.table}"

    @property
    def shown(self) -> tuple[str, ...]:
        """The headings of the result."""
        split = () if self.split is None else (self.split.label,)
        apart = () if self.apart is None else (self.apart, self.percent)
        return (*split, self.axis, self.measure.label, *apart)

    def compose(self, dialect: Dialect) -> tuple[str, tuple[object, ...]]:
        """The query as text with the values of its placeholders."""
        from averment.tables.compose_select import compose_select

        made = [compose_select(self._side(place, side), dialect) for place, side in enumerate(self.sides)]
        united = "\nUNION ALL\n".join(each.sql for each in made)
        value, within = quote(self.measure.label), quote(self.split.label) if self.split is not None else None
        window = f"({f'PARTITION BY {within} ' if within else ''}ORDER BY {quote(PLACE)})"
        other = f"LAG({value})" if self.kind == "periods" else f"FIRST_VALUE({value})"
        columns = [each for each in (within, quote(self.axis), value) if each is not None]
        if self.apart is not None:
            against = f"{other} OVER {window}"
            real = "REAL" if dialect == "sqlite" else "DOUBLE PRECISION"
            percent = f"CASE WHEN {against} > 0 THEN 100 * CAST({value} - {against} AS {real}) / {against} END"
            columns += [f"{value} - {against} AS {quote(self.apart)}", f"{percent} AS {quote(self.percent)}"]
        order = ", ".join(filter(None, (within, quote(PLACE))))
        query = f"WITH sides AS (\n{united}\n)\nSELECT {', '.join(columns)}\nFROM sides\nORDER BY {order}"
        return query, tuple(param for each in made for param in each.params)

    def _side(self, place: int, side: Side) -> Select:
        group = () if self.split is None else (self.split,)
        return Select(
            table=self.table,
            outputs=(
                Output(term=Term(kind="constant", value=place), alias=PLACE),
                Output(term=Term(kind="constant", value=side.words), alias=self.axis),
                *(Output(term=each.term(self.table), alias=each.label) for each in group),
                Output(term=self.measure.term(self.table), alias=self.measure.label),
            ),
            conditions=conditions(self.table, (*side.tests, *self.filters), side.period, self.period),
            groups=tuple(each.term(self.table) for each in group),
        )
