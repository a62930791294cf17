"""``averment explain`` shows the way of a question: what passed the gates, and what did not."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from averment import Workbench
from averment.errors import VerificationFailed
from averment.faces.cli.app import app
from averment.settings import Settings

SALES = "day,region,amount,quantity\n" + "".join(
    f"2024-0{month}-11,{region},{10 * month},{month}\n" for month in (1, 2, 3) for region in ("North", "South")
)


def explained(home: Path, run_id: str, *more: str) -> str:
    done = CliRunner().invoke(app, ["--home", str(home), "explain", run_id, *more])
    assert done.exit_code == 0, done.output
    return done.output


def test_an_answered_question_shows_words_readings_gates_plan_query_and_claims(tmp_path: Path) -> None:
    (tmp_path / "sales.csv").write_text(SALES, encoding="utf-8")
    home = tmp_path / "home"
    with Workbench(settings=Settings(home=home)) as workbench:
        run = workbench.analyze("total amount by region", str(tmp_path / "sales.csv"))
    said = explained(home, run.id)
    for part in ("sales.amount", "passed: every word has its place", "Plan: from sales by region", "GROUP BY", "is: "):
        assert part in said
    assert "failed: " not in said
    way = json.loads(explained(home, run.id, "--json"))
    assert way["readings"][0]["odds"] == run.odds and way["plan"] == run.plan


def test_a_question_asked_back_shows_which_gate_it_failed(tmp_path: Path) -> None:
    (tmp_path / "sales.csv").write_text(SALES, encoding="utf-8")
    home = tmp_path / "home"
    with Workbench(settings=Settings(home=home)) as workbench:
        run = workbench.analyze("average profit by region", str(tmp_path / "sales.csv"))
    said = explained(home, run.id)
    assert "failed: every word has its place" in said and "leaves out profit" in said


def test_a_run_that_is_not_what_was_sealed_is_not_explained(tmp_path: Path) -> None:
    (tmp_path / "sales.csv").write_text(SALES, encoding="utf-8")
    with Workbench(settings=Settings(home=tmp_path / "home")) as workbench:
        run = workbench.analyze("total amount by region", str(tmp_path / "sales.csv"))
        workbench.home.services.store.runs.update(run.id, answer="The total amount is 7 for North.")
        with pytest.raises(VerificationFailed):
            workbench.runs.explain(run)
