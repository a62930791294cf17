"""From a program over rows to the query that answers it in the engine."""

from __future__ import annotations

from dataclasses import replace
from datetime import date

from averment.reading.rows.cell_links import CellLink
from averment.reading.rows.cells import CLOCK, LINE, MINUTES, PARTS, SECOND, SECONDS, YEAR, View, words_of
from averment.reading.rows.grid import SUMMED, CellColumn, CellGrid
from averment.reading.rows.program import Program, ProgramCandidate, RowTest
from averment.tables.compose.select_spec import (
    PLACE,
    ROWS,
    Condition,
    Operator,
    Order,
    Output,
    Scalar,
    Select,
    Term,
    aggregate,
    column,
)

_OPERATORS: dict[str, Operator] = {">": ">", ">=": ">=", "<": "<", "<=": "<="}
_ONE = Term(kind="constant", value=1)
_SIXTY = Term(kind="constant", value=60)


def to_select(candidate: ProgramCandidate, grid: CellGrid) -> Select:
    """The query of a candidate's program; it returns the candidate's answer in its first column."""
    return _Translator(grid).select(candidate)


class _Translator:
    def __init__(self, grid: CellGrid) -> None:
        self.grid = grid

    def select(self, candidate: ProgramCandidate) -> Select:
        """The query."""
        program = candidate.program
        tests = self._tests(program)
        match program.form:
            case "show" | "line" | "amount":
                return self._shown(candidate, tests)
            case "count":
                return self._made([(ROWS, "count")], tests)
            case "distinct":
                shown = self._column(program)
                term = aggregate("count", self._term(shown), distinct=True)
                return self._made([(term, f"count of {shown.name}")], [*tests, *self._filled(shown, candidate.rows)])
            case "sum" | "avg":
                return self._made([self._aggregate(program, program.form)], tests)
            case "range":
                high, low = (self._aggregate(program, each)[0] for each in ("max", "min"))
                return self._made([(_arithmetic("-", high, low), "difference")], tests)
            case "most" | "least" | "most summed" | "least summed":
                return self._extreme_group(program, [*tests, *self._filled(self._column(program), candidate.rows)])
            case "difference" | "count difference":
                return self._difference(program)
            case "column difference":
                assert program.other is not None  # a difference between columns has two
                one = self._view(self._column(program), program.view)
                two = self._view(self.grid.columns[program.other], program.other_view)
                return self._made([(_absolute(_arithmetic("-", one, two)), "difference")], tests)
            case "same" | "same count":
                return self._same(program, candidate)
            case "groups" | "group count":
                return self._groups(candidate, tests)
            case "verdict":
                return self._verdict(program)

    # terms

    def _term(self, known: CellColumn) -> Term:
        term = column(self.grid.table, known.name)
        if known.part is not None:
            assert known.base is not None  # a part is cut out of a column
            if self.grid.columns[known.base].data_type in {"date", "datetime"}:
                return Term(kind="part", part="month_name", arguments=(term,))
            return Term(kind="extract", value=PARTS[known.part], arguments=(term,))
        return Term(kind="extract", value=CLOCK, arguments=(term,)) if known.data_type == "clock" else term

    def _column(self, program: Program) -> CellColumn:
        assert program.column is not None  # every form but a count of rows has a column
        return self.grid.columns[program.column]

    def _view(self, known: CellColumn, view: View | None) -> Term:
        term = self._term(known)
        match view:
            case "number":
                return Term(kind="number", arguments=(term,))
            case "year":
                if known.data_type in {"date", "datetime"}:
                    return Term(kind="part", part="year_number", arguments=(term,))
                return _found(term, YEAR)
            case "second":
                return _found(term, SECOND)
            case "margin" | "both":
                one, two = Term(kind="number", arguments=(term,)), _found(term, SECOND)
                return _arithmetic("+", one, two) if view == "both" else _absolute(_arithmetic("-", one, two))
            case "seconds":
                return _arithmetic("+", _arithmetic("*", _found(term, MINUTES), _SIXTY), _found(term, SECONDS))
            case _:
                return term

    def _aggregate(self, program: Program, function: str) -> tuple[Term, str]:
        shown = self._column(program)
        words = {"sum": "total", "avg": "average"}.get(function, function)
        return aggregate(function, self._view(shown, program.view)), f"{words} {shown.name}"

    # conditions

    def _tests(self, program: Program) -> list[Condition]:
        return [*map(self._test, program.tests), *self._summing(program.tests)]

    def _summing(self, tests: tuple[RowTest, ...]) -> list[Condition]:
        """Leaves out rows that sum up the others, unless nothing else passes."""
        passed = frozenset(range(self.grid.size)).intersection(*(test.rows for test in tests))
        sums = passed & self.grid.summing
        if not sums or sums == passed:
            return []
        for known in self.grid.columns[:3]:
            values = [known.marks[row] for row in sorted(sums)]
            if all(isinstance(value, str) and words_of(value)[:1] in SUMMED for value in values):
                term = self._term(known)
                missing = Condition(term=term, operator="null")
                other = Condition(term=term, operator="not in", values=tuple(map(str, dict.fromkeys(values))))
                return [Condition(any_of=(missing, other))]
        places = tuple(row + 1 for row in sorted(sums))
        return [Condition(term=PLACE, operator="not in", values=places)]

    def _test(self, test: RowTest) -> Condition:
        known = self.grid.columns[test.column]
        if test.kind in {"after", "before"}:
            after = test.kind == "after"
            inner = self._place("max" if after else "min", [self._held(test)])
            return Condition(term=_arithmetic("-", PLACE, inner), operator=">" if after else "<", values=(0,))
        if test.kind == "between":
            return Condition(term=self._view(known, test.view), operator="between", values=test.bounds)
        if test.kind == "filled":
            blank = tuple(row for row in range(self.grid.size) if row not in test.rows)
            return _all(self._filled(known, blank))
        if test.kind == "blank":
            marks = [known.marks[row] for row in sorted(test.rows) if known.marks[row] is not None]
            missing = Condition(term=self._term(known), operator="null")
            return Condition(any_of=(missing, self._any(known, list(marks)))) if marks else missing
        if test.kind in _OPERATORS and test.links:
            term = self._view(known, test.view)
            inner = self._made([(aggregate("max", term), "value")], [self._linked(test.links)])
            return Condition(term=term, operator=_OPERATORS[test.kind], query=inner)
        if test.kind in _OPERATORS:
            return Condition(term=self._view(known, test.view), operator=_OPERATORS[test.kind], values=test.bounds)
        held = self._held(test)
        if test.kind == "in":
            return held
        other = held.model_copy(update={"negated": True})
        return _all([other, *self._filled(known, tuple(range(self.grid.size)))]) if known.part else other

    def _held(self, test: RowTest) -> Condition:
        """The rows that hold the cells which were named."""
        known = self.grid.columns[test.column]
        if test.view is not None:
            numbers = tuple(float(link.number) for link in test.links if link.number is not None)
            term = self._view(known, test.view)
            return Condition(term=term, operator="=" if len(numbers) == 1 else "in", values=numbers)
        return self._linked(test.links)

    def _linked(self, links: tuple[CellLink, ...]) -> Condition:
        known = self.grid.columns[links[0].column]
        rows = sorted(frozenset[int]().union(*(link.rows for link in links)))
        return self._any(known, [known.marks[row] for row in rows])

    def _any(self, known: CellColumn, marks: list[object]) -> Condition:
        term = self._term(known)
        values = list(dict.fromkeys(marks))
        dates = [value for value in values if isinstance(value, date)]
        if dates:
            each = [Condition(term=term, operator="=", values=(value.isoformat(),), is_date=True) for value in dates]
            return each[0] if len(each) == 1 else Condition(any_of=tuple(each))
        plain: tuple[Scalar, ...] = tuple(value for value in values if isinstance(value, str | int | float))
        return Condition(term=term, operator="=" if len(plain) == 1 else "in", values=plain)

    def _filled(self, known: CellColumn, rows: tuple[int, ...]) -> list[Condition]:
        """Leaves out cells that say nothing, where there are any."""
        term = self._term(known)
        blank = [known.marks[row] for row in rows if known.cells[row].is_empty]
        found: list[Condition] = []
        if None in blank:
            # A pattern that finds nothing gives an empty text.
            cut = known.part is not None and term.kind == "extract"
            said = Condition(term=term, operator="<>", values=("",))
            found.append(said if cut else Condition(term=term, operator="not null"))
        marks = [mark for mark in dict.fromkeys(blank) if mark is not None]
        if marks:
            found.append(self._any(known, list(marks)).model_copy(update={"negated": True}))
        return found

    def _place(self, function: str, conditions: list[Condition]) -> Term:
        return Term(kind="scalar", query=self._made([(aggregate(function, PLACE), "place")], conditions, numbered=True))

    # queries

    def _made(self, outputs: list[tuple[Term, str]], conditions: list[Condition], *, numbered: bool = False) -> Select:
        return Select(
            table=self.grid.table,
            outputs=tuple(Output(term=term, alias=alias) for term, alias in outputs),
            conditions=tuple(conditions),
            numbered=numbered or any(map(_uses_place, conditions)),
        )

    def _shown(self, candidate: ProgramCandidate, tests: list[Condition]) -> Select:
        program = candidate.program
        known = self._column(program)
        term = self._term(known) if program.form in {"show", "line"} else self._view(known, program.view)
        if program.form == "line":
            term = Term(kind="extract", value=LINE, arguments=(term,))
        conditions = [*self._picked(program, tests), *self._filled(known, candidate.rows)]
        made = self._made([(term, known.name)], conditions)
        if program.pick in {"first", "last", "nth"}:
            order = (Order(term=PLACE, descending=program.pick == "last"),)
            offset = (program.number or 1) - 1 or None
            return made.model_copy(update={"order": order, "limit": 1, "offset": offset, "numbered": True})
        if len(candidate.rows) > 1:
            # One row for each different cell, in the order of the table.
            order = (Order(term=aggregate("min", PLACE)),)
            return made.model_copy(update={"groups": (term,), "order": order, "numbered": True})
        return made

    def _picked(self, program: Program, tests: list[Condition]) -> list[Condition]:
        match program.pick:
            case "next" | "previous":
                forward = program.pick == "next"
                anchor = self._place("max" if forward else "min", tests)
                beside = _arithmetic("+" if forward else "-", anchor, _ONE)
                return [Condition(term=_arithmetic("-", PLACE, beside), operator="=", values=(0,))]
            case "max" | "min":
                assert program.key is not None  # an extreme has a column
                key = self._view(self.grid.columns[program.key], program.key_view)
                inner = self._made([(aggregate(program.pick, key), program.pick)], tests)
                return [*tests, Condition(term=key, operator="=", query=inner)]
            case _:
                return tests

    def _extreme_group(self, program: Program, conditions: list[Condition]) -> Select:
        known = self._column(program)
        term, measure = self._term(known), ROWS
        if program.key is not None:
            key = self.grid.columns[program.key]
            measure = aggregate("sum", self._view(key, program.key_view))
        order = (Order(term=measure, descending=program.form.startswith("most")),)
        inner = self._made([(measure, "value")], conditions)
        inner = inner.model_copy(update={"groups": (term,), "order": order, "limit": 1})
        made = self._made([(term, known.name)], conditions, numbered=True)
        having = (Condition(term=measure, operator="=", query=inner),)
        return made.model_copy(
            update={"groups": (term,), "having": having, "order": (Order(term=aggregate("min", PLACE)),)}
        )

    def _difference(self, program: Program) -> Select:
        assert program.pair is not None  # a difference has two sides
        sides: list[Term] = []
        for side in program.pair:
            output = (ROWS, "count") if program.form == "count difference" else self._aggregate(program, "sum")
            conditions = [self._test(side), *map(self._test, program.tests)]
            sides.append(Term(kind="scalar", query=self._made([output], conditions)))
        made = self._made([(_absolute(_arithmetic("-", sides[0], sides[1])), "difference")], [])
        return made.model_copy(update={"limit": 1})

    def _verdict(self, program: Program) -> Select:
        """One word where the comparison holds, the other where it does not."""
        verdict = program.verdict
        assert verdict is not None  # a verdict says what is compared
        sides = program.pair or (None, None)
        left = self._measured(program, sides[0], program.column, program.view)
        if verdict.bound is not None:
            right = Term(kind="constant", value=verdict.bound)
        elif program.other is not None:
            right = self._measured(program, None, program.other, program.other_view)
        else:
            right = self._measured(program, sides[1], program.column, program.view)
        holds = Condition(term=left, operator=verdict.operator, other=right)
        yes, no = (
            self._made([(Term(kind="constant", value=word), "verdict")], [test])
            for word, test in zip(verdict.said, (holds, holds.model_copy(update={"negated": True})), strict=True)
        )
        return yes.model_copy(update={"set_operation": "union", "other": no})

    def _measured(self, program: Program, side: RowTest | None, place: int | None, view: View | None) -> Term:
        """What is compared of one side, as one number."""
        assert program.verdict is not None  # only verdicts measure sides
        tests = [*map(self._test, program.tests), *([] if side is None else [self._test(side)])]
        match program.verdict.measure:
            case "place":
                return self._place("min", tests)
            case "rows":
                return Term(kind="scalar", query=self._made([(ROWS, "count")], tests))
            case "value":
                assert place is not None  # a value is one of a column
                known = self.grid.columns[place]
                term = aggregate("max" if known.is_time else "sum", self._view(known, view))
                return Term(kind="scalar", query=self._made([(term, "value")], tests))

    def _same(self, program: Program, candidate: ProgramCandidate) -> Select:
        assert program.other is not None  # what is the same is a column
        anchor = program.tests[0]
        other, known = self.grid.columns[program.other], self._column(program)
        held = self._any(other, [other.marks[row] for row in sorted(anchor.rows) if not other.cells[row].is_empty])
        rest = self._test(replace(anchor, kind="not in"))
        if program.form == "same count":
            return self._made([(ROWS, "count")], [held, rest])
        term = self._term(known)
        made = self._made([(term, known.name)], [held, rest, *self._filled(known, candidate.rows)], numbered=True)
        return made.model_copy(update={"groups": (term,), "order": (Order(term=aggregate("min", PLACE)),)})

    def _groups(self, candidate: ProgramCandidate, tests: list[Condition]) -> Select:
        program = candidate.program
        known = self._column(program)
        term = self._term(known)
        conditions = [*tests, *self._filled(known, candidate.rows)]
        having = (Condition(term=ROWS, operator=">=", values=(program.number or 2,)),)
        made = self._made([(term, known.name)], conditions, numbered=program.form == "groups")
        if program.form == "groups":
            order = (Order(term=aggregate("min", PLACE)),)
            return made.model_copy(update={"groups": (term,), "having": having, "order": order})
        inner = made.model_copy(update={"groups": (term,), "having": having})
        several = Condition(term=term, operator="in", query=inner)
        return self._made([(aggregate("count", term, distinct=True), f"count of {known.name}")], [*conditions, several])


def _all(conditions: list[Condition]) -> Condition:
    """Conditions that must all hold, as one: not one of their opposites holds."""
    if len(conditions) == 1:
        return conditions[0]
    return Condition(
        any_of=tuple(each.model_copy(update={"negated": not each.negated}) for each in conditions), negated=True
    )


def _found(term: Term, pattern: str) -> Term:
    return Term(kind="number", arguments=(Term(kind="extract", value=pattern, arguments=(term,)),))


def _arithmetic(operation: str, left: Term, right: Term) -> Term:
    return Term(kind="arithmetic", operation=operation, arguments=(left, right))  # pyright: ignore[reportArgumentType]  # only the four signs are written here


def _absolute(term: Term) -> Term:
    return Term(kind="absolute", arguments=(term,))


def _uses_place(condition: Condition) -> bool:
    def inside(term: Term | None) -> bool:
        return term is not None and (term.kind == "place" or any(map(inside, term.arguments)))

    return inside(condition.term) or any(map(_uses_place, condition.any_of))
