"""After an analysis: what leans on it is for its tables, and the analyst reads it as a change of the plan."""

from __future__ import annotations

from pathlib import Path

import pytest

from averment import Workbench
from averment.agents.assistant.dialogue import Dialogue
from averment.agents.assistant.listening import followed_up
from averment.agents.assistant.run_questions import leans_on, names_column
from averment.agents.assistant.understand import ParsedMessage
from averment.settings import Settings

COLUMNS = ("date", "region", "product", "amount", "quantity")
SALES = """date,region,product,amount,quantity
2024-01-03,Ohio,tea,80,3
2024-01-09,Texas,coffee,60,2
2024-02-05,Ohio,coffee,70,1
2024-02-11,Utah,tea,50,5
2024-03-02,New York,tea,52,4
2024-03-15,Texas,tea,54,2
"""


@pytest.mark.parametrize(
    "message",
    [
        "and by month?",
        "now per product please",
        "what about Texas?",
        "and for coffee only?",
        "what about the median?",
        "and in March?",
        "only for coffee",
        "which region was lowest?",
        "and the second highest?",
        "is Ohio higher than Texas?",
    ],
)
def test_what_leaves_out_what_was_asked_before_leans_on_it(message: str) -> None:
    assert leans_on(message)


@pytest.mark.parametrize("message", ["what's the weather", "and why?", "what about that?", "how are you?", "thanks"])
def test_other_talk_leans_on_nothing(message: str) -> None:
    assert not leans_on(message)


def test_a_message_may_name_a_column() -> None:
    assert names_column("which product sold best?", COLUMNS)
    assert not names_column("how are you?", COLUMNS)


def test_rows_of_the_result_are_asked_for_through_the_analyst(tmp_path: Path) -> None:
    source = tmp_path / "sales.csv"
    source.write_text(SALES, encoding="utf-8")
    with Workbench(settings=Settings(home=tmp_path / "home")) as workbench:
        talk = workbench.assistant.attach([str(source)])

        def say(text: str) -> str:
            told = workbench.assistant.turn(text, conversation_id=talk).response
            return told.partition("[run ")[0]  # A run's id may hold any digits.

        assert "Ohio" in say("average amount by region")
        assert "Utah" in say("which region was lowest?")
        assert "75" in say("and the highest?")
        say("average amount by region")
        told = say("what about New York?")
        assert "52" in told and "75" not in told
        say("average amount by region")
        assert "Which" not in say("and by product?")
        assert "California" not in say("what about Utah?")


def test_a_message_that_is_surely_for_the_tasks_leans_on_no_run() -> None:
    after = Dialogue(sources=("sales.csv",), last_run="run", last_kind="analysis", last_tool="analyze")
    for heard in (
        ParsedMessage("create", 0.97, "and the milk", by="plain words"),
        ParsedMessage("delete", 0.95, "delete the lowest one"),
        ParsedMessage("complete", 0.6, "the report is done"),
    ):
        assert followed_up(heard, after) is heard
    assert followed_up(ParsedMessage("list", 0.6, "what about Texas?"), after).intent == "ask"
    # After something else was done the talk is no longer about the run.
    other = Dialogue(sources=("sales.csv",), last_run="run", last_kind="analysis", last_tool="add_task")
    assert followed_up(ParsedMessage("analyze", 0.8, "and by month?"), other).intent == "analyze"
