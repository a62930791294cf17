"""What a person says a word means is kept for that schema, used when the word is said, and can be forgotten."""

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from averment import Workbench
from averment.faces.cli.app import app

ORDERS = """order_date,region,gross_amount,net_amount
2024-01-05,West,12.00,10.00
2024-01-20,East,8.00,7.00
2024-02-11,West,4.00,3.00
"""


@pytest.fixture
def orders(tmp_path: Path) -> Path:
    path = tmp_path / "orders.csv"
    path.write_text(ORDERS)
    return path


def test_a_told_word_is_kept_and_used_next_time(workbench_on_each: Workbench, orders: Path) -> None:
    before = workbench_on_each.analyze("total revenue by region", [orders])
    assert "taught as" not in (before.answer or "")
    told = workbench_on_each.analyze("by revenue I mean net_amount", [orders])
    assert told.status == "completed"
    assert told.answer is not None
    assert told.answer.startswith("From now on revenue means net_amount")
    assert workbench_on_each.verify(told.id).ok
    run = workbench_on_each.analyze("total revenue by region", [orders])
    assert run.status == "completed"
    assert run.table is not None
    assert run.table.to_pydict()["total net_amount"] == [pytest.approx(13), pytest.approx(7)]
    assert run.reading is not None
    assert "revenue, taught as net_amount" in run.reading["in_words"]
    assert "taught as" in (run.report or "")
    assert workbench_on_each.verify(run.id).ok
    again = workbench_on_each.analyze("total revenue by region", [orders])
    assert again.report == run.report


@pytest.mark.parametrize(
    "text",
    [
        "total revenue by region; by revenue I mean net_amount",
        "when I say revenue I mean net amount. Total revenue by region",
        "total revenue by region, where revenue means net_amount",
        "use net_amount for revenue; total revenue by region",
    ],
)
def test_a_word_can_be_told_inside_a_question(workbench: Workbench, orders: Path, text: str) -> None:
    run = workbench.analyze(text, [orders])
    assert run.status == "completed"
    assert run.table is not None
    assert "total net_amount" in run.table.column_names
    (kept,) = workbench.home.recipes.corrections.list()
    assert (kept.word, kept.table, kept.column) == ("revenue", "orders", "net_amount")
    assert workbench.verify(run.id).ok


def test_telling_a_word_again_replaces_what_it_meant(workbench_on_each: Workbench, orders: Path) -> None:
    workbench_on_each.analyze("by revenue I mean net_amount", [orders])
    workbench_on_each.analyze("by revenue I mean gross_amount", [orders])
    (kept,) = workbench_on_each.home.recipes.corrections.list()
    assert kept.column == "gross_amount"
    run = workbench_on_each.analyze("total revenue", [orders])
    assert run.table is not None
    assert run.table.to_pylist() == [{"total gross_amount": pytest.approx(24)}]


def test_a_correction_that_names_no_column_is_refused_with_a_hint(workbench: Workbench, orders: Path) -> None:
    run = workbench.analyze("by revenue I mean net_amnt", [orders])
    assert run.status == "clarification_needed"
    assert run.answer is not None
    assert "net_amount" in run.answer
    assert workbench.home.recipes.corrections.list() == []


def test_a_correction_cannot_name_a_column_that_policy_forbids(workbench: Workbench, orders: Path) -> None:
    policy = {"allowed_columns": ["region", "gross_amount"]}
    run = workbench.analyze("by revenue I mean net_amount", [orders], policy=policy)
    assert run.status == "clarification_needed"
    assert workbench.home.recipes.corrections.list() == []
    workbench.analyze("by revenue I mean net_amount", [orders])
    run = workbench.analyze("total revenue by region", [orders], policy=policy)
    assert run.status == "clarification_needed"
    assert "net_amount" not in (run.answer or "")


def test_a_told_word_means_nothing_over_another_schema(workbench: Workbench, orders: Path, tmp_path: Path) -> None:
    workbench.analyze("by revenue I mean net_amount", [orders])
    other = tmp_path / "other.csv"
    other.write_text("city,trees,parks,people,cars\nBonn,1,2,3,4\nKiel,2,3,4,6\n")
    assert workbench.analyze("total revenue by city", [other]).status == "clarification_needed"


def test_a_told_word_follows_its_column_to_a_changed_schema(workbench: Workbench, orders: Path, tmp_path: Path) -> None:
    workbench.analyze("by revenue I mean net_amount", [orders])
    other = tmp_path / "orders2.csv"
    other.write_text(orders.read_text().replace("net_amount", "net_amount_eur"))
    run = workbench.analyze("total revenue by region", [other])
    assert run.status == "completed"
    assert run.reading is not None
    assert "net_amount is now net_amount_eur" in run.reading["in_words"]
    assert workbench.verify(run.id).ok


def test_a_told_word_whose_column_is_gone_is_not_guessed(workbench: Workbench, orders: Path, tmp_path: Path) -> None:
    workbench.analyze("by revenue I mean net_amount", [orders])
    other = tmp_path / "orders2.csv"
    rows = [line.rsplit(",", 1)[0] for line in orders.read_text().splitlines()]
    other.write_text("\n".join(rows) + "\n")
    run = workbench.analyze("total revenue by region", [other])
    assert run.status == "clarification_needed"
    assert "net_amount gone" in (run.answer or "")


SHOPS = """shop,region,status,opened,revenue,cost
Anton,North,active,2019-04-02,120,80
Berta,North,closed,2020-07-15,90,95
Cilly,South,active,2023-02-01,200,120
Doro,South,active,2024-03-09,60,30
Emil,West,paused,2021-11-30,75,50
"""


@pytest.fixture
def shops(tmp_path: Path) -> Path:
    path = tmp_path / "shops.csv"
    path.write_text(SHOPS)
    return path


@pytest.mark.parametrize(
    ("word", "means", "question", "kind", "note", "figures"),
    [
        ("takings", "revenue", "total takings", "column", "takings, taught as revenue", [545]),
        ("margin", "revenue minus cost", "total margin", "formula", "margin, taught as revenue minus cost", [170]),
        (
            *("active shops", "status is active and opened after 2022", "how many active shops are there", "condition"),
            *("active shops, taught as status is active and opened is at least 2023-01-01", [2]),
        ),
        ("coast", "North, West", "total revenue on the coast", "list", "taught as region is one of North, West", [285]),
    ],
)
def test_each_kind_of_meaning_is_taught_shown_and_proven(
    workbench: Workbench, shops: Path, word: str, means: str, question: str, kind: str, note: str, figures: list[int]
) -> None:
    taught = workbench.runs.teach(word, means, [shops])
    assert taught.status == "completed"
    assert (taught.answer or "").startswith(f"From now on {word} means ")
    assert taught.marks.interpretation.code == "confirmed"
    assert workbench.verify(taught.id).ok
    (kept,) = workbench.home.glossary.list()
    assert (kept.word, kept.kind) == (word, kind)
    run = workbench.analyze(question, [shops])
    assert run.status == "completed", run.answer
    assert run.table is not None
    assert list(run.table.to_pylist()[0].values()) == figures
    assert note in (run.read_back or "")
    assert note in (run.report or "")
    assert workbench.verify(run.id).ok
    assert workbench.home.glossary.forget(kept.correction_id)
    assert workbench.home.glossary.list() == []
    again = workbench.analyze(question, [shops])
    assert "taught as" not in (again.read_back or "")


def test_what_cannot_be_read_as_a_meaning_is_refused(workbench: Workbench, shops: Path) -> None:
    run = workbench.runs.teach("margin", "revenue minus apples", [shops])
    assert run.status == "clarification_needed"
    assert "revenue minus apples" in (run.answer or "")
    assert workbench.home.glossary.list() == []


def test_a_taught_word_that_is_taught_anew_means_the_new(workbench: Workbench, shops: Path) -> None:
    workbench.runs.teach("gain", "revenue minus cost", [shops])
    workbench.runs.teach("gain", "revenue", [shops])
    run = workbench.analyze("total gain", [shops])
    assert run.table is not None
    assert run.table.to_pylist() == [{"total revenue": 545}]


def test_a_taught_formula_follows_its_columns_to_a_changed_schema(
    workbench: Workbench, shops: Path, tmp_path: Path
) -> None:
    workbench.runs.teach("margin", "revenue minus cost", [shops])
    other = tmp_path / "shops2.csv"
    other.write_text(shops.read_text().replace("revenue", "revenue_eur"))
    run = workbench.analyze("total margin", [other])
    assert run.status == "completed"
    assert "revenue is now revenue_eur" in (run.read_back or "")
    assert workbench.verify(run.id).ok


def test_meanings_are_taught_listed_and_forgotten_at_the_command_line(tmp_path: Path, shops: Path) -> None:
    home = tmp_path / "home"

    def call(*words: str) -> dict[str, Any]:
        done = CliRunner().invoke(app, ["--home", str(home), *words, "--json"], standalone_mode=False)
        assert done.exit_code == 0, done.output
        return json.loads(done.stdout)

    taught = call("teach", "margin", "revenue minus cost", "--source", str(shops))
    assert taught["status"] == "completed"
    (listed,) = call("meanings", "list")["meanings"]
    assert (listed["word"], listed["in_words"]) == ("margin", "revenue minus cost")
    assert call("meanings", "forget", listed["correction_id"])["forgotten"] == 1
    assert call("meanings", "list")["meanings"] == []


def test_the_tools_and_the_chat_teach_words_too(workbench: Workbench, shops: Path) -> None:
    call = workbench.assistant.call
    done = call("teach", {"word": "margin", "means": "revenue minus cost", "sources": [str(shops)]}, key="t1").result
    assert done["answer"].startswith("From now on margin means revenue minus cost.")
    (listed,) = call("list_meanings", {}, key="t2").result["meanings"]
    assert listed["means"] == "revenue minus cost"
    assert call("forget_meaning", {"meaning_id": listed["meaning_id"]}, key="t3").result == {"forgotten": 1}
    talk = workbench.assistant.attach([str(shops)])

    def say(text: str) -> str:
        return workbench.assistant.turn(text, conversation_id=talk).response

    say("average revenue by region")
    assert say("rich shops means revenue above 100").startswith("From now on rich shops means revenue is over 100")
    (kept,) = workbench.home.glossary.list()
    assert kept.kind == "condition"
    assert say("only for rich shops").startswith("Where revenue is over 100, the average revenue is 200")
