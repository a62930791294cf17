"""Roles: what each mention does in its question, told by the words around it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from averment.agents.analyst.query.draft import Draft, Measure, Sorting, Split
from averment.agents.analyst.query.flags import test_flag
from averment.agents.analyst.query.mentions import Mention
from averment.agents.analyst.query.restrict import Tester
from averment.agents.analyst.query.settling import Settler
from averment.agents.analyst.query.vocabulary import Place
from averment.agents.analyst.query.words import (
    ADJECTIVES,
    AGGREGATES,
    COUNTS,
    DISTINCT,
    FREQUENT,
    NEGATIONS,
    RELATIVES,
    SPLITS,
    SUPERLATIVES,
)
from averment.language.numbers import find_rankings
from averment.language.periods import find_grain

if TYPE_CHECKING:
    from averment.tables.select_spec import Function

_BACKWARD = frozenset("birth born founded established built dob".split())


class RoleReader(Settler):
    """Reads one marked question into a draft."""

    def read(self) -> Draft:
        """The draft."""
        for mention in self.marked.mentions:
            if mention.kind == "table" or (mention.kind == "column" and len(mention.words) > 1):
                self.draft.see(mention.choices[0].table)
        self._rankings()
        Tester(self).read()
        for mention in self.marked.mentions:
            if mention.words[0] in self.draft.used and mention.words[-1] in self.draft.used:
                continue
            if mention.kind in {"table", "column"}:
                self._name(mention)
        self.sort_by_first()
        self.settle()
        return self.draft

    def _rankings(self) -> None:
        for ranking in find_rankings(self.marked.text):
            places = [p for p, t in enumerate(self.marked.tokens) if ranking.span[0] <= t.start < ranking.span[1]]
            if any(m.kind == "comparison" and set(m.words) & set(places) for m in self.marked.mentions):
                continue
            if ranking.nth:
                self.draft.nth = ranking.count
            else:
                self.draft.limit = ranking.count
            for mention in self.marked.mentions:
                if mention.kind == "number" and set(mention.words) <= set(places):
                    self.draft.used.update(mention.words)

    def _name(self, mention: Mention) -> None:
        word, at = self.lead(mention.first)
        if self._is_echo(mention):
            return
        table = mention.choices[0].table if mention.kind == "table" else None
        if table is not None and self._qualifies(mention):
            return
        if self.in_sorting(mention):
            self._sorted(mention, table, word, at)
            return
        whole = word == "across" and any(self.marked.normal(p) == "all" for p in range(at, mention.first))
        if not whole and (
            word in SPLITS or (word in {"by", "for", "from", "in"} and self._after(at, mention) in SPLITS)
        ):
            self._split(mention, table)
            return
        if word == "by" and self._splits_by(at, table):
            self._split(mention, table)
            return
        functions, start = self._functions(at)
        if functions and (table is None or mention.columns() or self._only_amount(mention)):
            self._measured(mention, functions, start)
            return
        if self._counts(word, at, mention, table):
            return
        if self._superlative(mention, table, word, at) or self._said_extreme(mention, table):
            return
        if table is None and test_flag(self, mention):
            return
        if table is not None:
            self._entity(mention, table)
        elif not mention.implied and not self._in_relative(mention):
            self._output(mention)

    def _is_echo(self, mention: Mention) -> bool:
        """Whether "name" only rounds off the column before it: "the party name" of a column ``Party``."""
        said = self.marked.normal(mention.first)
        weak = said in {"code", "codes", "number", "numbers"} and max(c.score for c in mention.choices) < 0.95
        if (said not in {"name", "names"} and not weak) or len(mention.words) > 1:
            return False
        before = self.marked.at(mention.first - 1)
        if before is None or before.kind != "column" or before.implied or mention.first in self.marked.breaks:
            return False
        tokens = self.marked.tokens
        if "," in self.marked.text[tokens[mention.first - 1].end : tokens[mention.first].start]:
            return False
        self.draft.used.update(mention.words)
        return True

    def _splits_by(self, at: int, table: str | None) -> bool:
        """Whether "by" splits: "amount by region", "grouped by"; "written by" does not."""
        before = self.marked.normal(at - 1)
        if before.startswith("group") or before in {"broken", "split", "down"}:
            return True
        if before.endswith("ed") or before in {"written", "given", "made", "taught", "driven", "sung", "held", "built"}:
            return False
        return at > 0 and (table is None or bool(self.draft.measures))

    def _after(self, at: int, mention: Mention) -> str:
        return next((w for p in range(at + 1, mention.first) if (w := self.marked.normal(p)) in SPLITS), "")

    def _qualifies(self, mention: Mention) -> bool:
        """Whether a table's name only says whose column follows: "dog names", "the owner's id"."""
        follow = self.marked.at(mention.last + 1)
        if follow is None or follow.kind != "column" or follow.first != mention.last + 1 or follow.implied:
            return False
        self.draft.used.update(mention.words)
        return any(choice.table == mention.choices[0].table for choice in follow.columns())

    def _functions(self, at: int) -> tuple[list[Function], int]:
        """The functions named right before a place, "minimum and maximum" both."""
        found: list[Function] = []
        start = at
        while at >= 0:
            word = self.marked.normal(at)
            if word in AGGREGATES:
                found.insert(0, AGGREGATES[word])
                start = at
            elif word not in {"and", "the", "or", "of", "value", "values", "amount"}:
                break
            at -= 1
        return found, start

    def _measured(self, mention: Mention, functions: list[Function], start: int) -> None:
        if (
            "sum" in functions
            and self.marked.normal(mention.first - 1) == "of"
            and self.marked.normal(mention.first - 2) == "number"
            and not self._is_amount(mention)
        ):
            self._counts(
                "number", mention.first - 2, mention, mention.choices[0].table if mention.kind == "table" else None
            )
            return
        adds = bool({"sum", "avg"} & set(functions))
        place = self.resolve(mention, number=adds)
        if place is None and adds:
            place = self._only_amount(mention) or self.resolve(mention)
        if place is None:
            return
        self.draft.used.update({*mention.words, *range(start, mention.first)})
        for function in functions:
            self.draft.measures.append(Measure(function, place))

    def _is_amount(self, mention: Mention) -> bool:
        """Whether "total number of" adds a column up: hours, not students."""
        place = self.resolve(mention) if mention.kind == "column" else None
        if place is None:
            return False
        profile = self.vocabulary.column(place)
        return profile.inferred_type == "measure" and profile.data_type in {"integer", "float"}

    def _only_amount(self, mention: Mention) -> Place | None:
        """ "total sales": the one amount that rows of the named table have."""
        tables = [choice.table for choice in mention.choices[:1]]
        for table in tables:
            amounts = [
                each.name
                for each in self.vocabulary.table(table).columns
                if each.inferred_type == "measure" and each.data_type in {"integer", "float"}
            ]
            if len(amounts) == 1:
                return Place(table, amounts[0])
        return None

    def _counts(self, word: str, at: int, mention: Mention, table: str | None) -> bool:
        if word in AGGREGATES and AGGREGATES[word] == "sum" and self.marked.normal(at + 1) == "number":
            word = "number"
        many = word == "many" and self.marked.normal(at - 1) == "how"
        named = self.marked.at(at - 1)
        if word == "number" and named is not None and named.kind == "column" and named.last == at - 1:
            # "the phone number of the student" names a number, it does not count.
            return False
        number = word in {"number", "count", "amount"} and (self.marked.normal(at + 1) == "of" or word == "count")
        if not many and not number:
            return False
        for before in range(max(0, at - 3), at):
            if self.marked.normal(before) in SUPERLATIVES:
                return False
        if any(m.kind == "comparison" and m.last in range(at - 2, at) for m in self.marked.mentions):
            return False
        self.draft.used.update({*mention.words, *range(at, mention.first)})
        said = {self.marked.normal(p) for p in range(at, mention.first)}
        if table is not None:
            self.draft.measures.append(Measure("count", table=table, distinct=bool(said & DISTINCT)))
            return True
        place = self.resolve(mention)
        if place is None:
            return False
        column = self.vocabulary.column(place)
        if many and column.inferred_type == "measure":
            self.draft.outputs.append(place)
            return True
        unique = self.vocabulary.keys.get(place.table) == place.column
        self.draft.measures.append(Measure("count", place, distinct=bool(said & DISTINCT) or not unique))
        return True

    def _superlative(self, mention: Mention, table: str | None, word: str, at: int) -> bool:
        if word in {"number", "amount", "count"} and table is not None:
            word, at = self.lead(at)
        if mention.implied and self.marked.normal(mention.first) in SUPERLATIVES:
            word, at = self.marked.normal(mention.first), mention.first
        elif mention.implied and self.marked.normal(mention.first) in ADJECTIVES and word in SUPERLATIVES:
            pass
        elif word in FREQUENT or word == "rarest":
            down = word != "rarest" and self.marked.normal(at - 1) not in {"least", "less"}
            return self._most_common(mention, table, down=down, at=at)
        elif mention.implied:
            return False
        if word not in SUPERLATIVES:
            return False
        down = SUPERLATIVES[word] == "desc"
        self.draft.used.update({*mention.words, *range(max(at, 0), mention.first)})
        if table is not None and word in {
            "most",
            "fewest",
            "least",
            "highest",
            "largest",
            "greatest",
            "lowest",
            "smallest",
        }:
            self.draft.sorting.insert(0, Sorting(down, measure=Measure("count", table=table)))
            self.draft.limit = self.draft.limit or 1
            return True
        if table is not None:
            return False
        place = self.resolve(mention, back=True)
        if place is None:
            return False
        if word in {"oldest", "youngest"} and self._goes_back(place):
            down = not down
        self.draft.sorting.insert(0, Sorting(down, place))
        self.draft.limit = self.draft.limit or 1
        return True

    def _said_extreme(self, mention: Mention, table: str | None) -> bool:
        """ "whose number of products is the largest": the superlative stands behind its column."""
        if table is not None or mention.implied or self.marked.normal(mention.last + 1) not in {"is", "was", "are"}:
            return False
        at = mention.last + 2
        while self.marked.normal(at) in {"the", "also"}:
            at += 1
        word = self.marked.normal(at)
        place = self.resolve(mention, back=True)
        if word not in SUPERLATIVES or place is None or self.marked.at(at) is not None:
            return False
        self.draft.used.update({*mention.words, at})
        self.draft.sorting.insert(0, Sorting(SUPERLATIVES[word] == "desc", place))
        self.draft.limit = self.draft.limit or 1
        return True

    def _goes_back(self, place: Place) -> bool:
        words = place.column.casefold()
        return any(word in words for word in _BACKWARD) or self.vocabulary.column(place).inferred_type == "timestamp"

    def _most_common(self, mention: Mention, table: str | None, *, down: bool, at: int) -> bool:
        place = self.resolve(mention) if mention.columns() else None
        self.draft.used.update({*mention.words, *range(max(at - 1, 0), mention.first)})
        if place is None:
            if table is None:
                return False
            self.draft.splits.append(Split(table))
        else:
            self.draft.outputs.append(place)
            self.draft.splits.append(Split(place.table, place.column))
        self.draft.sorting.insert(0, Sorting(down, measure=Measure("count")))
        self.draft.limit = self.draft.limit or 1
        return True

    def _split(self, mention: Mention, table: str | None) -> None:
        self.draft.used.update({*mention.words, mention.first - 1})
        if table is not None:
            self.draft.splits.append(Split(table))
            return
        place = self.resolve(mention)
        if place is not None:
            grain = find_grain(self.marked.text) if self.vocabulary.column(place).inferred_type == "timestamp" else None
            self.draft.splits.append(Split(place.table, place.column, grain))

    def _sorted(self, mention: Mention, table: str | None, word: str, at: int) -> None:
        self.draft.used.update(mention.words)
        functions, _ = self._functions(at)
        if table is not None:
            if word in COUNTS or word in {"most", "total"}:
                self.draft.sorting.append(Sorting(self.sort_down, measure=Measure("count", table=table)))
            return
        if mention.implied:
            return
        place = self.resolve(mention)
        if place is None:
            return
        if functions:
            self.draft.sorting.append(Sorting(self.sort_down, measure=Measure(functions[0], place)))
        elif word in COUNTS and self.vocabulary.column(place).inferred_type != "measure":
            self.draft.sorting.append(Sorting(self.sort_down, measure=Measure("count", place)))
        else:
            self.draft.sorting.append(Sorting(self.sort_down, place))

    def _entity(self, mention: Mention, table: str) -> None:
        self.draft.used.update(mention.words)
        before = [self.marked.normal(place) for place in range(max(0, mention.first - 6), mention.first)]
        lead, _ = self.lead(mention.first)
        negated = lead in {"without", "no"} or any(word in NEGATIONS for word in before)
        if negated and table not in [place.table for place in self.draft.outputs] and len(self.draft.tables) > 1:
            self.draft.absent.append(table)
        else:
            self.draft.present.append(table)

    def _in_relative(self, mention: Mention) -> bool:
        """Whether a column stands in a clause that only restricts: "that have a description"."""
        for place in range(mention.first - 1, max(-1, mention.first - 4), -1):
            if place + 1 in self.marked.breaks:
                return False
            word = self.marked.normal(place)
            if word in {"who", "whose", "where", "with", "having"} and (self.draft.outputs or self.draft.measures):
                self.draft.used.update(mention.words)
                return True
        return False

    def _only_tested(self, mention: Mention, place: Place) -> bool:
        """Whether a column is named only to test it: "that contain the letter w in their description"."""
        tested = any(
            (c.term.table, c.term.column) == (place.table, place.column)
            for c in self.draft.conditions
            if c.term is not None and c.term.kind == "column"
        )
        if not tested or not (self.draft.outputs or self.draft.measures):
            return False
        return any(self.marked.normal(p) in RELATIVES | {"containing", "in", "as", "for"} for p in range(mention.first))

    def _output(self, mention: Mention) -> None:
        place = self.resolve(mention)
        if place is None:
            return
        self.draft.used.update(mention.words)
        if (
            self.marked.normal(mention.first) in {"name", "names"}
            and place.column == self.vocabulary.label(place.table)[0]
        ):
            names = self.vocabulary.label(place.table)
            self.draft.outputs += [p for n in names if (p := Place(place.table, n)) not in self.draft.outputs]
        if self._only_tested(mention, place):
            return
        said = {self.marked.normal(p) for p in range(max(0, mention.first - 3), mention.first)}
        if said & DISTINCT:
            self.draft.distinct = True
        if place not in self.draft.outputs:
            self.draft.outputs.append(place)
