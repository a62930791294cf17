"""Queries that a reader composed where no other part of a plan says what it means: their words and their columns.

Such a plan is opaque to edits, but not to a person or to the checks: it is said in words, its columns are known, and it
is compiled, run and proven like any other.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from averment.plans.registry import aggregate_of_sql

if TYPE_CHECKING:
    from averment.tables.compose.select_spec import Condition, Output, Select, Term

_PARTS = {"year_number": "year", "month_name": "month name", "weekday_name": "weekday"}
_SETS = {"union": "together with", "intersect": "that are also among", "except": "that are not among"}


_SAID = {
    ">": "is more than",
    "<": "is less than",
    ">=": "is at least",
    "<=": "is at most",
    "=": "is the same as",
    "<>": "is not the same as",
}


def describe(select: Select) -> str:
    """A query in words."""
    if _is_verdict(select):
        return f"whether {_compared(select.conditions[0])}, in {select.table}"
    shown = [_shown(output) for output in select.outputs if output.term not in select.groups or not select.groups]
    by = [output.alias for output in select.outputs if select.groups and output.term in select.groups]
    parts = [", ".join(shown) or ", ".join(by)]
    if by and shown:
        parts.append(f"by {' and '.join(by)}")
    parts += [f"where {_condition(condition)}" for condition in (*select.conditions, *select.having)]
    if select.order:
        first = select.order[0]
        way = "highest" if first.descending else "lowest"
        parts.append(f"{way} {_term(first.term)} first" + (f", {select.limit} shown" if select.limit else ""))
    tables = [select.table, *(join.right for join in select.joins)]
    said = f"{', '.join(part for part in parts if part)}, in {' with '.join(tables)}"
    if select.set_operation and select.other is not None:
        said += f", {_SETS[select.set_operation]} {describe(select.other)}"
    return said


def _is_verdict(select: Select) -> bool:
    """Whether a query gives one word where a comparison holds, and another where it does not."""
    other = select.other
    words = [each.outputs[0].term.kind for each in (select, other) if each is not None and len(each.outputs) == 1]
    return select.set_operation == "union" and words == ["constant", "constant"] and len(select.conditions) == 1


def _compared(condition: Condition) -> str:
    """Both sides of a comparison, each by what is counted or taken and of which rows."""
    if condition.term is None or condition.other is None:
        return _condition(condition)
    sides = [_side(term) for term in (condition.term, condition.other)]
    return f"{sides[0]} {_SAID.get(condition.operator, condition.operator)} {sides[1]}"


def _side(term: Term) -> str:
    query = term.query
    if term.kind != "scalar" or query is None:
        return _term(term)
    said = " and ".join(_condition(each) for each in query.conditions)
    shown = ", ".join(_term(output.term) for output in query.outputs)
    return f"the {shown} where {said}" if said else f"the {shown}"


def _shown(output: Output) -> str:
    """What is shown; a formula behind its name, so that a reader sees how it is computed."""
    if output.term.kind in {"arithmetic", "rank"} or (output.term.kind == "aggregate" and output.term.conditions):
        return f"{output.alias} ({_term(output.term)})"
    return output.alias


def _term(term: Term) -> str:
    match term.kind:
        case "column":
            return term.column or ""
        case "rows":
            return " where ".join(("count", *map(_condition, term.conditions)))
        case "aggregate" if term.conditions:
            plain = _term(term.model_copy(update={"conditions": ()}))
            return f"{plain} where {' and '.join(map(_condition, term.conditions))}"
        case "aggregate":
            known = aggregate_of_sql(term.function or "")
            function = known.said if known is not None else "count of"
            return f"{'distinct ' if term.distinct else ''}{function} {_term(term.arguments[0])}"
        case "part":
            return f"{_PARTS.get(term.part or '', term.part or '')} of {_term(term.arguments[0])}"
        case "scalar":
            return describe(term.query) if term.query else ""
        case "arithmetic":
            return f" {term.operation} ".join(map(_term, term.arguments))
        case "constant":
            return str(term.value)
        case "place":
            return "place in the table"
        case "days" | "seconds":
            return f"{term.kind} from {' to '.join(map(_term, term.arguments))}"
        case _:
            return " ".join(map(_term, term.arguments))


def _condition(condition: Condition) -> str:
    if condition.all_of:
        said = " and ".join(map(_condition, condition.all_of))
    elif condition.any_of:
        said = " or ".join(map(_condition, condition.any_of))
    else:
        assert condition.term is not None  # a plain condition tests a term
        values = " and ".join(map(str, condition.values))
        if condition.query is not None:
            values = f"({describe(condition.query)})"
        elif condition.other is not None:
            values = _term(condition.other)
        said = f"{_term(condition.term)} {condition.operator} {values}".rstrip()
    return f"not ({said})" if condition.negated else said


def columns_of(select: Select) -> Iterator[tuple[str, str]]:
    """Every (table, column) that a query reads."""
    terms = [*(output.term for output in select.outputs), *select.groups, *(order.term for order in select.order)]
    for term in terms:
        yield from _term_columns(term)
    for condition in (*select.conditions, *select.having):
        yield from _condition_columns(condition)
    for join in select.joins:
        yield join.left, join.left_column
        yield join.right, join.right_column
    if select.other is not None:
        yield from columns_of(select.other)


def _term_columns(term: Term) -> Iterator[tuple[str, str]]:
    if term.kind == "column" and term.table is not None and term.column is not None:
        yield term.table, term.column
    for each in term.arguments:
        yield from _term_columns(each)
    for condition in term.conditions:
        yield from _condition_columns(condition)
    if term.query is not None:
        yield from columns_of(term.query)


def _condition_columns(condition: Condition) -> Iterator[tuple[str, str]]:
    for term in (condition.term, condition.other):
        if term is not None:
            yield from _term_columns(term)
    for each in (*condition.any_of, *condition.all_of):
        yield from _condition_columns(each)
    if condition.query is not None:
        yield from columns_of(condition.query)
