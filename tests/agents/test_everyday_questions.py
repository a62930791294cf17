"""Everyday questions over three tables: read by the rules over all skills, run by the engine, compared with pandas."""

from __future__ import annotations

import json
import random
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from datetime import date, datetime, timedelta
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import pytest

from averment.agents.analyst.rules import SURE, RuleReasoner
from averment.agents.analyst.skill import QUERY, Question
from averment.agents.analyst.skills import skill_named
from averment.settings import Settings
from averment.tables.engine import Engine
from averment.tables.profile import profile
from averment.tables.sources import open_sources

CASES = [json.loads(line) for line in (Path(__file__).parent / "questions.jsonl").read_text().splitlines()]
FREQUENCY = {"day": "D", "week": "W-SUN", "month": "M", "quarter": "Q", "year": "Y"}
Frames = dict[str, pd.DataFrame]


def orders() -> pd.DataFrame:
    """Two years of orders, every month and week with some."""
    dice = random.Random(7)
    rows: list[dict[str, Any]] = []
    start = datetime(2022, 1, 1, 8, 30)
    for number in range(420):
        when = start + timedelta(days=number * 729 / 419, hours=dice.randrange(12))
        amount = round(dice.lognormvariate(4, 0.8), 2)
        name = dice.choice(["ada", "bob", "cleo", "dan"])
        rows.append(
            {
                "order_id": 5000 + number,
                "ordered_at": when.replace(microsecond=0, second=0).isoformat(sep=" "),
                "region": dice.choice(["West", "West", "East", "North", "South"]),
                "product": dice.choice(["Lamp", "Desk", "Chair", "Shelf", "Sofa"]),
                "channel": dice.choice(["web", "store", "phone"]),
                "quantity": dice.randrange(1, 40),
                "amount": amount,
                "cost": round(amount * dice.uniform(0.4, 0.8), 2),
                "email": f"{name}@{dice.choice(['mail.example', 'post.example'])}",
                "phone": f"({dice.choice(['212', '415', '602'])}) 555-{dice.randrange(1000, 9999)}",
            }
        )
    return pd.DataFrame(rows)


def weather() -> pd.DataFrame:
    """Half a year of days in three cities; humidity has gaps."""
    dice = random.Random(11)
    rows: list[dict[str, Any]] = []
    for step in range(181):
        for city, base in (("Oslo", -2.0), ("Lima", 21.0), ("Cairo", 18.0)):
            rows.append(
                {
                    "day": (date(2023, 1, 1) + timedelta(days=step)).isoformat(),
                    "city": city,
                    "temperature": round(base + step / 20 + dice.uniform(-4, 4), 1),
                    "rain": round(max(0.0, dice.gauss(2, 3)), 1),
                    "humidity": None if dice.random() < 0.15 else dice.randrange(20, 95),
                }
            )
    return pd.DataFrame(rows)


def staff() -> pd.DataFrame:
    """People without any date."""
    dice = random.Random(3)
    rows = [
        {
            "employee": f"{dice.choice(['Ann', 'Ben', 'Cora', 'Dora'])} {dice.choice(['Ash', 'Birch', 'Cedar'])} {n}",
            "department": dice.choice(["Sales", "Research", "Support"]),
            "city": dice.choice(["Rome", "Turin"]),
            "salary": dice.randrange(30_000, 90_000, 137),
            "bonus": dice.randrange(500, 9_000, 13),
            "age": dice.randrange(21, 65),
        }
        for n in range(90)
    ]
    return pd.DataFrame(rows)


class Tables:
    """The three tables as files, opened by the engine once."""

    def __init__(self, folder: Path, kind: str) -> None:
        self.kind = kind
        self.frames: Frames = {"orders": orders(), "weather": weather(), "staff": staff()}
        settings = Settings(home=folder / "home")
        self.engines: dict[str, Engine] = {}
        self.questions: dict[str, Any] = {}
        for name, frame in self.frames.items():
            path = folder / f"{name}.{kind}"
            if kind == "csv":
                frame.to_csv(path, index=False)
            elif kind == "json":
                frame.to_json(path, orient="records")
            else:
                with closing(sqlite3.connect(path)) as connection:
                    frame.to_sql(name, connection, index=False)
            catalog = open_sources([str(path)], settings=settings, cache_dir=folder / "cache" / name)
            self.engines[name] = Engine(catalog, settings)
            self.questions[name] = (profile(self.engines[name], name),)
        self.reasoner = RuleReasoner()

    def ask(self, table: str, text: str) -> tuple[Any, pd.DataFrame | None]:
        """The best candidate, and the table its query gives when it is sure."""
        engine = self.engines[table]
        question = Question(text=text, profiles=self.questions[table], catalog=engine.catalog, engine=engine)
        candidates = self.reasoner.candidates(question)
        best = candidates[0]
        if best.score < SURE:
            return best, None
        limits = SimpleNamespace(timeout_seconds=30, row_limit=200_000)
        request = SimpleNamespace(constraints=limits, deliverables=("tables", "charts"))
        work: Any = SimpleNamespace(catalog=engine.catalog, request=request)
        tasks = {task.task_id: task for task in skill_named(best.skill).tasks(work, best.reading)}
        arguments = tasks[QUERY].arguments
        result = engine.run(arguments["query"], tuple(arguments["params"]))
        return best, result.table.to_pandas()


@pytest.fixture(scope="module", params=["csv", "json", "sqlite"])
def tables(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Tables]:
    made = Tables(tmp_path_factory.mktemp("everyday"), request.param)
    yield made
    for engine in made.engines.values():
        engine.close()


def kept(frame: pd.DataFrame, case: dict[str, Any], when: str | None) -> pd.DataFrame:
    """The rows the question is about."""
    for column, value in case.get("where", {}).items():
        frame = frame[frame[column] == value]
    if when is not None and "from" in case:
        frame = frame[pd.to_datetime(frame[when]) >= case["from"]]
    return frame


def measured(grouped: Any, case: dict[str, Any]) -> pd.Series[Any]:
    """The measure of each group."""
    if "of" not in case:
        return grouped.size().astype(float)
    return grouped[case["of"]].agg(case.get("agg", "sum")).astype(float)


def series(frame: pd.DataFrame, case: dict[str, Any], when: str) -> pd.Series[Any]:
    periods = pd.to_datetime(frame[when]).dt.to_period(FREQUENCY[case["grain"]])
    return measured(frame.groupby(periods), case)


def close(found: Any, expected: Any) -> None:
    np.testing.assert_allclose(
        np.asarray(found, dtype=float), np.asarray(expected, dtype=float), rtol=1e-9, atol=1e-9, equal_nan=True
    )


def check_series(found: pd.DataFrame, frame: pd.DataFrame, case: dict[str, Any], when: str) -> None:
    op = case["op"]
    looks_back = op in {"growth", "yoy", "moving", "log"}
    rows = kept(frame, {key: value for key, value in case.items() if key != "from" or not looks_back}, when)
    if "by" in case:
        for value, part in found.groupby(case["by"]):
            inner = {key: item for key, item in case.items() if key != "by"}
            whole = series(rows[rows[case["by"]] == value], inner, when)
            every = whole.reindex(pd.period_range(whole.index.min(), whole.index.max(), freq=whole.index.freq))
            close(part["change"], every.diff().loc[whole.index])
        return
    values = series(rows, case, when)
    start = pd.Period(case["from"], FREQUENCY[case["grain"]]) if "from" in case and looks_back else values.index.min()
    label = found.columns[-1]
    steps = {"month": 12, "quarter": 4, "year": 1}.get(case["grain"], 1) if op == "yoy" else 1
    match op:
        case "growth" | "yoy":
            close(found["change"], values.diff(steps).loc[start:])
            close(found["change %"], (100 * values.pct_change(steps)).loc[start:])
        case "moving":
            close(found[label], values.rolling(case["window"]).mean())
        case "moving_sum":
            close(found[label], values.rolling(case["window"]).sum())
        case "running":
            close(found[label], values.cumsum())
        case "log":
            close(found[label], np.log(values / values.shift()))
        case _:
            close(found[label], values)


def sides(frame: pd.DataFrame, case: dict[str, Any], when: str) -> list[pd.DataFrame]:
    days = pd.to_datetime(frame[when]).dt.strftime("%Y-%m-%d")
    return [frame[(days >= low) & (days <= high)] for low, high in case["sides"]]


def value(frame: pd.DataFrame, case: dict[str, Any]) -> float:
    return float(len(frame)) if "of" not in case else float(frame[case["of"]].agg(case.get("agg", "sum")))


def check_sides(found: pd.DataFrame, parts: list[pd.DataFrame], case: dict[str, Any]) -> None:
    one, two = (value(part, case) for part in parts)
    close(found.iloc[0].to_list(), [one, two, two - one, 100 * (two - one) / one])


def check_sides_by(found: pd.DataFrame, parts: list[pd.DataFrame], case: dict[str, Any]) -> None:
    one, two = (part.groupby(case["by"])[case["of"]].sum() for part in parts)
    for row in found.to_dict("records"):
        group = row[case["by"]]
        close(list(row.values())[1:3], [one[group], two[group]])
        close(row["change"], two[group] - one[group])
    assert found["change"].is_monotonic_decreasing


def check_share(found: pd.DataFrame, frame: pd.DataFrame, case: dict[str, Any]) -> None:
    totals = measured(frame.groupby(case["by"]), case)
    whole = totals.groupby(case["within"]).transform("sum") if "within" in case else totals.sum()
    shares = 100 * totals / whole
    for row in found.to_dict("records"):
        key = tuple(row[name] for name in case["by"]) if len(case["by"]) > 1 else row[case["by"][0]]
        close(row["share %"], shares[key])
    assert len(found) == len(totals)
    if case.get("ranked"):
        assert found["rank"].to_list() == list(range(1, len(found) + 1))


def check_part(found: pd.DataFrame, frame: pd.DataFrame, case: dict[str, Any]) -> None:
    when = pd.to_datetime(frame["ordered_at"]).dt
    names = {"weekday": when.day_of_week, "month": when.month, "hour": when.hour, "day": when.day}
    expected = measured(frame.groupby(names[case["part"]]), case).sort_index()
    close(found.iloc[:, -1], expected)
    if case["part"] == "weekday":
        assert found.iloc[0, 0] == "Mon"


def check_ratio(found: pd.DataFrame, frame: pd.DataFrame, case: dict[str, Any]) -> None:
    times = case.get("times", 1)
    if "by" not in case:
        close(found.iloc[0, -1], times * frame[case["of"]].sum() / frame[case["over"]].sum())
        return
    grouped = frame.groupby(case["by"])
    expected = times * grouped[case["of"]].sum() / grouped[case["over"]].sum()
    close(found.set_index(case["by"]).iloc[:, -1].loc[expected.index], expected)


def check_pivot(found: pd.DataFrame, frame: pd.DataFrame, case: dict[str, Any]) -> None:
    down = frame[case["down"]] if case["down"] != "month" else pd.to_datetime(frame["ordered_at"]).dt.to_period("M")
    groups = measured(frame.groupby([down.rename("down"), case["across"]]), case)
    expected = groups.unstack().sort_index()
    close(found[list(expected.columns)], expected)


def check(found: pd.DataFrame, frame: pd.DataFrame, case: dict[str, Any]) -> None:
    when = {"orders": "ordered_at", "weather": "day"}.get(case["table"])
    rows = kept(frame, case, when)
    match case["op"]:
        case "growth" | "yoy" | "moving" | "moving_sum" | "running" | "log" | "series":
            check_series(found, frame, case, str(when))
        case "filled":
            expected = frame.sort_values([case["by"], str(when)])
            close(found["filled"], expected.groupby(case["by"])[case["of"]].ffill())
        case "contrast":
            check_sides(found, sides(rows, case, str(when)), case)
        case "contrast_by":
            check_sides_by(found, sides(rows, case, str(when)), case)
        case "groups":
            check_sides(found, [rows[rows[case["column"]] == name] for name in case["groups"]], case)
        case "sides":
            totals = [value(rows[rows[case["column"]] == name], case) for name in case["groups"]]
            assert found.iloc[:, 0].to_list() == case["groups"]
            close(found.iloc[:, 1], totals)
            close(found.iloc[:, 2], [total - totals[0] for total in totals])
        case "share":
            check_share(found, rows, case)
        case "rank":
            expected = measured(rows.groupby(case["by"][0]), case).sort_values(ascending=False)
            assert found.iloc[:, 0].to_list() == list(expected.index)
            close(found.iloc[:, 1], expected)
            assert found["rank"].to_list() == list(range(1, len(found) + 1))
        case "histogram":
            counts, edges = np.histogram(rows[case["of"]].dropna(), bins=case["bins"])
            close(found["rows"], counts)
            close(found["from"], edges[:-1])
            close(found["to"], edges[1:])
        case "quantiles" if "by" in case:
            expected = rows.groupby(case["by"])[case["of"]].quantile(case["at"]).unstack()
            close(found.set_index(case["by"]).iloc[:, :-1].loc[expected.index], expected)
        case "quantiles":
            close(found.iloc[0, :-1], [rows[case["of"]].quantile(at) for at in case["at"]])
        case "length":
            lengths = rows[case["of"]].str.len()
            grouped = [lengths] if "by" not in case else [part for _, part in lengths.groupby(rows[case["by"]])]
            for place, part in enumerate(grouped):
                close(found.iloc[place, -4:-1], [part.mean(), part.min(), part.max()])
        case "extract":
            pieces = rows[case["of"]].str.extract(case["pattern"])[0].rename("piece")
            expected = measured(rows.groupby(pieces), {**case, "of": case["measure"]} if "measure" in case else {})
            close(found.set_index(found.columns[0]).iloc[:, 0].loc[expected.index], expected)
        case "part":
            check_part(found, rows, case)
        case "ratio":
            check_ratio(found, rows, case)
        case "pivot":
            check_pivot(found, rows, case)
        case "group":
            expected = measured(rows.groupby(case["by"]), case)
            for row in found.to_dict("records"):
                key = tuple(row[name] for name in case["by"]) if len(case["by"]) > 1 else row[case["by"][0]]
                close(list(row.values())[-1], expected[key])
            assert len(found) == len(expected)
        case "one":
            close(found.iloc[0, -1], value(rows, case))
        case "profile":
            assert found["column"].to_list() == list(frame.columns)
            assert found["missing"].to_list() == frame.isna().sum().to_list()
            assert found["different"].to_list() == frame.nunique().to_list()
        case other:
            pytest.fail(f"no check for {other}")


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["question"])
def test_an_everyday_question_is_answered_as_pandas_would_or_asked_back(tables: Tables, case: dict[str, Any]) -> None:
    best, found = tables.ask(case["table"], case["question"])
    # SQLite has neither patterns nor medians.
    unable = tables.kind == "sqlite" and (case["op"] == "extract" or case.get("agg") == "median")
    if case["op"] == "ask" or unable:
        assert found is None, f"answered as: {best.in_words}"
        return
    assert found is not None, f"asked back: {best.question_back or best.in_words} {best.unread}"
    check(found, tables.frames[case["table"]], case)
