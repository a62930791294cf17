"""How a question about parts of a whole was read."""

from __future__ import annotations

from averment.agents.analyst.parts.nouns import Between, Dimension, Filter, Measure, conditions
from averment.records.base import Record
from averment.tables.layers import Calculated, Calculation, Layer, Layered, Reached, Sorting
from averment.tables.select_spec import Output, Select

SHARE, RANK, RUNNING = "share %", "rank", "running share %"


class ShareReading(Record):
    """A measure by columns, each group with its share of the whole, or of its part of the whole.

    ``within`` is the column whose groups are wholes of their own. ``asked`` is the one value the question is about.
    ``ranked`` says that only the order matters, so the measure need not add up and there are no shares. With ``reach``
    only the fewest groups are told that together make up so many percent.
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
    reach: float | None = None

    def in_words(self) -> str:
        """The reading as one sentence."""
        what = f"share of {self.measure.words}" if self.shared else f"ranking by {self.measure.words}"
        if self.reach is not None:
            names = " and ".join(each.label for each in self.splits)
            what = f"fewest values of {names} that make up {self.reach:g} % of {self.measure.words}"
        parts = [what + (f" of {self.asked}" if self.asked is not None else "")]
        parts += [each.said for each in self.filters]
        if self.period is not None:
            parts.append(self.period.said)
        if self.reach is None:
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
        layers: list[Layer] = [Calculated(columns=tuple(columns))]
        if self.reach is not None:
            layers.append(Reached(share=SHARE, running=RUNNING, percent=self.reach))
        return Layered(
            base=base,
            layers=tuple(layers),
            shown=(*names, label, *self.computed),
            order=tuple(order),
            limit=self.limit,
        )
