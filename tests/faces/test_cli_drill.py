"""``averment drill`` as a person runs it: the answer, the JSON document, questions afterwards, refusals."""

from __future__ import annotations

import json
import random
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import click
import pytest

from averment.faces.cli.drill import drill
from golden import Ended, command

pytestmark = [pytest.mark.slow]

PERIODS = ("--baseline", "2024-01-01..2024-01-28", "--comparison", "2024-01-29..2024-02-25")


class Averment:
    """The command over one home, as it ends in this process (see ``golden.command``)."""

    def __init__(self, home: Path) -> None:
        self.home = home

    def __call__(self, *arguments: str) -> Ended:
        return command("--home", self.home, *arguments)

    def json(self, *arguments: str) -> dict[str, Any]:
        done = self(*arguments, "--json")
        assert done.err == "", done.err
        return json.loads(done.out)


@pytest.fixture(scope="module")
def averment(tmp_path_factory: pytest.TempPathFactory) -> Averment:
    return Averment(tmp_path_factory.mktemp("drill") / "home")


@pytest.fixture(scope="module")
def sales(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Sales of two regions by two channels; those of one region by the app halve in the second period."""
    chance = random.Random(5)
    lines = ["sale_id,day,region,channel,amount"]
    for day in (date(2024, 1, 1) + timedelta(days=number) for number in range(56)):
        for _ in range(60):
            region, channel = chance.choice(["north", "south"]), chance.choice(["app", "web"])
            amount = chance.gauss(30, 3) * (
                0.5 if day >= date(2024, 1, 29) and (region, channel) == ("north", "app") else 1
            )
            lines.append(f"{len(lines)},{day},{region},{channel},{amount:.2f}")
    path = tmp_path_factory.mktemp("data") / "sales.csv"
    path.write_text("\n".join(lines) + "\n")
    return path


@pytest.fixture(scope="module")
def done(averment: Averment, sales: Path) -> Ended:
    said = ("--describe", "sales.csv=One row a sale.", "--role", "sales.day=time", "--role", "sale_id=ignore")
    return averment("drill", str(sales), "--metric", "SUM(amount)", *PERIODS, *said)


def test_the_answer_is_on_stdout_and_the_iterations_are_on_stderr(done: Ended) -> None:
    assert done.code == 0, done.err
    assert "north" in done.out and "app" in done.out
    assert "Most Likely" in done.out
    assert "CONCLUDE" in done.err


def test_the_report_is_where_it_says(done: Ended) -> None:
    path = next(line.split(maxsplit=1)[1] for line in done.out.splitlines() if line.startswith("report "))
    assert Path(path).read_text().startswith("# ")


def test_the_run_passes_verification(done: Ended, averment: Averment) -> None:
    proof = next(line.split()[-1] for line in done.out.splitlines() if line.startswith("proof "))
    assert averment("verify", proof).code == 0


def test_a_question_afterwards_is_answered_from_the_session(done: Ended, averment: Averment) -> None:
    session = next(line.split()[1].rstrip(",") for line in done.out.splitlines() if line.startswith("session "))
    answer = averment.json("drill", "--ask", session[:8], "Why did the amount fall?")
    assert "north" in answer["response"]
    assert "results/explanations.json" in answer["artifacts_referenced"]
    said = averment("drill", "--ask", session, "Which hypotheses were ruled out?")
    assert said.code == 0
    assert "ruled out" in said.out


@pytest.mark.thorough
def test_one_document_tells_session_run_and_explanations(averment: Averment, sales: Path, tmp_path: Path) -> None:
    parquet = tmp_path / "sales.parquet"
    import pyarrow.csv
    import pyarrow.parquet

    pyarrow.parquet.write_table(pyarrow.csv.read_csv(sales), parquet)
    told = averment.json("drill", str(parquet), "--metric", "SUM(amount)", *PERIODS)
    assert told["session"]["status"] == "completed"
    assert told["session"]["file_count"] == 1
    assert told["run"]["status"] == "completed"
    assert told["explanations"][0]["rank"] == 1
    assert not list((averment.home / "sessions" / told["session"]["session_id"]).rglob("files/*"))


REFUSED = {
    "METRIC_SQL_REQUIRED": PERIODS,
    "INVALID_DATE_RANGE": ("--metric", "SUM(amount)", "--baseline", "2024-02-01..2024-01-01", *PERIODS[2:]),
    "USAGE": ("--metric", "SUM(amount)", *PERIODS, "--describe", "other.csv=What?"),
    "MISSING_COLUMN": ("--metric", "SUM(amount)", *PERIODS, "--role", "colour=ignore"),
}


@pytest.mark.parametrize("code", REFUSED)
def test_a_refusal_has_its_code_and_keeps_no_session(
    averment: Averment, sales: Path, tmp_path: Path, code: str
) -> None:
    fresh = Averment(tmp_path / "home")
    failed = fresh.json("drill", str(sales), *REFUSED[code])
    assert failed["error"]["code"] == code
    assert not list((fresh.home / "sessions").glob("*"))


@pytest.mark.parametrize("given", ["channel=colour", "channel", "=ignore"])
def test_a_role_that_is_none_is_refused_before_anything_is_opened(given: str) -> None:
    with pytest.raises(click.BadParameter):
        drill.main(["sales.csv", "--role", given], standalone_mode=False)


def test_without_files_there_is_nothing_to_investigate(tmp_path: Path) -> None:
    done = Averment(tmp_path / "home")("drill", "--metric", "SUM(amount)", *PERIODS)
    assert done.code == 2
    assert done.err.startswith("NO_FILES_UPLOADED")


def test_an_unknown_session_is_not_found(averment: Averment) -> None:
    done = averment("drill", "--ask", "00000000", "Why?")
    assert done.code == 2
    assert done.err.startswith("SESSION_NOT_FOUND")
