"""Every example of the guide is read with certainty, and by the rules alone."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from averment.agents.analyst.rules import SURE, RuleReasoner
from averment.agents.analyst.skill import Candidate, Question
from averment.settings import Settings
from averment.tables.engine import Engine
from averment.tables.profile import TableProfile, profile
from averment.tables.sources import open_sources

ROOT = Path(__file__).parents[3]
GUIDE = (ROOT / "docs" / "guides" / "questions.md").read_text(encoding="utf-8")
EXAMPLES = re.findall(r"^\| [^|]+ \| `([^`]+)` \|$", GUIDE, re.MULTILINE)
Opened = tuple[Engine, TableProfile]


@pytest.fixture(scope="module")
def sales(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Opened]:
    folder = tmp_path_factory.mktemp("guide")
    settings = Settings(home=folder / "home")
    catalog = open_sources([str(ROOT / "examples" / "sales.csv")], settings=settings, cache_dir=folder / "cache")
    engine = Engine(catalog, settings)
    yield engine, profile(engine, "sales")
    engine.close()


def read(sales: Opened, text: str) -> Candidate:
    engine, found = sales
    question = Question(text=text, profiles=(found,), catalog=engine.catalog, engine=engine)
    return RuleReasoner().candidates(question)[0]


@pytest.mark.parametrize("example", EXAMPLES)
def test_an_example_of_the_guide_is_read_with_certainty(sales: Opened, example: str) -> None:
    best = read(sales, example)
    assert best.score >= SURE, best.question_back
    assert best.unread == ()
    assert best.in_words


def test_the_guide_has_examples() -> None:
    assert len(EXAMPLES) >= 25


@pytest.mark.parametrize(
    "question",
    [
        "share of average amount by region",
        "moving average of amount",
        "growth of joy by month",
        "compare amount in 1990 vs 2024",
        "three month rolling average of amount for Mars",
    ],
)
def test_what_cannot_be_computed_is_asked_back_in_words(sales: Opened, question: str) -> None:
    best = read(sales, question)
    assert best.score < SURE
    assert best.question_back


def test_a_column_named_like_an_operation_asks_for_none(tmp_path: Path) -> None:
    path = tmp_path / "teams.csv"
    path.write_text("team,rank,share\n" + "".join(f"T{n},{n},{n * 2}\n" for n in range(1, 15)))
    settings = Settings(home=tmp_path / "home")
    engine = Engine(open_sources([str(path)], settings=settings, cache_dir=tmp_path / "cache"), settings)
    try:
        for text in ("what is the average rank", "maximum share"):
            assert read((engine, profile(engine, "teams")), text).skill not in {"share", "series"}
    finally:
        engine.close()
