"""Row questions: look-ups, neighbours, firsts and lasts, comparisons and counts over one table of rows in order."""

from __future__ import annotations

from typing import TYPE_CHECKING

from averment.agents.analyst.query.row_parts import RowParts, RowReading
from averment.agents.analyst.query.words import AGGREGATES, DISTINCT, SUPERLATIVES
from averment.tables.select_spec import (
    PLACE,
    ROWS,
    Condition,
    Order,
    Output,
    Select,
    Term,
    aggregate,
    column,
)

if TYPE_CHECKING:
    pass

_AFTER = frozenset("after next following below succeeding subsequent".split())
_BEFORE = frozenset("before previous prior preceding above preceded".split())
_LESS = frozenset(
    """
    less fewer smaller lower shorter younger worse earlier lighter slower least fewest lowest smallest
    earliest first shortest cheaper
    """.split()
)
_MORE = frozenset(
    """
    more higher larger bigger greater longer taller better older later heavier faster most highest largest
    biggest greatest longest tallest
    """.split()
)
_TIMES = frozenset("year date season day month".split())


class RowReader(RowParts):
    """Reads one question over one table."""

    def read(self) -> list[RowReading]:
        """The readings that fit, the best first."""
        found: list[RowReading] = []
        for plan in (
            self._difference,
            self._either,
            self._neighbour,
            self._amount,
            self._count,
            self._superlative,
            self._total,
            self._end,
            self._other,
            self._lookup,
        ):
            self.used = set()
            reading = plan()
            if reading is not None:
                found.append(reading)
        return sorted(found, key=lambda one: -one.sure)

    def _difference(self) -> RowReading | None:
        more_than = (
            "how many more" in self.facts.text
            or "how many fewer" in self.facts.text
            or "how many less" in self.facts.text
            or "how much more" in self.facts.text
        )
        if not (self._says("difference") or more_than):
            return None
        pair = self._pair()
        if pair is None:
            return None
        name = self._measure_for(pair)
        self.used.update({*pair[0].words, *pair[1].words})
        left, right = (self._scalar("max" if name else None, name, cell) for cell in pair)
        term = Term(kind="arithmetic", operation="-", arguments=(left, right))
        absolute = Term(kind="absolute", arguments=(term,))
        return self._made(
            "difference", 0.9 if name or "than" in self.words else 0.6, [(absolute, "difference")], limit=1
        )

    def _either(self) -> RowReading | None:
        pair = self._pair()
        if pair is None or "or" not in self.words:
            return None
        between = self.words[pair[0].words[-1] + 1 : pair[1].words[0]]
        if "or" not in between or len(between) > 3:
            return None
        name = self._measure_for(pair)
        self.used.update({*pair[0].words, *pair[1].words})
        values = (*pair[0].values, *pair[1].values)
        condition = Condition(term=column(self.table, pair[0].column), operator="in", values=values)
        down = not (set(self.words) & _LESS)
        shown = self._column(pair[0].column)
        direction = bool(set(self.words) & (_LESS | _MORE))
        if name is None and (
            set(self.words) & {"first", "earlier", "older", "last", "later", "newer", "after", "before"}
        ):
            times = [
                p.name
                for p in self.facts.profile.columns
                if p.data_type in {"date", "datetime"} or set(p.name.casefold().split()) & _TIMES
            ]
            if times:
                down = bool(set(self.words) & {"last", "later", "newer", "after"})
                return self._made(
                    "either",
                    0.8,
                    [shown],
                    [condition],
                    order=(Order(term=self.facts.number(times[0]), descending=down),),
                    limit=1,
                )
            down = bool(set(self.words) & {"last", "later", "newer", "after"})
            return self._made(
                "either", 0.65, [shown], [condition], order=(Order(term=PLACE, descending=down),), limit=1
            )
        if name is not None and direction:
            return self._made(
                "either",
                0.9,
                [shown],
                [condition],
                order=(Order(term=self.facts.number(name), descending=down),),
                limit=1,
            )
        others = [cell for cell in self.facts.cells if cell not in pair]
        if others:
            return self._made("either", 0.75, [shown], [condition, *self._filters(others)], limit=1)
        if direction:
            return self._made(
                "either",
                0.7,
                [shown],
                [condition],
                groups=(shown[0],),
                order=(Order(term=ROWS, descending=down),),
                limit=1,
            )
        return None

    def _neighbour(self) -> RowReading | None:
        after = [p for p, w in enumerate(self.words) if w in _AFTER]
        before = [p for p, w in enumerate(self.words) if w in _BEFORE]
        if (not after and not before) or "how many" in self.facts.text:
            return None
        anchor_word = (after or before)[0]
        cells = sorted(self.facts.cells, key=lambda c: (abs(c.words[0] - anchor_word), c.words[0]))
        if not cells:
            return None
        anchor = cells[0]
        self.used.update({*anchor.words, anchor_word})
        asked, sure = self.facts.asked()
        if asked == anchor.column or sure < 0.7:
            asked = anchor.column if sure < 0.7 or asked == anchor.column else asked
        forward = bool(after)
        asks = next((p for p, w in enumerate(self.words) if w in {"what", "which", "who", "where", "when"}), 0)
        if anchor.words[-1] < anchor_word < asks:
            forward = not forward  # "london came before which city": the city comes after london
        inner = Select(
            table=self.table,
            numbered=True,
            outputs=(Output(term=aggregate("max" if forward else "min", PLACE), alias="place"),),
            conditions=tuple(cell.condition(self.table) for cell in cells[:1]),
        )
        term = Term(
            kind="arithmetic",
            operation="+" if forward else "-",
            arguments=(Term(kind="scalar", query=inner), Term(kind="constant", value=1)),
        )
        condition = Condition(
            term=Term(kind="arithmetic", operation="-", arguments=(PLACE, term)), operator="=", values=(0,)
        )
        return self._made("neighbour", 0.85 if len(anchor.values) == 1 else 0.55, [self._column(asked)], [condition])

    def _amount(self) -> RowReading | None:
        """ "how many floors does the tower have": a cell of the column that is named, not a count."""
        if not (
            "how many" in self.facts.text
            or "how much" in self.facts.text
            or "what is the number" in self.facts.text
            or self._says("total", "long", "far", "tall", "score", "time")
        ):
            return None
        found = self.facts.measure(beyond={cell.column for cell in self.facts.cells})
        if found is None or not self.facts.cells:
            return None
        name, mention = found
        start = next(
            (
                p
                for p, w in enumerate(self.words)
                if w in {"many", "much", "total", "number", "what", "long", "far", "tall"}
            ),
            0,
        )
        if not 0 <= mention.first - start <= 3 or mention.implied:
            return None
        if any(m.kind == "comparison" for m in self.facts.marked.mentions):
            return None
        self.used.update(mention.words)
        conditions = self._filters(self.facts.cells)
        return self._made("amount", 0.88, [(aggregate("sum", self.facts.number(name)), f"total {name}")], conditions)

    def _count(self) -> RowReading | None:
        text = self.facts.text
        if not (
            "how many" in text
            or "number of" in text
            or "how often" in text
            or "total of" in text
            or "count" in self.words
        ):
            return None
        self.used.update(p for p, w in enumerate(self.words) if w in {"how", "many", "number", "total", "times"})
        start = next((p for p, w in enumerate(self.words) if w in {"many", "number", "often", "total", "count"}), 0)
        after = [(m, known) for m, known in self.facts.columns if 0 < m.first - start <= 4 and not m.implied]
        conditions = self._filters(self.facts.cells)
        if after and (set(self.words) & DISTINCT or not conditions) and not self.facts.numeric(after[0][1][0]):
            name = after[0][1][0].name
            self.used.update(after[0][0].words)
            distinct = bool(set(self.words) & DISTINCT) or "total number of" not in text
            term = aggregate(
                "count", column(self.table, name), distinct=bool(set(self.words) & DISTINCT) or not conditions
            )
            return self._made("count", 0.75 if distinct else 0.6, [(term, f"count of {name}")], conditions)
        if after:
            self.used.update(after[0][0].words)
        return self._made("count", 0.8 if conditions else 0.62, [(ROWS, "count")], conditions)

    def _superlative(self) -> RowReading | None:
        places = [p for p, w in enumerate(self.words) if w in SUPERLATIVES]
        if not places or ("how many" in self.facts.text and "at least" in self.facts.text):
            return None
        at = places[0]
        word = self.words[at]
        if at > 0 and self.words[at - 1] == "at":
            return None
        down = SUPERLATIVES[word] == "desc"
        asked, sure = self.facts.asked()
        near = [
            (abs(m.first - at), profile.name, m)
            for m, known in self.facts.columns
            for profile in known[:2]
            if self.facts.numeric(profile) and profile.name != asked and m.first >= at - 2
        ]
        self.used.add(at)
        cells = [cell for cell in self.facts.cells if cell.column != asked or len(cell.values) == 1]
        if near:
            _, name, mention = min(near, key=lambda one: (one[0], one[1]))
            self.used.update(mention.words)
            conditions = self._filters(cells)
            order = (Order(term=self.facts.number(name), descending=down),)
            conditions.append(Condition(term=self.facts.number(name), operator="not null"))
            totals = [v for v in self.facts.texts.get(self.facts.subject, ()) if v.casefold().startswith("total")]
            if totals:
                conditions.append(
                    Condition(term=column(self.table, self.facts.subject), operator="not in", values=tuple(totals))
                )
            if ("how" in self.words[:1] and "many" in self.words[:2]) or asked == name:
                return self._made(
                    "superlative",
                    0.7,
                    [(aggregate("max" if down else "min", self.facts.number(name)), name)],
                    conditions,
                )
            return self._made("superlative", 0.6 + 0.3 * sure, [self._column(asked)], conditions, order=order, limit=1)
        if word in {"most", "least", "fewest", "top"} or "often" in self.words:
            term, name = self._column(asked)
            conditions = self._filters([cell for cell in cells if cell.column != asked])
            order = (Order(term=ROWS, descending=down),)
            return self._made(
                "frequent", 0.5 + 0.25 * sure, [(term, name)], conditions, groups=(term,), order=order, limit=1
            )
        numeric = [p.name for p in self.facts.profile.columns if self.facts.numeric(p) and p.name != asked]
        if len(numeric) == 1:
            order = (Order(term=self.facts.number(numeric[0]), descending=down),)
            return self._made("superlative", 0.6, [self._column(asked)], self._filters(cells), order=order, limit=1)
        return None

    def _total(self) -> RowReading | None:
        place = next((p for p, w in enumerate(self.words) if w in AGGREGATES), None)
        if place is None:
            return None
        function = AGGREGATES[self.words[place]]
        found = self.facts.measure(beyond={cell.column for cell in self.facts.cells})
        if found is None:
            return None
        name, mention = found
        if mention.implied or not 0 < mention.first - place <= 5:
            return None
        self.used.update({place, *mention.words})
        return self._made(
            "total",
            0.82,
            [(aggregate(function, self.facts.number(name)), f"{self.words[place]} {name}")],
            self._filters(self.facts.cells),
        )

    def _end(self) -> RowReading | None:
        first = [p for p, w in enumerate(self.words) if w in {"first", "top", "earliest", "begin", "start"}]
        last = [p for p, w in enumerate(self.words) if w in {"last", "final", "latest", "bottom", "recent", "end"}]
        if (not first and not last) or "how many" in self.facts.text:
            return None
        asked, sure = self.facts.asked()
        self.used.update(first or last)
        cells = list(self.facts.cells)
        order = (Order(term=PLACE, descending=not first),)
        return self._made("end", 0.45 + 0.35 * sure, [self._column(asked)], self._filters(cells), order=order, limit=1)

    def _other(self) -> RowReading | None:
        marks = [p for p, w in enumerate(self.words) if w in {"besides", "except", "other", "also", "same", "aside"}]
        if not marks or not self.facts.cells or "how many" in self.facts.text:
            return None
        asked, _ = self.facts.asked()
        own = [cell for cell in self.facts.cells if cell.column == asked]
        others = [cell for cell in self.facts.cells if cell.column != asked]
        if not own:
            own_cell = self.facts.cells[0]
            own, others = [own_cell], [c for c in self.facts.cells if c is not own_cell]
            asked = own_cell.column
        self.used.update({*marks, *(w for c in own for w in c.words)})
        conditions = [own[0].condition(self.table, negated=True)]
        if others:
            return self._made("other", 0.8, [self._column(asked)], [*conditions, *self._filters(others)])
        shared = [known[0].name for m, known in self.facts.columns if known[0].name != asked and not m.implied]
        if "same" in self.words and shared:
            self.used.update(w for m, known in self.facts.columns if known[0].name == shared[0] for w in m.words)
            inner = Select(
                table=self.table,
                outputs=(Output(term=column(self.table, shared[0]), alias=shared[0]),),
                conditions=(own[0].condition(self.table),),
            )
            conditions.append(Condition(term=column(self.table, shared[0]), operator="in", query=inner))
            return self._made("other", 0.85, [self._column(asked)], conditions)
        return None

    def _lookup(self) -> RowReading | None:
        asked, sure = self.facts.asked()
        cells = [cell for cell in self.facts.cells if cell.column != asked]
        conditions = self._filters(cells)
        if not conditions or self.words[:2] == ["how", "many"]:
            return None
        return self._made("lookup", 0.35 + 0.45 * sure, [self._column(asked)], conditions, distinct=True)
