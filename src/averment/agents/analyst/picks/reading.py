"""How a question about the first, last, highest or lowest of each group was read."""

from __future__ import annotations

from averment.agents.analyst.parts.nouns import Between, Dimension, Filter, Measure, conditions
from averment.records.base import Record
from averment.tables.layers import Layered, Picked, Sorting
from averment.tables.select_spec import Output, Select, column


class PicksReading(Record):
    """For each group of ``splits`` the ``most`` rows at one end of ``by``, a date or a number.

    Without ``splits`` all rows are one group. With ``entity`` and ``measure`` it is not rows that are picked but values
    of ``entity``, by the measure over the rows that have them. ``dated`` says that only the date itself is asked for.
    """

    table: str
    splits: tuple[Dimension, ...]
    word: str
    descending: bool
    by: str = ""
    most: int = 1
    shown: tuple[str, ...] = ()
    entity: str | None = None
    measure: Measure | None = None
    filters: tuple[Filter, ...] = ()
    period: Between | None = None
    dated: bool = False

    @property
    def heading(self) -> str:
        """The heading of what decides."""
        return self.measure.label if self.measure is not None else self.by

    @property
    def keys(self) -> tuple[str, ...]:
        """The headings of the groups."""
        return tuple(each.label for each in self.splits)

    def in_words(self) -> str:
        """The reading as one sentence."""
        number = "" if self.most == 1 else f" {self.most}"
        groups = " and ".join(self.keys)
        if self.measure is not None:
            what = f"{self.word}{number} {self.entity} by {self.measure.words} in each {groups}"
        elif self.dated:
            what = f"{self.word} {self.by} of each {groups}"
        else:
            of = f" of each {groups}" if groups else ""
            what = f"{self.word}{number} {'row' if self.most == 1 else 'rows'}{of} by {self.by}"
        parts = [what, *(each.said for each in self.filters)]
        if self.period is not None:
            parts.append(self.period.said)
        return f"{', '.join(parts)}, in {self.table}"

    @property
    def columns(self) -> tuple[str, ...]:
        """The headings of the result: groups, what decides, and the rest."""
        if self.measure is not None:
            return (*self.keys, self.entity or "", self.heading)
        rest = () if self.dated else tuple(name for name in self.shown if name not in {*self.keys, self.by})
        return (*self.keys, self.by, *rest)

    def query(self) -> Layered:
        """The picked rows, group by group."""
        if self.measure is not None:
            entity = Dimension(column=self.entity or "")
            dimensions = (*self.splits, entity)
            base = Select(
                table=self.table,
                outputs=(
                    *(Output(term=each.term(self.table), alias=each.label) for each in dimensions),
                    Output(term=self.measure.term(self.table), alias=self.heading),
                ),
                conditions=conditions(self.table, self.filters, self.period),
                groups=tuple(each.term(self.table) for each in dimensions),
            )
        else:
            plain = tuple(name for name in self.columns if name not in self.keys)
            base = Select(
                table=self.table,
                distinct=self.dated,
                outputs=(
                    *(Output(term=each.term(self.table), alias=each.label) for each in self.splits),
                    *(Output(term=column(self.table, name), alias=name) for name in plain),
                ),
                conditions=conditions(self.table, self.filters, self.period),
            )
        layer = Picked(by=self.heading, descending=self.descending, within=self.keys, most=self.most)
        first = [*(Sorting(alias=key) for key in self.keys), Sorting(alias=self.heading, descending=self.descending)]
        rest = [Sorting(alias=name) for name in self.columns if name not in {*self.keys, self.heading}]
        return Layered(base=base, layers=(layer,), shown=self.columns, order=(*first, *rest))
