"""A question is covered by what its words may stand for, each word once."""

from __future__ import annotations

from typing import TYPE_CHECKING

from averment.reading.grammar.coverings import coverings
from averment.reading.grammar.mentions import find_mentions, words_of

if TYPE_CHECKING:
    from tests.reading.conftest import Library


def test_no_word_is_covered_twice_and_none_is_passed_over(rides: Library) -> None:
    words = words_of("average minutes of rides in Oslo with a helmet in 2023")
    for covering in coverings(words, find_mentions(words, rides.schema)):
        ends = [0, *(each.end for each in covering.mentions)]
        assert [each.start for each in covering.mentions] == ends[:-1]
        assert ends[-1] == len(words.words)


def test_the_best_covering_takes_columns_values_and_periods_for_what_they_are(rides: Library) -> None:
    words = words_of("average minutes of rides in Oslo in March 2023")
    best = coverings(words, find_mentions(words, rides.schema))[0]
    assert [(each.text, each.type) for each in best.items] == [
        ("average", "CUE"),
        ("minutes", "COLUMN"),
        ("rides", "ROW"),
        ("oslo", "VALUE"),
        ("march 2023", "TIME"),
    ]


def test_a_guessed_noun_of_rows_is_marked_as_a_guess(rides: Library) -> None:
    words = words_of("how many quokkas are in Oslo")
    best = coverings(words, find_mentions(words, rides.schema))[0]
    assert [each.guessed for each in best.items if each.type == "ROW"] == [True]


def test_numbers_keep_their_thousands(rides: Library) -> None:
    words = words_of("rides over 1,500 minutes")
    assert any(each.type == "BAR" and each.data.low == 1500 for each in find_mentions(words, rides.schema))
