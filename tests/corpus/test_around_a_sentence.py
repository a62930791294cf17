"""What is told around the sentence that was found: its neighbours, the command it ends in, a second one near it."""

from __future__ import annotations

import pytest
from tests.corpus.test_strangers_questions import library_of

from averment.corpus.answering.answerer import Answerer, covered, named_above, tell, with_second
from averment.corpus.answering.expect import lacks_what_decides
from averment.corpus.answering.library import Library, TextLine
from averment.corpus.answering.question import take_apart
from averment.corpus.answering.sentences import Odds
from averment.corpus.answering.words import keys
from averment.corpus.structure.read import read_structure

FERRY = """# Ferry

## Fares

Until 2023 the fare was taken on board. This held up every crossing by ten minutes. Tickets are sold at the kiosk now.

A day ticket costs nine crowns.
"""


def line_with(library: Library, words: str) -> TextLine:
    return next(line for line in library.lines if words in line.unit.text)


def told(text: str, words: str, asked: str, name: str = "ferry.md", room: int = 110) -> str:
    library = library_of({name: text})
    return tell(take_apart(asked, library), library, line_with(library, words), room).answer


def test_a_sentence_is_told_between_its_neighbours() -> None:
    answer = told(FERRY, "Tickets are sold", "Where are tickets sold?")
    assert answer == (
        "This held up every crossing by ten minutes. Tickets are sold at the kiosk now. A day ticket costs nine crowns."
    )


def test_what_a_sentence_leans_on_comes_first_where_there_is_little_room() -> None:
    answer = told(FERRY, "This held up", "How long did the fare hold up a crossing?", room=17)
    assert answer == "Until 2023 the fare was taken on board. This held up every crossing by ten minutes."


def test_a_neighbour_of_another_section_is_not_told() -> None:
    text = "# Ferry\n\n## Fares\n\nA day ticket costs nine crowns.\n\n## Dogs\n\nDogs travel free of charge.\n"
    assert told(text, "nine crowns", "What does a day ticket cost?") == "A day ticket costs nine crowns."


def test_a_line_that_is_no_sentence_is_no_neighbour() -> None:
    text = "# Ferry\n\n*12 June 2019*\n\nA day ticket costs nine crowns.\n\nPhoto: Ada Holm\n"
    assert told(text, "nine crowns", "What does a day ticket cost?") == "A day ticket costs nine crowns."


@pytest.mark.parametrize(
    ("name", "text"),
    [
        (
            "guide.md",
            "# Guide\n\nCheck the settings before the first run:\n\n```sh\n$ tool configtest\n```\n\nThen go on.\n",
        ),
        ("guide.md", "# Guide\n\nCheck the settings before the first run:\n\n    $ tool configtest\n\nThen go on.\n"),
        (
            "guide.rst",
            "Guide\n=====\n\nCheck the settings before the first run::\n\n    $ tool configtest\n\nThen go on.\n",
        ),
        (
            "guide.rst",
            "Guide\n=====\n\nCheck the settings before the first run:\n\n"
            ".. code-block:: sh\n   :linenos:\n\n   $ tool configtest\n",
        ),
        (
            "guide.txt",
            "Guide to the tool\n\nCheck the settings before the first run:\n\n    $ tool configtest\n\nThen go on.\n",
        ),
    ],
)
def test_a_sentence_that_ends_in_a_command_is_told_with_it(name: str, text: str) -> None:
    assert told(text, "Check the settings", "How do I check the settings?", name).endswith(
        "Check the settings before the first run: $ tool configtest"
    )


def test_code_is_an_example_and_never_a_fact() -> None:
    body = read_structure("# Guide\n\nRun it:\n\n```\nmake all\nmake test\n```\n", "markdown", "file:///guide.md")
    assert [unit.text for unit in body.examples] == ["make all make test"]
    assert [unit.text for block in body.blocks for unit in block.units] == ["Run it:"]


def test_a_second_sentence_of_the_section_is_told_in_the_order_of_the_document() -> None:
    text = "# Ferry\n\nThe kiosk opens at six. " + "Nobody smokes there. " * 3 + "The boat waits for the bus.\n"
    library = library_of({"ferry.md": text})
    asked = take_apart("When does the kiosk open?", library)
    lines = [line_with(library, "boat waits"), line_with(library, "kiosk opens")]
    tellings = [tell(asked, library, line, 110) for line in lines]
    both = with_second(tellings, library, lines, [0.6, 0.5], 110)
    assert both.answer.startswith("The kiosk opens at six.")
    assert both.answer.endswith("The boat waits for the bus.")
    starts = [place.start for place in both.places]
    assert starts == sorted(starts)
    alone = with_second(tellings, library, lines, [0.6, 0.01], 110)
    assert alone.answer == tellings[0].answer


def test_a_later_part_that_the_first_answer_tells_is_not_sought_elsewhere() -> None:
    minutes = "# Minutes\n\n## Insurance\n\nDina writes to the insurer about the bees by 15 December.\n\n"
    minutes += "## Next meeting\n\nThe date of the next meeting is Wednesday 15 January 2025.\n"
    library = library_of({"minutes.md": minutes})
    always = Odds({"bias": 3.0, "full": 5.0}, {"bias": 3.0}, 0.0)
    parts = Answerer(library, None, odds=always).ask("What does Dina write to the insurer about, and by what date?")
    assert len(parts) == 2
    assert "15 December" in parts[1][1].answer
    assert "January" not in parts[1][1].answer


def test_what_both_curves_say_and_what_is_covered_makes_the_odds_of_what_is_told() -> None:
    told = {"with": {"read": 1.0, "plain": 0.5, "covered": 2.0, "bias": 0.2}, "without": {"plain": 1.0, "bias": 0.0}}
    odds = Odds({}, {}, 0.8, read_bar=0.7, told=told)
    assert odds.together(0.5, None, 1.0) == pytest.approx(0.5, abs=0.01)
    assert odds.together(0.2, 0.7, 1.0) < odds.together(0.5, 0.7, 1.0) < odds.together(0.8, 0.7, 1.0)
    assert odds.together(0.5, 0.7, 0.4) < odds.together(0.5, 0.7, 0.9)
    assert Odds({}, {}, 0.8).together(0.3, 0.6, 1.0) == 0.6


def test_what_is_told_covers_a_question_with_its_headings_and_its_title() -> None:
    library = library_of({"ferry.md": FERRY})
    line = line_with(library, "nine crowns")
    asked = take_apart("Which fare does a dog pay for a day on the ferry?", library)
    named = named_above(library, line)
    whole = covered(asked, "A dog pays nine crowns a day.", named)
    assert covered(asked, line.unit.text, named) < whole
    assert whole > 0.9


def test_a_marked_question_heads_its_answer() -> None:
    text = "Questions\n\nQ) Can I keep users in\ntheir homes?\nA) Yes. See keep_home.\n\nQ) Help! It hangs.\nA) Wait.\n"
    body = read_structure(text, "text", "file:///faq.txt")
    assert [block.path[-1] for block in body.blocks[1:]] == ["Can I keep users in their homes?", "Help! It hangs."]


@pytest.mark.parametrize(
    ("asked", "told", "lacks"),
    [
        ("What is the default gate time of autossh?", "The gate time is 30 seconds by default.", False),
        ("What is the default poll time of autossh?", "The gate time is 30 seconds by default.", True),
        ("What is the default ban time?", "You can set the ban time to 10 minutes, for example.", True),
        ("What is the maximum load of the lift?", "The lift carries up to 300 kg.", True),
        ("At which temperature is the fridge kept?", "The fridge is kept locked, and no food is kept in it.", True),
        ("At which temperature is the fridge kept?", "The fridge is kept at 4 degrees.", False),
        ("How many boats does the club own?", "A guest may row three times a year.", True),
        ("How many boats does the club own?", "The club owns twelve boats.", False),
        ("Who keeps the fridge?", "Ada Holm keeps the fridge.", False),
    ],
)
def test_the_value_that_is_asked_for_must_be_told(asked: str, told: str, lacks: bool) -> None:
    words = "autossh gate poll time ban lift load fridge kept boats club own temperature default maximum keeps"
    library = library_of({"notes.md": f"# Notes\n\n{words} are words of these notes.\n"})
    assert lacks_what_decides(take_apart(asked, library), told, {"autossh"}) is lacks


def test_a_version_is_not_met_inside_another_one() -> None:
    assert "9.0" not in keys("Updated helmet-csp to v2.9.0")
    assert "2.9" in keys("Updated helmet-csp to v2.9.0")
