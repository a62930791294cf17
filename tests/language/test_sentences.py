"""Sentences with their places, and lists that read well."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from averment.language.sentences import join_list, split_sentences


@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        ("One. Two! Three?", ["One.", "Two!", "Three?"]),
        ("Sales rose 3.5 percent. Costs fell.", ["Sales rose 3.5 percent.", "Costs fell."]),
        ("Dr. J. R. Smith met Mr. Lee. They talked.", ["Dr. J. R. Smith met Mr. Lee.", "They talked."]),
        ("It is in the U.S. Navy. Good.", ["It is in the U.S. Navy.", "Good."]),
        ("He moved to the U.S. The rest stayed.", ["He moved to the U.S.", "The rest stayed."]),
        ("Use fruit, e.g. Apples, daily. Then rest.", ["Use fruit, e.g. Apples, daily.", "Then rest."]),
        ("See fig. 3 and vol. 2. Done.", ["See fig. 3 and vol. 2.", "Done."]),
        ("Visit example.com. It works.", ["Visit example.com.", "It works."]),
        ('He said "Stop." Then he left.', ['He said "Stop."', "Then he left."]),
        ("Is it (really?) true? Yes.", ["Is it (really?) true?", "Yes."]),
        ("Wait... what? Fine.", ["Wait... what?", "Fine."]),
        ("1. First item. 2. Second item.", ["1. First item.", "2. Second item."]),
        ("Heading\n\nA paragraph. More.", ["Heading", "A paragraph.", "More."]),
        ("List:\n- one\n- two", ["List:", "- one", "- two"]),
        ("Acme Inc. The firm grew.", ["Acme Inc.", "The firm grew."]),
        ("wrapped\nline stays whole. Next.", ["wrapped\nline stays whole.", "Next."]),
        ("No end mark", ["No end mark"]),
        ("これは文です。次の文。", ["これは文です。", "次の文。"]),
        ("", []),
        ("  \n ", []),
    ],
)
def test_a_text_falls_into_its_sentences(text: str, sentences: list[str]) -> None:
    assert [one.text for one in split_sentences(text)] == sentences


@given(st.text(alphabet=st.sampled_from("aAbB .!?\n\"'()1。-…"), max_size=60) | st.text())
def test_only_white_space_lies_outside_sentences(text: str) -> None:
    found = split_sentences(text)
    assert all(text[one.start : one.end] == one.text for one in found)
    edges = [0, *(place for one in found for place in one.span), len(text)]
    assert edges == sorted(edges)
    assert all(not text[edges[place] : edges[place + 1]].strip() for place in range(0, len(edges), 2))


@pytest.mark.parametrize(
    ("items", "text"),
    [
        ([], ""),
        (["A"], "A"),
        (["A", "B"], "A and B"),
        (["A", "B", "C"], "A, B and C"),
        (["A", "", " B "], "A and B"),
        (["Paris, France", "Rome"], "Paris, France; and Rome"),
        (["R and D", "Sales", "HR"], "R and D; Sales; and HR"),
    ],
)
def test_items_are_joined_so_that_they_can_be_told_apart(items: list[str], text: str) -> None:
    assert join_list(items) == text


def test_another_conjunction_can_be_chosen() -> None:
    assert join_list(["A", "B", "C"], conjunction="or") == "A, B or C"
