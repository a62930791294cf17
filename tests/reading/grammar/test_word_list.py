"""The grammar's one word list is frozen: what a new wording means is learned from examples."""

from __future__ import annotations

from importlib import resources

from averment.reading.grammar.cues import LONGEST, grades, parts, phrases, plain

LINES = 210
PHRASES = 566
FORMS = 350
LIGHT = 339


def test_the_word_list_does_not_grow() -> None:
    text = resources.files("averment.reading.grammar").joinpath("cues.toml").read_text(encoding="utf-8")
    assert len(text.splitlines()) <= LINES
    assert len(phrases()) + len(parts()) <= PHRASES
    assert len(grades()) <= FORMS
    assert len(plain("stop")) <= LIGHT


def test_every_phrase_can_be_found() -> None:
    assert max(map(len, (*phrases(), *parts(), *grades()))) <= LONGEST


def test_adjectives_are_known_in_each_of_their_forms() -> None:
    found = grades()
    assert found["oldest",][0] == "most"
    assert found["heavier",][0] == "more"
    assert found["most", "expensive"][0] == "most"
    assert found["cheapest",][1][0][0] is False
