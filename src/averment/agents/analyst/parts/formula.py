"""A formula: a number computed in each row from the numbers of it."""

from __future__ import annotations

from typing import Literal

from averment.records.base import Record
from averment.tables.select_spec import Term, column

Sign = Literal["+", "-", "*", "/"]
Wrapping = Literal["sum"]


class Formula(Record):
    """A number computed in each row: a column, or two formulas joined by a sign."""

    column: str | None = None
    sign: Sign | None = None
    parts: tuple[Formula, ...] = ()

    @property
    def text(self) -> str:
        """The formula as it is written."""
        if self.column is not None:
            return self.column
        return f" {self.sign} ".join(f"({each.text})" if each.parts else each.text for each in self.parts)

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns it is made of, each once."""
        own = (self.column,) if self.column is not None else ()
        return tuple(dict.fromkeys((*own, *(name for each in self.parts for name in each.columns))))

    @property
    def is_ratio(self) -> bool:
        """Whether its last step divides, so that its values do not add up."""
        return self.sign == "/"

    def term(self, table: str, wrap: Wrapping | None = None) -> Term:
        """The formula as a query computes it; with ``wrap`` each column stands inside that aggregate."""
        if self.column is not None:
            inner = column(table, self.column)
            return inner if wrap is None else Term(kind="aggregate", function=wrap, arguments=(inner,))
        arguments = tuple(each.term(table, wrap) for each in self.parts)
        return Term(kind="arithmetic", operation=self.sign, arguments=arguments)


Formula.model_rebuild()
