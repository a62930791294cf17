"""How the tables of a drill belong together: as a small picture, and as the joins of a metric that was corrected.

An investigation infers relations by itself. Where somebody has said otherwise, the metric is sent as a SELECT that
names its joins, which is how the driller takes them; a table that nothing relates does not take part.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from averment.errors import MetricUnreadable
from averment.faces.web.drill.draft import KeyLink
from averment.faces.web.shell.drawing import Drawing, curve, shortened
from averment.tables.engines.backend import quote

_QUERY = re.compile(r"^\s*(select|with|from)\b", re.IGNORECASE)
BOX_WIDTH, ROW_HEIGHT, HEAD_HEIGHT = 200, 22, 32
GAP_X, GAP_Y, EDGE = 90, 24, 6
LETTERS = 22


@dataclass(frozen=True)
class ColumnLine:
    """One column in a box: its name, its role, and where its line stands."""

    name: str
    label: str
    role: str
    y: int


@dataclass(frozen=True)
class TableBox:
    """One table's place."""

    name: str
    label: str
    x: int
    y: int
    height: int
    rows: tuple[ColumnLine, ...]
    apart: bool


@dataclass(frozen=True)
class Wire:
    """A link as a line between two columns."""

    link: KeyLink
    path: str
    number: int


@dataclass(frozen=True, kw_only=True)
class Diagram(Drawing[TableBox]):
    """The tables, and the links between their columns."""

    wires: tuple[Wire, ...]


def draw_tables(
    tables: Sequence[tuple[str, Sequence[tuple[str, str]]]], links: Sequence[KeyLink], apart: Collection[str] = ()
) -> Diagram:
    """The tables, each with its columns and their roles; those that refer stand left of those referred to."""
    columns = _columns([name for name, _ in tables], links)
    heights: dict[int, int] = {}
    boxes: dict[str, TableBox] = {}
    for name, fields in tables:
        column = columns[name]
        top = EDGE + heights.get(column, 0)
        rows = tuple(
            ColumnLine(field, shortened(field, LETTERS), role, top + HEAD_HEIGHT + number * ROW_HEIGHT)
            for number, (field, role) in enumerate(fields)
        )
        height = HEAD_HEIGHT + len(rows) * ROW_HEIGHT + 8
        x = EDGE + column * (BOX_WIDTH + GAP_X)
        boxes[name] = TableBox(name, shortened(name, LETTERS), x, top, height, rows, name in apart)
        heights[column] = heights.get(column, 0) + height + GAP_Y
    width = (max(columns.values(), default=0) + 1) * (BOX_WIDTH + GAP_X) - GAP_X + 2 * EDGE
    wires = tuple(
        Wire(link, _path(boxes[link.left], link.left_column, boxes[link.right], link.right_column), number)
        for number, link in enumerate(links)
        if link.left in boxes and link.right in boxes
    )
    height = max(heights.values(), default=GAP_Y) - GAP_Y + 2 * EDGE
    return Diagram(width=width, height=height, box_width=BOX_WIDTH, boxes=tuple(boxes.values()), wires=wires)


def left_out(found: Sequence[KeyLink], links: Sequence[KeyLink], base: str | None = None) -> frozenset[str]:
    """The tables that the found links lead to from the base, and the links in force do not.

    Without a base it is looked at from the tables that refer to others and that nothing refers to.
    """
    referred = {link.right for link in found}
    starts = {base} if base is not None else {link.left for link in found} - referred
    return frozenset(_reached(starts, found) - _reached(starts, links))


def joined_metric(given: str, sql: str, base: str, links: Sequence[KeyLink]) -> str:
    """The metric as a SELECT that joins its base to every table the links lead to.

    Raises:
        MetricUnreadable: the metric is a SELECT of its own, whose joins stand in its text.
    """
    if _QUERY.match(given):
        raise MetricUnreadable(
            "The metric is a SELECT with joins of its own, and the relations were corrected as well.",
            hint="Give the aggregate alone, such as SUM(amount), or take the relations as they were found.",
        )
    joins, there = "", {base}
    waiting = list(links)
    while step := next((link for link in waiting if link.left in there and link.right not in there), None):
        waiting.remove(step)
        there.add(step.right)
        joins += (
            f" LEFT JOIN {quote(step.right)} ON {quote(step.left)}.{quote(step.left_column)}"
            f" = {quote(step.right)}.{quote(step.right_column)}"
        )
    return f"SELECT {sql} FROM {quote(base)}{joins}" if joins else given


def _reached(starts: Collection[str], links: Sequence[KeyLink]) -> set[str]:
    there = set(starts)
    while step := next((link for link in links if link.left in there and link.right not in there), None):
        there.add(step.right)
    return there


def _columns(tables: Sequence[str], links: Sequence[KeyLink]) -> dict[str, int]:
    """How far right each table stands: one step after the farthest that refers to it; circles are cut."""
    columns = dict.fromkeys(tables, 0)
    for _ in tables:
        for link in links:
            if link.left in columns and link.right in columns and columns[link.right] <= columns[link.left]:
                columns[link.right] = min(columns[link.left] + 1, 3)
    return columns


def _path(left: TableBox, left_column: str, right: TableBox, right_column: str) -> str:
    y1, y2 = _middle(left, left_column), _middle(right, right_column)
    x1, x2 = left.x + BOX_WIDTH, right.x if right.x > left.x else right.x + BOX_WIDTH
    return curve(x1, y1, x2, y2, (x1 + x2) // 2 if right.x > left.x else max(x1, x2) + GAP_X // 2)


def _middle(box: TableBox, column: str) -> int:
    row = next((row for row in box.rows if row.name == column), None)
    return box.y + HEAD_HEIGHT // 2 if row is None else row.y + ROW_HEIGHT // 2
