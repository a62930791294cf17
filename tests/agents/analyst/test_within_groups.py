"""Correlations, outliers, the ends of groups, cohorts, groups of equal size and the few that make up most.

Each over CSV, SQLite and Postgres, beside what pandas computes; other wordings are in ``bench/wordings``.
"""

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

from asked import Asked
from lazily import lazily

pytestmark = pytest.mark.thorough

pd = lazily("pandas")

Frame = Any  # of pandas


@cache
def visits() -> Frame:
    """Visits of sixty users over a year; some have no rating, and a few amounts are huge."""
    dice = random.Random(8)
    rows: list[dict[str, Any]] = []
    for user in range(60):
        signup = date(2023, 1, 1) + timedelta(days=dice.randrange(150))
        day = signup + timedelta(days=dice.randrange(3))
        for _ in range(dice.randrange(1, 9)):
            minutes = dice.randrange(5, 90)
            amount = round(minutes * dice.uniform(0.5, 1.5) * (12 if dice.random() < 0.04 else 1), 2)
            rows.append(
                {
                    "visit_id": len(rows) + 1,
                    "user_id": f"u{user:02d}",
                    "signup_date": signup.isoformat(),
                    "visit_date": day.isoformat(),
                    "country": dice.choice(["Chile", "Japan", "Kenya"]),
                    "page": dice.choice(["home", "shop", "blog", "help"]),
                    "minutes": minutes,
                    "amount": amount,
                    "rating": None if dice.random() < 0.1 else dice.randrange(1, 6),
                }
            )
            day += timedelta(days=dice.randrange(1, 45))
    return pd.DataFrame(rows)


NUMBERS = ["minutes", "amount", "rating"]


def when() -> Any:
    return pd.to_datetime(visits()["visit_date"])


def since() -> Any:
    return pd.to_datetime(visits()["signup_date"])


def month() -> Any:
    return when().dt.to_period("M")


def pairs(method: str, against: str | None = None) -> Frame:
    table = visits()[NUMBERS].corr(method)  # pyright: ignore[reportArgumentType]  # the names pandas knows
    found = [(a, b, table.loc[a, b]) for place, a in enumerate(NUMBERS) for b in NUMBERS[place + 1 :]]
    if against is not None:
        found = [(against, b, table.loc[against, b]) for b in NUMBERS if b != against]
    found.sort(key=lambda each: -abs(each[2]))
    return pd.DataFrame(found, columns=["first", "second", "correlation"])


def beyond(values: Any, method: str, reach: float) -> Any:
    if method == "z":
        return (values - values.mean()).abs() > reach * values.std(ddof=0)
    one, three = values.quantile(0.25), values.quantile(0.75)
    return (values < one - reach * (three - one)) | (values > three + reach * (three - one))


def outliers(method: str, reach: float, by: str | None = None) -> Frame:
    if by is None:
        kept = visits()[beyond(visits()["amount"], method, reach)]
    else:
        kept = visits()[visits().groupby(by)["amount"].transform(lambda each: beyond(each, method, reach))]
    return kept[["visit_id", "amount"]].sort_values("visit_id")


def ends(by: str, column: str, *, last: bool, most: int = 1) -> Frame:
    place = visits().groupby(by)[column].rank(method="min", ascending=not last)
    return visits()[place <= most].sort_values([by, "visit_id"])[[by, column, "visit_id"]]


def retention(cohort: Any) -> Frame:
    frame = pd.DataFrame({"user": visits()["user_id"], "cohort": cohort, "month": month()})
    frame["after"] = [(each.month - each.cohort).n for each in frame.itertuples()]
    sizes = frame.groupby("cohort")["user"].nunique()
    found = frame.groupby(["cohort", "after"])["user"].nunique().rename("active").reset_index()
    found["retention in percent"] = 100 * found["active"] / found["cohort"].map(sizes)
    found["cohort"] = found["cohort"].astype(str)
    return found.rename(columns={"after": "months after"})


def members() -> Frame:
    first = month().groupby(visits()["user_id"]).min()
    active = visits()["user_id"].groupby(month()).nunique()
    new = first.value_counts().reindex(active.index).fillna(0)
    return pd.DataFrame({"active": active, "new": new, "returning": active - new}).reset_index(drop=True)


def tiles(values: Any, count: int) -> Frame:
    cut = pd.qcut(values, count, labels=False)
    groups = values.groupby(cut)
    return pd.DataFrame({"from": groups.min(), "to": groups.max(), "rows": groups.size()}).reset_index(drop=True)


def fewest(percent: float) -> Frame:
    totals = visits().groupby("user_id")["amount"].sum().sort_values(ascending=False)
    running = 100 * totals.cumsum() / totals.sum()
    kept = totals[running - 100 * totals / totals.sum() < percent]
    return pd.DataFrame({"user_id": kept.index, "running share in percent": running[kept.index].to_numpy()})


def best(count: int) -> Frame:
    totals = visits().groupby(["country", "page"])["amount"].sum().reset_index(name="total amount")
    place = totals.groupby("country")["total amount"].rank(ascending=False)
    return totals[place <= count].sort_values(["country", "total amount"], ascending=[True, False])


OPERATIONS: dict[str, tuple[str, Callable[[], Frame]]] = {
    "correlation matrix": (
        "correlation matrix",
        lambda: pairs("pearson"),
    ),
    "spearman": ("spearman correlation matrix", lambda: pairs("spearman")),
    "correlation with one": (
        "which columns correlate most with amount?",
        lambda: pairs("pearson", "amount"),
    ),
    "outliers by fences": (
        "list the outliers in amount",
        lambda: outliers("iqr", 1.5),
    ),
    "outliers by z-score": (
        "list amount outliers with z-score above 2",
        lambda: outliers("z", 2.0),
    ),
    "outliers within groups": ("outliers in amount per country", lambda: outliers("iqr", 1.5, "country")),
    "last of each": (
        "latest visit of each user",
        lambda: ends("user_id", "visit_date", last=True),
    ),
    "first two of each": ("first 2 visits of each user", lambda: ends("user_id", "visit_date", last=False, most=2)),
    "highest row of each": (
        "visit with the highest amount in each country",
        lambda: ends("country", "amount", last=True),
    ),
    "best of each": ("top 2 pages in each country by amount", lambda: best(2)),
    "retention": (
        "retention by first visit month",
        lambda: retention(month().groupby(visits()["user_id"]).transform("min")),
    ),
    "retention by signup": (
        "retention by signup month",
        lambda: retention(since().dt.to_period("M")),
    ),
    "new and returning": ("new users per month", members),
    "equal groups": (
        "split amount into quartiles and count",
        lambda: tiles(visits()["amount"], 4),
    ),
    "equal groups of users": (
        "divide users into 5 groups by amount",
        lambda: tiles(visits().groupby("user_id")["amount"].sum(), 5).drop(columns="rows"),
    ),
    "the fewest": (
        "users making 80% of amount",
        lambda: fewest(80),
    ),
}


class Opened(Asked):
    """The table in one place, opened once."""

    def answer(self, text: str) -> Frame:
        """The table that answers a question, or that the reading on offer which comes first would give."""
        verdict = self.verdict(text)
        assert verdict.kind != "decline", text
        assert not verdict.left, self.said(verdict)
        return self.frames(verdict)[0]


@pytest.fixture(scope="module", params=["csv", "sqlite", pytest.param("postgres", marks=pytest.mark.postgres)])
def opened(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Opened]:
    folder = tmp_path_factory.mktemp("visits")
    if request.param == "csv":
        place = str(folder / "visits.csv")
        visits().to_csv(place, index=False)
        yield from _opened(place, folder)
    elif request.param == "sqlite":
        place = str(folder / "visits.sqlite")
        with closing(sqlite3.connect(place)) as connection:
            visits().to_sql("visits", connection, index=False)
        yield from _opened(place, folder)
    else:
        import psycopg

        server = str(request.getfixturevalue("postgres_url"))
        with psycopg.connect(server, autocommit=True) as connection:
            connection.execute("CREATE DATABASE within_groups")
        place = server.replace("/postgres?", "/within_groups?")
        with psycopg.connect(place, autocommit=True) as connection:
            connection.execute(
                "CREATE TABLE visits (visit_id bigint, user_id text, signup_date date, visit_date date, country text, "
                "page text, minutes bigint, amount numeric(12, 2), rating double precision)"
            )
            with connection.cursor().copy("COPY visits FROM STDIN") as rows:
                for row in visits().astype(object).where(visits().notna(), None).itertuples(index=False):
                    rows.write_row(tuple(row))
        yield from _opened(place, folder)
        with psycopg.connect(server, autocommit=True) as connection:
            connection.execute("DROP DATABASE within_groups WITH (FORCE)")


def _opened(place: str, folder: Path) -> Iterator[Opened]:
    made = Opened([place], folder)
    yield made
    made.close()


def compare(text: str, found: Frame, expected: Frame) -> None:
    """The expected columns with the expected values, row by row; rows of lists by their keys."""
    if "visit_id" in expected.columns:
        # Where several share a place their order says nothing.
        by = [name for name in expected.columns if name != "amount"]
        expected = expected.sort_values(by)
        found = found.assign(**{n: found[n].astype(str) for n in ("visit_date",) if n in found}).sort_values(by)
    assert len(found) == len(expected), text
    for name in expected.columns:
        left, right = found[name], expected[name]
        if name == "cohort":
            left = left.astype(str).str.slice(0, 7)
        if right.dtype.kind in "if":
            np.testing.assert_allclose(left.astype(float), right.astype(float), rtol=1e-9, err_msg=f"{text} {name}")
        else:
            assert left.astype(str).to_list() == right.astype(str).to_list(), f"{text} {name}"


@pytest.mark.parametrize("operation", OPERATIONS)
def test_an_operation_within_groups_is_answered_as_pandas_would(opened: Opened, operation: str) -> None:
    text, expected = OPERATIONS[operation]
    compare(text, opened.answer(text), expected())


def test_users_of_many_visits_are_counted_once(opened: Opened) -> None:
    assert opened.answer("how many users").iloc[0, 0] == visits()["user_id"].nunique()
    found = opened.answer("number of users by country")
    expected = visits().groupby("country")["user_id"].nunique()
    assert dict(found.itertuples(index=False)) == expected.to_dict()
    most = opened.answer("which country has the most users")
    assert most.iloc[0, 1] == expected.max()


def test_of_two_dates_rows_go_by_their_own(opened: Opened) -> None:
    for text in ("visits by month", "number of visits per month"):
        assert opened.answer(text).iloc[:, 1].to_list() == month().value_counts().sort_index().to_list()
