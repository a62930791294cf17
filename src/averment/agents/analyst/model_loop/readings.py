"""The witness: what the embedded readers made of the same question, and whether it comes to the same result.

Two readers that know nothing of each other and come to the same rows are seldom both wrong. Columns that only one of
them shows do not matter, nor does the order of the rows; every row and every shared value does.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from averment.agents.analyst.skill import QUERY
from averment.errors import PolicyError, ToolError
from averment.reading.schema.result_values import plain_rows

if TYPE_CHECKING:
    from averment.runtime.decisions import Planned
    from averment.runtime.run_context import RunContext

MOST_ROWS = 2_000
MOST_TRIES = 2_000
"""Ways to lay the columns of two results on each other that are tried."""


@dataclass(frozen=True, kw_only=True)
class ReadingOutcome:
    """What one reading of the question gives; ``sure`` where the readers would have answered with it."""

    said: str
    columns: tuple[str, ...]
    rows: list[list[Any]]
    plan: dict[str, Any] | None
    sure: bool
    odds: float = 0.0
    left: tuple[str, ...] = ()


def readings_of(work: RunContext, planned: Planned) -> list[ReadingOutcome]:
    """What the readers read, the best first: their answer, or the readings they would offer."""
    if planned.outcome == "planned":
        found = _answered(work, planned)
        return [] if found is None else [found]
    left = tuple(planned.reading.get("left", ()))
    return [
        ReadingOutcome(
            said=offer["read_back"],
            columns=tuple(offer["columns"]),
            rows=[list(row) for row in offer["rows"]],
            plan=offer["plan"],
            sure=False,
            odds=float(offer.get("odds", 0.0)),
            left=left,
        )
        for offer in planned.reading.get("offers", ())
        if offer["row_count"] == len(offer["rows"])
    ]


def _answered(work: RunContext, planned: Planned) -> ReadingOutcome | None:
    query = next((task for task in planned.parsed().subtasks if task.task_id == QUERY), None)
    if query is None or query.tool_name != "sql.run":
        return None
    try:
        table = work.queries.probe(
            query.arguments["query"], query.arguments["params"], row_limit=MOST_ROWS, timeout=10.0
        ).table
    except (ToolError, PolicyError):
        return None
    body = planned.reading.get("reading", {})
    return ReadingOutcome(
        said=str(planned.reading.get("read_as", "")),
        columns=tuple(table.column_names),
        rows=plain_rows(table),
        plan=body.get("plan"),
        sure=True,
        odds=float(planned.reading.get("odds") or 1.0),
    )


def same_result(one: Sequence[Sequence[Any]], other: Sequence[Sequence[Any]]) -> bool:
    """Whether two results say the same: the same rows in any order, columns that only one of them has left aside."""
    if len(one) != len(other):
        return False
    if not one:
        return True
    narrow, wide = (one, other) if len(one[0]) <= len(other[0]) else (other, one)
    columns = [Counter(map(_key, column)) for column in zip(*wide, strict=True)]
    wanted = [Counter(map(_key, column)) for column in zip(*narrow, strict=True)]
    places = [[at for at, column in enumerate(columns) if column == each] for each in wanted]
    if not all(places):
        return False
    rows = Counter(tuple(map(_key, row)) for row in narrow)
    return _laid(places, wide, rows, [], [0])


def _laid(
    places: list[list[int]],
    wide: Sequence[Sequence[Any]],
    rows: Counter[tuple[str, ...]],
    taken: list[int],
    tries: list[int],
) -> bool:
    """Whether some way to choose columns of the wider result gives the rows of the narrower one."""
    if len(taken) == len(places):
        tries[0] += 1
        return Counter(tuple(_key(row[at]) for at in taken) for row in wide) == rows
    return any(
        _laid(places, wide, rows, [*taken, at], tries)
        for at in places[len(taken)]
        if at not in taken and tries[0] < MOST_TRIES
    )


def _key(value: Any) -> str:
    if isinstance(value, bool):
        return str(int(value))
    if isinstance(value, int | float) and math.isfinite(value):
        return f"{float(value):.9g}"
    return str(value).removesuffix("T00:00:00")  # A day and its midnight are the same moment.
