"""What is read of a passage for its vector: the telling words once, in order, and never too many."""

from __future__ import annotations

from averment.corpus.corpus import MOST, condensed, kept_under
from averment.language.embeddings.hashed import HashedTfidfEmbedder


def test_markup_small_words_and_what_was_said_before_are_left_out() -> None:
    text = "Ferries\n=======\n\nThe ferries to *Odd Skerry* were sold, and the FERRIES of Odd Skerry were sold again."
    assert condensed("Harbour", text) == "Harbour\nFerries Odd Skerry sold again"


def test_versions_and_names_with_signs_inside_stay_whole() -> None:
    assert condensed("T", "Since 3.12.1 the run-time isn't O'Brien's.") == "T\nSince 3.12.1 run-time isn't O'Brien's"


def test_a_passage_without_telling_words_is_read_as_it_is() -> None:
    assert condensed("", "to be or not to be") == "\nto be or not to be"


def test_a_long_passage_is_cut_and_other_words_beyond_the_cut_change_nothing() -> None:
    words = [f"word{number}" for number in range(400)]
    found = condensed("Title", " ".join(words))
    assert MOST < len(found) < MOST + 20
    assert found == condensed("Title", " ".join([*words, "more"]))


def test_vectors_of_shortened_passages_have_a_name_of_their_own() -> None:
    embedder = HashedTfidfEmbedder()
    assert kept_under(embedder) != embedder.name
    assert kept_under(embedder).startswith(embedder.name)
