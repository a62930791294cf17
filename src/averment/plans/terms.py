"""Values, tests and measures of a plan as the terms and conditions that selects are composed of."""

from __future__ import annotations

import re
from datetime import date, timedelta
from typing import TYPE_CHECKING, Literal

from averment.errors import InvalidArguments
from averment.plans.registry import AGGREGATES
from averment.tables.compose.select_spec import ROWS, Condition, Term, aggregate
from averment.tables.compose.select_spec import Part as TermPart

if TYPE_CHECKING:
    from averment.plans.plan import Measure, Test, Value

_PARTS: dict[str, TermPart] = {
    "year": "year_number",
    "quarter": "quarter",
    "month": "month",
    "week": "week",
    "day": "day",
    "hour": "hour_number",
    "month_of_year": "month_name",
    "weekday": "weekday_name",
    "weekend": "weekend_name",
    "day_of_month": "day_number",
}
_SECONDS = {"seconds": 1, "minutes": 60, "hours": 3600}
PIECES = {
    "domain": r"@([A-Za-z0-9.-]+)$",
    "area_code": r"(?:^|[^0-9])([2-9][0-9]{2})[^0-9]*[0-9]{3}[^0-9]*[0-9]{4}$",
    "first_letter": r"^(.)",
    "first_word": r"^([^ ]+)",
    "last_word": r"([^ ]+)$",
}
"""How the pieces of a text are found."""

_DATE = re.compile(r"^\d{4}-\d{2}-\d{2}")


def term(value: Value) -> Term:
    """A value of a row as a term."""
    match value.kind:
        case "column":
            return Term(kind="column", table=value.table, column=value.column)
        case "part":
            return _part(value)
        case "arithmetic":
            left, right = (term(each) for each in value.operands)
            return Term(kind="arithmetic", operation=value.operation, arguments=(left, right))
        case "number":
            return Term(kind="constant", value=value.number)
        case "days":
            return Term(kind="days", arguments=tuple(term(each) for each in value.operands))
        case "seconds" | "minutes" | "hours":
            seconds = Term(kind="seconds", arguments=tuple(term(each) for each in value.operands))
            unit = _SECONDS[value.kind]
            whole = Term(kind="constant", value=unit)
            return seconds if unit == 1 else Term(kind="arithmetic", operation="/", arguments=(seconds, whole))
        case "length":
            return Term(kind="length", arguments=(_column(value),))
        case "bucket":
            return Term(kind="bucket", value=value.width, arguments=(_column(value),))
        case "place":
            return Term(kind="place")
        case "piece":
            return Term(kind="extract", value=PIECES[value.piece or "first_word"], arguments=(_column(value),))
        case "as_number":
            return Term(kind="number", arguments=(_column(value),))


def _column(value: Value) -> Term:
    return Term(kind="column", table=value.table, column=value.column)


def _part(value: Value) -> Term:
    if value.part == "year" and value.number is not None:
        return Term(kind="part", part="year_number", value=int(value.number), arguments=(_column(value),))
    if value.part == "decade":
        year = Term(kind="part", part="year_number", arguments=(_column(value),))
        return Term(kind="bucket", value=10, arguments=(year,))
    return Term(kind="part", part=_PARTS[value.part or "year"], arguments=(_column(value),))


def order_term(value: Value) -> Term | None:
    """What a value is ordered by where its own spelling has no order: months and weekdays by their numbers."""
    if value.kind != "part" or value.part not in {"month_of_year", "weekday"}:
        return None
    part: TermPart = "month_number" if value.part == "month_of_year" else "weekday_number"
    return Term(kind="part", part=part, arguments=(_column(value),))


def condition(test: Test) -> Condition:
    """A test as a condition."""
    if test.any_of or test.all_of:
        return Condition(
            any_of=tuple(condition(each) for each in test.any_of),
            all_of=tuple(condition(each) for each in test.all_of),
            negated=test.negated,
        )
    if test.value is None:
        raise InvalidArguments("A test needs a value to test.")
    left = term(test.value)
    if test.operator == "null":
        return Condition(term=left, operator="not null" if test.negated else "null")
    operator = "<>" if test.operator == "!=" else test.operator
    if test.inner is not None:
        from averment.plans.compile import compile_plan

        query = compile_plan(test.inner).query
        # A ranking's figure stands beside its key; a condition takes the key alone.
        inner = query.model_copy(update={"shown": query.shown[:1]})
        return Condition(term=left, operator=operator, nested=inner.model_dump(mode="json"), negated=test.negated)
    if test.other is not None:
        return Condition(term=left, operator=operator, other=term(test.other), negated=test.negated)
    if not test.to:
        raise InvalidArguments("A test needs a value to compare with.")
    dated = test.value.part in {None, "day", "week", "month", "quarter"} and all(
        isinstance(each, str) and _DATE.match(each) for each in test.to
    )
    if dated and test.value.kind == "column" and operator in _DAYS and all(len(str(each)) == 10 for each in test.to):
        return _whole_days(left, operator, [date.fromisoformat(str(each)) for each in test.to], negated=test.negated)
    return Condition(term=left, operator=operator, values=test.to, is_date=dated, negated=test.negated)


_DAYS = frozenset({"=", "<>", "<", "<=", ">", ">=", "between"})


def _whole_days(left: Term, operator: str, days: list[date], *, negated: bool) -> Condition:
    """A comparison with days that takes each day whole, whether the column holds days or moments."""

    def bound(sign: Literal["<", ">="], day: date) -> Condition:
        return Condition(term=left, operator=sign, values=(day.isoformat(),), is_date=True)

    first, after = days[0], days[-1] + timedelta(days=1)
    if operator in {"=", "<>", "between"}:
        inside = (bound(">=", first), bound("<", after))
        return Condition(all_of=inside, negated=negated != (operator == "<>"))
    made = {"<": bound("<", first), "<=": bound("<", after), ">": bound(">=", after), ">=": bound(">=", first)}
    return made[operator].model_copy(update={"negated": negated})


def only_where(measure: Measure, test: Test) -> Measure:
    """The measure over the rows that meet one more test; what it is divided by is taken over the same rows."""
    from averment.plans.plan import Measure, Test

    if measure.function == "rate":
        known = tuple(
            Test(value=each.value, operator="null", negated=True)
            for part in measure.where
            for each in part.parts()
            if each.operator != "null"
        )
        whole = Measure(function="rows", where=(*known, test))
        return Measure(function="rows", where=(*measure.where, test), over=whole, percent=True)
    over = only_where(measure.over, test) if measure.over is not None else None
    return measure.changed(where=(*measure.where, test), over=over)


def measure_term(measure: Measure) -> Term:
    """A figure as a term."""
    made = _figure(measure)
    if measure.over is not None:
        if measure.percent:
            made = Term(kind="arithmetic", operation="*", arguments=(made, Term(kind="constant", value=100.0)))
        made = Term(kind="arithmetic", operation="/", arguments=(made, measure_term(measure.over)))
    return made


def _figure(measure: Measure) -> Term:
    tests = tuple(condition(each) for each in measure.where)
    if measure.function == "rows":
        return ROWS.model_copy(update={"conditions": tests})
    if measure.function == "rate":
        return _rate(measure, tests)
    if measure.of is None:
        raise InvalidArguments(f"A {measure.function} needs a column or an expression.")
    of = term(measure.of)
    if AGGREGATES[measure.function].counts:
        return aggregate("count", of, distinct=measure.function == "distinct").model_copy(update={"conditions": tests})
    if measure.weight is not None:
        return _weighted(of, term(measure.weight), tests)
    if AGGREGATES[measure.function].placed:
        raise InvalidArguments(f"A {measure.function} cannot be used here.")
    return aggregate(AGGREGATES[measure.function].sql.lower(), of).model_copy(update={"conditions": tests})


def _rate(measure: Measure, tests: tuple[Condition, ...]) -> Term:
    """The percentage of rows for which the tests hold, among those where what they look at is known."""
    known = tuple(
        Condition(term=term(each.value), operator="not null")
        for test in measure.where
        for each in test.parts()
        if each.value is not None and each.operator != "null"
    )
    part = ROWS.model_copy(update={"conditions": tests})
    whole = ROWS.model_copy(update={"conditions": known})
    percent = Term(kind="arithmetic", operation="*", arguments=(part, Term(kind="constant", value=100.0)))
    return Term(kind="arithmetic", operation="/", arguments=(percent, whole))


def _weighted(of: Term, weight: Term, tests: tuple[Condition, ...]) -> Term:
    product = Term(kind="arithmetic", operation="*", arguments=(of, weight))
    known = Condition(term=of, operator="not null")
    above = aggregate("sum", product).model_copy(update={"conditions": tests})
    below = aggregate("sum", weight).model_copy(update={"conditions": (*tests, known)})
    return Term(kind="arithmetic", operation="/", arguments=(above, below))
