"""Several investigations of one session, what cannot be followed refused at once, and a failure that costs no files."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from averment import Workbench
from averment.agents.driller import session_life
from averment.errors import (
    InvestigationNotComplete,
    JoinFansOut,
    MetricUnclear,
    MissingColumn,
    PeriodWithoutData,
)

FIRST = {"metric_sql": "SUM(amount)", "baseline_period": "2024-01-01..2024-01-28"}
FIRST["comparison_period"] = "2024-01-29..2024-02-25"
ORDERS = Path(__file__).parents[3] / "src/averment/faces/web/samples/orders.csv"


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workbench]:
    with Workbench(tmp_path_factory.mktemp("several")) as made:
        yield made


@pytest.fixture
def session(bench: Workbench) -> str:
    made = bench.sessions.create().session_id
    bench.sessions.add_file(made, [ORDERS.read_bytes()], "orders.csv")
    return made


REFUSED = {
    "a misspelt column": ({"metric_sql": "SUM(amont)"}, MissingColumn),
    "words without a meaning": ({"metric_sql": "banana splits"}, MetricUnclear),
    "a period without a row": ({"comparison_period": "2031-01"}, PeriodWithoutData),
}


@pytest.mark.parametrize("case", REFUSED)
def test_it_is_refused_at_once_and_the_session_keeps_its_files_for(bench: Workbench, session: str, case: str) -> None:
    change, error = REFUSED[case]
    with pytest.raises(error):
        bench.sessions.start(session, {**FIRST, **change})
    assert bench.sessions.get(session).status == "has_files"
    assert bench.sessions.run_of(session) is None


def test_a_join_that_repeats_rows_is_refused_at_once(bench: Workbench) -> None:
    made = bench.sessions.create().session_id
    bench.sessions.add_file(made, [b"day,k,amount\n2024-01-01,1,5\n2024-02-01,1,6\n"], "sales.csv")
    bench.sessions.add_file(made, [b"k,day,cost\n1,2024-01-01,2\n1,2024-02-01,3\n"], "costs.csv")
    given = {**FIRST, "metric_sql": "SELECT SUM(s.amount * c.cost) FROM sales s JOIN costs c ON s.k = c.k"}
    with pytest.raises(JoinFansOut):
        bench.sessions.start(made, given)
    assert bench.sessions.get(made).status == "has_files"


def test_a_session_is_investigated_again_and_the_two_are_compared(bench: Workbench, session: str) -> None:
    sessions = bench.sessions
    runs: list[str] = []
    for metric in ("SUM(amount)", "COUNT(*)"):
        runs.append(sessions.start(session, {**FIRST, "metric_sql": metric}))
        bench.runs.wait(runs[-1])
        assert sessions.get(session).status == "completed"
    listed = sessions.investigations(session)
    assert [(one.number, one.run_id, one.context.metric_sql) for one in listed] == [
        (1, runs[0], "SUM(amount)"),
        (2, runs[1], "COUNT(*)"),
    ]
    assert "COUNT(*)" in sessions.report(session).content
    found = sessions.compare(session, 1, 2)
    assert {one.title for one in (*found.both, *found.only_second)} == {
        one.title for one in sessions.explanations(session)
    } | {one.title for one in found.both}
    assert found.movers
    with pytest.raises(InvestigationNotComplete):
        sessions.compare(session, 1, 3)
    assert all(bench.verify(run).ok for run in runs)
    assert sessions.chat(session, "What are the top causes?").content
    sessions.delete(session)
    assert not list((bench.settings.home / "sessions").glob(f"{session}*"))


def test_the_starter_and_the_runs_first_event_put_the_earlier_investigation_aside_once(
    bench: Workbench, session: str, monkeypatch: Any
) -> None:
    sessions = bench.sessions
    bench.runs.wait(sessions.start(session, FIRST))
    inside: list[int] = []
    together: list[int] = []
    put_aside = session_life.put_aside

    def slowly(*given: Any) -> None:
        inside.append(1)
        together.append(len(inside))
        time.sleep(0.5)
        put_aside(*given)
        inside.pop()

    monkeypatch.setattr(session_life, "put_aside", slowly)
    second = sessions.start(session, {**FIRST, "metric_sql": "COUNT(*)"})
    bench.runs.wait(second)
    assert together == [1]
    assert [one.status for one in sessions.investigations(session)] == ["completed", "completed"]
    assert "COUNT(*)" in sessions.report(session).content


def test_a_failed_investigation_goes_back_to_its_files(bench: Workbench, session: str, monkeypatch: Any) -> None:
    sessions = bench.sessions
    monkeypatch.setattr(sessions, "_check", None)
    bench.runs.wait(sessions.start(session, {**FIRST, "metric_sql": "banana splits"}))
    assert sessions.get(session).status == "failed"
    upload = sessions.files(session)[0]
    sessions.describe(session, upload.file_id, "One row an order.")
    bench.runs.wait(sessions.start(session, FIRST))
    assert sessions.get(session).status == "completed"
    assert [one.status for one in sessions.investigations(session)] == ["failed", "completed"]
