"""How a question about a derived column was read."""

from __future__ import annotations

from typing import Literal

from averment.agents.analyst.parts.nouns import Between, Dimension, Filter, Measure, conditions
from averment.records.base import Record
from averment.tables.layers import Calculated, Calculation, Gathered, Layer, Layered, Sorting, Summarised
from averment.tables.select_spec import Order, Output, Select, Term, aggregate, column

Kind = Literal["ratio", "length", "extract", "part"]
DatePart = Literal["hour", "day_of_month", "month_of_year", "weekday", "quarter_of_year"]
PART_WORDS: dict[DatePart, str] = {
    "hour": "hour",
    "day_of_month": "day of the month",
    "month_of_year": "month of the year",
    "weekday": "weekday",
    "quarter_of_year": "quarter of the year",
}
_NAMES: dict[DatePart, Literal["month_name", "weekday_name"]] = {
    "month_of_year": "month_name",
    "weekday": "weekday_name",
}
_NUMBER = "part number"


class DerivedReading(Record):
    """A ratio of two columns, the length of a text, a piece of a text, or a part of a date.

    ``column`` is what is derived from, ``other`` what a ratio divides by; ``percent`` shows a ratio times a hundred.
    """

    kind: Kind
    table: str
    column: str
    measure: Measure
    other: str | None = None
    percent: bool = False
    part: DatePart | None = None
    pattern: str | None = None
    piece: str | None = None
    splits: tuple[Dimension, ...] = ()
    filters: tuple[Filter, ...] = ()
    period: Between | None = None

    @property
    def derived(self) -> str:
        """The heading of the derived column."""
        match self.kind:
            case "ratio":
                return f"{self.column} in % of {self.other}" if self.percent else f"{self.column} per {self.other}"
            case "length":
                return f"length of {self.column}"
            case "extract":
                return f"{self.piece} of {self.column}"
            case "part":
                return f"{PART_WORDS[self.part or 'hour']} of {self.column}"

    @property
    def totals(self) -> tuple[str, str]:
        """The headings of what a ratio is made of."""
        return f"total {self.column}", f"total {self.other}"

    def in_words(self) -> str:
        """The reading as one sentence."""
        match self.kind:
            case "ratio":
                what = f"{self.derived} (total {self.column} divided by total {self.other})"
            case "length":
                what = f"average, minimum and maximum {self.derived} in characters"
            case "extract" | "part":
                what = f"{self.measure.words} by {self.derived}"
        parts = [what, *(each.said for each in self.filters)]
        if self.period is not None:
            parts.append(self.period.said)
        if self.splits:
            word = "and" if self.kind in {"extract", "part"} else "by"
            parts.append(f"{word} {' and '.join(each.label for each in self.splits)}")
        return f"{', '.join(parts)}, in {self.table}"

    def query(self) -> Layered:
        """The query that derives the column and computes from it."""
        match self.kind:
            case "ratio":
                return self._ratio()
            case "length":
                return self._length()
            case "extract" | "part":
                return self._parted()

    def _split_outputs(self) -> tuple[Output, ...]:
        return tuple(Output(term=each.term(self.table), alias=each.label) for each in self.splits)

    def _ratio(self) -> Layered:
        one, two = self.totals
        keys = tuple(each.label for each in self.splits)
        sums = tuple(
            Output(term=aggregate("sum", column(self.table, name)), alias=alias)
            for name, alias in ((self.column, one), (self.other or "", two))
        )
        base = Select(
            table=self.table,
            outputs=(*self._split_outputs(), *sums),
            conditions=conditions(self.table, self.filters, self.period),
            groups=tuple(each.term(self.table) for each in self.splits),
        )
        kind: Literal["share_of", "ratio"] = "share_of" if self.percent else "ratio"
        ratio = Calculated(columns=(Calculation(kind=kind, alias=self.derived, of=(one, two)),))
        timed = any(each.grain is not None for each in self.splits)
        order = () if timed else (Sorting(alias=self.derived, descending=True),)
        order = (*order, *(Sorting(alias=key) for key in keys)) if keys else ()
        return Layered(base=base, layers=(ratio,), shown=(*keys, one, two, self.derived), order=order)

    def _rows(self, *names: str) -> Select:
        outputs = [*self._split_outputs(), *(Output(term=column(self.table, name), alias=name) for name in names)]
        if self.part in _NAMES:
            inner = column(self.table, self.column)
            named = Term(kind="part", part=_NAMES[self.part], arguments=(inner,))
            outputs.append(Output(term=named, alias=self.derived))
        return Select(
            table=self.table,
            outputs=tuple(outputs),
            conditions=conditions(self.table, self.filters, self.period),
            order=(Order(term=column(self.table, names[0])),),
        )

    def _length(self) -> Layered:
        name, keys = self.derived, tuple(each.label for each in self.splits)
        columns = (
            Summarised(function="avg", alias=f"average {name}", of=name),
            Summarised(function="min", alias=f"minimum {name}", of=name),
            Summarised(function="max", alias=f"maximum {name}", of=name),
            Summarised(function="count", alias="rows", of=name),
        )
        layers: tuple[Layer, ...] = (
            Calculated(columns=(Calculation(kind="length", alias=name, of=(self.column,)),)),
            Gathered(keys=keys, columns=columns),
        )
        shown = (*keys, *(each.alias for each in columns))
        order = tuple(Sorting(alias=key) for key in keys)
        return Layered(base=self._rows(self.column), layers=layers, shown=shown, order=order)

    def _parted(self) -> Layered:
        name, label = self.derived, self.measure.label
        keys = (name, *(each.label for each in self.splits))
        base = self._rows(*dict.fromkeys(filter(None, (self.column, self.measure.column))))
        columns: list[Calculation] = []
        sort = [Sorting(alias=label, descending=True), Sorting(alias=name)]
        grouped = keys
        if self.kind == "extract":
            columns.append(Calculation(kind="extract", alias=name, of=(self.column,), pattern=self.pattern))
        elif self.part in _NAMES:
            columns.append(Calculation(kind=self.part, alias=_NUMBER, of=(self.column,)))
            grouped, sort = (_NUMBER, *keys), [Sorting(alias=_NUMBER)]
        else:
            columns.append(Calculation(kind=self.part or "hour", alias=name, of=(self.column,)))
            sort = [Sorting(alias=name)]
        sort += [Sorting(alias=each.label) for each in self.splits]
        layers: tuple[Layer, ...] = (
            Calculated(columns=tuple(columns)),
            Gathered(keys=grouped, columns=(self._summary(label),)),
        )
        return Layered(base=base, layers=layers, shown=(*keys, label), order=tuple(sort))

    def _summary(self, label: str) -> Summarised:
        kind, of = self.measure.aggregate, self.measure.column
        if of is None:
            return Summarised(function="rows", alias=label)
        if kind == "median":
            return Summarised(function="quantile", alias=label, of=of, at=0.5)
        return Summarised(function="distinct" if kind == "count_distinct" else kind, alias=label, of=of)
