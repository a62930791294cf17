"""Random tables with planted and unplanted changes: what an investigation says is computed again from the rows.

Reader and evaluator are the test's own: patterns over the told sentences, and sums in plain Python over the CSV.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import pytest

from averment import Workbench
from averment.settings import Settings

CASES = 6
MORE_CASES = 15
NUMBER = r"-?[\d,]+(?:\.\d+)?"
HALF = timedelta(days=28)
START = date(2024, 1, 1)
Row = dict[str, Any]


def random_rows(dice: random.Random) -> list[Row]:
    """Two months of sales; often one channel, region or both lose or gain rows, or change their price."""
    channels, regions = ("app", "web", "shop")[: dice.choice((2, 3))], ("North", "South", "East")[: dice.choice((2, 3))]
    kind = dice.choice(("volume", "price", "nothing", "whole"))
    hit = {"channel": dice.choice(channels), **({"region": dice.choice(regions)} if dice.random() < 0.5 else {})}
    factor = dice.choice((0.2, 0.5, 1.8))
    rows: list[Row] = []
    for offset in range(56):
        for channel in channels:
            for region in regions:
                row = {"day": START + timedelta(days=offset), "channel": channel, "region": region}
                struck = offset >= 28 and (kind == "whole" or all(row[name] == value for name, value in hit.items()))
                count = 8 + dice.randint(-1, 1)
                if struck and kind in {"volume", "whole"}:
                    count = max(1, round(count * factor))
                for _ in range(count):
                    price = dice.choice((9.5, 10.0, 10.5)) * (factor if struck and kind == "price" else 1)
                    rows.append({**row, "amount": round(price, 2)})
    return rows


def write_rows(rows: list[Row], path: Path) -> Path:
    lines = ["day,channel,region,amount", *(f"{r['day']},{r['channel']},{r['region']},{r['amount']}" for r in rows)]
    path.write_text("\n".join(lines) + "\n")
    return path


def number(text: str) -> float:
    return float(text.replace(",", ""))


def near(told: str, true: float) -> bool:
    """Whether a written number is the true one to the places it shows."""
    places = len(told.partition(".")[2])
    return abs(number(told) - true) <= 0.5 * 10**-places * (1 + 1e-6) + 1e-9 * abs(true)


class World:
    """The rows of both periods."""

    def __init__(self, rows: list[Row]) -> None:
        self.sides = (
            [row for row in rows if row["day"] < START + HALF],
            [row for row in rows if row["day"] >= START + HALF],
        )
        self.total = self.figure("the metric", "all rows")

    def figure(self, what: str, place: str) -> tuple[float, float]:
        wanted = {} if place == "all rows" else dict(part.split(" = ") for part in place.split(", "))
        chosen = [[row for row in side if all(row[n] == v for n, v in wanted.items())] for side in self.sides]
        sums = [sum(row["amount"] for row in side) for side in chosen]
        if what == "the number of rows":
            return float(len(chosen[0])), float(len(chosen[1]))
        if what == "the value of each":
            return sums[0] / max(len(chosen[0]), 1), sums[1] / max(len(chosen[1]), 1)
        assert what == "the metric", what
        return sums[0], sums[1]

    def faults(self, sentence: str) -> Iterator[str]:
        """What is false in a sentence; a form that is not known is false."""
        change = self.total[1] - self.total[0]
        if found := re.fullmatch(
            rf"Total amount (?:rose|fell) from ({NUMBER}) to ({NUMBER}) \(({NUMBER}), ({NUMBER}) %\)\.", sentence
        ):
            wanted = (*self.total, change, 100 * change / self.total[0])
            yield from (
                f"{told} is {true}" for told, true in zip(found.groups(), wanted, strict=True) if not near(told, true)
            )
        elif found := re.fullmatch(
            rf"In (.+?) (the [a-z ]+) (rose|fell) from ({NUMBER}) to ({NUMBER})(?: \(({NUMBER}) %\))?\.(.*)", sentence
        ):
            place, what, verb, before, after, percent, rest = found.groups()
            true = self.figure(what, place)
            if not near(before, true[0]) or not near(after, true[1]):
                yield f"{before} to {after} is {true}"
            if (verb == "rose") != (true[1] > true[0]):
                yield f"it did not {verb}"
            if percent and not near(percent, 100 * (true[1] - true[0]) / abs(true[0])):
                yield f"{percent} % is another"
            yield from self._part(rest, change)
        elif found := re.fullmatch(r"(?:No cause is proven; t|T)he largest movers by (\w+) are (.+)\.", sentence):
            yield from self._movers(found[1], found[2])
        elif found := re.fullmatch(rf"Unexplained stays ({NUMBER})(?:, ({NUMBER}) % of the change)?\.", sentence):
            share = found[2] is None or abs(100 * number(found[1]) / change - number(found[2])) <= 0.6
            yield from () if share or abs(number(found[1])) <= 1 else [f"{found[2]} % is another"]

    def _part(self, text: str, change: float) -> Iterator[str]:
        found = re.fullmatch(rf" That is ({NUMBER})(?:, ({NUMBER}) % of the change)?\.", text)
        if text and found is None:
            yield f"it cannot be read: {text}"
        elif found and found[2] and abs(100 * number(found[1]) / change - number(found[2])) > 0.6:
            yield f"{found[2]} % is another"

    def _movers(self, dimension: str, text: str) -> Iterator[str]:
        told = re.findall(rf"(\w+) \(({NUMBER})\)", text)
        true: dict[str, float] = {}
        for value in {row[dimension] for side in self.sides for row in side}:
            ends = self.figure("the metric", f"{dimension} = {value}")
            true[value] = ends[1] - ends[0]
        yield from (f"{value} moved by {true[value]}" for value, moved in told if not near(moved, true[value]))
        largest = sorted(map(abs, true.values()), reverse=True)[: len(told)]
        if any(abs(abs(true[value]) - size) > 1e-6 for (value, _), size in zip(told, largest, strict=True)):
            yield "they are not the largest"


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workbench]:
    home = tmp_path_factory.mktemp("changes") / "home"
    with Workbench(settings=Settings(home=home, model_provider="none")) as workbench:
        yield workbench


def check(bench: Workbench, dice: random.Random, folder: Path, cases: int) -> None:
    false: list[str] = []
    told = 0
    for number_ in range(cases):
        rows = random_rows(dice)
        run = bench.drill(
            [write_rows(rows, folder / f"sales_{number_}.csv")],
            metric_sql="SUM(amount)",
            baseline=(str(START), str(START + HALF - timedelta(days=1))),
            comparison=(str(START + HALF), str(START + 2 * HALF - timedelta(days=1))),
        )
        world = World(rows)
        for claim in run.claims:
            if claim.relation in {"changed", "caused", "movers", "unexplained"}:
                told += 1
                false += [f"{claim.text} — {wrong}" for wrong in world.faults(claim.text)]
    assert told >= 2 * cases
    assert not false, "\n".join(false[:20])


def test_what_is_said_about_random_changes_is_so(bench: Workbench, tmp_path: Path) -> None:
    check(bench, random.Random("changes"), tmp_path, CASES)


@pytest.mark.slow
@pytest.mark.thorough
def test_what_is_said_about_many_random_changes_is_so(bench: Workbench, tmp_path: Path) -> None:
    check(bench, random.Random("more changes"), tmp_path, MORE_CASES)
