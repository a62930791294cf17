"""Plans that are almost right: a right plan with one part changed, as something to tell it from.

The reader's own mistakes are few a question, and of a few kinds. A right plan in which a condition is lost, a column is
another one or a ranking is turned about shows what each word of the question stands for. No change here keeps the
meaning, whatever the rows say: what only shows more, or leaves out repetitions, is not among them.
"""

from __future__ import annotations

import copy
import json
import random
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from pydantic import ValidationError

from averment.errors import AvermentError
from averment.plans.plan import Plan
from averment.plans.readback import read_back

Body = dict[str, Any]

_FUNCTIONS = ("sum", "mean", "min", "max", "distinct")
_TURNED = {">": "<", "<": ">", ">=": "<=", "<=": ">=", "=": "!=", "!=": "=", "in": "not in", "not in": "in"}
_PARTS = ("where", "by", "show", "measures", "having", "order", "rank", "combine", "window", "over_groups")


def columns_used(plans: Sequence[Body]) -> dict[str, list[str]]:
    """Of each table the columns that some plan uses."""
    found: dict[str, set[str]] = {}
    for plan in plans:
        for node in _nodes(plan):
            found.setdefault(node["table"], set()).add(node["column"])
    return {table: sorted(columns) for table, columns in found.items()}


def altered(plan: Body, columns: dict[str, list[str]], most: int, rng: random.Random) -> list[str]:
    """Read-backs of up to so many plans that differ from this one in one part."""
    found: dict[str, None] = {}
    own = said(plan)
    for _ in range(4 * most):
        made = copy.deepcopy(plan)
        change: Callable[[Body, dict[str, list[str]], random.Random], bool] = rng.choice(_CHANGES)
        if not change(made, columns, rng):
            continue
        text = said(made)
        if text is not None and text != own:
            found[text] = None
        if len(found) == most:
            break
    return list(found)


def said(plan: Body) -> str | None:
    """The read-back of a plan; None where it is no plan."""
    try:
        return read_back(Plan.model_validate(plan))
    except (ValidationError, AvermentError, LookupError, ValueError):
        return None


def _nodes(body: Any) -> Iterator[Body]:
    """Every part of a plan that is a column."""
    if isinstance(body, dict):
        if isinstance(body.get("table"), str) and isinstance(body.get("column"), str):
            yield body
        for each in body.values():
            yield from _nodes(each)
    elif isinstance(body, list):
        for each in body:
            yield from _nodes(each)


def _tests(body: Any) -> Iterator[Body]:
    if isinstance(body, dict):
        if "to" in body or "inner" in body or "other" in body:
            yield body
        for each in body.values():
            yield from _tests(each)
    elif isinstance(body, list):
        for each in body:
            yield from _tests(each)


def _other_column(plan: Body, columns: dict[str, list[str]], rng: random.Random) -> bool:
    nodes = [node for node in _nodes(plan) if len(columns.get(node["table"], ())) > 1]
    if not nodes:
        return False
    node = rng.choice(nodes)
    was = node["column"]
    now = rng.choice([column for column in columns[node["table"]] if column != was])
    alike = rng.random() < 0.7  # where it stands twice, as in a figure and a bound on it, both change
    for each in nodes if alike else [node]:
        if each["column"] == was and each["table"] == node["table"]:
            each["column"] = now
    return True


def _part_lost(plan: Body, columns: dict[str, list[str]], rng: random.Random) -> bool:
    parts = [part for part in _PARTS if plan.get(part)]
    if not parts:
        return False
    part = rng.choice(parts)
    if isinstance(plan[part], list) and part != "order":
        plan[part].pop(rng.randrange(len(plan[part])))
    else:
        plan.pop(part)
    if not plan.get("measures") and not plan.get("show") and not plan.get("statistic"):
        plan["measures"] = [{"function": "rows"}]
    return True


def _other_function(plan: Body, columns: dict[str, list[str]], rng: random.Random) -> bool:
    measures: list[Body] = plan.get("measures", [])
    if not measures:
        return False
    measure = rng.choice(measures)
    if measure.get("of"):
        measure["function"] = rng.choice([each for each in _FUNCTIONS if each != measure["function"]])
        if rng.random() < 0.25:
            measure["function"] = "rows"
            measure.pop("of")
        return True
    pairs = [(table, column) for table, held in columns.items() for column in held if table == plan["table"]]
    if not pairs:
        return False
    table, column = rng.choice(pairs)
    measure.update(function=rng.choice(_FUNCTIONS), of={"table": table, "column": column})
    return True


def _turned_test(plan: Body, columns: dict[str, list[str]], rng: random.Random) -> bool:
    tests = list(_tests(plan))
    if not tests:
        return False
    test = rng.choice(tests)
    held = test.get("to")
    if held and isinstance(held[0], int | float) and rng.random() < 0.4:
        test["to"] = [held[0] + rng.choice((-1, 1, 10, 100)), *held[1:]]
        return True
    turned = _TURNED.get(test.get("operator", "="))
    test["operator"] = turned
    return turned is not None


def _other_rank(plan: Body, columns: dict[str, list[str]], rng: random.Random) -> bool:
    rank = plan.get("rank")
    if rank is None:
        if plan.get("order") and rng.random() < 0.5:
            plan["order"][0]["descending"] = not plan["order"][0].get("descending", False)
            return True
        plan["rank"] = {"limit": rng.choice((1, 1, 3, 5)), "descending": rng.random() < 0.6}
        return bool(plan.get("measures") and plan.get("by"))
    if rng.random() < 0.5:
        rank["descending"] = not rank.get("descending", True)
    else:
        rank["limit"] = rng.choice([limit for limit in (1, 2, 3, 5, 10) if limit != rank.get("limit", 1)])
    return True


def _other_shape(plan: Body, columns: dict[str, list[str]], rng: random.Random) -> bool:
    """A number of rows for a list, a list for a figure, groups for one figure."""
    pairs = [(table, column) for table, held in columns.items() for column in held if table == plan["table"]]
    if not pairs:
        return False
    table, column = rng.choice(pairs)
    node = {"table": table, "column": column}
    if plan.get("show"):
        for part in ("show", "order", "rank", "distinct"):
            plan.pop(part, None)
        plan.update(measures=[{"function": "rows"}], expects="figure")
        return True
    if plan.get("by"):
        plan.setdefault("measures", [])
        plan.update(show=plan["by"], distinct=True, expects="list")
        for part in ("by", "measures", "having", "rank", "order", "window"):
            plan.pop(part, None)
        return True
    if not plan.get("measures"):
        return False
    plan.pop("expects", None)
    if rng.random() < 0.5:
        plan["by"] = [node]
    else:
        plan.pop("measures")
        plan.update(show=[node], expects="list")
    return True


_CHANGES = (
    _other_column,
    _other_column,
    _part_lost,
    _part_lost,
    _other_function,
    _turned_test,
    _other_rank,
    _other_shape,
)


def lifted(query: str, catalog: Any) -> Body | None:
    """A query as a plan, where it is like one."""
    from averment.plans.lift import lift_sql

    try:
        body = lift_sql(query, catalog, catalog.dialect)
    except (AvermentError, LookupError, RuntimeError, ValueError, TypeError):
        return None
    return None if body is None else json.loads(json.dumps(body, default=str))
