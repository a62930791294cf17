"""What a person says a word means is kept for that schema, used when the word is said, and can be forgotten."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from averment import Workbench
from averment.faces.cli.app import app
from averment.settings import Settings

pytestmark = pytest.mark.xdist_group("flows")

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
    assert "as you told" not in (before.answer or "")
    told = workbench_on_each.analyze("by revenue I mean net_amount", [orders])
    assert told.status == "completed"
    assert told.answer is not None
    assert told.answer.startswith("From now on revenue = net_amount")
    assert workbench_on_each.verify(told.id).ok
    run = workbench_on_each.analyze("total revenue by region", [orders])
    assert run.status == "completed"
    assert run.table is not None
    assert run.table.to_pydict()["total net_amount"] == [pytest.approx(13), pytest.approx(7)]
    assert run.reading is not None
    assert "revenue = net_amount, as you told" in run.reading["in_words"]
    assert "as you told" in (run.report or "")
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
    (kept,) = workbench.recipes.corrections.list()
    assert (kept.word, kept.table, kept.column) == ("revenue", "orders", "net_amount")
    assert workbench.verify(run.id).ok


def test_telling_a_word_again_replaces_what_it_meant(workbench_on_each: Workbench, orders: Path) -> None:
    workbench_on_each.analyze("by revenue I mean net_amount", [orders])
    workbench_on_each.analyze("by revenue I mean gross_amount", [orders])
    (kept,) = workbench_on_each.recipes.corrections.list()
    assert kept.column == "gross_amount"
    run = workbench_on_each.analyze("total revenue", [orders])
    assert run.table is not None
    assert run.table.to_pylist() == [{"total gross_amount": pytest.approx(24)}]


def test_a_correction_that_names_no_column_is_refused_with_a_hint(workbench: Workbench, orders: Path) -> None:
    run = workbench.analyze("by revenue I mean net_amnt", [orders])
    assert run.status == "clarification_needed"
    assert run.answer is not None
    assert "net_amount" in run.answer
    assert workbench.recipes.corrections.list() == []


def test_a_correction_cannot_name_a_column_that_policy_forbids(workbench: Workbench, orders: Path) -> None:
    policy = {"allowed_columns": ["region", "gross_amount"]}
    run = workbench.analyze("by revenue I mean net_amount", [orders], policy=policy)
    assert run.status == "clarification_needed"
    assert workbench.recipes.corrections.list() == []
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


def test_corrections_are_listed_shown_and_forgotten_at_the_command_line(tmp_path: Path, orders: Path) -> None:
    home = tmp_path / "home"
    with Workbench(settings=Settings(home=home)) as workbench:
        workbench.analyze("by revenue I mean net_amount", [orders])
        (kept,) = workbench.recipes.corrections.list()

    def call(*words: str) -> dict[str, object]:
        done = CliRunner().invoke(app, ["--home", str(home), "recipes", *words, "--json"])
        assert done.exit_code == 0, done.output
        return json.loads(done.stdout)

    listed = call("list")["corrections"]
    assert isinstance(listed, list)
    assert [(each["word"], each["column"]) for each in listed] == [("revenue", "net_amount")]
    assert call("show", kept.correction_id)["word"] == "revenue"
    assert call("forget", kept.correction_id)["forgotten"] == 1
    assert call("list")["corrections"] == []
