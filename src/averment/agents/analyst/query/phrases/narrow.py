"""Narrowing: the conditions of a question, tested in the tables that its phrases were found in."""

from __future__ import annotations

import re
from datetime import timedelta
from typing import TYPE_CHECKING

from averment.agents.analyst.query.flags import test_flag
from averment.agents.analyst.query.mentions import Marked, mark
from averment.agents.analyst.query.phrases.texts import read_texts
from averment.agents.analyst.query.restrict import Tester
from averment.agents.analyst.query.roles import RoleReader
from averment.agents.analyst.query.vocabulary import Place, Vocabulary
from averment.agents.analyst.query.words import NEGATIONS
from averment.language.linking.affinity import compare
from averment.language.periods import find_periods
from averment.tables.select_spec import Condition, Term, column

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import date

    from averment.agents.analyst.query.draft import Draft
    from averment.agents.analyst.query.phrases.ask import Item

_REACH = 6
_EQUALS = re.compile(r"\b(?P<name>[A-Za-z]+_\w+)\s*(?:=|equals?(?:\s+to)?|is)\s*(?P<value>'[^']+'|\"[^\"]+\"|[\w.]+)")
LATER = frozenset("updated modified deleted birth born dob expiry".split())


class _Tests(Tester):
    """The tests of values and amounts; time is read with the whole question in view."""

    def _periods(self) -> None:
        return


class Narrower:
    """Finds the conditions of one question."""

    def __init__(self, marked: Marked, known: Vocabulary, core: Sequence[str], anchor: date | None) -> None:
        self.marked = marked
        self.known = known
        self.core = list(core)
        self.anchor = anchor
        self.used: set[int] = set()
        self.parts: Sequence[tuple[int, int]] = ()
        self.held: set[int] = set()
        self.hints: frozenset[str] = frozenset()
        self.taken: set[int] = set()
        self.is_whole = True

    def narrow(self, draft: Draft, *, parts: Sequence[tuple[int, int]], items: Sequence[Item]) -> None:
        """Put the conditions into the draft, without those of the parts that narrow only one count."""
        self.parts = parts
        self.held = {place for item in items for place in item.places}
        outside = self._without()
        outside = self._texts(outside, draft)
        outside = self._written(outside, draft)
        timed = self._is_timed()
        if timed:
            self._periods(outside, draft)
        self._test(self._rest(outside) if timed else outside, draft)
        if not timed:
            self._periods(outside, draft)
        self._likened(outside, draft)
        self._partners(outside, draft, items)

    def within(self, start: int, end: int) -> list[Condition]:
        """The conditions of one part."""
        from averment.agents.analyst.query.draft import Draft

        part = mark(self.marked.text[start:end], self.known)
        draft = Draft()
        inner = Narrower(part, self.known, self.core, self.anchor)
        inner._test(part, draft)
        inner._periods(part, draft)
        # A count or a partner that only one side asks for cannot be told by a condition on rows.
        self.is_whole = self.is_whole and not (draft.counted or draft.both)
        self.used.update(p for p, t in enumerate(self.marked.tokens) if start <= t.start and t.end <= end)
        return draft.conditions

    def _is_timed(self) -> bool:
        """Whether the tables of the question tell time by dates rather than by a column of years."""
        columns = [each for table in self.core for each in self.known.table(table).columns]
        return any(c.inferred_type == "timestamp" for c in columns) and not any(
            c.name.casefold() == "year" for c in columns
        )

    def _rest(self, marked: Marked) -> Marked:
        """The question without what was read of it."""
        kept = [m for m in marked.mentions if not set(m.words) & self.used]
        return Marked(marked.text, marked.tokens, kept, marked.breaks)

    def _texts(self, marked: Marked, draft: Draft) -> Marked:
        """Put the tests of text into the draft; the mentions they hold are theirs."""
        spans = [(test.condition, test.span) for test in read_texts(marked, self.known, self.core)]
        draft.conditions += [condition for condition, _ in spans]
        held = {
            place
            for place, token in enumerate(marked.tokens)
            if any(start <= token.start and token.end <= end for _, (start, end) in spans)
        }
        self.used |= held
        kept = [m for m in marked.mentions if not set(m.words) & held]
        return Marked(marked.text, marked.tokens, kept, marked.breaks)

    def _written(self, marked: Marked, draft: Draft) -> Marked:
        """ "sender_type = 0": a column by its very name, and its value."""
        held: set[int] = set()
        for found in _EQUALS.finditer(marked.text):
            places = [
                Place(profile.table, each.name)
                for profile in self.known.profiles
                for each in profile.columns
                if each.name.casefold() == found["name"].casefold()
            ]
            if not places:
                continue
            place = min(places, key=lambda one: self.core.index(one.table) if one.table in self.core else 99)
            value = found["value"].strip("'\"")
            profile = self.known.column(place)
            number = profile.data_type in {"integer", "float"} and value.replace(".", "", 1).isdigit()
            test: int | float | str = (float(value) if "." in value else int(value)) if number else value
            draft.conditions.append(Condition(term=column(place.table, place.column), operator="=", values=(test,)))
            held |= {p for p, t in enumerate(marked.tokens) if found.start() <= t.start < found.end()}
        self.used |= held
        kept = [m for m in marked.mentions if not set(m.words) & held]
        return Marked(marked.text, marked.tokens, kept, marked.breaks)

    def _likened(self, marked: Marked, draft: Draft) -> None:
        """ "successful transactions": a word made of a value, ``success``, of a column with few of them."""
        for place, token in enumerate(marked.tokens):
            word = token.normal
            if place in self.used | self.held | self.taken or len(word) < 6 or self.known.names.knows(word):
                continue
            for (table, name), values in self.known.texts.items():
                if table not in self.core or len(values) > 30:
                    continue
                like = [v for v in values if len(v) >= 5 and word.startswith(v.casefold()) and len(word) - len(v) <= 4]
                if like:
                    draft.conditions.append(Condition(term=column(table, name), operator="=", values=(like[0],)))
                    self.used.add(place)
                    break

    def _apart(self, place: int) -> bool:
        """Whether a word stands in a part that narrows only one count."""
        token = self.marked.tokens[place]
        return any(start <= token.start < end for start, end in self.parts)

    def _without(self) -> Marked:
        kept = [
            m
            for m in self.marked.mentions
            if not any(map(self._apart, m.words))
            and not (m.kind == "number" and set(m.words) <= self.held | self.taken)
        ]
        return Marked(self.marked.text, self.marked.tokens, kept, self.marked.breaks)

    def _test(self, marked: Marked, draft: Draft) -> None:
        reader = RoleReader(marked, self.known, self.anchor, preferred=frozenset(self.core))
        for table in self.core:
            reader.draft.see(table)
        for mention in marked.mentions:
            if mention.kind == "table":
                reader.draft.see(mention.choices[0].table)
        _Tests(reader).read()
        for mention in marked.mentions:
            held = set(mention.words) & (self.held | reader.draft.used)
            if mention.kind == "column" and not mention.implied and not held and test_flag(reader, mention):
                self.used.update(mention.words)
        draft.conditions += reader.draft.conditions
        draft.both += reader.draft.both
        draft.counted += reader.draft.counted
        self.used |= reader.draft.used

    def _periods(self, marked: Marked, draft: Draft) -> None:
        stamps = [
            Place(profile.table, each.name)
            for profile in self.known.profiles
            for each in profile.columns
            if each.inferred_type == "timestamp"
        ]
        if not stamps:
            return
        last: tuple[object, object] | None = None
        for match in find_periods(marked.text, anchor=self.anchor):
            places = [p for p, t in enumerate(marked.tokens) if match.span[0] <= t.start < match.span[1]]
            if (
                not places
                or set(places) & self.used
                or match.period is None
                or match.excluded
                or self._apart(places[0])
            ):
                continue
            self.used.update(places)
            if (match.start, match.end) == last:
                continue
            last = (match.start, match.end)
            place = self._nearest(marked, stamps, places[0])
            term = self.known.stamp(place)
            draft.stamp = place
            start = match.start
            if start is not None and self._is_window(marked.text[slice(*match.span)]):
                start -= timedelta(days=1)
            if start is not None:
                draft.conditions.append(Condition(term=term, operator=">=", values=(start.isoformat(),), is_date=True))
            if match.end is not None:
                after = match.end + timedelta(days=1)
                draft.conditions.append(Condition(term=term, operator="<", values=(after.isoformat(),), is_date=True))
        for place, token in enumerate(marked.tokens):
            if token.normal in {"weekend", "weekends"} and place not in self.used and not self._apart(place):
                stamp = draft.stamp or self._nearest(marked, stamps, place)
                day = Term(kind="part", part="weekday_name", arguments=(self.known.stamp(stamp),))
                draft.conditions.append(Condition(term=day, operator="in", values=("Sat", "Sun")))
                self.used.add(place)

    def _is_window(self, words: str) -> bool:
        """Whether days are counted back from today, so that the day so many days ago belongs to them."""
        lowered = words.casefold()
        return (
            "day" in lowered
            and "inclusive of" not in lowered.replace("inclusive of today", "")
            and ("last" in lowered or "past" in lowered)
        )

    def _nearest(self, marked: Marked, stamps: Sequence[Place], at: int) -> Place:
        """The date a period speaks of: named by the words before it, and in the tables of the question."""
        before = [marked.normal(p) for p in range(max(0, at - _REACH), at)]

        told = {m.choices[0].table for m in marked.mentions if m.kind == "table"}

        def weigh(place: Place) -> float:
            words = self.known.names.column_words(place.table, place.column)
            said = 0.0
            for far, word in enumerate(reversed(before)):
                if any(compare(word, name) for name in words if name not in {"date", "time", "dt", "at", "ts"}):
                    said = max(said, 1.0 - 0.1 * far)
            seen = 0.7 - 0.05 * self.core.index(place.table) if place.table in self.core else 0.0
            seen = seen or (0.55 if place.table in told else 0.0)
            told_of = 1.5 if place.column in self.hints and place.table in {*self.core, *told} else 0.0
            return said + seen + told_of - (0.5 if LATER & set(words) else 0.0)

        return max(stamps, key=weigh)

    def _partners(self, marked: Marked, draft: Draft, items: Sequence[Item]) -> None:
        """Tables that are only spoken of: "customers without orders", "countries with a lake"."""
        held = self.held
        needed = set(draft.needed())
        for mention in marked.mentions:
            if mention.kind != "table" or set(mention.words) & (held | self.used):
                continue
            table = mention.choices[0].table
            if mention.choices[0].score < 0.9:
                continue
            self.used.update(mention.words)
            if table in needed or table in draft.absent:
                continue
            before = [marked.normal(p) for p in range(max(0, mention.first - 5), mention.first)]
            (draft.absent if set(before) & NEGATIONS else draft.present).append(table)
