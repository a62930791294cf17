"""How a question about the spread of a column's values was read."""

from __future__ import annotations

from averment.agents.analyst.parts.nouns import Between, Dimension, Filter, conditions
from averment.records.base import Record
from averment.tables.layers import Binned, Gathered, Layered, Sorting, Summarised
from averment.tables.select_spec import Output, Select, column

FROM, TO, ROWS = "from", "to", "rows"
USUAL_BINS = 10


class DistributionReading(Record):
    """Bins of equal width, or quantiles where ``at`` names some, of one column."""

    table: str
    column: str
    bins: int = USUAL_BINS
    at: tuple[float, ...] = ()
    split: Dimension | None = None
    filters: tuple[Filter, ...] = ()
    period: Between | None = None

    def in_words(self) -> str:
        """The reading as one sentence."""
        if self.at:
            what = f"{', '.join(quantile_name(each) for each in self.at)} of {self.column}"
        else:
            what = f"distribution of {self.column} in {self.bins} bins of equal width"
        parts = [what, *(each.said for each in self.filters)]
        if self.period is not None:
            parts.append(self.period.said)
        if self.split is not None:
            parts.append(f"by {self.split.label}")
        return f"{', '.join(parts)}, in {self.table}"

    def query(self) -> Layered:
        """The bins with their rows, or the quantiles."""
        keys = () if self.split is None else (self.split.label,)
        split = () if self.split is None else (Output(term=self.split.term(self.table), alias=self.split.label),)
        base = Select(
            table=self.table,
            outputs=(*split, Output(term=column(self.table, self.column), alias=self.column)),
            conditions=conditions(self.table, self.filters, self.period),
        )
        if not self.at:
            bins = Binned(of=self.column, count=self.bins, lower=FROM, upper=TO, rows=ROWS)
            return Layered(base=base, layers=(bins,), shown=(FROM, TO, ROWS), order=(Sorting(alias=FROM),))
        columns = tuple(
            Summarised(function="quantile", alias=quantile_name(each), of=self.column, at=each) for each in self.at
        )
        count = Summarised(function="count", alias=ROWS, of=self.column)
        gathered = Gathered(keys=keys, columns=(*columns, count))
        shown = (*keys, *(each.alias for each in columns), ROWS)
        return Layered(base=base, layers=(gathered,), shown=shown, order=tuple(Sorting(alias=key) for key in keys))


def quantile_name(at: float) -> str:
    """A quantile as its column is headed."""
    names = {0.0: "minimum", 0.25: "first quartile", 0.5: "median", 0.75: "third quartile", 1.0: "maximum"}
    return names.get(at, f"percentile {100 * at:.10g}")
