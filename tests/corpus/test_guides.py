"""Guides, read-me files, changelogs and licences: plain documents that say what they are about in few places."""

from __future__ import annotations

import pytest

from averment.corpus.answering.answerer import Answerer, tell
from averment.corpus.answering.card import card_of, pack_card, unpack_card
from averment.corpus.answering.expect import counted, says_another, says_nothing_new, verdict_of
from averment.corpus.answering.features import FEATURES
from averment.corpus.answering.library import Library
from averment.corpus.answering.question import CorpusQuestion, take_apart
from averment.corpus.answering.sentences import Odds, find_candidates, fitted_odds, stopped
from averment.corpus.structure.read import read_structure
from averment.corpus.structure.shape import Structure
from averment.language.embeddings import MiniLmEmbedder, default_embedder

GUIDES = {
    "lantern-faq.md": """\
# Questions

## How do I stop the lamp from blinking?

Pass `--steady` or set `BLINK=0`.

## Storage

An entry whose weight exceeds the quota cannot be kept, and trying to do so raises QuotaError.
Lantern 4.0 and later need Fedora 38. Lantern 3.1 needs Fedora 30.
""",
    "lantern-changes.md": """\
# History

## 2.3.0 (2024-02-11)

- Add a dimmer for `.glow()`.

## 2.2.0 (2023-07-01)

- Drop support for gas.
""",
    "oar-signals.md": """\
# Signals

The boat house knows these signals:

- `HUP` — read the plan again.
- `USR1` — open the log book anew.
""",
    "terms.txt": """\
PUBLIC BERTH TERMS

    a) Accompany the boat with a written promise, valid for at least four
    seasons, to give any third party a copy of the plans.

    b) Leave the berth clean.
""",
}


def body_of(name: str, text: str) -> Structure:
    kind = {"md": "markdown", "rst": "rst", "txt": "text"}[name.rpartition(".")[2]]
    return read_structure(text, kind, f"file:///guides/{name}")


def library_of(texts: dict[str, str]) -> Library:
    bodies = [body_of(name, text) for name, text in texts.items()]
    return Library([card_of(body) for body in bodies], None, bodies)


@pytest.fixture(scope="module")
def guides() -> Library:
    return library_of(GUIDES)


def best(question: str, guides: Library) -> str:
    asked = take_apart(question, guides)
    weights = dict.fromkeys(FEATURES, 0.0) | {"full": 4.0, "own": 2.0, "fits": 1.0, "valued": 1.0, "bias": -4.0}
    found = find_candidates(asked, guides, None, Odds(weights, {"bias": 0.0}, 0.0))
    return tell(asked, guides, guides.lines[found[0].line]).answer if found else ""


def test_a_plain_word_that_nobody_uses_does_not_silence_a_question_and_a_name_does(guides: Library) -> None:
    assert stopped(take_apart("What happens if I store an entry bigger than the quota?", guides)) == ""
    assert stopped(take_apart("Which quota chugs along?", guides)) == ""
    assert stopped(take_apart("Does the lantern work with Zigbee?", guides)) == "zigbe"
    assert "QuotaError" in best("What happens if I store an entry bigger than the quota?", guides)


def test_what_a_file_is_called_says_what_it_is_about(guides: Library) -> None:
    assert "--steady" in best("how do i stop lantern from blinking", guides)
    card = guides.cards[0]
    assert {"lantern", "faq"} <= card.name_keys
    body = body_of("lantern-faq.md", GUIDES["lantern-faq.md"])
    assert unpack_card(pack_card(body)) == card_of(body)


def test_a_version_is_met_with_and_without_its_zero_and_never_by_another_one(guides: Library) -> None:
    assert "Fedora 38" in best("Which Fedora does Lantern 4 need?", guides)
    asked = take_apart("Which Fedora does Lantern 4 need?", guides)
    assert says_another(asked, "Lantern 3.1 needs Fedora 30.")
    assert not says_another(asked, "Lantern 4.0 and later need Fedora 38.")


def test_the_release_in_which_something_came_is_told_from_the_heading_above(guides: Library) -> None:
    assert best("In which version of lantern was a dimmer added?", guides).startswith("2.3.0 (2024-02-11):")
    assert not best("What does the dimmer do for glow?", guides).startswith("2.3.0")


def test_the_key_of_an_item_answers_which_one_does_what_the_item_says(guides: Library) -> None:
    assert "USR1" in best("Which signal makes the oar open its log anew?", guides)


def test_an_item_goes_on_on_lines_that_stand_no_deeper_than_its_mark(guides: Library) -> None:
    items = [block.text for block in guides.bodies[3].blocks if block.kind == "item"]
    assert items[0].endswith("four seasons, to give any third party a copy of the plans.")
    assert items[1] == "Leave the berth clean."


@pytest.mark.parametrize(
    ("name", "text", "title"),
    [
        ("ropes.rst", ":tocdepth: 3\n\n*****\nRopes\n*****\n\nRopes hold boats.\n", "Ropes"),
        ("knots.txt", ".. -*- restructuredtext -*-\n\n=====\nKnots\n=====\n\nKnots hold ropes.\n", "Knots"),
        (
            "sail-terms.txt",
            "sail is owned by the guild of the harbour and lent under the terms (see\nTERMS.txt), but for its mast.\n",
            "sail terms",
        ),
        ("buoys.md", "# 11 -- Code of Buoys\n\nBuoys are red.\n", "Code of Buoys"),
        ("sails-changes.md", "# v2.1.0 (2026-05-01)\n\n- Sails may be reefed.\n", "sails changes"),
        ("anchor-faq.md", "# FAQ\n\nAnchors hold boats.\n", "anchor faq"),
    ],
)
def test_no_document_is_called_by_its_markup(name: str, text: str, title: str) -> None:
    assert body_of(name, text).title == title


def test_badges_and_fields_for_the_page_are_no_sentences() -> None:
    body = body_of("tar.rst", ":orphan: yes\n\n|Build| |Docs|_\n\nTar keeps hulls dry.\n")
    assert [block.text for block in body.blocks] == ["Tar keeps hulls dry."]


def asked_of(text: str) -> CorpusQuestion:
    return take_apart(text, library_of({"a.md": "# Piers\n\nPiers are long.\n"}))


def test_what_a_question_expects_is_read_from_the_clause_that_asks() -> None:
    assert asked_of("When a queue is full, which boat has to leave?").expects == "thing"
    assert asked_of("my boats drift off at night, why is that?").expects == "why"
    assert not asked_of("Which port does the pilot listen on?").wants_list


def test_a_number_counts_only_what_was_asked_for() -> None:
    asked = asked_of("How many boats fit into the shed?")
    found = [counted(asked, text) for text in ("It holds 12 small boats.", "The boats need 3 men.", "It has 3 doors.")]
    assert found == [1.0, -0.5, -1.0]


def test_yes_and_no_are_said_only_of_what_is_said_without_a_condition() -> None:
    asked = asked_of("Is it allowed to paint the shed?")
    assert verdict_of(asked, "It is not allowed to paint the shed.") == "No"
    assert verdict_of(asked, "If you paint the shed, you need to ask whether it is allowed.") == ""
    assert verdict_of(asked, "The shed is red.") == ""


def test_a_text_that_only_repeats_the_question_answers_nothing() -> None:
    asked = asked_of("How is the shed licensed?")
    assert says_nothing_new(asked, "Licence: the shed licence")
    assert not says_nothing_new(asked, "Licence: MIT")


@pytest.mark.skipif(not MiniLmEmbedder.is_available(), reason="the sentence model is not installed")
def test_what_the_guides_do_not_hold_is_declined(guides: Library, tmp_path_factory: pytest.TempPathFactory) -> None:
    desk = Answerer(guides, default_embedder(tmp_path_factory.mktemp("model")).embed)
    for question in (
        "How many lanterns are sold in a year?",
        "Who designed the lantern?",
        "Does Lantern 9 need Fedora?",
    ):
        assert [one.answer for _, one in desk.ask(question)] == [""], question
    assert fitted_odds().read_bar < 1
