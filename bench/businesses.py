"""Three made-up businesses whose finished investigations are asked about: a bakery, a help desk, and a quiet shop.

All numbers are drawn here; what happened in them stands beside them, computed from the rows alone.
"""

from __future__ import annotations

import csv
from dataclasses import dataclass
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import numpy as np

Row = dict[str, Any]


@dataclass(frozen=True)
class Business:
    """The files of an investigation, what it asks, and the rows that the answers are checked by."""

    files: tuple[tuple[str, list[Row]], ...]
    metric: str
    baseline: str
    comparison: str
    day: str
    value: str
    mean: bool

    def write(self, folder: Path) -> list[Path]:
        """The files in a folder."""
        paths: list[Path] = []
        for name, rows in self.files:
            path = folder / f"{name}.csv"
            with path.open("w", encoding="utf-8", newline="") as stream:
                writer = csv.DictWriter(stream, rows[0].keys())
                writer.writeheader()
                writer.writerows(rows)
            paths.append(path)
        return paths

    def figure(self, name: str) -> float:
        """A figure by its name: ``Gent.change``, ``total.before``, ``phone.rows_after``, ``total-Gent.change``."""
        whose, _, what = name.rpartition(".")
        if "-" in whose:
            whole, _, part = whose.partition("-")
            return self.figure(f"{whole}.{what}") - self.figure(f"{part}.{what}")
        side = {"before": 0, "after": 1}.get(what.rpartition("_")[2])
        if what == "change":
            return self.figure(f"{whose}.after") - self.figure(f"{whose}.before")
        if what == "percent":
            return 100 * (self.figure(f"{whose}.after") / self.figure(f"{whose}.before") - 1)
        rows = self._rows(whose, side or 0)
        if what.startswith("rows"):
            return float(len(rows))
        values = [float(row[self.value]) for row in rows]
        return sum(values) / len(values) if self.mean or what.startswith("mean") else sum(values)

    def _rows(self, whose: str, side: int) -> list[Row]:
        first, last = (self.baseline, self.comparison)[side].split("..")
        joined = self.files[0][1]
        for _, rows in self.files[1:]:
            key = next(iter(rows[0]))
            found = {row[key]: row for row in rows}
            joined = [{**row, **found[row[key]]} for row in joined]
        inside = [row for row in joined if first <= str(row[self.day]) <= last]
        return inside if whose == "total" else [row for row in inside if whose in map(str, row.values())]


def bakery() -> Business:
    """Revenue falls: in Gent the phone line broke on 12 October, while cakes became dearer everywhere."""
    random = np.random.default_rng(11)
    shops = [("s1", "Gent", "Flanders"), ("s2", "Brugge", "Flanders"), ("s3", "Namur", "Wallonia")]
    rows: list[Row] = []
    for number in range(61):
        day = date(2025, 9, 1) + timedelta(days=number)
        for shop, city, _ in shops:
            for channel, usual in (("phone", 9.0), ("web", 12.0), ("counter", 16.0)):
                broken = city == "Gent" and channel == "phone" and day >= date(2025, 10, 12)
                for _ in range(random.poisson(usual * (1.6 if city == "Gent" else 1.0) * (0.15 if broken else 1.0))):
                    product = str(random.choice(["cake", "bread", "pastry"], p=[0.2, 0.5, 0.3]))
                    price = {"cake": 24.0, "bread": 6.0, "pastry": 9.0}[product] * random.uniform(0.8, 1.2)
                    if product == "cake" and day >= date(2025, 10, 1):
                        price *= 1.1
                    rows.append(
                        {
                            "order_no": len(rows) + 1,
                            "ordered_on": day.isoformat(),
                            "shop": shop,
                            "channel": channel,
                            "product": product,
                            "amount": round(price, 2),
                        }
                    )
    places = [{"shop": shop, "city": city, "region": region} for shop, city, region in shops]
    return Business(
        files=(("orders", rows), ("shops", places)),
        metric="SUM(amount)",
        baseline="2025-09-01..2025-09-30",
        comparison="2025-10-01..2025-10-30",
        day="ordered_on",
        value="amount",
        mean=False,
    )


def help_desk() -> Business:
    """Tickets take longer: those of the network team, whatever their priority."""
    random = np.random.default_rng(12)
    rows: list[Row] = []
    for number in range(56):
        day = date(2025, 3, 3) + timedelta(days=number)
        for team, usual in (("network", 14.0), ("billing", 18.0), ("accounts", 11.0)):
            for _ in range(random.poisson(usual)):
                slow = 1.8 if team == "network" and number >= 28 else 1.0
                priority = str(random.choice(["high", "normal", "low"], p=[0.2, 0.6, 0.2]))
                minutes = random.gamma(4.0, 10.0) * slow * (0.8 if priority == "high" else 1.0)
                rows.append(
                    {
                        "opened": day.isoformat(),
                        "team": team,
                        "priority": priority,
                        "source": str(random.choice(["mail", "form"])),
                        "minutes": round(minutes, 1),
                    }
                )
    return Business(
        files=(("tickets", rows),),
        metric="AVG(minutes)",
        baseline="2025-03-03..2025-03-30",
        comparison="2025-03-31..2025-04-27",
        day="opened",
        value="minutes",
        mean=True,
    )


def quiet_shop() -> Business:
    """Nothing happened; the months differ by chance."""
    random = np.random.default_rng(13)
    rows: list[Row] = []
    for number in range(56):
        day = date(2025, 1, 6) + timedelta(days=number)
        for aisle in ("wine", "cheese", "olives"):
            for _ in range(random.poisson(10.0)):
                till = str(random.choice(["left", "right"]))
                paid = round(float(random.gamma(3.0, 5.0)), 2)
                rows.append({"sold_on": day.isoformat(), "aisle": aisle, "till": till, "paid": paid})
    return Business(
        files=(("sales", rows),),
        metric="SUM(paid)",
        baseline="2025-01-06..2025-02-02",
        comparison="2025-02-03..2025-03-02",
        day="sold_on",
        value="paid",
        mean=False,
    )


BUSINESSES = {"bakery": bakery, "help_desk": help_desk, "quiet_shop": quiet_shop}
