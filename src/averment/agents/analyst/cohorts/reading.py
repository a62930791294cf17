"""How a question about cohorts was read: whose, by which dates, in which steps."""

from __future__ import annotations

from datetime import date
from typing import Literal

from averment.agents.analyst.parts.nouns import Between, Dimension, Filter, Grain, conditions
from averment.records.base import Record
from averment.tables.layers import (
    Calculated,
    Calculation,
    Cohorted,
    Gathered,
    Kept,
    Layer,
    Layered,
    Sorting,
    Summarised,
)
from averment.tables.select_spec import Output, Select, column

Kind = Literal["retention", "active", "new", "returning"]
COHORT, SIZE, ACTIVE, NEW, RETURNING, RETENTION = "cohort", "size", "active", "new", "returning", "retention %"
MEMBER, START = "member", "start"


class CohortsReading(Record):
    """How many members of each cohort come back, or how many members are active, new and returning in each period.

    A member begins with the period of ``start``, or with the first one it is seen in. A period asked for is that of
    the beginning where it is about retention, else the periods that are told.
    """

    kind: Kind
    table: str
    member: str
    when: str
    grain: Grain
    start: str | None = None
    filters: tuple[Filter, ...] = ()
    period: Between | None = None

    @property
    def label(self) -> str:
        """The heading of the period."""
        return f"{self.grain} of {self.when}"

    @property
    def after(self) -> str:
        """The heading of how many periods later."""
        return f"{self.grain}s after"

    @property
    def beginning(self) -> str:
        """Since when a member is one, in words."""
        return f"the {self.grain} of {self.start}" if self.start is not None else f"the first {self.label}"

    def in_words(self) -> str:
        """The reading as one sentence."""
        if self.kind == "retention":
            what = f"retention of {self.member} by cohort, which is {self.beginning}, in {self.grain}s after it"
        else:
            what = f"{self.kind} {self.member} by {self.label}; each is new in {self.beginning}"
        parts = [what, *(each.said for each in self.filters)]
        if self.period is not None:
            shown = "cohorts" if self.kind == "retention" else "shown"
            parts.append(f"{shown} {self.period.said.removeprefix(f'{self.period.column} ')}")
        return f"{', '.join(parts)}, in {self.table}"

    def query(self) -> Layered:
        """The cohorts with how many of them are left, or the periods with how many are active, new and returning."""
        cohorts = Cohorted(
            member=MEMBER,
            period=self.label,
            start=START if self.start is not None else None,
            step=self.grain,
            after=self.after,
        )
        layers: list[Layer] = [cohorts]
        if self.period is not None:
            layers.append(self._kept(self.period))
        if self.kind == "retention":
            layers += [
                Gathered(keys=(COHORT, SIZE, self.after), columns=(Summarised(function="rows", alias=ACTIVE),)),
                Calculated(columns=(Calculation(kind="share_of", alias=RETENTION, of=(ACTIVE, SIZE)),)),
            ]
            shown = (COHORT, SIZE, self.after, ACTIVE, RETENTION)
            order = (Sorting(alias=COHORT), Sorting(alias=self.after))
        else:
            sums = tuple(Summarised(function="sum", alias=name, of=name) for name in (NEW, RETURNING))
            layers.append(
                Gathered(keys=(self.label,), columns=(Summarised(function="rows", alias=ACTIVE), *sums)),
            )
            rest = [name for name in (ACTIVE, NEW, RETURNING) if name != self.kind]
            shown, order = (self.label, self.kind, *rest), (Sorting(alias=self.label),)
        return Layered(base=self._base(), layers=tuple(layers), shown=shown, order=order)

    def _base(self) -> Select:
        cut = Dimension(column=self.when, grain=self.grain)
        begun = Dimension(column=self.start or self.when, grain=self.grain)
        start = (Output(term=begun.term(self.table), alias=START),) if self.start is not None else ()
        return Select(
            table=self.table,
            outputs=(
                Output(term=column(self.table, self.member), alias=MEMBER),
                Output(term=cut.term(self.table), alias=self.label),
                *start,
            ),
            conditions=conditions(self.table, self.filters),
        )

    def _kept(self, period: Between) -> Kept:
        """Only after all members have their beginning: who was there before a period is not new in it."""
        end = None if period.end is None else date.fromordinal(period.end.toordinal() + 1).isoformat()
        start = "0001-01-01" if period.start is None else period.start.isoformat()
        return Kept(column=COHORT if self.kind == "retention" else self.label, start=start, end=end)
