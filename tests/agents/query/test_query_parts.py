"""The parts of the query reader: notes, ratios, tests of two columns, relations without declared keys, calibration."""

import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest

from averment.agents.analyst.query.calibration import Weights, fitted, probability
from averment.agents.analyst.query.notes import read_notes
from averment.agents.analyst.query.ratios import find_ratio
from averment.agents.analyst.query.understand import Understood, understand
from averment.agents.analyst.skill import Question
from averment.settings import Settings
from averment.tables.compose_select import compose_select
from averment.tables.engine import Engine
from averment.tables.profile import profile
from averment.tables.sources import open_sources

LIBRARY = """
CREATE TABLE author (aid INTEGER, name TEXT);
CREATE TABLE paper (pid INTEGER, title TEXT, year INTEGER, has_code INTEGER, sent_on TEXT, due_on TEXT);
CREATE TABLE writes (aid INTEGER, pid INTEGER);
INSERT INTO author VALUES (1,'Ann Ash'),(2,'Bo Birch'),(3,'Cy Cedar');
INSERT INTO paper VALUES (10,'On Rivers',2020,1,'2020-01-05','2020-01-04'),(11,'On Lakes',2021,0,'2021-01-05',
    '2021-02-01'),(12,'On Seas',2021,1,'2021-03-05','2021-03-09');
INSERT INTO writes VALUES (1,10),(1,11),(2,12);
"""


class Asker:
    """One source; every reading is run, sure or not."""

    def __init__(self, path: Path, cache: Path) -> None:
        self.engine = Engine(open_sources([path], settings=Settings(), cache_dir=cache), Settings())
        self.profiles = tuple(profile(self.engine, table.name) for table in self.engine.catalog.tables)

    def best(self, text: str) -> Understood:
        question = Question(text=text, profiles=self.profiles, catalog=self.engine.catalog, engine=self.engine)
        return understand(question)[0]

    def rows(self, text: str) -> list[tuple[object, ...]]:
        composed = compose_select(self.best(text).reading.select, self.engine.catalog.dialect)
        table = self.engine.run(composed.sql, composed.params).table
        return sorted(zip(*(each.to_pylist() for each in table.columns), strict=True), key=str)


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Asker]:
    home = tmp_path_factory.mktemp("library")
    with sqlite3.connect(home / "library.sqlite") as made:
        made.executescript(LIBRARY)
    asker = Asker(home / "library.sqlite", home / "cache")
    yield asker
    asker.engine.close()


def test_a_defined_term_is_written_out_and_advice_is_left_alone() -> None:
    noted = read_notes("What is the ASP for each car?\n\nASP = total sales / number of sales. To count, join tables.")
    assert noted.text == "What is the ratio of total sales to number of sales for each car?"
    assert noted.terms == ("ASP",)


def test_a_question_without_notes_stays_as_it_is() -> None:
    assert read_notes("How many dogs are there?").text == "How many dogs are there?"


def test_a_ratio_knows_its_sides_and_its_split() -> None:
    asked = find_ratio("What is the ratio of papers to authors for each year?")
    assert asked is not None
    assert (asked.top, asked.bottom, asked.by) == ("papers", "authors", "year")


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("What is the ratio of papers to authors?", [(1.0,)]),
        ("What are the titles of papers written by Ann Ash?", [("On Lakes",), ("On Rivers",)]),
        ("Which papers have code?", [("On Rivers",), ("On Seas",)]),
        ("List the titles of papers whose sent on is after the due on.", [("On Rivers",)]),
        ("What are the names of authors who have not written any paper?", [("Cy Cedar",)]),
        ("How many papers does each author have?", [("Ann Ash", 2), ("Bo Birch", 1)]),
    ],
)
def test_tables_without_declared_keys_are_joined_by_what_their_columns_hold(
    library: Asker, question: str, expected: list[tuple[object, ...]]
) -> None:
    assert library.rows(question) == expected


def test_a_reading_says_by_what_signs_it_was_judged(library: Asker) -> None:
    best = library.best("How many papers does each author have?")
    assert 0 < best.probability < 1
    assert best.signs["grouped"] == 1.0
    assert best.signs["keys_undeclared"] == 1.0


def test_a_question_the_data_cannot_answer_is_not_acted_on(library: Asker) -> None:
    best = library.best("What is the weather forecast for the launch in Lisbon next to the stadium?")
    assert best.score < 0.99
    assert best.question_back


def test_the_probability_rises_and_falls_with_the_weights() -> None:
    weights = Weights(base=0.0, weights={"good": 2.0, "bad": -2.0}, threshold=0.5)
    assert probability({"good": 1.0}, weights) > 0.5 > probability({"bad": 1.0}, weights)
    assert probability({"unknown": 1.0}, weights) == 0.5


def test_every_weighed_sign_is_one_that_readings_have(library: Asker) -> None:
    assert set(fitted().weights) <= set(library.best("How many papers are there?").signs)
