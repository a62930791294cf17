"""Questions over the rows of one table: read, weighed, and answered by the engine as they were found in memory."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from averment.reading.rows.cell_links import LinkedQuestion
from averment.reading.rows.generate import Generator
from averment.reading.rows.grid import read_grid
from averment.reading.rows.opinion import OFFERED, TRUSTED, RowOpinion, opinions
from averment.reading.rows.translate import to_select
from averment.settings import Settings
from averment.tables.compose.select import compose_select
from averment.tables.compose.select_spec import Select
from averment.tables.engines.engine import Engine
from averment.tables.profile.profiler import profile
from averment.tables.sources.opening import open_sources

RACES = """Year,Competition,Venue,Position,Time,Prize (USD),Notes
2001,European Cup,Vaasa,3rd,3:40,"1,200",
2004,World Indoor Championships,Budapest,1st,3:35,"9,000","Record
broken in 2006"
2006,Olympic Games,Turin,2nd,3:38,"20,500",—
2008,European Cup,Annecy,4th,3:44,900,Injured
2009,European Cup,Vaasa,1st,3:36,"1,500",
"""
MEDALS = """Rank,Nation,Gold,Silver,Bronze,Total
1,Soviet Union,50,27,22,99
2,United States,33,31,30,94
3,East Germany,20,23,23,66
4,West Germany,13,11,16,40
Total,,116,92,91,299
"""
QUESTIONS = (
    "what venue was listed after vaasa?",
    "how many times was the european cup held?",
    "which competition had the highest prize?",
    "what is the difference in prize between turin and budapest?",
    "which venues other than vaasa hosted the european cup?",
    "how many competitions were held after 2004?",
    "what was the total prize of the european cup?",
    "which venue was used more than once?",
    "who placed first or second?",
    "what was the second competition listed?",
    "which competition had no notes?",
    "how long did the race in turin take?",
    "what was the last year the race was in vaasa before 2009?",
    "which had the longer time, turin or annecy?",
    "which competition is listed the most?",
    "how many years were between the races in turin and annecy?",
    "how many nations won more than 20 gold medals?",
    "which nation won the same number as east germany, or more gold than west germany?",
    "how many more gold than silver medals did the united states win?",
)


class Asker:
    """One table, asked."""

    def __init__(self, path: Path, cache: Path) -> None:
        self.engine = Engine(open_sources([path], settings=Settings(), cache_dir=cache), Settings())
        self.profiles = tuple(profile(self.engine, table.name) for table in self.engine.catalog.tables)

    def rows(self, sql: str, params: Sequence[Any]) -> list[dict[str, Any]]:
        return self.engine.run(sql, tuple(params)).table.to_pylist()

    def opinions(self, text: str) -> list[RowOpinion]:
        return opinions(text, self.profiles, self.rows)

    def run(self, select: Select) -> list[object]:
        composed = compose_select(select, self.engine.catalog.dialect)
        return self.engine.run(composed.sql, composed.params).table.column(0).to_pylist()

    def answer(self, text: str) -> list[object]:
        best = self.opinions(text)[0]
        assert best.sure >= OFFERED, best
        assert best.plan.query is not None
        return self.run(best.plan.query)


def asker_of(text: str, home: Path) -> Asker:
    (home / "things.csv").write_text(text)
    return Asker(home / "things.csv", home / "cache")


@pytest.fixture(scope="module")
def races(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Asker]:
    asker = asker_of(RACES, tmp_path_factory.mktemp("races"))
    yield asker
    asker.engine.close()


@pytest.fixture(scope="module")
def medals(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Asker]:
    asker = asker_of(MEDALS, tmp_path_factory.mktemp("medals"))
    yield asker
    asker.engine.close()


def same(one: object, two: object) -> bool:
    """Whether the engine's cell and the one in memory are one value; times of day are read as they were written."""
    if isinstance(two, int | float) and not isinstance(one, str):
        return abs(float(str(one)) - two) < 1e-6
    return str(one) == str(two)


@pytest.mark.thorough
@pytest.mark.parametrize("question", QUESTIONS)
def test_every_reading_returns_from_the_engine_what_was_found_in_memory(
    races: Asker, medals: Asker, question: str
) -> None:
    for asker in (races, medals):
        grid = read_grid(asker.profiles, asker.rows)
        assert grid is not None
        seen: set[tuple[object, ...]] = set()
        for candidate in Generator(LinkedQuestion(question, grid)).candidates():
            program = candidate.program
            shape = (program.form, program.pick, program.view, *(test.kind for test in program.tests))
            if shape in seen:
                continue
            seen.add(shape)
            found = [value for value in asker.run(to_select(candidate, grid)) if value is not None]
            assert len(found) == len(candidate.answer), candidate
            assert all(map(same, found, candidate.answer)), candidate


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("how many times was the european cup held?", [3]),
        ("what was the venue in 2006?", ["Turin"]),
        ("which competition was in budapest?", ["World Indoor Championships"]),
        ("what was the first venue?", ["Vaasa"]),
    ],
)
def test_a_question_over_rows_is_answered(races: Asker, question: str, expected: list[object]) -> None:
    assert races.answer(question) == expected


def test_a_row_that_sums_up_the_others_is_no_row_of_its_own(medals: Asker) -> None:
    assert medals.answer("which nation won the most gold medals?") == ["Soviet Union"]
    assert medals.answer("how many nations are listed?") == [4]


def test_a_question_with_no_word_about_the_table_is_not_read(races: Asker) -> None:
    assert not races.opinions("why did the chicken cross the road in winter?")
    assert not races.opinions("which galaxy shines brightest")


def test_a_reading_that_is_seldom_right_is_asked_back(races: Asker) -> None:
    assert races.opinions("why did the chicken cross the prize in winter?")[0].sure < TRUSTED


def test_a_request_about_the_table_as_a_whole_is_left_to_others(races: Asker) -> None:
    assert not races.opinions("plot the distribution of the prize")


def test_a_long_table_of_records_is_left_to_others(tmp_path: Path) -> None:
    rows = "".join(f"{number},{'east' if number % 2 else 'west'}\n" for number in range(400))
    asker = asker_of(f"amount,region\n{rows}", tmp_path)
    assert not asker.opinions("which region has the highest amount?")
    asker.engine.close()


def test_the_same_question_is_read_the_same_way(races: Asker) -> None:
    question = "which competition had the highest prize?"
    assert races.opinions(question) == races.opinions(question)
