"""Tokens keep their places, identifiers fall into words, stems are dictionary words."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from averment.language.stems import root, stem
from averment.language.tokens import (
    content_words,
    fold,
    normalise,
    quoted_spans,
    split_identifier,
    split_words,
    strip_accents,
    tokenise,
)

STEMS = dict(
    pair.split(":")
    for pair in """
        cities:city addresses:address sales:sale years:year categories:category classes:class boxes:box
        taxes:tax matches:match wishes:wish buses:bus heroes:hero shoes:shoe prices:price courses:course
        houses:house expenses:expense databases:database employees:employee people:person children:child
        women:woman analyses:analysis indices:index criteria:criterion movies:movie cookies:cookie ids:id
        yrs:yr hired:hire hiring:hire hires:hire founded:found running:run shipped:ship shipping:ship
        created:create treated:treat repeated:repeat located:locate measured:measure visited:visit
        completed:complete limited:limit included:include uploaded:upload consumed:consume combined:combine
        joined:join trained:train named:name priced:price charged:charge managed:manage received:receive
        closed:close based:base used:use rated:rate rating:rate opened:open ordered:order typed:type
        produced:produce required:require increased:increase raised:raise listed:list played:play
        stored:store committed:commit computed:compute studied:study paid:pay sold:sell bought:buy
        spent:spend written:write cancelled:cancel travelling:travel billed:bill passed:pass missed:miss
    """.split()
)


@pytest.mark.parametrize(("word", "lemma"), STEMS.items())
def test_a_word_form_goes_back_to_its_dictionary_word(word: str, lemma: str) -> None:
    assert stem(word) == lemma


@pytest.mark.parametrize(
    "word",
    "status series species news class address business bus process gas analysis physics this was's string king "
    "during spring bed red need hundred speed evening id us größe 日本 x2".split(),
)
def test_a_word_without_an_ending_stays_as_it_is(word: str) -> None:
    assert stem(word) == word


@pytest.mark.parametrize(
    ("one", "two"),
    [("hire", "hiring"), ("cache", "caches"), ("category", "categories"), ("price", "pricing"), ("study", "studies")],
)
def test_forms_of_one_word_share_their_root(one: str, two: str) -> None:
    assert root(one) == root(two)


@pytest.mark.parametrize(
    ("one", "two"), [("sale", "salt"), ("order", "border"), ("price", "prize"), ("state", "status")]
)
def test_different_words_have_different_roots(one: str, two: str) -> None:
    assert root(one) != root(two)


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("orderTotalUSD2", ["order", "total", "usd", "2"]),
        ("order_total", ["order", "total"]),
        ("gdpPercap_1982", ["gdp", "percap", "1982"]),
        ("Location_Code", ["location", "code"]),
        ("HTTPServer", ["http", "server"]),
        ("customer-id", ["customer", "id"]),
        ("ALL_CAPS", ["all", "caps"]),
        ("straßeName", ["strasse", "name"]),
        ("Größe", ["grösse"]),
        ("A1B2", ["a", "1", "b", "2"]),
        ("  unit price ($) ", ["unit", "price"]),
        ("", []),
        ("___", []),
    ],
)
def test_an_identifier_falls_into_its_words(name: str, words: list[str]) -> None:
    assert split_identifier(name) == words


def test_a_possessive_loses_its_ending_but_not_its_place() -> None:
    token = tokenise("the customer's order")[1]
    assert (token.normal, token.text, token.span) == ("customer", "customer's", (4, 14))


def test_curly_quotes_and_plain_ones_give_the_same_tokens() -> None:
    assert [t.normal for t in tokenise("client’s")] == [t.normal for t in tokenise("client's")]


def test_numbers_with_separators_are_one_token() -> None:
    first = tokenise("1,234.5 x")[0]
    assert (first.text, first.normal, first.kind) == ("1,234.5", "1234.5", "number")


def test_identifier_words_keep_their_places_in_the_text() -> None:
    text = "sum of orderTotalUSD2's"
    assert [text[w.start : w.end] for w in split_words(text)] == ["sum", "of", "order", "Total", "USD", "2"]


def test_content_words_leave_out_what_names_nothing() -> None:
    assert [w.normal for w in content_words("What is the name of each city?")] == ["name", "city"]


@pytest.mark.parametrize(
    ("text", "inside"),
    [
        ('posted by "Sarah Williams" today', ["Sarah Williams"]),
        ("symbol `VTI` and 'ez'", ["VTI", "ez"]),
        ("the customer's first order isn't here", []),
        ("“curly” and «guillemets»", ["curly", "guillemets"]),
    ],
)
def test_quotations_are_found_without_their_quotes(text: str, inside: list[str]) -> None:
    assert [text[start:end] for start, end in quoted_spans(text)] == inside


def test_full_width_and_compatibility_forms_are_one() -> None:
    assert normalise("Ｓａｌｅｓ  ﬁgures") == "sales figures"
    assert strip_accents("São Tomé") == "Sao Tome"


@given(st.text())
def test_folding_never_moves_a_position(text: str) -> None:
    assert len(fold(text)) == len(text)


@given(st.text())
def test_every_token_is_what_stands_at_its_place(text: str) -> None:
    tokens = tokenise(text)
    assert all(text[t.start : t.end] == t.text for t in tokens)
    assert all(one.end <= two.start for one, two in pairwise(tokens))
    assert all(text[w.start : w.end] == w.text for w in split_words(text))


@given(st.text())
def test_the_normal_form_is_its_own_normal_form(text: str) -> None:
    assert normalise(normalise(text)) == normalise(text)


@given(st.text(alphabet="abcdefghijklmnopqrstuvwxyz", max_size=14))
def test_a_stem_is_never_empty_for_a_word(word: str) -> None:
    assert bool(stem(word)) == bool(word)
