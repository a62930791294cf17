"""How a question about groups of equal size was read."""

from __future__ import annotations

from averment.agents.analyst.parts.nouns import Aggregate, Between, Dimension, Filter, Measure, conditions
from averment.records.base import Record
from averment.tables.layers import Calculated, Calculation, Layer, Layered, Sorting, Summarised, Summary, Tiled
from averment.tables.select_spec import Output, Select, column

GROUP, FROM, TO, ROWS, SHARE = "group", "from", "to", "rows", "share %"
VALUE, AMOUNT = "value", "amount"
NAMES = {3: "terciles", 4: "quartiles", 5: "quintiles", 10: "deciles", 100: "percentiles"}
_FUNCTIONS: dict[Aggregate, Summary] = {
    "sum": "sum",
    "avg": "avg",
    "min": "min",
    "max": "max",
    "median": "quantile",
    "count": "rows",
    "count_distinct": "distinct",
}


class TilesReading(Record):
    """Rows cut into ``count`` groups of about equal size by a column, or values of ``entity`` by their ``of``.

    ``measure`` is what is computed in each group of rows. Values of an entity are told with what they make together.
    """

    table: str
    column: str | None = None
    count: int
    entity: str | None = None
    of: Measure | None = None
    measure: Measure | None = None
    filters: tuple[Filter, ...] = ()
    period: Between | None = None

    @property
    def what(self) -> str:
        """What is cut, in words."""
        return self.of.words if self.of is not None else str(self.column)

    @property
    def counted(self) -> str:
        """The heading of how many each group holds."""
        return ROWS if self.entity is None else f"count of {self.entity}"

    @property
    def added(self) -> tuple[str, ...]:
        """The headings of what is computed beside the count."""
        if self.of is not None:
            return (self.of.label, SHARE) if self.of.adds_up else ()
        return () if self.measure is None else (self.measure.label,)

    def in_words(self) -> str:
        """The reading as one sentence."""
        name = NAMES.get(self.count, f"{self.count} groups")
        if self.of is not None:
            what = f"{self.entity} in {name} of equal size by {self.of.words}"
        else:
            computed = f"{self.measure.words} and " if self.measure is not None else ""
            what = f"{computed}number of rows by {self.column} in {name} of equal size"
        parts = [what, *(each.said for each in self.filters)]
        if self.period is not None:
            parts.append(self.period.said)
        return f"{', '.join(parts)}, in {self.table}"

    def query(self) -> Layered:
        """The groups from the lowest to the highest."""
        columns = [Summarised(function="rows", alias=self.counted)]
        layers: list[Layer] = []
        if self.of is not None and self.of.adds_up:
            columns.append(Summarised(function="sum", alias=self.of.label, of=VALUE))
            layers.append(Calculated(columns=(Calculation(kind="share", alias=SHARE, of=(self.of.label,)),)))
        elif self.measure is not None:
            function = _FUNCTIONS[self.measure.aggregate]
            half = 0.5 if function == "quantile" else None
            columns.append(Summarised(function=function, alias=self.measure.label, of=AMOUNT, at=half))
        return Layered(
            base=self._base(),
            layers=(Tiled(of=VALUE, count=self.count, columns=tuple(columns)), *layers),
            shown=(GROUP, FROM, TO, self.counted, *self.added),
            order=(Sorting(alias=GROUP),),
        )

    def _base(self) -> Select:
        tests = conditions(self.table, self.filters, self.period)
        if self.of is not None:
            entity = Dimension(column=self.entity or "")
            outputs = (
                Output(term=entity.term(self.table), alias="entity"),
                Output(term=self.of.term(self.table), alias=VALUE),
            )
            return Select(table=self.table, outputs=outputs, conditions=tests, groups=(entity.term(self.table),))
        outputs = (Output(term=column(self.table, self.column or ""), alias=VALUE),)
        if self.measure is not None and self.measure.column is not None:
            outputs = (*outputs, Output(term=column(self.table, self.measure.column), alias=AMOUNT))
        return Select(table=self.table, outputs=outputs, conditions=tests)
