"""Documents as structure: fields with their places, headings, lists with their leads, rows of tables under headers.

Everything is a pure function of an archived text and its kind, so that the same snapshot always has the same structure.
"""

from __future__ import annotations

from averment.corpus.structure.read import read_structure
from averment.corpus.structure.shape import Block, Field, Structure, Unit

__all__ = ["Block", "Field", "Structure", "Unit", "read_structure"]
