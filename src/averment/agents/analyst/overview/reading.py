"""How an open request was read: a profile of the table, or what stands out in it."""

from __future__ import annotations

from typing import Literal

from averment.agents.analyst.parts.nouns import Dimension, Measure
from averment.agents.analyst.series.reading import SeriesReading
from averment.agents.analyst.share.reading import ShareReading
from averment.records.base import Record
from averment.tables.layers import Fenced, Fitted, Layered
from averment.tables.select_spec import Output, Select, column


class ColumnAsked(Record):
    """A column of the overview, and whether it holds numbers."""

    name: str
    numeric: bool


class OverviewReading(Record):
    """An overview of one table; ``measure`` is what trends and shares are of."""

    kind: Literal["profile", "notable"]
    table: str
    columns: tuple[ColumnAsked, ...]
    measure: Measure
    time: Dimension | None = None
    dimensions: tuple[str, ...] = ()
    numbers: tuple[str, ...] = ()

    def in_words(self) -> str:
        """The reading as one sentence."""
        if self.kind == "profile":
            return f"profile of every column, in {self.table}"
        asked = [f"trend of {self.measure.words}"] if self.time is not None else []
        asked += [f"share of {self.measure.words} by {name}" for name in self.dimensions]
        asked += [f"outliers of {name}" for name in self.numbers]
        asked += [f"relation of {one} and {two}" for one, two in self.pairs]
        return f"what stands out: {', '.join([*asked, 'missing values, duplicates'])}, in {self.table}"

    @property
    def pairs(self) -> tuple[tuple[str, str], ...]:
        """Every two of the numbers."""
        return tuple((one, two) for place, one in enumerate(self.numbers) for two in self.numbers[place + 1 :])

    @property
    def series(self) -> SeriesReading | None:
        """The measure through time."""
        if self.time is None:
            return None
        return SeriesReading(operation="trend", table=self.table, measure=self.measure, time=self.time)

    def share(self, name: str) -> ShareReading:
        """The measure by one column."""
        return ShareReading(table=self.table, measure=self.measure, splits=(Dimension(column=name),))

    def outliers(self, name: str) -> Layered:
        """How many values of a column lie beyond its fences."""
        return Layered(base=self._rows(name), layers=(Fenced(of=name),), shown=("values", "outside", "low", "high"))

    def relation(self, one: str, two: str) -> Layered:
        """How far a straight line from one number tells the other."""
        layer = Fitted(of=two, along=one)
        return Layered(base=self._rows(one, two), layers=(layer,), shown=("points", "slope", "r_squared"))

    def _rows(self, *names: str) -> Select:
        outputs = tuple(Output(term=column(self.table, name), alias=name) for name in names)
        return Select(table=self.table, outputs=outputs)
