"""Settling: what the whole question adds once its mentions have their roles: grains, extremes of groups, row counts."""

from __future__ import annotations

from averment.agents.analyst.query.draft import Measure, Sorting, Split
from averment.agents.analyst.query.placing import Placer
from averment.agents.analyst.query.vocabulary import Place
from averment.agents.analyst.query.words import ADJECTIVES, SUPERLATIVES
from averment.language.linking.lexicon import IMPLIED
from averment.language.numbers import find_rankings
from averment.language.periods import find_grain
from averment.language.stems import stem
from averment.language.tokens import split_identifier


class Settler(Placer):
    """Completes the draft of one question."""

    def _count_rows(self) -> None:
        """ "how many rows", "number of records": the table's rows without its name."""
        words = [token.normal for token in self.marked.tokens]
        for place, word in enumerate(words):
            before = words[max(0, place - 2) : place]
            if word in {"rows", "records", "entries", "row", "record"} and {"many", "number", "count"} & set(before):
                if not self.draft.measures:
                    only = self.vocabulary.profiles[0].table if len(self.vocabulary.profiles) == 1 else None
                    self.draft.measures.append(Measure("count", table=only))
                return

    def _asked_entity(self) -> None:
        """ "which users posted ... and how many", "get the cities and their population": the rows' names come first."""
        draft = self.draft
        if not (draft.outputs or draft.measures) or draft.splits:
            return
        for mention in self.marked.mentions:
            if mention.kind != "table" or mention.first > 4:
                continue
            table = mention.choices[0].table
            word, _ = self.lead(mention.first)
            shown = any(place.table == table for place in draft.outputs)
            theirs = any(token.normal == "their" for token in self.marked.tokens) and word in {
                "get",
                "list",
                "show",
                "find",
            }
            if word == "which" or theirs:
                labels = [Place(table, name) for name in self.vocabulary.label(table)]
                second = any(place > mention.last for place in self.marked.breaks)
                if (not shown or theirs) and not second and not set(labels) & set(draft.outputs):
                    draft.outputs = [*labels, *draft.outputs]
            return

    def _top_by_measure(self) -> None:
        """ "top 5 sellers by total amount": the measure, or the number shown, decides the order."""
        draft = self.draft
        rankings = [one for one in find_rankings(self.marked.text) if not one.nth]
        if not rankings or draft.sorting or draft.limit is None:
            return
        down = rankings[0].end in {"top", "last"}
        if rankings[0].end not in {"top", "bottom"}:
            return
        if draft.measures:
            draft.sorting.append(Sorting(down, measure=draft.measures[0]))
            return
        numbers = [p for p in draft.outputs if self.vocabulary.column(p).inferred_type == "measure"]
        if numbers:
            draft.sorting.append(Sorting(down, numbers[0]))

    def _grains(self) -> None:
        """ "by month", "monthly", "per year": a split by a date that no other word names."""
        grain = find_grain(self.marked.text)
        if grain is None or any(split.grain for split in self.draft.splits):
            return
        stamps = [
            Place(profile.table, each.name)
            for profile in self.vocabulary.profiles
            for each in profile.columns
            if each.inferred_type == "timestamp"
        ]
        tables = {m.place.table if m.place else m.table for m in self.draft.measures} | {
            place.table for place in self.draft.outputs
        }
        fitting = [place for place in stamps if place.table in tables] or (
            stamps if len(self.vocabulary.profiles) == 1 else []
        )
        words = [
            place
            for place, token in enumerate(self.marked.tokens)
            if token.stem == grain or token.normal in {f"{grain}ly", "daily"}
        ]
        loose = [place for place in words if place not in self.draft.used and self.marked.at(place) is None]
        leads = {self.marked.normal(place - 1) for place in loose} | {self.marked.normal(place) for place in loose}
        if fitting and loose and leads & {"by", "per", "each", "every", "over", f"{grain}ly", "daily"}:
            self.draft.used.update(words)
            self.draft.splits.append(Split(fitting[0].table, fitting[0].column, grain))

    def _group_extremes(self) -> None:
        """ "the highest latitude for each city" is a maximum; "sales by region" is a total."""
        draft = self.draft
        if not draft.splits or draft.measures:
            return
        extremes = [order for order in draft.sorting if order.place is not None and order.measure is None]
        if extremes and draft.limit == 1 and self.sorted_from is None:
            for order in extremes:
                draft.measures.append(Measure("max" if order.descending else "min", order.place))
                draft.sorting.remove(order)
            draft.limit = None
            return
        numbers = [p for p in draft.outputs if self.vocabulary.column(p).inferred_type == "measure"]
        by = "how many" in self.marked.text.casefold() or any(
            self.marked.normal(place) in {"by", "per"} for place in range(len(self.marked.tokens))
        )
        if numbers and len(numbers) == len(draft.outputs) and by:
            draft.measures = [Measure("sum", place) for place in numbers]
            draft.outputs = []

    def _bare_extremes(self) -> None:
        """ "the most recent treatment", "the earliest one": a quality whose column the question does not name."""
        if self.draft.sorting or self.draft.measures:
            return
        for place, token in enumerate(self.marked.tokens):
            word = token.normal
            if place in self.draft.used or self.marked.at(place) is not None:
                continue
            if word in ADJECTIVES and self.marked.normal(place - 1) in {"most", "least"}:
                down = self.marked.normal(place - 1) == "most"
            elif word in SUPERLATIVES and word in IMPLIED:
                down = SUPERLATIVES[word] == "desc"
            elif word in {"first", "last"} and self._is_event(place):
                down, word = word == "last", "latest"
            else:
                continue
            found = self._column_of(word, place)
            if found is None:
                continue
            if word in {"oldest", "youngest"} and self.vocabulary.column(found).inferred_type == "timestamp":
                down = not down
            self.draft.used.update({place, place - 1} if word in ADJECTIVES else {place})
            self.draft.sorting.append(Sorting(down, found))
            self.draft.limit = self.draft.limit or 1
            return

    def _is_event(self, place: int) -> bool:
        """Whether "first" or "last" stands before a table's name: "the last transcript", not "the last name"."""
        mention = self.marked.at(place + 1)
        number = self.marked.at(place)
        return mention is not None and mention.kind == "table" and number is None and self.draft.limit is None

    def _column_of(self, word: str, at: int) -> Place | None:
        """The column a quality speaks of, in the table named next to it."""
        after = [one for one in self.anchors if one.first > at][:1]
        before = [one for one in self.anchors if one.last < at][-1:]
        names = [one.table for one in (*after, *before)] or ([self.home] if self.home else [])
        wanted = IMPLIED.get(word, frozenset())
        for table in names:
            fitting = [
                each
                for each in self.vocabulary.table(table).columns
                if (each.data_type != "string" or each.inferred_type == "timestamp")
                and wanted & {stem(part) for part in split_identifier(each.name)}
            ]
            if len(fitting) == 1 or (fitting and "date" in wanted):
                return Place(table, fitting[0].name)
        return None

    def settle(self) -> None:
        """Complete the draft."""
        text = self.marked.text.casefold()
        if (
            not self.draft.outputs
            and not self.draft.measures
            and (
                " all information" in text
                or "all the information" in text
                or "all details" in text
                or "all data" in text
            )
        ):
            self.draft.everything = True
        self.draft.measures = list(dict.fromkeys(self.draft.measures))
        self._count_rows()
        self._bare_extremes()
        self._asked_entity()
        self._top_by_measure()
        self._grains()
        self._group_extremes()
        for test in [*self.draft.counted]:
            if test.measure.table in self.draft.present:
                self.draft.present.remove(test.measure.table)

    def sort_by_first(self) -> None:
        """Sort by the first column where sorting is asked for without saying by what."""
        if self.sorted_from is not None and not any(order.place or order.measure for order in self.draft.sorting):
            self.draft.sorting.append(Sorting(descending=self.sort_down))
            self.draft.used.add(self.sorted_from)
