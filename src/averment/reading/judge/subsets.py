"""Lists that tell no more than another: the same columns in another order, or fewer of those that were named."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from averment.plans.plan import Plan
    from averment.reading.reader import Candidate

_NAMED = 0.9


def tells_no_more(first: Candidate, second: Candidate) -> bool:
    """Whether a likelier list holds all that a second one tells of the same rows, and every column of it was named.

    Who gets the names and their courses has the names; of the two only the first uses all that was said.
    """
    one, other = first.plan, second.plan
    if not _is_plain(one) or not _is_plain(other) or not set(other.show) <= set(one.show):
        return False
    if _without_show(one) != _without_show(other):
        return False
    named = {(s.data.table, s.data.name) for s in first.spans if s.type == "COLUMN" and s.strength >= _NAMED}
    more = [value for value in one.show if value not in other.show]
    return all((value.table, value.column) in named for value in more)


def _is_plain(plan: Plan) -> bool:
    figures = plan.measures or plan.by or plan.statistic is not None or plan.query is not None
    return bool(plan.show) and not figures and not plan.order and plan.combine is None and plan.asks is None


def _without_show(plan: Plan) -> Plan:
    joins = tuple(sorted(plan.joins, key=repr))
    return plan.model_copy(update={"show": (), "joins": joins, "expects": "list"})
