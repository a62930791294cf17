"""Rows that add up the others: what people call them. Only figures prove that a row is one."""

from __future__ import annotations

import re

_TOTAL = re.compile(r"(all|total|overall|grand total|world|sum|everything|combined)\b", re.IGNORECASE)


def is_total(value: str) -> bool:
    """Whether a value is what people call a row that sums up the others; only figures prove that it does."""
    return bool(_TOTAL.match(value.strip()))


def is_called_total(value: str) -> bool:
    """Whether a value is the bare word for such a row."""
    return bool(_TOTAL.fullmatch(value.strip().rstrip(":.")))
