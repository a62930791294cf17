"""Tests: comparisons, values, periods and negations of a question, as conditions on the columns they speak of."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

from averment.agents.analyst.query.amounts import AmountTester
from averment.agents.analyst.query.mentions import Choice, Mention
from averment.agents.analyst.query.pairs import compare_columns, join_choices
from averment.agents.analyst.query.vocabulary import Place
from averment.language.periods import find_periods
from averment.language.tokens import split_identifier
from averment.tables.select_spec import Condition, Operator, Term, column

if TYPE_CHECKING:
    pass

_CONTAIN = frozenset("contain contains containing substring letter word like includes include string phrase".split())


class Tester(AmountTester):
    """Finds the conditions of one question and puts them into its draft."""

    def read(self) -> None:
        """Put every condition into the draft."""
        self._averages()
        compare_columns(self.reader)
        values: list[tuple[Mention, Condition]] = []
        placed: list[tuple[int, int, Condition]] = []
        for mention in self.marked.mentions:
            known = list(self.draft.conditions)
            if mention.kind == "comparison":
                self._compare(mention)
            elif mention.kind == "number":
                self._equal_number(mention)
            elif mention.kind == "text":
                self._quoted(mention)
            elif mention.kind == "value":
                condition = self._value(mention)
                if condition is not None:
                    values.append((mention, condition))
                    placed.append((mention.first, mention.last, condition))
            placed += [(mention.first, mention.last, one) for one in self.draft.conditions if one not in known]
        self._merge(values)
        join_choices(self.reader, placed)
        self._periods()

    def _quoted(self, mention: Mention) -> None:
        before = self._column_before(mention, 7)
        place = None if before is None else self.reader.resolve(before, back=True)
        if place is None or before is None:
            return
        self.draft.used.update({*mention.words, *before.words})
        said = [self.marked.normal(p) for p in range(max(0, mention.first - 5), mention.first)]
        operator: Operator = "starts" if any(w.startswith(("start", "begin")) for w in said) else "contains"
        if any(word.startswith("end") for word in said):
            operator = "ends"
        self.draft.conditions.append(
            Condition(
                term=column(place.table, place.column),
                operator=operator,
                values=(mention.text,),
                negated=self._negated(mention),
            )
        )

    def _value(self, mention: Mention) -> Condition | None:
        before = self._column_before(mention)
        after = self.marked.at(mention.last + 1)
        named = [m for m in (before, after if after is not None and after.kind == "column" else None) if m is not None]
        near = self.reader.nearest_table(mention, back=True)

        def weigh(choice: Choice) -> float:
            said = any((c.table, c.column) == (choice.table, choice.column) for m in named for c in m.columns())
            seen = choice.table in self.draft.tables
            home = choice.table == self.reader.home
            return (
                choice.score
                + (0.5 if said else 0)
                + (0.2 if choice.table == near else 0)
                + (0.15 if seen else 0)
                + (0.3 if home else 0)
                + (0.4 if choice.table in self.reader.preferred else 0)
                + (0.4 if self._side(mention) in split_identifier(choice.column) else 0)
            )

        best = max(mention.choices, key=weigh)
        said = [self.marked.normal(p) for p in range(max(0, mention.first - 4), mention.first)]
        self.draft.used.update(mention.words)
        self._take_after(mention, best)
        for each in named:
            if any((c.table, c.column) == (best.table, best.column) for c in each.columns()) and each is before:
                self.draft.used.update(each.words)
        term = column(best.table, best.column)
        if _CONTAIN & set(said):
            return Condition(term=term, operator="contains", values=(mention.text,), negated=self._negated(mention))
        return Condition(term=term, operator="<>" if self._negated(mention) else "=", values=(best.value or "",))

    def _side(self, mention: Mention) -> str:
        """The preposition before a value where it tells two columns apart: "from LAX to ORD"."""
        word, _ = self.reader.lead(mention.first)
        return word if word in {"from", "to"} else "-"

    def _take_after(self, mention: Mention, best: Choice) -> None:
        """The column named after its value only says what the value is: "CD or DVD as their record format"."""
        for later in self.marked.mentions:
            between = range(mention.last + 1, later.first)
            if later.first > mention.last and len(between) <= 6 and later.kind == "column":
                same = any((c.table, c.column) == (best.table, best.column) for c in later.columns()[:3])
                plain = all(
                    self.marked.normal(p) in {"as", "their", "the", "its", "or", "and"} or self.marked.at(p) is not None
                    for p in between
                )
                if same and plain and (len(between) == 0 or any(self.marked.normal(p) == "as" for p in between)):
                    self.draft.used.update(later.words)

    def _merge(self, values: list[tuple[Mention, Condition]]) -> None:
        """Values of one column belong together: any of them, or each in turn when both are asked for."""
        text = f" {self.marked.text.casefold()} "
        groups: dict[tuple[str | None, str | None, str], list[Condition]] = {}
        for _, condition in values:
            assert condition.term is not None  # values test a column
            groups.setdefault((condition.term.table, condition.term.column, condition.operator), []).append(condition)
        for conditions in groups.values():
            if len(conditions) == 1 or conditions[0].operator == "<>":
                self.draft.conditions += conditions
            elif (
                " both " in text
                or (" and " in text and " or " not in text and "also" in text)
                or self._each_of(conditions, [m for m, c in values if c in conditions])
            ):
                self.draft.both += conditions
            else:
                self.draft.conditions.append(Condition(any_of=tuple(conditions)))

    def _each_of(self, conditions: list[Condition], mentions: list[Mention]) -> bool:
        """ "documents with the text 'A' and 'B'": both are asked for where one thing may have several rows of them."""
        if len(mentions) != 2:
            return False
        between = [self.marked.normal(p) for p in range(mentions[0].last + 1, mentions[1].first)]
        if "and" not in between or "or" in between or "between" in [t.normal for t in self.marked.tokens]:
            return False
        table = conditions[0].term.table if conditions[0].term is not None else None
        shown = [one.table for one in self.reader.anchors if one.table != table]
        owner = next((name for name in shown if name in self.vocabulary.keys), None)
        return owner is not None and any(one.left == table and one.right == owner for one in self.vocabulary.relations)

    def _periods(self) -> None:
        stamps = [
            Place(profile.table, each.name)
            for profile in self.vocabulary.profiles
            for each in profile.columns
            if each.inferred_type == "timestamp"
        ]
        self._weekends(stamps)
        for match in find_periods(self.marked.text, anchor=self.reader.anchor):
            places = [p for p, t in enumerate(self.marked.tokens) if match.span[0] <= t.start < match.span[1]]
            if not places or set(places) & self.draft.used or match.period is None or match.excluded:
                continue
            tables = self.draft.tables
            fitting = [place for place in stamps if not tables or place.table in tables]
            if not fitting:
                continue
            self.draft.used.update(places)
            place = self._nearest_stamp(fitting, places[0])
            term = self.vocabulary.stamp(place)
            if match.start is not None:
                self.draft.conditions.append(
                    Condition(term=term, operator=">=", values=(match.start.isoformat(),), is_date=True)
                )
            if match.end is not None:
                after = match.end + timedelta(days=1)
                self.draft.conditions.append(
                    Condition(term=term, operator="<", values=(after.isoformat(),), is_date=True)
                )

    def _weekends(self, stamps: list[Place]) -> None:
        for place, token in enumerate(self.marked.tokens):
            if token.normal not in {"weekend", "weekends"} or place in self.draft.used:
                continue
            fitting = [one for one in stamps if not self.draft.tables or one.table in self.draft.tables]
            if not fitting:
                return
            stamp = self._nearest_stamp(fitting, place)
            day = Term(kind="part", part="weekday_name", arguments=(self.vocabulary.stamp(stamp),))
            self.draft.conditions.append(Condition(term=day, operator="in", values=("Sat", "Sun")))
            self.draft.used.add(place)
            return

    def _nearest_stamp(self, stamps: list[Place], at: int) -> Place:
        best, reach = stamps[0], 99
        for mention in self.marked.mentions:
            for choice in mention.columns():
                if choice.place in stamps and abs(mention.first - at) < reach:
                    best, reach = choice.place, abs(mention.first - at)
        return best
