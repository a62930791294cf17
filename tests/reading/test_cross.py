"""The cross-reader weighs read-backs beside their question, by numbers that come from a recipe."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import pytest

from averment.language.embeddings import MiniLmEmbedder
from averment.reading.judge import cross_reader, judging
from averment.reading.judge.cross_reader import CrossReader, packaged_cross_reader, text_of

PACKAGE = Path(cross_reader.__file__).parents[1]
NEEDS_MODEL = pytest.mark.skipif(not MiniLmEmbedder.is_available(), reason="needs the sentence model")


@pytest.fixture(scope="module")
def reader() -> CrossReader:
    found = packaged_cross_reader()
    assert found is not None
    return found


def test_the_shipped_numbers_are_those_the_odds_were_fitted_with() -> None:
    manifest = json.loads((PACKAGE / "odds.json").read_text(encoding="utf-8"))["manifest"]["cross_reader"]
    shipped = hashlib.sha256((PACKAGE / "cross.safetensors").read_bytes()).hexdigest()
    assert manifest["sha256"] == shipped
    assert manifest["recipe"]["seed"] == 3


@NEEDS_MODEL
@pytest.mark.parametrize(
    ("question", "right", "wrong"),
    [
        (
            "how many boats are longer than 12 metres",
            "number of rows, where length is over 12, in boats",
            "list of name, where length is over 12, in boats",
        ),
        (
            "which harbour has the fewest boats",
            "harbour with the lowest number of rows, in boats",
            "harbour with the highest number of rows, in boats",
        ),
        (
            "names of all skippers from Norway",
            "list of name, where country is Norway, in skippers",
            "number of rows, where country is Norway, in skippers",
        ),
        ("average wage for each department", "average wage, by department, in staff", "average wage, in staff"),
        ("total rainfall in May", "total rainfall, where month is May, in weather", "total rainfall, in weather"),
    ],
)
def test_what_was_asked_for_scores_above_what_was_not(
    reader: CrossReader, question: str, right: str, wrong: str
) -> None:
    good, bad = reader.scores(question, [right, wrong])
    assert good > bad


@NEEDS_MODEL
def test_a_score_does_not_depend_on_the_readings_beside_it(reader: CrossReader) -> None:
    texts = ["average wage, by department, in staff", "number of rows, in staff", "total wage, in staff"]
    together = reader.scores("average wage in each department", texts)
    again = CrossReader(cross_reader.model_dir(), _fitted())
    alone = [again.scores("average wage in each department", [text])[0] for text in reversed(texts)][::-1]
    assert together == pytest.approx(alone, abs=0.002)


@NEEDS_MODEL
def test_scores_that_are_kept_may_be_forgotten_while_a_question_needs_them(
    reader: CrossReader, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cross_reader, "_MOST_KEPT", 0)
    first = reader.scores("average price", ["average price, in boats"])
    both = reader.scores("average price", ["average price, in boats", "total price, in boats"])
    assert both[0] == first[0] and len(both) == 2


@NEEDS_MODEL
def test_a_long_question_and_a_long_read_back_are_cut_and_not_refused(reader: CrossReader) -> None:
    (score,) = reader.scores(
        "how many " + "very " * 400 + "old boats", ["number of rows, where " + "x is 1 and " * 300]
    )
    assert -50 < score < 50


def test_names_are_read_as_words() -> None:
    assert text_of("average body_mass_g, by island_name, in penguins") == (
        "average body mass g, by island name, in penguins"
    )


def test_without_the_sentence_model_there_is_no_cross_reader(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(MiniLmEmbedder, "is_available", staticmethod(lambda: False))
    assert packaged_cross_reader() is None
    assert judging.chances([], "how many boats") == []


def _fitted() -> dict[str, object]:
    from safetensors.numpy import load_file

    return dict(load_file(str(PACKAGE / "cross.safetensors")))
