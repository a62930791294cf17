"""Every operation over CSV, JSON and SQLite, beside what pandas computes; other wordings are in ``bench/wordings``."""

from __future__ import annotations

import random
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from datetime import date, timedelta
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from asked import Asked, outcome
from lazily import lazily

pytestmark = pytest.mark.thorough

pd = lazily("pandas")

Frame = Any  # of pandas
Expected = Callable[[Frame], Any]


@cache
def sales() -> Frame:
    """Three years of sales; one in ten has no discount given."""
    dice = random.Random(5)
    rows: list[dict[str, Any]] = []
    people = [f"{first} {last}" for first in ("Ann", "Ben", "Cora", "Dora", "Eve") for last in ("Ash", "Elm", "Fir")]
    for number in range(360):
        price, quantity = dice.choice([9.5, 12.0, 20.0, 33.25, 80.0]), dice.randrange(1, 12)
        revenue = round(price * quantity, 2)
        rows.append(
            {
                "sale_id": number + 1,
                "sale_date": (date(2020, 1, 1) + timedelta(days=number * 3)).isoformat(),
                "state": dice.choice(["Arizona", "Texas", "Nevada", "Utah"]),
                "product": dice.choice(["Lamp", "Desk", "Chair", "Shelf", "Sofa"]),
                "channel": dice.choice(["web", "store", "phone"]),
                "customer": dice.choice(people),
                "price": price,
                "quantity": quantity,
                "discount": None if dice.random() < 0.1 else dice.choice([2.5, 5, 10]),
                "revenue": revenue,
                "cost": round(revenue * dice.uniform(0.4, 0.9), 2),
            }
        )
    return pd.DataFrame(rows)


@cache
def days() -> Any:
    return pd.to_datetime(sales()["sale_date"])


def last() -> Any:
    return days().max()


def where(frame: Frame, **values: Any) -> Frame:
    for name, value in values.items():
        frame = frame[frame[name].isin(value if isinstance(value, list) else [value])]
    return frame


def between(frame: Frame, start: str, end: str) -> Frame:
    return frame[(frame["sale_date"] >= start) & (frame["sale_date"] <= end)]


def profit(frame: Frame) -> Any:
    return frame["revenue"] - frame["cost"]


def buyers(frame: Frame, *products: str) -> set[str]:
    return set(frame[frame["product"].isin(products)]["customer"])


def everyone(frame: Frame) -> set[str]:
    return set(frame["customer"])


def by(frame: Frame, column: str, of: str = "revenue", how: str = "sum") -> Any:
    return frame.groupby(column)[of].agg(how)


OPERATIONS: dict[str, tuple[str, Expected]] = {
    "total": (
        "total revenue",
        lambda f: f["revenue"].sum(),
    ),
    "average": (
        "average price",
        lambda f: f["price"].mean(),
    ),
    "minimum": ("minimum cost", lambda f: f["cost"].min()),
    "count": (
        "how many sales",
        len,
    ),
    "distinct": (
        "how many distinct customers",
        lambda f: f["customer"].nunique(),
    ),
    "equal": (
        "total revenue in Arizona",
        lambda f: where(f, state="Arizona")["revenue"].sum(),
    ),
    "unequal": (
        "total revenue where state is not Texas",
        lambda f: f[f["state"] != "Texas"]["revenue"].sum(),
    ),
    "none of two": (
        "total revenue excluding Texas and Utah",
        lambda f: f[~f["state"].isin(["Texas", "Utah"])]["revenue"].sum(),
    ),
    "either of two": (
        "revenue in Arizona or Texas",
        lambda f: where(f, state=["Arizona", "Texas"])["revenue"].sum(),
    ),
    "either of two columns": (
        "revenue in Arizona or via web",
        lambda f: f[(f["state"] == "Arizona") | (f["channel"] == "web")]["revenue"].sum(),
    ),
    "both of two columns": (
        "revenue in Arizona via web",
        lambda f: where(f, state="Arizona", channel="web")["revenue"].sum(),
    ),
    "compared": (
        "how many sales have quantity greater than 5",
        lambda f: (f["quantity"] > 5).sum(),
    ),
    "between": (
        "average revenue where price between 10 and 40",
        lambda f: f[f["price"].between(10, 40)]["revenue"].mean(),
    ),
    "contains": (
        'total revenue of products containing "s"',
        lambda f: f[f["product"].str.contains("s", case=False)]["revenue"].sum(),
    ),
    "starts": (
        "how many customers whose name starts with Ann",
        lambda f: f[f["customer"].str.startswith("Ann")]["customer"].nunique(),
    ),
    "missing": (
        "how many sales have a missing discount",
        lambda f: f["discount"].isna().sum(),
    ),
    "given": (
        "how many sales where discount is not null",
        lambda f: f["discount"].notna().sum(),
    ),
    "by one": (
        "total revenue by state",
        lambda f: by(f, "state"),
    ),
    "by three": (
        "total revenue by state, product and channel",
        lambda f: f.groupby(["state", "product", "channel"])["revenue"].sum(),
    ),
    "top": (
        "top 3 customers by revenue",
        lambda f: by(f, "customer").nlargest(3),
    ),
    "least": (
        "which product has the least revenue",
        lambda f: by(f, "product").nsmallest(1),
    ),
    "difference": (
        "total revenue minus cost by product",
        lambda f: profit(f).groupby(f["product"]).sum(),
    ),
    "difference over time": (
        "profit = revenue - cost per month",
        lambda f: profit(f).groupby(days().dt.to_period("M")).sum().reset_index(drop=True),
    ),
    "difference for some": (
        "revenue - cost in 2021 for Arizona",
        lambda f: profit(between(where(f, state="Arizona"), "2021-01-01", "2021-12-31")).sum(),
    ),
    "product of columns": (
        "average of price times quantity",
        lambda f: (f["price"] * f["quantity"]).mean(),
    ),
    "total of a product": (
        "sum of price times quantity",
        lambda f: (f["price"] * f["quantity"]).sum(),
    ),
    "sum of columns": ("revenue plus cost", lambda f: (f["revenue"] + f["cost"]).sum()),
    "margin": (
        "margin (revenue minus cost over revenue) by product",
        lambda f: profit(f).groupby(f["product"]).sum() / by(f, "product"),
    ),
    "ranges of a width": (
        "total revenue by quantity bins of width 5",
        lambda f: by(f.assign(bin=f["quantity"] // 5), "bin").reset_index(drop=True),
    ),
    "ranges of a number": (
        "bin revenue into 4 bins",
        lambda f: pd.Series(np.histogram(f["revenue"], bins=4)[0]),
    ),
    "buckets of a width": (
        "revenue in buckets of 200",
        lambda f: (f["revenue"] // 200).value_counts().sort_index().reset_index(drop=True),
    ),
    "month with the most": (
        "which month has the highest revenue",
        lambda f: f["revenue"].groupby(days().dt.to_period("M")).sum().nlargest(1).reset_index(drop=True),
    ),
    "three groups": (
        "Arizona vs Texas vs Nevada revenue",
        lambda f: by(f, "state").loc[["Arizona", "Texas", "Nevada"]],
    ),
    "three periods": (
        "compare revenue in Q1, Q2 and Q3 2021",
        lambda f: by(f.assign(q=days().dt.to_period("Q").astype(str)), "q").loc[["2021Q1", "2021Q2", "2021Q3"]],
    ),
    "year to date": (
        "year to date revenue",
        lambda f: f[days().dt.year == last().year]["revenue"].sum(),
    ),
    "quarter to date": (
        "quarter to date revenue",
        lambda f: f[days().dt.to_period("Q") == last().to_period("Q")]["revenue"].sum(),
    ),
    "month to date": (
        "month to date revenue by state",
        lambda f: by(f[days().dt.to_period("M") == last().to_period("M")], "state"),
    ),
    "fiscal year": (
        "revenue for fiscal year 2021 starting in April",
        lambda f: between(f, "2020-04-01", "2021-03-31")["revenue"].sum(),
    ),
    "fiscal years": (
        "revenue by fiscal year starting in April",
        lambda f: by(f.assign(year=days().dt.to_period("Y-MAR").astype(str)), "year").reset_index(drop=True),
    ),
    "both": (
        "customers who bought both Lamp and Desk",
        lambda f: buyers(f, "Lamp") & buyers(f, "Desk"),
    ),
    "either": (
        "customers who bought Lamp or Desk",
        lambda f: buyers(f, "Lamp", "Desk"),
    ),
    "neither": (
        "customers who bought neither Lamp nor Desk in Utah",
        lambda f: everyone(f) - buyers(where(f, state="Utah"), "Lamp", "Desk"),
    ),
    "one but not the other": (
        "customers who bought Lamp but not Desk in 2020",
        lambda f: (
            buyers(between(f, "2020-01-01", "2020-12-31"), "Lamp")
            - buyers(between(f, "2020-01-01", "2020-12-31"), "Desk")
        ),
    ),
    "never": (
        "customers who never bought Lamp in Arizona",
        lambda f: everyone(f) - buyers(where(f, state="Arizona"), "Lamp"),
    ),
    "without": (
        "customers without sales in March 2020",
        lambda f: everyone(f) - everyone(between(f, "2020-03-01", "2020-03-31")),
    ),
    "how many of a set": (
        "how many customers bought both Lamp and Desk in 2021",
        lambda f: len(
            buyers(between(f, "2021-01-01", "2021-12-31"), "Lamp")
            & buyers(between(f, "2021-01-01", "2021-12-31"), "Desk")
        ),
    ),
}


def opened_as(kind: str, folder: Path) -> Asked:
    """The table in one format."""
    path = folder / f"sales.{kind}"
    if kind == "csv":
        sales().to_csv(path, index=False)
    elif kind == "json":
        sales().to_json(path, orient="records")
    else:
        with closing(sqlite3.connect(path)) as connection:
            sales().to_sql("sales", connection, index=False)
    return Asked([str(path)], folder)


@pytest.fixture(scope="module", params=["csv", "json", "sqlite"])
def opened(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Asked]:
    made = opened_as(request.param, tmp_path_factory.mktemp("operations"))
    yield made
    made.close()


@pytest.mark.parametrize("operation", OPERATIONS)
def test_an_operation_is_answered_as_pandas_would_or_offered(opened: Asked, operation: str) -> None:
    text, expected = OPERATIONS[operation]
    assert outcome(opened, text, expected(sales())) in {"right", "offered"}


def test_most_operations_are_answered_outright(opened: Asked) -> None:
    found = [outcome(opened, text, expected(sales())) for text, expected in OPERATIONS.values()]
    assert found.count("right") >= 0.7 * len(found)
