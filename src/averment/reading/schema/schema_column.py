"""One column of a table as a reader sees it: its kind, its roles, its words and its values."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from averment.plans.plan import Measure, Value

Kind = Literal["number", "text", "date", "bool"]


Role = Literal[
    "flag",
    "key",
    "date",
    "year",
    "month",
    "quarter",
    "weekday",
    "month_day",
    "measure",
    "category",
    "label",
    "stamp",
    "clock",
]


@dataclass(eq=False, slots=True)
class Column:
    """One column as a reader sees it."""

    table: str
    name: str
    kind: Kind
    words: tuple[str, ...]
    rows: int
    filled: int
    distinct: int
    low: Any = None
    high: Any = None
    whole: bool = False
    values: tuple[Any, ...] = ()
    roles: set[Role] = field(default_factory=set[Role])
    true_value: Any = None
    false_value: Any = None
    totals: tuple[str, ...] = ()
    additive: bool = False
    numeric_text: bool = False
    expression: Value | None = None
    figure: Measure | None = None
    """The figure that a taught word means: one of many rows, which no row has by itself."""

    described: tuple[str, ...] = ()
    """Words of what a person wrote about the column: its description and its unit."""

    why_text: str = ""
    """Why a column of numbers is text and cannot be computed: some of its values are none, its currencies differ."""

    beside: Column | None = None
    """The column that one word names together with this one: a route is where one starts and where one ends."""

    before: Column | None = None
    """What a formula leaves out that may be meant to be taken off: a price times how many, before its discount."""

    @property
    def value(self) -> Value:
        """The column as a plan names it; a formula for one that is computed of others."""
        from averment.plans.plan import Value

        if self.expression is not None:
            return self.expression
        return Value(kind="as_number" if self.numeric_text else "column", table=self.table, column=self.name)

    @property
    def is_unique(self) -> bool:
        """Whether no two rows share a value."""
        return self.filled > 0 and self.distinct == self.filled == self.rows

    def has(self, *roles: Role) -> bool:
        """Whether the column plays one of these roles."""
        return not self.roles.isdisjoint(roles)

    def __repr__(self) -> str:
        return f"{self.table}.{self.name}"
