"""``averment explain`` shows the way of a question: what passed the gates, and what did not."""

import json
from pathlib import Path
from typing import Any

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
    assert "failed: " not in said[said.index("Gates of the foremost reading") :]
    way = json.loads(explained(home, run.id, "--json"))
    assert way["readings"][0]["odds"] == run.odds and way["plan"] == run.plan


def test_a_question_asked_back_shows_which_gate_it_failed(tmp_path: Path) -> None:
    (tmp_path / "sales.csv").write_text(SALES, encoding="utf-8")
    home = tmp_path / "home"
    with Workbench(settings=Settings(home=home)) as workbench:
        run = workbench.analyze("average profit by region", str(tmp_path / "sales.csv"))
    said = explained(home, run.id)
    assert "failed: every word has its place" in said and "leaves out profit" in said


def asked(tmp_path: Path, question: str) -> tuple[str, dict[str, Any]]:
    """How the command explains a question over the sales, in words and as JSON."""
    (tmp_path / "sales.csv").write_text(SALES, encoding="utf-8")
    home = tmp_path / "home"
    with Workbench(settings=Settings(home=home)) as workbench:
        run = workbench.analyze(question, str(tmp_path / "sales.csv"))
    return explained(home, run.id), json.loads(explained(home, run.id, "--json"))


def test_a_losing_reading_shows_the_gates_that_it_failed_and_why(tmp_path: Path) -> None:
    said, way = asked(tmp_path, "total amount by region")
    lost = next(each for each in way["readings"] if "foremost" not in each)
    assert lost["failed"]["every word has its place"] == f"leaves out {', '.join(lost['left'])}"
    assert set(lost["passed"]) | set(lost["failed"]) == set(way["gates"])
    after = said[said.index(f"{lost['odds']:.2f}  {lost['read_back']}") :].splitlines()[1:3]
    assert after[0].strip().startswith("failed: every word has its place (leaves out ")
    assert after[1].strip() == f"passed: {'; '.join(lost['passed'])}"


def test_a_word_shows_what_else_it_could_have_been(tmp_path: Path) -> None:
    said, way = asked(tmp_path, "which region had the highest amount in 2024")
    rivals = [(each["words"], each["as"], each["means"]) for each in way["rivals"]]
    assert ("2024", "number", "2024") in rivals
    taken = next(n for n, line in enumerate(said.splitlines()) if line.startswith("in 2024"))
    assert any(line.split()[:3] == ["2024", "or", "number"] for line in said.splitlines()[taken + 1 : taken + 4])
    assert "Without a meaning of their own: had" in said


def test_a_declined_question_shows_its_words_and_that_no_plan_fits_them(tmp_path: Path) -> None:
    said, way = asked(tmp_path, "why is the sky blue")
    assert [(each["words"], each["means"]) for each in way["words"]] == [("sky", "nothing"), ("blue", "nothing")]
    assert way["status"] == "clarification_needed" and way["candidates"] == 0
    assert "Readings: no plan fits these words" in said and "their own: why, is, the" in said


def test_candidates_that_gave_no_result_are_shown_with_the_reason(tmp_path: Path) -> None:
    said, way = asked(tmp_path, "total amount where region is North and region is South and quantity is 99")
    assert way["refused"] and all(f"  {each}\n" in said for each in way["refused"])


def test_a_run_that_is_not_what_was_sealed_is_not_explained(tmp_path: Path) -> None:
    (tmp_path / "sales.csv").write_text(SALES, encoding="utf-8")
    with Workbench(settings=Settings(home=tmp_path / "home")) as workbench:
        run = workbench.analyze("total amount by region", str(tmp_path / "sales.csv"))
        workbench.home.services.store.runs.update(run.id, answer="The total amount is 7 for North.")
        with pytest.raises(VerificationFailed):
            workbench.runs.explain(run)
