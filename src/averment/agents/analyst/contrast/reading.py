"""How a question that sets two sides against each other was read."""

from __future__ import annotations

from averment.agents.analyst.parts.nouns import Between, Dimension, Filter, Measure, conditions
from averment.records.base import Record
from averment.tables.layers import Calculated, Calculation, Layered, Sorting, Spread, SpreadColumn
from averment.tables.select_spec import Output, Select, Term

SIDE, STARTS = "side", "starts"
FIRST, SECOND = "first", "second"


class Side(Record):
    """One side: a period, or the rows with a value of a column; ``words`` is its heading."""

    words: str
    period: Between | None = None
    value: Filter | None = None


class ContrastReading(Record):
    """A measure for two sides, perhaps by a column; ``first`` is what ``second`` is measured against.

    Of two periods the first is the earlier one, so a change goes forward in time. Of two groups the first is the one
    named second, so that "West and East" gives what West has beyond East.
    """

    table: str
    measure: Measure
    first: Side
    second: Side
    split: Dimension | None = None
    filters: tuple[Filter, ...] = ()
    period: Between | None = None

    @property
    def in_time(self) -> bool:
        """Whether the sides are periods."""
        return self.first.period is not None

    @property
    def change(self) -> str:
        """The heading of how far the sides are apart."""
        return "change" if self.in_time else "difference"

    @property
    def percent(self) -> str:
        """The heading of how far they are apart in percent of the first."""
        return f"{self.change} %"

    @property
    def headings(self) -> tuple[str, str]:
        """The headings of both sides."""
        return self.first.words, self.second.words

    def in_words(self) -> str:
        """The reading as one sentence."""
        parts = [f"{self.measure.words}, {self.second.words} against {self.first.words}"]
        parts += [each.period.said for each in (self.first, self.second) if each.period is not None]
        parts += [each.said for each in self.filters]
        if self.period is not None:
            parts.append(self.period.said)
        if self.split is not None:
            parts.append(f"by {self.split.label}")
        return f"{', '.join(parts)}, in {self.table}"

    def sides(self) -> Layered:
        """One row for each side, and for each group where there is a split."""
        shown = (SIDE, self.measure.label) if self.split is None else (self.split.label, SIDE, self.measure.label)
        order = [Sorting(alias=STARTS), Sorting(alias=SIDE)]
        if self.split is not None:
            order.insert(0, Sorting(alias=self.split.label))
        return Layered(base=self._base(), shown=shown, order=tuple(order))

    def query(self) -> Layered:
        """The sides next to each other, and how far they are apart."""
        keys = () if self.split is None else (self.split.label,)
        first, second = self.headings
        spread = Spread(
            keys=keys,
            column=SIDE,
            of=self.measure.label,
            entries=(SpreadColumn(value=first, alias=first), SpreadColumn(value=second, alias=second)),
        )
        apart = Calculated(
            columns=(
                Calculation(kind="difference", alias=self.change, of=(second, first)),
                Calculation(kind="percent_change", alias=self.percent, of=(second, first)),
            )
        )
        order = (Sorting(alias=self.change, descending=True), *(Sorting(alias=key) for key in keys)) if keys else ()
        shown = (*keys, first, second, self.change, self.percent)
        return Layered(base=self._base(), layers=(spread, apart), shown=shown, order=order)

    def _base(self) -> Select:
        one, two = self._side(self.first), self._side(self.second)
        return one.model_copy(update={"set_operation": "union", "other": two})

    def _side(self, side: Side) -> Select:
        group = () if self.split is None else (self.split,)
        start = side.period.start.isoformat() if side.period is not None and side.period.start is not None else ""
        own = () if side.value is None else (side.value,)
        return Select(
            table=self.table,
            outputs=(
                Output(term=Term(kind="constant", value=side.words), alias=SIDE),
                Output(term=Term(kind="constant", value=start), alias=STARTS),
                *(Output(term=each.term(self.table), alias=each.label) for each in group),
                Output(term=self.measure.term(self.table), alias=self.measure.label),
            ),
            conditions=conditions(self.table, (*own, *self.filters), side.period, self.period),
            groups=tuple(each.term(self.table) for each in group),
        )
