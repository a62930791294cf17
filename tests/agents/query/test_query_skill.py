"""Questions over tables are read right, or asked back: each reading is run and its rows are what was asked for."""

import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest

from averment.agents.analyst.query import QuerySkill
from averment.agents.analyst.query.reading import QueryReading
from averment.agents.analyst.skill import Candidate, Question
from averment.settings import Settings
from averment.tables.compose_select import compose_select
from averment.tables.engine import Engine
from averment.tables.profile import profile
from averment.tables.sources import open_sources

SURE = 0.99
KENNEL = """
CREATE TABLE owners (owner_id INTEGER PRIMARY KEY, first_name TEXT, city TEXT);
CREATE TABLE dogs (dog_id INTEGER PRIMARY KEY, owner_id INTEGER REFERENCES owners(owner_id), name TEXT, age INTEGER,
    weight REAL);
INSERT INTO owners VALUES (1,'Nora','Lake Tia'),(2,'Melisa','Port Reva'),(3,'Rolando','Lake Tia');
INSERT INTO dogs VALUES (1,1,'Kacey',6,7.5),(2,1,'Hipolito',9,1.7),(3,2,'Mavis',8,8.1);
"""


class Asker:
    """One source and the skill."""

    def __init__(self, path: Path, cache: Path) -> None:
        self.engine = Engine(open_sources([path], settings=Settings(), cache_dir=cache), Settings())
        self.profiles = tuple(profile(self.engine, table.name) for table in self.engine.catalog.tables)

    def best(self, text: str) -> Candidate:
        question = Question(text=text, profiles=self.profiles, catalog=self.engine.catalog, engine=self.engine)
        return max(QuerySkill().read(question), key=lambda one: one.score)

    def rows(self, text: str) -> list[tuple[object, ...]]:
        best = self.best(text)
        assert best.score >= SURE, best
        composed = compose_select(QueryReading.model_validate(best.reading).select, self.engine.catalog.dialect)
        table = self.engine.run(composed.sql, composed.params).table
        return list(zip(*(each.to_pylist() for each in table.columns), strict=True))


@pytest.fixture(scope="module")
def kennel(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Asker]:
    home = tmp_path_factory.mktemp("kennel")
    with sqlite3.connect(home / "kennel.sqlite") as made:
        made.executescript(KENNEL)
    asker = Asker(home / "kennel.sqlite", home / "cache")
    yield asker
    asker.engine.close()


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("What is the average age of all the dogs?", [(23 / 3,)]),
        ("How many dogs are there?", [(3,)]),
        ("List the name and age of dogs older than 7.", [("Hipolito", 9), ("Mavis", 8)]),
        ("Show the name of the dogs ordered by weight in descending order.", [("Mavis",), ("Kacey",), ("Hipolito",)]),
        ("What is the name of the oldest dog?", [("Hipolito",)]),
        ("Find the first names of owners who have at least 2 dogs.", [("Nora",)]),
        ("Which owner has the most dogs? Give me the first name.", [("Nora",)]),
        ("What are the first names of owners who do not have any dogs?", [("Rolando",)]),
        ("Find the name of dogs whose weight is above the average.", [("Kacey",), ("Mavis",)]),
        ("How many owners live in Lake Tia?", [(2,)]),
    ],
)
def test_a_question_over_tables_is_answered(kennel: Asker, question: str, expected: list[tuple[object, ...]]) -> None:
    assert sorted(map(str, kennel.rows(question))) == sorted(map(str, expected))


@pytest.mark.parametrize(
    "question",
    [
        "How does photosynthesis work?",
        "What is the total revenue by galaxy?",
        "What is the capital of France?",
    ],
)
def test_what_the_data_cannot_answer_is_asked_back(kennel: Asker, question: str) -> None:
    best = kennel.best(question)
    assert best.score < SURE
    assert best.question_back


def test_a_reading_says_in_words_what_it_computes(kennel: Asker) -> None:
    said = kennel.best("What is the average age of all the dogs?").in_words
    assert "average age" in said
    assert "dogs" in said


def test_the_same_question_is_read_the_same_way(kennel: Asker) -> None:
    question = "Which owner has the most dogs? Give me the first name."
    assert kennel.best(question) == kennel.best(question)


def test_a_chart_that_is_asked_for_has_its_kind(kennel: Asker) -> None:
    read = QueryReading.model_validate(kennel.best("Show the number of owners for each city in a pie chart.").reading)
    assert read.picture is not None
    assert (read.picture.type, read.picture.x, read.picture.y) == ("pie", "city", "count")
