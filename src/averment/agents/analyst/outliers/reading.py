"""How a question about unusual rows was read."""

from __future__ import annotations

from typing import Literal

from averment.agents.analyst.parts.nouns import Between, Dimension, Filter, conditions
from averment.records.base import Record
from averment.tables.layers import Binned, Bounded, Gathered, Layered, Outlying, Sorting, Summarised
from averment.tables.select_spec import Output, Select, column

Method = Literal["iqr", "z"]
USUAL: dict[Method, float] = {"iqr": 1.5, "z": 3.0}
LOW, HIGH, VALUES, FROM, TO, ROWS = "low", "high", "values", "from", "to", "rows"
BINS = 20


class OutliersReading(Record):
    """The rows whose value of one column lies beyond bounds, over all rows or within each group of ``split``."""

    table: str
    column: str
    shown: tuple[str, ...]
    method: Method = "iqr"
    reach: float = 1.5
    split: Dimension | None = None
    filters: tuple[Filter, ...] = ()
    period: Between | None = None
    limit: int | None = None

    @property
    def rule(self) -> str:
        """How far is too far, in short."""
        return f"{self.reach:g} × IQR" if self.method == "iqr" else f"z-score beyond {self.reach:g}"

    def in_words(self) -> str:
        """The reading as one sentence."""
        parts = [f"rows with outliers in {self.column} ({self.rule})", *(each.said for each in self.filters)]
        if self.period is not None:
            parts.append(self.period.said)
        if self.split is not None:
            parts.append(f"within each {self.split.label}")
        parts.append(f"the farthest {self.limit}" if self.limit is not None else "the farthest first")
        return f"{', '.join(parts)}, in {self.table}"

    @property
    def headed(self) -> tuple[str, str, str, str]:
        """The headings of both bounds, of how far a value is away in units, and of the plain distance."""
        taken = {name.casefold() for name in (*self.shown, *((self.split.label,) if self.split is not None else ()))}

        def fresh(name: str) -> str:
            while name.casefold() in taken:
                name += " of all"
            return name

        if self.method == "iqr":
            return fresh("lower fence"), fresh("upper fence"), fresh("ranges away"), fresh("distance")
        return fresh("lower bound"), fresh("upper bound"), fresh("z-score"), fresh("distance")

    def query(self) -> Layered:
        """The rows beyond their bounds, the farthest first."""
        low, high, away, distance = self.headed
        beside = (low, high) if self.method == "iqr" else (away, low, high)
        split = () if self.split is None else (self.split.label,)
        rest = tuple(name for name in self.shown if name not in {self.column, *split})
        return Layered(
            base=self._base(self.shown),
            layers=(Outlying(bounds=self._bounds(), headed=self.headed),),
            shown=(*split, *rest[:1], self.column, *beside, *rest[1:]),
            order=(Sorting(alias=distance, descending=True), *(Sorting(alias=name) for name in self.shown)),
            limit=self.limit,
        )

    def bounds(self) -> Layered:
        """The bounds themselves, one row a group."""
        keys = () if self.split is None else (self.split.label,)
        return Layered(
            base=self._base((self.column,)),
            layers=(self._bounds(),),
            shown=(*keys, VALUES, LOW, HIGH),
            order=tuple(Sorting(alias=key) for key in keys),
        )

    def spread(self) -> Layered:
        """How all values are spread, or their ends by group."""
        if self.split is None:
            bins = Binned(of=self.column, count=BINS, lower=FROM, upper=TO, rows=ROWS)
            base, order = self._base((self.column,)), (Sorting(alias=FROM),)
            return Layered(base=base, layers=(bins,), shown=(FROM, TO, ROWS), order=order)
        low, high, away, distance = self.headed
        counted = Gathered(keys=(self.split.label,), columns=(Summarised(function="rows", alias=ROWS),))
        return Layered(
            base=self._base((self.column,)),
            layers=(Outlying(bounds=self._bounds(), headed=(low, high, away, distance)), counted),
            shown=(self.split.label, ROWS),
            order=(Sorting(alias=ROWS, descending=True), Sorting(alias=self.split.label)),
        )

    def _bounds(self) -> Bounded:
        within = () if self.split is None else (self.split.label,)
        return Bounded(of=self.column, method=self.method, reach=self.reach, within=within)

    def _base(self, names: tuple[str, ...]) -> Select:
        split = () if self.split is None or self.split.label in names else (self.split,)
        return Select(
            table=self.table,
            outputs=(
                *(Output(term=each.term(self.table), alias=each.label) for each in split),
                *(Output(term=column(self.table, name), alias=name) for name in names),
            ),
            conditions=conditions(self.table, self.filters, self.period),
        )
