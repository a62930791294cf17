"""Writes orders.csv and customers.csv: eight weeks of an invented shop in which one thing changes.

The bytes are the same every time.
From 29 January 2024 on, customers in Germany spend two fifths of what they did in the app; nothing else changes.
"""

import csv
import datetime as dt
import random
from collections.abc import Iterable
from pathlib import Path

HERE = Path(__file__).parent
FIRST, DAYS, A_DAY = dt.date(2024, 1, 1), 56, 90
CHANGE = dt.date(2024, 1, 29)
COUNTRIES = ["Germany", "France", "Spain"]
CHANNELS = ["app", "web", "shop"]


def customers(pick: random.Random) -> list[tuple[int, str]]:
    """Ninety customers and where they live."""
    return [(number, pick.choice(COUNTRIES)) for number in range(1, 91)]


def orders(pick: random.Random, buyers: list[tuple[int, str]]) -> list[tuple[object, ...]]:
    """Ninety orders a day for eight weeks."""
    rows: list[tuple[object, ...]] = []
    for day in (FIRST + dt.timedelta(days=number) for number in range(DAYS)):
        for _ in range(A_DAY):
            customer, country = pick.choice(buyers)
            channel = pick.choice(CHANNELS)
            amount = pick.gauss(50, 5)
            if day >= CHANGE and (country, channel) == ("Germany", "app"):
                amount *= 0.4
            rows.append((len(rows) + 1, day.isoformat(), customer, channel, f"{amount:.2f}"))
    return rows


def write(name: str, header: list[str], rows: Iterable[tuple[object, ...]]) -> None:
    """Write one file beside this one."""
    with (HERE / name).open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(header)
        writer.writerows(rows)


def main() -> None:
    """Write both files."""
    pick = random.Random(7)
    buyers = customers(pick)
    write("customers.csv", ["customer_id", "country"], buyers)
    write("orders.csv", ["order_id", "day", "customer_id", "channel", "amount"], orders(pick, buyers))


if __name__ == "__main__":
    main()
