"""Which characters of a PDF page nobody sees: white on white, too small to read, or painted with nothing.

Text painted with nothing is kept where a picture lies behind it: that is how scanned pages carry what they say.
"""

from __future__ import annotations

import ctypes
from typing import Any

_WHITE = 250
_SMALLEST = 1.0
"""Points below which a letter is a dot."""

_NOTHING = 3
"""The text render mode that paints neither line nor filling."""

Box = tuple[float, float, float, float]


def hidden_characters(page: Any, layer: Any) -> frozenset[int]:
    """The places in the page's text layer whose character is not seen."""
    from pypdfium2 import raw

    objects = list(page.get_objects(max_depth=5))
    texts = [one for one in objects if one.type == raw.FPDF_PAGEOBJ_TEXT]
    if not any(_is_suspect(one) for one in texts):
        return frozenset()
    grounds = [_box(one) for one in objects if _is_ground(one)]
    pictures = [_box(one) for one in objects if one.type == raw.FPDF_PAGEOBJ_IMAGE]
    return frozenset(
        place for place in range(layer.count_chars()) if _is_hidden(layer, place, [*grounds, *pictures], pictures)
    )


def _is_suspect(one: Any) -> bool:
    from pypdfium2 import raw

    size = ctypes.c_float()
    raw.FPDFTextObj_GetFontSize(one, size)
    small = 0 < size.value * _matrix_scale(one) < _SMALLEST
    return small or raw.FPDFTextObj_GetTextRenderMode(one) == _NOTHING or _is_white(raw.FPDFPageObj_GetFillColor, one)


def _is_hidden(layer: Any, place: int, grounds: list[Box], pictures: list[Box]) -> bool:
    from pypdfium2 import raw

    text = raw.FPDFText_GetTextObject(layer, place)
    if not text:
        return False
    left, right, bottom, top = (ctypes.c_double() for _ in range(4))
    raw.FPDFText_GetCharBox(layer, place, left, right, bottom, top)
    middle = ((left.value + right.value) / 2, (bottom.value + top.value) / 2)
    if raw.FPDFTextObj_GetTextRenderMode(text) == _NOTHING:
        return not any(_holds(box, middle) for box in pictures)
    if 0 < raw.FPDFText_GetFontSize(layer, place) * _matrix_scale(text) < _SMALLEST:
        return True
    return _is_white(raw.FPDFPageObj_GetFillColor, text) and not any(_holds(box, middle) for box in grounds)


def _is_white(ask: Any, one: Any) -> bool:
    red, green, blue, alpha = (ctypes.c_uint() for _ in range(4))
    if not ask(one, red, green, blue, alpha):
        return False
    return alpha.value == 0 or min(red.value, green.value, blue.value) >= _WHITE


def _is_ground(one: Any) -> bool:
    """Whether an object is filled with a colour on which white can be read."""
    from pypdfium2 import raw

    if one.type not in (raw.FPDF_PAGEOBJ_PATH, raw.FPDF_PAGEOBJ_SHADING):
        return False
    return one.type == raw.FPDF_PAGEOBJ_SHADING or not _is_white(raw.FPDFPageObj_GetFillColor, one)


def _box(one: Any) -> Box:
    return tuple(one.get_bounds()) if hasattr(one, "get_bounds") else tuple(one.get_pos())  # pyright: ignore[reportReturnType]  # four numbers


def _holds(box: Box, point: tuple[float, float]) -> bool:
    left, bottom, right, top = box
    return left <= point[0] <= right and bottom <= point[1] <= top


def _matrix_scale(one: Any) -> float:
    """By how much an object's own matrix stretches what it shows, upwards."""
    from pypdfium2 import raw

    matrix = raw.FS_MATRIX()
    raw.FPDFPageObj_GetMatrix(one, matrix)
    return (matrix.c**2 + matrix.d**2) ** 0.5
