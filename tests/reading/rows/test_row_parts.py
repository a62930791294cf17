"""Parts of cells, scores and verdicts: read in memory as the engine reads them, and read the same beside others."""

from collections.abc import Iterator

import pytest
from tests.reading.rows.test_row_opinions import Asker, asker_of, same

from averment.reading.rows.cell_links import LinkedQuestion
from averment.reading.rows.generate import Generator
from averment.reading.rows.grid import CellGrid, read_grid
from averment.reading.rows.neural_ranker import packaged_reader
from averment.reading.rows.program import ProgramCandidate
from averment.reading.rows.shortlist import MOST_READ, OF_ONE_ANSWER, shortlist
from averment.reading.rows.translate import to_select
from averment.reading.rows.wording import context_words, program_words

GAMES = """Date,Opponent,Venue,Result,Attendance
"March 4, 1990",Lions (A),"Turin, Italy",W 3-1,"12,000"
"March 18, 1990",Tigers (H),"Vienna, Austria",L 0-2,"9,500"
"April 1, 1990",Bears (A),"Milan, Italy",W 5-0,"15,250"
"May 6, 1990",Wolves (H),"Graz, Austria",D 2-2,"7,300"
"May 9, 1990",Foxes,"Rome, Italy",W 4-3,"11,000"
"""
QUESTIONS = (
    "which country hosted the most games?",
    "which games were not in italy?",
    "how many games were played in march?",
    "which month had the most games?",
    "what was the biggest score difference?",
    "was the game in turin before or after the game in graz?",
    "did more people attend in milan than in rome?",
    "were there more games in march or april?",
    "did more than 3 games take place in italy?",
)


@pytest.fixture(scope="module")
def games(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Asker]:
    asker = asker_of(GAMES, tmp_path_factory.mktemp("games"))
    yield asker
    asker.engine.close()


def grid_of(asker: Asker) -> CellGrid:
    grid = read_grid(asker.profiles, asker.rows)
    assert grid is not None
    return grid


def candidates(asker: Asker, question: str) -> list[ProgramCandidate]:
    return Generator(LinkedQuestion(question, grid_of(asker))).candidates()


@pytest.mark.thorough
@pytest.mark.parametrize("question", QUESTIONS)
def test_parts_and_verdicts_come_from_the_engine_as_they_were_found_in_memory(games: Asker, question: str) -> None:
    grid = grid_of(games)
    seen: set[tuple[object, ...]] = set()
    for candidate in candidates(games, question):
        program = candidate.program
        shown = grid.columns[program.column].part if program.column is not None else None
        tested = tuple((test.kind, grid.columns[test.column].part) for test in program.tests)
        shape = (program.form, program.pick, program.view, program.key_view, shown, tested, program.verdict)
        if shape in seen:
            continue
        seen.add(shape)
        found = [value for value in games.run(to_select(candidate, grid)) if value is not None]
        assert len(found) == len(candidate.answer), candidate
        assert all(map(same, found, candidate.answer)), candidate


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("which country hosted the most games?", ("Italy",)),
        ("which month had the most games?", ("Mar", "May")),
        ("what was the biggest score difference?", (5,)),
        ("was the game in turin before or after the game in graz?", ("before",)),
        ("did more people attend in milan than in rome?", ("yes",)),
        ("were there more games in march or april?", ("march",)),
    ],
)
def test_what_a_part_or_a_comparison_says_is_among_the_readings(
    games: Asker, question: str, answer: tuple[object, ...]
) -> None:
    assert answer in {candidate.answer for candidate in candidates(games, question)}


def test_a_program_is_read_the_same_whatever_stands_beside_it(games: Asker) -> None:
    asked = LinkedQuestion("how many games were played in march?", grid_of(games))
    words = [program_words(candidate, asked) for candidate in candidates(games, asked.text)[:4]]
    reader = packaged_reader()
    assert reader is not None
    together = reader.scores(asked.text, context_words(asked), words)
    alone = [reader.scores(asked.text, context_words(asked), [one])[0] for one in words]
    assert together == pytest.approx(alone, abs=1e-3)
    assert together == reader.scores(asked.text, context_words(asked), words)


def test_the_shortlist_holds_the_most_probable_answers_and_few_programs_of_each() -> None:
    answers = [place % 30 for place in range(120)]
    chosen, prior, mass = shortlist(answers, [-0.01 * answer for answer in answers])
    assert len(chosen) == len(prior) == len(mass) == MOST_READ
    assert {answers[place] for place in chosen} == set(range(MOST_READ // OF_ONE_ANSWER))
