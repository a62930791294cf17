"""Measuring: what the items of a question become once their columns are known: measures, formulas and orders."""

from __future__ import annotations

from typing import TYPE_CHECKING

from averment.agents.analyst.query.draft import Draft, Measure, Sorting
from averment.agents.analyst.query.mentions import Marked, mark
from averment.agents.analyst.query.phrases.ask import Asked, Item, Rank
from averment.agents.analyst.query.phrases.narrow import Narrower
from averment.agents.analyst.query.phrases.settle import Choice, Settling
from averment.agents.analyst.query.phrases.terms import TermMaker
from averment.agents.analyst.query.vocabulary import Place, Vocabulary
from averment.tables.select_spec import ROWS, Condition, Term, aggregate, column

if TYPE_CHECKING:
    from datetime import date

    from averment.tables.select_spec import Function

UNIQUE_SHARE = 0.9
MEASURED = frozenset({"count", "sum", "avg", "min", "max", "median", "stddev"})


def _tested(condition: Condition) -> tuple[str | None, str | None]:
    first = condition.any_of[0] if condition.any_of else condition
    return (first.term.table, first.term.column) if first.term is not None else (None, None)


class Measurer:
    """Makes measures of one question's items."""

    def __init__(
        self, marked: Marked, known: Vocabulary, asked: Asked, anchor: date | None, hints: frozenset[str]
    ) -> None:
        self.hints = hints
        self.marked = marked
        self.known = known
        self.asked = asked
        self.anchor = anchor
        self.settling = Settling(known, known.names)
        self.draft = Draft()
        self._ranked_tables: list[str] = []
        self.meant: dict[Item, Choice] = {}
        self._shared: list[Condition] = []
        self.is_whole = True
        """Whether everything that was said found its place in the draft."""
        self.makers = TermMaker(known, self.meant, self._narrowed)

    def _narrowed(self, words: str) -> tuple[Condition, ...]:
        """The conditions that the words of a definition hold: "number of active customers"."""
        part = mark(words, self.known)
        tables = list(dict.fromkeys(choice.table for choice in self.meant.values()))
        narrower = Narrower(part, self.known, tables, self.anchor)
        found = narrower.within(0, len(part.text))
        self.is_whole = self.is_whole and narrower.is_whole
        return tuple(condition for condition in found if condition not in self._shared)

    def _share(self, item: Item) -> None:
        """Conditions at the end of a ratio that only its second side says hold for both."""
        sides = item.leaves()
        if item.whole != "ratio" or len(sides) != 2:
            return
        top, bottom = (self._narrowed(side.narrowed) for side in sides)
        tested = {_tested(each) for each in top}
        if top:
            self._shared = [each for each in bottom if _tested(each) not in tested]
            self.draft.conditions += [each for each in self._shared if each not in self.draft.conditions]

    def _made(self, item: Item) -> Measure | None:
        """A measure that is more than one aggregate of a column."""
        tables = tuple(dict.fromkeys(self.meant[leaf].table for leaf in item.leaves() if leaf in self.meant))
        term: Term | None = None
        plain = False
        if isinstance(item.tree, tuple) and item.tree[0] == "span":
            inner = self.makers.span(item)
            plain = item.kind == "span"
            term = inner if plain or inner is None else aggregate(item.kind, inner)  # pyright: ignore[reportArgumentType]  # spans are aggregated by functions
        elif item.kind == "formula":
            self._share(item)
            alone = len(tables) > 1 and not self.asked.splits and len(self.asked.items) == 1 and not self._shared
            term = self.makers.formula(item.tree, alone=alone)
            if alone:
                # Amounts that stand for themselves have one ratio, however many rows there are.
                tables, self.draft.limit = tables[:1], 1
        elif item.kind == "rank" and item.by is not None:
            by = self.makers.amount(item.by)
            term = None if by is None else Term(kind="rank", arguments=(by,))
        if term is None:
            return None
        return Measure("avg", term=term, tables=tables, name=item.whole or item.kind, plain=plain)

    def _changes(self, meant: dict[Item, Choice]) -> None:
        """Changes from one period to the next, of what is measured in each."""
        grain = next((split for split in self.draft.splits if split.grain), None)
        for item in self.asked.items:
            if item.kind != "change" or grain is None or grain.column is None:
                continue
            own = self.makers.amount(item.by) if item.by is not None else None
            measures = [m for m in self.draft.measures if m.term is None]
            if own is None and measures:
                own = self._as_term(measures[0])
            if own is None:
                continue
            stamp = self.known.stamp(Place(grain.table, grain.column))
            order = Term(kind="part", part=grain.grain, arguments=(stamp,))  # pyright: ignore[reportArgumentType]  # grains are parts
            groups = [column(p.table, p.column) for p in self.draft.outputs]
            groups += [column(s.table, s.column) for s in self.draft.splits if s.column and s is not grain]
            before = Term(kind="before", arguments=(own, order, *groups))
            term = Term(kind="arithmetic", operation="-", arguments=(own, before))
            if item.relative:
                term = Term(kind="arithmetic", operation="/", arguments=(term, before))
            self.draft.measures.append(Measure("avg", term=term, tables=(grain.table,), name=item.whole or "change"))

    def _as_term(self, measure: Measure) -> Term:
        if measure.place is None:
            return ROWS
        return aggregate(measure.function, column(measure.place.table, measure.place.column), distinct=measure.distinct)

    def _place(self, choice: Choice) -> list[Place]:
        if choice.column is not None:
            return [Place(choice.table, choice.column)]
        return [Place(choice.table, name) for name in self.known.label(choice.table)]

    def _measure(self, item: Item, choice: Choice) -> Measure:
        if item.unit == "time" and choice.column is not None:
            # "the latest balance" is not the greatest one.
            self.is_whole = self.is_whole and self.known.column(choice.place).inferred_type == "timestamp"
        if item.kind == "count" and not choice.added:
            if choice.column is None:
                return Measure("count", table=choice.table, distinct=item.distinct)
            unique = self.known.keys.get(choice.table) == choice.column
            return Measure("count", choice.place, distinct=item.distinct or not unique)
        if choice.column is None:
            return Measure("count", table=choice.table)
        function: Function = "sum" if item.kind in {"count", "sum"} else item.kind  # pyright: ignore[reportAssignmentType]  # only measured kinds come here
        if item.counted and item.kind == "avg":
            function = "avg"
        return Measure(function, choice.place, distinct=item.distinct and item.kind == "count")

    def _tells_apart(self, place: Place) -> bool:
        rows = self.known.table(place.table).row_count
        return self.known.column(place).cardinality >= UNIQUE_SHARE * max(1, rows)

    def _order(self, meant: dict[Item, Choice]) -> None:
        draft = self.draft
        for rank in self.asked.ranks[:1]:
            self._rank(rank, meant)
        for sort in self.asked.sorts:
            if sort.item is None or sort.item not in meant:
                if draft.measures and not draft.sorting:
                    grained = any(split.grain for split in draft.splits)
                    measure = None if grained and not sort.down else draft.measures[0]
                    place = None
                    if measure is None:
                        continue
                    draft.sorting.append(Sorting(sort.down, place, measure))
                elif not draft.sorting:
                    numbers = [p for p in draft.outputs if self.known.column(p).inferred_type == "measure"]
                    draft.sorting.append(Sorting(sort.down, numbers[0] if numbers else None))
                continue
            choice = meant[sort.item]
            if sort.item.kind in MEASURED:
                measure = self._measure(sort.item, choice)
                if draft.splits or draft.measures or draft.outputs:
                    order = Sorting(sort.down, measure=measure)
                    if choice.added and not draft.measures and not draft.splits:
                        order = Sorting(sort.down, choice.place)
                    if not any(order == each for each in draft.sorting):
                        draft.sorting.append(order)
            else:
                order = Sorting(sort.down, self._place(choice)[0])
                same = next((m for m in draft.measures if m.place == order.place), None)
                if same is not None:
                    order = Sorting(sort.down, measure=same)
                if order not in draft.sorting:
                    draft.sorting.append(order)

    def _rank(self, rank: Rank, meant: dict[Item, Choice]) -> None:
        draft = self.draft
        draft.limit = rank.count or (None if self.asked.splits or self.asked.sorts else 1)
        if rank.by is not None and rank.by.tree is not None:
            made = self._made(rank.by)
            if made is not None:
                if not self.asked.listed and made not in draft.measures:
                    draft.measures.append(made)
                draft.sorting.append(Sorting(rank.down, measure=made))
            return
        if rank.by is None or rank.by not in meant:
            measure = next((m for m in draft.measures if m.function == "count"), Measure("count"))
            draft.sorting.append(Sorting(rank.down, measure=measure))
            return
        choice = meant[rank.by]
        if rank.by.kind in MEASURED and not choice.added:
            draft.sorting.append(Sorting(rank.down, measure=self._measure(rank.by, choice)))
        elif choice.column is None:
            draft.sorting.append(Sorting(rank.down, measure=Measure("count", table=choice.table)))
        elif draft.measures:
            same = next((m for m in draft.measures if m.place == choice.place), None)
            draft.sorting.append(Sorting(rank.down, choice.place) if same is None else Sorting(rank.down, measure=same))
        else:
            draft.sorting.append(Sorting(rank.down, choice.place))
