"""How a question about parts of a whole was read."""

from __future__ import annotations

from averment.agents.analyst.parts.nouns import Between, Dimension, Filter, Measure, conditions
from averment.records.base import Record
from averment.tables.layers import Calculated, Calculation, Layered, Sorting
from averment.tables.select_spec import Output, Select

SHARE, RANK, RUNNING = "share %", "rank", "running share %"


class ShareReading(Record):
    """A measure by columns, each group with its share of the whole, or of its part of the whole.

    ``within`` is the column whose groups are wholes of their own. ``asked`` is the one value the question is about.
    ``ranked`` says that only the order matters, so the measure need not add up and there are no shares.
    """

    table: str
    measure: Measure
    splits: tuple[Dimension, ...]
    within: str | None = None
    filters: tuple[Filter, ...] = ()
    period: Between | None = None
    asked: str | None = None
    ranked: bool = False
    limit: int | None = None
    shared: bool = True

    def in_words(self) -> str:
        """The reading as one sentence."""
        what = f"share of {self.measure.words}" if self.shared else f"ranking by {self.measure.words}"
        parts = [what + (f" of {self.asked}" if self.asked is not None else "")]
        parts += [each.said for each in self.filters]
        if self.period is not None:
            parts.append(self.period.said)
        parts.append("by " + " and ".join(each.label for each in self.splits))
        if self.within is not None:
            parts.append(f"within each {self.within}")
        if self.limit is not None:
            parts.append(f"top {self.limit}")
        return f"{', '.join(parts)}, in {self.table}"

    @property
    def computed(self) -> tuple[str, ...]:
        """The headings of what is computed beside the measure."""
        running = (RUNNING,) if self.shared and len(self.splits) == 1 else ()
        return (*((RANK,) if self.ranked else ()), *((SHARE,) if self.shared else ()), *running)

    def query(self) -> Layered:
        """Each group with its value, its place and its share, the greatest first."""
        label, names = self.measure.label, tuple(each.label for each in self.splits)
        within = () if self.within is None else (self.within,)
        columns: list[Calculation] = []
        if self.ranked:
            columns.append(Calculation(kind="rank", alias=RANK, of=(label,), within=within))
        if self.shared:
            columns.append(Calculation(kind="share", alias=SHARE, of=(label,), within=within))
        if RUNNING in self.computed:
            columns.append(Calculation(kind="running_share", alias=RUNNING, of=(label,), along=names[0]))
        base = Select(
            table=self.table,
            outputs=(
                *(Output(term=each.term(self.table), alias=each.label) for each in self.splits),
                Output(term=self.measure.term(self.table), alias=label),
            ),
            conditions=conditions(self.table, self.filters, self.period),
            groups=tuple(each.term(self.table) for each in self.splits),
        )
        order = [Sorting(alias=name) for name in within]
        order += [Sorting(alias=label, descending=True), *(Sorting(alias=name) for name in names)]
        return Layered(
            base=base,
            layers=(Calculated(columns=tuple(columns)),),
            shown=(*names, label, *self.computed),
            order=tuple(order),
            limit=self.limit,
        )
