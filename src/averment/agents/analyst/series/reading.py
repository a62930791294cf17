"""How a question about a series was read: the measure, its steps in time, and what is computed along them."""

from __future__ import annotations

from typing import Literal

from averment.agents.analyst.parts.nouns import Between, Dimension, Filter, Grain, Measure, conditions
from averment.records.base import Record
from averment.tables.layers import (
    Calculated,
    Calculation,
    Fitted,
    Gathered,
    Kept,
    Layer,
    Layered,
    Sorting,
    Step,
    Summarised,
)
from averment.tables.select_spec import Condition, Order, Output, Select, column

Operation = Literal[
    "growth", "year_over_year", "moving_average", "moving_sum", "running_total", "log_return", "trend", "filled"
]
STEPS_A_YEAR: dict[Grain, int] = {"month": 12, "quarter": 4, "year": 1}
NUMBER = "period number"
CHANGE, PERCENT, LOG_RETURN, FILLED = "change", "change %", "log return", "filled"


class SeriesReading(Record):
    """One operation along time."""

    operation: Operation
    table: str
    measure: Measure
    time: Dimension
    split: Dimension | None = None
    filters: tuple[Filter, ...] = ()
    period: Between | None = None
    window: int = 1

    @property
    def grain(self) -> Grain:
        """The step in time."""
        return self.time.grain or "day"

    @property
    def result(self) -> str:
        """The heading of what is computed."""
        match self.operation:
            case "growth" | "year_over_year":
                return PERCENT
            case "moving_average":
                return f"{self.window}-{self.grain} moving average"
            case "moving_sum":
                return f"{self.window}-{self.grain} moving sum"
            case "running_total":
                return f"running {self.measure.label}"
            case "log_return":
                return LOG_RETURN
            case "trend":
                return self.measure.label
            case "filled":
                return FILLED

    @property
    def earlier(self) -> str:
        """The heading of the value a step is compared with."""
        return "a year before" if self.operation == "year_over_year" else f"the {self.grain} before"

    def in_words(self) -> str:
        """The reading as one sentence."""
        named = {
            "growth": f"change of {self.measure.words} against the {self.grain} before",
            "year_over_year": f"change of {self.measure.words} against the same {self.grain} a year before",
            "moving_average": f"{self.result} of {self.measure.words}",
            "moving_sum": f"{self.result} of {self.measure.words}",
            "running_total": f"running total of {self.measure.words}",
            "log_return": f"log return of {self.measure.words} against the {self.grain} before",
            "trend": f"trend of {self.measure.words}",
            "filled": f"{self.measure.column}, missing values filled with the last one before",
        }
        parts = [named[self.operation]]
        parts += [each.said for each in self.filters]
        if self.period is not None:
            parts.append(self.period.said)
        by = [self.time.label] if self.operation != "filled" else [f"along {self.time.column}"]
        if self.split is not None:
            by.append(self.split.label)
        parts.append(("by " if self.operation != "filled" else "") + " and ".join(by))
        return f"{', '.join(parts)}, in {self.table}"

    def query(self) -> Layered:
        """The series with what is computed along it."""
        if self.operation == "filled":
            return self._filled()
        label, groups = self.measure.label, self._groups()
        return Layered(
            base=self._base(),
            layers=(*self._numbered(), *self._computed()),
            shown=(*groups, *self._shown()) if self.operation != "trend" else (*groups, label),
            order=tuple(Sorting(alias=each) for each in groups),
        )

    def line(self) -> Layered | None:
        """The straight line through the whole series, for a trend that is not split."""
        if self.operation != "trend" or self.split is not None:
            return None
        layers = (*self._numbered(), Fitted(of=self.measure.label, along=NUMBER))
        return Layered(base=self._base(), layers=layers, shown=("points", "slope", "r_squared"))

    def counts(self) -> Layered | None:
        """How many values there were before and after filling."""
        if self.operation != "filled":
            return None
        rows = self._filled()
        summary = Gathered(
            columns=(
                Summarised(function="rows", alias="rows"),
                Summarised(function="count", alias="known", of=self.measure.column),
                Summarised(function="count", alias=FILLED, of=FILLED),
            )
        )
        return Layered(base=rows.base, layers=(*rows.layers, summary), shown=("rows", "known", FILLED))

    def _groups(self) -> tuple[str, ...]:
        return (self.time.label,) if self.split is None else (self.split.label, self.time.label)

    def _shown(self) -> tuple[str, ...]:
        label = self.measure.label
        match self.operation:
            case "growth" | "year_over_year":
                return (label, self.earlier, CHANGE, PERCENT)
            case "log_return":
                return (label, self.earlier, LOG_RETURN)
            case _:
                return (label, self.result)

    def _base(self) -> Select:
        dimensions = (self.time,) if self.split is None else (self.split, self.time)
        period = self.period
        if period is not None and self._looks_back and period.start is not None:
            # The first step of the period is compared with what lies before it.
            period = period.model_copy(update={"start": None})
        return Select(
            table=self.table,
            outputs=(
                *(Output(term=each.term(self.table), alias=each.label) for each in dimensions),
                Output(term=self.measure.term(self.table), alias=self.measure.label),
            ),
            # A row without a date lies in no step.
            conditions=(
                *conditions(self.table, self.filters, period),
                Condition(term=column(self.table, self.time.column), operator="not null"),
            ),
            groups=tuple(each.term(self.table) for each in dimensions),
        )

    @property
    def _looks_back(self) -> bool:
        return self.operation in {"growth", "year_over_year", "moving_average", "moving_sum", "log_return"}

    def _numbered(self) -> tuple[Layer, ...]:
        step: Step = self.grain
        within = () if self.split is None else (self.split.label,)
        number = Calculation(kind="period_number", alias=NUMBER, of=(self.time.label,), within=within, step=step)
        return (Calculated(columns=(number,)),)

    def _computed(self) -> tuple[Layer, ...]:
        label = self.measure.label
        within = () if self.split is None else (self.split.label,)
        layers: list[Layer] = []
        match self.operation:
            case "growth" | "year_over_year" | "log_return":
                back = STEPS_A_YEAR[self.grain] if self.operation == "year_over_year" else 1
                earlier = Calculation(
                    kind="earlier", alias=self.earlier, of=(label,), along=NUMBER, within=within, steps=back
                )
                both = (label, self.earlier)
                if self.operation == "log_return":
                    compared = (Calculation(kind="log_ratio", alias=LOG_RETURN, of=both),)
                else:
                    compared = (
                        Calculation(kind="difference", alias=CHANGE, of=both),
                        Calculation(kind="percent_change", alias=PERCENT, of=both),
                    )
                layers += [Calculated(columns=(earlier,)), Calculated(columns=compared)]
            case "moving_average" | "moving_sum" | "running_total":
                one = Calculation(
                    kind=self.operation,
                    alias=self.result,
                    of=(label,),
                    along=NUMBER,
                    within=within,
                    steps=self.window,
                )
                layers.append(Calculated(columns=(one,)))
            case "trend" | "filled":
                pass
        if self._looks_back and self.period is not None and self.period.start is not None:
            layers.append(Kept(column=self.time.label, start=self.period.start.isoformat()))
        return tuple(layers)

    def _filled(self) -> Layered:
        """Row by row along the date: each missing value takes the last one before it."""
        name, when = self.measure.column or "", self.time.column
        keys = () if self.split is None else (self.split.column,)
        names = (*keys, when, name)
        base = Select(
            table=self.table,
            outputs=tuple(Output(term=column(self.table, each), alias=each) for each in names),
            conditions=conditions(self.table, self.filters, self.period),
            order=tuple(Order(term=column(self.table, each)) for each in (*keys, when)),
        )
        run = Calculation(kind="filled_run", alias="run", of=(name,), along=when, within=keys)
        filled = Calculation(kind="filled", alias=FILLED, of=(name, "run"), within=keys)
        return Layered(
            base=base,
            layers=(Calculated(columns=(run,)), Calculated(columns=(filled,))),
            shown=(*names, FILLED),
            order=tuple(Sorting(alias=each) for each in (*keys, when)),
        )
