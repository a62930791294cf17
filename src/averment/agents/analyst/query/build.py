"""Building: a draft becomes a query over joined tables, grouped and sorted as it asks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from averment.agents.analyst.query.draft import Draft, Measure, Sorting, Split
from averment.agents.analyst.query.vocabulary import Place, Vocabulary
from averment.language.tokens import split_identifier
from averment.tables.relate import join_path
from averment.tables.select_spec import (
    ROWS,
    Condition,
    Join,
    Order,
    Output,
    Part,
    Select,
    Term,
    aggregate,
    column,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

WORDS: dict[str, str] = {
    "sum": "total",
    "avg": "average",
    "min": "minimum",
    "max": "maximum",
    "median": "median",
    "stddev": "standard deviation of",
    "count": "count of",
}
_GRAINS: dict[str, Part] = {
    "year_number": "year_number",
    "month_name": "month_name",
    "weekday_name": "weekday_name",
    "day": "day",
    "week": "week",
    "month": "month",
    "quarter": "quarter",
    "year": "year",
}


UNIQUE_SHARE = 0.9
NAMED_SHARE = 0.75
"""From this share of distinct values on a table's names stand for its rows; below it several rows are one thing."""


class Unbuildable(Exception):
    """The draft cannot become a query: nothing is asked for, or its tables do not hang together."""


@dataclass
class Builder:
    """Builds one query."""

    draft: Draft
    vocabulary: Vocabulary
    said: frozenset[str] = frozenset()
    """The question's words, by which one of several relations between two tables is chosen."""

    def __post_init__(self) -> None:
        self._partners: list[str] = []
        self.relations = sorted(
            self.vocabulary.relations,
            key=lambda one: -len(self.said & set(split_identifier(one.left_column))),
        )

    def build(self) -> Select:
        """The query.

        Raises:
            Unbuildable: there is none.
        """
        draft = self.draft
        self._settle_outputs()
        groups = self._groups()
        outputs = self._outputs(groups)
        if not outputs:
            raise Unbuildable
        root, joins = self._joins()
        conditions = [*draft.conditions, *self._absences(root, draft.absent, "not in")]
        conditions += self._absences(root, self._partners, "in")
        having = [
            Condition(term=self._measure(test.measure), operator=test.operator, values=test.values)
            for test in draft.counted
        ]
        order = self._order(groups, outputs)
        limit = 1 if draft.nth else draft.limit
        query = Select(
            table=root,
            joins=joins,
            outputs=tuple(outputs),
            conditions=tuple(conditions),
            groups=tuple(groups),
            having=tuple(having),
            order=tuple(order),
            limit=limit,
            offset=draft.nth - 1 if draft.nth else None,
            distinct=draft.distinct and not groups and not any(o.term.kind in {"aggregate", "rows"} for o in outputs),
        )
        if len(draft.both) >= 2:
            first = query.model_copy(update={"conditions": (*query.conditions, draft.both[0])})
            second = query.model_copy(update={"conditions": (*query.conditions, draft.both[1])})
            return first.model_copy(update={"set_operation": "intersect", "other": second, "order": (), "limit": None})
        return query

    def _settle_outputs(self) -> None:
        """What is shown when the question names no column: the rows' names, or the extreme value itself."""
        draft = self.draft
        counted = {t.measure.table for t in draft.counted} | {s.measure.table for s in draft.sorting if s.measure}
        others = [
            table for table in (*draft.present, *draft.tables) if table not in counted and table not in draft.absent
        ]
        if draft.everything and others:
            draft.outputs = [Place(others[0], c.name) for c in self.vocabulary.table(others[0]).columns]
            return
        if draft.outputs or draft.measures or draft.splits:
            return
        extremes = [s for s in draft.sorting if s.place is not None]
        if others:
            draft.outputs = [Place(others[0], name) for name in self.vocabulary.label(others[0])]
        elif extremes:
            self._extreme(extremes[0])
        elif counted and len(counted) == 1 and not draft.counted:
            table = next(iter(counted))
            if table:
                draft.measures.append(Measure("count", table=table))

    def _extreme(self, sorting: Sorting) -> None:
        draft = self.draft
        draft.measures.append(Measure("max" if sorting.descending else "min", sorting.place))
        draft.sorting.remove(sorting)
        draft.limit = None

    def _key(self, table: str) -> str | None:
        return self.vocabulary.keys.get(table)

    def _groups(self) -> list[Term]:
        draft = self.draft
        by_measure = bool(draft.counted) or any(s.measure is not None for s in draft.sorting)
        plain = list(draft.outputs)
        if draft.measures and all(measure.plain for measure in draft.measures):
            return []
        if not draft.splits and not (by_measure or (draft.measures and plain)):
            return []
        terms: list[Term] = []
        for split in draft.splits:
            if split.column is not None:
                terms.append(self._split_term(split))
                continue
            key = self._key(split.table)
            if not any(place.table == split.table or self._refers(place, split.table) for place in plain):
                names = self.vocabulary.label(split.table)
                draft.outputs = [Place(split.table, name) for name in names] + draft.outputs
                plain = draft.outputs
            if key is not None and (draft.measures or by_measure):
                terms.append(column(split.table, key))
        if not draft.splits and plain:
            table = plain[0].table
            key = self._key(table)
            count_tables = {
                t.measure.table or (t.measure.place.table if t.measure.place else None) for t in draft.counted
            }
            count_tables |= {s.measure.table for s in draft.sorting if s.measure}
            count_tables |= {m.table or (m.place.table if m.place else None) for m in draft.measures}
            if (
                key is not None
                and table not in count_tables
                and count_tables - {None}
                and (table in draft.present or any(self._tells_apart(p) for p in plain if p.table == table))
            ):
                terms.append(column(table, key))
        if draft.splits and not draft.measures and not by_measure:
            # "for each": a list by rows when nothing is computed.
            return []
        terms += [column(place.table, place.column) for place in draft.outputs]
        return list(dict.fromkeys(terms))

    def _tells_apart(self, place: Place) -> bool:
        """Whether a column names single rows of its table rather than a kind of them: names, not countries."""
        profile = self.vocabulary.column(place)
        rows = self.vocabulary.table(place.table).row_count
        if place.column == self._key(place.table):
            return True
        if place.column in self.vocabulary.label(place.table) and profile.cardinality >= NAMED_SHARE * max(1, rows):
            return True
        return profile.cardinality >= UNIQUE_SHARE * max(1, self.vocabulary.table(place.table).row_count)

    def _refers(self, place: Place, table: str) -> bool:
        return any(
            (one.left, one.left_column, one.right) == (place.table, place.column, table)
            for one in self.vocabulary.relations
        )

    def _split_term(self, split: Split) -> Term:
        term = column(split.table, split.column or "")
        if split.grain in _GRAINS:
            term = self.vocabulary.stamp(Place(split.table, split.column or ""))
            return Term(kind="part", part=_GRAINS[split.grain], arguments=(term,))
        return term

    def _outputs(self, groups: Sequence[Term]) -> list[Output]:
        draft = self.draft
        found: list[Output] = []
        for split in draft.splits:
            if split.column is None:
                continue
            place = Place(split.table, split.column)
            if place in draft.outputs:
                continue
            name = split.column if split.grain is None else f"{split.grain} of {split.column}"
            if draft.measures or not draft.outputs:
                found.append(Output(term=self._split_term(split), alias=name))
        found += [Output(term=column(p.table, p.column), alias=p.column) for p in draft.outputs]
        found += [Output(term=self._measure(m), alias=self.measure_name(m)) for m in draft.measures]
        names: set[str] = set()
        unique: list[Output] = []
        for output in found:
            alias = output.alias
            if alias.casefold() in names and output.term.table:
                alias = f"{output.term.table} {alias}"
            while alias.casefold() in names:
                alias = f"{alias} again"
            names.add(alias.casefold())
            unique.append(output.model_copy(update={"alias": alias}))
        return unique

    def measure_name(self, measure: Measure) -> str:
        """A measure in words, as a result's column is headed."""
        if measure.term is not None:
            return measure.name
        if measure.place is None:
            return "count"
        if measure.function == "count":
            return f"{'distinct ' if measure.distinct else ''}count of {measure.place.column}"
        return f"{WORDS[measure.function]} {measure.place.column}"

    def _measure(self, measure: Measure) -> Term:
        if measure.term is not None:
            return measure.term
        if measure.place is not None:
            return aggregate(
                measure.function, column(measure.place.table, measure.place.column), distinct=measure.distinct
            )
        table = measure.table
        key = self._key(table) if table else None
        if table and key and (measure.distinct or self._multiplied(table)):
            return aggregate("count", column(table, key), distinct=True)
        return ROWS

    def _multiplied(self, table: str) -> bool:
        """Whether joining what the query needs repeats a table's rows: some needed table refers to it."""
        needed = [name for name in (*self.draft.needed(), *self.draft.present) if name != table]
        path = join_path(self.relations, [table, *needed]) if needed else []
        grouped = {split.table for split in self.draft.splits} | {place.table for place in self.draft.outputs}
        return any(
            (self._key(step.left) == step.left_column and self._key(step.right) != step.right_column)
            for step in path or []
            if not (step.left in grouped and step.left != table)
        )

    def _joins(self) -> tuple[str, tuple[Join, ...]]:
        core = self.draft.needed()
        extra = [name for name in self.draft.present if name not in core]
        if not core:
            core, extra = extra[:1], extra[1:]
        if not core:
            raise Unbuildable
        wanted = [*core, *(name for name in extra if self._restricts(name, core))]
        if (self.draft.measures and not self.draft.splits and not self.draft.outputs) or self._is_list():
            # A partner is asked for, not one row for each partner: tested below, not joined.
            self._partners = wanted[len(core) :]
            wanted = core
        path = join_path(self.relations, wanted)
        if path is None:
            path = join_path(self.relations, core)
        if path is None:
            raise Unbuildable
        joins = tuple(
            Join(left=step.left, left_column=step.left_column, right=step.right, right_column=step.right_column)
            for step in path
        )
        return wanted[0], joins

    def _is_list(self) -> bool:
        """Whether rows are listed as they are, each once however many partners it has."""
        draft = self.draft
        by_measure = bool(draft.counted) or any(s.measure is not None for s in draft.sorting)
        return bool(draft.outputs) and not (draft.measures or draft.splits or by_measure or draft.both)

    def _restricts(self, name: str, core: Sequence[str]) -> bool:
        """Whether joining a table that is only mentioned changes the rows; one that the others refer to does not."""
        path = join_path(self.relations, [*core, name])
        if not path:
            return False
        step = path[-1]
        return self._key(step.right) != step.right_column or len(path) > len(core)

    def _absences(self, root: str, tables: Sequence[str], operator: Literal["in", "not in"]) -> list[Condition]:
        """Conditions that a row has, or has not, a partner in each of some tables."""
        found: list[Condition] = []
        for table in tables:
            if table == root:
                continue
            path = join_path(self.relations, [root, table])
            if not path:
                raise Unbuildable
            first, rest = path[0], path[1:]
            joins = tuple(
                Join(left=s.left, left_column=s.left_column, right=s.right, right_column=s.right_column) for s in rest
            )
            key = column(first.right, first.right_column)
            inner = Select(
                table=first.right,
                joins=joins,
                outputs=(Output(term=key, alias=first.right_column),),
                conditions=(Condition(term=key, operator="not null"),),
            )
            term = column(root, first.left_column)
            test = Condition(term=term, operator=operator, query=inner)
            if operator == "not in" and self.vocabulary.column(Place(root, first.left_column)).nulls:
                # A row that refers to nothing has no partner either.
                test = Condition(any_of=(Condition(term=term, operator="null"), test))
            found.append(test)
        return found

    def _order(self, groups: Sequence[Term], outputs: Sequence[Output]) -> list[Order]:
        found: list[Order] = []
        for sorting in self.draft.sorting:
            if sorting.measure is not None:
                term = self._measure(sorting.measure)
            elif sorting.place is not None:
                term = column(sorting.place.table, sorting.place.column)
                if groups and term not in groups:
                    same = next((m for m in self.draft.measures if m.place == sorting.place), None)
                    term = aggregate(same.function if same else "max", term)
            else:
                term = outputs[0].term
            found.append(Order(term=term, descending=sorting.descending))
        if groups and not found and self.draft.measures:
            # Time in its order, everything else the greatest first.
            timed = [group for group in groups if group.kind == "part"]
            if not timed:
                found.append(Order(term=self._measure(self.draft.measures[0]), descending=True))
            found += [Order(term=group) for group in (*timed, *(g for g in groups if g not in timed))]
        elif groups and found and self.draft.limit is not None:
            # Of equals the first in the same direction, so that the same question has one answer.
            down = found[0].descending
            found += [Order(term=group, descending=down) for group in groups if all(group != o.term for o in found)]
        elif groups and found:
            shown = [output.term for output in outputs if output.term in groups]
            down = found[0].descending
            found += [Order(term=term, descending=down) for term in shown[:1] if all(term != o.term for o in found)]
        return found
