"""What a plan builder lets one pick, and how each pick is said: figures, comparisons, parts of dates, orders."""

from __future__ import annotations

from averment.plans.names import COMPARISONS

FUNCTIONS: dict[str, str] = {
    "rows": "number of rows",
    "sum": "total",
    "mean": "average",
    "median": "median",
    "min": "lowest",
    "max": "highest",
    "distinct": "number of different",
    "rate": "share of rows where",
}
OPERATORS: dict[str, str] = {**COMPARISONS, "contains": "contains", "null": "is missing"}
PARTS = ("year", "quarter", "month", "week", "day")
ORDERS = {"": "as it comes", "highest": "highest first", "lowest": "lowest first"}
