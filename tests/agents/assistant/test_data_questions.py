"""A message for the tables: cut into its questions, and worded as the plan reader reads it."""

from __future__ import annotations

import pytest

from averment.agents.assistant.data_questions import OF_FILE, goes_on, questions_in, worded


@pytest.mark.parametrize(
    ("message", "questions"),
    [
        ("What is the total salary? How many work remotely?", ["What is the total salary?", "How many work remotely?"]),
        ("who earns the most? what about the least?", ["who earns the most?", "what about the least?"]),
        (
            "who earns the most, and what is the average pay per ship?",
            ["who earns the most", "what is the average pay per ship?"],
        ),
        ("which ship is oldest, and who sails on the Tern?", ["which ship is oldest", "who sails on the Tern?"]),
        ("- total fee by plan\n- average fee by region", ["total fee by plan", "average fee by region"]),
        ("1. how many rows? 2. which plan is dearest?", ["how many rows?", "which plan is dearest?"]),
        ("Show the total by month. Then plot it.", ["Show the total by month.", "Then plot it."]),
    ],
)
def test_each_question_of_a_message_is_asked(message: str, questions: list[str]) -> None:
    assert list(questions_in(message)) == questions


@pytest.mark.parametrize(
    "message",
    [
        "total amount by region and product",
        "which region sold most and what was its total?",
        "what is the average pay and how many sailors per ship?",
        "how many fines are above 2.5 and below 7.5?",
        'which rows mention "Why? Because."?',
        "It broke down. What a day.",
        "compare St. Ives and St. Mawes",
        "is North vs. South different?",
    ],
)
def test_what_is_one_question_stays_whole(message: str) -> None:
    assert questions_in(message) == (message,)


def test_only_a_later_question_that_speaks_of_the_earlier_leans_on_it() -> None:
    assert goes_on("what about the least?")
    assert goes_on("and what is the average pay?")
    assert goes_on("how many of them are certified?")
    assert not goes_on("who earns the least?")
    assert not goes_on("How many work remotely?")


@pytest.mark.parametrize(
    "words",
    [
        "leave out Docklands",
        "leave Docklands out",
        "without Docklands",
        "and now without Docklands please",
        "skip Docklands",
        "ignore Docklands.",
        "everything but Docklands",
        "not counting Docklands",
        "don't count Docklands",
        "other than Docklands",
    ],
)
def test_whatever_leaves_a_value_out_of_a_result_is_an_exclusion(words: str) -> None:
    assert worded(words, follows=True) == "exclude Docklands"
    assert worded(words, follows=False) == words


@pytest.mark.parametrize(
    "words",
    [
        "what columns are in there?",
        "which fields does this have?",
        "list the columns",
        "show me all the headers",
        "how many columns are there?",
        "how big is this file?",
        "What variables do we have in the data?",
    ],
)
def test_what_a_file_holds_is_asked_in_one_way(words: str) -> None:
    assert worded(words, follows=False) == OF_FILE


@pytest.mark.parametrize(
    "words",
    [
        "which fields have the highest yield?",
        "show the features with the most votes",
        "how big is the share of Docklands?",
        "how many fields are larger than 3 hectares?",
        "average fine without the three largest values of each branch and year",
    ],
)
def test_other_questions_keep_their_words(words: str) -> None:
    assert worded(words, follows=True) == words
