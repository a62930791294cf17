"""The chat as the front door: offers are chosen, a series is drilled into, documents are asked."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from averment import Workbench
from averment.agents.assistant.series import movement, series_of
from averment.records.chat import AgentResponse
from thorough import later

HARBOUR = Path(__file__).parents[2] / "examples" / "harbour"
EXAMPLE = Path(__file__).parents[2] / "examples" / "sales.csv"
ASKED_BACK = "total amount by region mood"
"""The word "mood" has no place, so a reading is offered."""


class Talk:
    """One conversation with files in it."""

    def __init__(self, workbench: Workbench, *files: Path) -> None:
        self.workbench = workbench
        self.id = workbench.assistant.attach([str(file) for file in files])

    def say(self, words: str) -> AgentResponse:
        return self.workbench.assistant.turn(words, conversation_id=self.id)


def tools(reply: AgentResponse) -> list[str]:
    return [call.tool_name for call in reply.tool_calls]


@pytest.mark.parametrize("answer", ["1", "the first one", *later("yes", "number 1 please", "that one", "#1")])
def test_an_offered_reading_is_chosen_in_words(workbench: Workbench, sales: Path, answer: str) -> None:
    talk = Talk(workbench, sales)
    asked = talk.say(ASKED_BACK)
    assert asked.status == "clarification_needed"
    assert "1. total amount, by region, in sales \u2192 West" in asked.response
    chosen = talk.say(answer)
    assert tools(chosen) == ["choose"]
    assert chosen.status == "success"
    assert "18.6" in chosen.response
    assert workbench.show(str((chosen.tool_calls[0].result or {})["run_id"])).marks.interpretation.code == "chosen"


def test_a_button_chooses_an_offered_reading_once(workbench: Workbench, sales: Path) -> None:
    talk = Talk(workbench, sales)
    talk.say(ASKED_BACK)
    waiting = workbench.assistant.question(talk.id)
    assert waiting is not None
    first = workbench.assistant.answer(waiting.question_id, 1, conversation_id=talk.id, message_id="click")
    again = workbench.assistant.turn("1", conversation_id=talk.id, message_id="click")
    assert tools(first) == ["choose"]
    assert first == again


@pytest.mark.parametrize("words", ["no", *later("average amount by product", "add buy milk")])
def test_an_offer_that_is_not_taken_starts_nothing(workbench: Workbench, sales: Path, words: str) -> None:
    talk = Talk(workbench, sales)
    talk.say(ASKED_BACK)
    assert "choose" not in tools(talk.say(words))
    assert workbench.assistant.question(talk.id) is None


@pytest.mark.parametrize(
    ("question", "before", "after"),
    [
        ("why did this drop?", "2023-10-01", "2023-11-01"),
        ("what caused the fall?", "2023-10-01", "2023-11-01"),
        *later(
            ("how come it went up?", "2023-12-01", "2024-01-01"),
            ("what's behind the rise in November 2024?", "2024-10-01", "2024-11-01"),
            ("so why is August 2023 so high?", "2023-07-01", "2023-08-01"),
            ("what happened in March 2024?", "2024-02-01", "2024-03-01"),
            ("explain the dip in august", "2024-07-01", "2024-08-01"),
            ("why the decline from February 2024 to March 2024?", "2024-02-01", "2024-03-01"),
        ),
    ],
)
def test_why_a_series_moved_names_two_of_its_points(
    workbench: Workbench, question: str, before: str, after: str
) -> None:
    run = workbench.analyze("total amount by month", sources=[EXAMPLE])
    series = series_of(run.plan, run.table)
    assert series is not None
    assert series.metric == "SUM(amount)"
    days = movement(series, question)
    assert [each[0].isoformat() for each in days] == [before, after]


def test_why_did_this_drop_starts_a_drill_from_the_last_series(workbench: Workbench) -> None:
    talk = Talk(workbench, EXAMPLE)
    talk.say("total amount by month")
    why = talk.say("why did this drop?")
    assert tools(why) == ["drill"]
    assert why.response.startswith("I compared 2023-10-01 to 2023-10-31 with 2023-11-01 to 2023-11-30.")
    assert "fell from 6,114 to 3,205" in why.response
    assert "ruled out" in talk.say("what did you rule out?").response


def test_a_condition_of_the_series_stays_in_the_drill(workbench: Workbench) -> None:
    run = workbench.analyze("number of sales by quarter for Chair", sources=[EXAMPLE])
    series = series_of(run.plan, run.table)
    assert series is not None
    assert series.metric == "SELECT COUNT(*) FROM sales WHERE product = 'Chair'"


def test_a_why_without_a_series_says_what_is_missing(workbench: Workbench, sales: Path) -> None:
    talk = Talk(workbench, sales)
    talk.say("total amount by region")
    reply = talk.say("why did it drop?")
    assert reply.status == "clarification_needed"
    assert "two periods" in reply.response


def test_a_document_in_the_conversation_is_asked_by_the_researcher(workbench: Workbench) -> None:
    talk = Talk(workbench, *sorted(HARBOUR.glob("*.md")))
    reply = talk.say("how deep is the channel of the Port of Aldermouth?")
    assert tools(reply) == ["research"]
    assert "14 metres" in reply.response
    assert re.search(r"\[run [0-9a-f]{8}\]", reply.response)
    assert tools(talk.say("add buy rope")) == ["add_task"]


def test_what_the_tables_cannot_say_goes_on_to_the_documents(workbench: Workbench, sales: Path) -> None:
    talk = Talk(workbench, sales, HARBOUR / "gazette.md")
    assert tools(talk.say("total amount by region")) == ["analyze"]
    assert tools(talk.say("how deep is the channel of the Port of Aldermouth?"))[-1] == "research"
    # What follows leans on the table again.
    assert "Lamp" in talk.say("and by product?").response


def test_which_was_highest_picks_from_the_result_and_leaves_it_what_the_talk_is_about(workbench: Workbench) -> None:
    talk = Talk(workbench, EXAMPLE)
    talk.say("total amount by region")
    highest = talk.say("which region was highest?")
    assert "West" in highest.response
    assert "North" not in highest.response
    for words in ("only for Chair", "as a bar chart"):
        reply = talk.say(words)
        assert all(region in reply.response for region in ("North", "South", "East", "West")), words
    assert "chart" in reply.response.lower()


@pytest.mark.thorough
def test_a_why_after_a_pick_is_about_the_series_it_was_picked_from(workbench: Workbench) -> None:
    talk = Talk(workbench, EXAMPLE)
    talk.say("total amount by month")
    talk.say("which month was lowest?")
    assert tools(talk.say("why did it drop?")) == ["drill"]


@pytest.mark.parametrize(
    ("question", "told"),
    [
        ("why did quantity drop?", "Quantity fell"),
        *later(
            ("why did the quantity drop in November 2023 compared to October 2023?", "Quantity fell"),
            ("why did the numbers drop so sharply?", "Total amount fell"),
            ("why did the amounts drop?", "Total amount fell"),
        ),
    ],
)
def test_a_why_is_about_the_metric_it_names(workbench: Workbench, question: str, told: str) -> None:
    talk = Talk(workbench, EXAMPLE)
    talk.say("total amount by month")
    assert told in talk.say(question).response


def test_a_why_that_names_everything_needs_no_series_before_it(workbench: Workbench) -> None:
    talk = Talk(workbench, EXAMPLE)
    talk.say("average amount by region")
    assert "Amount fell" in talk.say("why did the amount drop in November 2023 compared to October 2023?").response
