"""A plan as a picture: each step a box in the column after the steps it waits for, each dependency a line."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from averment.faces.web.runs.run_steps import StepView
from averment.faces.web.shell.drawing import Drawing, curve, shortened

BOX_WIDTH, BOX_HEIGHT = 184, 46
GAP_X, GAP_Y, EDGE = 48, 16, 6
LABEL_LETTERS = 24


@dataclass(frozen=True)
class StepBox:
    """One step's place."""

    step: StepView
    x: int
    y: int
    label: str


class Arrow(NamedTuple):
    """From the right edge of one box to the left edge of another, as an SVG path."""

    path: str


@dataclass(frozen=True, kw_only=True)
class Graph(Drawing[StepBox]):
    """The steps, and the lines to those that wait for them."""

    lines: tuple[Arrow, ...]
    box_height: int = BOX_HEIGHT


def draw(steps: Sequence[StepView]) -> Graph:
    """The graph of the steps; one that waits for itself or for nothing known stands in the first column."""
    columns = _columns(steps)
    counts: dict[int, int] = {}
    boxes: dict[str, StepBox] = {}
    for step in steps:
        column = columns[step.task_id]
        row = counts.get(column, 0)
        counts[column] = row + 1
        x, y = EDGE + column * (BOX_WIDTH + GAP_X), EDGE + row * (BOX_HEIGHT + GAP_Y)
        boxes[step.task_id] = StepBox(step, x, y, shortened(step.task_id.replace("_", " "), LABEL_LETTERS))
    lines = [
        _line(boxes[name], box)
        for box in boxes.values()
        for name in box.step.dependencies
        if name in boxes and columns[name] < columns[box.step.task_id]
    ]
    width = (max(columns.values(), default=0) + 1) * (BOX_WIDTH + GAP_X) - GAP_X + 2 * EDGE
    height = max(counts.values(), default=1) * (BOX_HEIGHT + GAP_Y) - GAP_Y + 2 * EDGE
    return Graph(width=width, height=height, box_width=BOX_WIDTH, boxes=tuple(boxes.values()), lines=tuple(lines))


def _columns(steps: Sequence[StepView]) -> dict[str, int]:
    columns: dict[str, int] = {}
    left = list(steps)
    while left:
        known = {step.task_id for step in left}
        free = [step for step in left if not known & set(step.dependencies)]
        for step in free or left:  # A circle cannot be ordered; it is shown all the same.
            columns[step.task_id] = max((columns.get(name, -1) + 1 for name in step.dependencies), default=0)
        left = [step for step in left if step.task_id not in columns]
    return columns


def _line(start: StepBox, end: StepBox) -> Arrow:
    x1, y1 = start.x + BOX_WIDTH, start.y + BOX_HEIGHT // 2
    x2, y2 = end.x, end.y + BOX_HEIGHT // 2
    return Arrow(curve(x1, y1, x2, y2, (x1 + x2) // 2))
