"""How a question for a table of two directions was read."""

from __future__ import annotations

from averment.agents.analyst.parts.nouns import Between, Dimension, Filter, Measure, conditions
from averment.records.base import Record
from averment.tables.layers import Layered, Sorting, Spread, SpreadColumn
from averment.tables.select_spec import Output, Select


class PivotReading(Record):
    """A measure with ``down`` as rows and the values of ``across`` as columns."""

    table: str
    measure: Measure
    down: tuple[Dimension, ...]
    across: Dimension
    values: tuple[str, ...]
    filters: tuple[Filter, ...] = ()
    period: Between | None = None

    def in_words(self) -> str:
        """The reading as one sentence."""
        parts = [self.measure.words, *(each.said for each in self.filters)]
        if self.period is not None:
            parts.append(self.period.said)
        down = " and ".join(each.label for each in self.down)
        return f"{', '.join(parts)}, {down} as rows and {self.across.label} as columns, in {self.table}"

    def base(self) -> Select:
        """The same numbers one below the other."""
        dimensions = (*self.down, self.across)
        return Select(
            table=self.table,
            outputs=(
                *(Output(term=each.term(self.table), alias=each.label) for each in dimensions),
                Output(term=self.measure.term(self.table), alias=self.measure.label),
            ),
            conditions=conditions(self.table, self.filters, self.period),
            groups=tuple(each.term(self.table) for each in dimensions),
        )

    def long(self) -> Layered:
        """The numbers one below the other, in order."""
        names = tuple(each.label for each in (*self.down, self.across))
        order = tuple(Sorting(alias=name) for name in names)
        return Layered(base=self.base(), shown=(*names, self.measure.label), order=order)

    def query(self) -> Layered:
        """The table of two directions."""
        keys = tuple(each.label for each in self.down)
        entries = tuple(SpreadColumn(value=value, alias=self.heading(value)) for value in self.values)
        spread = Spread(keys=keys, column=self.across.label, of=self.measure.label, entries=entries)
        shown = (*keys, *(entry.alias for entry in entries))
        return Layered(base=self.base(), layers=(spread,), shown=shown, order=tuple(Sorting(alias=k) for k in keys))

    def heading(self, value: str) -> str:
        """A value as its column is headed; told apart from the rows' own heading."""
        return value if value not in {each.label for each in self.down} else f"{self.across.label} {value}"
