"""Small files with a known story: orders of four weeks with customers beside them."""

from __future__ import annotations

import csv
import random
from collections.abc import Callable
from datetime import date, timedelta
from pathlib import Path
from typing import Any

FIRST = date(2024, 3, 4)
BASELINE = ("2024-03-04", "2024-03-17")
COMPARISON = ("2024-03-18", "2024-03-31")
CHANNELS, DEVICES, PLANS = ("web", "app", "shop"), ("phone", "laptop"), ("free", "team", "pro")
Row = dict[str, Any]


def orders(
    change: Callable[[Row, bool, random.Random], Row | None] | None = None, *, a_day: int = 120, seed: int = 7
) -> list[Row]:
    """Orders of both periods; ``change`` may alter or drop a row, and is told whether it is in the comparison."""
    chance = random.Random(seed)
    rows: list[Row] = []
    for number in range(28):
        day = FIRST + timedelta(days=number)
        for _ in range(a_day if day.weekday() < 5 else a_day // 2):
            row: Row = {
                "order_id": len(rows) + 1,
                "date": day.isoformat(),
                "customer_id": chance.randrange(400),
                "channel": chance.choice(CHANNELS),
                "device": chance.choice(DEVICES),
                "converted": int(chance.random() < 0.3),
                "amount": round(chance.lognormvariate(3, 0.5), 2),
            }
            kept = change(row, number >= 14, chance) if change else row
            if kept is not None:
                rows.append(kept)
    return rows


def customers(count: int = 400) -> list[Row]:
    """One row a customer."""
    return [{"customer_id": n, "plan": PLANS[n % 3], "city": f"city {n % 7}"} for n in range(count)]


def fewer_app_phones(row: Row, later: bool, chance: random.Random) -> Row | None:
    """Half of the orders by phone app are gone in the comparison."""
    gone = later and row["channel"] == "app" and row["device"] == "phone" and chance.random() < 0.6
    return None if gone else row


def write_csv(path: Path, rows: list[Row], *, delimiter: str = ",", encoding: str = "utf-8") -> Path:
    """The rows as a CSV file."""
    with path.open("w", newline="", encoding=encoding) as file:
        writer = csv.DictWriter(file, fieldnames=list(rows[0]), delimiter=delimiter)
        writer.writeheader()
        writer.writerows(rows)
    return path
