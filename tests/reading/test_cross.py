"""The cross-reader weighs read-backs beside their question, by numbers that come from a recipe."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import pytest

from averment.language.embeddings import MiniLmEmbedder
from averment.reading.judge import judging
from averment.reading.judge.judging import CrossReader, packaged_cross_reader, text_of

PACKAGE = Path(judging.__file__).parents[1]
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


PAIRS = (
    (
        "which harbour has the fewest boats",
        "harbour with the lowest number of rows",
        "harbour with the highest number of rows",
    ),
    (
        "which harbour has the most boats",
        "harbour with the highest number of rows",
        "harbour with the lowest number of rows",
    ),
    ("average length of boats in Oslo", "average length_m, where harbour is Oslo", "average length_m"),
    ("total fees by month", "total fee, by month of paid_on", "total fee"),
    (
        "how many sailors are older than 40",
        "number of rows, where age is over 40",
        "number of rows, where age is under 40",
    ),
    (
        "share of boats that are insured",
        "share of rows in percent with insured is true",
        "number of rows, where insured is true",
    ),
    ("cheapest berth", "berth with the lowest price", "berth with the highest price"),
    ("median price of a berth", "median price", "average price"),
    ("how many different skippers are there", "number of different skipper", "number of rows"),
    (
        "how did trips change from 2021 to 2023",
        "change of number of rows, by year of day, from 2021 to 2023",
        "number of rows",
    ),
    (
        "which skippers sailed in winter",
        "different skipper, where season is winter",
        "number of rows, where season is winter",
    ),
    ("top 3 harbours by revenue", "harbour with the 3 highest total fee", "harbour with the highest total fee"),
    (
        "do sail boats cost more than motor boats",
        "whether average price is higher between kind",
        "number of rows, by kind",
    ),
    ("correlation of length and price", "correlation of length_m and price", "average length_m and average price"),
    ("oldest boat in Bergen", "boat with the lowest built, where harbour is Bergen", "boat with the lowest built"),
    ("how many boats have no power recorded", "number of rows, where power is missing", "number of rows"),
)


@NEEDS_MODEL
def test_of_sixteen_pairs_fourteen_are_put_in_the_right_order(reader: CrossReader) -> None:
    # Lowest beside highest and over beside under are the weak spot of this fit; the grammar decides those by the cue.
    scores = [reader.scores(asked, [text_of(f"{each}, in boats") for each in both]) for asked, *both in PAIRS]
    assert sum(good > bad for good, bad in scores) >= 14


@NEEDS_MODEL
def test_a_score_does_not_depend_on_the_readings_beside_it(reader: CrossReader) -> None:
    texts = ["average wage, by department, in staff", "number of rows, in staff", "total wage, in staff"]
    together = reader.scores("average wage in each department", texts)
    again = CrossReader(judging.model_dir(), _fitted())
    alone = [again.scores("average wage in each department", [text])[0] for text in reversed(texts)][::-1]
    assert together == pytest.approx(alone, abs=0.002)


@NEEDS_MODEL
def test_scores_that_are_kept_may_be_forgotten_while_a_question_needs_them(
    reader: CrossReader, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(judging, "_MOST_KEPT", 0)
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
    assert judging.probabilities([], "how many boats") == []


def _fitted() -> dict[str, object]:
    from safetensors.numpy import load_file

    return dict(load_file(str(PACKAGE / "cross.safetensors")))
