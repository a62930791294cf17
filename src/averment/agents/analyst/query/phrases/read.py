"""Reading by phrases: the draft that a question's phrases make together."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from averment.agents.analyst.query.draft import Draft, Measure, Split
from averment.agents.analyst.query.mentions import Marked, Mention
from averment.agents.analyst.query.phrases.ask import Asked, Item, Rank, Sort
from averment.agents.analyst.query.phrases.cut import Cutter
from averment.agents.analyst.query.phrases.measuring import MEASURED, Measurer
from averment.agents.analyst.query.phrases.narrow import LATER, Narrower
from averment.agents.analyst.query.phrases.settle import Choice, Settled
from averment.agents.analyst.query.phrases.terms import TermMaker
from averment.agents.analyst.query.vocabulary import Place, Vocabulary
from averment.agents.analyst.query.words import SUPERLATIVES
from averment.tables.select_spec import ROWS

if TYPE_CHECKING:
    from datetime import date


@dataclass(frozen=True)
class PhraseReading:
    """A draft, what it was made of and how well its phrases fitted."""

    marked: Marked
    draft: Draft
    asked: Asked
    settled: Settled


def read_phrases(
    marked: Marked,
    known: Vocabulary,
    anchor: date | None,
    defined: dict[str, Item] | None = None,
    hints: frozenset[str] = frozenset(),
) -> PhraseReading | None:
    """The reading of a question by its phrases; None when some phrase names nothing."""
    marked = _told(marked, known)
    asked = Cutter(marked, known.names, defined).cut()
    if asked is None:
        return None
    return _Reader(marked, known, asked, anchor, hints).read()


def _told(marked: Marked, known: Vocabulary) -> Marked:
    """Without values that only resemble a word which is part of a name: "closing price" is no account ``closed``."""

    def is_name(mention: Mention) -> bool:
        if mention.kind != "value" or any(
            c.value and c.value.casefold() == mention.text.casefold() for c in mention.choices
        ):
            return False
        return all(known.names.knows(marked.normal(place)) for place in mention.words)

    return Marked(marked.text, marked.tokens, [m for m in marked.mentions if not is_name(m)], marked.breaks)


class _Reader(Measurer):
    def read(self) -> PhraseReading | None:
        asked = self.asked
        self._grain_columns()
        self._echoes()
        items = self._items()
        if not items:
            return None
        entity = next((item for item in (*asked.head, *asked.splits) if item.kind == "dim"), None)
        main = self._entity(entity)
        near = [
            frozenset(choice.table for choice in m.choices if choice.score >= max(c.score for c in m.choices) - 0.05)
            for m in self.marked.mentions
            if m.kind == "value" and m.choices
        ]
        settled = self.settling.settle(items, main, near)
        if settled is None:
            return None
        meant = dict(zip(items, settled.choices, strict=True))
        self.meant = meant
        self._ranked_tables = [meant[r.by].table for r in asked.ranks if r.by is not None and r.by in meant]
        self.makers = TermMaker(self.known, meant, self._narrowed)
        self._show(meant)
        core = self._measured_first()
        narrower = Narrower(self.marked, self.known, core, self.anchor)
        narrower.hints = self.hints
        narrower.taken = set(asked.used)
        narrower.narrow(self.draft, parts=[*asked.parts, *self._sides()], items=[*asked.items, *asked.splits])
        self._grains(meant)
        self._parts(meant, narrower)
        self._changes(meant)
        self._order(meant)
        self._account(items, narrower)
        if not self.is_whole or self._misses_extreme():
            return None
        return PhraseReading(self.marked, self.draft, asked, settled)

    def _sides(self) -> list[tuple[int, int]]:
        """Where the sides of formulas stand in the question: their conditions are their own."""
        found: list[tuple[int, int]] = []
        for item in self.asked.items:
            for leaf in item.leaves() if item.kind == "formula" else ():
                at = self.marked.text.find(leaf.narrowed) if leaf.narrowed else -1
                if at >= 0:
                    found.append((at, at + len(leaf.narrowed)))
        return found

    def _measured_first(self) -> list[str]:
        """The tables of the draft, those of its measures first: time is told by what happens."""
        tables = [m.place.table if m.place else m.table or "" for m in self.draft.measures]
        return list(dict.fromkeys(t for t in (*tables, *self._ranked_tables, *self.draft.needed()) if t))

    def _entity(self, item: Item | None) -> str | None:
        """The table of the things a question is about."""
        if item is None:
            return None
        found = self.settling.choices(item)
        return found[0].table if found else None

    def _grain_columns(self) -> None:
        """A part of time that is a column's own name, and no date is there to cut, is that column."""
        stamps = [c for p in self.known.profiles for c in p.columns if c.inferred_type == "timestamp"]
        for listed in (self.asked.items, self.asked.splits):
            for number, item in enumerate(listed):
                if item.kind != "grain":
                    continue
                exact = [
                    one for one in self.known.names.rank(item.words) if one.score >= 0.99 and one.column is not None
                ]
                if exact and (
                    not stamps or (listed is self.asked.items and not any(s.kind == "grain" for s in self.asked.splits))
                ):
                    listed[number] = Item("dim", item.words, item.places, whole=item.whole)

    def _echoes(self) -> None:
        """What is sorted or ranked by is often said shorter than before: "sorted by average score"."""
        asked = self.asked
        known = [*asked.items, *asked.head]

        def echoed(item: Item | None) -> Item | None:
            if item is None or item in known:
                return item
            for one in known:
                same = one.kind == item.kind or (item.kind in {"dim", "min", "max"} and one.kind in MEASURED)
                if same and item.words and set(item.words) <= set(one.words):
                    return one
                if same and one.words and one.kind == item.kind == "count" and set(one.words) <= set(item.words):
                    return one
            return item

        heads = [one for one in asked.head if one.kind == "dim"]
        asked.items = [
            next(
                (h for h in heads if i.kind == "dim" and i not in heads and set(i.words) < set(h.words) and i.words), i
            )
            for i in asked.items
        ]
        asked.ranks = [Rank(rank.count, rank.down, echoed(rank.by)) for rank in asked.ranks]
        asked.sorts = [Sort(echoed(sort.item), sort.down) for sort in asked.sorts]
        shown = any(item.kind in MEASURED for item in asked.items)
        if not asked.listed and not shown:
            # A ranking or an order by something computed shows it.
            by = [r.by for r in asked.ranks if r.by is not None and (r.count or 0) > 1]
            by += [s.item for s in asked.sorts if s.item is not None and s.item.kind in MEASURED]
            asked.items += [item for item in dict.fromkeys(by) if item not in asked.items]

    def _items(self) -> list[Item]:
        """Every thing that needs a column, once."""
        asked = self.asked
        found = [item for item in (*asked.items, *asked.splits) if item.kind != "grain"]
        found += [rank.by for rank in asked.ranks if rank.by is not None]
        found += [sort.item for sort in asked.sorts if sort.item is not None and sort.item.kind != "grain"]
        return list(dict.fromkeys(leaf for item in found for leaf in item.leaves()))

    def _show(self, meant: dict[Item, Choice]) -> None:
        draft = self.draft
        for item in self.asked.items:
            choice = meant.get(item)
            if item.tree is not None or item.kind == "rank":
                made = self._made(item)
                if made is not None and made not in draft.measures:
                    draft.measures.append(made)
                continue
            if choice is None and item.kind == "count" and not item.words:
                self._bare_count(meant)
            if choice is None:
                continue
            if item.kind in MEASURED:
                measure = self._measure(item, choice)
                if item.narrowed:
                    draft.conditions += [each for each in self._narrowed(item.narrowed) if each not in draft.conditions]
                if measure not in draft.measures:
                    draft.measures.append(measure)
            else:
                draft.outputs += [place for place in self._place(choice) if place not in draft.outputs]
                draft.distinct = draft.distinct or item.distinct
        for item in self.asked.splits:
            choice = meant.get(item)
            if choice is None:
                continue
            shown = {place.table for place in draft.outputs}
            places = self._place(choice)
            if any(place in draft.outputs for place in places) or (self.asked.listed and choice.table in shown):
                continue
            if choice.column is None and len(places) == 1 and not self._tells_apart(places[0]):
                # Several rows share one name: the name is what people split by.
                split = Split(choice.table, places[0].column)
            elif choice.column is None or len(places) > 1:
                split = Split(choice.table)
            else:
                split = Split(choice.table, choice.column)
            if split not in draft.splits:
                draft.splits.append(split)
        for table in draft.needed():
            draft.see(table)

    def _bare_count(self, meant: dict[Item, Choice]) -> None:
        """ "the total count": of what the question counts or speaks of."""
        said = next((item for item in self.asked.head if item.kind == "count" and item.words), None)
        if said is not None:
            found = self.settling.choices(said)
            if found and not self.draft.measures:
                self.draft.measures.append(self._measure(said, found[0]))
        elif not self.draft.measures:
            self.draft.measures.append(Measure("count"))

    def _grains(self, meant: dict[Item, Choice]) -> None:
        """Splits by time, of the date that the measures' table has."""
        wanted = [item for item in (*self.asked.splits, *self.asked.items) if item.kind == "grain"]
        for item in wanted:
            place = self._stamp()
            if place is None:
                continue
            split = Split(place.table, place.column, item.grain)
            if split not in self.draft.splits:
                self.draft.splits.append(split)

    def _stamp(self) -> Place | None:
        """The date that time is told by: the one already tested, else one of the measured tables."""
        if self.draft.stamp is not None:
            return self.draft.stamp
        tables = [name for m in self.draft.measures for name in (m.tables or (m.place.table if m.place else m.table,))]
        for name in (*tables, *self.draft.tables):
            hinted = [c.name for c in self.known.table(name).columns if c.name in self.hints] if name else []
            if name and hinted:
                return Place(name, hinted[0])
        for table in (*tables, *self.draft.tables):
            if table is None:
                continue
            stamps = [Place(table, c.name) for c in self.known.table(table).columns if c.inferred_type == "timestamp"]
            stamps.sort(key=lambda one: bool(LATER & set(self.known.names.column_words(one.table, one.column))))
            if stamps:
                return stamps[0]
        return None

    def _parts(self, meant: dict[Item, Choice], narrower: Narrower) -> None:
        """ "how many of these were on weekends": the count again, under more conditions."""
        counts = [m for m in self.draft.measures if m.function == "count"]
        for start, end in self.asked.parts:
            extra = narrower.within(start, end)
            if not extra or not counts:
                continue
            term = ROWS.model_copy(update={"conditions": tuple(extra)})
            table = counts[0].table or (counts[0].place.table if counts[0].place else "")
            self.draft.measures.append(Measure("count", term=term, tables=(table,), name="count of these"))

    def _misses_extreme(self) -> bool:
        """Whether "the oldest", "the cheapest" was said and nothing was made of it."""
        return any(
            token.normal in SUPERLATIVES and place not in self.draft.used and self.marked.normal(place - 1) != "at"
            for place, token in enumerate(self.marked.tokens)
        ) and not (self.draft.limit or self.draft.sorting)

    def _account(self, items: list[Item], narrower: Narrower) -> None:
        """Which words found a place."""
        used = {*self.asked.used, *narrower.used}
        for item in (*items, *(i for i in self.asked.splits if i.kind == "grain"), *self.asked.head):
            used.update(item.places)
        self.draft.used = used
