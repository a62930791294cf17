"""What a plan demands of a query beyond its words: enforced on the query that is about to run, whoever wrote it.

Three demands are known: "filter before aggregate", "WHERE condition [AND condition …]", and "group by column before
sum". A repair may rewrite a query, a model may propose one; neither can lose the filter or the grouping that the plan
was made for.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import TYPE_CHECKING

from averment.errors import PlanInvalid

if TYPE_CHECKING:
    from sqlglot import exp
    from sqlglot.expressions.core import Expr

FILTER_FIRST = "filter before aggregate"
_GROUPED = re.compile(r"group by (?P<column>[\w .\"]+) before (?P<function>\w+)", re.IGNORECASE)
_WHERE = re.compile(r"where (?P<condition>.+)", re.IGNORECASE | re.DOTALL)


def check_invariants(sql: str, invariants: Iterable[str], dialect: str) -> None:
    """Pass a query that keeps every demand.

    Raises:
        PlanInvalid: it breaks one, or one is not of a known form.
    """
    for demand in invariants:
        if not _holds(sql, demand.strip(), dialect):
            raise PlanInvalid(
                f"The query does not meet a requirement of the plan: {demand}.",
                hint="Keep the plan's filter and grouping.",
                details={"invariant": demand},
            )


def _holds(sql: str, demand: str, dialect: str) -> bool:
    from sqlglot import exp, parse_one

    tree = parse_one(sql, dialect=dialect)
    if demand.casefold() == FILTER_FIRST:
        # A yardstick inside a condition, such as the highest of all rows, is not what is filtered.
        asked = [select for select in tree.find_all(exp.Select) if _aggregates(select) and not _is_yardstick(select)]
        return not asked or any(_is_filtered(select) for select in asked)
    grouped = _GROUPED.fullmatch(demand)
    if grouped is not None:
        wanted = grouped["column"].strip().strip('"').casefold()
        keys = [key for group in tree.find_all(exp.Group) for key in group.expressions]
        names = {name.name.casefold() for key in keys for name in key.find_all(exp.Column)}
        shown = {alias.alias.casefold() for alias in tree.find_all(exp.Alias)}
        return wanted in names or (bool(keys) and wanted in shown)
    where = _WHERE.fullmatch(demand)
    if where is None:
        raise PlanInvalid(
            f"The plan has a requirement that cannot be checked: {demand}.", hint=f"Known: {FILTER_FIRST}, WHERE …"
        )
    wanted_parts = _parts(parse_one(where["condition"], dialect=dialect))
    there = {part for each in tree.find_all(exp.Where) for part in _parts(each.this)}
    return wanted_parts <= there


def _aggregates(select: exp.Select) -> bool:
    from sqlglot import exp

    return any(
        found.find_ancestor(exp.Select) is select and found.find_ancestor(exp.Window) is None
        for found in select.find_all(exp.AggFunc)
    )


def _is_yardstick(select: exp.Select) -> bool:
    """Whether a select stands inside a condition, where it gives something to compare rows with."""
    from sqlglot import exp

    return select.find_ancestor(exp.Where, exp.Having, exp.Qualify) is not None


def _is_filtered(select: exp.Select, passed: frozenset[str] = frozenset()) -> bool:
    """Whether rows are filtered in the select itself or in what it reads from, however many steps before."""
    from sqlglot import exp

    if any(each.args.get("where") is not None for each in select.find_all(exp.Select)):
        return True
    if any(found.find_ancestor(exp.Select) is select for found in select.find_all(exp.Filter)):
        return True
    named = {table.name.casefold() for table in select.find_all(exp.Table)} - passed
    return any(
        _is_filtered(inner, passed | {cte.alias.casefold()})
        for cte in select.root().find_all(exp.CTE)
        if cte.alias.casefold() in named
        for inner in cte.this.find_all(exp.Select)
    )


def _parts(condition: Expr) -> set[str]:
    """The conditions that are joined by AND, in one spelling."""
    from sqlglot import exp

    bare = condition.this if isinstance(condition, exp.Paren) else condition
    if isinstance(bare, exp.And):
        return _parts(bare.left) | _parts(bare.right)
    plain = bare.copy()
    for column in plain.find_all(exp.Column):
        column.set("table", None)
        column.this.set("quoted", False)
    return {plain.sql(normalize=True).casefold()}
