"""What a name or a date is in its sentence, and which answers of several texts are in dispute."""

from __future__ import annotations

import pytest

from averment.language.claims.disputes import find_disputes
from averment.language.claims.focus import read_focus
from averment.language.claims.pages import TextPage
from averment.language.claims.piles import PileText, group_answers
from averment.language.claims.reader import (
    find_candidates,
    is_former,
    is_speaker,
    names_nobody,
    of_another_event,
    read,
    refers_back,
)
from averment.language.claims.vectors import Similarity
from averment.language.tokens import roots_of

WORDS_ONLY = Similarity(None)


def candidates(question: str, text: str) -> list[str]:
    return [one.text for one in find_candidates(read_focus(question), TextPage.of(text))]


def disputed(question: str, *texts: str) -> list[set[str]]:
    focus = read_focus(question)
    pages = [TextPage.of(text) for text in texts]
    pile = [PileText(page, tuple(read(focus, page, WORDS_ONLY)), str(place)) for place, page in enumerate(pages)]
    return [{one.one.wording, one.other.wording} for one in find_disputes(focus, group_answers(focus, pile), pile)]


@pytest.mark.parametrize(
    "text",
    [
        "Mira Holm defeated Ana Ruiz in the final.",
        "Mira Holm won the title with a 6-2, 6-2 victory over Ana Ruiz.",
        "Mira Holm beat the Spanish Ana Ruiz to win the cup.",
        "Ana Ruiz was beaten by Mira Holm.",
        "Ana Ruiz lost the final to Mira Holm.",
    ],
)
def test_who_was_beaten_is_no_answer_to_who_won(text: str) -> None:
    found = candidates("Who won the Arden Open in 2019?", text)
    assert "Mira Holm" in found
    assert "Ana Ruiz" not in found


def test_where_nobody_asks_who_won_the_beaten_may_be_the_answer() -> None:
    assert "Ana Ruiz" in candidates("Whom did Mira Holm marry?", "Mira Holm defeated Ana Ruiz and then married her.")


@pytest.mark.parametrize("name", ["Player", "Leaderboard", "Arden Film Awards", "World Cup Final", "Chairman"])
def test_events_roles_and_menus_name_nobody(name: str) -> None:
    assert names_nobody(name)


@pytest.mark.parametrize("name", ["Mira Holm", "Arden", "Bank of Norvik", "Award Kessler"])
def test_names_name_somebody(name: str) -> None:
    assert not names_nobody(name)


def test_who_only_speaks_of_a_thing_or_only_was_it_is_told_apart() -> None:
    directed = read_focus("Who is the director of Arden Nights?")
    said = "Director Ana Ruiz believed that Arden Nights was the best film ever made."
    assert is_speaker(directed, said, (9, 17))
    assert not is_speaker(directed, "Ana Ruiz directed Arden Nights.", (0, 8))
    head = read_focus("Who is the new CEO of Arden Bank?")
    assert is_former(head, "Ana Ruiz announced that she was stepping down as CEO of Arden Bank.")
    assert not is_former(head, "Ana Ruiz leads Arden Bank.")


def test_where_someone_is_from_and_a_part_of_another_name_are_no_answer() -> None:
    assert "Colombian" not in candidates("Who won the Arden Open?", "At last a Colombian has won the Arden Open.")
    text = "The album reached place 29 of the Adult Alternative Songs chart."
    assert "Adult Alternative" not in candidates("Who is the artist of the album Arden Nights?", text)


def test_the_date_of_another_event_is_told_apart() -> None:
    focus = read_focus("When was Arden Quest released?")
    text = "Arden Quest was announced on 3 May 2016 and released on 9 June 2017."
    assert of_another_event(focus, text, (29, 39)) == 1.0
    assert of_another_event(focus, text, (56, 67)) == 0.0


def test_a_definite_description_refers_back() -> None:
    assert refers_back("The game was released in May.")
    assert not refers_back("Arden Quest was released in May.")


def test_numbered_parts_are_one_in_words_and_digits() -> None:
    asked = read_focus("When does season 4 of Arden Nights premiere?")
    assert asked.parts == {("season", "4")}
    assert read_focus("When did the fourth season of Arden Nights begin?").parts == asked.parts
    (own,) = find_candidates(asked, TextPage.of("The fourth season of Arden Nights premiered on 15 November 2020."))
    (other,) = find_candidates(
        asked, TextPage.of("The tenth and final season of Arden Nights premiered on 2 May 2026.")
    )
    assert own.features["another part"] == 0.0
    assert other.features["another part"] == 1.0


def test_a_number_in_a_name_restricts_nothing_and_a_year_does() -> None:
    assert read_focus("When was Arden Quest 2 released?").limits == frozenset()
    assert read_focus("Who won the Arden Open in 2019?").limits == {"2019"}


def test_a_label_belongs_to_what_it_labels() -> None:
    page = TextPage.of("Release date. 21 July 2017, on all platforms of the day.")
    assert [sentence.text for sentence in page.sentences] == [page.text]


def test_two_firm_statements_on_one_point_are_in_dispute() -> None:
    found = disputed(
        "When was Arden Museum founded?",
        "Arden Museum was founded on 4 May 1923.",
        "Arden Museum was founded on 9 June 1932.",
    )
    assert found == [{"4 May 1923", "9 June 1932"}]


@pytest.mark.parametrize(
    "other",
    [
        "Arden Museum was renovated in 1998.",
        "Arden Museum was founded in 1923, and its garden was opened on 9 June 1932.",
        "A museum in Norvik shows ships. It has 14 rooms.",
    ],
)
def test_another_event_or_the_same_year_is_not_in_dispute(other: str) -> None:
    assert disputed("When was Arden Museum founded?", "Arden Museum was founded on 4 May 1923.", other) == []


def test_who_bought_it_at_another_time_is_not_in_dispute() -> None:
    texts = ("Ana Ruiz acquired Arden Bank in 1985.", "Mira Holm acquired Arden Bank in 2019.")
    assert disputed("Who acquired Arden Bank?", *texts) == []


def test_forms_of_a_word_share_a_root() -> None:
    assert roots_of("The museum was founded.") == roots_of("Founding museums")
