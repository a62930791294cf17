"""Pictures of boxes in columns with curves between them, as the pages draw them in SVG."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Generic, TypeVar

Box = TypeVar("Box")


@dataclass(frozen=True, kw_only=True)
class Drawing(Generic[Box]):
    """A picture of boxes; what runs between them, each kind of picture adds."""

    width: int
    height: int
    box_width: int
    boxes: tuple[Box, ...]


def curve(x1: int, y1: int, x2: int, y2: int, bend: int) -> str:
    """The path from one point to another that runs level at both, and turns where it bends."""
    return f"M{x1} {y1}C{bend} {y1} {bend} {y2} {x2} {y2}"


def shortened(text: str, letters: int) -> str:
    """The text, cut where it has more letters than fit."""
    return text if len(text) <= letters else text[: letters - 1] + "…"
