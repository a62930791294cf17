"""What a text answers to a question, and what several texts say together."""

from __future__ import annotations

import pytest

from averment.language.claims.disputes import find_disputes
from averment.language.claims.focus import read_focus
from averment.language.claims.pages import TextPage
from averment.language.claims.piles import PileText, group_answers
from averment.language.claims.reader import read
from averment.language.claims.vectors import Similarity

WORDS_ONLY = Similarity(None)


@pytest.mark.parametrize(
    ("question", "kind", "subject"),
    [
        ("Who directed the film “Baby Doll”?", "person", {"baby", "doll"}),
        ("When was Arden Station opened?", "date", {"arden", "station"}),
        ("What is the population of Broken Bow?", "number", {"broken", "bow"}),
        ("Where is Fort Buchanan located?", "place", {"fort", "buchanan"}),
        ("What sport is Nathan Wood associated with?", "kind", {"nathan", "wood"}),
        ("What does VCD refer to?", "definition", {"vcd"}),
    ],
)
def test_a_question_tells_what_it_asks_for(question: str, kind: str, subject: set[str]) -> None:
    focus = read_focus(question)
    assert focus.kind == kind
    assert subject <= set(focus.subject)


@pytest.mark.parametrize(
    ("question", "text", "answer"),
    [
        (
            "Who directed The Long Harbour?",
            "The Long Harbour is a 1961 drama film directed by Maria Velden. It was shot in Porto.",
            "Maria Velden",
        ),
        (
            "When was Elias Thorne born?",
            "Elias Thorne (born 3 July 1850) was a surveyor. He moved to Arden in 1871.",
            "3 July 1850",
        ),
        (
            "What is the population of Arden?",
            "Arden is a town in Ohio. The population was 3,559 at the 2010 census. It has 12 schools.",
            "3,559",
        ),
    ],
)
def test_a_text_is_read_for_its_answer(question: str, text: str, answer: str) -> None:
    readings = read(read_focus(question), TextPage.of(text), WORDS_ONLY)
    assert readings[0].text.startswith(answer)
    start, end = readings[0].candidate.span
    assert text[start:end] == readings[0].text


def test_the_words_of_the_question_are_never_the_answer() -> None:
    readings = read(
        read_focus("Who acquired Instagram?"), TextPage.of("Facebook bought Instagram in 2012."), WORDS_ONLY
    )
    assert "Instagram" not in [reading.text for reading in readings]


def test_a_text_without_candidates_answers_nothing() -> None:
    assert read(read_focus("When was Arden founded?"), TextPage.of("It rains a lot there."), WORDS_ONLY) == []


def disputes(question: str, texts: list[str], groups: list[str] | None = None) -> int:
    focus = read_focus(question)
    pages = [TextPage.of(text) for text in texts]
    pile = [
        PileText(page, tuple(read(focus, page, WORDS_ONLY)), (groups or list(map(str, range(len(texts)))))[place])
        for place, page in enumerate(pages)
    ]
    return len(find_disputes(focus, group_answers(focus, pile), pile))


ONE = "The Long Harbour is a 1961 film directed by Maria Velden."
ONE_AGAIN = "Maria Velden directed The Long Harbour after years on stage."
OTHER = "The Long Harbour, a drama film, was directed by Tomas Reuter."
OTHER_AGAIN = "Director Tomas Reuter made The Long Harbour in Porto; Tomas Reuter directed it alone."


def test_two_texts_against_two_are_a_dispute() -> None:
    assert disputes("Who directed The Long Harbour?", [ONE, ONE_AGAIN, OTHER, OTHER_AGAIN])


def test_texts_that_agree_are_no_dispute() -> None:
    assert not disputes("Who directed The Long Harbour?", [ONE, ONE_AGAIN])
