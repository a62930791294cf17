"""Terms: what items that are more than one aggregate become in a query: formulas, spans of time, ranks and changes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from averment.agents.analyst.query.phrases.ask import Item
from averment.tables.select_spec import ROWS, Condition, Output, Select, Term, aggregate, column

if TYPE_CHECKING:
    from collections.abc import Callable

    from averment.agents.analyst.query.phrases.settle import Choice
    from averment.agents.analyst.query.vocabulary import Vocabulary
    from averment.tables.select_spec import Function

_SECONDS = {"seconds": 1, "second": 1, "minutes": 60, "minute": 60, "hours": 3600, "hour": 3600}
_DAYS = {"weeks": 7, "week": 7}


class TermMaker:
    """Makes terms of items whose columns are chosen."""

    def __init__(
        self, known: Vocabulary, meant: dict[Item, Choice], narrowed: Callable[[str], tuple[Condition, ...]]
    ) -> None:
        self.known = known
        self.meant = meant
        self.narrowed = narrowed

    def amount(self, item: Item) -> Term | None:
        """One side of a formula: an aggregate, under the conditions its words hold."""
        if item.tree is not None:
            return self.formula(item.tree)
        choice = self.meant.get(item)
        if choice is None:
            return None
        conditions = self.narrowed(item.narrowed) if item.narrowed else ()
        key = self.known.keys.get(choice.table)
        if item.kind == "count" and not choice.added:
            name = choice.column or key
            if name is None:
                return ROWS.model_copy(update={"conditions": conditions})
            term = aggregate("count", column(choice.table, name), distinct=True)
        elif choice.column is None:
            if key is None:
                return ROWS.model_copy(update={"conditions": conditions})
            term = aggregate("count", column(choice.table, key), distinct=True)
        else:
            function: Function = "sum" if item.kind in {"count", "dim"} else item.kind  # pyright: ignore[reportAssignmentType]  # leaves are aggregates
            term = aggregate(function, column(choice.table, choice.column))
        return term.model_copy(update={"conditions": conditions})

    def _alone(self, item: Item) -> Term | None:
        """An amount over its own table, joined with nothing."""
        choice, term = self.meant.get(item), self.amount(item)
        if choice is None or term is None:
            return None
        tests = term.conditions
        if any(test.term is not None and test.term.table != choice.table for test in tests):
            return None
        inner = term.model_copy(update={"conditions": ()})
        query = Select(table=choice.table, outputs=(Output(term=inner, alias="amount"),), conditions=tests)
        return Term(kind="scalar", query=query)

    def formula(self, tree: object, *, alone: bool = False) -> Term | None:
        """A formula of aggregates, each over its own table where they stand ``alone``."""
        if isinstance(tree, Item):
            return self._alone(tree) if alone else self.amount(tree)
        if isinstance(tree, float):
            return Term(kind="constant", value=int(tree) if tree.is_integer() else tree)
        if not isinstance(tree, tuple) or len(tree) != 3:  # pyright: ignore[reportUnknownArgumentType]  # formulas are tuples
            return None
        left, right = (self.formula(side, alone=alone) for side in tree[1:])  # pyright: ignore[reportUnknownArgumentType]  # formulas are tuples
        if left is None or right is None:
            return None
        return Term(kind="arithmetic", operation=tree[0], arguments=(left, right))  # pyright: ignore[reportArgumentType, reportUnknownArgumentType]  # the first part is a sign

    def span(self, item: Item) -> Term | None:
        """How long it is from one date to another, in the unit that is asked for."""
        if not isinstance(item.tree, tuple):
            return None
        first, last = (self.meant.get(one) for one in item.tree[1:] if isinstance(one, Item))  # pyright: ignore[reportUnknownVariableType]  # spans hold two items
        if first is None or last is None or first.column is None or last.column is None:
            return None
        terms = (column(first.table, first.column), column(last.table, last.column))
        numbers = all(self.known.column(one.place).data_type in {"integer", "float"} for one in (first, last))
        unit = item.unit
        if numbers:
            term = Term(kind="arithmetic", operation="-", arguments=(terms[1], terms[0]))
            return self._by(term, _SECONDS.get(unit, 1))
        if unit in _SECONDS:
            return self._by(Term(kind="seconds", arguments=terms), _SECONDS[unit])
        return self._by(Term(kind="days", arguments=terms), _DAYS.get(unit, 1))

    def _by(self, term: Term, divisor: int) -> Term:
        if divisor == 1:
            return term
        return Term(kind="arithmetic", operation="/", arguments=(term, Term(kind="constant", value=divisor)))
