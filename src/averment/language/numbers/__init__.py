"""Amounts in words and digits: quantities with their units, and comparisons.

``words`` reads spelled-out numbers, ``units`` knows scales, currencies and measures, ``quantities`` finds amounts,
``comparisons`` finds "more than 5" and "between 10 and 20".
"""

from __future__ import annotations

from averment.language.numbers.comparisons import ComparisonOp, NumberComparison, find_comparisons
from averment.language.numbers.quantities import Quantity, QuantityKind, find_quantities, parse_number

__all__ = [
    "NumberComparison",
    "ComparisonOp",
    "Quantity",
    "QuantityKind",
    "find_comparisons",
    "find_quantities",
    "parse_number",
]
