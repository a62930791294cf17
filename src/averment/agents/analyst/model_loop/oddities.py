"""What is odd about a submitted result: empty, without values, cut, or summed over rows that a join multiplied.

Odd is not wrong: the model is told once, and what it then submits again stands.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from averment.agents.analyst.model_loop.cards import ModelView
    from averment.agents.analyst.model_loop.submission import CheckedSubmission

_ADDED = re.compile(r"\b(?:sum|avg|mean|total)\s*\(\s*(?:(\w+)\.)?\"?(\w+)\"?\s*\)", re.IGNORECASE)
_LITERAL = re.compile(r"\"?(\w+)\"?\s*=\s*'((?:[^']|'')*)'")
MOST_NEAR = 3


def oddities(view: ModelView, checked: CheckedSubmission) -> list[dict[str, Any]]:
    """What a careful analyst would look at again, in plain words."""
    found: list[dict[str, Any]] = []
    table = checked.table
    sql = _sql_of(checked)
    if table is None:
        return found
    if table.num_rows == 0:
        found.append({"what": "the result has no row", **_near_values(view, sql)})
    empty = [name for name in table.column_names if table.num_rows and table.column(name).null_count == table.num_rows]
    if empty:
        found.append({"what": f"there is no value at all under {', '.join(empty)}"})
    if checked.truncated and view.work.request.constraints.row_limit <= table.num_rows:
        found.append({"what": "the result was cut at the row limit"})
    multiplied = _multiplied(view, checked, sql)
    if multiplied:
        found.append(
            {"what": f"{multiplied} is added up or averaged after a join in which one of its rows may stand many times"}
        )
    return found


def _sql_of(checked: CheckedSubmission) -> str:
    tasks = checked.body.get("tasks") or []
    return " ".join(str(task["arguments"].get("query", "")) for task in tasks)


def _near_values(view: ModelView, sql: str) -> dict[str, Any]:
    """Literals of the query that stand nowhere in their column, each with the values nearest to it."""
    import difflib

    told: dict[str, list[str]] = {}
    for name, literal in _LITERAL.findall(sql):
        columns = [column for column in view.schema.columns if column.name.casefold() == name.casefold()]
        held = [(column, str(value)) for column in columns for value in column.values]
        if not held or any(value == literal for _, value in held):
            continue
        near = difflib.get_close_matches(literal, [value for _, value in held], n=MOST_NEAR, cutoff=0.5)
        same = [value for _, value in held if value.casefold() == literal.casefold()]
        shown = [value for value in dict.fromkeys(same or near) if _may_see(view, held, value)]
        told[literal] = shown
    return {"not_in_the_data": told} if told else {}


def _may_see(view: ModelView, held: list[tuple[Any, str]], value: str) -> bool:
    column = next(column for column, each in held if each == value)
    seen = view.may_see(column.table, column.name)
    if seen:
        view.privacy.shown.add(value)
    return seen


def _multiplied(view: ModelView, checked: CheckedSubmission, sql: str) -> str | None:
    """A column of the one side of a join that is summed while the many side is joined too."""
    if len(checked.tables) < 2 or re.search(r"\bdistinct\b", sql, re.IGNORECASE):
        return None
    inner = sql.upper().count("SELECT") > 1
    for _, name in _ADDED.findall(sql):
        for one in view.schema.relations:
            if not {one.left, one.right} <= set(checked.tables) or inner:
                continue
            right, left = view.schema.tables[one.right], view.schema.tables[one.left]
            there = any(column.name.casefold() == name.casefold() for column in right.columns)
            here = any(column.name.casefold() == name.casefold() for column in left.columns)
            key = view.schema.column(one.left, one.left_column)
            if there and not here and key is not None and not key.is_unique:
                return name
    return None
