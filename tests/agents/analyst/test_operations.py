"""Every operation in several everyday phrasings, over CSV, JSON and SQLite, beside what pandas computes."""

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


OPERATIONS: dict[str, tuple[list[str], Expected]] = {
    "total": (
        ["total revenue", "sum of revenue", "how much revenue did we make?", "what is the overall revenue", "revenue"],
        lambda f: f["revenue"].sum(),
    ),
    "average": (
        ["average price", "mean price", "what is the avg price?", "the average of price", "average price per sale"],
        lambda f: f["price"].mean(),
    ),
    "minimum": (["minimum cost", "what is the smallest cost?", "lowest cost", "min cost"], lambda f: f["cost"].min()),
    "count": (
        ["how many sales", "number of sales", "count of sales", "how many rows", "how many sales are there?"],
        len,
    ),
    "distinct": (
        [
            "how many distinct customers",
            "number of unique customers",
            "count of different customers",
            "how many different customers are there",
            "how many customers",
        ],
        lambda f: f["customer"].nunique(),
    ),
    "equal": (
        [
            "total revenue in Arizona",
            "revenue where state is Arizona",
            "revenue where state equals Arizona",
            "how much revenue did we make in Arizona",
            "sum of revenue for Arizona",
        ],
        lambda f: where(f, state="Arizona")["revenue"].sum(),
    ),
    "unequal": (
        [
            "total revenue where state is not Texas",
            "total revenue excluding Texas",
            "total revenue except Texas",
            "total revenue where the state isn't Texas",
            "total revenue of states other than Texas",
            "total revenue not in Texas",
        ],
        lambda f: f[f["state"] != "Texas"]["revenue"].sum(),
    ),
    "none of two": (
        [
            "total revenue excluding Texas and Utah",
            "total revenue where state is neither Texas nor Utah",
            "total revenue where state is not Texas or Utah",
            "revenue of states other than Texas and Utah",
        ],
        lambda f: f[~f["state"].isin(["Texas", "Utah"])]["revenue"].sum(),
    ),
    "either of two": (
        [
            "revenue in Arizona or Texas",
            "revenue in Arizona and Texas",
            "total revenue where state is Arizona or Texas",
        ],
        lambda f: where(f, state=["Arizona", "Texas"])["revenue"].sum(),
    ),
    "either of two columns": (
        ["revenue in Arizona or via web", "total revenue where state is Arizona or channel is web"],
        lambda f: f[(f["state"] == "Arizona") | (f["channel"] == "web")]["revenue"].sum(),
    ),
    "both of two columns": (
        [
            "revenue in Arizona via web",
            "revenue where state is Arizona and channel is web",
            "total web revenue in Arizona",
        ],
        lambda f: where(f, state="Arizona", channel="web")["revenue"].sum(),
    ),
    "compared": (
        [
            "how many sales have quantity greater than 5",
            "how many sales with quantity over 5",
            "number of sales where quantity is more than 5",
            "count of sales with quantity above 5",
            "how many sales have quantity > 5",
        ],
        lambda f: (f["quantity"] > 5).sum(),
    ),
    "between": (
        [
            "average revenue where price between 10 and 40",
            "average revenue for price between 10 and 40",
            "mean revenue where price is between 10 and 40",
        ],
        lambda f: f[f["price"].between(10, 40)]["revenue"].mean(),
    ),
    "contains": (
        [
            'total revenue of products containing "s"',
            "revenue where product contains 's'",
        ],
        lambda f: f[f["product"].str.contains("s", case=False)]["revenue"].sum(),
    ),
    "starts": (
        ["how many customers whose name starts with Ann", "how many customers starting with Ann"],
        lambda f: f[f["customer"].str.startswith("Ann")]["customer"].nunique(),
    ),
    "missing": (
        [
            "how many sales have a missing discount",
            "number of sales where discount is null",
            "how many sales have no discount",
            "how many rows where discount is missing",
            "count of sales without a discount",
        ],
        lambda f: f["discount"].isna().sum(),
    ),
    "given": (
        [
            "how many sales where discount is not null",
            "number of sales where discount is given",
            "how many sales with a discount",
        ],
        lambda f: f["discount"].notna().sum(),
    ),
    "by one": (
        [
            "total revenue by state",
            "revenue per state",
            "revenue for each state",
            "revenue broken down by state",
            "total revenue across states",
        ],
        lambda f: by(f, "state"),
    ),
    "by three": (
        ["total revenue by state, product and channel", "revenue per state, product and channel"],
        lambda f: f.groupby(["state", "product", "channel"])["revenue"].sum(),
    ),
    "top": (
        [
            "top 3 customers by revenue",
            "the top 3 customers by total revenue",
            "three customers with the highest total revenue",
            "which 3 customers have the highest total revenue",
            "3 best customers by revenue",
        ],
        lambda f: by(f, "customer").nlargest(3),
    ),
    "least": (
        [
            "which product has the least revenue",
            "which product has the lowest total revenue",
            "worst performing product by revenue",
            "which product made the least revenue",
            "bottom 1 products by revenue",
        ],
        lambda f: by(f, "product").nsmallest(1),
    ),
    "difference": (
        [
            "total revenue minus cost by product",
            "revenue - cost by product",
            "profit = revenue - cost by product",
            "the difference between revenue and cost by product",
            "profit (revenue minus cost) per product",
            "what is revenue less cost for each product",
        ],
        lambda f: profit(f).groupby(f["product"]).sum(),
    ),
    "difference over time": (
        ["profit = revenue - cost per month", "monthly revenue minus cost", "revenue minus cost by month"],
        lambda f: profit(f).groupby(days().dt.to_period("M")).sum().reset_index(drop=True),
    ),
    "difference for some": (
        ["revenue - cost in 2021 for Arizona", "total revenue minus cost in Arizona in 2021"],
        lambda f: profit(between(where(f, state="Arizona"), "2021-01-01", "2021-12-31")).sum(),
    ),
    "product of columns": (
        [
            "average of price times quantity",
            "average price * quantity",
            "mean of price multiplied by quantity",
            "average of the product of price and quantity",
        ],
        lambda f: (f["price"] * f["quantity"]).mean(),
    ),
    "total of a product": (
        ["sum of price times quantity", "total price * quantity", "price times quantity"],
        lambda f: (f["price"] * f["quantity"]).sum(),
    ),
    "sum of columns": (["revenue plus cost", "total revenue + cost"], lambda f: (f["revenue"] + f["cost"]).sum()),
    "margin": (
        [
            "margin (revenue minus cost over revenue) by product",
            "(revenue - cost) / revenue by product",
            "margin = (revenue - cost) / revenue per product",
            "revenue minus cost divided by revenue for each product",
        ],
        lambda f: profit(f).groupby(f["product"]).sum() / by(f, "product"),
    ),
    "ranges of a width": (
        [
            "total revenue by quantity bins of width 5",
            "total revenue by quantity ranges of 5",
            "revenue by quantity bucket of 5",
        ],
        lambda f: by(f.assign(bin=f["quantity"] // 5), "bin").reset_index(drop=True),
    ),
    "ranges of a number": (
        ["bin revenue into 4 bins", "revenue in 4 buckets", "group revenue into 4 ranges"],
        lambda f: pd.Series(np.histogram(f["revenue"], bins=4)[0]),
    ),
    "buckets of a width": (
        ["revenue in buckets of 200", "revenue in bins of width 200", "revenue in steps of 200"],
        lambda f: (f["revenue"] // 200).value_counts().sort_index().reset_index(drop=True),
    ),
    "month with the most": (
        ["which month has the highest revenue", "what month had the highest revenue", "best month by revenue"],
        lambda f: f["revenue"].groupby(days().dt.to_period("M")).sum().nlargest(1).reset_index(drop=True),
    ),
    "three groups": (
        [
            "Arizona vs Texas vs Nevada revenue",
            "compare revenue in Arizona, Texas and Nevada",
            "compare total revenue of Arizona, Texas and Nevada",
            "revenue of Arizona versus Texas versus Nevada",
        ],
        lambda f: by(f, "state").loc[["Arizona", "Texas", "Nevada"]],
    ),
    "three periods": (
        [
            "compare revenue in Q1, Q2 and Q3 2021",
            "revenue in Q1 2021 vs Q2 2021 vs Q3 2021",
            "compare total revenue of Q1 2021, Q2 2021 and Q3 2021",
        ],
        lambda f: by(f.assign(q=days().dt.to_period("Q").astype(str)), "q").loc[["2021Q1", "2021Q2", "2021Q3"]],
    ),
    "year to date": (
        ["year to date revenue", "revenue ytd", "total revenue year to date", "ytd revenue"],
        lambda f: f[days().dt.year == last().year]["revenue"].sum(),
    ),
    "quarter to date": (
        ["quarter to date revenue", "revenue qtd", "how much revenue did we make quarter to date"],
        lambda f: f[days().dt.to_period("Q") == last().to_period("Q")]["revenue"].sum(),
    ),
    "month to date": (
        ["month to date revenue by state", "mtd revenue by state"],
        lambda f: by(f[days().dt.to_period("M") == last().to_period("M")], "state"),
    ),
    "fiscal year": (
        [
            "revenue for fiscal year 2021 starting in April",
            "revenue in FY2021 with the fiscal year starting in April",
            "total revenue in fiscal year 2021 (April to March)",
        ],
        lambda f: between(f, "2020-04-01", "2021-03-31")["revenue"].sum(),
    ),
    "fiscal years": (
        ["revenue by fiscal year starting in April", "total revenue per fiscal year beginning in April"],
        lambda f: by(f.assign(year=days().dt.to_period("Y-MAR").astype(str)), "year").reset_index(drop=True),
    ),
    "both": (
        [
            "customers who bought both Lamp and Desk",
            "which customers bought both Lamp and Desk",
            "list the customers who purchased both Lamp and Desk",
        ],
        lambda f: buyers(f, "Lamp") & buyers(f, "Desk"),
    ),
    "either": (
        ["customers who bought Lamp or Desk", "which customers who have bought Lamp or Desk"],
        lambda f: buyers(f, "Lamp", "Desk"),
    ),
    "neither": (
        [
            "customers who bought neither Lamp nor Desk in Utah",
            "which customers bought neither Lamp nor Desk in Utah",
        ],
        lambda f: everyone(f) - buyers(where(f, state="Utah"), "Lamp", "Desk"),
    ),
    "one but not the other": (
        ["customers who bought Lamp but not Desk in 2020", "customers who bought Lamp but never bought Desk in 2020"],
        lambda f: (
            buyers(between(f, "2020-01-01", "2020-12-31"), "Lamp")
            - buyers(between(f, "2020-01-01", "2020-12-31"), "Desk")
        ),
    ),
    "never": (
        [
            "customers who never bought Lamp in Arizona",
            "which customers did not buy Lamp in Arizona",
            "customers with no Lamp sales in Arizona",
        ],
        lambda f: everyone(f) - buyers(where(f, state="Arizona"), "Lamp"),
    ),
    "without": (
        ["customers without sales in March 2020", "customers with no sales in March 2020"],
        lambda f: everyone(f) - everyone(between(f, "2020-03-01", "2020-03-31")),
    ),
    "how many of a set": (
        ["how many customers bought both Lamp and Desk in 2021"],
        lambda f: len(
            buyers(between(f, "2021-01-01", "2021-12-31"), "Lamp")
            & buyers(between(f, "2021-01-01", "2021-12-31"), "Desk")
        ),
    ),
}

SAME_DAYS = {
    "revenue ytd vs same period last year": ("2022-01-01", "2021-01-01", "2021-12-13"),
    "revenue this year compared to the same period last year": ("2022-01-01", "2021-01-01", "2021-12-13"),
    "revenue this quarter versus the same period last year": ("2022-10-01", "2021-10-01", "2021-12-13"),
}

ASKED = [
    "who is the best customer",
    "revenue for fiscal year 2021",
    "revenue by fiscal year",
    "FY2021 vs FY2022 revenue",
    "compare Q1, Q2 and Q3 2021",
    "revenue - cost / revenue by state",
    "number of sales by price bucket of 0.1",
    "revenue compared to the same period last year",
    "average revenue times happiness",
    "number of sales where quantity over",
    "customers with revenue above 500",
    "profit margin by product",
]

METHODS = {
    "outliers in revenue": "outliers of revenue",
    "find anomalies in cost by z-score": "beyond 3 standard deviations",
    "how many outliers are there in price": "outliers of price",
    "kendall tau between price and revenue": "Kendall correlation",
    "is revenue related to price?": "correlation of revenue and price",
    "is there a relationship between price and quantity": "correlation of price and quantity",
    "is product independent of channel": "are independent",
    "is there an association between state and channel": "are independent",
    "anova of revenue across states": "analysis of variance",
    "does revenue differ across states": "test of the difference",
    "is revenue different between web and store": "test of the difference",
    "is there a significant difference in revenue between Arizona and Texas": "test of the difference",
    "predict revenue from price and quantity": "linear model of revenue on price and quantity",
    "predict channel from price and quantity": "logistic model of channel",
    "interquartile range of revenue": "interquartile range",
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
def test_an_operation_is_answered_as_pandas_would_or_offered_however_it_is_said(opened: Asked, operation: str) -> None:
    phrasings, expected = OPERATIONS[operation]
    found = {text: outcome(opened, text, expected(sales())) for text in phrasings}
    assert {text: said for text, said in found.items() if said not in {"right", "offered"}} == {}


def test_most_phrasings_are_answered_outright(opened: Asked) -> None:
    found = [
        outcome(opened, text, expected(sales())) for phrasings, expected in OPERATIONS.values() for text in phrasings
    ]
    assert found.count("right") >= 0.7 * len(found)


@pytest.mark.parametrize("text", SAME_DAYS)
def test_a_period_under_way_is_never_set_against_a_whole_year(opened: Asked, text: str) -> None:
    now, before, until = SAME_DAYS[text]
    assert str(last().date()) == "2022-12-13"
    expected = [between(sales(), before, until)["revenue"].sum(), between(sales(), now, "2022-12-31")["revenue"].sum()]
    assert not outcome(opened, text, pd.Series(expected)).startswith("wrong")


def test_what_may_mean_two_things_is_asked_back(opened: Asked) -> None:
    answered = {text: said for text in ASKED if (said := opened.answered_as(text)) is not None}
    assert answered == {}


def test_everyday_words_for_tests_and_models_name_their_method(opened: Asked) -> None:
    first = {text: opened.said(opened.verdict(text)).split(" | ")[0] for text in METHODS}
    # What SQLite cannot compute is asked back, and never answered by something else.
    unable = opened.engine.catalog.dialect == "sqlite"
    wrong = {text: said for text, said in first.items() if METHODS[text] not in said}
    assert {text: said for text, said in wrong.items() if said.startswith("answer") or not unable} == {}
