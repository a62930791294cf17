"""What a query over several tables asks, as frozen records: terms, conditions, joins and the select made of them.

The records travel as JSON inside a plan, so a resumed run composes exactly the query that was read.
"""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field

from averment.records.base import Record

Part = Literal[
    "day",
    "week",
    "month",
    "quarter",
    "year",
    "year_number",
    "month_number",
    "day_number",
    "hour_number",
    "weekday_number",
    "month_name",
    "weekday_name",
    "weekend_name",
]
Arithmetic = Literal["-", "+", "/", "*"]
Operator = Literal[
    "=", "<>", "<", "<=", ">", ">=", "between", "contains", "starts", "ends", "in", "not in", "null", "not null"
]
TermKind = Literal[
    "column",
    "rows",
    "aggregate",
    "part",
    "number",
    "length",
    "arithmetic",
    "share",
    "place",
    "scalar",
    "constant",
    "absolute",
    "extract",
    "days",
    "rounded",
    "date",
    "seconds",
    "rank",
    "before",
    "bucket",
]
Scalar = str | int | float | bool


class Term(Record):
    """Something a query computes.

    ``column`` is a column of a table; ``rows`` counts rows; ``aggregate`` applies ``function`` to its argument;
    ``part`` cuts a date, and with ``value`` is the fiscal year that begins with that month; ``number`` reads the
    first number of a text; ``length`` is a text's length; ``arithmetic`` joins its two arguments by ``operation``;
    ``share`` divides the argument by its total over all groups; ``place`` is a row's place in its table; ``scalar``
    is the one value a select returns; ``constant`` is ``value``; ``absolute`` drops the sign; ``extract`` is what
    the first group of the pattern ``value`` finds in a text; ``days`` counts the days from its first argument to
    its second; ``rounded`` keeps ``value`` decimals; ``date`` reads a text of month, day and year parted by
    strokes; ``seconds`` counts the seconds from its first argument to its second; ``rank`` is a row's place by its
    argument, the greatest first; ``before`` is its first argument in the row before, by the order of the second and
    within the groups of the others; ``bucket`` is the greatest multiple of ``value`` that is not above its
    argument. With ``conditions`` a count or an aggregate takes only the rows that meet them all.
    """

    kind: TermKind
    table: str | None = None
    column: str | None = None
    function: str | None = Field(default=None, pattern="^[a-z_]+$")
    distinct: bool = False
    part: Part | None = None
    operation: Arithmetic | None = None
    value: Scalar | None = None
    arguments: tuple[Term, ...] = ()
    query: Select | None = None
    conditions: tuple[Condition, ...] = ()


class Condition(Record):
    """A test of a term against values, another term or a query, or a choice of conditions of which one must hold.

    Each of ``all_of`` must hold as well; it lets a choice be made between groups of tests.
    """

    term: Term | None = None
    operator: Operator = "="
    values: tuple[Scalar, ...] = ()
    query: Select | None = None
    nested: dict[str, Any] | None = Field(default=None, description="A layered query's JSON, for ``in`` and figures.")
    other: Term | None = None
    is_date: bool = False
    any_of: tuple[Condition, ...] = ()
    all_of: tuple[Condition, ...] = ()
    negated: bool = False


class Join(Record):
    """Two tables joined where two columns are equal; ``outer`` keeps rows of the left one that have no partner."""

    left: str
    left_column: str
    right: str
    right_column: str
    outer: bool = False


class Output(Record):
    """A term in the result, under a heading."""

    term: Term
    alias: str


class Order(Record):
    """A term the rows are sorted by."""

    term: Term
    descending: bool = False


class Select(Record):
    """One query. ``table`` comes first, ``joins`` bring the others; ``union`` and the like take ``other``'s rows.

    With ``numbered`` each row of the one table knows its place, counted from one, for ``place`` terms.
    """

    table: str
    joins: tuple[Join, ...] = ()
    outputs: tuple[Output, ...]
    conditions: tuple[Condition, ...] = ()
    groups: tuple[Term, ...] = ()
    having: tuple[Condition, ...] = ()
    order: tuple[Order, ...] = ()
    limit: int | None = None
    offset: int | None = None
    distinct: bool = False
    numbered: bool = False
    set_operation: Literal["union", "intersect", "except"] | None = None
    other: Select | None = None


def column(table: str, name: str) -> Term:
    """A column of a table."""
    return Term(kind="column", table=table, column=name)


def aggregate(function: str, argument: Term, *, distinct: bool = False) -> Term:
    """An aggregate of a term."""
    return Term(kind="aggregate", function=function, arguments=(argument,), distinct=distinct)


PLACE = Term(kind="place")
"""A row's place in a numbered table."""

ROWS = Term(kind="rows")
"""The count of rows."""

Term.model_rebuild()
Condition.model_rebuild()
