"""How a question was read: the query, its picture and its words, as it travels with the plan."""

from __future__ import annotations

from typing import Literal

from averment.records.base import Record
from averment.tables.select_spec import Condition, Output, Select, Term

_FUNCTIONS = {
    "sum": "total",
    "avg": "average",
    "min": "minimum",
    "max": "maximum",
    "median": "median",
    "count": "count of",
    "stddev": "standard deviation of",
}
_PARTS = {"year_number": "year", "month_name": "month name", "weekday_name": "weekday"}


PictureType = Literal["bar", "line", "pie", "scatter"]


class Picture(Record):
    """The chart that shows the result."""

    type: PictureType
    x: str
    y: str
    series: str | None = None


class QueryReading(Record):
    """A question read as one query."""

    select: Select
    picture: Picture | None = None
    unread: tuple[str, ...] = ()

    def in_words(self) -> str:
        """What will be computed, in words."""
        return describe(self.select)

    @property
    def labels(self) -> tuple[str, ...]:
        """The headings of what the answer is split by or lists."""
        return tuple(o.alias for o in self.select.outputs if o.term.kind in {"column", "part"})

    @property
    def measures(self) -> tuple[str, ...]:
        """The headings of what is computed."""
        return tuple(o.alias for o in self.select.outputs if o.term.kind not in {"column", "part"})


def describe(select: Select) -> str:
    """A query in words."""
    shown = [_shown(output) for output in select.outputs if output.term not in select.groups or not select.groups]
    by = [output.alias for output in select.outputs if select.groups and output.term in select.groups]
    parts = [", ".join(shown) or ", ".join(by)]
    if by and shown:
        parts.append(f"by {' and '.join(by)}")
    parts += [_condition(condition) for condition in select.conditions]
    parts += [_condition(condition) for condition in select.having]
    if select.order:
        first = select.order[0]
        way = "highest" if first.descending else "lowest"
        parts.append(f"{way} {term_words(first.term)} first" + (f", {select.limit} shown" if select.limit else ""))
    tables = [select.table, *(join.right for join in select.joins)]
    said = f"{', '.join(part for part in parts if part)}, in {' with '.join(tables)}"
    if select.set_operation and select.other is not None:
        joined = {"union": "together with", "intersect": "that are also among", "except": "that are not among"}
        said += f", {joined[select.set_operation]} {describe(select.other)}"
    return said


def _shown(output: Output) -> str:
    """What is shown; a formula behind its name, so that a reader sees how it is computed."""
    if output.term.kind in {"arithmetic", "rank"} or (output.term.kind == "aggregate" and output.term.conditions):
        return f"{output.alias} ({term_words(output.term)})"
    return output.alias


def term_words(term: Term) -> str:
    """A term in words."""
    match term.kind:
        case "column":
            return term.column or ""
        case "rows":
            return " where ".join(("count", *map(_condition, term.conditions)))
        case "aggregate" if term.conditions:
            plain = term_words(term.model_copy(update={"conditions": ()}))
            return f"{plain} where {' and '.join(map(_condition, term.conditions))}"
        case "aggregate":
            function = f"{'distinct ' if term.distinct else ''}{_FUNCTIONS[term.function or 'count']}"
            return f"{function} {term_words(term.arguments[0])}"
        case "part":
            return f"{_PARTS.get(term.part or '', term.part or '')} of {term_words(term.arguments[0])}"
        case "scalar":
            return describe(term.query) if term.query else ""
        case "arithmetic":
            return f" {term.operation} ".join(map(term_words, term.arguments))
        case "constant":
            return str(term.value)
        case "days" | "seconds":
            return f"{term.kind} from {' to '.join(map(term_words, term.arguments))}"
        case "rank":
            return f"rank by {term_words(term.arguments[0])}, the highest first"
        case "before":
            return f"{term_words(term.arguments[0])} of the {term.arguments[1].part or 'row'} before"
        case _:
            return " ".join(map(term_words, term.arguments))


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
            values = term_words(condition.other)
        said = f"{term_words(condition.term)} {condition.operator} {values}".rstrip()
    return f"not ({said})" if condition.negated else said
