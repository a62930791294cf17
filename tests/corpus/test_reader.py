"""The reader of a question and a sentence together: its weights are its manifest's, and it tells right from wrong."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from importlib import resources
from pathlib import Path

import pytest

from averment.corpus.answering.answerer import READ, reordered
from averment.corpus.answering.sentences import Odds, SentenceCandidate
from averment.corpus.answering.span_reader import SpanOpinion, SpanReader, best_span, packaged
from averment.corpus.answering.windows import SentenceWindow
from averment.language.embeddings import MiniLmEmbedder

pytestmark = pytest.mark.skipif(not MiniLmEmbedder.is_available(), reason="the sentence model is not installed")

FRESH = [
    (
        "How long do lantern keepers serve on the island?",
        "The lantern keepers of Odd Skerry serve on the island for eleven weeks.",
        "The lantern of Odd Skerry was rebuilt by the harbour board.",
    ),
    (
        "Who designed the bell tower?",
        "The bell tower was designed by Marta Quill.",
        "The bell tower stands beside the old market.",
    ),
    (
        "When did the ferry line open?",
        "The ferry line opened in March 1954.",
        "The ferry line carries mostly timber.",
    ),
    (
        "Why was the second quay closed?",
        "The second quay was closed because its piles had rotted.",
        "The second quay is painted every spring.",
    ),
]


@pytest.fixture(scope="module")
def reader(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SpanReader]:
    embedder = MiniLmEmbedder(tmp_path_factory.mktemp("model"))
    yield SpanReader(embedder)


def test_the_weights_are_those_of_their_manifest() -> None:
    folder = resources.files("averment.corpus.answering")
    manifest = json.loads(folder.joinpath("reader.json").read_text(encoding="utf-8"))
    data = folder.joinpath("reader.safetensors").read_bytes()
    assert hashlib.sha256(data).hexdigest() == manifest["sha256"]
    assert len(data) < 4_000_000
    assert {"squad", "pages", "reached", "script", "seed"} <= manifest.keys()
    assert Path(__file__).parents[2].joinpath(manifest["script"]).is_file()
    assert packaged() == data


@pytest.mark.parametrize(("question", "right", "wrong"), FRESH)
def test_the_sentence_that_answers_is_put_before_one_that_only_speaks_of_the_same_thing(
    reader: SpanReader, question: str, right: str, wrong: str
) -> None:
    found = reader.read(question, [SentenceWindow("Harbour", "", wrong), SentenceWindow("Harbour", "", right)])
    assert found[1].score > found[0].score
    assert found[1].words in right


def test_an_opinion_does_not_depend_on_what_is_read_beside_it(reader: SpanReader) -> None:
    question, right, wrong = FRESH[0]
    windows = [SentenceWindow("", "", wrong), SentenceWindow("", "", right)]
    assert reader.read(question, windows)[1] == reader.read(question, windows[1:])[0]
    assert reader.read(question, [SentenceWindow("", "", "")]) == [SpanOpinion(-10.0, "")]


def test_the_likeliest_words_are_a_stretch_that_is_not_too_long() -> None:
    import numpy as np

    ends = np.zeros((40, 2), np.float32)
    ends[30, 0], ends[2, 1], ends[33, 1] = 5.0, 8.0, 4.0
    assert best_span(ends) == (30, 33)


def test_what_was_read_comes_first_by_both_opinions_and_what_was_not_stays_behind() -> None:
    found = [SentenceCandidate(n, {"full": 0.5}, 0.5) for n in range(READ + 2)]
    opinions = [SpanOpinion(float(n == 3), "words") for n in range(READ)]
    odds = Odds({}, {}, 0.5, read={"bias": 0.0, "read": 2.0}, settled={"bias": 0.0}, read_bar=0.5)
    listed = reordered(found, opinions, odds)
    assert listed[0].line == 3
    assert listed[0].words == "words"
    assert [one.line for one in listed[-2:]] == [READ, READ + 1]
    assert listed[-1].odds <= listed[READ - 1].odds
