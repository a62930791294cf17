"""Sub-questions: as many as the depth asks for, grounded in what the corpus holds, or an honest no."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from averment.agents.researcher.facets import BY_KEY, topic_of
from averment.agents.researcher.planner import plan_of, plan_questions, subject_of
from averment.agents.researcher.questions import MAIN
from averment.agents.researcher.rounds import words_of
from averment.agents.researcher.sources import SourceSurvey, survey
from averment.corpus.corpus import Corpus
from averment.records.research.plan import check_plan
from averment.records.research.request import DEPTH_LIMITS, DepthLevel
from averment.records.research.run import ResearchRun
from averment.settings import Settings
from averment.store.db.database import Database

QUESTION = "When was Lindholm Harbour deepened?"


@pytest.fixture
def corpus(home: Settings, library: Path) -> Iterator[Corpus]:
    database = Database.open(home)
    opened = Corpus(database)
    assert len(list(opened.add_sources([str(library)]))) == 4
    yield opened
    opened.close()
    database.close()


@pytest.mark.parametrize("depth", list(DepthLevel))
def test_a_plan_has_as_many_questions_as_its_depth_asks_for(corpus: Corpus, depth: DepthLevel) -> None:
    request = ResearchRun.checked(query=QUESTION, depth_level=depth)
    questions = plan_questions(request, survey(corpus, QUESTION, corpus.members.of(["default"])))
    limits = DEPTH_LIMITS[depth]
    assert limits.min_questions <= len(questions) <= limits.max_questions
    assert len({question.priority for question in questions}) == len(questions)
    assert questions[0].facet == MAIN
    assert len(check_plan(plan_of(request, questions), depth)) == len(questions)


def test_only_facets_that_a_passage_shows_are_asked_while_there_are_enough(corpus: Corpus) -> None:
    request = ResearchRun.checked(query=QUESTION, depth_level="quick")
    found = survey(corpus, QUESTION, corpus.members.of(["default"]))
    shown = " ".join(hit.text for hit in found.hits)
    facets = [BY_KEY[question.facet] for question in plan_questions(request, found) if question.facet in BY_KEY]
    assert facets
    assert all(facet.is_shown(shown, subject_of(QUESTION)) for facet in facets)


def test_the_same_request_gives_the_same_questions(corpus: Corpus) -> None:
    request = ResearchRun.checked(query=QUESTION)
    found = survey(corpus, QUESTION, corpus.members.of(["default"]))
    assert plan_questions(request, found) == plan_questions(request, found)


def test_without_any_passage_the_facets_are_asked_openly() -> None:
    request = ResearchRun.checked(query=QUESTION, depth_level="standard", providers=["wikipedia"])
    assert len(plan_questions(request, SourceSurvey((), ()))) == 5


@pytest.mark.parametrize(
    ("query", "topic"),
    [
        ("What is the net worth of Elon Musk?", "the net worth of Elon Musk"),
        ("Tell me about rye bread", "rye bread"),
        ("Why did the bridge collapse?", "the bridge collapse"),
    ],
)
def test_a_topic_is_the_question_without_the_asking(query: str, topic: str) -> None:
    assert topic_of(query) == topic


@pytest.mark.parametrize(
    ("query", "subject"),
    [
        ("Who won the 2021 Tour de France?", "Tour de France"),
        ("Who is the CEO of Apple in 2021?", "CEO of Apple"),
        ("When did the Women's National League begin?", "Women's National League"),
        ("Jon L. Luther was the head of which company?", "Jon L. Luther"),
        ("Besides Little Rock, which city is it?", "Little Rock"),
        ("the deepening of the harbour in Lindholm", "the deepening of the harbour in Lindholm"),
        ("The film Darkon follows the Darkon Wargaming Club of Baltimore.", "Darkon Wargaming Club of Baltimore"),
        ("Are Ada Stone and Anna Berg both engineers?", "Ada Stone and Anna Berg"),
        ("Immune responses in cells are segregated.", "Immune responses in cells are segregated"),
    ],
)
def test_the_subject_of_a_question_is_what_it_names(query: str, subject: str) -> None:
    assert subject_of(query) == subject


def test_a_question_without_names_is_not_cut_up_inside_others(corpus: Corpus) -> None:
    query = "What made larger ships stay out of the basin?"
    request = ResearchRun.checked(query=query, depth_level="quick")
    facets = [
        one
        for one in plan_questions(request, survey(corpus, query, corpus.members.of(["default"])))
        if one.facet in BY_KEY
    ]
    assert facets
    assert all("what was asked" in one.text for one in facets)
    assert all("ships" in words_of(one) for one in facets)
