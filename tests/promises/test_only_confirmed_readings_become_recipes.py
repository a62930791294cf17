"""A recipe comes from a confirmed reading alone, with a model and without, and makes nothing certain that was not."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from averment import Workbench
from averment.settings import Settings
from played_model import SERVING, model_saying, submitting

SALES = """order_date,region,product,amount
2023-12-31,West,Lamp,5.00
2024-01-05,West,Lamp,10.50
2024-01-20,East,Desk,7.25
2024-02-11,West,Chair,3.10
2024-03-02,North,Lamp,8.00
2024-03-09,East,Lamp,1.15
"""
BY_REGION = "SELECT region, SUM(amount) FROM sales WHERE year(order_date) = 2024 GROUP BY region"
HIGHEST = "SELECT region, MAX(amount) FROM sales GROUP BY region"


@pytest.fixture
def sales(tmp_path: Path) -> Path:
    path = tmp_path / "sales.csv"
    path.write_text(SALES)
    return path


@pytest.fixture
def workbench(tmp_path: Path) -> Iterator[Workbench]:
    with Workbench(settings=Settings(home=tmp_path / "home")) as opened:
        yield opened


def test_an_answer_that_nobody_confirmed_is_not_kept(workbench: Workbench, sales: Path) -> None:
    for question in ("total amount by region in 2024", "total amount by region in 2023"):
        run = workbench.analyze(question, [sales])
        assert run.status == "completed"
        assert (run.reading or {})["recipe"] is None
    assert workbench.home.recipes.list() == []


def test_what_an_earlier_version_kept_unconfirmed_makes_no_reading_certain(workbench: Workbench, sales: Path) -> None:
    workbench.choose(workbench.analyze("total zorp by product for West in 2024", [sales]), 1)
    assert workbench.analyze("total zorp by product for East in 2024", [sales]).marks.interpretation.code == "confirmed"
    (kept,) = workbench.home.recipes.list()
    structure = {key: value for key, value in kept.plan_structure.items() if key != "confirmed"}
    workbench.home.recipes.forget(kept.recipe_id)
    workbench.home.recipes.save(kept.model_copy(update={"plan_structure": structure}))
    assert workbench.analyze("total zorp by product for East in 2024", [sales]).status == "clarification_needed"
    assert [each.recipe_id for each in workbench.home.recipes.list()] == [kept.recipe_id]


def test_an_approved_plan_is_kept_and_answers_the_next_question_of_its_kind(workbench: Workbench, sales: Path) -> None:
    planned = workbench.analyze("total amount by product for West in 2024", [sales], plan_only=True)
    assert workbench.home.recipes.list() == []
    workbench.runs.approve(planned.id)
    (kept,) = workbench.home.recipes.list()
    assert kept.confirmed == "person"
    run = workbench.analyze("total amount by product for North in 2023", [sales])
    assert (run.reading or {})["recipe"]["recipe_id"] == kept.recipe_id


def test_a_model_and_the_readers_that_agree_unseen_teach(
    workbench: Workbench, sales: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with model_saying(submitting({"sql": BY_REGION}), monkeypatch):
        run = workbench.analyze("total amount by region in 2024", [sales])
    assert run.marks.interpretation.code == "sure"
    (kept,) = workbench.home.recipes.list()
    assert kept.confirmed == "readings"
    assert kept.intent_template == "total amount by region in {time_range}"


def test_a_query_that_stays_a_query_teaches_the_plan_that_comes_to_the_same(
    workbench: Workbench, sales: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    nested = f"WITH t AS ({BY_REGION}) SELECT * FROM t"
    with model_saying(submitting({"sql": nested}), monkeypatch):
        run = workbench.analyze("total amount by region in 2024", [sales])
    assert run.marks.interpretation.code == "sure"
    (kept,) = workbench.home.recipes.list()
    assert kept.plan_structure["plan"]["table"] == "sales"


@pytest.mark.parametrize("question", ["which region shines brightest", "total amount by region in 2024"])
def test_what_only_a_model_reads_is_not_kept(
    workbench: Workbench, sales: Path, monkeypatch: pytest.MonkeyPatch, question: str
) -> None:
    with model_saying(submitting({"sql": HIGHEST}), monkeypatch):
        run = workbench.analyze(question, [sales])
    assert run.marks.interpretation.code == "model"
    assert workbench.home.recipes.list() == []


def test_a_model_that_takes_the_readers_result_when_shown_it_confirms_nothing(
    workbench: Workbench, sales: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with model_saying(submitting({"sql": HIGHEST}, {"sql": BY_REGION}), monkeypatch):
        run = workbench.analyze("total amount by region in 2024", [sales])
    assert run.marks.interpretation.code == "sure"
    assert workbench.home.recipes.list() == []


def test_a_chosen_reading_of_a_model_teaches_and_is_shown_to_it_as_an_example(
    workbench: Workbench, sales: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asks = {"tool": "ask", "question_back": "By which measure?", "choices": [{"sql": HIGHEST}]}
    with model_saying(submitting(asks), monkeypatch) as model:
        workbench.choose(workbench.analyze("which region shines brightest", [sales]), 1)
        (kept,) = workbench.home.recipes.list()
        workbench.analyze("which region shines the brightest of all", [sales])
        assert kept.confirmed == "person"
        examples = SERVING.data_of(model.prompts[-1], "examples")
    assert [each["question"] for each in examples] == ["which region shines brightest"]


def test_a_persons_choice_takes_the_place_of_what_two_readings_agreed_on(
    workbench: Workbench, sales: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    question = "total amount by region in 2024"
    third = "SELECT region, COUNT(*) FROM sales WHERE year(order_date) = 2024 GROUP BY region"
    with model_saying(submitting({"sql": BY_REGION}), monkeypatch):
        workbench.analyze(question, [sales])
    with model_saying(submitting({"sql": HIGHEST}, {"sql": third}), monkeypatch):
        asked = workbench.analyze(question, [sales])
    number = next(n for n, offer in enumerate(asked.offers, start=1) if "number of rows" in offer.read_back)
    workbench.choose(asked, number)
    (kept,) = workbench.home.recipes.list()
    assert kept.confirmed == "person"
    assert kept.plan_structure["plan"]["measures"] == [{"function": "rows"}]
