"""Writes sales.csv: two years of orders of an invented shop, the same bytes on every run."""

import csv
import datetime as dt
import random
from pathlib import Path

STATES = {
    "West": ["Arizona", "California", "Nevada"],
    "East": ["New York", "Maine"],
    "South": ["Texas", "Georgia"],
    "North": ["Ohio", "Utah"],
}
PRODUCTS = {"Lamp": 24.5, "Desk": 189.0, "Chair": 79.9, "Shelf": 54.25}
CHANNELS = ["web", "store", "phone"]


def orders() -> list[list[str]]:
    """Six hundred orders between 2023-01-01 and 2024-12-31."""
    pick = random.Random(2024)
    rows: list[list[str]] = []
    for number in range(1, 601):
        day = dt.date(2023, 1, 1) + dt.timedelta(days=pick.randrange(731))
        region = pick.choices(list(STATES), weights=[4, 3, 2, 1])[0]
        product = pick.choice(list(PRODUCTS))
        quantity = pick.choices([1, 2, 3, 5], weights=[6, 3, 2, 1])[0]
        amount = quantity * PRODUCTS[product] * (1.1 if day.year == 2024 else 1.0)
        rows.append(
            [
                f"{number}",
                day.isoformat(),
                region,
                pick.choice(STATES[region]),
                product,
                pick.choice(CHANNELS),
                f"{quantity}",
                f"{amount:.2f}",
            ]
        )
    return rows


def main() -> None:
    """Write the file beside this one."""
    with (Path(__file__).parent / "sales.csv").open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["order_id", "order_date", "region", "state", "product", "channel", "quantity", "amount"])
        writer.writerows(orders())


if __name__ == "__main__":
    main()
