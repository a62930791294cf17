"""Amounts in words and digits: quantities with their units, comparisons, and numbers written for reports.

``words`` reads spelled-out numbers, ``units`` knows scales, currencies and measures, ``quantities`` finds amounts,
``comparisons`` finds "more than 5" and "between 10 and 20", ``writing`` formats a value exactly.
"""

from __future__ import annotations

from averment.language.numbers.comparisons import Comparison, ComparisonOp, find_comparisons
from averment.language.numbers.quantities import Quantity, QuantityKind, find_quantities, parse_number
from averment.language.numbers.rankings import Ranking, find_rankings
from averment.language.numbers.writing import format_number

__all__ = [
    "Comparison",
    "ComparisonOp",
    "Quantity",
    "QuantityKind",
    "Ranking",
    "find_comparisons",
    "find_quantities",
    "find_rankings",
    "format_number",
    "parse_number",
]
