"""Which passages can be sides of a dispute, which sources are read first, and which names are worth a question."""

from __future__ import annotations

import hashlib
from types import SimpleNamespace
from typing import Any
from uuid import NAMESPACE_URL, uuid5

import pytest

from averment.agents.researcher.conflict_filter import filter_conflicts, spoken_words
from averment.agents.researcher.facts import PilePassage, ReadPile
from averment.agents.researcher.planner import is_whole_name, names_in
from averment.agents.researcher.sources import _timely_first  # pyright: ignore[reportPrivateUsage] - the order alone
from averment.language.claims.focus import read_focus
from averment.language.claims.pages import TextPage
from averment.language.claims.piles import PileText


def passage(text: str, title: str = "") -> PilePassage:
    digest = hashlib.sha256(text.encode()).hexdigest()
    source = uuid5(NAMESPACE_URL, text)
    return PilePassage(source, f"https://example.org/{digest[:8]}", digest, text, "example.org", digest, title=title)


def pile(question: str, *texts: str) -> ReadPile:
    passages = tuple(passage(text) for text in texts)
    heard = tuple(PileText(TextPage.of(text), (), one.group) for text, one in zip(texts, passages, strict=True))
    return ReadPile(question, read_focus(question), passages, heard, ())


def kept(question: str, *texts: str) -> list[str]:
    return [one.text for one in filter_conflicts(pile(question, *texts)).passages]


def test_what_is_said_of_another_year_is_no_side_of_a_dispute() -> None:
    asked, other, open_ = (
        "The 2019 Hartwell Prize went to Ada Moor.",
        "The 2021 Hartwell Prize went to Bo Lind.",
        "The Hartwell Prize is a prize for bridges.",
    )
    assert kept("Who won the 2019 Hartwell Prize?", asked, other, open_) == [asked, open_]
    assert kept("Who won the Hartwell Prize?", asked, other) == [asked, other]


def test_where_nobody_names_what_is_asked_nothing_is_disputed() -> None:
    texts = ("It was released in 2017.", "The other game was released in 2018.")
    assert kept("When was Lantern Valley released?", *texts) == []


def test_of_a_question_without_a_name_only_passages_about_its_thing_are_sides() -> None:
    about, beside = "The lantern valley game was released in 2017.", "The fox was released in May 2018."
    assert kept("when was the lantern valley game released?", about, beside) == [about]


def test_a_name_is_known_of_one_of_many_with_a_mark_and_with_its_number_in_words() -> None:
    assert spoken_words("Maxwell Award") <= spoken_words("He wins the Camp and Maxwell awards")
    assert spoken_words("Lantern Chronicles 2") <= spoken_words("Lantern Chronicles\u2122 2, digital")
    assert spoken_words("Season 11") <= spoken_words("the eleventh season of it")


def hit(text: str, title: str = "") -> Any:
    return SimpleNamespace(text=text, title=title, document_id=text)


def test_sources_of_the_year_asked_about_are_read_before_those_of_other_years() -> None:
    hits = [hit("won in 2018"), hit("won in 2019"), hit("won often"), hit("won in 2018 and 2019")]
    ordered = [one.text for one in _timely_first("Who won in 2019?", hits)]
    assert ordered == ["won in 2019", "won often", "won in 2018 and 2019", "won in 2018"]
    assert [one.text for one in _timely_first("Who won?", hits)] == [one.text for one in hits]


@pytest.mark.parametrize("name", ["Ada Moor", "Holy Roman Empire", "NASA"])
def test_a_name_of_some_words_or_initials_is_worth_a_question(name: str) -> None:
    assert is_whole_name(name)


@pytest.mark.parametrize(
    "name",
    [
        "Published 3 Years",
        "Acquired Classic",
        "Contributions Talk",
        "Privacy Policy",
        "Monday",
        "A B C D E F",
        "Apollo 11",
    ],
)
def test_words_of_a_page_and_pieces_of_sentences_are_no_names(name: str) -> None:
    assert not is_whole_name(name)


def test_only_names_beside_the_thing_asked_about_are_asked_about() -> None:
    found: Any = SimpleNamespace(
        hits=[
            hit("Broken Mill is a town in Utah. It was founded by Ada Moor in 1881."),
            hit("Altham Grammar School lies in Kent and was praised by Bo Lind."),
        ]
    )
    assert list(names_in(found, "What is the population of Broken Mill?")) == ["Ada Moor"]
