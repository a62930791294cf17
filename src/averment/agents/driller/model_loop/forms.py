"""What a model may propose: hypotheses in closed kinds, made of names that exist; a hypothesis holds no sentence.

``segment``: rows with these values. ``derived``: a column of the metric's own rows cut in a way of our own.
``other_table``: a column of a joined table. ``lag``: another daily series some days before. ``calendar``: some days.
"""

from __future__ import annotations

from datetime import date
from typing import Literal

from pydantic import Field

from averment.llm.forms import Form, ThoughtForm
from averment.records.base import Record

Kind = Literal["segment", "derived", "other_table", "lag", "calendar"]
Derive = Literal["as_is", "bins", "hour", "weekday", "month", "day_of_month", "first_word", "empty"]
Function = Literal["sum", "mean", "rows"]

MOST_AT_ONCE = 3
MOST_DAYS = 60


class Place(Form):
    """One value of one dimension."""

    dimension: str = Field(max_length=200)
    value: str = Field(max_length=400)


class ProposedHypothesis(Form):
    """A hypothesis as it is proposed, before anything was checked."""

    kind: Kind
    segment: list[Place] = Field(default_factory=list[Place], max_length=3, description="For segment.")
    table: str | None = Field(default=None, description="For derived, other_table and lag.")
    column: str | None = Field(default=None, description="For derived, other_table and lag.")
    derive: Derive = Field(default="as_is", description="For derived and other_table: how the column is cut.")
    function: Function = Field(default="sum", description="For lag: the other series.")
    days: int = Field(default=0, ge=0, le=MOST_DAYS, description="For lag: how many days earlier.")
    first: date | None = Field(default=None, description="For calendar: the first day.")
    last: date | None = Field(default=None, description="For calendar: the last day.")


class Proposal(ThoughtForm):
    """What a model does next: up to three hypotheses to be tested, or none when it has no more."""

    hypotheses: list[ProposedHypothesis] = Field(
        default_factory=list[ProposedHypothesis], max_length=MOST_AT_ONCE, description="Empty when you have no more."
    )


class Spec(Record):
    """A hypothesis that can be tested: every name in it exists."""

    kind: Kind
    segment: dict[str, str] = Field(default_factory=dict)
    table: str = ""
    column: str = ""
    derive: Derive = "as_is"
    function: Function = "sum"
    days: int = 0
    first: date | None = None
    last: date | None = None

    @property
    def axis_name(self) -> str:
        """What a cut by this spec's column is called."""
        named = self.column if self.kind == "derived" else f"{self.table}.{self.column}"
        return named if self.derive == "as_is" else f"{self.derive.replace('_', ' ')} of {named}"

    @property
    def title(self) -> str:
        """The hypothesis in words of our own."""
        match self.kind:
            case "segment":
                said = ", ".join(f"{name} = {value}" for name, value in sorted(self.segment.items()))
            case "derived" | "other_table":
                said = f"Some {self.axis_name} moved differently from the rest"
            case "lag":
                what = f"rows of {self.table}" if self.function == "rows" else f"{self.function} of {self.axis_name}"
                said = f"The metric follows the {what}"
            case "calendar":
                said = "Some days stand out"
        return f"{said}, as a model asks"
