"""How a question about the correlations of several numbers was read."""

from __future__ import annotations

from typing import Literal

from averment.agents.analyst.parts.nouns import Between, Filter, conditions
from averment.records.base import Record
from averment.tables.layers import Correlated, Layered, Mirrored, Sorting
from averment.tables.select_spec import Output, Select, column

FIRST, SECOND, VALUE, STRENGTH, ROWS = "first", "second", "correlation", "strength", "rows"
Method = Literal["pearson", "spearman"]
METHODS: dict[Method, str] = {"pearson": "Pearson", "spearman": "Spearman"}


class CorrelationsReading(Record):
    """The correlation of every pair of columns, or of one column with each of the others; ``least`` or ``limit`` fewer.

    ``ends`` tells which are asked for: the strongest of either sign, the highest, or the lowest.
    """

    table: str
    columns: tuple[str, ...]
    against: str | None = None
    method: Method = "pearson"
    ends: Literal["strongest", "highest", "lowest"] = "strongest"
    limit: int | None = None
    filters: tuple[Filter, ...] = ()
    period: Between | None = None

    def in_words(self) -> str:
        """The reading as one sentence."""
        name = METHODS[self.method]
        if self.against is None:
            what = f"matrix of {name} correlations, of each pair of {', '.join(self.columns)}"
        else:
            others = ", ".join(each for each in self.columns if each != self.against)
            what = f"{name} correlation of {self.against} with each of {others}"
        parts = [f"{what}, {self.ends} first", *(each.said for each in self.filters)]
        if self.period is not None:
            parts.append(self.period.said)
        if self.limit is not None:
            parts.append(f"top {self.limit}")
        return f"{', '.join(parts)}, in {self.table}"

    def query(self) -> Layered:
        """The pairs, the asked end first."""
        by = Sorting(alias=STRENGTH if self.ends == "strongest" else VALUE, descending=self.ends != "lowest")
        return Layered(
            base=self._base(),
            layers=(self._pairs(),),
            shown=(FIRST, SECOND, VALUE, ROWS),
            order=(by, Sorting(alias=FIRST), Sorting(alias=SECOND)),
            limit=self.limit,
        )

    def matrix(self) -> Layered:
        """The pairs both ways round, as a matrix is drawn."""
        return Layered(
            base=self._base(),
            layers=(self._pairs(), Mirrored(first=FIRST, second=SECOND)),
            shown=(FIRST, SECOND, VALUE),
            order=(Sorting(alias=FIRST), Sorting(alias=SECOND)),
        )

    def _pairs(self) -> Correlated:
        return Correlated(columns=self.columns, against=self.against, method=self.method)

    def _base(self) -> Select:
        return Select(
            table=self.table,
            outputs=tuple(Output(term=column(self.table, name), alias=name) for name in self.columns),
            conditions=conditions(self.table, self.filters, self.period),
        )
