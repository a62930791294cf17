"""What a plan builder lets one pick, and how each pick is said: figures, comparisons, parts of dates, orders."""

from __future__ import annotations

from averment.plans.names import COMPARISONS
from averment.plans.registry import AGGREGATES

FUNCTIONS: dict[str, str] = {
    record.name: record.built or record.words for record in AGGREGATES.values() if not record.placed
}
OPERATORS: dict[str, str] = {**COMPARISONS, "contains": "contains", "null": "is missing"}
PARTS = ("year", "quarter", "month", "week", "day")
ORDERS = {"": "as it comes", "highest": "highest first", "lowest": "lowest first"}
