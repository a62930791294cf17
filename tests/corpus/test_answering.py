"""Answers over a small series of notes: exact ways first, a sentence only where it is likely, else silence."""

from __future__ import annotations

import json
from importlib import resources
from pathlib import Path

import pytest

from averment.corpus.answering.answerer import READ_FEATURES, Answerer
from averment.corpus.answering.card import card_of, pack_card, spoken_words, unpack_card
from averment.corpus.answering.expect import fits, is_of_a_part
from averment.corpus.answering.features import FEATURES
from averment.corpus.answering.library import Library
from averment.corpus.answering.question import repair_spelling, split_parts, take_apart
from averment.corpus.answering.sentences import STANDING, fitted_odds
from averment.corpus.structure.read import read_structure
from averment.language.embeddings import MiniLmEmbedder, default_embedder

NOTES = {
    "note-0007.rst": """\
Note: 7
Title: Winter Moorings
Author: Ada Holm <ada@example.org>
Status: Superseded
Created: 04-Feb-2011
Superseded-By: 12

Abstract
========

This note asks every owner to lift the boat out of the water before the first frost.
""",
    "note-0012.rst": """\
Note: 12
Title: Covered Winter Berths
Author: Per Lind, Ada Holm
Status: Active
Created: 19-Mar-2021
Harbour-Version: 3.2

Abstract
========

A covered berth is a place under a roof where a boat may stay all winter.  The roof was built in 2019.

Fees
----

==========  =======
Length      Fee
==========  =======
8 m         120 EUR
12 m        190 EUR
==========  =======

Drawbacks
---------

Masts must be taken down before a boat goes under the roof.

Duties
------

The keeper has three duties:

- to check the ropes every day
- to clear the snow
- to keep the list of owners
""",
    "note-0015.rst": """\
Note: 15
Title: Night Lights on the Pier
Author: Siri Moe
Status: Rejected
Created: 02-May-2022

Rejection
=========

The note was rejected because the lights disturb the birds of the reserve.
""",
}


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Answerer:
    bodies = [read_structure(text, "rst", f"file:///notes/{name}") for name, text in NOTES.items()]
    embedder = default_embedder(tmp_path_factory.mktemp("model"))
    return Answerer(Library([card_of(body) for body in bodies], None, bodies), embedder.embed)


def told(desk: Answerer, question: str) -> str:
    return " ".join(one.answer for _, one in desk.ask(question))


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("Who wrote note 7?", "Ada Holm"),
        ("When was note 15 created?", "02-May-2022"),
        ("What is the status of note 12?", "Active"),
        ("author of the covered berths note", "Per Lind, Ada Holm"),
        ("Which note superseded note 7?", "NOTE 12"),
        ("Which note does note 12 replace?", "NOTE 7"),
        ("Was note 15 accepted?", "No: the status"),
        ("Is note 12 still active?", "Yes: the status"),
        ("Who wrote the note that superseded note 7?", "Per Lind"),
        ("What are the drawbacks of covered winter berths?", "Masts must be taken down"),
    ],
)
def test_what_fields_and_sections_say_is_looked_up(desk: Answerer, question: str, answer: str) -> None:
    assert answer in told(desk, question)


@pytest.mark.parametrize(
    "question",
    [
        "Who wrote note 99?",
        "Why was note 12 rejected?",
        "When was note 15 accepted?",
        "Which note superseded note 12?",
        "What is the fee for a boat of 30 m?",
        "Who is the mayor of the city?",
    ],
)
def test_what_the_notes_do_not_hold_is_not_answered(desk: Answerer, question: str) -> None:
    parts = desk.ask(question)
    assert [one.answer for _, one in parts] == [""]
    assert parts[0][1].note


def test_every_place_of_an_answer_says_it(desk: Answerer) -> None:
    found = desk.part("Who wrote the note that superseded note 7?")
    names = list(NOTES)
    quotes = [NOTES[names[place.document]][place.start : place.end] for place in found.places]
    assert quotes == ["Superseded-By: 12", "Author: Per Lind, Ada Holm"]


def test_two_parts_are_both_answered_or_one_is_named_as_missing(desk: Answerer) -> None:
    both = desk.ask("Who wrote note 12 and when was it created?")
    assert ["Per Lind" in both[0][1].answer, "19-Mar-2021" in both[1][1].answer] == [True, True]
    half = desk.ask("Who wrote note 12 and who sponsored it?")
    assert [bool(one.answer) for _, one in half] == [True, False]
    assert split_parts("salt and pepper") == ["salt and pepper"]


@pytest.mark.skipif(not MiniLmEmbedder.is_available(), reason="the sentence model is not installed")
def test_definitions_cells_and_lists_are_told_whole(desk: Answerer) -> None:
    assert told(desk, "What is a covered berth?").startswith("A covered berth is a place under a roof")
    assert "120 EUR" in told(desk, "What is the fee for a length of 8 m?")


def test_a_quoted_term_is_defined_by_the_document_that_the_question_names() -> None:
    texts = {
        "berth.txt": 'Berth Rules\n\n1.1.\n"Heavy Work" means any work on the hull.\n',
        "crane.txt": 'Crane Rules\n\n"Heavy Work" shall mean lifting more than a tonne.\n',
    }
    bodies = [read_structure(text, "text", f"file:///rules/{name}") for name, text in texts.items()]
    desk = Answerer(Library([card_of(body) for body in bodies], None, bodies), None)
    assert "on the hull" in told(desk, "What does Heavy Work mean in the Berth Rules?")
    assert "a tonne" in told(desk, "What is Heavy Work under the Crane Rules?")


def test_the_name_of_a_document_must_be_met_and_a_sentence_without_its_subject_is_not_told() -> None:
    texts = {
        "keel.md": "# keel\n\nkeel paints hulls with two coats.\n",
        "mast.md": "# mast\n\nmast checks storm lights twice a day.\n\n## varnish\n\nThis is the most lasting coat.\n",
    }
    bodies = [read_structure(text, "markdown", f"file:///tools/{name}") for name, text in texts.items()]
    desk = Answerer(Library([card_of(body) for body in bodies], None, bodies), None)
    assert "storm lights twice" not in told(desk, "How does keel check storm lights?")
    assert told(desk, "Which coat is the most lasting?") == ""


def test_a_list_of_fields_in_the_text_answers_who_made_it() -> None:
    text = (
        "Harbour Tides\n=============\n\n:Creator: Ester Moe\n:Number of Rows: 1797\n\nTides of the harbour by hour.\n"
    )
    body = read_structure(text, "rst", "file:///sets/tides.rst")
    desk = Answerer(Library([card_of(body)], None, [body]), None)
    assert "Ester Moe" in told(desk, "Who created the harbour tides?")


def test_spelling_is_mended_only_for_words_that_nobody_writes() -> None:
    words = spoken_words(read_structure(f"{NOTES['note-0012.rst']}\n" * 3, "rst", "file:///n.rst"))
    assert repair_spelling("when was the coverd roof built", words).startswith("when was the covered roof")
    assert repair_spelling("Who wrote the roof note?", words) == "Who wrote the roof note?"


def test_a_common_word_is_not_misspelt_because_no_document_writes_it() -> None:
    vocabulary = {"monkey": 9, "being": 40, "covered": 5}
    assert (
        repair_spelling("How much money did the party bring in?", vocabulary)
        == "How much money did the party bring in?"
    )


def test_a_card_is_the_same_after_it_was_kept() -> None:
    body = read_structure(NOTES["note-0012.rst"], "rst", "file:///notes/note-0012.rst")
    assert unpack_card(pack_card(body)) == card_of(body)


def test_the_fitted_odds_come_with_their_recipe() -> None:
    data = json.loads(resources.files("averment.corpus.answering").joinpath("odds.json").read_text())
    assert set(data["first"]) == {*FEATURES, "bias"}
    assert set(data["second"]) == {*STANDING, "bias"}
    assert {"squad", "docsqa", "seed", "script"} <= set(data["manifest"])
    assert (Path(__file__).parents[2] / data["manifest"]["script"]).is_file()
    assert 0.5 <= fitted_odds().bar < 1
    of_reader = {"read", "share", "any", "first_read"}
    assert set(data["read"]) == {*READ_FEATURES, "bias"}
    assert set(data["settled"]) == {*STANDING, "bias"}
    signs = {"logit": 3.0, "full": 1.0, "own": 1.0, "cosine": 0.9, "context": 0.9, "agreed": 1.0, "firm": 1.0}
    weak = {str(name): 0.0 for name in STANDING if name not in of_reader}
    fitted = fitted_odds()
    low, high = fitted.standing(weak), fitted.standing({**weak, **signs})
    assert fitted.together(low, None, 0.5) < fitted.bar < fitted.together(high, None, 1.0)
    doubted = {**weak, "read": -6.0, "share": 0.0, "any": 0.05}
    trusted = {**weak, **signs, "fits": 1.0, "read": 3.0, "share": 0.9, "any": 0.95, "first_read": 1.0}
    assert fitted_odds().standing(doubted) < fitted_odds().read_bar < fitted_odds().standing(trusted)


@pytest.mark.parametrize(
    ("text", "counts"),
    [
        ("We support 250 country codes.", True),
        ("Remove a logging entry about detected languages (PR #115).", False),
        ("Some countries support more than one language.", False),
        ("There is no point in languages of their own.", False),
        ("Several languages are supported since version 1.5 (1997).", False),
        ("Twelve languages are known.", True),
    ],
)
def test_a_number_that_counts_nothing_answers_no_how_many(text: str, counts: bool) -> None:
    library = Library([], None, [])
    question = take_apart("How many languages are supported?", library)
    assert (fits(question, text, (), ()) > 0) is counts


@pytest.mark.parametrize(
    ("asked", "text", "answers"),
    [
        ("How long is the Kestrel Bridge?", "The Kestrel Bridge is 412 metres long.", True),
        ("How long are the lines?", "Lines have 79 characters.", True),
        ("How long can a name of a label be?", "A name of a label has 63 bytes at most.", True),
        ("How long is the summer course?", "The summer course takes six weeks.", True),
        ("How long is the old server supported?", "The old server has names of 63 bytes.", False),
        ("How long does the old server wait?", "The old server reads lines of 63 bytes.", False),
        ("How long is the Kestrel Bridge?", "The Kestrel Bridge was opened in 1932.", False),
    ],
)
def test_how_long_a_thing_is_wants_a_length_and_how_long_something_takes_a_time(
    asked: str, text: str, answers: bool
) -> None:
    question = take_apart(asked, Library([], None, []))
    assert (fits(question, text, (), ()) > 0) is answers


@pytest.mark.parametrize(
    ("asked", "text", "answers"),
    [
        ("When was the old port closed?", "The old port was closed in 1987.", True),
        ("When was the old port closed?", "Under this plan the old port would be closed in 1987.", False),
        ("In which year did the port close?", "The port could have closed in 1990.", False),
        ("When would the old port be closed?", "Under this plan the old port would be closed in 1987.", True),
        ("What is a ketch?", "A ketch is a boat with two masts.", True),
        ("What is a ketch?", "A ketch is not used in these waters.", False),
    ],
)
def test_what_would_be_is_no_past_and_what_a_thing_is_not_no_definition(asked: str, text: str, answers: bool) -> None:
    question = take_apart(asked, Library([], None, []))
    assert (fits(question, text, (), ()) > 0) is answers


@pytest.mark.parametrize(
    ("question", "text", "part"),
    [
        ("when was Vestby Opera opened?", "The restaurant of Vestby Opera was opened in 2001.", True),
        ("when was Vestby Opera opened?", "Vestby Opera was opened in 1998.", False),
        (
            "when was the restaurant of Vestby Opera opened?",
            "The restaurant of Vestby Opera was opened in 2001.",
            False,
        ),
        ("how high is Bakke Lighthouse?", "The height of Bakke Lighthouse is 31 metres.", False),
        ("when was Python 3.9 out?", "The final release of Python 3.9 came in October 2020.", False),
        ("when was the Orla Dam begun?", "The first turbine in the Orla Dam was begun in 1960.", True),
    ],
)
def test_a_part_of_a_thing_is_not_the_thing(question: str, text: str, part: bool) -> None:
    assert is_of_a_part(take_apart(question, Library([], None, [])), text) is part
