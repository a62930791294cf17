"""Words that nothing names stand for what a learned reader finds likely, with its probability."""

from __future__ import annotations

import hashlib
import json
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from averment.language.embeddings.minilm import MiniLmEmbedder
from averment.reading.lattice import link_reader
from averment.reading.lattice.cutting import cut
from averment.reading.lattice.learned_links import MOST_LINKS, is_open, runs_of, unnamed
from averment.reading.lattice.link_reader import packaged_link
from averment.reading.reader import read

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from conftest import Library

NEEDS_MODEL = pytest.mark.skipif(not MiniLmEmbedder.is_available(), reason="the sentence model is not installed")
PACKAGE = Path(str(resources.files("averment.reading")))

STAFF = "person,dept,hiredate,sal_eur,contract\n" + "\n".join(
    f"P{n},{('Kitchen', 'Floor', 'Office')[n % 3]},202{n % 4}-03-1{n % 7},{2000 + n * 37 % 900},"
    f"{('full', 'part')[n % 2]}"
    for n in range(40)
)


@pytest.fixture(scope="module")
def staff(library: Callable[..., Library]) -> Library:
    """One table."""
    return library(staff=STAFF)


def test_the_weights_are_those_of_the_manifest_and_hold_on_tables_they_have_not_seen() -> None:
    held = json.loads((PACKAGE / "links.json").read_text(encoding="utf-8"))
    assert held["manifest"]["sha256"] == hashlib.sha256((PACKAGE / "links.safetensors").read_bytes()).hexdigest()
    table = held["manifest"]["held_out"]
    shares = [row["meant"] / row["count"] for row in table]
    assert shares[0] < shares[1] < shares[3] and shares[-1] > 0.7


def test_what_the_question_names_is_not_guessed_at(staff: Library) -> None:
    lattice = cut("average sal_eur of the brigade in the Kitchen", staff.schema)
    meant = unnamed(lattice, staff.schema)
    columns = {each.column.name for each in meant if each.value is None}
    values = {each.value for each in meant if each.value is not None}
    assert "sal_eur" not in columns and "dept" not in columns and "contract" in columns
    assert "Kitchen" not in values and {"Floor", "full"} <= values
    assert all("key" not in each.column.roles for each in meant)


def test_runs_begin_and_end_with_open_words(staff: Library) -> None:
    lattice = cut("average sal_eur of zorbing brigade members", staff.schema)
    places = [n for n in range(len(lattice.words)) if is_open(lattice, n)]
    runs = [lattice.words[start:end] for start, end in runs_of(lattice, places)]
    assert ["zorbing"] in runs and ["zorbing", "brigade"] in runs
    assert all(is_open(lattice, start) and is_open(lattice, end - 1) for start, end in runs_of(lattice, places))


def _always(probability: float) -> Callable[[str, Sequence[str], Sequence[str]], list[float]]:
    return lambda question, words, texts: [probability] * len(texts)


def test_only_what_is_likely_becomes_a_hypothesis_and_only_so_much_of_it(staff: Library) -> None:
    question = "average sal_eur of the brigade"
    spans = [s for s in cut(question, staff.schema, _always(0.4)).spans if s.probability < 1]
    assert len({str(s.data) for s in spans}) <= MOST_LINKS and {s.probability for s in spans} == {0.4}
    assert not [s for s in cut(question, staff.schema, _always(0.05)).spans if s.probability < 1]


def test_an_owner_that_nobody_knows_is_not_linked(staff: Library) -> None:
    spans = [s for s in cut("the captain's average sal_eur", staff.schema, _always(0.9)).spans if s.probability < 1]
    assert not spans


@NEEDS_MODEL
def test_a_word_far_from_every_name_finds_its_column(staff: Library) -> None:
    link = packaged_link()
    assert link is not None
    texts = ["sal eur: number", "hiredate: date", "person: P0, P1"]
    probabilities = link("what remuneration do people get on average", ["remuneration"], texts)
    assert probabilities[0] == max(probabilities)
    assert link("what remuneration do people get on average", ["remuneration"], texts) == probabilities


@NEEDS_MODEL
def test_with_the_model_a_reading_is_found_that_leaves_no_word_over(staff: Library) -> None:
    question = "average emolument per department"
    assert staff.read(question)[0].left
    best = read(question, staff.schema, packaged_link())[0]
    assert best.read_back == "average sal_eur, by dept, in staff" and not best.left


def test_without_the_sentence_model_nothing_is_linked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(MiniLmEmbedder, "is_available", staticmethod(lambda: False))
    assert link_reader.packaged_link() is None
