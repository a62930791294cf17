"""A topic is read by the short form that sources define for it; what leans on other sentences makes no section."""

import pytest

from averment.agents.researcher.facets import BY_KEY
from averment.agents.researcher.facts import LEANS
from averment.agents.researcher.planner import shortened

LOCK = 'The global interpreter lock ("GIL") keeps two threads apart.'


@pytest.mark.parametrize(
    ("topic", "text", "read_as"),
    [
        ("the global interpreter lock in CPython", LOCK, "GIL"),
        ("removal of the global interpreter lock", LOCK, "removal of the GIL"),
        ("heat pumps", "A heat pump (HP) moves heat.", "heat pumps"),
        ("the tides of Norvik", LOCK, "the tides of Norvik"),
        (
            "the European Chemicals Agency",
            "The European Chemicals Agency (ECHO) sits in Norvik.",
            "the European Chemicals Agency",
        ),
    ],
)
def test_a_topic_is_read_by_the_short_form_its_sources_define(topic: str, text: str, read_as: str) -> None:
    assert shortened(topic, [text]) == read_as


@pytest.mark.parametrize(
    "sentence",
    [
        "If true (1) then the new interpreter has a lock of its own.",
        "Otherwise the lock is shared.",
        "The lock is the cause.",
        "(with objects) into the state 2. move the rest down 3. move the lock",
        "In the past months, I spent more time on the lock than on the problem.",
    ],
)
def test_a_sentence_that_leans_on_others_is_no_fact(sentence: str) -> None:
    assert LEANS.search(sentence)


@pytest.mark.parametrize(
    "sentence",
    [
        "If the flag is true the interpreter has a lock of its own.",
        "The lock is the cause of the delay.",
        "World War I ended in 1918.",
        "Version 2.1 fixed it.",
    ],
)
def test_a_sentence_of_its_own_may_be_a_fact(sentence: str) -> None:
    assert not LEANS.search(sentence)


def test_a_digit_in_brackets_is_no_figure_and_a_setting_is_nobody() -> None:
    assert not BY_KEY["how_much"].is_shown("If it is true (1) the interpreter has a lock.", "the lock")
    assert BY_KEY["how_much"].is_shown("The lock costs 8 percent.", "the lock")
    assert not BY_KEY["who"].is_shown("It is set by the PYTHONGIL Environment.", "the lock")
    assert BY_KEY["who"].is_shown("It was proposed by Sam Gross.", "the lock")
