"""Amounts: comparisons and bare numbers of a question, as tests of the columns they speak of."""

from __future__ import annotations

from datetime import date
from typing import TYPE_CHECKING

from averment.agents.analyst.query.draft import Counted, Measure
from averment.agents.analyst.query.mentions import Choice, Mention
from averment.agents.analyst.query.vocabulary import Place
from averment.agents.analyst.query.words import AGGREGATES, NEGATIONS
from averment.tables.select_spec import Condition, Operator, Output, Scalar, Select, Term, aggregate, column

if TYPE_CHECKING:
    from averment.agents.analyst.query.roles import RoleReader

_OPERATORS: dict[str, Operator] = {
    "eq": "=",
    "ne": "<>",
    "lt": "<",
    "le": "<=",
    "gt": ">",
    "ge": ">=",
    "between": "between",
}
_OPPOSITE: dict[Operator, Operator] = {"=": "<>", ">": "<=", ">=": "<", "<": ">=", "<=": ">"}
_CONTAIN = frozenset("contain contains containing substring letter word like includes include string phrase".split())
_EDGES = frozenset("start starts starting begin begins beginning end ends ending".split())
_SIDES: dict[str, Operator] = {
    "under": "<",
    "below": "<",
    "over": ">",
    "above": ">",
    "after": ">",
    "before": "<",
    "since": ">=",
}
_LINKING = frozenset(
    """
    either after before since under over above below year is are was were be of the a an as equal to in at
    with has have had that which than value values named called from code
    """.split()
)


class AmountTester:
    """Finds the tests of amounts of one question and puts them into its draft."""

    def __init__(self, reader: RoleReader) -> None:
        self.reader = reader
        self.marked = reader.marked
        self.vocabulary = reader.vocabulary
        self.draft = reader.draft

    def _averages(self) -> None:
        """ "above the average", "less than the average price": a comparison with an aggregate of the same column."""
        words = [token.normal for token in self.marked.tokens]
        for place, word in enumerate(words):
            if word not in {"average", "mean"}:
                continue
            before = words[max(0, place - 4) : place]
            more = any(
                w
                in {
                    "above",
                    "greater",
                    "more",
                    "higher",
                    "larger",
                    "older",
                    "longer",
                    "exceeds",
                    "exceed",
                    "exceeding",
                    "over",
                }
                for w in before
            )
            less = any(
                w in {"below", "less", "lower", "smaller", "younger", "shorter", "under", "fewer"} for w in before
            )
            if not more and not less:
                continue
            mention = next(
                (
                    m
                    for m in self.marked.mentions
                    if place < m.first <= place + 3 and m.columns() and m.kind == "column"
                ),
                None,
            )
            if mention is None:
                earlier = [m for m in self.marked.mentions if m.last < place and m.kind == "column"]
                mention = earlier[-1] if earlier else None
            target = None if mention is None else self.reader.resolve(mention, back=True)
            if target is None or mention is None:
                continue
            self.draft.used.update({*mention.words, *range(max(0, place - 3), place + 1)})
            term = column(target.table, target.column)
            inner = Select(table=target.table, outputs=(Output(term=aggregate("avg", term), alias="average"),))
            self.draft.conditions.append(Condition(term=term, operator=">" if more else "<", query=inner))

    def _compare(self, mention: Mention) -> None:
        comparison = mention.comparison
        assert comparison is not None  # only comparisons come here
        if comparison.op not in _OPERATORS or set(mention.words) & self.draft.used:
            return
        low = None if comparison.low is None else _plain(float(comparison.low))
        high = None if comparison.high is None else _plain(float(comparison.high))
        values: tuple[Scalar, ...] = tuple(
            v
            for v in ((low, high) if comparison.op == "between" else (low if low is not None else high,))
            if v is not None
        )
        if not values or (comparison.op == "between" and len(values) < 2):
            return
        operator = _OPERATORS[comparison.op]
        follow = self._following(mention)
        before = self._column_before(mention)
        if (
            self._negated(mention, 4)
            and comparison.op in {"gt", "ge", "lt", "le"}
            and "no" not in comparison.text.split()
            and "not" not in comparison.text.split()
        ):
            operator = _OPPOSITE.get(operator, operator)
        have = any(
            self.marked.normal(p) in {"with", "have", "has", "had", "having", "that", "who", "which"}
            for p in range(max(0, mention.first - 3), mention.first)
        )
        if follow is not None and follow.kind == "table" and (have or before is None or not self._fits(before)):
            self.draft.counted.append(Counted(Measure("count", table=follow.choices[0].table), operator, values))
            self.draft.used.update({*mention.words, *follow.words})
            return
        chosen = before if before is not None and self._fits(before) else None
        if chosen is None and follow is not None and follow.kind == "column" and self._fits(follow):
            chosen = follow
        if chosen is None and follow is not None and follow.kind == "column" and follow.columns() and before is None:
            place = self.reader.resolve(follow, back=True)
            if place is not None and self.vocabulary.column(place).data_type == "string":
                self.draft.counted.append(Counted(Measure("count", place, distinct=True), operator, values))
                self.draft.used.update({*mention.words, *follow.words})
                return
        place = None if chosen is None else self._number_place(chosen)
        if place is None and comparison.quality:
            place = self._by_quality(comparison.quality)
        if place is None:
            return
        if chosen is not None:
            aggregated = self._aggregated(chosen, place)
            self.draft.used.update({*mention.words, *chosen.words})
            if aggregated is not None:
                self.draft.counted.append(Counted(aggregated, operator, values))
                return
        self.draft.used.update(mention.words)
        self._test(place, operator, values)

    def _aggregated(self, chosen: Mention, place: Place) -> Measure | None:
        word, at = self.reader.lead(chosen.first)
        if word in AGGREGATES and word not in {"minimum", "maximum", "min", "max"} and self.draft_splits_or_outputs():
            self.draft.used.add(at)
            return Measure(AGGREGATES[word], place)
        return None

    def draft_splits_or_outputs(self) -> bool:
        """Whether something besides the aggregate is asked for, so that a test of it belongs to groups."""
        return any(m.kind == "table" for m in self.marked.mentions)

    def _following(self, mention: Mention) -> Mention | None:
        at = mention.last + 1
        for _ in range(3):
            found = self.marked.at(at)
            if found is not None and found.kind in {"table", "column"} and not found.implied:
                return found
            if self.marked.normal(at) not in {
                "of",
                "the",
                "different",
                "distinct",
                "in",
                "total",
                "or",
                "unique",
                "type",
                "types",
                "kinds",
            }:
                return None
            at += 1
        return None

    def _fits(self, mention: Mention) -> bool:
        return self._number_place(mention) is not None

    def _number_place(self, mention: Mention) -> Place | None:
        """The column of a mention that can be compared with a number: a number, a date for a year, a number as text."""
        numbers = [
            c
            for c in mention.columns()
            if self.vocabulary.column(c.place).data_type != "string" or self._numeric_text(c.place)
        ]
        if not numbers:
            return None
        near = self.reader.nearest_table(mention, back=True)
        best = max(
            numbers,
            key=lambda c: c.score + (0.35 if c.table == near else 0) + (0.1 if c.table in self.draft.tables else 0),
        )
        return best.place

    def _numeric_text(self, place: Place) -> bool:
        profile = self.vocabulary.column(place)
        samples = [value for value in profile.sample_values if value]
        return bool(samples) and all(_is_number(value) for value in samples)

    def _by_quality(self, quality: str) -> Place | None:
        for mention in self.marked.mentions:
            if mention.implied and any(self.marked.normal(p) == quality for p in mention.words):
                return self._number_place(mention)
        from averment.language.linking.lexicon import IMPLIED

        wanted = IMPLIED.get(quality, frozenset())
        for table in self.draft.tables or [p.table for p in self.vocabulary.profiles]:
            for profile in self.vocabulary.table(table).columns:
                if profile.data_type != "string" and any(word in profile.name.casefold() for word in wanted):
                    return Place(table, profile.name)
        return None

    def _test(self, place: Place, operator: Operator, values: tuple[Scalar, ...]) -> None:
        profile = self.vocabulary.column(place)
        term = column(place.table, place.column)
        if profile.inferred_type == "timestamp" and all(isinstance(v, int) and 1000 <= v <= 2999 for v in values):
            stamp = self.vocabulary.stamp(place)
            self.draft.conditions.extend(_years(stamp, operator, [int(v) for v in values]))
            return
        self.draft.conditions.append(Condition(term=term, operator=operator, values=values))

    def _equal_number(self, mention: Mention) -> None:
        if set(mention.words) & self.draft.used or mention.number is None:
            return
        before = self._column_before(mention)
        value = _plain(mention.number)
        if self._listed_with(mention, value):
            return
        if before is None:
            follow = self._following(mention)
            if (
                follow is not None
                and follow.kind == "table"
                and self.marked.normal(mention.first - 1) in {"have", "has", "had", "with", "exactly", "only"}
            ):
                self.draft.counted.append(Counted(Measure("count", table=follow.choices[0].table), "=", (value,)))
                self.draft.used.update({*mention.words, *follow.words})
            return
        choices = before.columns()
        digits = self.marked.text[self.marked.tokens[mention.first].start : self.marked.tokens[mention.last].end]
        near = self.reader.nearest_table(before, back=True)
        best: Choice = max(choices, key=lambda c: c.score + (0.35 if c.table == near else 0))
        profile = self.vocabulary.column(best.place)
        if profile.data_type == "string" and digits not in self.vocabulary.texts.get((best.table, best.column), ()):
            return
        operator: Operator = "<>" if self._negated(mention) else "="
        operator = _SIDES.get(self.marked.normal(before.first - 1), operator)
        for between in range(before.last + 1, mention.first):
            operator = _SIDES.get(self.marked.normal(between), operator)
        self.draft.used.update({*mention.words, *before.words})
        if profile.data_type == "string":
            self.draft.conditions.append(
                Condition(term=column(best.table, best.column), operator=operator, values=(digits,))
            )
        else:
            self._test(best.place, operator, (value,))

    def _listed_with(self, mention: Mention, value: int | float) -> bool:
        """Whether a number stands after "or" beside one that is tested already: "32 or 33"."""
        if self.marked.normal(mention.first - 1) != "or" or not self.draft.conditions:
            return False
        last = self.draft.conditions[-1]
        earlier = self.marked.at(mention.first - 2)
        if last.operator != "=" or last.term is None or earlier is None or earlier.kind != "number":
            return False
        other = last.model_copy(update={"values": (value,)})
        self.draft.conditions[-1] = Condition(any_of=(last, other))
        self.draft.used.update(mention.words)
        return True

    def _column_before(self, mention: Mention, reach: int = 5) -> Mention | None:
        """The column named before a place with only linking words between."""
        at = mention.first - 1
        for _ in range(reach):
            found = self.marked.at(at)
            if found is not None and found.columns() and found is not mention and found.kind in {"column", "table"}:
                # A table's name is no column to compare, though its key may be called like it.
                return found if found.kind == "column" else None
            if at < 0 or at + 1 in self.marked.breaks:
                return None
            if self.marked.normal(at) not in _LINKING | NEGATIONS | _CONTAIN | _EDGES:
                return None
            at -= 1
        return None

    def _negated(self, mention: Mention, reach: int = 5) -> bool:
        for place in range(mention.first - 1, max(-1, mention.first - 1 - reach), -1):
            word = self.marked.normal(place)
            if word in NEGATIONS or (word == "other" and self.marked.normal(place + 1) == "than"):
                return True
            if place in self.marked.breaks or (word in {"and", "but"} and place < mention.first - 1):
                return False
        return False


def _years(term: Term, operator: Operator, years: list[int]) -> list[Condition]:

    def edge(operator: Operator, year: int) -> Condition:
        return Condition(term=term, operator=operator, values=(date(year, 1, 1).isoformat(),), is_date=True)

    match operator:
        case ">":
            return [edge(">=", years[0] + 1)]
        case "<=":
            return [edge("<", years[0] + 1)]
        case ">=" | "<":
            return [edge(operator, years[0])]
        case "between":
            return [edge(">=", years[0]), edge("<", years[1] + 1)]
        case _:
            return [edge(">=", years[0]), edge("<", years[0] + 1)]


def _plain(value: float) -> int | float:
    return int(value) if value == int(value) else value


def _is_number(text: str) -> bool:
    try:
        float(text.replace(",", ""))
    except ValueError:
        return False
    return True
